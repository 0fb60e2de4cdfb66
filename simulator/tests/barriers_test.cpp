#include "simulator/warp/barriers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {
namespace {

constexpr Pc kStart{10}, kThen{20}, kElse{30}, kJoin{40};

Barriers warp_of(Mask lanes = kFullMask) {
  Barriers warp;
  warp.start(lanes, kStart);
  return warp;
}

void branch(Barriers& warp, Part runs, Part waits) {
  const std::array parts{runs, waits};
  warp.branch({.at = warp.current().pc - 1, .parts = parts});
}

// Lanes of the current group jump to `pc` and wait their turn; the rest goes on.
void jump_and_wait(Barriers& warp, Mask lanes, Pc pc) {
  const Group& group = warp.current();
  branch(warp, {group.lanes & ~lanes, group.pc}, {lanes, pc});
}

// They go on there; the rest waits its turn.
void jump_and_run(Barriers& warp, Mask lanes, Pc pc) {
  const Group& group = warp.current();
  branch(warp, {lanes, pc}, {group.lanes & ~lanes, group.pc});
}

// All lanes name the same mask. Returns how many groups go on together.
unsigned warpsync(Barriers& warp, Mask mask, Warpsync::Form form = Warpsync::Form::plain,
                  Pc behind = {}) {
  std::array<std::uint32_t, kWarpSize> masks;
  masks.fill(mask.bits());
  const Group& group = warp.current();
  return warp
      .warpsync({.at = group.pc - 1,
                 .form = form,
                 .active = group.lanes,
                 .masks = masks.data(),
                 .behind = behind})
      .met;
}

unsigned collective(Barriers& warp, Mask mask, Pc behind) {
  return warpsync(warp, mask, Warpsync::Form::collective, behind);
}

// The current group comes to the collective of the whole warp at `at`, of three instructions.
void come_to_collective(Barriers& warp, Pc at) {
  warp.current().pc = at + 1;
  collective(warp, 0xff_lanes, at + 3);
}

// It has executed the body of the collective at `at`.
void end_collective(Barriers& warp, Pc at) {
  warp.current().pc = at + 3;
  warp.end_collective();
}

TEST(Barriers, TheOtherSideRunsWhenOneSideWaitsAtTheBarrier) {
  Barriers warp = warp_of();
  warp.bssy(0, kFullMask);
  warp.current().pc = kElse;
  jump_and_wait(warp, 0x0000ffff_lanes, kThen);
  EXPECT_EQ(warp.current().lanes, 0xffff0000_lanes);
  warp.current().pc = kJoin;
  warp.bsync(0);
  ASSERT_TRUE(warp.has_current());
  EXPECT_EQ(warp.current().lanes, 0x0000ffff_lanes);
  EXPECT_EQ(warp.current().pc, kThen);
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, kFullMask);
  EXPECT_EQ(warp.current().pc, kJoin);
  EXPECT_EQ(warp.groups().size(), 1u);
}

TEST(Barriers, ABarrierDoesNotWaitForLanesThatExited) {
  Barriers warp = warp_of();
  warp.bssy(3, kFullMask);
  jump_and_wait(warp, 0xff_lanes, kThen);
  warp.bsync(3);
  warp.exit(0xff_lanes);
  ASSERT_TRUE(warp.has_current());
  EXPECT_EQ(warp.current().lanes, 0xffffff00_lanes);
  EXPECT_EQ(warp.live(), 0xffffff00_lanes);
}

// docs/experiments/divergence-order.md, 4.
TEST(Barriers, ABarrierDoesNotWaitForLanesThatBrokeAndTheFewerRunFirst) {
  for (const Mask leaving : {0x1_lanes, 0xfffffffe_lanes}) {
    Barriers warp = warp_of();
    warp.bssy(1, kFullMask);
    jump_and_wait(warp, leaving, kThen);
    warp.current().pc = kJoin;
    warp.bsync(1);
    ASSERT_EQ(warp.current().lanes, leaving);
    warp.leave_barrier(1, leaving);
    EXPECT_EQ(warp.current().lanes, 0x1_lanes);
    EXPECT_TRUE(warp.others_ready());
    warp.exit(0x1_lanes);
    EXPECT_EQ(warp.current().lanes, 0xfffffffe_lanes);
  }
}

