// Rows of a matrix copied to shared memory as programs do it: what an H200 (driver 580.159.04,
// 2026-11-22) counted for one LDGSTS of 16 bytes a lane.
#include "simulator/memory/copy_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "copy_patterns.h"

namespace heddle::simulator {
namespace {

CopyLanes all_of(Mask lanes) { return {lanes, kFullMask, kFullMask}; }

struct Rows {
  std::string what;
  unsigned lanes;                 // of a row
  unsigned step;                  // bytes from a lane's piece to the next, in both memories
  unsigned from_pitch, to_pitch;  // bytes from row to row
  unsigned turned;                // rows after which the pieces are turned by one more
  CopyPath path;
  unsigned sectors, tags, wavefronts;
};

const Rows kRows[] = {
    {"pieces turned by one more every two rows", 4, 16, 0x100, 0x40, 2, CopyPath::bypass, 24, 8,
     12},
    {"rows of 64 bytes that 16 follow", 4, 16, 0x100, 0x50, 0, CopyPath::bypass, 24, 8, 15},
    {"two pieces of a line", 2, 64, 0x80, 0x90, 0, CopyPath::bypass, 32, 16, 24},
    {"four pieces of a line", 4, 32, 0x80, 0x90, 0, CopyPath::bypass, 32, 8, 14},
    {"four lanes to a row, through L1", 4, 64, 0x200, 0x110, 0, CopyPath::through_l1, 32, 16, 16},
    {"eight lanes to a row, through L1", 8, 32, 0x200, 0x110, 0, CopyPath::through_l1, 32, 8, 8},
};

TEST(CopyCounts, AreThoseOfAnH200) {
  for (const Rows& rows : kRows) {
    std::array<std::uint64_t, kWarpSize> from, to;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const unsigned y = lane / rows.lanes, x = lane % rows.lanes;
      const unsigned turned = rows.turned == 0 ? x : (x + y / rows.turned) % rows.lanes;
      from[lane] = 0x7f0000000000 + y * rows.from_pitch + x * rows.step;
      to[lane] = y * rows.to_pitch + turned * rows.step;
    }
    const AccessCounts counts = count_copy(rows.path, 16, from, to, all_of(kFullMask));
    EXPECT_EQ(counts.sectors, rows.sectors) << rows.what;
    EXPECT_EQ(counts.tags, rows.tags) << rows.what;
    EXPECT_EQ(counts.wavefronts, rows.wavefronts) << rows.what;
    EXPECT_EQ(counts.sectors_ideal, 16u) << rows.what;
    EXPECT_EQ(counts.wavefronts_ideal, 4u) << rows.what;
  }
}

// Copies through L1 that were measured after the rules were found from other sets. Rows on both
// sides (set 100) take another number of passes here and there than the rule says; a row on one
// side never.
TEST(CopyCounts, ThroughL1AreThoseOfAnH200) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/tests/data/copy_counts.txt");
  unsigned measured = 0, other_passes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::string form, digits;
    unsigned set = 0;
    std::istringstream(line) >> form >> set >> digits;
    const auto width = static_cast<unsigned>(std::stoul(form.substr(2)));
    for (unsigned i = 0; i < digits.size() / 6; ++i, ++measured) {
      const auto number = [&](unsigned k) {
        return static_cast<unsigned>(std::stoul(digits.substr(6 * i + 2 * k, 2), nullptr, 16));
      };
      const auto pattern = access_patterns::copy_pattern(set, i, width, 1u << 22, 1u << 15);
      std::array<std::uint64_t, kWarpSize> from, to;
      std::ranges::copy(pattern.from.offset, from.begin());
      std::ranges::copy(pattern.to.offset, to.begin());
      const AccessCounts counts =
          count_copy(CopyPath::through_l1, width, from, to, all_of(Mask(pattern.from.mask)));
      EXPECT_EQ(counts.sectors, number(0)) << line.substr(0, 8) << " pattern " << i;
      EXPECT_EQ(counts.tags, number(1)) << line.substr(0, 8) << " pattern " << i;
      if (set == 100) {
        other_passes += counts.wavefronts != number(2);
      } else {
        EXPECT_EQ(counts.wavefronts, number(2)) << line.substr(0, 8) << " pattern " << i;
      }
    }
  }
  EXPECT_EQ(measured, 9u * 256);
  EXPECT_LT(other_passes, 20u);
}

