// heddle run --trace over the committed capsules, as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using ::heddle::cli::Kept;
using ::heddle::cli::Outcome;
using ::heddle::cli::run_heddle;

Outcome heddle(const std::string& words) { return run_heddle(words, Kept::both); }

const std::string kDivergence =
    std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/simple_divergence.sm_90.G";

TEST(Trace, ShowsOddAndEvenThreadsOfMathKernel1PartAndMeet) {
  const heddle::tests::ScratchFolder folder;
  const std::string file = (folder / "trace.txt").string();
  const Outcome outcome =
      heddle("run --trace text=" + file +
             " --trace-kernel mathKernel1 --trace-warp 0 --trace-from 1 " + kDivergence);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, HasSubstr("launch 1: mathKernel1(float*)"));
  EXPECT_THAT(text, Not(HasSubstr("mathKernel2")));
  EXPECT_THAT(text, ContainsRegex("-#-#-#-#-#-#-#-#-#-#-#-#-#-#-#-#  @P0 BRA 0x580 .*"
                                  "simple_divergence.cu:17 .*diverges: odd -> 0580, even -> 04f0"));
  EXPECT_THAT(text, ContainsRegex("#.#.#.#.*MOV R6, 0x42c80000 .*simple_divergence.cu:18"));
  EXPECT_THAT(text, ContainsRegex("0#0#0#0#.*BSYNC B0 .*reconverges: all -> 0610"));
}

TEST(Trace, GoesToStderrBesideTheTable) {
  const Outcome outcome = heddle("run --trace text --trace-line 17 " + kDivergence);
  EXPECT_THAT(outcome.text, HasSubstr("# Heddle's text trace"));
  EXPECT_THAT(outcome.text, HasSubstr("--verbose shows more"));
}

TEST(Trace, SaysWhatIsWrongBeforeAnythingRuns) {
  EXPECT_EQ(heddle("run --trace pictures " + kDivergence).status, 2);
  EXPECT_EQ(heddle("run --trace-warp 0 " + kDivergence).status, 2);
  const Outcome outcome = heddle("run --trace text --trace-warp zero " + kDivergence);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.text, HasSubstr("--trace-warp: \"zero\" is not a number"));
  EXPECT_EQ(heddle("run --trace text=/nowhere/file " + kDivergence).status, 125);
}

}  // namespace
