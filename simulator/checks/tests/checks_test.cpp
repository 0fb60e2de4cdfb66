// Mistakes planted in simulator/checks/tests/kernels/planted.cu, each beside its repair, in which
// nothing may be found.
#include "simulator/checks/checks.hpp"
#include "simulator/checks/heap_blocks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/memory/device_heap.hpp"
#include "simulator/tests/compiled_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

namespace heddle::simulator::checks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::byte> planted_kernels() {
  return compiled_kernels("simulator/checks/tests/kernels/planted.sm_90.cubin");
}

class Planted : public ::testing::Test {
 protected:
  void look_for(const char* names) {
    checks_.reset();
    checks_.emplace(parse_options(names), device_.memory());
  }

  // `written`: by a copy of the program.
  std::uint64_t array(std::uint64_t bytes, bool written = true) {
    const std::uint64_t address = *device_.memory().allocate(bytes, "cudaMalloc");
    if (written) device_.memory().host_wrote(address, bytes);
    return address;
  }

  template <typename... Arguments>
  std::vector<Finding> run(const char* kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    EXPECT_NE(request.kernel, nullptr) << kernel;
    if (request.kernel == nullptr) return {};
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = dynamic_shared_bytes_;
    request.cooperative = cooperative_;
    request.parameters = parameters(arguments...);
    LaunchOptions options;
    options.checks = checks_ ? &*checks_ : nullptr;
    const LaunchOutcome outcome = device_.launch(request, options);
    class_ = outcome.launch_class;
    fault_ = outcome.fault ? outcome.fault->message() : "";
    for (const Finding& finding : outcome.findings) {
      text_ += finding.check + " " + finding.kind + ": " + finding.message + "\n";
      for (const Side& side : finding.sides)
        text_ += "  " + side.line + " " + side.text + ": " + side.what + "\n";
    }
    return outcome.findings;
  }
  // Races, one of them of this kind, between an instruction and an earlier one.
  void expect_race(const std::vector<Finding>& findings, const char* kind, const char* now,
                   const char* before) {
    bool found = false;
    for (const Finding& finding : findings) {
      EXPECT_EQ(finding.check, "races");
      ASSERT_THAT(finding.sides, SizeIs(2));
      found =
          found || (finding.kind == kind && finding.sides[0].text.find(now) != std::string::npos &&
                    finding.sides[1].text.find(before) != std::string::npos);
    }
    EXPECT_TRUE(found) << text_;
  }
  // One finding, of this kind, whose sides stand in the kernels' source.
  void expect_one(const std::vector<Finding>& findings, const char* check, const char* kind,
                  std::size_t sides) {
    ASSERT_THAT(findings, SizeIs(1)) << text_;
    EXPECT_EQ(findings[0].check, check);
    EXPECT_EQ(findings[0].kind, kind);
    EXPECT_THAT(findings[0].sides, SizeIs(sides)) << text_;
    for (const Side& side : findings[0].sides) {
      EXPECT_THAT(side.line, HasSubstr(":")) << text_;
      EXPECT_TRUE(side.lanes.any());
    }
  }

  Device device_{gpu_model("h200")};
  Module module_{planted_kernels(), "planted.cubin", device_.memory()};
  std::optional<Checks> checks_;
  std::uint32_t dynamic_shared_bytes_ = 0;
  bool cooperative_ = false;
  std::string fault_, text_;
  LaunchClass class_;  // of the last launch
};

// Checks at once: what one of them looks at others are told of as well.
TEST_F(Planted, RepairedKernelsAreRightToAllChecksTogether) {
  look_for("all");
  const auto data = array(4096), out = array(4096);
  EXPECT_THAT(run("mask_of_ended", {1, 1, 1}, {32, 1, 1}, data, out, 20), IsEmpty()) << text_;
  EXPECT_THAT(run("mask_of_absent_repaired", {1, 1, 1}, {32, 1, 1}, data, out), IsEmpty()) << text_;
  EXPECT_THAT(run("halves_repaired", {1, 1, 1}, {32, 1, 1}, data, 3), IsEmpty()) << text_;
  EXPECT_THAT(run("predicated_repaired", {1, 1, 1}, {32, 1, 1}, data, out), IsEmpty()) << text_;
}

// ---- memory

