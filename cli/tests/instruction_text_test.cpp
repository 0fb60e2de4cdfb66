// The tables of --source and --per-pc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/launch_text.hpp"

namespace heddle::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A kernel of instructions at these lines; of each, two warps executed with half of their lanes.
simulator::LaunchRecord launch_with(const std::vector<std::string>& lines) {
  simulator::LaunchRecord launch;
  launch.kernel = "k";
  for (const std::string& line : lines) {
    auto& instruction = launch.instructions.emplace_back();
    instruction.function = "k";
    instruction.text = "NOP";
    instruction.line = line;
    instruction.metrics[simulator::MetricName("smsp__sass_inst_executed.sum")] = 2;
    instruction.metrics[simulator::MetricName("smsp__sass_thread_inst_executed.sum")] = 32;
  }
  for (const auto& [name, value] : launch.instructions.front().metrics)
    launch.metrics[name] = value * static_cast<double>(lines.size());
  return launch;
}

// The first word of each row.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const std::size_t begin = line.find_first_not_of(' '); begin == 2)
      rows.push_back(line.substr(begin, line.find(' ', begin) - begin));
  return rows;
}

std::vector<const simulator::Metric*> metrics_named(const std::vector<const char*>& names) {
  std::vector<const simulator::Metric*> metrics;
  for (const char* name : names) metrics.push_back(simulator::find_metric(name));
  return metrics;
}

TEST(SourceTable, HasLinesInTheOrderOfTheirNumbers) {
  const auto launch = launch_with({"b.cu:2", "a.cu:100", "a.cu:13", "a.cu:9"});
  EXPECT_THAT(rows_of(source_table(launch, {})),
              ElementsAre("line", "a.cu:9", "a.cu:13", "a.cu:100", "b.cu:2"));
}

TEST(SourceTable, HasRatiosOfEachLine) {
  const auto launch = launch_with({"a.cu:1"});
  const std::string text = source_table(launch, metrics_named({"warp_execution_efficiency"}));
  EXPECT_THAT(text, HasSubstr("a.cu:1            50.00"));
  EXPECT_THAT(text, HasSubstr("        warp_execution_\n  line    efficiency       function"));
}

TEST(SourceTable, LeavesOutColumnsWithoutAnyValue) {
  const auto launch = launch_with({"a.cu:1"});
  EXPECT_THAT(source_table(launch, {}), Not(HasSubstr("wavefronts")));
  EXPECT_THAT(instruction_table(launch, {}), Not(HasSubstr("wavefronts")));
  const auto metrics = metrics_named({"inst_executed", "stall_memory_dependency"});
  EXPECT_THAT(source_table(launch, metrics), Not(HasSubstr("stall")));
}

// An ended warp drains behind its EXIT, at an instruction that nobody executes.
TEST(InstructionTable, HasWhatOnlyStalledWhereStallsAreAskedFor) {
  auto launch = launch_with({"a.cu:1"});
  auto& behind = launch.instructions.emplace_back(launch.instructions.front());
  behind.text = "BRA";
  const char* drain = "smsp__pcsamp_warps_issue_stalled_drain.sum";
  behind.metrics = {{simulator::MetricName(drain), 5}};
  launch.metrics[simulator::MetricName(drain)] = 5;
  EXPECT_THAT(instruction_table(launch, {}), Not(HasSubstr("BRA")));
  const std::string text = instruction_table(launch, metrics_named({drain}));
  EXPECT_THAT(text, HasSubstr("5  BRA"));
  EXPECT_THAT(text, HasSubstr("NOP"));
}

}  // namespace
}  // namespace heddle::cli
