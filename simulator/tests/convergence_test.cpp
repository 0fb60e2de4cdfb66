#include "simulator/warp/convergence.hpp"

#include <gtest/gtest.h>

namespace heddle::simulator {
namespace {

constexpr std::uint32_t kStart = 10, kThen = 20, kElse = 30, kJoin = 40;

Convergence warp_of(Mask lanes = kFullMask) {
  Convergence warp;
  warp.start(lanes, kStart);
  return warp;
}

TEST(Convergence, TheOtherSideRunsWhenOneSideWaitsAtTheBarrier) {
  Convergence warp = warp_of();
  warp.join_barrier(0, kFullMask);
  warp.current().pc = kElse;
  warp.split_off(0x0000ffff, kThen);
  EXPECT_EQ(warp.current().lanes, 0xffff0000u);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  ASSERT_TRUE(warp.has_current());
  EXPECT_EQ(warp.current().lanes, 0x0000ffffu);
  EXPECT_EQ(warp.current().pc, kThen);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, kFullMask);
  EXPECT_EQ(warp.current().pc, kJoin);
  EXPECT_EQ(warp.groups().size(), 1u);
}

TEST(Convergence, ABarrierDoesNotWaitForLanesThatExited) {
  Convergence warp = warp_of();
  warp.join_barrier(3, kFullMask);
  warp.split_off(0xff, kThen);
  warp.wait_convergence_barrier(3);
  warp.exit(0xff);
  ASSERT_TRUE(warp.has_current());
  EXPECT_EQ(warp.current().lanes, 0xffffff00u);
  EXPECT_EQ(warp.live(), 0xffffff00u);
}

// docs/experiments/divergence-order.md, 4.
TEST(Convergence, ABarrierDoesNotWaitForLanesThatBrokeAndTheFewerRunFirst) {
  for (const Mask leaving : {Mask{0x1}, Mask{0xfffffffe}}) {
    Convergence warp = warp_of();
    warp.join_barrier(1, kFullMask);
    warp.split_off(leaving, kThen);
    warp.current().pc = kJoin;
    warp.wait_convergence_barrier(1);
    ASSERT_EQ(warp.current().lanes, leaving);
    warp.leave_barrier(1, leaving);
    EXPECT_EQ(warp.current().lanes, 0x1u);
    EXPECT_TRUE(warp.others_ready());
    warp.exit(0x1);
    EXPECT_EQ(warp.current().lanes, 0xfffffffeu);
  }
}

TEST(Convergence, LanesOutsideTheBarrierPassIt) {
  Convergence warp = warp_of();
  warp.join_barrier(2, 0xf0);
  warp.split_off(0xf0, kThen);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(2);
  EXPECT_EQ(warp.current().lanes, 0xffffff0fu);
  EXPECT_EQ(warp.current().wait, Wait::none);
}

TEST(Convergence, LanesThatWaitStayWhileACalleeUsesTheirBarrier) {
  Convergence warp = warp_of(0xf);
  warp.join_barrier(6, 0xf);
  warp.split_off_first(0x3, kThen);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(6);
  ASSERT_EQ(warp.current().lanes, 0xcu);
  warp.clear_barrier(6);      // the callee saves it with BMOV.CLEAR,
  warp.join_barrier(6, 0xc);  // uses it,
  warp.current().pc = kElse;
  warp.wait_convergence_barrier(6);
  EXPECT_EQ(warp.current().lanes, 0xcu) << "and meets alone";
  EXPECT_FALSE(warp.others_ready());
  warp.restore_barrier(6, 0xf);  // and restores it.
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(6);
  EXPECT_EQ(warp.current().lanes, 0xfu);
}

TEST(Convergence, WarpSyncReleasesTogetherFromDifferentPlaces) {
  Convergence warp = warp_of(0xf);
  warp.split_off(0x3, kThen);
  warp.current().pc = kElse;
  warp.wait_warp_sync(0xf);
  ASSERT_EQ(warp.current().lanes, 0x3u);
  warp.current().pc = kThen + 1;
  warp.wait_warp_sync(0xf);
  EXPECT_EQ(warp.groups().size(), 2u) << "different instructions: two groups";
  for (const Group& group : warp.groups()) EXPECT_EQ(group.wait, Wait::none);
}

TEST(Convergence, AfterAWarpSyncTheLastComerGoesOnFirstThenTheOthersByTheirLowestLanes) {
  Convergence warp = warp_of(0x7);
  warp.split_off(0x4, kThen);
  warp.split_off(0x2, kElse);
  warp.current().pc = kJoin;
  for (int arrivals = 0; arrivals < 3; ++arrivals) warp.wait_warp_sync(0x7);
  Mask order[3] = {};
  for (Mask& lanes : order) {
    lanes = warp.current().lanes;
    warp.exit(lanes);
  }
  EXPECT_EQ(order[0], 0x4u) << "came last";
  EXPECT_EQ(order[1], 0x1u);
  EXPECT_EQ(order[2], 0x2u);
}

TEST(Convergence, WarpSyncAtOnePlaceMakesOneGroup) {
  Convergence warp = warp_of(0xf);
  warp.split_off(0x3, kThen);
  warp.current().pc = kJoin;
  warp.wait_warp_sync(0xf);
  warp.current().pc = kJoin;
  warp.wait_warp_sync(0xf);
  ASSERT_EQ(warp.groups().size(), 1u);
  EXPECT_EQ(warp.current().lanes, 0xfu);
}

TEST(Convergence, YieldLetsEveryOtherGroupRunFirst) {
  Convergence warp = warp_of(0x7);
  warp.split_off(0x1, kThen);
  warp.split_off(0x2, kElse);
  ASSERT_EQ(warp.current().lanes, 0x4u);
  warp.yield();
  const Mask second = warp.current().lanes;
  warp.yield();
  const Mask third = warp.current().lanes;
  warp.yield();
  EXPECT_EQ(second, 0x2u) << "the one that waited last";
  EXPECT_EQ(third, 0x1u);
  EXPECT_EQ(warp.current().lanes, 0x2u) << "all have yielded: the next lane";
  warp.yield();
  EXPECT_EQ(warp.current().lanes, 0x4u);
}

TEST(Convergence, YieldLetsLanesPassTheBarrierWhereTheyWaitForTheOneThatYields) {
  Convergence warp = warp_of(0x3);
  warp.join_barrier(0, 0x3);
  warp.split_off(0x1, kThen);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  ASSERT_EQ(warp.current().lanes, 0x1u);
  EXPECT_TRUE(warp.yield());
  EXPECT_EQ(warp.current().lanes, 0x2u);
  EXPECT_TRUE(warp.current().again) << "it goes through its BSYNC again";
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0x2u);
  EXPECT_FALSE(warp.current().again);
  warp.yield();
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0x1u) << "it does not wait for lanes that have passed";
}