TEST_F(Planted, AccessesPastTheEndAreToldWithAllTheirLanes) {
  look_for("memory");
  const auto data = array(4 * 20);
  const auto findings = run("past_the_end", {1, 1, 1}, {64, 1, 1}, data, 20);
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0xfff00000_lanes);
  EXPECT_EQ(findings[0].address, data + 80);
  EXPECT_THAT(findings[0].details, HasSubstr("0 bytes past the end of cudaMalloc (80 bytes"));
  EXPECT_THAT(run("past_the_end_repaired", {1, 1, 1}, {64, 1, 1}, data, 20), IsEmpty()) << text_;
}

TEST_F(Planted, AsynchronousCopiesPastTheEnd) {
  look_for("memory");
  const auto data = array(4 * 20), out = array(4 * 64);
  const auto findings = run("own_copy_repaired", {1, 1, 1}, {64, 1, 1}, data, out);
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0xfff00000_lanes);
  EXPECT_EQ(findings[0].address, data + 80);
  EXPECT_THAT(findings[0].sides[0].text, HasSubstr("LDGSTS"));
  EXPECT_THAT(findings[0].message, HasSubstr("reads 4 bytes of global memory")) << text_;
}

TEST_F(Planted, BulkCopiesPastTheEnd) {
  look_for("memory");
  const auto out = array(4 * 64), data = array(4 * 60);
  const auto findings = run("bulk_copy", {1, 1, 1}, {64, 1, 1}, data, out, 1, 0);
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_THAT(findings[0].sides[0].text, HasSubstr("UBLKCP")) << text_;
  EXPECT_THAT(run("bulk_copy", {1, 1, 1}, {64, 1, 1}, array(4 * 64), out, 1, 0), IsEmpty())
      << text_;
}

TEST_F(Planted, BulkReductionsPastTheEnd) {
  look_for("memory");
  const auto data = array(4 * 64);
  const auto findings = run("bulk_reduction", {1, 1, 1}, {64, 1, 1}, data, array(4 * 60));
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_THAT(findings[0].sides[0].text, HasSubstr("UBLKRED")) << text_;
  EXPECT_THAT(run("bulk_reduction", {1, 1, 1}, {64, 1, 1}, data, array(4 * 64)), IsEmpty())
      << text_;
}

TEST_F(Planted, ACopyThatFillsWithZerosReadsWhatIsThere) {
  look_for("memory");
  const auto data = array(4 * 18), out = array(4 * 64);
  EXPECT_THAT(run("copy_of_fours", {1, 1, 1}, {32, 1, 1}, data, out, 18), IsEmpty()) << text_;
  const auto findings = run("copy_of_fours", {1, 1, 1}, {32, 1, 1}, data, out, 22);
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0x00000020_lanes);
}

TEST_F(Planted, MisalignedAccesses) {
  look_for("memory");
  const auto data = array(4096);
  const auto findings = run("misaligned", {1, 1, 1}, {32, 1, 1}, data, 6);
  expect_one(findings, "memory", "misaligned", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0xaaaaaaaa_lanes);
  EXPECT_THAT(run("misaligned", {1, 1, 1}, {32, 1, 1}, data, 8), IsEmpty()) << text_;
}

TEST_F(Planted, SharedMemoryHasAnEnd) {
  look_for("memory");
  dynamic_shared_bytes_ = 32 * 4;
  const auto data = array(4096);
  const auto findings = run("shared_past_the_end", {1, 1, 1}, {32, 1, 1}, data, 2);
  expect_one(findings, "memory", "out_of_bounds", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0xffff0000_lanes);
  EXPECT_THAT(run("shared_past_the_end", {1, 1, 1}, {32, 1, 1}, data, 1), IsEmpty()) << text_;
}

// Of 72 bytes the block has 128.
TEST_F(Planted, SharedMemoryBehindWhatWasAskedForIsReachedAndReported) {
  dynamic_shared_bytes_ = 72;
  const auto data = array(4096);
  run("shared_past_the_end", {1, 1, 1}, {32, 1, 1}, data, 1);
  EXPECT_EQ(fault_, "");
  run("shared_past_the_end", {1, 1, 1}, {32, 1, 1}, data, 2);
  EXPECT_THAT(fault_, HasSubstr("the block has 72 bytes of shared memory, from 0x400 on"));
  look_for("memory");
  const auto findings = run("shared_past_the_end", {1, 1, 1}, {32, 1, 1}, data, 1);
  EXPECT_EQ(fault_, "");
  ASSERT_THAT(findings, SizeIs(2)) << text_;  // the store and the load
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.kind, "out_of_bounds");
    EXPECT_EQ(finding.sides[0].lanes, 0xfffc0000_lanes);
  }
}