TEST(Barriers, ABreakOpensABarrierWhoseOtherLanesWaitAtAnother) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(6, 0xf_lanes);
  warp.bssy(7, 0xf_lanes);
  jump_and_run(warp, 0x3_lanes, kThen);
  warp.current().pc = kJoin;
  warp.bsync(7);
  ASSERT_EQ(warp.current().lanes, 0xc_lanes);
  warp.leave_barrier(6, 0xc_lanes);
  EXPECT_EQ(warp.barrier(6), Mask());
  EXPECT_EQ(warp.current().lanes, 0xc_lanes);
  EXPECT_TRUE(warp.others_ready());
  warp.exit(0xc_lanes);
  EXPECT_EQ(warp.current().lanes, 0x3_lanes);
  EXPECT_EQ(warp.current().pc, kJoin - 1) << "they go through theirs again";
  EXPECT_TRUE(warp.replays());
}

TEST(Barriers, LanesOutsideTheBarrierPassIt) {
  Barriers warp = warp_of();
  warp.bssy(2, 0xf0_lanes);
  jump_and_wait(warp, 0xf0_lanes, kThen);
  warp.current().pc = kJoin;
  warp.bsync(2);
  EXPECT_EQ(warp.current().lanes, 0xffffff0f_lanes);
  EXPECT_EQ(warp.current().wait, Wait::none);
}

TEST(Barriers, LanesThatWaitStayWhileACalleeUsesTheirBarrier) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(6, 0xf_lanes);
  jump_and_run(warp, 0x3_lanes, kThen);
  warp.current().pc = kJoin;
  warp.bsync(6);
  ASSERT_EQ(warp.current().lanes, 0xc_lanes);
  warp.bmov_clear(6);       // the callee saves it with BMOV.CLEAR,
  warp.bssy(6, 0xc_lanes);  // uses it,
  warp.current().pc = kElse;
  warp.bsync(6);
  EXPECT_EQ(warp.current().lanes, 0xc_lanes) << "and meets alone";
  EXPECT_FALSE(warp.others_ready());
  warp.bmov_write(6, 0xf_lanes);  // and restores it.
  warp.current().pc = kJoin;
  warp.bsync(6);
  EXPECT_EQ(warp.current().lanes, 0xf_lanes);
}

TEST(Barriers, WarpSyncReleasesTogetherFromDifferentPlaces) {
  Barriers warp = warp_of(0xf_lanes);
  jump_and_wait(warp, 0x3_lanes, kThen);
  warp.current().pc = kElse;
  warpsync(warp, 0xf_lanes);
  ASSERT_EQ(warp.current().lanes, 0x3_lanes);
  warp.current().pc = kThen + 1;
  warpsync(warp, 0xf_lanes);
  EXPECT_EQ(warp.groups().size(), 2u) << "different instructions: two groups";
  for (const Group& group : warp.groups()) EXPECT_EQ(group.wait, Wait::none);
}

TEST(Barriers, AfterAWarpSyncTheLastComerGoesOnFirstThenTheOthersByTheirLowestLanes) {
  Barriers warp = warp_of(0x7_lanes);
  jump_and_wait(warp, 0x4_lanes, kThen);
  jump_and_wait(warp, 0x2_lanes, kElse);
  warp.current().pc = kJoin;
  for (int arrivals = 0; arrivals < 3; ++arrivals) warpsync(warp, 0x7_lanes);
  Mask order[3] = {};
  for (Mask& lanes : order) {
    lanes = warp.current().lanes;
    warp.exit(lanes);
  }
  EXPECT_EQ(order[0], 0x4_lanes) << "came last";
  EXPECT_EQ(order[1], 0x1_lanes);
  EXPECT_EQ(order[2], 0x2_lanes);
}

TEST(Barriers, WarpSyncAtOnePlaceMakesOneGroup) {
  Barriers warp = warp_of(0xf_lanes);
  jump_and_wait(warp, 0x3_lanes, kThen);
  warp.current().pc = kJoin;
  warpsync(warp, 0xf_lanes);
  warp.current().pc = kJoin;
  warpsync(warp, 0xf_lanes);
  ASSERT_EQ(warp.groups().size(), 1u);
  EXPECT_EQ(warp.current().lanes, 0xf_lanes);
}