TEST(Convergence, ThereIsNobodyToYieldToInAConvergedWarp) {
  Convergence warp = warp_of();
  EXPECT_FALSE(warp.yield());
  EXPECT_EQ(warp.current().lanes, kFullMask);
}

TEST(Convergence, NothingIsCurrentWhileAllWaitForTheBlock) {
  Convergence warp = warp_of();
  warp.wait_block_barrier(0);
  EXPECT_FALSE(warp.has_current());
  EXPECT_EQ(warp.waiting_at_block_barrier(0), kFullMask);
  warp.release_block_barrier(0);
  EXPECT_TRUE(warp.has_current());
}

TEST(Convergence, LanesAtABlockBarrierAreAwaitedButAtABarrierThatAMoveRestored) {
  for (const bool restored : {false, true}) {
    Convergence warp;
    warp.start(0xf, 0);
    warp.join_barrier(6, 0xf);
    warp.split_off(0x3, 20);
    if (restored) warp.restore_barrier(6, 0xf);
    warp.wait_convergence_barrier(6);  // 0xc, for 0x3
    ASSERT_EQ(warp.current().lanes, 0x3u);
    warp.wait_block_barrier(0);
    EXPECT_EQ(warp.has_current(), restored);
    if (restored) {
      EXPECT_EQ(warp.current().lanes, 0xcu);
    }
  }
}

