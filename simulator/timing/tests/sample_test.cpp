// Launches long in waves, timed in part and in full.
#include "simulator/timing/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/record/metrics.hpp"
#include "simulator/timing/tests/kernel_on_one_sm.hpp"

namespace heddle::simulator::timing {
namespace {

struct Ran {
  LaunchOutcome outcome;
  std::vector<MemoryRecord> memory;
  double elapsed() const { return static_cast<double>(outcome.timing->elapsed); }
};

Ran run(const std::string& kernel, std::uint32_t blocks, double sample, unsigned threads = 1) {
  constexpr std::uint64_t kBytes = 1 << 20, kTrips = 2;
  KernelOnOneSm timed(kernel, kBytes, kTrips, 1);
  Options how;
  how.sample = sample;
  LaunchOutcome outcome = timed.run(blocks, how, threads);
  return {std::move(outcome), digest_memory(timed.memory())};
}

class SampledLaunch : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Kernels, SampledLaunch,
                         testing::Values("alu_loop", "divergent_loop", "stream"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(SampledLaunch, HasAnIntervalThatHoldsWhatAllOfItTakes) {
  for (const std::uint32_t blocks : {8 * 37 + 4u, 8 * 50 + 5u, 8 * 100u}) {
    const Ran full = run(GetParam(), blocks, 1);
    EXPECT_FALSE(full.outcome.timing->sampled);
    for (const double share : {0.1, 0.2, 0.4}) {
      const Ran part = run(GetParam(), blocks, share);
      ASSERT_TRUE(part.outcome.timing->sampled);
      const Result::Sampled& sampled = *part.outcome.timing->sampled;
      EXPECT_EQ(sampled.blocks, blocks);
      EXPECT_LT(sampled.blocks_timed, blocks * std::max(share + 0.1, 0.3));
      EXPECT_LE(std::abs(part.elapsed() - full.elapsed()), sampled.half_width)
          << part.elapsed() << " of " << full.elapsed() << ", " << share << " of " << blocks;
      EXPECT_LT(sampled.half_width, full.elapsed() / 3);
    }
  }
}

TEST_P(SampledLaunch, LeavesTheMemoryAndTheCountsOfOneTimedInFull) {
  constexpr std::uint32_t kBlocks = 8 * 12;
  const Ran full = run(GetParam(), kBlocks, 1);
  for (const unsigned threads : {1u, 2u, 5u}) {
    const Ran part = run(GetParam(), kBlocks, 0.01, threads);
    ASSERT_TRUE(part.outcome.timing->sampled);
    ASSERT_EQ(part.memory.size(), full.memory.size());
    for (std::size_t i = 0; i < full.memory.size(); ++i)
      EXPECT_EQ(part.memory[i].sha256, full.memory[i].sha256);
    EXPECT_EQ(part.outcome.counts.size(), full.outcome.counts.size());
    for (const auto& [pc, counts] : full.outcome.counts) {
      EXPECT_EQ(part.outcome.counts[pc].executed, counts.executed) << pc;
      EXPECT_EQ(part.outcome.counts[pc].sectors_global, counts.sectors_global);
    }
  }
}

TEST_P(SampledLaunch, TakesTheSameTimeOnAnyNumberOfThreads) {
  constexpr std::uint32_t kBlocks = 8 * 12;
  for (const double sample : {1.0, 0.01}) {
    const Ran one = run(GetParam(), kBlocks, sample);
    for (const unsigned threads : {2u, 5u}) {
      const Ran several = run(GetParam(), kBlocks, sample, threads);
      EXPECT_EQ(several.outcome.timing->elapsed, one.outcome.timing->elapsed);
      EXPECT_EQ(several.outcome.timing->stalls, one.outcome.timing->stalls);
      EXPECT_EQ(several.outcome.timing->stalls_at, one.outcome.timing->stalls_at);
    }
  }
}

TEST(SampledLaunch, OfAFewWavesIsTimedInFullAndSaysSo) {
  const Ran ran = run("alu_loop", 8 * 3, 0.1);
  EXPECT_FALSE(ran.outcome.timing->sampled);
  EXPECT_THAT(ran.outcome.unmodelled, testing::Contains(testing::HasSubstr("fewer than 9 waves")));
}

TEST(Sample, LeavesOutWholeWavesBetweenThoseItTimes) {
  constexpr std::uint64_t kResident = 100, kBlocks = 100 * kResident + 7;
  for (const double part : {0.01, 0.1, 0.5, 0.9}) {
    const Sample sample(kBlocks, kResident, part);
    std::uint64_t left_out = 0, last = 0;
    for (const BlockRange& range : sample.left_out()) {
      EXPECT_GE(range.first, last + Sample::kWavesInARun * kResident);
      EXPECT_EQ((range.end - range.first) % kResident, 0u);
      left_out += range.end - range.first;
      last = range.end;
    }
    EXPECT_EQ(sample.timed_blocks() + left_out, kBlocks);
    EXPECT_EQ(sample.timed_blocks(),
              std::max<std::uint64_t>(8, static_cast<std::uint64_t>(part * 100)) * kResident + 7);
    EXPECT_LE(last + Sample::kWavesInARun * kResident, kBlocks);
  }
}

TEST(Sample, OfEqualWavesIsCertainAndOfOthersIsNot) {
  constexpr std::uint64_t kResident = 10;
  const Sample sample(100 * kResident, kResident, 0.1);
  std::vector<Cycle> ends;
  for (std::uint64_t i = 1; i <= sample.timed_blocks(); ++i)
    ends.push_back((i + kResident - 1) / kResident * 500);
  const Sample::Extra equal = sample.extra(ends);
  EXPECT_DOUBLE_EQ(equal.cycles, 90 * 500.0);
  EXPECT_DOUBLE_EQ(equal.half_width, 0);
  for (std::size_t i = 50; i < ends.size(); ++i) ends[i] += 200;
  EXPECT_GT(sample.extra(ends).half_width, 0);
}

}  // namespace
}  // namespace heddle::simulator::timing