TEST(Barriers, YieldLetsEveryOtherGroupRunFirst) {
  Barriers warp = warp_of(0x7_lanes);
  jump_and_wait(warp, 0x1_lanes, kThen);
  jump_and_wait(warp, 0x2_lanes, kElse);
  ASSERT_EQ(warp.current().lanes, 0x4_lanes);
  warp.yield();
  const Mask second = warp.current().lanes;
  warp.yield();
  const Mask third = warp.current().lanes;
  warp.yield();
  EXPECT_EQ(second, 0x2_lanes) << "the one that waited last";
  EXPECT_EQ(third, 0x1_lanes);
  EXPECT_EQ(warp.current().lanes, 0x2_lanes) << "all have yielded: the next lane";
  warp.yield();
  EXPECT_EQ(warp.current().lanes, 0x4_lanes);
}

TEST(Barriers, YieldLetsLanesPassTheBarrierWhereTheyWaitForTheOneThatYields) {
  Barriers warp = warp_of(0x3_lanes);
  warp.bssy(0, 0x3_lanes);
  jump_and_wait(warp, 0x1_lanes, kThen);
  warp.current().pc = kJoin;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0x1_lanes);
  EXPECT_EQ(warp.yield(), Flow::reschedule);
  EXPECT_EQ(warp.current().lanes, 0x2_lanes);
  EXPECT_TRUE(warp.replays()) << "it goes through its BSYNC again";
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0x2_lanes);
  EXPECT_FALSE(warp.replays());
  warp.yield();
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0x1_lanes) << "it does not wait for lanes that have passed";
}

// docs/experiments/divergence-order.md, 9: places_yields of group_walks.
TEST(Barriers, AGroupThatIsAloneToRunIsFoundAgainWhenItYields) {
  constexpr unsigned kSearch = 29;
  Barriers warp = warp_of(kFullMask);
  jump_and_wait(warp, 0x81_lanes, kThen);
  warp.current().pc = kElse + 1;
  warpsync(warp, kFullMask);
  ASSERT_EQ(warp.current().lanes, 0x81_lanes);
  EXPECT_EQ(warp.state_register(kSearch), 1u << 8);
  EXPECT_EQ(warp.yield(), Flow::reschedule);
  EXPECT_EQ(warp.current().lanes, 0x81_lanes);
  EXPECT_EQ(warp.state_register(kSearch), 8u << 8) << "behind lane 7";
}

// docs/experiments/divergence-order.md, 9: nest_yield1 and ifs_yield135 of group_walks -G.
TEST(Barriers, TheSearchGoesOnBehindAGroupThatPassesABarrierOfItsOwn) {
  constexpr unsigned kSearch = 29;
  Barriers warp = warp_of(kFullMask);
  jump_and_wait(warp, 0xfffffffe_lanes, kThen);
  ASSERT_EQ(warp.current().lanes, 0x1_lanes);
  warp.bsync(1);
  EXPECT_EQ(warp.state_register(kSearch), 0u) << "the barrier has no lanes";
  warp.bssy(1, 0x1_lanes);
  warp.bsync(1);
  EXPECT_EQ(warp.state_register(kSearch), 1u << 8);
}

TEST(Barriers, ThereIsNobodyToYieldToInAConvergedWarp) {
  Barriers warp = warp_of();
  EXPECT_EQ(warp.yield(), Flow::next);
  EXPECT_EQ(warp.current().lanes, kFullMask);
}

TEST(Barriers, NothingIsCurrentWhileAllWaitForTheBlock) {
  Barriers warp = warp_of();
  warp.wait_at_block_barrier(0);
  EXPECT_FALSE(warp.has_current());
  EXPECT_EQ(warp.waiting_at_block_barrier(0), kFullMask);
  warp.release_block_barrier(0);
  EXPECT_TRUE(warp.has_current());
}

