// heddle step, driven through a pseudo-terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "cli/tests/shell.hpp"
#include "cli/tests/terminal_reader.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;

class StepTerminal : public testing::Test {
 protected:
  void start(const std::string& capsule, int rows = 40, int columns = 130) {
    reader_.emplace(std::vector<std::string>{HEDDLE_EXECUTABLE, "step", "--source-folder",
                                             HEDDLE_SOURCE_DIR "/gpu/kernels",
                                             HEDDLE_SOURCE_DIR "/validation/capsules/" + capsule},
                    rows, columns);
  }
  void press(const std::string& keys, const std::string& expected) {
    EXPECT_TRUE(reader_->press(keys, expected))
        << "after " << keys << ", no \"" << expected << "\" in\n"
        << reader_->screen();
  }
  std::optional<TerminalReader> reader_;
};

constexpr const char* kDivergence = "simple_divergence.sm_90.G/0001-_Z11mathKernel1Pf.capsule";

TEST_F(StepTerminal, ShowsOddAndEvenLanesPartAndMeet) {
  start(kDivergence);
  press("", "mathKernel1(float*)  block 0 of 1  warp 0 of 2  step 0");
  press("d", "diverges: odd -> 0580, even -> 04f0");
  const std::string split = reader_->screen();
  EXPECT_THAT(split, HasSubstr("#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.   BRA 0x500"));
  EXPECT_THAT(split, HasSubstr("> even       04f0  executes next"));
  EXPECT_THAT(split, HasSubstr("odd        0580  waiting its turn"));
  EXPECT_THAT(split, HasSubstr("B0=all"));
  EXPECT_THAT(split, HasSubstr("> 04f0  BRA 0x500"));
  EXPECT_THAT(split, HasSubstr("0580  MOV R4, 0x43480000  <- odd"));
  press("r", "reconverges: all -> 0610");
  EXPECT_THAT(reader_->screen(), HasSubstr("R6    00000000  {even:0x0 odd:0x43480000}"));
  press("q", "");
  EXPECT_EQ(reader_->wait(), 0);
}

TEST_F(StepTerminal, GoesBackToTheSameScreen) {
  start(kDivergence);
  press("", "step 0");
  press("D", "there is none");
  press("g80\r", "step 80");
  const std::string before = reader_->screen();
  press("ssssssssss", "step 90");
  press("\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD\x1bOD", "step 80");  // left
  EXPECT_EQ(reader_->screen(), before);
}

TEST_F(StepTerminal, FindsTheSourceAndItsLines) {
  start(kDivergence);
  press("", "simple_divergence.cu:13");
  press("l:20\r", ">   20  ");
  EXPECT_THAT(reader_->screen(), HasSubstr("#.#.#.#."));
  press("n", ">   22  ");
  press("N", ">   20  ");
}

TEST_F(StepTerminal, StopsAtABreakpointWithALaneCondition) {
  start(kDivergence);
  press("", "step 0");
  press("b:22 if lane 40\r", "set: :22 if lane 40");
  press("c", "the launch has ended");
  press("\x1bOH", "step 0");  // home
  press("b:22 if lane 40\r", "gone: :22 if lane 40");
  press("b:22 if lane 3 and warp 1\r", "set: :22");
  press("c", "block 0 of 1  warp 1 of 2");
  EXPECT_THAT(reader_->screen(), HasSubstr("*> 0610"));
  press("bnowhere\r", "\"nowhere\" is not a number");
}

TEST_F(StepTerminal, SwitchesWarpsBlocksAndLaunches) {
  start("reduce_integer_128.sm_90.O3");
  press("",
        "launch 1 of 12  reduceNeighbored(int*, int*, unsigned int)  block 0 of 512  warp 0 of 4");
  press("w", "block 0 of 512  warp 1 of 4");
  press("t3 2\r", "block 3 of 512  warp 2 of 4");
  press("t512 0\r", "there are 512 blocks of 4 warps");
  press("k", "block 4 of 512  warp 2 of 4");
  press(">", "launch 2 of 12  reduceNeighboredLess");
  press("<", "launch 1 of 12");
  press("<", "that was the first launch");
}

TEST_F(StepTerminal, ShowsEveryLanesRegistersAndHelp) {
  start(kDivergence);
  press("", "step 0");
  press("l:22\r", "it changed");
  press("v", "lane        R0       R1");
  EXPECT_THAT(reader_->screen(), HasSubstr("> 31 "));
  press("v", "registers (lane 0");
  press("]]]", "registers (lane 3");
  press("?", "to the next / last divergence");
  EXPECT_THAT(reader_->screen(), HasSubstr("waits at block barrier"));
  press("x", "registers (lane 3");
}

TEST_F(StepTerminal, ShowsValuesAsIntegersAndFloats) {
  start(kDivergence);
  press("", "step 0");
  press("l:22\r", "{even:0x42c80000 odd:0x0}");
  press("f", "{even:1120403456 odd:0}");
  press("f", "{even:100 odd:0}");
  press("f", "{even:0x42c80000 odd:0x0}");
}

TEST_F(StepTerminal, ShowsVariablesOfTheSource) {
  start(kDivergence);
  press("", "step 0");
  press("l:22\r", "ia = 100 in lanes even, 0 in lanes odd");
  EXPECT_THAT(reader_->screen(), HasSubstr("ib = 0 in lanes even, 200 in lanes odd"));
  EXPECT_THAT(reader_->screen(), HasSubstr("tid = 0+1*lane"));
}

// Functions that are called, and what is inlined from a library's headers.
TEST_F(StepTerminal, ShowsTheCallersLine) {
  start("calls.sm_90.G");
  press("", "step 0");
  press("g60\r", "calls.cu:12, called at calls.cu:14, called at calls.cu:42");
  EXPECT_THAT(reader_->screen(), HasSubstr("> cube+0120  LDL R2, [R1]"));
  EXPECT_THAT(reader_->screen(), HasSubstr("called at 0160 calls.cu:42"));
  start("random_branches.sm_90.O3/0001-_Z8kernel_1jPKjPjS1_.capsule");
  press("", "step 0");
  press("ldevice_atomic_functions.hpp:197\r",
        "device_atomic_functions.hpp:197, called at random_branches.cu:115");
  EXPECT_THAT(reader_->screen(), HasSubstr(">  115      atomicXor(&shared_sums[10 & 31u], n);"));
}

TEST_F(StepTerminal, FitsASmallTerminal) {
  start(kDivergence, 24, 80);
  press("d", "diverges: odd");
  EXPECT_THAT(reader_->screen(), HasSubstr("executes next"));
  EXPECT_THAT(reader_->screen(), HasSubstr("? help  q quit"));
}

TEST(Step, NeedsATerminal) {
  const Outcome outcome = run_heddle(
      "step " HEDDLE_SOURCE_DIR "/validation/capsules/" + std::string(kDivergence) + " </dev/null",
      Kept::errors);
  EXPECT_GT(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("needs a terminal"));
}

}  // namespace
}  // namespace heddle::cli
