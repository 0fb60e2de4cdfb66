// Loads and stores of which all is done at once, beside what lanes do one after the other.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
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
  // The first bytes that are there.
  std::uint32_t value(unsigned lane, unsigned bytes) const {
    std::uint32_t value = 0;
    std::memcpy(&value, memory.data() + (address(lane) - piece.address), bytes);
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

// Bytes and halves at random places, with their sign and without.
TEST(LoadsAtOnce, ExtendNarrowValues) {
  struct Narrow {
    unsigned bytes;
    bool is_signed;
    AccessFunctions::Load AccessFunctions::*load;
  };
  std::mt19937_64 random(27);
  Loads loads(random);
  for (const auto& [bytes, is_signed, load] :
       {Narrow{1, false, &AccessFunctions::load_bytes},
        Narrow{1, true, &AccessFunctions::load_signed_bytes},
        Narrow{2, false, &AccessFunctions::load_halves},
        Narrow{2, true, &AccessFunctions::load_signed_halves}})
    for (const std::uint64_t among : {2ull, 30ull, 300ull, 1ull << 16})
      for (int i = 0; i < 100; ++i) {
        const Mask lanes = some_lanes(random);
        loads.place(random, 1, among, lanes);
        std::set<std::uint64_t> sectors, lines;
        for (const unsigned lane : lanes) {
          loads.put(lane, loads.address(lane) + random() % 4 / bytes * bytes);
          sectors.insert(loads.address(lane) >> kSectorShift);
          lines.insert(loads.address(lane) >> kLineShift);
        }
        Rows row(kWarpSize, 7);
        const auto distinct = (access_functions().*load)(loads.piece, loads.base, loads.low.data(),
                                                         loads.high.data(), lanes, row.data());
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          const unsigned bits = 32 - 8 * bytes;
          const std::uint32_t upper = lanes.has(lane) ? loads.value(lane, bytes) << bits : 0;
          const std::uint32_t value =
              is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(upper) >> bits)
                        : upper >> bits;
          ASSERT_EQ(row[lane], lanes.has(lane) ? value : 7u);
        }
        ASSERT_EQ(distinct.sectors, sectors.size());
        ASSERT_EQ(distinct.lines, lines.size());
      }
}

