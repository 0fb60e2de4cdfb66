// Launches long in instructions, of which slices are timed, beside the same timed in full.
#include "simulator/timing/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulator/timing/tests/kernel_on_one_sm.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kWave = 8;  // blocks of 256 threads on an SM

// `instructions`: 0: all are timed.
LaunchOutcome run(const std::string& kernel, std::uint32_t blocks, std::uint64_t instructions,
                  unsigned threads = 1) {
  constexpr std::uint64_t kBytes = 4 << 20, kTrips = 100;
  Options how;
  how.sample_instructions = instructions;
  return KernelOnOneSm(kernel, kBytes, kTrips).run(blocks, how, threads);
}

class SlicedLaunch : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kernels, SlicedLaunch,
                         testing::Values("alu_loop", "divergent_loop", "stream"),
                         [](const auto& instance) { return std::string(instance.param); });

// What no slice holds is the end of a wave, where its last warps are alone.
TEST_P(SlicedLaunch, TakesAboutAsLongAsAllOfIt) {
  constexpr double kTolerance = 0.15;
  for (const std::uint32_t blocks : {kWave, 3 * kWave, 4 * kWave + 3}) {
    const LaunchOutcome full = run(GetParam(), blocks, 0);
    const LaunchOutcome part = run(GetParam(), blocks, full.timing->issued / 6);
    ASSERT_TRUE(part.timing->sampled);
    EXPECT_LT(part.timing->sampled->instructions_timed, full.timing->issued / 6);
    const auto all = static_cast<double>(full.timing->elapsed);
    const auto estimate = static_cast<double>(part.timing->elapsed);
    EXPECT_LE(std::abs(estimate - all),
              std::max(part.timing->sampled->half_width, kTolerance * all))
        << blocks << " blocks: " << estimate << " of " << all;
  }
}

// All their blocks do the same.
TEST_P(SlicedLaunch, CountsWhatTheLaunchHas) {
  constexpr std::uint32_t kBlocks = 4 * kWave + 3;
  const LaunchOutcome full = run(GetParam(), kBlocks, 0);
  const LaunchOutcome part = run(GetParam(), kBlocks, full.counts.executed() / 6);
  const auto all = static_cast<double>(full.counts.executed());
  EXPECT_NEAR(static_cast<double>(part.counts.executed()), all, all / 100);
  EXPECT_EQ(part.timing->issued, part.counts.executed());
}

TEST_P(SlicedLaunch, IsTheSameOnAnyNumberOfThreads) {
  const LaunchOutcome one = run(GetParam(), 3 * kWave, 20'000);
  const LaunchOutcome several = run(GetParam(), 3 * kWave, 20'000, 5);
  EXPECT_EQ(several.timing->elapsed, one.timing->elapsed);
  EXPECT_EQ(several.timing->stalls_at, one.timing->stalls_at);
}

TEST_P(SlicedLaunch, ThatIsShortIsTimedInFull) {
  const LaunchOutcome full = run(GetParam(), kWave, 0);
  const LaunchOutcome same = run(GetParam(), kWave, full.timing->issued * 5);
  EXPECT_FALSE(same.timing->sampled);
  EXPECT_EQ(same.timing->elapsed, full.timing->elapsed);
  EXPECT_EQ(same.timing->stalls_at, full.timing->stalls_at);
}

// Its blocks are counted, and then it goes on as if they had not been.
TEST_P(SlicedLaunch, OfFewTimesTheInstructionsIsTimedInFull) {
  const LaunchOutcome full = run(GetParam(), 3 * kWave, 0);
  const LaunchOutcome same = run(GetParam(), 3 * kWave, full.timing->issued / 4);
  EXPECT_FALSE(same.timing->sampled);
  EXPECT_EQ(same.timing->elapsed, full.timing->elapsed);
  EXPECT_EQ(same.timing->stalls_at, full.timing->stalls_at);
  EXPECT_EQ(same.counts.executed(), full.counts.executed());
  EXPECT_THAT(same.unmodelled,
              testing::Contains(testing::HasSubstr("fewer instructions than 5 times")));
}

TEST(SlicedLaunch, SaysWhatWasMeasuredAndThatResultsAreMissing) {
  using testing::HasSubstr;
  const LaunchOutcome part = run("stream", 4 * kWave + 3, 20'000);
  EXPECT_THAT(part.unmodelled,
              testing::Contains(testing::AllOf(HasSubstr("in 6 slices"), HasSubstr("(95 %)"),
                                               HasSubstr("from 16 of 35 blocks"),
                                               HasSubstr("are not executed"))));
}

// As if every block had that many instructions.
Slices counted(std::uint64_t instructions, std::uint64_t blocks, std::uint64_t resident,
               std::uint64_t length) {
  Slices slices(instructions, blocks, resident);
  InstructionCounts first;
  first.executed = length;
  const LaunchCounts counts({{.pc = 0, .counts = first}});
  for (const auto& stratum : slices.to_be_counted(length)) slices.add_counted(stratum, counts);
  EXPECT_EQ(slices.counts()[0].executed, blocks * length);
  return slices;
}

TEST(Slices, AreSpreadOverTheGridAndOverTheLengthOfItsBlocks) {
  const auto waves = counted(80'000'000, 1005, 100, 1'000'000).waves();
  ASSERT_EQ(waves.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(waves[i].blocks, 100u);
    EXPECT_EQ(waves[i].first, 899 * i / 4);
    EXPECT_NEAR(static_cast<double>(waves[i].before), 1e5 + 2e5 * static_cast<double>(i), 1);
    EXPECT_EQ(waves[i].instructions, 40'000'000u / 6);
  }
  EXPECT_EQ(waves[5].first, 1000u);
  EXPECT_EQ(waves[5].blocks, 5u);
}

TEST(Slices, ThatHoldWavesBeginWithBlocksThatBegin) {
  const auto waves = counted(800'000, 100'005, 100, 50).waves();
  ASSERT_EQ(waves.size(), 5u);
  for (const Slices::Wave& wave : waves) EXPECT_EQ(wave.before, 0u);
  EXPECT_EQ(waves[4].first + 100 + 400'000 / 6 / 50, 100'005u) << "blocks are there until it ends";
}

TEST(Slices, ReachLessFarWhereThatWouldTakeLong) {
  const Slices shorter = counted(1'000'000, 1000, 100, 10'000),
               longer = counted(1'000'000, 1000, 100, 100'000);
  EXPECT_GT(shorter.reach(), 0.9);
  EXPECT_LT(longer.reach(), 0.2);
  std::uint64_t before = 0;
  for (const Slices::Wave& wave : longer.waves()) before += wave.before * wave.blocks;
  EXPECT_LE(before, 4'000'000u);
}

TEST(Slices, EndBeforeTheLastBlocksDo) {
  for (const Slices::Wave& wave : counted(1'000'000, 100, 100, 1000).waves())
    EXPECT_LT(static_cast<double>(wave.instructions), (1 - wave.part) * 100 * 1000);
}

TEST(Slices, CountedBlocksStandForAllOfThem) {
  for (const std::uint64_t blocks : {1, 7, 100, 93750}) {
    std::uint64_t all = 0;
    for (const auto& stratum : Slices(1'000'000, blocks, 64).to_be_counted(1000))
      all += stratum.stands_for;
    EXPECT_EQ(all, blocks);
  }
}

}  // namespace
}  // namespace heddle::simulator::timing
