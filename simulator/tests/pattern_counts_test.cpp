#include "simulator/execute/pattern_counts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kLine = 128;
constexpr std::uint32_t kPc = 5;

Addresses strided(std::uint64_t first, std::uint64_t stride) {
  Addresses addresses;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) addresses[lane] = first + lane * stride;
  return addresses;
}

// Counts accesses of four bytes, and how often they had to be counted.
class Counted {
 public:
  AccessCounts global(const Addresses& addresses, Mask lanes = kFullMask, std::uint32_t pc = kPc) {
    return counts_.of(pc, Window::global, addresses, lanes, kLine, [&] {
      ++times_;
      return count_global(AccessKind::load, 4, addresses, lanes);
    });
  }
  AccessCounts shared(const Addresses& addresses) {
    return counts_.of(kPc, Window::shared, addresses, kFullMask, 4, [&] {
      ++times_;
      return count_shared(AccessKind::load, 4, addresses, kFullMask);
    });
  }
  int times() const { return times_; }

 private:
  PatternCounts counts_;
  int times_ = 0;
};

TEST(PatternCounts, OfLinesFurtherOnAreThoseOfTheLastOnes) {
  Counted counted;
  const AccessCounts first = counted.global(strided(0x1000, 4096));
  const AccessCounts second = counted.global(strided(0x1000 + 3 * kLine, 4096));
  EXPECT_EQ(counted.times(), 1);
  EXPECT_EQ(first.sectors, 32u);
  EXPECT_EQ(second.sectors, 32u);
  EXPECT_EQ(second.tags, 32u);
}

// Pieces of 40 bytes: where in its line the first one begins says how many sectors they touch.
TEST(PatternCounts, AreNotThoseOfOtherPlacesInALine) {
  Counted counted;
  for (const std::uint64_t first : {0x1000, 0x1004, 0x1010, 0x1084}) {
    const Addresses addresses = strided(first, 40);
    const AccessCounts expected = count_global(AccessKind::load, 4, addresses, kFullMask);
    EXPECT_EQ(counted.global(addresses).sectors, expected.sectors);
    EXPECT_EQ(counted.global(addresses).tags, expected.tags);
  }
}

TEST(PatternCounts, AreOfTheInstructionItsLanesAndItsSpace) {
  Counted counted;
  const Addresses addresses = strided(0, 4096);
  EXPECT_EQ(counted.global(addresses).sectors, 32u);
  EXPECT_EQ(counted.global(addresses, Mask::below(7)).sectors, 7u);
  EXPECT_EQ(counted.global(addresses, Mask::below(7), kPc + 64).sectors, 7u);
  EXPECT_EQ(counted.times(), 3);
  EXPECT_EQ(counted.shared(addresses).wavefronts, 32u);
  EXPECT_EQ(counted.shared(strided(4, 4096)).wavefronts, 32u);
  EXPECT_EQ(counted.times(), 4);
}

// Accesses of which none is like the one before are soon no longer compared, and counted right.
TEST(PatternCounts, OfScatteredAccessesAreTheirOwn) {
  Counted counted;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    Addresses addresses;
    for (std::uint64_t& address : addresses) address = random() % (1 << 14) * 4;
    const AccessCounts expected = count_global(AccessKind::load, 4, addresses, kFullMask);
    const AccessCounts found = counted.global(addresses);
    EXPECT_EQ(found.sectors, expected.sectors);
    EXPECT_EQ(found.tags, expected.tags);
    EXPECT_EQ(found.sectors_ideal, expected.sectors_ideal);
  }
  EXPECT_EQ(counted.times(), 1000);
}

}  // namespace
}  // namespace heddle::simulator
