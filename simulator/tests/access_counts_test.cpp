// The rules of access_counts.hpp against an H200: 32,000 patterns that were measured after the
// rules were fixed, and a few that can be read.
#include "simulator/memory/access_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "access_patterns.h"

namespace heddle::simulator {
namespace {

using Addresses = std::array<std::uint64_t, kWarpSize>;
using Numbers = std::vector<unsigned>;

constexpr unsigned kPatterns = 256;  // of a launch of the sweep

// One line of the recorded data: a form of access and what each pattern counted.
struct Recorded {
  std::string form;  // "gs_ld32": generic to shared memory, a load of 32 bits
  unsigned width = 0, region = 0, set = 0;
  std::string digits;

  std::string space() const { return form.substr(0, form.find('_')); }
  // LDSM and STSM: how many lanes give addresses; 0 for all other forms.
  unsigned rows() const {
    const std::size_t at = form.find("sm");
    return at == std::string::npos ? 0 : 8 * static_cast<unsigned>(form.back() - '0');
  }
  AccessKind kind() const {
    const std::string operation = form.substr(form.find('_') + 1);
    if (operation.starts_with("ld")) return AccessKind::load;
    if (operation.starts_with("st")) return AccessKind::store;
    if (operation.starts_with("cas")) return AccessKind::compare_and_swap;
    return operation.starts_with("red") ? AccessKind::reduction : AccessKind::atomic;
  }
  Numbers pattern(unsigned index) const {
    const std::size_t each = digits.size() / kPatterns;
    Numbers numbers;
    for (std::size_t at = index * each; at < (index + 1) * each; at += 2) {
      unsigned number = 0;
      std::from_chars(&digits[at], &digits[at] + 2, number, 16);
      numbers.push_back(number);
    }
    return numbers;
  }
};

std::vector<Recorded> recorded() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/tests/data/access_counts.txt");
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Recorded each;
    std::istringstream(line) >> each.form >> each.width >> each.region >> each.set >> each.digits;
    all.push_back(each);
  }
  return all;
}

Addresses addresses_from(std::uint64_t base, const access_patterns::Pattern& pattern) {
  Addresses address;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = base + pattern.offset[lane];
  return address;
}

Numbers global(AccessKind kind, unsigned width, const access_patterns::Pattern& pattern,
               Mask lanes) {
  const AccessCounts counts =
      count_global(kind, width, addresses_from(0x7f00'0000'0000, pattern), lanes);
  return {counts.sectors, counts.sectors_ideal, counts.tags};
}

Numbers shared(AccessKind kind, unsigned width, const access_patterns::Pattern& pattern,
               Mask lanes) {
  const AccessCounts counts = count_shared(kind, width, addresses_from(0x400, pattern), lanes);
  return {counts.wavefronts, counts.wavefronts_ideal};
}

Numbers matrix_rows(const access_patterns::Pattern& pattern, Mask lanes) {
  const AccessCounts counts = count_matrix_rows(addresses_from(0x400, pattern), lanes);
  return {counts.wavefronts, counts.wavefronts_ideal};
}

Numbers local(AccessKind kind, unsigned width, const access_patterns::Pattern& pattern,
              Mask lanes) {
  return {count_local(kind, width, addresses_from(0, pattern), lanes).sectors};
}

Numbers ours(const Recorded& each, unsigned index) {
  const access_patterns::Pattern pattern =
      access_patterns::pattern(each.set, index, each.width, each.region);
  const auto call = [&](auto&& count, Mask lanes) {
    return count(each.kind(), each.width, pattern, Mask(pattern.mask) & lanes);
  };
  const std::string space = each.space();
  if (each.rows() != 0)  // which lanes take part makes no difference to the rows
    return matrix_rows(pattern, Mask::below(each.rows()));
  if (space == "s" || space == "gs") return call(shared, kFullMask);
  if (space == "l" || space == "gl") return call(local, kFullMask);
  if (space != "m") return call(global, kFullMask);
  // Lanes of one generic access that lie in different spaces count in each.
  constexpr Mask kEveryThird = 0x49249249_lanes;
  Numbers all = call(global, kEveryThird);
  for (const unsigned number : call(shared, kEveryThird << 1)) all.push_back(number);
  for (const unsigned number : call(local, kEveryThird << 2)) all.push_back(number);
  return all;
}