TEST(Barriers, LanesAtABlockBarrierAreAwaitedButAtABarrierThatAMoveRestored) {
  for (const bool restored : {false, true}) {
    Barriers warp;
    warp.start(0xf_lanes, Pc(0));
    warp.bssy(6, 0xf_lanes);
    jump_and_wait(warp, 0x3_lanes, Pc(20));
    if (restored) warp.bmov_write(6, 0xf_lanes);
    warp.bsync(6);  // 0xc, for 0x3
    ASSERT_EQ(warp.current().lanes, 0x3_lanes);
    warp.wait_at_block_barrier(0);
    EXPECT_EQ(warp.has_current(), restored);
    if (restored) {
      EXPECT_EQ(warp.current().lanes, 0xc_lanes);
    }
  }
}

TEST(Barriers, ABlockBarrierMergesNothing) {
  Barriers warp = warp_of(0xf_lanes);
  jump_and_wait(warp, 0x3_lanes, kJoin);
  warp.current().pc = kJoin;
  warp.wait_at_block_barrier(0);
  warp.wait_at_block_barrier(0);
  warp.release_block_barrier(0);
  EXPECT_EQ(warp.groups().size(), 2u);
  for (const Group& group : warp.groups()) EXPECT_EQ(group.wait, Wait::none);
}

// A warp that ends releases those at the block's own barriers; the cluster's is not one of them.
TEST(Barriers, AWarpThatEndsDoesNotReleaseThoseAtTheClustersBarrier) {
  for (const unsigned number : {3u, 16u}) {
    Block block;
    block.warps.resize(2);
    block.results.resize(2, {.word = 7, .holds = true});
    for (Warp& warp : block.warps) {
      warp.block = &block;
      warp.convergence = std::make_unique<Barriers>();
      warp.convergence->start(kFullMask, kStart);
    }
    block.warps[0].convergence->wait_at_block_barrier(number);
    if (number < block.barriers.size()) block.awaited_barriers = 1u << number;
    block.warps[1].convergence->exit(kFullMask);
    check_block_barriers(block);
    const bool released = block.warps[0].convergence->waiting_at_block_barrier(number).empty();
    EXPECT_EQ(released, number == 3);
    EXPECT_EQ(block.barriers_completed, number == 3 ? 1u : 0u);
    EXPECT_EQ(block.results[1].word, 7u);
  }
}

// docs/experiments/divergence-order.md, 5.
TEST(Barriers, WaitingGroupsAtOnePlaceBecomeOneWhenAThirdOneIsPutBeforeThem) {
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0xf0_lanes, kJoin);
  jump_and_wait(warp, 0x0c_lanes, kJoin);
  EXPECT_EQ(warp.groups().size(), 3u) << "the one that is next in turn stays by itself";
  jump_and_wait(warp, 0x02_lanes, kElse);
  ASSERT_EQ(warp.groups().size(), 3u);
  EXPECT_EQ(warp.groups()[0].lanes, 0xfc_lanes);
  EXPECT_EQ(warp.groups()[1].lanes, 0x02_lanes);
  EXPECT_EQ(warp.current().lanes, 0x01_lanes);
}

// docs/experiments/divergence-order.md, "Code that counts itself".
TEST(Barriers, InPatchedCodeAnAccessMakesWaitingGroupsAtOnePlaceBecomeOne) {
  for (const bool patched : {false, true}) {
    const auto made = reconvergence_by(ReconvergencePolicy::barriers, nullptr, nullptr, patched)();
    auto& warp = static_cast<Barriers&>(*made);
    warp.start(0xff_lanes, kStart);
    jump_and_wait(warp, 0xf0_lanes, kJoin);
    jump_and_wait(warp, 0x0c_lanes, kJoin);
    warp.memory_access();
    EXPECT_EQ(warp.groups().size(), patched ? 2u : 3u);
    EXPECT_EQ(warp.groups().front().lanes, patched ? 0xfc_lanes : 0xf0_lanes);
    EXPECT_EQ(warp.current().lanes, 0x03_lanes);
    EXPECT_EQ(warp.patches_show(), patched);
  }
}

