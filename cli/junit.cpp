// JUnit XML, in the order and with the attributes that the readers' schemas want (Ant's, Jenkins').
#include <fmt/format.h>

#include "cli/problems.hpp"

namespace heddle::cli {
namespace {

std::string xml(std::string_view text) {
  std::string escaped;
  for (const char c : visible_lines(text)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

std::string failure_text(const Problem& problem) {
  std::string text = problem.message;
  for (const Place& place : problem.places) {
    text += fmt::format("\n  in {}", place.function);
    if (place.line != 0) text += fmt::format(", {}:{}", place.file, place.line);
    if (!place.what.empty()) text += fmt::format(": {}", place.what);
    for (const Place& call : place.calls)
      if (call.line != 0) text += fmt::format("\n    called at {}:{}", call.file, call.line);
  }
  if (!problem.details.empty()) text += "\n" + problem.details;
  return text;
}

// A test case has one failure (Ant's schema): the first problem names it, its text tells all.
std::string case_text(const simulator::LaunchRecord& launch, const std::vector<Problem>& all,
                      bool& failed) {
  const simulator::Dim3 &grid = launch.grid, &block = launch.block;
  std::string text = fmt::format(
      "  <testcase classname=\"{}\" name=\"launch {}, grid ({},{},{}), block ({},{},{})\" "
      "time=\"0\"",
      xml(display_name(launch.kernel)), launch.index, grid.x, grid.y, grid.z, block.x, block.y,
      block.z);
  const Problem* first = nullptr;
  std::string told;
  for (const Problem& problem : all) {
    if (problem.launch != &launch) continue;
    if (first == nullptr) first = &problem;
    told += (told.empty() ? "" : "\n\n") + failure_text(problem);
  }
  failed = first != nullptr;
  if (!failed) return text + "/>\n";
  return text +
         fmt::format(">\n   <failure type=\"{}\" message=\"{}\">{}</failure>\n  </testcase>\n",
                     xml(first->rule), xml(first->message), xml(told));
}

}  // namespace

std::string junit(Launches launches, const std::vector<Problem>& all) {
  std::string cases;
  std::size_t failures = 0;
  for (const simulator::LaunchRecord* launch : launches) {
    bool failed = false;
    cases += case_text(*launch, all, failed);
    failures += failed ? 1 : 0;
  }
  // Without the date and the host, so that equal runs give equal files.
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      " <testsuite id=\"0\" package=\"heddle\" name=\"heddle\" timestamp=\"1970-01-01T00:00:00\" "
      "hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"0\">\n"
      "  <properties/>\n{}  <system-out/>\n  <system-err/>\n </testsuite>\n</testsuites>\n",
      launches.size(), failures, cases);
}

}  // namespace heddle::cli
