// What `--check` found, as text.
#pragma once

#include <string>
#include <vector>

#include "cli/text.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

// Findings of one kind on the same source lines, which only the instructions tell apart: an
// unrolled loop has many.
struct AlikeFindings {
  const simulator::checks::Finding* first = nullptr;
  std::size_t count = 0;
  std::uint64_t times = 0;  // of all of them
};
// Of one launch, in the order of the first of each.
std::vector<AlikeFindings> alike_findings(const simulator::LaunchRecord& launch);

struct FindingsShown {
  bool none = false;   // say so where there is none
  bool every = false;  // a report for each; else one for all that are alike
};
// Reports, and a line that counts the findings.
std::string findings_text(const simulator::Record& record, FindingsShown shown, const Style& style);

bool has_findings(const simulator::Record& record);

}  // namespace heddle::cli
