#include "cli/findings_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::cli {
namespace {

using simulator::Dim3;
using simulator::checks::Finding;
using simulator::checks::Side;

std::string place(const Dim3& dim) { return fmt::format("({},{},{})", dim.x, dim.y, dim.z); }

std::string side_text(const Side& side, const char* role) {
  const bool one = side.lanes.is_single();
  return fmt::format(
      "  {} block {} warp {} lane{} {}, thread {}\n      {}\n      {}{}+{:#x}: {}{}\n", role,
      place(side.block), side.warp, one ? "" : "s", simulator::checks::lane_list(side.lanes),
      place(side.thread), visible(side.what),
      side.line.empty() ? std::string() : visible(side.line) + "  ",
      visible(display_name(side.function)), side.pc, visible(side.text),
      visible_lines(simulator::checks::calls_text(side.calls, "        ")));
}

std::string finding_text(const AlikeFindings& alike, const simulator::LaunchRecord& launch,
                         const Style& style) {
  const Finding& finding = *alike.first;
  std::string text =
      fmt::format("{} {}\n", style.red(fmt::format("check {}:", visible(finding.check))),
                  visible(finding.message));
  text += fmt::format(
      "  kernel {}, launch {}{}\n", visible(display_name(launch.kernel)), launch.index,
      finding.times == 1 ? std::string() : fmt::format("; {} times here", finding.times));
  const char* role = "by";
  for (const Side& side : finding.sides) {
    text += side_text(side, role);
    role = "and";
  }
  std::string_view details = finding.details;
  while (!details.empty()) {
    const std::size_t end = std::min(details.find('\n'), details.size());
    text += fmt::format("  {}\n", visible(details.substr(0, end)));
    details.remove_prefix(std::min(end + 1, details.size()));
  }
  if (alike.count > 1)
    text += fmt::format(
        "  and {} more of other instructions of the same source line{}; --verbose "
        "prints each\n",
        alike.count - 1, finding.sides.size() == 1 ? "" : "s");
  return text + "\n";
}

// What findings that are alike have in common; nothing where a line is not known.
std::string likeness(const Finding& finding) {
  std::string key = finding.check + '\n' + finding.kind;
  for (const Side& side : finding.sides) {
    if (side.line.empty()) return {};
    key += '\n' + side.line;
  }
  return key;
}

}  // namespace

std::vector<AlikeFindings> alike_findings(const simulator::LaunchRecord& launch) {
  std::vector<AlikeFindings> all;
  std::map<std::string, std::size_t> known;
  for (const Finding& finding : launch.findings) {
    const std::string key = likeness(finding);
    const auto [found, is_new] = known.try_emplace(key, all.size());
    if (is_new || key.empty()) {
      all.push_back({&finding, 1, finding.times});
    } else {
      ++all[found->second].count;
      all[found->second].times += finding.times;
    }
  }
  return all;
}

bool has_findings(const simulator::Record& record) {
  return std::ranges::any_of(record.launches,
                             [](const auto& launch) { return !launch.findings.empty(); });
}

std::string findings_text(const simulator::Record& record, FindingsShown shown,
                          const Style& style) {
  std::string text;
  std::map<std::string, std::size_t> by_check;
  std::size_t all = 0;
  for (const simulator::LaunchRecord& launch : record.launches) {
    for (const Finding& finding : launch.findings) {
      if (shown.every) text += finding_text({&finding, 1, finding.times}, launch, style);
      ++by_check[finding.check];
      ++all;
    }
    if (shown.every) continue;
    for (const AlikeFindings& each : alike_findings(launch))
      text += finding_text(each, launch, style);
  }
  if (all == 0) return shown.none ? "checks: nothing found\n\n" : "";
  std::string counts;
  for (const auto& [check, count] : by_check)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", visible(check), count);
  return text +
         style.bold(fmt::format("checks: {} finding{} ({})", all, all == 1 ? "" : "s", counts)) +
         "\n\n";
}

}  // namespace heddle::cli
