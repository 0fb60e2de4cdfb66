// What is found out of scattered addresses, in every vector unit that is chosen here, beside sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

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

// Words that lie anywhere, two together or four: other lanes keep theirs, and are not looked at.
TEST(ScatteredAddresses, OfWordsAnywhereAreLoadedFromThere) {
  std::mt19937_64 random(10);
  std::vector<std::uint32_t> memory(1 << 16);
  for (std::uint32_t& word : memory) word = static_cast<std::uint32_t>(random());
  const ScatteredFunctions& functions = scattered_functions();
  const std::array loads{std::pair{1u, functions.load_words}, std::pair{2u, functions.load_pairs},
                         std::pair{4u, functions.load_quads}};
  for (const auto& [words, load] : loads)
    for (int i = 0; i < 100; ++i) {
      const Mask lanes = some_lanes(random);
      std::array<std::size_t, kWarpSize> place;
      std::array<const std::byte*, kWarpSize> from{};
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        place[lane] = random() % (memory.size() / words) * words;
        if (lanes.has(lane)) from[lane] = reinterpret_cast<const std::byte*>(&memory[place[lane]]);
      }
      std::vector<std::uint32_t> rows(words * kWarpSize, 7);
      load(from.data(), lanes, rows.data());
      for (unsigned word = 0; word < words; ++word)
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
          EXPECT_EQ(rows[word * kWarpSize + lane],
                    lanes.has(lane) ? memory[place[lane] + word] : 7u);
    }
}

TEST(Rows, AreFilledWhereLanesAreThere) {
  std::mt19937_64 random(11);
  std::array<std::uint32_t, kWarpSize> from, before, filled, counted, copied;
  for (int i = 0; i < 100; ++i) {
    for (std::uint32_t& word : from) word = static_cast<std::uint32_t>(random());
    before.fill(7);
    filled = counted = copied = before;
    const Mask lanes = some_lanes(random);
    const auto value = static_cast<std::uint32_t>(random());
    scattered_functions().fill(filled.data(), value, lanes);
    scattered_functions().count_up(counted.data(), value, lanes);
    scattered_functions().copy_lanes(from.data(), copied.data(), lanes);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_EQ(filled[lane], lanes.has(lane) ? value : before[lane]);
      EXPECT_EQ(counted[lane], lanes.has(lane) ? value + lane : before[lane]);
      EXPECT_EQ(copied[lane], lanes.has(lane) ? from[lane] : before[lane]);
    }
  }
}

TEST(ScatteredAddresses, OfEightLanesHaveABitForEachUnit) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100; ++i) {
    Addresses addresses = random_addresses(random, 256);
    const Mask lanes = some_lanes(random);
    std::array<std::uint64_t, 4> bits, expected{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if (lanes.has(lane)) expected[lane / 8] |= std::uint64_t{1} << addresses[lane] / 4 % 64;
    scattered_functions().near_by_eights(addresses.data(), lanes, 2, bits.data());
    EXPECT_EQ(bits, expected);
  }
}

TEST(ScatteredAddresses, LieAsBeforeWhereAllHaveMovedAsFar) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 200; ++i) {
    const Addresses before = random_addresses(random, 1 << 20);
    const Mask lanes = some_lanes(random);
    const std::uint64_t by = random() >> 30;
    Addresses moved;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      moved[lane] = lanes.has(lane) ? before[lane] + by : random();
    EXPECT_TRUE(scattered_functions().lie_as(moved.data(), before.data(), lanes));
    EXPECT_TRUE(scattered_functions().lie_as(before.data(), moved.data(), lanes));
    if (lanes.is_single()) continue;
    moved[lanes.last()] += 1;
    EXPECT_FALSE(scattered_functions().lie_as(moved.data(), before.data(), lanes));
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
