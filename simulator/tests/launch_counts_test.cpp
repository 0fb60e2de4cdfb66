#include "simulator/launch/launch_counts.hpp"

#include <gtest/gtest.h>

#include "simulator/execute/tally.hpp"

namespace heddle::simulator {
namespace {

InstructionCounts executed(std::uint64_t times) {
  InstructionCounts counts;
  counts.executed = times;
  return counts;
}

TEST(LaunchCounts, AreZeroOfWhatWasNotExecuted) {
  const LaunchCounts counts({{3, executed(5)}, {900, executed(7)}});
  EXPECT_EQ(counts[3].executed, 5u);
  EXPECT_EQ(counts[900].executed, 7u);
  EXPECT_EQ(counts[4].executed, 0u);
  EXPECT_EQ(counts[100000].executed, 0u);
  EXPECT_EQ(counts.executed(), 12u);
}

TEST(LaunchCounts, AddUpWhereverTheyAre) {
  LaunchCounts sum({{1, executed(1)}, {5, executed(2)}});
  sum.add(LaunchCounts({{0, executed(1)}, {5, executed(10)}, {9, executed(4)}}), 3);
  std::vector<std::uint64_t> pcs, times;
  for (const auto& [pc, counts] : sum) {
    pcs.push_back(pc);
    times.push_back(counts.executed);
  }
  EXPECT_EQ(pcs, (std::vector<std::uint64_t>{0, 1, 5, 9}));
  EXPECT_EQ(times, (std::vector<std::uint64_t>{3, 1, 32, 12}));
}

// Far longer than what a tally makes room for at a time, and from its first instruction to its
// last.
TEST(Tally, SpreadsAStretchOverAllItsInstructions) {
  constexpr std::uint32_t kInstructions = 200;
  Tally tally(kInstructions);
  tally.add_stretch(0, kInstructions, 32);
  tally.add_stretch(70, 75, 4);
  tally.take_off(72, 3);
  const LaunchCounts counts = tally.take();
  EXPECT_EQ(counts.size(), kInstructions);
  EXPECT_EQ(counts[0].executed, 1u);
  EXPECT_EQ(counts[kInstructions - 1].threads, 32u);
  EXPECT_EQ(counts[70].executed, 2u);
  EXPECT_EQ(counts[75].executed, 1u);
  EXPECT_EQ(counts[72].threads, 36u);
  EXPECT_EQ(counts[72].threads_on, 33u);
}

TEST(Tally, HoldsNothingOfWhatDidNotExecute) {
  Tally tally(1 << 20);
  tally.add_stretch(500'000, 500'003, 32);
  const LaunchCounts counts = tally.take();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.begin()->pc, 500'000u);
}

}  // namespace
}  // namespace heddle::simulator
