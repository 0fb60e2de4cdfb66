#include "simulator/base/mask.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace heddle::simulator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<unsigned> lanes_of(Mask mask) {
  std::vector<unsigned> lanes;
  for (const unsigned lane : mask) lanes.push_back(lane);
  return lanes;
}

TEST(Masks, AreNoNumbers) {
  EXPECT_FALSE((std::is_convertible_v<std::uint32_t, Mask>));
  EXPECT_FALSE((std::is_convertible_v<Mask, std::uint32_t>));
  EXPECT_FALSE((std::is_constructible_v<bool, Mask>));
  EXPECT_TRUE(std::is_trivially_copyable_v<Mask>);
}

TEST(Masks, GiveTheirLanesLowestFirst) {
  EXPECT_THAT(lanes_of(Mask()), IsEmpty());
  EXPECT_THAT(lanes_of(0x80000011_lanes), ElementsAre(0, 4, 31));
  EXPECT_EQ(lanes_of(kFullMask).size(), kWarpSize);
}

TEST(Masks, AreWalkedAsTheyWereWhenTheWalkBegan) {
  Mask mask = 0x7_lanes;
  std::vector<unsigned> seen;
  for (const unsigned lane : mask) {
    seen.push_back(lane);
    mask = Mask();
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

TEST(Masks, BelowALaneAreAllFrom32On) {
  EXPECT_EQ(Mask::below(0), Mask());
  EXPECT_EQ(Mask::below(5), 0x1f_lanes);
  EXPECT_EQ(Mask::below(31), 0x7fffffff_lanes);
  EXPECT_EQ(Mask::below(32), kFullMask);
  EXPECT_EQ(Mask::below(std::uint64_t{1} << 32), kFullMask) << "not 0 of them";
}

TEST(Masks, KnowTheirFirstAndLastLane) {
  EXPECT_EQ((0x30_lanes).first(), 4u);
  EXPECT_EQ((0x30_lanes).last(), 5u);
  EXPECT_EQ((0x80000000_lanes).first(), 31u);
  EXPECT_EQ((0x80000000_lanes).last(), 31u);
  EXPECT_EQ((0x38_lanes).without_first(), 0x30_lanes);
  EXPECT_EQ(Mask().without_first(), Mask());
}

TEST(Masks, AreSearchedRoundTheWarp) {
  EXPECT_EQ((0x12_lanes).first_from(0), 1u);
  EXPECT_EQ((0x12_lanes).first_from(1), 1u);
  EXPECT_EQ((0x12_lanes).first_from(2), 4u);
  EXPECT_EQ((0x12_lanes).first_from(5), 1u);
  EXPECT_EQ((0x80000000_lanes).first_from(31), 31u);
}

TEST(Masks, ThatAreARunHaveNoGap) {
  EXPECT_TRUE((0x38_lanes).is_run());
  EXPECT_TRUE(kFullMask.is_run());
  EXPECT_FALSE((0x28_lanes).is_run());
  EXPECT_FALSE(Mask().is_run());
}

TEST(Masks, LieWithinOthers) {
  EXPECT_TRUE((0x5_lanes).within(0x7_lanes));
  EXPECT_TRUE(Mask().within(Mask()));
  EXPECT_FALSE((0x5_lanes).within(0x4_lanes));
  EXPECT_TRUE((0x4_lanes).is_single());
  EXPECT_FALSE((0x5_lanes).is_single());
  EXPECT_FALSE(Mask().is_single());
}

}  // namespace
}  // namespace heddle::simulator
