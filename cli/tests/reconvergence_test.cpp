// --reconvergence and the old machines, as a shell sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

using ::heddle::cli::Kept;
using ::heddle::cli::Outcome;
using ::heddle::cli::run_heddle;

Outcome heddle(const std::string& words) { return run_heddle(words, Kept::both); }

const std::string kCapsules =
    std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/simple_divergence.sm_90.G";

class ReconvergenceOption : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Each thread waits for its number to come up.
  std::string lock() {
    return write("lock.warp",
                 "__global__ void k(int *out) {\n"
                 "  int mine = atomicAdd(&out[0], 1);\n"
                 "  while (out[1] != mine) out[3] = 0;\n"
                 "  out[2] += 1;\n"
                 "  out[1] += 1;\n"
                 "}\n"
                 "k<<<1, 32>>>(zeros(4));\n");
  }
  std::string sides() {
    return write("sides.warp",
                 "__global__ void k(int *out) {\n"
                 "  int t = threadIdx.x;\n"
                 "  if (t % 2 == 0) out[t] = 1; else out[t] = 2;\n"
                 "}\n"
                 "k<<<1, 64>>>(zeros(64));\n");
  }
  const heddle::tests::ScratchFolder folder_;
};

TEST_F(ReconvergenceOption, ChoosesHowCapsulesAndSketchesRun) {
  for (const std::string& what : {kCapsules, sides()})
    for (const char* policy : {"barriers", "stack", "min-pc"}) {
      const Outcome outcome = heddle(
          std::string("run --metrics divergent_branch --reconvergence ") + policy + " " + what);
      EXPECT_EQ(outcome.status, 0) << outcome.text;
      EXPECT_THAT(outcome.text, ContainsRegex("divergent_branch +2 "));
    }
  EXPECT_THAT(heddle("run --reconvergence stack " + sides()).text,
              HasSubstr("reconvergence by post-dominator stack"));
  const Outcome wrong = heddle("run --reconvergence stak " + sides());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.text, HasSubstr("--reconvergence: unknown stak; did you mean stack?"));
}

TEST_F(ReconvergenceOption, AllSetsThemSideBySide) {
  const Outcome outcome = heddle("run --reconvergence all -k mathKernel1 " + kCapsules);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("barriers +[0-9]+ .*completed"));
  EXPECT_THAT(outcome.text, ContainsRegex("stack +[0-9]+ .*same memory"));
  EXPECT_THAT(outcome.text, ContainsRegex("min-pc +[0-9]+ .*same memory"));
  EXPECT_THAT(outcome.text, HasSubstr("simple_divergence.cu:17"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("mathKernel2")));
}

TEST_F(ReconvergenceOption, SteppingGoesOneWay) {
  for (const char* how : {"", "--html page.html "}) {
    const Outcome all = heddle(std::string("step --reconvergence all ") + how + sides());
    EXPECT_EQ(all.status, 2) << all.text;
    EXPECT_THAT(all.text, HasSubstr("--reconvergence=all"));
    EXPECT_THAT(all.text, HasSubstr("barriers, stack or min-pc"));
  }
}

TEST_F(ReconvergenceOption, StackReportsALocksDeadlockAndEndsTimedOrNot) {
  for (const char* timing : {"", "--timing on "}) {
    const Outcome outcome = heddle(std::string("run --reconvergence stack ") + timing + lock());
    EXPECT_EQ(outcome.status, 1) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("a deadlock"));
    EXPECT_THAT(outcome.text, HasSubstr("waits to reconverge with lanes fffffffe"));
    EXPECT_THAT(outcome.text, HasSubstr("lock.warp:3"));
  }
  const Outcome all = heddle("run --reconvergence all " + lock());
  EXPECT_EQ(all.status, 0) << all.text;
  EXPECT_THAT(all.text, ContainsRegex("stack .*deadlock"));
}

TEST_F(ReconvergenceOption, TimesEachPolicy) {
  for (const char* policy : {"stack", "min-pc"}) {
    const Outcome outcome = heddle(
        std::string(
            "run --timing on --metrics elapsed_cycles_sm,divergent_branch --reconvergence ") +
        policy + " " + kCapsules);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
  }
}

TEST_F(ReconvergenceOption, OldMachinesRunSketchesWithTheirRulesAndCosts) {
  const Outcome outcome = heddle("run --gpu c1060 " + sides());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("unvalidated"));
  EXPECT_THAT(outcome.text, HasSubstr("cycles by the costs of compute capability 1.3"));
  const std::string fermi = heddle("run --gpu c2070 --metrics divergent_branch " + sides()).text;
  EXPECT_THAT(fermi, ContainsRegex("divergent_branch +2 "));
  EXPECT_THAT(heddle("run --gpu c1060 --metrics divergent_branch " + sides()).text,
              ContainsRegex("divergent_branch +0 "))
      << "the rule of 2009 leaves no branch";
  const Outcome capsules = heddle("run --gpu c1060 " + kCapsules);
  EXPECT_EQ(capsules.status, 2);
  EXPECT_THAT(capsules.text, HasSubstr("its model runs sketches only"));
  EXPECT_NE(heddle("run --gpu c1060 --timing on " + sides()).status, 0);
}

}  // namespace
