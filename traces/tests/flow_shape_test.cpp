// Where blocks stand: graphs drawn by hand, node 0 first.
#include "traces/analysis/flow_shape.hpp"

#include <gmock/gmock.h>

namespace heddle::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FlowShape, WhereSidesMeetStandsBehindTheBranch) {
  const FlowShape shape({{1, 2}, {3}, {3}, {}});
  EXPECT_TRUE(shape.is_inline(1) && shape.is_inline(2));
  EXPECT_FALSE(shape.is_inline(3));
  EXPECT_THAT(shape.after[0], ElementsAre(3u));
  EXPECT_THAT(shape.loops, IsEmpty());
}

// 1 is a loop's header, 2 an inner one's; 3 leaves both, for 5.
TEST(FlowShape, WhatALoopIsLeftToStandsBehindTheOutermostThatIsLeft) {
  const FlowShape shape({{1}, {2}, {3, 4}, {2, 5}, {1, 5}, {}});
  ASSERT_EQ(shape.loops.size(), 2u);
  EXPECT_THAT(shape.loops.at(1).members, ElementsAre(1u, 2u, 3u, 4u));
  EXPECT_THAT(shape.loops.at(2).members, ElementsAre(2u, 3u));
  EXPECT_EQ(shape.loops.at(2).outer, 1u);
  EXPECT_EQ(shape.loop_of(4), 1u);
  EXPECT_THAT(shape.loops.at(2).behind, ElementsAre(4u));
  EXPECT_THAT(shape.loops.at(1).behind, ElementsAre(5u));
}

// 1 is the header, left to 3 and, by 2, to 4; both go to 5.
TEST(FlowShape, WhatOneOfSeveralExitsDoesAloneStandsAtIt) {
  const FlowShape shape({{1}, {2, 3}, {1, 4}, {5}, {5}, {}});
  EXPECT_TRUE(shape.is_inline(3) && shape.is_inline(4));
  EXPECT_THAT(shape.loops.at(1).behind, ElementsAre(5u));
}

TEST(FlowShape, SidewaysIntoALoopIsNoShape) {
  EXPECT_EQ(FlowShape({{1, 2}, {2, 3}, {1}, {}}).crossing, 1u);
  EXPECT_EQ(FlowShape({{1}, {2, 3}, {1}, {}}).crossing, isa::kNoNode);
}

TEST(FlowShape, WhatNobodyReachesIsLeftOut) {
  const FlowShape shape({{2}, {2}, {}});
  EXPECT_FALSE(shape.reachable(1));
  EXPECT_TRUE(shape.is_inline(2));
}

}  // namespace
}  // namespace heddle::traces
