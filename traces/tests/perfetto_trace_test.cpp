#include "traces/formats/perfetto_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "simulator/base/json.hpp"
#include "simulator/launch/timing_options.hpp"
#include "tests/scratch_folder.hpp"
#include "traces/tests/machine_kernels.hpp"

namespace heddle::traces {
namespace {

class PerfettoTraceTest : public testing::Test {
 protected:
  // The events of two launches.
  nlohmann::json trace(bool timed, TraceRequest options = {}) {
    options["trace"] = "perfetto=" + path_.string();
    const auto trace = make_trace(trace_options(options));
    for (int i = 0; i < 2; ++i) {
      const auto request =
          machine_.request("barrier_on_both_sides", {2, 1, 1}, {64, 1, 1}, machine_.zeros(256));
      simulator::LaunchOptions launch;
      if (timed) launch.settings.timing.emplace();
      launch.observer = trace->begin_launch(i, request, machine_.device.model());
      const simulator::LaunchOutcome outcome = machine_.device.launch(request, launch);
      EXPECT_FALSE(outcome.fault);
      if (launch.observer != nullptr) trace->end_launch(outcome);
      executed_ = outcome.counts.executed();
    }
    std::ifstream file(path_);
    return nlohmann::json::parse(file);
  }
  MachineKernels machine_;
  std::uint64_t executed_ = 0;  // by one launch
  const tests::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "trace.json";
};

// Slices of one track must not overlap.
void expect_in_order(const nlohmann::json& events) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::pair<double, double>>> tracks;
  for (const auto& event : events)
    if (event["ph"] == "X")
      tracks[{event["pid"], event["tid"]}].push_back({event["ts"], event["dur"]});
  for (auto& [track, slices] : tracks) {
    std::ranges::sort(slices);
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].first + slices[i - 1].second, slices[i].first);
  }
}

TEST_F(PerfettoTraceTest, HasASlicePerInstructionOnTheTracksOfWarps) {
  const nlohmann::json events = trace(false);
  std::uint64_t slices = 0;
  std::set<std::uint64_t> processes, threads;
  std::vector<std::string> launches;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    if (event["pid"] == 0) {
      launches.push_back(event["name"]);
      continue;
    }
    ++slices;
    processes.insert(event["pid"].get<std::uint64_t>());
    threads.insert(event["tid"].get<std::uint64_t>());
    EXPECT_TRUE(event["args"]["instruction"].get<std::string>().find(
                    event["name"].get<std::string>()) != std::string::npos);
  }
  EXPECT_EQ(slices, 2 * executed_);
  EXPECT_EQ(processes.size(), 2u);  // two blocks on two SMs
  EXPECT_EQ(threads.size(), 4u);
  EXPECT_THAT(launches, testing::ElementsAre("launch 0: barrier_on_both_sides",
                                             "launch 1: barrier_on_both_sides"));
  expect_in_order(events);
}

TEST_F(PerfettoTraceTest, ShowsWhatWarpsWaitForInTimedLaunches) {
  const nlohmann::json events = trace(true);
  std::uint64_t instructions = 0;
  std::set<std::string> stalls;
  for (const auto& event : events) {
    if (event["ph"] != "X" || event["pid"] == 0) continue;
    if (event.value("cat", "") == "stall")
      stalls.insert(event["name"].get<std::string>());
    else
      ++instructions;
  }
  EXPECT_EQ(instructions, 2 * executed_);
  EXPECT_THAT(stalls, testing::IsSupersetOf({"wait", "no_instruction", "short_scoreboard"}));
  EXPECT_FALSE(stalls.contains("selected"));
  expect_in_order(events);
}

TEST_F(PerfettoTraceTest, KeepsToWhatIsChosen) {
  for (const auto& event : trace(false, {{"trace-block", "1"}, {"trace-warp", "0"}})) {
    if (event["ph"] == "X" && event["pid"] != 0) {
      EXPECT_EQ(event["tid"], 3);
    }
  }
  EXPECT_THROW(make_trace(trace_options({{"trace", "perfetto"}})), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::traces
