// The committed capsules on the model, beside the committed records of an H200.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "simulator/base/json.hpp"
#include "simulator/record/metrics.hpp"
#include "validation/compare.hpp"
#include "validation/replay.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;

const fs::path kCapsules = fs::path(HEDDLE_SOURCE_DIR) / "validation/capsules";
const fs::path kRecords = fs::path(HEDDLE_SOURCE_DIR) / "validation/records/h200";

std::vector<std::string> entries() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCapsules))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

simulator::Record replayed(const std::string& entry, unsigned threads) {
  return replay(find_capsules(kCapsules / entry),
                {.settings = {.threads = threads, .threads_after = 0},
                 .per_instruction = true,
                 .memory_digests = true})
      .record;
}

// What differs first, readable.
std::string first_difference(const Comparison& comparison) {
  for (const LaunchComparison& launch : comparison.launches) {
    if (!launch.trouble.empty()) return launch.trouble;
    if (launch.order_dependent || launch.equal()) continue;
    if (!launch.memory_differences.empty())
      return launch.kernel + ": " + launch.memory_differences[0];
    const Difference& difference = launch.differences[0];
    return launch.kernel + " " + difference.metric + " at pc " +
           std::to_string(difference.pc.value_or(0)) + " " + difference.line + ": model " +
           std::to_string(difference.model.value_or(-1)) + ", hardware " +
           std::to_string(difference.hardware.value_or(-1));
  }
  return {};
}

class Suite : public ::testing::TestWithParam<std::string> {};

TEST_P(Suite, EqualsTheH200InEveryInstructionAndInMemory) {
  const Comparison comparison = compare(
      replayed(GetParam(), 1), simulator::read_record(kRecords / (GetParam() + ".json.zst")));
  EXPECT_FALSE(comparison.launches.empty());
  EXPECT_TRUE(comparison.equal()) << first_difference(comparison);
}

TEST_P(Suite, GivesTheSameRecordWithAnyNumberOfThreads) {
  const std::string one = to_json(replayed(GetParam(), 1)).dump();
  EXPECT_EQ(to_json(replayed(GetParam(), 2)).dump(), one);
  EXPECT_EQ(to_json(replayed(GetParam(), 5)).dump(), one);
}

INSTANTIATE_TEST_SUITE_P(OfCapsules, Suite, ::testing::ValuesIn(entries()), [](const auto& each) {
  std::string name = each.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// The seeds' first listing: branch efficiency of the kernels, built for debugging, on an H200.
TEST(SimpleDivergence, HasTheBranchEfficiencyOfTheH200) {
  const simulator::Record record = replayed("simple_divergence.sm_90.G", 1);
  ASSERT_EQ(record.launches.size(), 5u);
  const auto value = [&](std::size_t launch, std::string_view name) {
    return simulator::value_of(record.launches[launch].metrics, *simulator::find_metric(name))
        .value_or(-1);
  };
  EXPECT_EQ(value(1, "branch_efficiency"), 80);
  EXPECT_EQ(value(2, "branch_efficiency"), 100);
  EXPECT_NEAR(value(3, "branch_efficiency"), 71.43, 0.005);
  EXPECT_EQ(value(4, "branch_efficiency"), 100);
  EXPECT_EQ(value(1, "inst_executed"), 240);
  EXPECT_EQ(value(3, "branch"), 14);
  EXPECT_EQ(value(3, "divergent_branch"), 4);
}

// An ended warp drains where nothing is executed: behind its EXIT.
TEST(TimedSuite, InstructionsHaveAllStallsOfTheirLaunch) {
  const simulator::Record record =
      replay(find_capsules(kCapsules / "simple_divergence.sm_90.O3"),
             {.settings = {.timing = simulator::timing::Options{}}, .per_instruction = true})
          .record;
  const std::string sampled = "smsp__pcsamp_warps_issue_stalled_";
  const std::string average = "smsp__average_warps_issue_stalled_";
  for (const simulator::LaunchRecord& launch : record.launches) {
    std::map<std::string, double> samples;
    for (const simulator::InstructionRecord& instruction : launch.instructions)
      for (const auto& [name, value] : instruction.metrics)
        if (name.text().starts_with(sampled))
          samples[name.text().substr(sampled.size(), name.text().size() - sampled.size() - 4)] +=
              value;
    EXPECT_GT(samples["drain"], 0) << launch.kernel;
    const double issued = samples["selected"];
    for (const auto& [reason, count] : samples)
      EXPECT_NEAR(count / issued,
                  launch.metrics.find(average + reason + "_per_issue_active.ratio")->second, 1e-9)
          << launch.kernel << ' ' << reason;
  }
}

}  // namespace
}  // namespace heddle::validation