// Of one that begins and ends anywhere in a page, behind which nothing is.
TEST(LoadsAtOnce, TouchNothingBehindAPiece) {
  constexpr std::size_t kPage = 4096;
  void* const pages =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + kPage, kPage, PROT_NONE), 0);
  for (const std::uint64_t bytes : {1ull, 2ull, 3ull, 5ull, 4094ull, 4095ull, 4096ull}) {
    std::byte* const data = static_cast<std::byte*>(pages) + kPage - bytes;
    data[bytes - 1] = std::byte(0x85);
    const Piece piece{data, 0x1000, bytes};
    Row low{}, high{};
    low.fill(static_cast<std::uint32_t>(piece.address + bytes - 1));
    Rows row(kWarpSize, 7);
    const auto distinct = access_functions().load_signed_bytes(piece, 0, low.data(), high.data(),
                                                               kFullMask, row.data());
    EXPECT_EQ(distinct.sectors, 1u);
    EXPECT_EQ(row, Rows(kWarpSize, 0xffff'ff85)) << bytes;
  }
  munmap(pages, 2 * kPage);
}

// Of lanes at one place the highest one's stays.
TEST(StoresAtOnce, AreOfTheWordsOfLanes) {
  std::mt19937_64 random(28);
  Loads stores(random);
  for (const std::uint64_t among : {1ull, 30ull, 300ull, 1ull << 16})
    for (int i = 0; i < 100; ++i) {
      const Mask lanes = some_lanes(random);
      stores.place(random, 1, among, lanes);
      Row row;
      for (std::uint32_t& each : row) each = static_cast<std::uint32_t>(random());
      std::vector<std::byte> after = stores.memory;
      std::set<std::uint64_t> sectors;
      for (const unsigned lane : lanes) {
        std::memcpy(after.data() + (stores.address(lane) - stores.piece.address), &row[lane], 4);
        sectors.insert(stores.address(lane) >> kSectorShift);
      }
      const auto distinct = access_functions().store_words(
          stores.piece, stores.base, stores.low.data(), stores.high.data(), lanes, row.data());
      ASSERT_EQ(stores.memory, after);
      ASSERT_EQ(distinct.sectors, sectors.size());
      const unsigned away = lanes.last();
      for (const std::uint64_t place : {stores.address(away) + 2, stores.piece.address - 4}) {
        stores.put(away, place);
        EXPECT_EQ(access_functions()
                      .store_words(stores.piece, stores.base, stores.low.data(), stores.high.data(),
                                   lanes, row.data())
                      .sectors,
                  0u);
        ASSERT_EQ(stores.memory, after);
      }
    }
}

// A block's shared memory, addressed by registers beside a base of 64 bits.
struct Shared {
  explicit Shared(std::mt19937_64& random) : memory(random_bytes(random, kBytes)) {}
  static constexpr std::uint32_t kBytes = 1040;

  std::vector<std::byte> memory;
  std::uint64_t base = 0;
  Row low{};

  Piece piece() { return {memory.data(), 0, kBytes}; }
  // Lanes that are not there may have any address. `among`: words, from a multiple of 64 on.
  void place(std::mt19937_64& random, std::uint32_t among, Mask lanes) {
    base = -(random() % 1000);  // an offset
    const auto from = static_cast<std::uint32_t>(random() % 4 * 256 + random() % (65 - among) * 4);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      put(lane, lanes.has(lane) ? from + static_cast<std::uint32_t>(random()) % among * 4
                                : static_cast<std::uint32_t>(random()));
  }
  void put(unsigned lane, std::uint32_t address) {
    low[lane] = address - static_cast<std::uint32_t>(base);
  }
  std::uint64_t address(unsigned lane) const { return base + low[lane]; }
  // A pass serves one word of each bank.
  std::size_t passes(Mask lanes) const {
    std::map<std::uint64_t, std::set<std::uint64_t>> in_bank;
    std::size_t most = 0;
    for (const unsigned lane : lanes) {
      const std::uint64_t word = address(lane) / 4;
      auto& bank = in_bank[word % 32];
      bank.insert(word);
      most = std::max(most, bank.size());
    }
    return most;
  }
};

TEST(SharedMemoryAtOnce, IsLoadedAndStored) {
  std::mt19937_64 random(29);
  Shared shared(random);
  const AccessFunctions& functions = access_functions();
  for (const std::uint32_t among : {1u, 8u, 33u, 64u})
    for (int i = 0; i < 200; ++i) {
      const Mask lanes = some_lanes(random);
      shared.place(random, among, lanes);
      Row row, expected;
      row.fill(7);
      expected.fill(7);
      for (const unsigned lane : lanes)
        std::memcpy(&expected[lane], shared.memory.data() + shared.address(lane), 4);
      ASSERT_EQ(
          functions.load_shared(shared.piece(), shared.base, shared.low.data(), lanes, row.data()),
          shared.passes(lanes));
      ASSERT_EQ(row, expected);
      std::vector<std::byte> after = shared.memory;
      for (std::uint32_t& each : row) each = static_cast<std::uint32_t>(random());
      for (const unsigned lane : lanes)
        std::memcpy(after.data() + shared.address(lane), &row[lane], 4);
      ASSERT_EQ(
          functions.store_shared(shared.piece(), shared.base, shared.low.data(), lanes, row.data()),
          shared.passes(lanes));
      ASSERT_EQ(shared.memory, after);
    }
}

// Beyond the end, between two words, far from the others, or of an address of more than 32 bits.
TEST(SharedMemoryAtOnce, IsLeftToOthersWhereALaneIsElsewhere) {
  std::mt19937_64 random(30);
  Shared shared(random);
  const std::vector<std::byte> before = shared.memory;
  const AccessFunctions& functions = access_functions();
  const auto is_left = [&](Mask lanes) {
    Row row;
    row.fill(7);
    const auto expected = row;
    EXPECT_EQ(
        functions.load_shared(shared.piece(), shared.base, shared.low.data(), lanes, row.data()),
        0u);
    EXPECT_EQ(row, expected);
    EXPECT_EQ(
        functions.store_shared(shared.piece(), shared.base, shared.low.data(), lanes, row.data()),
        0u);
    EXPECT_EQ(shared.memory, before);
  };
  for (int i = 0; i < 100; ++i) {
    const Mask lanes = some_lanes(random) | Mask(3);
    shared.place(random, 8, lanes);
    const unsigned away = i % 2 == 0 ? lanes.first() : lanes.last();
    const auto inside = static_cast<std::uint32_t>(shared.address(away));
    for (const std::uint32_t place : {Shared::kBytes, Shared::kBytes - 2, inside + 1,
                                      inside >= 512 ? inside - 512 : inside + 512}) {
      shared.put(away, place);
      is_left(lanes);
    }
    shared.place(random, 8, lanes);
    shared.base += std::uint64_t{1} << 32;
    is_left(lanes);
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
