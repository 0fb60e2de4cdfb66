#include "simulator/record/stated_error.hpp"

#include <gtest/gtest.h>

#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {
namespace {

using timing::Stall;

timing::Result result(std::uint64_t active, std::initializer_list<std::pair<Stall, int>> stalls) {
  timing::Result timing;
  timing.active_max = timing.elapsed = active;
  for (const auto& [reason, cycles] : stalls)
    timing.stalls[static_cast<std::size_t>(reason)] = static_cast<std::uint64_t>(cycles);
  return timing;
}

TEST(TimeBounds, AreTheLargestGroupOfStallReasons) {
  EXPECT_EQ(time_bound(result(9000, {{Stall::long_scoreboard, 3}, {Stall::wait, 2}})),
            TimeBound::memory);
  // Two reasons of one group outweigh a larger one.
  EXPECT_EQ(time_bound(result(9000, {{Stall::long_scoreboard, 3},
                                     {Stall::short_scoreboard, 2},
                                     {Stall::mio_throttle, 2}})),
            TimeBound::shared_memory);
  EXPECT_EQ(time_bound(result(9000, {{Stall::barrier, 2}, {Stall::wait, 1}})), TimeBound::barriers);
  EXPECT_EQ(time_bound(result(9000, {{Stall::no_instruction, 2}, {Stall::wait, 1}})),
            TimeBound::fetch);
  EXPECT_EQ(time_bound(result(9000, {{Stall::selected, 2}, {Stall::barrier, 1}})),
            TimeBound::arithmetic);
}

TEST(TimeBounds, OfShortLaunchesAreTheirStart) {
  EXPECT_EQ(time_bound(result(4999, {{Stall::barrier, 2}})), TimeBound::start);
}

TEST(CyclesErrors, AreKnownOfTheGpuThatTheModelWasComparedWith) {
  ASSERT_NE(gpu_model("h200").cycles_errors, nullptr);
  for (const TimeBoundInfo& kind : kTimeBounds)
    EXPECT_GT(gpu_model("h200").cycles_errors->of(kind.value), 0u) << kind.key;
  EXPECT_EQ(gpu_model("a100").cycles_errors, nullptr);
}

}  // namespace
}  // namespace heddle::simulator