TEST(Convergence, ABlockBarrierMergesNothing) {
  Convergence warp = warp_of(0xf);
  warp.split_off(0x3, kJoin);
  warp.current().pc = kJoin;
  warp.wait_block_barrier(0);
  warp.wait_block_barrier(0);
  warp.release_block_barrier(0);
  EXPECT_EQ(warp.groups().size(), 2u);
  for (const Group& group : warp.groups()) EXPECT_EQ(group.wait, Wait::none);
}

// docs/experiments/divergence-order.md, 5.
TEST(Convergence, WaitingGroupsAtOnePlaceBecomeOneWhenAThirdOneIsPutBeforeThem) {
  Convergence warp = warp_of(0xff);
  warp.split_off(0xf0, kJoin);
  warp.split_off(0x0c, kJoin);
  EXPECT_EQ(warp.groups().size(), 3u) << "the one that is next in turn stays by itself";
  warp.split_off(0x02, kElse);
  ASSERT_EQ(warp.groups().size(), 3u);
  EXPECT_EQ(warp.groups()[0].lanes, 0xfcu);
  EXPECT_EQ(warp.groups()[1].lanes, 0x02u);
  EXPECT_EQ(warp.current().lanes, 0x01u);
}

// docs/experiments/divergence-order.md, "Code that counts itself".
TEST(Convergence, InPatchedCodeAnAccessMakesWaitingGroupsAtOnePlaceBecomeOne) {
  for (const bool patched : {false, true}) {
    Convergence warp;
    warp.start(0xff, kStart, nullptr, patched);
    warp.split_off(0xf0, kJoin);
    warp.split_off(0x0c, kJoin);
    warp.at_access();
    EXPECT_EQ(warp.groups().size(), patched ? 2u : 3u);
    EXPECT_EQ(warp.groups().front().lanes, patched ? 0xfcu : 0xf0u);
    EXPECT_EQ(warp.current().lanes, 0x03u);
    EXPECT_EQ(warp.patches_show(), patched);
  }
}

TEST(Convergence, InPatchedCodeLanesThatJumpedDoNotMeetThoseThatFellThrough) {
  for (const bool patched : {false, true}) {
    Convergence warp;
    warp.start(0xff, kStart, nullptr, patched);
    warp.split_off(0xf0, kJoin);
    warp.current().pc = kJoin;
    warp.split_off_first(0x03, kElse);  // 0c waits behind its branch, at kJoin too
    warp.split_off(0x01, kThen);
    EXPECT_EQ(warp.groups().size(), patched ? 4u : 3u);
    EXPECT_EQ(warp.patches_show(), patched);
  }
}

TEST(Convergence, AGroupThatAnotherJoinsMovesUpInTheOrder) {
  Convergence warp = warp_of(0xff);
  warp.split_off(0xc0, kJoin);
  warp.split_off(0x30, kThen);
  warp.split_off(0x08, kJoin);
  warp.split_off(0x04, kElse);
  warp.exit(0x03);
  EXPECT_EQ(warp.current().lanes, 0x04u);
  warp.exit(0x04);
  EXPECT_EQ(warp.current().lanes, 0xc8u);
  warp.exit(0xc8);
  EXPECT_EQ(warp.current().lanes, 0x30u);
}

TEST(Convergence, LanesLeftBehindAreTheOnesToGoThroughTheInstructionAgain) {
  Convergence warp = warp_of(0xf);
  warp.leave_behind(0x3, kStart);
  EXPECT_FALSE(warp.current().again);
  warp.exit(0xc);
  EXPECT_TRUE(warp.current().again);
  EXPECT_EQ(warp.current().lanes, 0x3u);
  EXPECT_EQ(warp.current().pc, kStart);
}

