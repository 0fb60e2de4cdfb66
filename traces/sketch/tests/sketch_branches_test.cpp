// How often the branches of a sketch diverge, against numbers found by hand.
#include <gmock/gmock.h>

#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

std::string kernel(const std::string& lines) {
  return "__global__ void k(int *out, int n = 3) {\nint t = threadIdx.x;\n" + lines +
         "\n}\nk<<<2, 64>>>(zeros(64), 3);\n";
}
constexpr std::uint32_t kLine = 3;  // the first of `lines`
constexpr std::uint64_t kWarps = 4;

TEST(SketchBranches, NeighboursThatPartDivergeOncePerWarp) {
  const auto result = run_one(kernel("if (t % 2 == 0) out[t] = 1; else out[t] = 2;"));
  EXPECT_EQ(result.divergent.at(kLine), kWarps);
  EXPECT_EQ(result.metric("divergent_branch"), kWarps);
}

TEST(SketchBranches, WholeWarpsThatPartDoNotDiverge) {
  const auto result = run_one(kernel("if ((t / warpSize) % 2 == 0) out[t] = 1; else out[t] = 2;"));
  EXPECT_EQ(result.metric("divergent_branch"), 0u);
}

TEST(SketchBranches, AChainOfElseIfsMeetsOnce) {
  const auto result =
      run_one(kernel("if (t % 4 == 0) out[t] = 1;\nelse if (t % 4 == 1) out[t] = 2;\nelse if (t % "
                     "4 == 2) out[t] = "
                     "3;\nif (t < 0) out[t] = 9;"));
  EXPECT_EQ(result.divergent.at(kLine), kWarps);
  EXPECT_EQ(result.divergent.at(kLine + 1), kWarps);
  EXPECT_EQ(result.divergent.at(kLine + 2), kWarps);
  // All lanes are together again: were they not, there would be more than one branch per warp.
  EXPECT_EQ(result.branches.at(kLine + 3), kWarps);
}

// Those that go to a label wait there for those that come to it otherwise: `done` and what follows
// are run once by each warp.
TEST(SketchBranches, ThreadsMeetAtALabel) {
  const std::string lines =
      "if (t % 4 == 0) {\n"
      "  for (int i = 0; i < 9; ++i)\n"
      "    if (i == t / 4) goto done;\n"
      "} else if (t % 4 == 1) goto last;\n"
      "out[t] = 1;\n"
      "done: out[t] += 10;\n"
      "last: out[t] += 100;\n"
      "for (int i = 0; i < n; ++i) out[t] += 1000;";
  for (const char* rule : {"off", "cuda13"}) {
    const auto result = run_one(kernel(lines), 1, rule);
    const auto out = result.array<std::int32_t>("out");
    for (int t = 0; t < 64; ++t) {
      const bool leaves_early = t % 4 == 0 && t / 4 < 9;
      // Two blocks of one warp after the other add to it.
      const int once = 3100 + (t % 4 == 1 ? 0 : 10);
      const int expected = t % 4 == 1 || leaves_early ? 2 * once : 1 + once;
      EXPECT_EQ(out[static_cast<std::size_t>(t)], expected) << t << ' ' << rule;
    }
    EXPECT_EQ(result.branches.at(kLine + 7), kWarps * (4 + 3)) << rule;
    EXPECT_EQ(result.divergent.at(kLine + 7), 0u) << rule;
  }
}

TEST(SketchBranches, AsmExitEndsThreadsWithoutABranch) {
  const auto result = run_one(kernel("if (t % 3 == 0) asm(\"exit;\");\nout[t] = 1;"));
  EXPECT_EQ(result.metric("branch"), 0u);
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(result.array<std::int32_t>("out")[static_cast<std::size_t>(t)], t % 3 != 0) << t;
}

