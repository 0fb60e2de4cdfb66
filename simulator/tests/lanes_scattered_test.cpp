// What is found out of scattered addresses, in every vector unit that is chosen here, beside sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "simulator/base/types.hpp"
#include "simulator/lanes/scattered.hpp"

namespace heddle::simulator::lanes {
namespace {

using Addresses = std::array<std::uint64_t, kWarpSize>;

Addresses random_addresses(std::mt19937_64& random, std::uint64_t among) {
  Addresses addresses;
  const std::uint64_t base = random() >> 24;
  for (std::uint64_t& address : addresses) address = base + random() % among;
  return addresses;
}

TEST(ScatteredAddresses, AreCountedOnceEach) {
  std::mt19937_64 random(1);
  for (const std::uint64_t among : {1ull, 64ull, 300ull, 1ull << 12, 1ull << 30, 1ull << 45})
    for (int i = 0; i < 200; ++i) {
      const Addresses addresses = random_addresses(random, among);
      std::set<std::uint64_t> sectors, lines;
      for (const std::uint64_t address : addresses) {
        sectors.insert(address >> kSectorShift);
        lines.insert(address >> kLineShift);
      }
      const auto distinct = scattered_functions().distinct(addresses.data());
      EXPECT_EQ(distinct.sectors, sectors.size());
      EXPECT_EQ(distinct.lines, lines.size());
    }
}

// The number before the first one's is no number of its own.
TEST(ScatteredAddresses, NextToTheFirstAreCounted) {
  Addresses addresses;
  addresses.fill(1 << 20);
  addresses[7] = addresses[0] - 32;
  addresses[9] = addresses[0] + 32;
  EXPECT_EQ(scattered_functions().distinct(addresses.data()).sectors, 3u);
}

TEST(ScatteredAddresses, HaveARangeOfTheLanesThatAreThere) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const Addresses addresses = random_addresses(random, 1 << 20);
    const Mask lanes = static_cast<Mask>(random()) | 1u << i % 32;
    std::uint64_t lowest = ~0ull, highest = 0, bits = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      lowest = std::min(lowest, addresses[lane]);
      highest = std::max(highest, addresses[lane]);
      bits |= addresses[lane];
    }
    const auto range = scattered_functions().range(addresses.data(), lanes);
    EXPECT_EQ(range.lowest, lowest);
    EXPECT_EQ(range.highest, highest);
    EXPECT_EQ(range.bits, bits);
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