TEST(Barriers, InPatchedCodeLanesThatJumpedDoNotMeetThoseThatFellThrough) {
  for (const bool patched : {false, true}) {
    const auto made = reconvergence_by(ReconvergencePolicy::barriers, nullptr, nullptr, patched)();
    auto& warp = static_cast<Barriers&>(*made);
    warp.start(0xff_lanes, kStart);
    jump_and_wait(warp, 0xf0_lanes, kJoin);
    warp.current().pc = kJoin;
    jump_and_run(warp, 0x03_lanes, kElse);  // 0c waits behind its branch, at kJoin too
    jump_and_wait(warp, 0x01_lanes, kThen);
    EXPECT_EQ(warp.groups().size(), patched ? 4u : 3u);
    EXPECT_EQ(warp.patches_show(), patched);
  }
}

TEST(Barriers, AGroupThatAnotherJoinsMovesUpInTheOrder) {
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0xc0_lanes, kJoin);
  jump_and_wait(warp, 0x30_lanes, kThen);
  jump_and_wait(warp, 0x08_lanes, kJoin);
  jump_and_wait(warp, 0x04_lanes, kElse);
  warp.exit(0x03_lanes);
  EXPECT_EQ(warp.current().lanes, 0x04_lanes);
  warp.exit(0x04_lanes);
  EXPECT_EQ(warp.current().lanes, 0xc8_lanes);
  warp.exit(0xc8_lanes);
  EXPECT_EQ(warp.current().lanes, 0x30_lanes);
}

TEST(Barriers, LanesLeftBehindAreTheOnesToGoThroughTheInstructionAgain) {
  Barriers warp = warp_of(0xf_lanes);
  const std::array parts{Part{0xc_lanes, kThen}, Part{0x3_lanes, kElse}};
  warp.branch({.at = kStart, .parts = parts, .indirect = true});
  EXPECT_FALSE(warp.replays());
  warp.exit(0xc_lanes);
  EXPECT_TRUE(warp.replays());
  EXPECT_EQ(warp.current().lanes, 0x3_lanes);
  EXPECT_EQ(warp.current().pc, kStart);
}

// docs/experiments/divergence-order.md, 7.
TEST(Barriers, ACollectiveRunsOnceWithAllLanesThenTheLastComersGoOnApart) {
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0xf0_lanes, kThen);
  jump_and_wait(warp, 0x0c_lanes, kJoin);
  jump_and_wait(warp, 0x02_lanes, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(collective(warp, 0xff_lanes, kJoin), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(collective(warp, 0xff_lanes, kElse + 2), 0u);
  collective(warp, 0xff_lanes, kThen + 2);
  ASSERT_EQ(warp.current().lanes, 0xf0_lanes);
  warp.current().pc = kThen + 1;
  EXPECT_EQ(collective(warp, 0xff_lanes, kThen + 2), 4u);
  EXPECT_EQ(warp.current().lanes, 0xff_lanes);
  EXPECT_EQ(warp.current().pc, kThen + 1);
  EXPECT_EQ(warp.groups().size(), 1u);
  warp.current().pc = kThen + 2;
  warp.end_collective();
  Mask order[4] = {};
  for (Mask& lanes : order) {
    lanes = warp.current().lanes;
    warp.exit(lanes);
  }
  EXPECT_EQ(order[0], 0xf0_lanes) << "came last";
  EXPECT_EQ(order[1], 0x01_lanes);
  EXPECT_EQ(order[2], 0x02_lanes);
  EXPECT_EQ(order[3], 0x0c_lanes);
}

// The same, 7: places_warp of group_walks. The others have one entry on the stack, that of the
// lowest lane, while the search goes on behind each group that had its turn.
TEST(Barriers, LanesThatLeaveACollectiveHaveOneEntryOnTheStack) {
  constexpr unsigned kStack = 28, kOneEntry = 1u << 25;
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0xf0_lanes, kThen);
  jump_and_wait(warp, 0x0c_lanes, kElse);
  come_to_collective(warp, kStart);
  come_to_collective(warp, kElse);
  come_to_collective(warp, kThen);
  end_collective(warp, kThen);
  ASSERT_EQ(warp.current().lanes, 0xf0_lanes);
  EXPECT_EQ(warp.state_register(kStack), kOneEntry | 0u);
  warp.exit(0xf0_lanes);
  EXPECT_EQ(warp.current().lanes, 0x03_lanes);
  EXPECT_EQ(warp.state_register(kStack), kOneEntry | 2u) << "those that are left";
}

