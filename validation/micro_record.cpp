#include "validation/micro_record.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <vector>

#include "simulator/base/file.hpp"
#include "validation/micro_launches.hpp"

namespace heddle::validation {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 24;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

double number(std::string_view text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error(fmt::format("{}: \"{}\" is not a number", where, text));
  return value;
}

void read_head(MicroRecord& record, std::string_view line) {
  for (const auto& [key, member] : {std::pair{"# program ", &MicroRecord::program},
                                    {"# device ", &MicroRecord::device},
                                    {"# compiler ", &MicroRecord::compiler},
                                    {"# date ", &MicroRecord::date}})
    if (line.starts_with(key)) record.*member = line.substr(std::string_view(key).size());
}

constexpr std::string_view kOfLaunches = ".json.zst";

// PROGRAM.json.zst; the launches' names are the lines of PROGRAM.names, if there is one.
MicroRecord read_launches(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  const std::string program = file.substr(0, file.size() - kOfLaunches.size());
  const std::filesystem::path names_file = path.parent_path() / (program + ".names");
  std::vector<std::string> names;
  if (std::filesystem::exists(names_file)) {
    const std::string text = simulator::read_file(names_file, kMostBytes);
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) names.emplace_back(line);
  }
  return answers_of_launches(simulator::read_record(path), names, program);
}

}  // namespace

const Answer& MicroRecord::answer(std::string_view question) const {
  const auto found = answers.find(question);
  if (found == answers.end())
    throw std::runtime_error(fmt::format("{}: no answer to \"{}\"", program, question));
  return found->second;
}

MicroRecord parse_micro_record(std::string_view text, std::string_view origin) {
  constexpr std::size_t kFields = 6;
  MicroRecord record;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string where = fmt::format("{}:{}", origin, ++line_number);
    if (line.empty()) continue;
    if (line.front() == '#') {
      read_head(record, line);
      continue;
    }
    const auto fields = split(line, '\t');
    if (fields.size() != kFields)
      throw std::runtime_error(fmt::format("{}: not {} fields between tabs", where, kFields));
    record.answers[std::string(fields[0])] = {number(fields[1], where), number(fields[3], where),
                                              number(fields[4], where), std::string(fields[2])};
  }
  if (record.program.empty() || record.device.empty() || record.date.empty())
    throw std::runtime_error(
        fmt::format("{}: does not say which program, on which device, when", origin));
  return record;
}

std::map<std::string, MicroRecord> read_micro_records(const std::filesystem::path& folder) {
  std::map<std::string, MicroRecord> records;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool is_launches = entry.path().filename().string().ends_with(kOfLaunches);
    if (!is_launches && entry.path().extension() != ".txt") continue;
    MicroRecord record = is_launches
                             ? read_launches(entry.path())
                             : parse_micro_record(simulator::read_file(entry.path(), kMostBytes),
                                                  entry.path().filename().string());
    const std::string program = record.program;
    if (!records.emplace(program, std::move(record)).second)
      throw std::runtime_error(fmt::format("{}: two records of {}", folder.string(), program));
  }
  return records;
}

}  // namespace heddle::validation
