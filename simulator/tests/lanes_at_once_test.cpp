// Loads and stores of which all is done at once, beside what lanes do one after the other.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/lanes/accesses_at_once.hpp"

namespace heddle::simulator::lanes {
namespace {

using Row = std::array<std::uint32_t, kWarpSize>;
using Rows = std::vector<std::uint32_t>;

Mask some_lanes(std::mt19937_64& random) {
  const auto lanes = Mask(static_cast<std::uint32_t>(random() | random()));
  return random() % 2 == 0 ? kFullMask : lanes | Mask::of(random() % kWarpSize);
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

// Words at random places of an allocation, addressed by pairs of registers beside a base.
struct Loads {
  explicit Loads(std::mt19937_64& random) : memory(random_bytes(random, kBytes)) {}
  static constexpr std::uint64_t kBytes = 1 << 16;

  std::vector<std::byte> memory;
  Piece piece{};
  std::uint64_t base = 0;
  Row low{}, high{};

  // Lanes that are not there may have any address. Bases lie anywhere too, also behind the piece.
  void place(std::mt19937_64& random, unsigned words, std::uint64_t among, Mask lanes) {
    piece = {memory.data(), (random() >> 24) << kLineShift, kBytes};
    base = random() % 3 == 0 ? random() : random() % (1 << 20);
    const std::uint64_t from = random() % (kBytes - among + 1);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t at = (from + random() % among) / (4 * words) * (4 * words);
      put(lane, lanes.has(lane) ? piece.address + at : random());
    }
  }
  void put(unsigned lane, std::uint64_t address) {
    low[lane] = static_cast<std::uint32_t>(address - base);
    high[lane] = static_cast<std::uint32_t>((address - base) >> 32);
  }
  std::uint64_t address(unsigned lane) const {
    return base + (std::uint64_t{high[lane]} << 32 | low[lane]);
  }
  std::uint32_t word(unsigned lane, unsigned word) const {
    std::uint32_t value;
    std::memcpy(&value, memory.data() + (address(lane) - piece.address) + 4 * word, sizeof value);
    return value;
  }
};

const std::array kLoads{std::pair{1u, &AccessFunctions::load_words},
                        std::pair{2u, &AccessFunctions::load_pairs},
                        std::pair{4u, &AccessFunctions::load_quads}};

TEST(LoadsAtOnce, OfWordsOfAPieceAreCountedAndLoaded) {
  std::mt19937_64 random(21);
  Loads loads(random);
  for (const auto& [words, load] : kLoads)
    for (const std::uint64_t among : {1ull, 30ull, 300ull, 1ull << 12, 1ull << 16})
      for (int i = 0; i < 100; ++i) {
        const Mask lanes = some_lanes(random);
        loads.place(random, words, among, lanes);
        Rows rows(words * kWarpSize, 7);
        const auto distinct = (access_functions().*load)(loads.piece, loads.base, loads.low.data(),
                                                         loads.high.data(), lanes, rows.data());
        std::set<std::uint64_t> sectors, lines;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          if (lanes.has(lane)) {
            sectors.insert(loads.address(lane) >> kSectorShift);
            lines.insert(loads.address(lane) >> kLineShift);
          }
          for (unsigned word = 0; word < words; ++word)
            ASSERT_EQ(rows[word * kWarpSize + lane], lanes.has(lane) ? loads.word(lane, word) : 7u);
        }
        ASSERT_EQ(distinct.sectors, sectors.size());
        ASSERT_EQ(distinct.lines, lines.size());
      }
}

// Where they would be loaded into the registers that say where they are.
TEST(LoadsAtOnce, MayReplaceTheirAddresses) {
  std::mt19937_64 random(22);
  Loads loads(random);
  loads.place(random, 2, 1 << 12, kFullMask);
  Rows rows(loads.low.begin(), loads.low.end());
  rows.insert(rows.end(), loads.high.begin(), loads.high.end());
  const auto distinct = access_functions().load_pairs(
      loads.piece, loads.base, rows.data(), rows.data() + kWarpSize, kFullMask, rows.data());
  EXPECT_NE(distinct.sectors, 0u);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    EXPECT_EQ(rows[lane], loads.word(lane, 0));
    EXPECT_EQ(rows[kWarpSize + lane], loads.word(lane, 1));
  }
}