TEST_F(Planted, FreedMemoryIsRememberedThoughMoreIsAllocated) {
  look_for("memory");
  const auto data = array(128), out = array(128);
  EXPECT_THAT(run("reads", {1, 1, 1}, {32, 1, 1}, data, out), IsEmpty()) << text_;
  device_.memory().free(data);
  const auto more = array(128);
  EXPECT_NE(more, data);
  const auto findings = run("reads", {1, 1, 1}, {32, 1, 1}, data, out);
  expect_one(findings, "memory", "use_after_free", 1);
  EXPECT_THAT(findings[0].details, HasSubstr("which was freed"));
}

// ---- sync

TEST_F(Planted, BarriersThatSomeThreadsPassBy) {
  look_for("sync");
  const auto data = array(256);
  const auto findings = run("barrier_in_branch", {1, 1, 1}, {64, 1, 1}, data);
  expect_one(findings, "sync", "barrier_passed_by", 2);
  EXPECT_EQ(findings[0].sides[0].warp, 0u);
  EXPECT_EQ(findings[0].sides[1].warp, 1u);
  EXPECT_THAT(findings[0].sides[0].text, HasSubstr("BAR.SYNC"));
  EXPECT_THAT(run("barrier_in_branch_repaired", {1, 1, 1}, {64, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, ThreadsThatEndEarlyAreNotWaitedFor) {
  look_for("sync");
  EXPECT_THAT(run("early_return", {1, 1, 1}, {64, 1, 1}, array(256), 40), IsEmpty()) << text_;
}

TEST_F(Planted, DeadlocksAreToldByWhoWaitsWhere) {
  look_for("sync");
  const auto data = array(256);
  const auto findings = run("two_barriers", {1, 1, 1}, {64, 1, 1}, data);
  EXPECT_THAT(fault_, HasSubstr("deadlock"));
  expect_one(findings, "sync", "deadlock", 2);
  EXPECT_EQ(findings[0].sides[0].what,
            "waits at block barrier 1, which expects 64 threads; not there: warp 1");
  EXPECT_EQ(findings[0].sides[1].what,
            "waits at block barrier 2, which expects 64 threads; not there: warp 0");
  EXPECT_THAT(run("two_barriers_repaired", {1, 1, 1}, {64, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, WarpsMustAgreeAboutABarriersCount) {
  look_for("sync");
  const auto findings = run("counts_differ", {1, 1, 1}, {64, 1, 1}, array(256));
  expect_one(findings, "sync", "barrier_counts_differ", 2);
}

TEST_F(Planted, MasksNameWhoCalls) {
  look_for("sync");
  const auto data = array(128);
  const auto findings = run("mask_without_caller", {1, 1, 1}, {32, 1, 1}, data);
  ASSERT_THAT(findings, SizeIs(2)) << text_;
  EXPECT_EQ(findings[0].kind, "mask_without_caller");
  EXPECT_EQ(findings[0].sides[0].lanes, 0x55550000_lanes);
  EXPECT_EQ(findings[1].kind, "mask_names_absent");  // lanes 1, 3 …
  EXPECT_THAT(run("mask_without_caller_repaired", {1, 1, 1}, {32, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, MasksNameOnlyWhoComes) {
  look_for("sync");
  const auto data = array(128), out = array(128);
  for (std::uint32_t i = 0; i < 32; ++i) std::memcpy(device_.memory().view(data + 4 * i, 4), &i, 4);
  const auto findings = run("mask_of_absent", {1, 1, 1}, {32, 1, 1}, data, out);
  expect_one(findings, "sync", "mask_names_absent", 2);
  EXPECT_EQ(findings[0].sides[0].lanes, 0x55555555_lanes);
  EXPECT_EQ(findings[0].sides[1].lanes, 0xaaaaaaaa_lanes);
  for (const char* kernel : {"mask_of_absent_repaired", "mask_of_both_sides"})
    EXPECT_THAT(run(kernel, {1, 1, 1}, {32, 1, 1}, data, out), IsEmpty()) << text_;
  EXPECT_THAT(run("mask_of_ended", {1, 1, 1}, {32, 1, 1}, data, out, 20), IsEmpty()) << text_;
}

// ---- races

TEST_F(Planted, ReadingANeighboursElementNeedsABarrier) {
  look_for("races");
  const auto data = array(256);
  const auto findings = run("neighbour", {1, 1, 1}, {64, 1, 1}, data);
  expect_race(findings, "read_after_write", "LDS", "STS");
  for (const Finding& finding : findings) {
    EXPECT_NE(finding.sides[0].warp, finding.sides[1].warp);
    EXPECT_THAT(finding.details, HasSubstr("__syncthreads()"));
  }
  EXPECT_THAT(run("neighbour_repaired", {1, 1, 1}, {64, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, RacesThatWereLookedForDecideTheClassOfALaunch) {
  using enum LaunchClass::Races;
  const auto data = array(256);
  run("neighbour", {1, 1, 1}, {64, 1, 1}, data);
  EXPECT_EQ(class_.races, not_checked);
  EXPECT_TRUE(class_.determined());
  look_for("races");
  run("neighbour", {1, 1, 1}, {64, 1, 1}, data);
  EXPECT_EQ(class_.races, found);
  EXPECT_THAT(class_.order_dependent_because, Contains("data race"));
  run("neighbour_repaired", {1, 1, 1}, {64, 1, 1}, data);
  EXPECT_EQ(class_.races, none);
  EXPECT_TRUE(class_.determined());
}

TEST_F(Planted, TheNextRoundMayNotOverwriteWhatIsStillRead) {
  look_for("races");
  const auto data = array(256);
  expect_race(run("next_round", {1, 1, 1}, {64, 1, 1}, data, 4), "write_after_read", "STS", "LDS");
  EXPECT_THAT(run("next_round_repaired", {1, 1, 1}, {64, 1, 1}, data, 4), IsEmpty()) << text_;
}

// Only a barrier of the whole block makes all known to all.
TEST_F(Planted, WhoIsNotAtABarrierKnowsNothingByIt) {
  look_for("races");
  const auto data = array(512);
  EXPECT_THAT(run("writer_beside_barrier", {1, 1, 1}, {96, 1, 1}, data), Not(IsEmpty()));
  EXPECT_THAT(run("reader_beside_barrier", {1, 1, 1}, {96, 1, 1}, data), Not(IsEmpty()));
  EXPECT_THAT(run("writer_beside_barrier_repaired", {1, 1, 1}, {96, 1, 1}, data), IsEmpty())
      << text_;
}

TEST_F(Planted, CountersOfSeveralBlocks) {
  look_for("races");
  const auto counter = array(4);
  expect_race(run("count_up", {2, 1, 1}, {1, 1, 1}, counter), "read_after_write", "LDG", "STG");
  EXPECT_THAT(run("count_up_repaired", {2, 1, 1}, {32, 1, 1}, counter), IsEmpty()) << text_;
}

TEST_F(Planted, AFlagNeedsAFenceBeforeIt) {
  look_for("races");
  const auto box = array(4), flag = array(4), out = array(4);
  expect_race(run("hand_on", {2, 1, 1}, {32, 1, 1}, box, flag, out), "read_after_write", "LDG",
              "STG");
  const auto other_flag = array(4);
  EXPECT_THAT(run("hand_on_repaired", {2, 1, 1}, {32, 1, 1}, box, other_flag, out), IsEmpty())
      << text_;
}

TEST_F(Planted, AFenceOfBlockScopeTellsNothingToOtherBlocks) {
  look_for("races");
  const auto box = array(4), flag = array(4), other_flag = array(4), out = array(4);
  EXPECT_THAT(run("hand_on_in_block", {2, 1, 1}, {64, 1, 1}, box, flag, out, 1), IsEmpty())
      << text_;
  expect_race(run("hand_on_in_block", {2, 1, 1}, {64, 1, 1}, box, other_flag, out, 2),
              "read_after_write", "LDG", "STG");
}

TEST_F(Planted, WhatABlockWasToldAWarpOfItTellsToAll) {
  look_for("races");
  const auto box = array(4), flag = array(4), other_flag = array(4), out = array(4);
  EXPECT_THAT(run("hand_on_twice", {2, 1, 1}, {64, 1, 1}, box, flag, other_flag, out), IsEmpty())
      << text_;
}

TEST_F(Planted, AtomicOperationsOfBlockScopeRaceWithOtherBlocks) {
  look_for("races");
  const auto counter = array(4);
  EXPECT_THAT(run("count_in_block", {1, 1, 1}, {64, 1, 1}, counter), IsEmpty()) << text_;
  const auto findings = run("count_in_block", {2, 1, 1}, {64, 1, 1}, counter);
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_THAT(findings[0].details, HasSubstr("block scope"));
}

TEST_F(Planted, TheLastBlockKnowsWhatAllHaveDone) {
  look_for("races");
  const auto partial = array(4 * 8 * 64), tickets = array(4), out = array(256);
  EXPECT_THAT(run("last_block", {8, 1, 1}, {64, 1, 1}, partial, tickets, out), IsEmpty()) << text_;
}

TEST_F(Planted, LanesThatPartedNeedSyncwarp) {
  look_for("races");
  const auto data = array(128);
  const auto findings = run("halves", {1, 1, 1}, {32, 1, 1}, data, 3);
  ASSERT_THAT(findings, SizeIs(1)) << text_;
  EXPECT_EQ(findings[0].check, "races");
  EXPECT_THAT(findings[0].details, HasSubstr("__syncwarp"));
  EXPECT_THAT(run("halves_repaired", {1, 1, 1}, {32, 1, 1}, data, 3), IsEmpty()) << text_;
}

TEST_F(Planted, LanesThatExecuteTogetherNeedSyncwarpToo) {
  look_for("races");
  const auto data = array(128), out = array(128);
  for (std::uint32_t i = 0; i < 32; ++i)
    std::memcpy(device_.memory().view(data + 4 * i, 4), "abcd", 4);
  const auto findings = run("predicated", {1, 1, 1}, {32, 1, 1}, data, out);
  ASSERT_THAT(findings, SizeIs(1)) << text_;
  EXPECT_THAT(findings[0].details, HasSubstr("__syncwarp"));
  EXPECT_THAT(run("predicated_repaired", {1, 1, 1}, {32, 1, 1}, data, out), IsEmpty()) << text_;
}

TEST_F(Planted, APlainUpdateBesideAnAtomicOne) {
  look_for("races");
  const auto sum = array(4);
  for (const int one : {3, 40, 70}) {
    const auto findings = run("beside_atomic", {2, 1, 1}, {64, 1, 1}, sum, one);
    EXPECT_THAT(findings, ::testing::Not(IsEmpty())) << one;
  }
  EXPECT_THAT(run("beside_atomic", {2, 1, 1}, {64, 1, 1}, sum, -1), IsEmpty()) << text_;
}

TEST_F(Planted, LocksNeedFences) {
  look_for("races");
  const auto lock = array(4), data = array(4);
  expect_race(run("lock_without_fence", {2, 1, 1}, {64, 1, 1}, lock, data), "read_after_write",
              "LDG", "STG");
  EXPECT_THAT(run("lock_without_fence_repaired", {2, 1, 1}, {64, 1, 1}, lock, data), IsEmpty())
      << text_;
}

TEST_F(Planted, LanesOfOneStore) {
  look_for("races");
  const auto data = array(128);
  expect_one(run("same_place", {1, 1, 1}, {32, 1, 1}, data), "races", "same_instruction", 1);
  EXPECT_THAT(run("same_place_repaired", {1, 1, 1}, {32, 1, 1}, data), IsEmpty()) << text_;
  EXPECT_THAT(run("same_place_strong", {1, 1, 1}, {32, 1, 1}, data), IsEmpty()) << text_;
  EXPECT_THAT(run("same_value", {4, 1, 1}, {64, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, BytesOfOneWordAreDifferentPlaces) {
  look_for("races");
  EXPECT_THAT(run("bytes", {4, 1, 1}, {33, 1, 1}, array(4 * 33)), IsEmpty()) << text_;
}

TEST_F(Planted, AtomicOperationsMadeOfALoopAreAtomic) {
  look_for("races");
  EXPECT_THAT(run("emulated", {1, 1, 1}, {64, 1, 1}, array(256)), IsEmpty()) << text_;
  EXPECT_THAT(run("emulated_in_global", {2, 1, 1}, {64, 1, 1}, array(64), std::uint64_t{7}),
              IsEmpty())
      << text_;
}

TEST_F(Planted, GridsMeetAtTheirBarrier) {
  look_for("races");
  const auto data = array(2 * 4 * 4 * 64);
  expect_race(run("grid_wide", {4, 1, 1}, {64, 1, 1}, data), "read_after_write", "LDG", "STG");
  cooperative_ = true;
  EXPECT_THAT(run("grid_wide_repaired", {4, 1, 1}, {64, 1, 1}, data), IsEmpty()) << text_;
}

TEST_F(Planted, NumberedBarriersOrderWhoTakesPart) {
  look_for("races");
  EXPECT_THAT(run("take_turns", {1, 1, 1}, {64, 1, 1}, array(256)), IsEmpty()) << text_;
}

TEST_F(Planted, BlocksOfAClusterMeetAtItsBarrier) {
  look_for("races");
  const auto data = array(2 * 256);
  expect_race(run("other_block", {2, 1, 1}, {32, 1, 1}, data), "read_after_write", "LD.E", "STS");
  EXPECT_THAT(run("other_block_repaired", {2, 1, 1}, {32, 1, 1}, data), IsEmpty()) << text_;
}

// ---- asynchronous copies

TEST_F(Planted, WhoBeginsACopyMustWaitForIt) {
  look_for("races");
  const auto data = array(256), out = array(256);
  const auto findings = run("own_copy", {1, 1, 1}, {64, 1, 1}, data, out);
  expect_one(findings, "races", "copy_not_awaited", 2);
  EXPECT_THAT(findings[0].sides[1].text, HasSubstr("LDGSTS"));
  EXPECT_THAT(findings[0].details, HasSubstr("cp.async.wait_group 0")) << text_;
  EXPECT_THAT(run("own_copy_repaired", {1, 1, 1}, {64, 1, 1}, data, out), IsEmpty()) << text_;
}

TEST_F(Planted, ABarrierDoesNotWaitForCopies) {
  look_for("races");
  const auto data = array(256), out = array(256);
  const auto findings = run("copy_of_another", {1, 1, 1}, {64, 1, 1}, data, out);
  expect_one(findings, "races", "copy_not_awaited", 2);
  EXPECT_THAT(run("copy_of_another_repaired", {1, 1, 1}, {64, 1, 1}, data, out), IsEmpty())
      << text_;
}

TEST_F(Planted, WaitsLetNoMoreGroupsBeOnTheirWayThanMayBe) {
  look_for("races");
  const auto data = array(4 * 256), out = array(256);
  const auto findings = run("copy_stages", {1, 1, 1}, {64, 1, 1}, data, out, 4);
  ASSERT_THAT(findings, ::testing::Not(IsEmpty()));
  EXPECT_EQ(findings[0].kind, "copy_not_awaited") << text_;
  EXPECT_THAT(findings[0].details, HasSubstr("cp.async.wait_group 1 or lower")) << text_;
  EXPECT_THAT(run("copy_stages_repaired", {1, 1, 1}, {64, 1, 1}, data, out, 4), IsEmpty()) << text_;
}

TEST_F(Planted, BulkCopiesAreAwaitedAtTheirBarrier) {
  look_for("races");
  const auto data = array(512), out = array(256);
  const auto findings = run("bulk_copy", {1, 1, 1}, {64, 1, 1}, data, out, 0, 0);
  ASSERT_THAT(findings, SizeIs(1)) << text_;
  EXPECT_EQ(findings[0].kind, "copy_not_awaited");
  EXPECT_THAT(findings[0].sides[1].text, HasSubstr("UBLKCP")) << text_;
  EXPECT_THAT(findings[0].details, HasSubstr("the mbarrier at shared address"));
  EXPECT_THAT(run("bulk_copy", {1, 1, 1}, {64, 1, 1}, data, out, 1, 0), IsEmpty()) << text_;
}

TEST_F(Planted, OneBarrierTellsNothingOfTheCopiesOfAnother) {
  look_for("races");
  const auto data = array(512), out = array(256);
  const auto findings = run("two_bulk_copies", {1, 1, 1}, {64, 1, 1}, data, out, 0);
  EXPECT_THAT(findings, Contains(::testing::Field(&Finding::kind, "copy_not_awaited"))) << text_;
  EXPECT_THAT(run("two_bulk_copies", {1, 1, 1}, {64, 1, 1}, data, out, 1), IsEmpty()) << text_;
}

TEST_F(Planted, TheNextBulkCopyWaitsForItsReaders) {
  look_for("races");
  const auto data = array(4 * 256), out = array(256);
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t value = i * i;
    std::memcpy(device_.memory().view(data + 4 * i, 4), &value, 4);
  }
  expect_race(run("bulk_ring", {1, 1, 1}, {64, 1, 1}, data, out, 4, 0), "write_after_read",
              "UBLKCP", "LDS");
  // A phase that was overtaken never ends: polls for it are no progress.
  EXPECT_THAT(fault_, HasSubstr("deadlock"));
  EXPECT_THAT(run("bulk_ring", {1, 1, 1}, {64, 1, 1}, data, out, 4, 1), IsEmpty()) << text_;
}

TEST_F(Planted, WhatABulkCopyReadsStaysUntilItHas) {
  look_for("races");
  const auto data = array(256), out = array(256), more = array(256);
  const auto findings = run("bulk_source", {1, 1, 1}, {64, 1, 1}, data, out, more);
  expect_one(findings, "races", "copied_from", 2);
  EXPECT_THAT(findings[0].details, HasSubstr("cp.async.bulk.wait_group 0")) << text_;
  EXPECT_THAT(run("bulk_source_repaired", {1, 1, 1}, {64, 1, 1}, data, out, more), IsEmpty())
      << text_;
}

TEST_F(Planted, AnMbarrierMayCountElementCopies) {
  look_for("races");
  const auto data = array(256), out = array(256);
  const auto findings = run("counted_copies", {1, 1, 1}, {64, 1, 1}, data, out, 0);
  expect_one(findings, "races", "copy_not_awaited", 2);
  EXPECT_THAT(run("counted_copies", {1, 1, 1}, {64, 1, 1}, data, out, 1), IsEmpty()) << text_;
}

// ---- the heap of device code

TEST_F(Planted, BlocksOfTheDeviceHeapHaveAnEnd) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  look_for("memory");
  const auto data = array(256), out = array(256);
  const auto findings = run("heap_overflow", {1, 1, 1}, {32, 1, 1}, data, out, 15);
  expect_one(findings, "memory", "out_of_bounds", 2);
  EXPECT_EQ(findings[0].sides[1].what, "malloc gave it");
  EXPECT_THAT(findings[0].details, HasSubstr("0 bytes past the end of a block of 60 bytes"));
  EXPECT_THAT(run("heap_overflow_repaired", {1, 1, 1}, {32, 1, 1}, data, out, 15), IsEmpty())
      << text_;
}

TEST_F(Planted, BlocksOfTheDeviceHeapAreNotUsedOnceFreed) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  look_for("memory");
  const auto data = array(256), out = array(256);
  const auto findings = run("heap_late_use", {1, 1, 1}, {32, 1, 1}, data, out, 16);
  expect_one(findings, "memory", "use_after_free", 3);
  EXPECT_EQ(findings[0].sides[1].what, "freed it");
  EXPECT_THAT(run("heap_late_use_repaired", {1, 1, 1}, {32, 1, 1}, data, out, 16), IsEmpty())
      << text_;
}

TEST_F(Planted, BlocksOfTheDeviceHeapAreFreedOnce) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  look_for("memory");
  expect_one(run("heap_free_twice", {1, 1, 1}, {32, 1, 1}, 64), "memory", "double_free", 3);
  EXPECT_THAT(run("heap_free_twice_repaired", {1, 1, 1}, {32, 1, 1}, 64), IsEmpty()) << text_;
}

TEST_F(Planted, BlocksThatNobodySawGivenOutAreKnown) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  const std::uint64_t block = DeviceHeap(device_.memory()).allocate(128);
  look_for("memory");
  const auto out = array(256);
  EXPECT_THAT(run("reads", {1, 1, 1}, {32, 1, 1}, block, out), IsEmpty()) << text_;
  EXPECT_THAT(run("reads", {1, 1, 1}, {32, 1, 1}, block + 4, out), SizeIs(1)) << text_;
}

// To look at all blocks for each of them would take minutes.
TEST(HeapBlocks, AreTakenUpTogetherWhereNobodySawThemGivenOut) {
  constexpr std::uint64_t kBlock = 64;
  constexpr int kBlocks = 20'000;
  DeviceMemory memory(1 << 24);
  DeviceHeap::create(memory, 1 << 22);
  std::vector<std::uint64_t> given;
  DeviceHeap heap(memory);
  for (int i = 0; i < kBlocks; ++i) given.push_back(heap.allocate(kBlock));
  HeapBlocks blocks;
  for (const std::uint64_t each : given) {
    EXPECT_TRUE(blocks.allows(each, kBlock, memory));
    EXPECT_FALSE(blocks.allows(each, kBlock + 1, memory));
  }
}

TEST_F(Planted, WhoGetsABlockHasNothingToDoWithWhoHadIt) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  look_for("races");
  EXPECT_THAT(run("heap_handed_on", {1, 1, 1}, {256, 1, 1}, array(1024), 32), IsEmpty()) << text_;
}

// Neither a loop over its bytes nor a finding: there is no block.
TEST_F(Planted, AMallocThatFailsGivesNoBlock) {
  DeviceHeap::create(device_.memory(), 1 << 16);
  look_for("all");
  EXPECT_THAT(run("heap_free_twice_repaired", {1, 1, 1}, {32, 1, 1}, -1), IsEmpty()) << text_;
}

// ---- init

TEST_F(Planted, ReadingWhatCudaMallocGave) {
  look_for("init");
  const auto data = array(128, false), out = array(128, false);
  const auto findings = run("reads", {1, 1, 1}, {32, 1, 1}, data, out);
  expect_one(findings, "init", "unwritten", 1);
  EXPECT_THAT(findings[0].details, HasSubstr("byte 0 of cudaMalloc (128 bytes"));
  // What a kernel has written, and what a copy has.
  EXPECT_THAT(run("reads", {1, 1, 1}, {32, 1, 1}, out, data), IsEmpty()) << text_;
  const auto half = array(128, false);
  device_.memory().host_wrote(half, 64);
  const auto other_half = run("reads", {1, 1, 1}, {32, 1, 1}, half, out);
  expect_one(other_half, "init", "unwritten", 1);
  EXPECT_EQ(other_half[0].sides[0].lanes, 0xffff0000_lanes);
}

TEST_F(Planted, SharedMemoryStartsUnwritten) {
  look_for("init");
  const auto data = array(256);
  const auto findings = run("shared_unwritten", {1, 1, 1}, {64, 1, 1}, data, 40);
  expect_one(findings, "init", "unwritten", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0x00ffffff_lanes);  // they read elements 63 to 40
  EXPECT_THAT(run("shared_unwritten", {1, 1, 1}, {64, 1, 1}, data, 64), IsEmpty()) << text_;
}

TEST_F(Planted, LocalArraysStartUnwritten) {
  look_for("init");
  const auto data = array(128);
  std::uint32_t* const values = reinterpret_cast<std::uint32_t*>(device_.memory().view(data, 128));
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i;
  const auto findings = run("local_unwritten", {1, 1, 1}, {32, 1, 1}, data, 6);
  expect_one(findings, "init", "unwritten", 1);
  EXPECT_EQ(findings[0].sides[0].lanes, 0xc0c0c0c0_lanes);
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i;
  EXPECT_THAT(run("local_unwritten", {1, 1, 1}, {8, 1, 1}, data, 8), IsEmpty()) << text_;
}

// ---- of all

// Checks ask first about what lies around an access: it must leave out no lane.
TEST(Access, WhatLiesAroundItHoldsAllThatItTouches) {
  Access access;
  access.width = 8;
  EXPECT_EQ(access.around().bytes, 0u);  // no lanes
  access.lanes = Mask::of(3) | Mask::of(9) | Mask::of(30);
  access.address[3] = 0x7f00'0000'1238;
  EXPECT_EQ(access.around().bytes, 0u);  // nothing is known of the others
  for (const std::uint64_t step : {0u, 8u, 1000u, 1u << 20}) {
    access.address[9] = access.address[3] + step;
    access.address[30] = access.address[3] - 3 * step;
    access.spread =
        (access.address[9] ^ access.address[3]) | (access.address[30] ^ access.address[3]);
    const Access::Around around = access.around();
    for (const unsigned lane : access.lanes) {
      EXPECT_LE(around.address, access.address[lane]);
      EXPECT_GE(around.address + around.bytes, access.address[lane] + access.width);
    }
  }
  access.spread = 0;
  EXPECT_EQ(access.around().address, access.address[3]);
  EXPECT_EQ(access.around().bytes, 8u);
}

TEST(CheckOptions, NamesOfBothTools) {
  const Options options = parse_options("memcheck,races");
  EXPECT_TRUE(options.memory && options.races && !options.sync);
  EXPECT_EQ(to_text(parse_options("synccheck,memory")), "memory,sync");
  try {
    parse_options("memroy");
    FAIL();
  } catch (const std::invalid_argument& wrong) {
    EXPECT_STREQ(wrong.what(), "no check memroy; did you mean memory?");
  }
  EXPECT_THROW(parse_options(""), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::simulator::checks
