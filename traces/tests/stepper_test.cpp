#include "traces/stepper/stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/stepper/step_view.hpp"
#include "traces/tests/machine_kernels.hpp"

namespace heddle::traces {
namespace {

using ::testing::HasSubstr;
using Stop = Stepper::Stop;

std::string text_of(const Pane& pane) {
  std::string text;
  for (const ViewLine& line : pane) text += line.text + "\n";
  return text;
}

class StepperTest : public testing::Test {
 protected:
  // Two blocks of two warps, whose lanes take a lock one after the other.
  Stepper locks() {
    return Stepper(machine_.device, machine_.request("spin_lock", {2, 1, 1}, {64, 1, 1},
                                                     machine_.zeros(4), machine_.zeros(4)));
  }
  MachineKernels machine_;
};

TEST_F(StepperTest, GoesForwardAndBackToTheSameState) {
  Stepper stepper = locks();
  std::vector<std::uint64_t> digests;
  for (int i = 0; i < 40; ++i) {
    digests.push_back(stepper.replay().digest());
    ASSERT_EQ(stepper.forward(), Stop::there);
  }
  while (!digests.empty()) {
    ASSERT_EQ(stepper.back(), Stop::there);
    EXPECT_EQ(stepper.replay().digest(), digests.back());
    digests.pop_back();
  }
  EXPECT_EQ(stepper.back(), Stop::none);
  EXPECT_EQ(stepper.replay().step(), 0u);
}

TEST_F(StepperTest, FindsDivergencesAndReconvergencesInBothDirections) {
  Stepper stepper = locks();
  ASSERT_EQ(stepper.next_divergence(), Stop::there);
  const std::uint64_t first = stepper.replay().step();
  EXPECT_TRUE(stepper.changes().diverged);
  EXPECT_THAT(stepper.changes_text(), HasSubstr("diverges: 1-31 -> 0140, 0 -> 00b0"));
  EXPECT_EQ(stepper.warp()->groups().size(), 2u);
  ASSERT_EQ(stepper.next_reconvergence(), Stop::there);
  EXPECT_THAT(stepper.changes_text(), HasSubstr("reconverges: all"));
  EXPECT_EQ(stepper.warp()->groups().size(), 1u);
  ASSERT_EQ(stepper.next_divergence(), Stop::there);
  const std::uint64_t second = stepper.replay().step();
  ASSERT_EQ(stepper.last_divergence(), Stop::there);
  EXPECT_EQ(stepper.replay().step(), first);
  EXPECT_EQ(stepper.last_divergence(), Stop::none);
  EXPECT_EQ(stepper.replay().step(), first);
  ASSERT_EQ(stepper.next_divergence(), Stop::there);
  EXPECT_EQ(stepper.replay().step(), second);
  ASSERT_EQ(stepper.next_reconvergence(), Stop::there);
  ASSERT_EQ(stepper.next_reconvergence(), Stop::there);
  const std::uint64_t third = stepper.replay().step();
  ASSERT_EQ(stepper.next_reconvergence(), Stop::there);
  ASSERT_EQ(stepper.last_reconvergence(), Stop::there);
  EXPECT_EQ(stepper.replay().step(), third);
}

TEST_F(StepperTest, StopsAtBreakpointsWhoseConditionHolds) {
  Stepper stepper = locks();
  // The lock's 41st holder reads 40 from the counter.
  stepper.breakpoints.emplace_back("00d0 if R0 == 40");
  ASSERT_EQ(stepper.next_breakpoint(), Stop::there);
  EXPECT_EQ(stepper.block(), 0u);
  EXPECT_EQ(stepper.warp_index(), 1u);
  EXPECT_EQ(stepper.warp()->current()->lanes, Mask::of(8));
  const std::uint64_t step = stepper.replay().step();
  stepper.breakpoints.clear();
  stepper.breakpoints.emplace_back("00b0 if lane 3");
  ASSERT_EQ(stepper.last_breakpoint(), Stop::there);
  EXPECT_LT(stepper.replay().step(), step);
  EXPECT_EQ(stepper.warp_index(), 1u);
  ASSERT_EQ(stepper.last_breakpoint(), Stop::there);
  EXPECT_EQ(stepper.warp_index(), 0u);
  EXPECT_EQ(stepper.last_breakpoint(), Stop::none);
  stepper.breakpoints.clear();
  stepper.breakpoints.emplace_back(":11 if block 1 and warp 1 and lanes 30-31");
  ASSERT_EQ(stepper.next_breakpoint(), Stop::there);
  EXPECT_EQ(stepper.block(), 1u);
  EXPECT_EQ(stepper.warp_index(), 1u);
}

TEST_F(StepperTest, GoesToLinesAndInstructions) {
  Stepper stepper = locks();
  ASSERT_EQ(stepper.to(CodePlace(":10")), Stop::there);
  EXPECT_EQ(line_here(stepper)->line, 10u);
  ASSERT_EQ(stepper.next_line(), Stop::there);
  EXPECT_EQ(line_here(stepper)->line, 11u);
  ASSERT_EQ(stepper.last_line(), Stop::there);
  EXPECT_EQ(line_here(stepper)->line, 10u);
  ASSERT_EQ(stepper.to(CodePlace("0140")), Stop::there);
  EXPECT_EQ(line_here(stepper)->offset, 0x140u);
  EXPECT_EQ(stepper.to(CodePlace(":999")), Stop::warp_ended);
}

TEST_F(StepperTest, BringsOtherWarpsAndBlocksIntoView) {
  Stepper stepper = locks();
  ASSERT_EQ(stepper.view(1, 1), Stop::there);
  EXPECT_EQ(stepper.block(), 1u);
  EXPECT_EQ(stepper.replay().next()->index(), 1u);
  // Block 0 has been and gone by then.
  ASSERT_EQ(stepper.view(0, 1), Stop::there);
  EXPECT_EQ(stepper.replay().next()->block().linear(), 0u);
  EXPECT_THAT(place_text(stepper), HasSubstr("block 0 of 2  warp 1 of 2"));
  EXPECT_EQ(stepper.to_step(5), Stop::there);
  EXPECT_EQ(stepper.replay().step(), 5u);
  EXPECT_EQ(stepper.to_step(~0ull), Stop::ended);
}

TEST_F(StepperTest, KnowsWhoCalledWhom) {
  Stepper stepper(machine_.device,
                  machine_.request("recursion", {1, 1, 1}, {32, 1, 1}, machine_.zeros(128)));
  std::size_t deepest = 0;
  std::vector<std::vector<std::uint32_t>> stacks;
  while (stepper.forward() == Stop::there) {
    stacks.push_back(stepper.calls());
    deepest = std::max(deepest, stacks.back().size());
  }
  EXPECT_GT(deepest, 4u);
  EXPECT_TRUE(stacks.back().empty());
  // The same after going back.
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(stepper.back(), Stop::there);
    if (i > 0) stacks.pop_back();
  }
  EXPECT_EQ(stepper.calls(), stacks[stacks.size() - 1]);
}

TEST_F(StepperTest, StepsOverACall) {
  Stepper stepper(machine_.device,
                  machine_.request("recursion", {1, 1, 1}, {32, 1, 1}, machine_.zeros(128)));
  const auto is_call = [&] { return line_here(stepper)->text.starts_with("CALL"); };
  while (!is_call()) ASSERT_EQ(stepper.forward(), Stop::there);
  const std::uint32_t call = stepper.warp()->current()->pc;
  const std::uint64_t before = stepper.replay().step();
  ASSERT_EQ(stepper.over(), Stop::there);
  EXPECT_EQ(stepper.warp()->current()->pc, call + 1);
  EXPECT_GT(stepper.replay().step(), before + 100);
  EXPECT_TRUE(stepper.calls().empty());
}

TEST_F(StepperTest, CanBeInterrupted) {
  // Nobody sets the flag.
  Stepper stepper(machine_.device, machine_.request("wait_for_next_block", {1, 1, 1}, {32, 1, 1},
                                                    machine_.zeros(4), machine_.zeros(128)));
  int asked = 0;
  stepper.go_on = [&] { return ++asked < 3; };
  EXPECT_EQ(stepper.to(CodePlace(":999")), Stop::interrupted);
  EXPECT_EQ(asked, 3);
}

TEST_F(StepperTest, ShowsGroupsRegistersAndCode) {
  Stepper stepper = locks();
  stepper.next_divergence();
  EXPECT_THAT(text_of(lanes_pane(stepper, 3)),
              HasSubstr("#...............................   LDC.64"));
  EXPECT_THAT(text_of(lanes_pane(stepper, 3)), HasSubstr("          ^3\n"));
  const std::string groups = text_of(groups_pane(stepper));
  EXPECT_THAT(groups, HasSubstr("> 0          00b0  executes next"));
  EXPECT_THAT(groups, HasSubstr("  1-31       0140  waiting its turn"));
  EXPECT_THAT(groups, HasSubstr("B0=all"));
  const std::string listing = text_of(listing_pane(stepper, 20));
  EXPECT_THAT(listing, HasSubstr(" > 00b0  LDC.64"));
  EXPECT_THAT(listing, HasSubstr("0140  BSYNC B0  <- 1-31"));
  const std::string registers = text_of(registers_pane(stepper, 5));
  EXPECT_THAT(registers, HasSubstr(" R0    00000001  {0:0x0 1-31:0x1}"));
  EXPECT_THAT(registers, HasSubstr(" P0    1-31"));
  EXPECT_THAT(registers, HasSubstr(" R9    00000001\n"));
  const std::string table = text_of(table_pane(stepper, 0, 2));
  EXPECT_THAT(table, HasSubstr("lane        R0       R1"));
  EXPECT_THAT(table, HasSubstr(">  0  00000000"));
  EXPECT_THAT(table, HasSubstr("  31  00000001"));
}

TEST(BreakpointTest, RefusesWhatItCannotRead) {
  for (const char* text : {"", "xyz", ":0", "10 when R1 == 2", "10 if", "10 if R1 = 2",
                           "10 if R255 == 1", "10 if P7 == 1", "10 if warp x", "10 if R1 == 2 and"})
    EXPECT_THROW(Breakpoint{text}, std::invalid_argument) << text;
  for (const char* text : {"10", "0x10", ":17", "a.cu:17", "f+10", "10 if lanes 0-3 and UR4 > 0x10",
                           "10 if P0 == 1 and warp 2"})
    EXPECT_NO_THROW(Breakpoint{text}) << text;
}

}  // namespace
}  // namespace heddle::traces
