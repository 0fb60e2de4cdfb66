#include "cli/run_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/findings_text.hpp"
#include "cli/launch_text.hpp"
#include "cli/problems.hpp"
#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "cli/text.hpp"
#include "gpu/runtime/options.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostStatus = 255;

bool writes_to_stdout(const Arguments& arguments) {
  for (const char* option : {"record", "csv", "sarif", "junit"})
    if (arguments.value(option) == simulator::kStandardOutput) return true;
  return arguments.has("dump") || arguments.value("trace").ends_with("=-");
}

bool has_faults(Launches launches) {
  return std::ranges::any_of(launches, [](const auto* launch) { return !launch->fault.empty(); });
}

bool has_findings(Launches launches) {
  return std::ranges::any_of(launches,
                             [](const auto* launch) { return !launch->findings.empty(); });
}

// With --quiet: what fails the run, and nothing else.
std::string quiet_text(const simulator::Record& record, FaultText faults, const Style& style) {
  std::string text = findings_text(record, {}, style);
  for (const simulator::LaunchRecord& launch : record.launches)
    if (!launch.fault.empty()) text += stop_text(launch, faults, style);
  return text;
}

// Calls of libraries that the host computed, equal ones in one row; nothing where there are none.
std::string library_table(const std::vector<runtime::LibraryCall>& calls, const Style& style) {
  std::vector<std::pair<runtime::LibraryCall, int>> rows;
  for (runtime::LibraryCall call : calls) {
    call.before = 0;
    const auto same = std::ranges::find(rows, call, [](const auto& row) { return row.first; });
    if (same == rows.end())
      rows.emplace_back(std::move(call), 1);
    else
      ++same->second;
  }
  if (rows.empty()) return {};
  Table table({"routine", "shape", "type", "calls"});
  for (const auto& [call, times] : rows)
    table.add({visible(call.name), visible(call.shape), visible(call.type), readable(times)});
  return fmt::format("\n{}\n{}", style.bold("Computed on the host, without counts"), table.text(2));
}

}  // namespace

void check_report_options(const Arguments& arguments) {
  fail_conditions(arguments);
  arguments.number("error-exitcode", kMostStatus);
  if (arguments.has("host-time") && chooses_launches(arguments))
    throw Usage("--host-time is of all launches: leave out -k, -s and -c");
  if (arguments.has("quiet"))
    for (const char* option : {"verbose", "source", "format"})
      if (arguments.has(option))
        throw Usage(fmt::format("--quiet prints no tables: leave out --{}", option));
}

RunReport::RunReport(const Arguments& arguments, bool program)
    : arguments_(arguments),
      quiet_(arguments.has("quiet")),
      faults_(program ? FaultText::one_line : FaultText::whole),
      tables_(program || quiet_ || writes_to_stdout(arguments) ? stderr : stdout) {}

void RunReport::add(const ProcessRecord& each) {
  const simulator::Record& record = each.record;
  const auto chosen = chosen_launches(record, arguments_);
  launches_.insert(launches_.end(), chosen.begin(), chosen.end());
  const Style style = Style::choose(arguments_.value("color", "auto"), fileno(tables_));
  print(quiet_ ? quiet_text(record, faults_, style)
               : record_text(record, arguments_, fileno(tables_), faults_));
  if (!quiet_) print(library_table(each.library_calls, style));
  const auto path = [&](const char* option) {
    return runtime::expand_process(arguments_.value(option), each.process);
  };
  if (arguments_.has("record") && !each.written)
    simulator::write_record(chosen_part(record, arguments_), path("record"), each.more);
  if (arguments_.has("csv"))
    simulator::write_file(path("csv"), csv(chosen, chosen_metrics(arguments_)));
}

int RunReport::finish(int status) const {
  write_problem_files(arguments_, launches_);
  const std::vector<Condition> conditions = fail_conditions(arguments_);
  for (const std::string& line : missing_in_baseline(launches_, conditions))
    fmt::print(stderr, "heddle: {}\n", line);
  const std::vector<Violation> violated = violations(launches_, conditions);
  for (const Violation& each : violated)
    fmt::print(stderr, "heddle: {}, launch {}: {}\n", visible(display_name(each.launch->kernel)),
               each.launch->index, violation_text(each));
  const bool faults = has_faults(launches_) && !arguments_.has("ignore-faults");
  if (status != 0 || (!faults && violated.empty() && !has_findings(launches_))) return status;
  if (faults)
    fmt::print(
        stderr,
        "heddle: a launch faulted, so the run fails; with --ignore-faults the program's status "
        "counts\n");
  return static_cast<int>(
      arguments_.number("error-exitcode", kMostStatus).value_or(std::uint64_t{kDifferent}));
}

void write_problem_files(const Arguments& arguments, Launches launches) {
  if (!arguments.has("sarif") && !arguments.has("junit")) return;
  const std::vector<Problem> all =
      problems(launches, fail_conditions(arguments), !arguments.has("ignore-faults"));
  const auto path = [&](const char* option) {
    return runtime::expand_process(arguments.value(option), getpid());
  };
  if (arguments.has("sarif"))
    simulator::write_file(path("sarif"), sarif(all, std::filesystem::current_path()));
  if (arguments.has("junit")) simulator::write_file(path("junit"), junit(launches, all));
}

}  // namespace heddle::cli