// The same, 7: places_warp of group_walks with a bias of 40.
TEST(Barriers, LanesThatWaitAtACollectiveReplayItWhenOthersLeaveItToTheirPlace) {
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0x0f_lanes, kThen);
  come_to_collective(warp, kElse);
  come_to_collective(warp, kThen);
  end_collective(warp, kThen);
  ASSERT_EQ(warp.current().lanes, 0x0f_lanes);
  // Those that left first are at the collective again, where the others come from, before these
  // have had their turn.
  come_to_collective(warp, kElse);
  ASSERT_EQ(warp.current().lanes, 0xf0_lanes);
  EXPECT_EQ(warp.current().pc, kElse + 3);
  warp.exit(0xf0_lanes);
  EXPECT_EQ(warp.current().lanes, 0x0f_lanes);
  EXPECT_EQ(warp.current().pc, kElse) << "at WARPSYNC";
  EXPECT_TRUE(warp.replays());
}

// The same, 7: places_halves of group_walks; two_places of warpsync_masks.
TEST(Barriers, LanesThatNameAnotherMaskComeToACollectiveBeforeThoseThatLeftIt) {
  Barriers warp = warp_of(0xff_lanes);
  std::array<std::uint32_t, kWarpSize> masks;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) masks[lane] = lane < 4 ? 0x0f : 0xf0;
  const auto come = [&](Mask active, Pc at, Pc behind) {
    warp.current().pc = at + 1;
    return warp.warpsync({.at = at,
                          .form = Warpsync::Form::collective,
                          .active = active,
                          .masks = masks.data(),
                          .behind = behind});
  };
  jump_and_wait(warp, 0xcc_lanes, kThen);
  come(0x33_lanes, kElse, kElse + 3);
  come(0x30_lanes, kElse, kElse + 3);
  ASSERT_EQ(warp.current().lanes, 0xcc_lanes);
  come(0xcc_lanes, kThen, kThen + 3);
  ASSERT_EQ(warp.current().lanes, 0x0f_lanes) << "all that name the first mask";
  end_collective(warp, kThen);
  ASSERT_EQ(warp.current().lanes, 0x0c_lanes);
  warp.exit(0x0c_lanes);
  ASSERT_EQ(warp.current().lanes, 0xc0_lanes) << "before lanes 0 and 1, which have left it";
  EXPECT_TRUE(warp.replays());
  come(0xc0_lanes, kThen, kThen + 3);
  end_collective(warp, kThen);
  warp.exit(0xc0_lanes);
  EXPECT_EQ(warp.current().lanes, 0x33_lanes) << "from both collectives";
}

TEST(Barriers, ACollectiveRunsWithThoseWhoHaveComeWhenTheOthersHaveEnded) {
  Barriers warp = warp_of(0xff_lanes);
  jump_and_wait(warp, 0xf0_lanes, kThen);
  jump_and_wait(warp, 0x0c_lanes, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(collective(warp, 0xff_lanes, kStart + 3), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(collective(warp, 0xff_lanes, kElse + 3), 0u);
  ASSERT_EQ(warp.current().lanes, 0xf0_lanes);
  warp.exit(0xf0_lanes);
  EXPECT_EQ(warp.current().lanes, 0x0f_lanes);
  EXPECT_EQ(warp.current().pc, kElse + 1) << "the body of those that came last";
  warp.current().pc = kElse + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x0c_lanes);
  EXPECT_EQ(warp.current().pc, kElse + 3);
  warp.exit(0x0c_lanes);
  EXPECT_EQ(warp.current().lanes, 0x03_lanes);
  EXPECT_EQ(warp.current().pc, kStart + 3);
}

TEST(Barriers, CollectivesThatTheSameLanesLetGoByEndingRunOneAfterTheOther) {
  Barriers warp = warp_of(0x7_lanes);
  jump_and_wait(warp, 0x4_lanes, kJoin);
  jump_and_wait(warp, 0x2_lanes, kElse);
  warp.current().pc = kStart + 1;
  EXPECT_EQ(collective(warp, 0x5_lanes, kStart + 3), 0u);
  warp.current().pc = kElse + 1;
  EXPECT_EQ(collective(warp, 0x6_lanes, kElse + 3), 0u);
  ASSERT_EQ(warp.current().lanes, 0x4_lanes);
  warp.exit(0x4_lanes);
  EXPECT_EQ(warp.current().lanes, 0x1_lanes);
  EXPECT_EQ(warp.current().pc, kStart + 1);
  warp.current().pc = kStart + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x2_lanes) << "before the others go on";
  EXPECT_EQ(warp.current().pc, kElse + 1);
  warp.current().pc = kElse + 3;
  warp.end_collective();
  EXPECT_EQ(warp.current().lanes, 0x2_lanes);
  EXPECT_EQ(warp.current().pc, kElse + 3);
  warp.exit(0x2_lanes);
  EXPECT_EQ(warp.current().lanes, 0x1_lanes);
  EXPECT_EQ(warp.current().pc, kStart + 3);
}