TEST(CopyCounts, OfNoLaneAreNone) {
  const std::array<std::uint64_t, kWarpSize> anywhere{};
  const AccessCounts counts = count_copy(CopyPath::bypass, 16, anywhere, anywhere, all_of({}));
  EXPECT_EQ(counts.sectors + counts.tags + counts.wavefronts, 0u);
}

// An H200's counts of cp.async with sizes from 0 to 4 bytes, and with sources that are ignored.
TEST(CopyCounts, ZerosGoWithTheOthersThroughL1) {
  for (const unsigned width : {4u, 16u}) {
    std::array<std::uint64_t, kWarpSize> row;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) row[lane] = lane * width;
    const AccessCounts counts =
        count_copy(CopyPath::through_l1, width, row, row, {kFullMask, kFullMask, 0x00ffff0f_lanes});
    EXPECT_EQ(counts.wavefronts, width / 4);
    EXPECT_EQ(counts.wavefronts_ideal, width / 4);
  }
}

// A predicate of a measured copy: `which` of the pattern's three masks, or -; with ! where it is
// negated; with 0 behind it where it was P0.
struct MeasuredPredicate {
  Mask holds = kFullMask;
  bool is_p0 = false, negated = false;
};

MeasuredPredicate predicate_of(const std::string& text, const std::array<std::uint32_t, 3>& masks) {
  if (text == "-") return {};
  MeasuredPredicate predicate;
  predicate.negated = text.starts_with('!');
  const std::size_t at = predicate.negated ? 1 : 0;
  const std::uint32_t mask = masks[static_cast<std::size_t>(text.at(at) - 'a')];
  predicate.holds = Mask(predicate.negated ? ~mask : mask);
  predicate.is_p0 = text.ends_with('0');
  return predicate;
}

// Copies past L1 of gpu/kernels/micro/access_sweep/copy_predicates as the SASS metrics of an H200
// have them: those of set 0 with P0 for their guard or their operand, and those of sets 0, 2 and 3
// by other guards.
TEST(CopyCounts, PastL1AreThoseOfAnH200) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/tests/data/copy_predicates.txt");
  unsigned measured = 0, other_fills = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    unsigned set = 0, index = 0, passes = 0, passes_ideal = 0, tags = 0, sectors = 0;
    std::uint32_t active = 0;
    std::array<std::uint32_t, 3> masks{};
    std::string form, guard_text, operand_text;
    words >> set >> index >> form >> guard_text >> operand_text >> std::hex >> active;
    for (std::uint32_t& mask : masks) words >> mask;
    words >> std::dec >> passes >> passes_ideal >> tags >> sectors;
    ASSERT_TRUE(words) << line;
    const auto pattern = access_patterns::copy_pattern(set, index, 16, 1u << 22, 1u << 15);
    std::array<std::uint64_t, kWarpSize> from, to;
    std::ranges::copy(pattern.from.offset, from.begin());
    std::ranges::copy(pattern.to.offset, to.begin());
    const bool fills = form == "zfill";
    const auto guard = predicate_of(guard_text, masks), operand = predicate_of(operand_text, masks);
    const AccessCounts counts = count_copy_in_metrics(
        CopyPath::bypass, 16, from, to,
        {Mask(active), guard.holds, operand.holds, fills ? kFullMask : Mask()},
        {guard.is_p0, guard.negated, operand.is_p0, operand.negated}, fills);
    ++measured;
    EXPECT_EQ(counts.tags, tags) << line;
    EXPECT_EQ(counts.sectors, sectors) << line;
    EXPECT_EQ(counts.wavefronts_ideal, passes_ideal) << line;
    if (fills || operand_text != "-")
      other_fills += counts.wavefronts != passes;
    else
      EXPECT_EQ(counts.wavefronts, passes) << line;
  }
  EXPECT_EQ(measured, 565u);
  EXPECT_LT(other_fills, 8u);  // the order in which lanes win banks is a guess
}

}  // namespace
}  // namespace heddle::simulator
