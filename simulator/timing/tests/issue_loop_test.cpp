// An observed launch examines every warp in its cycle, and no sub-core runs ahead: it takes the
// same time.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "simulator/launch/observer.hpp"
#include "simulator/timing/scheduler.hpp"
#include "simulator/timing/tests/kernel_on_one_sm.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kBytes = 1 << 20, kTrips = 40;

struct Launch {
  std::string kernel;
  std::uint32_t blocks, threads;
  Policy policy = kPolicies.front().policy;
};

Result time(const Launch& launch, Observer* observer) {
  KernelOnOneSm timed(launch.kernel, kBytes, kTrips, 1);
  Options how;
  how.policy = launch.policy;
  return *timed.run(launch.blocks, how, 1, launch.threads, observer).timing;
}

struct Watching : Observer {
  void issued(const CoreView&, const WarpView&, const Issue&) override {}
};

void expect_same_time(const Launch& launch) {
  SCOPED_TRACE(launch.kernel + " " + std::to_string(launch.blocks) + " " +
               std::to_string(launch.threads));
  Watching watching;
  const Result alone = time(launch, nullptr), watched = time(launch, &watching);
  EXPECT_EQ(alone.elapsed, watched.elapsed);
  EXPECT_EQ(alone.issued, watched.issued);
  EXPECT_EQ(alone.warp_cycles, watched.warp_cycles);
  EXPECT_EQ(alone.stalls_at, watched.stalls_at);
  EXPECT_EQ(alone.traffic.l1_global_load.hits, watched.traffic.l1_global_load.hits);
}

TEST(RunAhead, TakesTheSameTimeAsWatched) {
  for (const char* kernel : {"alu_loop", "divergent_loop", "stream"})
    for (const auto& [blocks, threads] : {std::pair{1u, 32u}, {1u, 128u}, {3u, 96u}, {5u, 256u}})
      expect_same_time({kernel, blocks, threads});
}

// What only computes is executed together, and by native code where it is executed often.
TEST(RunAhead, CountsAsWatched) {
  Watching watching;
  for (const char* kernel : {"alu_loop", "divergent_loop"}) {
    KernelOnOneSm ahead(kernel, kBytes, kTrips, 1), watched(kernel, kBytes, kTrips, 1);
    const LaunchCounts counts = ahead.run(5, Options{}, 1, 96).counts;
    const LaunchCounts expected = watched.run(5, Options{}, 1, 96, &watching).counts;
    ASSERT_EQ(counts.size(), expected.size());
    for (const auto& [pc, each] : expected) {
      EXPECT_EQ(counts[pc].executed, each.executed) << pc;
      EXPECT_EQ(counts[pc].threads, each.threads) << pc;
      EXPECT_EQ(counts[pc].threads_on, each.threads_on) << pc;
    }
  }
}

TEST(RunAhead, TakesTheSameTimeAsWatchedWhateverThePolicy) {
  for (const Policy policy : {Policy::greedy_then_youngest, Policy::greedy_then_oldest,
                              Policy::loose_round_robin, Policy::two_level, Policy::oldest_first})
    expect_same_time({"divergent_loop", 3, 192, policy});
}

// Slots 0 to 3, whose warps have started in this order, in two blocks; 1 to 3 have waited.
TEST(Scheduler, LetsTheLongestWaitingOfTheOldestBlockFollow) {
  constexpr Cycle kNow = 30;
  std::array<Cycle, kSlots> since{kNow, 20, 10, 5};
  std::array<SlotMask, kSlots> younger{0b1110, 0b1100, 0b1000, 0};
  std::array<SlotMask, kSlots> of_younger_blocks{0b1000, 0b1000, 0b1000, 0};
  const Pick pick = scheduler(Policy::greedy_then_longest_waiting);
  SchedulerState state;
  const auto picked = [&](SlotMask ready, std::uint32_t last, bool yields, SlotMask queued = 0) {
    return pick({ready, 0b1111, 0, last, yields, queued, kNow, since, younger, of_younger_blocks},
                state);
  };
  EXPECT_EQ(picked(0b1111, 0, false), 0u);  // it goes on
  EXPECT_EQ(picked(0b1111, 0, true), 2u);
  EXPECT_EQ(picked(0b1111, 0, false, 0b0100), 2u);  // who waited for the queue's place is first
  EXPECT_EQ(picked(0b1001, 0, true), 3u);           // the other block's, as nobody else
  EXPECT_EQ(picked(0b0001, 0, true), 0u);           // alone
  EXPECT_EQ(picked(0b0110, 1, false), 2u);          // it has waited
  since[1] = 10;
  EXPECT_EQ(picked(0b0110, 0, false), 2u);  // the younger of two
}

// Of a warp that takes turns with others all are there until the end; of one that is favoured not.
TEST(Scheduler, LetsWarpsOfABlockTakeTurns) {
  const auto warp_cycles = [](Policy policy) {
    KernelOnOneSm timed("alu_loop", kBytes, kTrips, 1);
    Options how;
    how.policy = policy;
    return timed.run(1, how, 1, 1024, nullptr).timing->warp_cycles;
  };
  EXPECT_GT(warp_cycles(Policy::greedy_then_longest_waiting),
            warp_cycles(Policy::greedy_then_youngest));
}

}  // namespace
}  // namespace heddle::simulator::timing