// docs/experiments/divergence-order.md, 5: as in a recursion that saves its barrier.
TEST(Barriers, AGroupFromBehindTakesAlongThoseThatWaitAtTheBarrierItStandsAt) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(0, 0xf_lanes);
  jump_and_wait(warp, 0x8_lanes, kThen);  // waits its turn at the BSYNC
  jump_and_wait(warp, 0x4_lanes, kElse);  // next in turn
  warp.current().pc = kThen + 1;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0x4_lanes);
  warp.bmov_clear(0);       // the callee saves it
  warp.bssy(0, 0xc_lanes);  // and uses it: without the lanes that wait here
  warp.exit(0x4_lanes);
  ASSERT_EQ(warp.current().lanes, 0x8_lanes);
  warp.current().pc = kThen + 1;
  const Bsync done = warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0xb_lanes);
  EXPECT_EQ(done.taken_along, 0x3_lanes);
}

TEST(Barriers, LanesTakenAlongThatTheBarrierDoesNotHaveGoOnAlone) {
  Barriers warp = warp_of(0x1f_lanes);
  warp.bssy(0, 0x1f_lanes);
  jump_and_wait(warp, 0x10_lanes, kElse);  // is awaited to the end
  jump_and_wait(warp, 0x8_lanes, kThen);
  jump_and_wait(warp, 0x4_lanes, kElse + 5);
  warp.current().pc = kThen + 1;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0x4_lanes);
  warp.bmov_clear(0);
  warp.bssy(0, 0x1c_lanes);  // without the lanes that wait here
  warp.exit(0x4_lanes);
  ASSERT_EQ(warp.current().lanes, 0x8_lanes);
  warp.current().pc = kThen + 1;
  EXPECT_EQ(warp.bsync(0).taken_along, 0x3_lanes);
  EXPECT_EQ(warp.current().lanes, 0x3_lanes);
  EXPECT_EQ(warp.barrier(0), 0x18_lanes);
}

// docs/experiments/divergence-order.md, 12.
TEST(Barriers, ABarrierKeepsItsLanesUntilItHasLetThemGo) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(0, 0x3_lanes);
  jump_and_run(warp, 0xc_lanes, kThen);
  warp.bssy(0, 0xc_lanes);
  EXPECT_EQ(warp.barrier(0), 0xf_lanes);
  warp.current().pc = kJoin;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0x3_lanes) << "the others wait for these";
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0xf_lanes);
  EXPECT_EQ(warp.barrier(0), Mask());
}

TEST(Barriers, LanesThatWaitAtAWarpSyncAreNotAwaitedAtABarrier) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(0, 0xf_lanes);
  jump_and_wait(warp, 0xc_lanes, kThen);
  warpsync(warp, 0xf_lanes);
  ASSERT_EQ(warp.current().lanes, 0xc_lanes);
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0xc_lanes);
  EXPECT_EQ(warp.barrier(0), Mask());
}

