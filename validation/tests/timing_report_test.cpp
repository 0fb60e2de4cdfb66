#include "validation/timing_report.hpp"

#include <gtest/gtest.h>

namespace heddle::validation {
namespace {

using simulator::LaunchRecord;
using simulator::Record;

constexpr const char* kCycles = "sm__cycles_active.max";

std::string stall(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

LaunchRecord launch(std::uint64_t index, const std::string& kernel) {
  LaunchRecord record;
  record.index = index;
  record.kernel = kernel;
  return record;
}

struct Pair {
  Record model, hardware;
  void add(const std::string& kernel, double model_cycles, std::vector<double> measured) {
    const std::uint64_t index = model.launches.size();
    model.launches.push_back(launch(index, kernel));
    model.launches.back().metrics[kCycles] = model_cycles;
    hardware.launches.push_back(launch(index, kernel));
    hardware.launches.back().timing[kCycles] = std::move(measured);
  }
};

TEST(TimingReport, ErrorIsSignedAndAgainstTheMedian) {
  Pair pair;
  pair.add("a", 900, {1000, 5000, 1000, 1000, 900});
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].error, -0.1);
  EXPECT_DOUBLE_EQ(rows[0].spread, (4.0 + 0.1) / 5);
}

TEST(TimingReport, LaunchesOfOneKernelAreOneRow) {
  Pair pair;
  pair.add("a", 110, {100});
  pair.add("b", 50, {100});
  pair.add("a", 330, {300});
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].kernel, "a");
  EXPECT_EQ(rows[0].launches, 2U);
  EXPECT_DOUBLE_EQ(rows[0].cycles.hardware, 200);
  EXPECT_DOUBLE_EQ(rows[0].error, 0.1);
  EXPECT_DOUBLE_EQ(rows[1].error, -0.5);
}

TEST(TimingReport, StallDistanceIsOfSharesNotOfRatios) {
  Pair pair;
  pair.add("a", 1, {1, 1});
  pair.model.launches[0].metrics[stall("wait")] = 2;
  pair.model.launches[0].metrics[stall("barrier")] = 2;
  pair.hardware.launches[0].timing[stall("wait")] = {10, 30};
  pair.hardware.launches[0].timing[stall("drain")] = {20, 60};
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  ASSERT_TRUE(rows[0].stall_distance.has_value());
  // 1/2, 1/2, 0 against 1/3, 0, 2/3.
  EXPECT_DOUBLE_EQ(*rows[0].stall_distance, (1.0 / 6 + 1.0 / 2 + 2.0 / 3) / 2);
  EXPECT_NEAR(*rows[0].stall_spread, 0, 1e-12);
  ASSERT_EQ(rows[0].stalls.size(), 1u);  // drain has no model's value here, barrier no hardware's
  EXPECT_EQ(rows[0].stalls.at("wait").model, 2);
  EXPECT_EQ(rows[0].stalls.at("wait").hardware, 20);
}

TEST(TimingReport, SamplesAreComparedByPlaceAndByReason) {
  Pair pair;
  pair.add("a", 1, {1});
  const std::string prefix = "smsp__pcsamp_warps_issue_stalled_";
  Record sampled = pair.hardware;
  pair.model.launches[0].instructions = {{"a", 0, {}, {}, {}, {{prefix + "wait.sum", 30}}},
                                         {"a", 16, {}, {}, {}, {{prefix + "wait.sum", 10}}}};
  sampled.launches[0].instructions = {
      {"a", 0, {}, {}, {}, {{prefix + "wait.sum", 1}, {prefix + "drain.sum", 2}}},
      {"a", 16, {}, {}, {}, {{prefix + "wait.sum", 1}}}};
  const auto rows = timing_rows("entry", pair.model, pair.hardware, sampled);
  ASSERT_TRUE(rows[0].place_distance.has_value());
  EXPECT_NEAR(*rows[0].place_distance, 0, 1e-12);     // 3/4, 1/4 both
  EXPECT_NEAR(*rows[0].sample_distance, 0.5, 1e-12);  // 3/4, 0, 1/4 against 1/4, 1/2, 1/4
}

TEST(TimingReport, SamplesOfInstructionsOfOneLineCountAsOnePlace) {
  Pair pair;
  pair.add("a", 1, {1});
  const std::string waits = "smsp__pcsamp_warps_issue_stalled_wait.sum";
  Record sampled = pair.hardware;
  pair.model.launches[0].instructions = {{"a", 0, "a.cu:1", {}, {}, {{waits, 20}}},
                                         {"a", 16, "a.cu:1", {}, {}, {{waits, 20}}},
                                         {"a", 32, "a.cu:2", {}, {}, {{waits, 10}}}};
  // Another machine's record need not know lines.
  sampled.launches[0].instructions = {{"a", 0, {}, {}, {}, {{waits, 30}}},
                                      {"a", 32, {}, {}, {}, {{waits, 20}}}};
  const auto rows = timing_rows("entry", pair.model, pair.hardware, sampled);
  ASSERT_TRUE(rows[0].line_distance && rows[0].place_distance && rows[0].line_noise);
  EXPECT_NEAR(*rows[0].line_distance, 0.2, 1e-12);   // 4/5, 1/5 against 3/5, 2/5
  EXPECT_NEAR(*rows[0].place_distance, 0.4, 1e-12);  // 2/5, 2/5, 1/5 against 3/5, 0, 2/5
  // Of 50 draws: two shares that deviate by sqrt(2 * 0.6 * 0.4 / (50 pi)) each.
  EXPECT_NEAR(*rows[0].line_noise, 0.0553, 1e-4);
}