TEST(AccessCounts, EqualTheHardwareOnPatternsNotUsedToFindTheRules) {
  unsigned patterns = 0, wrong = 0;
  for (const Recorded& each : recorded()) {
    ASSERT_EQ(each.digits.size() % (2 * kPatterns), 0u) << each.form;
    for (unsigned index = 0; index < kPatterns; ++index, ++patterns) {
      const Numbers hardware = each.pattern(index), model = ours(each, index);
      if (hardware == model) continue;
      if (++wrong <= 10)
        ADD_FAILURE() << each.form << " set " << each.set << " pattern " << index << ": hardware "
                      << testing::PrintToString(hardware) << ", ours "
                      << testing::PrintToString(model);
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(patterns, 30000u);
}

Addresses with_stride(std::uint64_t base, std::uint64_t stride) {
  Addresses address;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = base + lane * stride;
  return address;
}

TEST(AccessCounts, GlobalSectorsAndTagsByStride) {
  struct {
    unsigned width, base, stride, sectors, ideal, tags;
  } const rows[] = {
      {4, 0, 4, 4, 4, 1},      // coalesced
      {4, 4, 4, 5, 4, 2},      // the same, one word off
      {4, 0, 8, 8, 4, 2},      // every other word
      {4, 0, 128, 32, 4, 32},  // a line each
      {4, 0, 0, 1, 1, 1},      // all the same
      {1, 0, 1, 1, 1, 1},      //
      {16, 0, 16, 16, 16, 4},  //
      {16, 0, 32, 32, 16, 8},  //
      {8, 64, 8, 8, 8, 3},     // three lines
  };
  for (const auto& row : rows) {
    const AccessCounts counts =
        count_global(AccessKind::load, row.width, with_stride(row.base, row.stride), kFullMask);
    EXPECT_EQ(counts.sectors, row.sectors) << row.width << " " << row.base << " " << row.stride;
    EXPECT_EQ(counts.sectors_ideal, row.ideal) << row.width << " " << row.base << " " << row.stride;
    EXPECT_EQ(counts.tags, row.tags) << row.width << " " << row.base << " " << row.stride;
  }
}

TEST(AccessCounts, SharedWavefrontsByStride) {
  struct {
    AccessKind kind;
    unsigned width, stride, wavefronts, ideal;
  } const rows[] = {
      {AccessKind::load, 4, 4, 1, 1},     // a bank each
      {AccessKind::load, 4, 8, 2, 1},     // two words of every other bank
      {AccessKind::load, 4, 128, 32, 1},  // one bank
      {AccessKind::load, 4, 132, 1, 1},   // the same with padding
      {AccessKind::load, 4, 0, 1, 1},     // broadcast
      {AccessKind::load, 1, 1, 1, 1},     // four lanes to a word
      {AccessKind::load, 8, 8, 2, 2},
      {AccessKind::load, 8, 0, 1, 1},
      {AccessKind::load, 16, 16, 4, 4},
      {AccessKind::load, 16, 0, 2, 2},
      {AccessKind::store, 4, 0, 1, 1},
      {AccessKind::store, 8, 0, 2, 2},
      {AccessKind::store, 16, 0, 4, 4},
      {AccessKind::atomic, 4, 4, 1, 1},
      {AccessKind::atomic, 4, 0, 32, 1},  // atomics do not broadcast
      {AccessKind::compare_and_swap, 4, 4, 2, 2},
      {AccessKind::compare_and_swap, 4, 0, 64, 2},
      {AccessKind::cast_spin, 4, 0, 2, 2},
      {AccessKind::cast_spin, 8, 0, 4, 4},
  };
  for (const auto& row : rows) {
    const AccessCounts counts =
        count_shared(row.kind, row.width, with_stride(1024, row.stride), kFullMask);
    EXPECT_EQ(counts.wavefronts, row.wavefronts) << row.width << " " << row.stride;
    EXPECT_EQ(counts.wavefronts_ideal, row.ideal) << row.width << " " << row.stride;
  }
}

// ATOMS.POPC.INC adds once for all lanes that want a word; words that share a bank follow one
// another.
TEST(AccessCounts, IncrementsOfOneWordAreOneAddition) {
  const auto wavefronts = [](unsigned words_of_a_bank) {
    Addresses address{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = lane % words_of_a_bank * 128;
    return count_shared(AccessKind::increment, 4, address, kFullMask).wavefronts;
  };
  EXPECT_EQ(wavefronts(1), 1u);
  EXPECT_EQ(wavefronts(3), 3u);
  EXPECT_EQ(wavefronts(32), 32u);
}

TEST(AccessCounts, LocalWordsLieLaneBesideLane) {
  EXPECT_EQ(count_local(AccessKind::store, 4, with_stride(16, 0), kFullMask).sectors, 4u);
  EXPECT_EQ(count_local(AccessKind::store, 4, with_stride(0, 4), kFullMask).sectors, 32u);
  EXPECT_EQ(count_local(AccessKind::store, 16, with_stride(16, 0), kFullMask).sectors, 16u);
  EXPECT_EQ(count_local(AccessKind::load, 8, with_stride(8, 0), 0x000000ff_lanes).sectors, 2u);
}

TEST(AccessCounts, LanesThatDoNotTakePartDoNotCount) {
  Addresses address = with_stride(0, 4);
  for (unsigned lane = 8; lane < kWarpSize; ++lane) address[lane] = 0xdead'beef'0000 + lane * 4096;
  const AccessCounts counts = count_global(AccessKind::load, 4, address, 0xff_lanes);
  EXPECT_EQ(counts.sectors, 1u);
  EXPECT_EQ(counts.tags, 1u);
  EXPECT_EQ(count_shared(AccessKind::load, 4, address, 0xff_lanes).wavefronts, 1u);
  using Count = AccessCounts (*)(AccessKind, unsigned, LaneAddresses, Mask);
  for (const Count count : {Count{count_global}, Count{count_shared}, Count{count_local}}) {
    const AccessCounts none = count(AccessKind::load, 4, address, {});
    EXPECT_EQ(none.sectors + none.tags + none.wavefronts + none.wavefronts_ideal, 0u);
  }
}

// Stores of parts of a warp go one after the other, and each takes as many passes as its fullest
// bank has units, lane by lane.
unsigned passes_of_stores(unsigned width, const Addresses& address, Mask lanes) {
  const unsigned unit = std::max(4u, width), units_of_line = 128 / unit;
  unsigned sum = 0;
  for (unsigned first = 0; first < kWarpSize; first += std::min(kWarpSize, units_of_line)) {
    std::map<std::uint64_t, std::set<std::uint64_t>> banks;
    std::size_t most = 0;
    for (unsigned lane = first; lane < first + std::min(kWarpSize, units_of_line); ++lane) {
      if (!lanes.has(lane)) continue;
      auto& in_bank = banks[address[lane] / unit % units_of_line];
      in_bank.insert(address[lane] / unit);
      most = std::max(most, in_bank.size());
    }
    sum += static_cast<unsigned>(most);
  }
  return sum;
}

TEST(AccessCounts, OfStoresAreThoseOfTheFullestBanks) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const unsigned width = 1u << i % 5, among = 1u << (5 + random() % 11);
    const unsigned stride = random() % 3 == 0 ? 128 : width;
    const auto lanes = Mask(static_cast<std::uint32_t>(random() % 2 == 0 ? ~0u : random()));
    Addresses address;
    for (auto& each : address) each = random() % among * stride;
    EXPECT_EQ(count_shared(AccessKind::store, width, address, lanes).wavefronts,
              passes_of_stores(width, address, lanes))
        << width << " bytes among " << among << " at " << stride;
  }
}

}  // namespace
}  // namespace heddle::simulator