TEST(Barriers, LanesOutsideTheBarrierGoOnWithThoseTheyBringTheLastOnesTo) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(0, 0x7_lanes);
  jump_and_run(warp, 0x3_lanes, kThen);
  warp.current().pc = kJoin;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0xc_lanes);
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0xf_lanes);
}

// docs/experiments/divergence-order.md, 13.
TEST(Barriers, ABarrierOpensWhereTheLastLanesAwaitedWaitAtAnother) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bmov_write(6, 0x7_lanes);
  warp.bmov_write(7, 0x7_lanes);
  jump_and_wait(warp, 0x8_lanes, kThen);
  jump_and_wait(warp, 0x1_lanes, kElse);
  warp.current().pc = kJoin;
  warp.bsync(6);
  ASSERT_EQ(warp.current().lanes, 0x1_lanes);
  warp.current().pc = kJoin + 5;
  EXPECT_EQ(warp.bsync(7).met, 1u);
  EXPECT_EQ(warp.current().lanes, 0x1_lanes);
  EXPECT_EQ(warp.current().pc, kJoin + 5);
  EXPECT_EQ(warp.barrier(7), Mask());
  warp.exit(0x1_lanes);
  ASSERT_EQ(warp.current().lanes, 0x8_lanes);
  warp.exit(0x8_lanes);
  EXPECT_EQ(warp.current().lanes, 0x6_lanes);
  EXPECT_EQ(warp.current().pc, kJoin - 1) << "they go through theirs again";
  EXPECT_TRUE(warp.replays());
}

TEST(Barriers, ABarrierIsOpenWhenAllThatCouldRunHasYielded) {
  Barriers warp = warp_of(0x7_lanes);
  warp.bssy(0, 0x7_lanes);
  jump_and_wait(warp, 0x4_lanes, kThen);
  jump_and_wait(warp, 0x1_lanes, kElse);
  ASSERT_EQ(warp.current().lanes, 0x2_lanes);
  EXPECT_EQ(warp.yield(), Flow::reschedule);
  ASSERT_EQ(warp.current().lanes, 0x1_lanes);
  warp.current().pc = kJoin;
  warp.bsync(0);
  ASSERT_EQ(warp.current().lanes, 0x4_lanes) << "one has not yielded, and goes next";
  warp.current().pc = kJoin;
  warp.bsync(0);
  EXPECT_EQ(warp.current().lanes, 0x5_lanes) << "the other one has";
  EXPECT_TRUE(warp.others_ready());
}

TEST(Barriers, GroupsThatYieldAtOnePlaceAreChosenTogether) {
  Barriers warp = warp_of(0x7_lanes);
  jump_and_wait(warp, 0x4_lanes, kThen);
  jump_and_wait(warp, 0x1_lanes, kElse);
  warp.current().pc = kJoin;
  warp.yield();
  ASSERT_EQ(warp.current().lanes, 0x1_lanes);
  warp.current().pc = kJoin;
  warp.yield();
  ASSERT_EQ(warp.current().lanes, 0x4_lanes) << "it has not yielded";
  warp.yield();
  EXPECT_EQ(warp.current().lanes, 0x3_lanes);
}

TEST(Barriers, ACopyIsInTheSameStateUntilOneOfThemGoesOn) {
  Barriers warp = warp_of(0xf_lanes);
  warp.bssy(0, 0xf_lanes);
  jump_and_wait(warp, 0x3_lanes, kThen);
  const auto copy = warp.clone();
  EXPECT_TRUE(warp.equals(*copy));
  warp.bsync(0);
  EXPECT_FALSE(warp.equals(*copy));
  static_cast<Barriers&>(*copy).bsync(0);
  EXPECT_TRUE(warp.equals(*copy));
}

TEST(Barriers, TheLastExitFinishesTheWarp) {
  Barriers warp = warp_of(0x3_lanes);
  jump_and_wait(warp, 0x1_lanes, kThen);
  warp.exit(0x2_lanes);
  EXPECT_FALSE(warp.finished());
  warp.exit(0x1_lanes);
  EXPECT_TRUE(warp.finished());
  EXPECT_FALSE(warp.has_current());
}

}  // namespace
}  // namespace heddle::simulator
