#include "cli/problems.hpp"

#include <fmt/format.h>

#include <charconv>
#include <regex>

#include "cli/findings_text.hpp"

namespace heddle::cli {
namespace {

using simulator::LaunchRecord;
using simulator::checks::Finding;
using simulator::checks::Side;

Problem fault_problem(const LaunchRecord& launch) {
  Problem problem;
  problem.launch = &launch;
  problem.rule = fmt::format("fault/{}", launch.fault_kind.empty() ? "stop" : launch.fault_kind);
  const std::size_t end = std::min(launch.fault.find('\n'), launch.fault.size());
  problem.message = launch.fault.substr(0, end);
  problem.details = launch.fault.substr(std::min(end + 1, launch.fault.size()));
  problem.places.push_back(fault_place(launch));
  return problem;
}

Problem finding_problem(const LaunchRecord& launch, const AlikeFindings& alike) {
  const Finding& finding = *alike.first;
  Problem problem;
  problem.launch = &launch;
  problem.rule = fmt::format("{}/{}", finding.check, finding.kind);
  problem.message = finding.message;
  problem.details = finding.details;
  problem.times = alike.times;
  for (const Side& side : finding.sides) {
    Place place = place_of(side.line);
    place.function = display_name(side.function);
    for (const std::string& call : side.calls) place.calls.push_back(place_of(call));
    place.what = fmt::format("{}: {}", side.what, side.text);
    problem.places.push_back(place);
  }
  return problem;
}

Problem violation_problem(const Violation& violation) {
  Problem problem;
  problem.launch = violation.launch;
  problem.rule = fmt::format("fail-on/{}", short_name(*violation.condition.metric));
  problem.message = violation_text(violation);
  problem.places.push_back({{}, 0, display_name(violation.launch->kernel), {}, {}});
  return problem;
}

}  // namespace

Place place_of(const std::string& line) {
  Place place;
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos) return place;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + colon + 1, end, place.line);
  if (error != std::errc() || stop != end) return {};
  place.file = line.substr(0, colon);
  return place;
}

// Fault::message() is the whole report; a line of it says where, as "at k+0x40 file.cu:12: …".
Place fault_place(const LaunchRecord& launch) {
  static const std::regex at(R"(\n  at [^\n]*\+0x[0-9a-f]+ ([^\n]*?:[0-9]+): )");
  Place place;
  if (std::smatch found; std::regex_search(launch.fault, found, at)) place = place_of(found[1]);
  static const std::regex call(R"(\n    called at ([^\n]*))");
  const std::string& text = launch.fault;
  for (std::sregex_iterator each(text.begin(), text.end(), call), last; each != last; ++each)
    place.calls.push_back(place_of((*each)[1]));
  place.function = display_name(launch.kernel);
  return place;
}

std::vector<Problem> problems(Launches launches, const std::vector<Condition>& conditions,
                              bool faults) {
  std::vector<Problem> all;
  for (const LaunchRecord* launch : launches) {
    for (const AlikeFindings& each : alike_findings(*launch))
      all.push_back(finding_problem(*launch, each));
    if (faults && !launch->fault.empty()) all.push_back(fault_problem(*launch));
  }
  for (const Violation& violation : violations(launches, conditions))
    all.push_back(violation_problem(violation));
  return all;
}

}  // namespace heddle::cli
