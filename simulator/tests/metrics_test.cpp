#include "simulator/record/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "isa/decoder.hpp"

namespace heddle::simulator {
namespace {

// Words of sm_90, as nvcc 13.0 writes them.
isa::Instruction instruction(std::uint64_t lo, std::uint64_t hi) {
  return isa::decode(isa::Arch::sm_90, {lo, hi}).value();
}
const isa::Instruction kAdd = instruction(0x0000000103037810, 0x003fde0007ffe0ff);
const isa::Instruction kBranch = instruction(0x0000000000007947, 0x003fde0003800000);
const isa::Instruction kGenericLoad = instruction(0x0000000404047980, 0x00321e000c101900);
const isa::Instruction kMatrixLoad = instruction(0x000000000010783b, 0x000e220000000200);
const isa::Instruction kGlobalLoad = instruction(0x0000000402037981, 0x000ea2000c1e1900);
const isa::Instruction kGlobalStore = instruction(0x0000000502007986, 0x000fe2000c101904);

double value(const MetricValues& values, const std::string& name) {
  const auto found = values.find(std::string(find_metric(name)->name));
  return found == values.end() ? -1 : found->second;
}

TEST(MetricTable, SaysOfEveryMetricWhatItIsAndHowItIsComputed) {
  std::set<std::string_view> seen;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(seen.insert(metric.name).second) << metric.name << " stands twice";
    EXPECT_TRUE(metric.nvprof.empty() || seen.insert(metric.nvprof).second)
        << metric.nvprof << " stands twice";
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_FALSE(metric.meaning.empty()) << metric.name;
    const int ways = (metric.amount != nullptr) + !metric.of.empty() +
                     (metric.of_launch != nullptr) + (metric.of_timing != nullptr) +
                     metric.samples.has_value();
    EXPECT_EQ(ways, 1) << metric.name;
    if (metric.name.find("__") != metric.name.npos) {
      EXPECT_EQ(metric.is_sum(), metric.name.ends_with(".sum")) << metric.name;
    }
    for (const std::string_view part : {metric.of, metric.plus, metric.per})
      EXPECT_TRUE(part.empty() || find_metric(part) != nullptr) << metric.name << " of " << part;
  }
}

TEST(FindMetric, TakesTheNameWithOrWithoutRollUpAndNvprofsName) {
  const Metric* branch = find_metric("smsp__sass_branch_targets.sum");
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(find_metric("smsp__sass_branch_targets"), branch);
  EXPECT_EQ(find_metric("branch"), branch);
  EXPECT_EQ(find_metric("smsp__sass_branch"), nullptr);
}

TEST(NearestMetric, IsOfferedForAMisspeltName) {
  EXPECT_EQ(nearest_metric("branch_efficency"), "branch_efficiency");
  EXPECT_EQ(nearest_metric("smsp__sass_inst_execute"), "smsp__sass_inst_executed");
  EXPECT_EQ(nearest_metric("temperature"), "");
}

// mathKernel1 of the seeds on an H200, -G: 10 branch targets of which 2 divergent, 80 %.
TEST(Evaluate, GivesBranchEfficiencyAsMeasured) {
  const CountedInstruction counted{
      &kBranch, {.executed = 10, .threads = 320, .branch_uniform = 8, .branch_divergent = 2}};
  const MetricValues values = evaluate({&counted, 1});
  EXPECT_EQ(value(values, "branch"), 10);
  EXPECT_EQ(value(values, "divergent_branch"), 2);
  EXPECT_EQ(value(values, "branch_efficiency"), 80);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_branch"), 10);
}

TEST(Evaluate, LeavesOutARatioOverNothing) {
  const CountedInstruction counted{&kAdd, {.executed = 2, .threads = 64, .threads_on = 32}};
  const MetricValues values = evaluate({&counted, 1});
  EXPECT_EQ(value(values, "branch_efficiency"), -1);
  EXPECT_EQ(find_metric("branch_efficiency")->nvprof_when_empty, 100);
  EXPECT_EQ(value(values, "branch"), 0);
  EXPECT_EQ(value(values, "warp_execution_efficiency"), 100);
  EXPECT_EQ(value(values, "warp_nonpred_execution_efficiency"), 50);
}

// reduceUnrolling8 of the seeds, 4,096 blocks of 512 threads: what nvprof printed follows from the
// addresses alone. Per block 645 sectors loaded for 20,476 bytes, 131 stored for 4,096 bytes.
TEST(Evaluate, GivesTheTransactionsAndEfficienciesTheSeedsPrint) {
  constexpr std::uint64_t kBlocks = 4096;
  const CountedInstruction counted[] = {
      {&kGlobalLoad,
       {.executed = 1, .sectors_global = kBlocks * 645, .bytes_global = kBlocks * 20476}},
      {&kGlobalStore,
       {.executed = 1, .sectors_global = kBlocks * 131, .bytes_global = kBlocks * 4096}}};
  const MetricValues values = evaluate(counted);
  EXPECT_EQ(value(values, "gld_transactions"), 2641920);
  EXPECT_EQ(value(values, "gst_transactions"), 536576);
  EXPECT_NEAR(value(values, "gld_efficiency"), 99.21, 0.005);
  EXPECT_NEAR(value(values, "gst_efficiency"), 97.71, 0.005);
}

TEST(Evaluate, CountsAGenericAccessInTheSpacesItTouched) {
  const CountedInstruction counted{&kGenericLoad, {.executed = 5, .global = 3, .shared = 4}};
  const MetricValues values = evaluate({&counted, 1});
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_ld"), 5);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_global_ld"), 3);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_shared_ld"), 4);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_local_ld"), 0);
}

// As H200 records of programs that multiply matrices have it.
TEST(Evaluate, CountsAMatrixLoadAsAnAccessToSharedMemoryButNotAsASharedLoad) {
  const CountedInstruction counted{&kMatrixLoad, {.executed = 6, .shared = 6}};
  const MetricValues values = evaluate({&counted, 1});
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_ldsm"), 6);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_shared"), 6);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_ld"), 6);
  EXPECT_EQ(value(values, "smsp__sass_inst_executed_op_shared_ld"), 0);
}

}  // namespace
}  // namespace heddle::simulator
