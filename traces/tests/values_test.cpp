#include "traces/analysis/values.hpp"

#include <gtest/gtest.h>

#include <array>

namespace heddle::traces {
namespace {

using simulator::operator""_lanes;

using Words = std::array<std::uint64_t, 32>;

template <typename F>
Words words(F&& of_lane) {
  Words result;
  for (unsigned lane = 0; lane < 32; ++lane) result[lane] = of_lane(lane);
  return result;
}

TEST(LanesText, NamesSetsShortly) {
  EXPECT_EQ(lanes_text({}), "none");
  EXPECT_EQ(lanes_text(0xffffffff_lanes), "all");
  EXPECT_EQ(lanes_text(0x55555555_lanes), "even");
  EXPECT_EQ(lanes_text(0xaaaaaaaa_lanes), "odd");
  EXPECT_EQ(lanes_text(0x0000ffff_lanes), "0-15");
  EXPECT_EQ(lanes_text(0x00000001_lanes), "0");
  EXPECT_EQ(lanes_text(0x80000000_lanes), "31");
  EXPECT_EQ(lanes_text(0x11111111_lanes), "0-28/4");
  EXPECT_EQ(lanes_text(0x00000388_lanes), "3,7-9");
  EXPECT_EQ(lanes_text(0x8c914d25_lanes), "0x8c914d25");
}

TEST(ValuesText, SaysAUniformValueOnce) {
  EXPECT_EQ(values_text(simulator::kFullMask, words([](unsigned) { return 7u; }), 32, 4), "0x7");
  // Lanes outside the set do not matter.
  EXPECT_EQ(
      values_text(0xff_lanes, words([](unsigned lane) { return lane < 8 ? 5u : lane; }), 32, 4),
      "0x5");
}

TEST(ValuesText, SaysARuleForEvenlySpacedValues) {
  EXPECT_EQ(values_text(simulator::kFullMask, words([](unsigned lane) { return 0x100 + 4 * lane; }),
                        32, 4),
            "0x100+0x4*lane");
  EXPECT_EQ(
      values_text(simulator::kFullMask, words([](unsigned lane) { return 31 - lane; }), 32, 4),
      "0x1f-0x1*lane");
  // Around the end of a 32-bit word, and in 64 bits.
  EXPECT_EQ(
      values_text(simulator::kFullMask,
                  words([](unsigned lane) { return (0xfffffff0u + lane) & 0xffffffffu; }), 32, 4),
      "0xfffffff0+0x1*lane");
  EXPECT_EQ(values_text(simulator::kFullMask,
                        words([](unsigned lane) { return (1ull << 40) + 8ull * lane; }), 64, 4),
            "0x10000000000+0x8*lane");
}

TEST(ValuesText, ListsOthersWithTheirLanes) {
  EXPECT_EQ(values_text(simulator::kFullMask,
                        words([](unsigned lane) { return lane < 16 ? 1u : 0u; }), 32, 4),
            "{0-15:0x1 16-31:0x0}");
  EXPECT_EQ(
      values_text(simulator::kFullMask, words([](unsigned lane) { return lane * lane; }), 32, 2),
      "{0:0x0 1:0x1 +30 more}");
  EXPECT_EQ(values_text(0x3_lanes, words([](unsigned lane) { return lane; }), 32, 4),
            "{0:0x0 1:0x1}");
}

}  // namespace
}  // namespace heddle::traces