// docs/experiments/divergence-order.md, 7.
TEST(Convergence, ACollectiveRunsOnceWithAllLanesThenTheLastComersGoOnApart) {
  Convergence warp = warp_of(0xff);
  warp.split_off(0xf0, kThen);
  warp.split_off(0x0c, kJoin);
  warp.split_off(0x02, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(warp.wait_collective(0xff, kJoin), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(warp.wait_collective(0xff, kElse + 2), 0u);
  warp.wait_collective(0xff, kThen + 2);
  ASSERT_EQ(warp.current().lanes, 0xf0u);
  warp.current().pc = kThen + 1;
  EXPECT_EQ(warp.wait_collective(0xff, kThen + 2), 4u);
  EXPECT_EQ(warp.current().lanes, 0xffu);
  EXPECT_EQ(warp.current().pc, kThen + 1);
  EXPECT_EQ(warp.groups().size(), 1u);
  warp.current().pc = kThen + 2;
  warp.end_collective();
  Mask order[4] = {};
  for (Mask& lanes : order) {
    lanes = warp.current().lanes;
    warp.exit(lanes);
  }
  EXPECT_EQ(order[0], 0xf0u) << "came last";
  EXPECT_EQ(order[1], 0x01u);
  EXPECT_EQ(order[2], 0x02u);
  EXPECT_EQ(order[3], 0x0cu);
}

TEST(Convergence, ACollectiveRunsWithThoseWhoHaveComeWhenTheOthersHaveEnded) {
  Convergence warp = warp_of(0xff);
  warp.split_off(0xf0, kThen);
  warp.split_off(0x0c, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(warp.wait_collective(0xff, kStart + 3), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(warp.wait_collective(0xff, kElse + 3), 0u);
  ASSERT_EQ(warp.current().lanes, 0xf0u);
  warp.exit(0xf0);
  EXPECT_EQ(warp.current().lanes, 0x0fu);
  EXPECT_EQ(warp.current().pc, kElse + 1) << "the body of those that came last";
  warp.current().pc = kElse + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x0cu);
  EXPECT_EQ(warp.current().pc, kElse + 3);
  warp.exit(0x0c);
  EXPECT_EQ(warp.current().lanes, 0x03u);
  EXPECT_EQ(warp.current().pc, kStart + 3);
}

TEST(Convergence, CollectivesThatTheSameLanesLetGoByEndingRunOneAfterTheOther) {
  Convergence warp = warp_of(0x7);
  warp.split_off(0x4, kJoin);
  warp.split_off(0x2, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(warp.wait_collective(0x5, kStart + 3), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(warp.wait_collective(0x6, kElse + 3), 0u);
  ASSERT_EQ(warp.current().lanes, 0x4u);
  warp.exit(0x4);
  EXPECT_EQ(warp.current().lanes, 0x1u);
  EXPECT_EQ(warp.current().pc, kStart + 1);
  warp.current().pc = kStart + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x2u) << "before the others go on";
  EXPECT_EQ(warp.current().pc, kElse + 1);
  warp.current().pc = kElse + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x2u);
  EXPECT_EQ(warp.current().pc, kElse + 3);
  warp.exit(0x2);
  EXPECT_EQ(warp.current().lanes, 0x1u);
  EXPECT_EQ(warp.current().pc, kStart + 3);
}

// docs/experiments/divergence-order.md, 5: as in a recursion that saves its barrier.
TEST(Convergence, AGroupFromBehindTakesAlongThoseThatWaitAtTheBarrierItStandsAt) {
  Convergence warp = warp_of(0xf);
  warp.join_barrier(0, 0xf);
  warp.split_off(0x8, kThen);  // waits its turn at the BSYNC
  warp.split_off(0x4, kElse);  // next in turn
  warp.current().pc = kThen + 1;
  warp.wait_convergence_barrier(0);
  ASSERT_EQ(warp.current().lanes, 0x4u);
  warp.clear_barrier(0);      // the callee saves it
  warp.join_barrier(0, 0xc);  // and uses it: without the lanes that wait here
  warp.exit(0x4);
  ASSERT_EQ(warp.current().lanes, 0x8u);
  warp.current().pc = kThen + 1;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0xbu);
  EXPECT_EQ(warp.joined(), 0x3u);
}

// docs/experiments/divergence-order.md, 12.
TEST(Convergence, ABarrierKeepsItsLanesUntilItHasLetThemGo) {
  Convergence warp = warp_of(0xf);
  warp.join_barrier(0, 0x3);
  warp.split_off_first(0xc, kThen);
  warp.join_barrier(0, 0xc);
  EXPECT_EQ(warp.barrier(0), 0xfu);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  ASSERT_EQ(warp.current().lanes, 0x3u) << "the others wait for these";
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0xfu);
  EXPECT_EQ(warp.barrier(0), 0u);
}

TEST(Convergence, LanesThatWaitAtAWarpSyncAreNotAwaitedAtABarrier) {
  Convergence warp = warp_of(0xf);
  warp.join_barrier(0, 0xf);
  warp.split_off(0xc, kThen);
  warp.wait_warp_sync(0xf);
  ASSERT_EQ(warp.current().lanes, 0xcu);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0xcu);
  EXPECT_EQ(warp.barrier(0), 0u);
}

