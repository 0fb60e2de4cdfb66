// An observed launch examines every warp in its cycle, and no sub-core runs ahead: it takes the
// same time.
#include <gtest/gtest.h>

#include <string>

#include "simulator/launch/observer.hpp"
#include "simulator/timing/tests/kernel_on_one_sm.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kBytes = 1 << 20, kTrips = 40;

struct Launch {
  std::string kernel;
  std::uint32_t blocks, threads;
  Policy policy = Policy::greedy_then_youngest;
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

TEST(RunAhead, TakesTheSameTimeAsWatchedWhateverThePolicy) {
  for (const Policy policy : {Policy::greedy_then_oldest, Policy::loose_round_robin,
                              Policy::two_level, Policy::oldest_first})
    expect_same_time({"divergent_loop", 3, 192, policy});
}

}  // namespace
}  // namespace heddle::simulator::timing
