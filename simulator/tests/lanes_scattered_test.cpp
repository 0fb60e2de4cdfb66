// What is found out of scattered addresses, in every vector unit that is chosen here, beside sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "simulator/base/mask.hpp"
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

Mask some_lanes(std::mt19937_64& random) {
  const auto lanes = Mask(static_cast<std::uint32_t>(random() | random()));
  return random() % 2 == 0 ? kFullMask : lanes | Mask::of(random() % kWarpSize);
}

template <typename F>
void for_each_there(Mask lanes, const Addresses& addresses, F&& f) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (lanes.has(lane)) f(addresses[lane]);
}

std::uint64_t spread_of(const Addresses& addresses, Mask lanes) {
  std::uint64_t spread = 0;
  for_each_there(lanes, addresses,
                 [&](std::uint64_t address) { spread |= address ^ addresses[lanes.first()]; });
  return spread;
}

TEST(ScatteredAddresses, OfWordsOfALineAreTakenFromIt) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200; ++i) {
    std::array<std::uint32_t, kWarpSize> line, row, before;
    for (std::uint32_t& word : line) word = static_cast<std::uint32_t>(random());
    row.fill(7);
    before = row;
    const std::uint64_t base = random() >> 20 << kLineShift;
    Addresses addresses;
    for (std::uint64_t& address : addresses) address = base + random() % kWarpSize * 4;
    const Mask lanes = some_lanes(random);
    scattered_functions().take_from_line(reinterpret_cast<const std::byte*>(line.data()),
                                         addresses.data(), lanes, row.data());
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      EXPECT_EQ(row[lane], lanes.has(lane) ? line[(addresses[lane] - base) / 4] : before[lane]);
  }
}

TEST(ScatteredAddresses, AreCountedOnceEach) {
  std::mt19937_64 random(1);
  for (const std::uint64_t among : {1ull, 64ull, 300ull, 1ull << 12, 1ull << 30, 1ull << 45})
    for (int i = 0; i < 200; ++i) {
      Addresses addresses = random_addresses(random, among);
      if (i % 4 == 0) std::ranges::sort(addresses);
      const Mask lanes = some_lanes(random);
      std::set<std::uint64_t> sectors, lines;
      for_each_there(lanes, addresses, [&](std::uint64_t address) {
        sectors.insert(address >> kSectorShift);
        lines.insert(address >> kLineShift);
      });
      for (const std::uint64_t spread : {spread_of(addresses, lanes), ~std::uint64_t{0}}) {
        const auto distinct = scattered_functions().distinct(addresses.data(), lanes, spread);
        EXPECT_EQ(distinct.sectors, sectors.size());
        EXPECT_EQ(distinct.lines, lines.size());
      }
    }
}

// The number before the first one's is no number of its own.
TEST(ScatteredAddresses, NextToTheFirstAreCounted) {
  Addresses addresses;
  addresses.fill(1 << 20);
  addresses[7] = addresses[0] - 32;
  addresses[9] = addresses[0] + 32;
  EXPECT_EQ(scattered_functions().distinct(addresses.data(), kFullMask, ~std::uint64_t{0}).sectors,
            3u);
}

using Counts = std::multiset<std::size_t>;

// How many units lie in each bank, of those where any do.
Counts units_by_bank(std::uint32_t units, std::uint32_t banks) {
  Counts counts;
  std::size_t count = 0;
  for (unsigned place = 0; place < kWarpSize; ++place) {
    if ((banks >> place & 1) != 0 && place != 0) counts.insert(std::exchange(count, 0));
    count += units >> place & 1;
  }
  counts.insert(count);
  return counts;
}

TEST(ScatteredAddresses, ShareBanksAsTheirUnitsDo) {
  std::mt19937_64 random(3);
  for (const unsigned shift : {2u, 3u, 4u})
    for (const std::uint64_t among : {1ull, 4ull, 32ull, 64ull, 1ull << 10, 1ull << 22})
      for (int i = 0; i < 100; ++i) {
        Addresses addresses = random_addresses(random, among);
        for (std::uint64_t& address : addresses) address = (address << shift) & 0xffff'ffff;
        if (i % 3 == 0)  // few banks
          for (std::uint64_t& address : addresses) address = address << 5 & 0xffff'ffff;
        const Mask lanes = some_lanes(random);
        std::map<std::uint64_t, std::set<std::uint64_t>> units;
        for_each_there(lanes, addresses, [&](std::uint64_t address) {
          units[address >> shift & ((128u >> shift) - 1)].insert(address >> shift);
        });
        Counts expected;
        for (const auto& [bank, in_bank] : units) expected.insert(in_bank.size());
        for (const std::uint64_t spread : {spread_of(addresses, lanes), ~std::uint64_t{0}}) {
          const auto found = scattered_functions().banks(addresses.data(), lanes, shift, spread);
          if (found.near != 0) {
            Counts near;
            for (unsigned bank = 0; bank < 128u >> shift; ++bank) {
              unsigned in_bank = 0;
              for (unsigned unit = bank; unit < 64; unit += 128u >> shift)
                in_bank += static_cast<std::uint32_t>(found.near >> unit & 1);
              if (in_bank != 0) near.insert(in_bank);
            }
            EXPECT_EQ(near, expected);
          } else if (found.units == 1 && found.banks == 1) {
            EXPECT_EQ(*expected.rbegin(), 1u);
          } else {
            EXPECT_EQ(units_by_bank(found.units, found.banks), expected);
          }
        }
      }
}

TEST(ScatteredAddresses, HaveARangeOfTheLanesThatAreThere) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const Addresses addresses = random_addresses(random, 1 << 20);
    const Mask lanes = Mask(static_cast<std::uint32_t>(random())) | Mask::of(i % 32);
    std::uint64_t lowest = ~0ull, highest = 0, bits = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (!lanes.has(lane)) continue;
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