TEST(Convergence, LanesOutsideTheBarrierGoOnWithThoseTheyBringTheLastOnesTo) {
  Convergence warp = warp_of(0xf);
  warp.join_barrier(0, 0x7);
  warp.split_off_first(0x3, kThen);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  ASSERT_EQ(warp.current().lanes, 0xcu);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0xfu);
}

// docs/experiments/divergence-order.md, 13.
TEST(Convergence, ABarrierOpensWhereTheLastLanesAwaitedWaitAtAnother) {
  Convergence warp = warp_of(0xf);
  warp.restore_barrier(6, 0x7);
  warp.restore_barrier(7, 0x7);
  warp.split_off(0x8, kThen);
  warp.split_off(0x1, kElse);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(6);
  ASSERT_EQ(warp.current().lanes, 0x1u);
  warp.current().pc = kJoin + 5;
  EXPECT_EQ(warp.wait_convergence_barrier(7), 1u);
  EXPECT_EQ(warp.current().lanes, 0x1u);
  EXPECT_EQ(warp.current().pc, kJoin + 5);
  EXPECT_EQ(warp.barrier(7), 0u);
  warp.exit(0x1);
  ASSERT_EQ(warp.current().lanes, 0x8u);
  warp.exit(0x8);
  EXPECT_EQ(warp.current().lanes, 0x6u);
  EXPECT_EQ(warp.current().pc, kJoin - 1) << "they go through theirs again";
  EXPECT_TRUE(warp.current().again);
}

TEST(Convergence, ABarrierIsOpenWhenAllThatCouldRunHasYielded) {
  Convergence warp = warp_of(0x7);
  warp.join_barrier(0, 0x7);
  warp.split_off(0x4, kThen);
  warp.split_off(0x1, kElse);
  ASSERT_EQ(warp.current().lanes, 0x2u);
  EXPECT_TRUE(warp.yield());
  ASSERT_EQ(warp.current().lanes, 0x1u);
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  ASSERT_EQ(warp.current().lanes, 0x4u) << "one has not yielded, and goes next";
  warp.current().pc = kJoin;
  warp.wait_convergence_barrier(0);
  EXPECT_EQ(warp.current().lanes, 0x5u) << "the other one has";
  EXPECT_TRUE(warp.others_ready());
}

TEST(Convergence, GroupsThatYieldAtOnePlaceAreChosenTogether) {
  Convergence warp = warp_of(0x7);
  warp.split_off(0x4, kThen);
  warp.split_off(0x1, kElse);
  warp.current().pc = kJoin;
  warp.yield();
  ASSERT_EQ(warp.current().lanes, 0x1u);
  warp.current().pc = kJoin;
  warp.yield();
  ASSERT_EQ(warp.current().lanes, 0x4u) << "it has not yielded";
  warp.yield();
  EXPECT_EQ(warp.current().lanes, 0x3u);
}

TEST(Convergence, TheLastExitFinishesTheWarp) {
  Convergence warp = warp_of(0x3);
  warp.split_off(0x1, kThen);
  warp.exit(0x2);
  EXPECT_FALSE(warp.finished());
  warp.exit(0x1);
  EXPECT_TRUE(warp.finished());
  EXPECT_FALSE(warp.has_current());
}

}  // namespace
}  // namespace heddle::simulator