TEST(TimingReport, LaunchThatOneSideDidNotTimeIsLeftOut) {
  Pair pair;
  pair.add("a", 1, {1});
  pair.add("b", 1, {});
  pair.add("c", 1, {1});
  pair.model.launches[2].metrics.clear();
  EXPECT_EQ(timing_rows("entry", pair.model, pair.hardware).size(), 1U);
}

TEST(TimingReport, SummaryCountsRowsOfEnoughCycles) {
  Pair pair;
  pair.add("short", 1000, {100});
  pair.add("a", 1100, {1000});
  pair.add("b", 1600, {2000});
  pair.add("c", 4000, {4000});
  const auto summary = summarize(timing_rows("entry", pair.model, pair.hardware), 1000);
  EXPECT_EQ(summary.rows, 3U);
  EXPECT_DOUBLE_EQ(summary.mean_absolute, 0.1);
  EXPECT_DOUBLE_EQ(summary.median_absolute, 0.1);
  EXPECT_DOUBLE_EQ(summary.ninetieth, 0.18);
  EXPECT_DOUBLE_EQ(summary.worst, 0.2);
  EXPECT_NEAR(summary.mean_signed, -0.1 / 3, 1e-12);
  EXPECT_GT(summary.correlation, 0.9);
}

TEST(TimingReport, PairIsOfWholeLaunchesOfAllItsKernels) {
  Pair pair;
  const auto add = [&](const std::string& kernel, double model, double hardware) {
    pair.add(kernel, 1, {1});
    pair.model.launches.back().metrics["sm__cycles_elapsed.max"] = model;
    pair.hardware.launches.back().timing["sm__cycles_elapsed.max"] = {hardware};
  };
  add("_Z4loadPi", 100, 150);
  add("_Z5storePi", 200, 250);
  add("_Z4bothPi", 150, 100);
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  const auto times = times_of_pair({"fusion", "entry", {"load", "store"}, {"both"}, false}, rows);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->model_ratio(), 2);
  EXPECT_DOUBLE_EQ(times->hardware_ratio(), 4);
  EXPECT_DOUBLE_EQ(times->error(), -0.5);
  EXPECT_TRUE(times->differs());
  EXPECT_TRUE(times->same_order());
  EXPECT_FALSE(times_of_pair({"", "entry", {"load"}, {"absent"}, false}, rows));
}

TEST(TimingReport, ValueIsOfTheModelAndOfHardwareWhereItWasMeasuredOrIsExact) {
  Pair pair;
  pair.add("_Z4slowPi", 300, {200});
  simulator::LaunchRecord& model = pair.model.launches[0];
  model.metrics["l1tex__t_sector_hit_rate.pct"] = 40;
  model.metrics["smsp__sass_inst_executed.sum"] = 7;
  model.metrics["lts__t_sector_hit_rate.pct"] = 60;
  pair.hardware.launches[0].timing["l1tex__t_sector_hit_rate.pct"] = {50, 30, 35};
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  const auto value = [&](const char* metric) {
    return value_of({"", "", metric, {"entry", "slow"}}, rows);
  };
  EXPECT_DOUBLE_EQ(value("tex_cache_hit_rate")->model, 40);
  EXPECT_DOUBLE_EQ(*value("tex_cache_hit_rate")->hardware, 35);
  EXPECT_DOUBLE_EQ(*value("inst_executed")->hardware, 7);
  EXPECT_FALSE(value("l2_tex_hit_rate")->hardware);
  EXPECT_FALSE(value("achieved_occupancy"));
}

TEST(TimingReport, RatioIsOfKernelsByTheirPlainNames) {
  Pair pair;
  pair.add("_Z4slowPi", 300, {200});
  pair.add("_Z4fastIfEvPT_", 100, {100});
  const auto rows = timing_rows("entry", pair.model, pair.hardware);
  const auto ratio = ratio_of({"", "", {"entry", "slow"}, {"entry", "fast<float>"}}, rows);
  ASSERT_TRUE(ratio.has_value());
  EXPECT_DOUBLE_EQ(ratio->model, 3);
  EXPECT_DOUBLE_EQ(ratio->hardware, 2);
  EXPECT_FALSE(ratio_of({"", "", {"other", "slow"}, {"entry", "fast<float>"}}, rows));
}

}  // namespace
}  // namespace heddle::validation