// One lane beyond either end, far off by upper words alone, or between two words.
TEST(LoadsAtOnce, DoNothingWhereALaneIsElsewhere) {
  std::mt19937_64 random(23);
  Loads loads(random);
  for (const auto& [words, load] : kLoads)
    for (int i = 0; i < 100; ++i) {
      const Mask lanes = some_lanes(random);
      loads.place(random, words, i % 2 == 0 ? 100 : 1 << 16, lanes);
      const unsigned away = i % 3 == 0 ? lanes.first() : lanes.last();
      const std::uint64_t first = loads.piece.address, inside = loads.address(away);
      const std::array<std::uint64_t, 6> places{first - 4 * words,
                                                first + Loads::kBytes,
                                                inside + (1ull << 32),
                                                inside - (1ull << 32),
                                                inside + 2,
                                                words == 1 ? inside + 1 : inside + 4};
      for (const std::uint64_t place : places) {
        loads.put(away, place);
        Rows rows(words * kWarpSize, 7);
        const auto distinct = (access_functions().*load)(loads.piece, loads.base, loads.low.data(),
                                                         loads.high.data(), lanes, rows.data());
        ASSERT_EQ(distinct.sectors, 0u);
        ASSERT_EQ(rows, Rows(words * kWarpSize, 7));
      }
    }
}

// Each lane's own memory, of which the other lanes' lies further on.
struct Own {
  explicit Own(std::mt19937_64& random) : memory(random_bytes(random, kWarpSize * kStride)) {}
  static constexpr std::uint32_t kNear = 256, kBytes = 1040, kStride = kBytes + 64,
                                 kFirst = 0xffff'f800;

  std::vector<std::byte> memory;
  std::uint32_t base = 0;
  Row low{};

  OwnMemory of_all() { return {memory.data(), kFirst, kBytes, kStride}; }
  void place(std::mt19937_64& random, std::uint32_t among) {
    base = static_cast<std::uint32_t>(random());
    // Within 64 words from a multiple of as many on.
    const auto below = [&](std::uint32_t end) {
      return static_cast<std::uint32_t>(random() % end) / 4 * 4;
    };
    const std::uint32_t from = kNear + below(kNear - among + 1);
    for (std::uint32_t& each : low) each = kFirst + from + below(among) - base;
  }
  std::byte* word(unsigned lane) {
    return memory.data() + lane * kStride + (low[lane] + base - kFirst);
  }
  // In rows of words of eight lanes.
  std::size_t sectors(Mask lanes) const {
    std::set<std::pair<std::uint32_t, unsigned>> found;
    for (const unsigned lane : lanes) found.emplace(low[lane] + base, lane / 8);
    return found.size();
  }
};

TEST(OwnMemoryAtOnce, IsLoadedAndStored) {
  std::mt19937_64 random(24);
  Own own(random);
  for (const std::uint32_t among : {4u, 16u, 100u, 256u})
    for (int i = 0; i < 200; ++i) {
      const Mask lanes = some_lanes(random);
      own.place(random, among);
      Row row, expected;
      row.fill(7);
      expected.fill(7);
      for (const unsigned lane : lanes) std::memcpy(&expected[lane], own.word(lane), 4);
      const std::uint32_t loaded =
          access_functions().load_own(own.of_all(), own.base, own.low.data(), lanes, row.data());
      ASSERT_EQ(row, expected);
      std::vector<std::byte> after = own.memory;
      for (std::uint32_t& each : row) each = static_cast<std::uint32_t>(random());
      ASSERT_EQ(loaded, own.sectors(lanes));
      for (const unsigned lane : lanes)
        std::memcpy(after.data() + (own.word(lane) - own.memory.data()), &row[lane], 4);
      ASSERT_EQ(
          access_functions().store_own(own.of_all(), own.base, own.low.data(), lanes, row.data()),
          loaded);
      ASSERT_EQ(own.memory, after);
    }
}

TEST(OwnMemoryAtOnce, IsLeftToOthersWhereLanesAreOutsideOrFarApart) {
  std::mt19937_64 random(25);
  Own own(random);
  const std::vector<std::byte> before = own.memory;
  for (int i = 0; i < 100; ++i) {
    const Mask lanes = some_lanes(random);
    const unsigned away = i % 2 == 0 ? lanes.first() : lanes.last();
    for (const std::uint32_t place : {Own::kFirst - 4, Own::kFirst + Own::kBytes, Own::kFirst + 2,
                                      Own::kFirst + 1, Own::kFirst + Own::kBytes - 2}) {
      own.place(random, 4);
      own.low[away] = place - own.base;
      Row row;
      row.fill(7);
      ASSERT_EQ(
          access_functions().load_own(own.of_all(), own.base, own.low.data(), lanes, row.data()),
          0u);
      ASSERT_EQ(
          access_functions().store_own(own.of_all(), own.base, own.low.data(), lanes, row.data()),
          0u);
      ASSERT_EQ(row[away], 7u);
      ASSERT_EQ(own.memory, before);
    }
  }
  own.base = Own::kFirst;
  own.low.fill(0);
  own.low[5] = 1024;
  Row row;
  EXPECT_EQ(
      access_functions().load_own(own.of_all(), own.base, own.low.data(), kFullMask, row.data()),
      0u);
}

}  // namespace
}  // namespace heddle::simulator::lanes
