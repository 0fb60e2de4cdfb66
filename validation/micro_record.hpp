// What a program of gpu/kernels/micro/timing printed on a GPU.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace heddle::validation {

// The answer to one question: the median of its samples and their range.
struct Answer {
  double median = 0, least = 0, greatest = 0;
  std::string unit;
};

struct MicroRecord {
  std::string program, device, compiler, date;  // as its head says
  std::map<std::string, Answer, std::less<>> answers;

  // Throws std::runtime_error naming program and question.
  double operator[](std::string_view question) const { return answer(question).median; }
  double greatest(std::string_view question) const { return answer(question).greatest; }

 private:
  const Answer& answer(std::string_view question) const;
};

// Lines of "question <tab> median <tab> unit <tab> least <tab> greatest <tab> samples" after lines
// of
// "# key value". Throws std::runtime_error with origin and line.
MicroRecord parse_micro_record(std::string_view text, std::string_view origin);

// Every *.txt of a folder, and every *.json.zst of launches (validation/micro_launches.hpp) with
// their names, one a line, in *.names; by program.
std::map<std::string, MicroRecord> read_micro_records(const std::filesystem::path& folder);

}  // namespace heddle::validation
