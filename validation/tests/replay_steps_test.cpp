// The suite's capsules, executed step by step and taken back.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gpu/runtime/capsule.hpp"
#include "simulator/device/replay.hpp"

namespace heddle::validation {
namespace {

class StepsOf : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(
    Capsules, StepsOf,
    testing::Values("simple_divergence.sm_90.G/0001-_Z11mathKernel1Pf",
                    "reduce_integer_128.sm_90.O3/0002-_Z17reduceInterleavedPiS_j",
                    "reduce_integer_128.sm_90.O3/0011-_Z20reduceCompleteUnrollILj128EEvPiS0_j"),
    [](const auto& instance) {
      const std::string name = instance.param;
      return "launch" + name.substr(name.find('/') + 1, 4) + "of" + name.substr(0, name.find('_'));
    });

TEST_P(StepsOf, EndWithTheMemoryOfTheLaunchAndGoBackToWhereItBegan) {
  const std::string file =
      HEDDLE_SOURCE_DIR "/validation/capsules/" + std::string(GetParam()) + ".capsule";
  const runtime::Capsule capsule = runtime::load_capsule(file);
  runtime::CapsuleLaunch launch(capsule, file);
  simulator::Replay replay(launch.device(), launch.request());
  const std::uint64_t start = replay.digest();
  replay.go_to(~std::uint64_t{0});
  EXPECT_TRUE(replay.ended());
  EXPECT_FALSE(replay.fault());
  EXPECT_TRUE(launch.differences(capsule).empty());
  const std::uint64_t steps = replay.step(), end = replay.digest();
  replay.go_to(steps / 2);
  replay.go_to(0);
  EXPECT_EQ(replay.digest(), start);
  replay.go_to(steps);
  EXPECT_EQ(replay.digest(), end);
}

}  // namespace
}  // namespace heddle::validation
