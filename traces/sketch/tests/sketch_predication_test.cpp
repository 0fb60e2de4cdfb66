// Which branches of a sketch --predication cuda13 leaves: validation/predication/README.md.
#include <gmock/gmock.h>

#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint32_t kIf = 4;  // the line of the `if` that is asked about

// Branches at the `if` of one warp.
std::uint64_t branches(const std::string& lines, const char* rule = "cuda13") {
  const auto result = run_all(
      "__global__ void k(int *out, int *in, int n = 3) {\n"
      "int t = threadIdx.x;\nint v = in[t], u = in[t + 32], w = n;\n" +
          lines +
          "\nout[t] = v; out[t + 32] = u + w;\n}\n"
          "k<<<1, 32>>>(zeros(4096), counting(4096), 3);\n",
      1, rule);
  const auto found = result.at(0).branches.find(kIf);
  return found == result.at(0).branches.end() ? 0 : found->second;
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}
const std::string kMultiplyAdd = "v = v * u + v; ";

TEST(SketchPredication, EightInstructionsWhereThreadsMayPart) {
  EXPECT_EQ(branches("if (t % 4 == 1) { " + times(8, kMultiplyAdd) + "}"), 0u);
  EXPECT_EQ(branches("if (t % 4 == 1) { " + times(9, kMultiplyAdd) + "}"), 1u);
  EXPECT_EQ(branches("if (in[t + 64] > 7) { " + times(8, kMultiplyAdd) + "}"), 0u);
}

TEST(SketchPredication, SixWhereTheWarpStaysTogether) {
  EXPECT_EQ(branches("if (n > 5) { " + times(6, kMultiplyAdd) + "}"), 0u);
  EXPECT_EQ(branches("if (n > 5) { " + times(7, kMultiplyAdd) + "}"), 1u);
}

TEST(SketchPredication, TheElseMayHaveOneLess) {
  const std::string other = "w = w ^ t; ", test = "if (t % 4 == 1) { v = v * u + v; } else { ";
  EXPECT_EQ(branches(test + times(7, other) + "}"), 0u);
  EXPECT_EQ(branches(test + times(8, other) + "}"), 2u);  // and the jump past the else
}

TEST(SketchPredication, SidesThatDoTheSameAreOneHoweverLong) {
  const std::string one = times(12, "v = v * u + v; "), other = times(12, "v = v * w + v; ");
  EXPECT_EQ(branches("if (t % 4 == 1) { " + one + "} else { " + other + "}"), 0u);
  EXPECT_GT(branches("if (n > 5) { " + one + "} else { " + other + "}"), 0u);
}

TEST(SketchPredication, ALoadNeedsSomethingToPassTheTimeWith) {
  const std::string load = "if (t % 4 == 1) v = v + in[t + 64];\n";
  EXPECT_EQ(branches(load), 1u);
  EXPECT_EQ(branches(load + "u = u * w; u = u ^ t; u = u + t;"), 0u);
  // What needs the loaded value passes no time.
  EXPECT_EQ(branches(load + "v = v * w; v = v ^ t; v = v + t;"), 1u);
}

TEST(SketchPredication, ALoadInALoopThatOnlyMeetsStaysBehindABranch) {
  const std::string loop = "for (int s = 1; s < 4; s *= 2) {";
  EXPECT_EQ(branches(loop + " if (t % (2 * s) == 0) v += in[t + s];\n__syncthreads(); }"),
            3u + 1 + 3);
}

TEST(SketchPredication, AtomicsStayBehindABranchButNotAtTheKernelsEnd) {
  EXPECT_EQ(branches("if (t % 4 == 1) atomicAdd(out + t, 1);"), 1u);
  const auto result = run_one(
      "__global__ void k(int *out) {\nint t = threadIdx.x;\n"
      "if (t % 4 == 1) atomicAdd(out + t, 1);\n}\nk<<<1, 32>>>(zeros(32));\n");
  EXPECT_EQ(result.branches.count(3), 1u);
}

TEST(SketchPredication, OffLeavesEveryBranch) {
  EXPECT_EQ(branches("if (t % 4 == 1) v = 1;", "off"), 1u);
  EXPECT_EQ(branches("if (t % 4 == 1) v = 1; else v = 2;", "off"), 2u);
}

}  // namespace
}  // namespace heddle::simulator
