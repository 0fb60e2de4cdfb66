// Compiled programs under each reconvergence policy: the committed capsules' launches write what
// they were captured writing.
#include <gtest/gtest.h>

#include <filesystem>

#include "validation/replay.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;

class Policy : public ::testing::TestWithParam<simulator::ReconvergencePolicy> {};
INSTANTIATE_TEST_SUITE_P(Capsules, Policy,
                         ::testing::Values(simulator::ReconvergencePolicy::stack,
                                           simulator::ReconvergencePolicy::min_pc),
                         [](const auto& instance) {
                           return instance.param == simulator::ReconvergencePolicy::stack
                                      ? "stack"
                                      : "min_pc";
                         });

TEST_P(Policy, LeavesMemoryAsConvergenceBarriersDo) {
  std::size_t launches = 0;
  for (const auto& folder : fs::directory_iterator(HEDDLE_SOURCE_DIR "/validation/capsules")) {
    ReplayOptions options;
    options.print = [](std::string_view) {};
    options.settings.reconvergence = GetParam();
    const Replay result = replay(find_capsules(folder.path()), options);
    EXPECT_EQ(result.memory_differences, std::vector<std::string>{}) << folder.path();
    for (const auto& launch : result.record.launches) EXPECT_EQ(launch.fault, "") << launch.kernel;
    launches += result.record.launches.size();
  }
  EXPECT_GT(launches, 50u);
}

}  // namespace
}  // namespace heddle::validation