// Lane l goes l % 4 times round: after rounds 0, 1 and 2 some leave and others stay.
TEST(SketchBranches, ALoopDivergesWhereSomeThreadsLeave) {
  const auto result =
      run_one(kernel("for (int i = 0; i < t % 4; ++i)\n  out[t] += i;\nif (t < 0) out[t] = 1;"));
  EXPECT_EQ(result.divergent.at(kLine), 3 * kWarps);
  EXPECT_EQ(result.branches.at(kLine + 2), kWarps);
}

TEST(SketchBranches, ContinueComesTogetherBeforeTheNextRound) {
  const auto result =
      run_one(kernel("for (int i = 0; i < 5; ++i) {\n  if (t % 2 == i % 2) continue;\n  out[t] += "
                     "i;\n  if (t < 0) out[t] = "
                     "7;\n}"));
  EXPECT_EQ(result.divergent.at(kLine), 0u);
  EXPECT_EQ(result.divergent.at(kLine + 1), 5 * kWarps);
  EXPECT_EQ(result.branches.at(kLine + 3), 5 * kWarps);
}

TEST(SketchBranches, BreakLeavesTheOthersTogether) {
  const auto result =
      run_one(kernel("for (int i = 0; i < 8; ++i) {\n  if (t % 32 == i * 4) break;\n  out[t] += "
                     "i;\n}\nif (t < 0) out[t] = 7;"));
  EXPECT_EQ(result.divergent.at(kLine + 1), 8 * kWarps);
  EXPECT_EQ(result.divergent.at(kLine), 0u);
  EXPECT_EQ(result.branches.at(kLine + 4), kWarps);
}

TEST(SketchBranches, ReturnEndsSomeThreads) {
  const auto result = run_one(kernel("if (t % 32 > 7) return;\nif (t % 2) out[t] = 1;"));
  EXPECT_EQ(result.divergent.at(kLine), kWarps);
  EXPECT_EQ(result.divergent.at(kLine + 1), kWarps);
  EXPECT_EQ(result.branches.at(kLine + 1), kWarps);
}

TEST(SketchBranches, ASwitchDivergesAtEachCompareThatParts) {
  const auto result =
      run_one(kernel("switch (t % 4) {\ncase 0: out[t] = 1; break;\ncase 1: out[t] = 2; "
                     "break;\ndefault: out[t] = 3;\n}\nif (t < 0) "
                     "out[t] = 7;"));
  EXPECT_EQ(result.metric("divergent_branch"), 2 * kWarps);
  EXPECT_EQ(result.branches.at(kLine + 5), kWarps);
}

// The left side splits the warp, and so does the value of the whole.
TEST(SketchBranches, AndBranchesOnItsLeftSide) {
  const auto result = run_one(kernel("if (t % 2 == 0 && n == 3) out[t] = 1;"));
  EXPECT_EQ(result.divergent.at(kLine), 2 * kWarps);
}

TEST(SketchBranches, APredicateIsNoBranch) {
  const std::string text = kernel("if (t % 2 == 0) out[t] = 1;");
  EXPECT_EQ(run_one(text, 1, "off").metric("divergent_branch"), kWarps);
  EXPECT_EQ(run_one(text, 1, "4").metric("branch"), 0u);
}

// An address, a store and three instructions of arithmetic: more than 4, not more than 7.
TEST(SketchBranches, TheRuleOf2009AsksWhetherWarpsDiverge) {
  const std::string by_lane = kernel("if (t > 5) out[t] = (t * n + 1 - n * n) ^ t;");
  const std::string by_block = kernel("if (n > 5) out[t] = (t * n + 1 - n * n) ^ t;");
  EXPECT_EQ(run_one(by_lane, 1, "4").metric("branch"), kWarps);
  EXPECT_EQ(run_one(by_lane, 1, "7").metric("branch"), 0u);
  EXPECT_EQ(run_one(by_lane, 1, "2009").metric("branch"), 0u);
  EXPECT_EQ(run_one(by_block, 1, "2009").metric("branch"), kWarps);
}

}  // namespace
}  // namespace heddle::simulator
