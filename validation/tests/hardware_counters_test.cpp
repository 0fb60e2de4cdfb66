// What only the hardware's own counters see where groups pass a BSYNC otherwise than by a last
// arrival (gpu/cupti/README.md). The launches are of programs that
// gpu/kernels/generated/generate.py 1 40 makes (-O3, sm_90), the numbers an H200's:
//
//   ncu --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum,…_pred_on.sum
//
// driver 580.159.04, CUDA 13.0, 2026-11-22.
#include <gtest/gtest.h>

#include <filesystem>

#include "validation/replay.hpp"

namespace heddle::validation {
namespace {

struct Counted {
  const char* capsule;
  std::uint64_t executed, threads, threads_on;
};

class HardwareCounters : public testing::TestWithParam<Counted> {};

INSTANTIATE_TEST_SUITE_P(
    Generated, HardwareCounters,
    testing::Values(Counted{"break", 616, 4'640, 4'467},        // number 34, launch 0
                    Counted{"exit", 2'214, 22'011, 16'608},     // number 25, launch 4
                    Counted{"chosen", 1'659, 20'133, 19'844}),  // number 0, launch 2: stands there?
    [](const auto& each) { return std::string(each.param.capsule); });

TEST_P(HardwareCounters, AreAnH200s) {
  const std::filesystem::path file = std::filesystem::path(HEDDLE_SOURCE_DIR) /
                                     "validation/tests/data/counters" /
                                     (std::string(GetParam().capsule) + ".capsule");
  ReplayOptions options;
  options.settings.reconvergence =
      simulator::ReconvergencePolicy::barriers;  // code without a profiler's patches
  const simulator::Record record = replay({file}, options).record;
  ASSERT_EQ(record.launches.size(), 1u);
  const auto& metrics = record.launches[0].metrics;
  EXPECT_EQ(metrics.at("smsp__inst_executed.sum"), GetParam().executed);
  EXPECT_EQ(metrics.at("smsp__thread_inst_executed.sum"), GetParam().threads);
  EXPECT_EQ(metrics.at("smsp__thread_inst_executed_pred_on.sum"), GetParam().threads_on);
}

}  // namespace
}  // namespace heddle::validation
