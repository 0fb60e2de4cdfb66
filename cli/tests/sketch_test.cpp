// Sketches on the command line, as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

using ::heddle::cli::Kept;
using ::heddle::cli::Outcome;
using ::heddle::cli::run_heddle;

Outcome heddle(const std::string& words) { return run_heddle(words, Kept::both); }

class Sketch : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  const heddle::tests::ScratchFolder folder_;
};

const std::string kPlain =
    "__global__ void k(float *c, int n) {\n"
    "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (t % n == 0) c[t] = 1; else c[t] = 2;\n"
    "}\n";

TEST_F(Sketch, RunsWithTheShapeAndParametersGiven) {
  const std::string file = write("plain.warp", kPlain);
  const Outcome good = heddle(
      "run --grid 2 --block 32 --param n=2 --param 'c=zeros(64)' "
      "--metrics divergent_branch " +
      file);
  EXPECT_EQ(good.status, 0) << good.text;
  EXPECT_THAT(good.text, ContainsRegex("divergent_branch +2 "));
  EXPECT_THAT(heddle("run " + file).text, HasSubstr("give --grid and --block"));
  EXPECT_THAT(heddle("run --grid 1 --block 32 --param m=2 " + file).text,
              HasSubstr("--param: no kernel has a parameter m; there are c, n"));
  EXPECT_THAT(heddle("run --grid 1 --block 32 --param n=2 " + file).text,
              HasSubstr("parameter 'c' (float *) has no value"));
  EXPECT_THAT(heddle("run --grid 1,x --block 32 " + file).text, HasSubstr("--grid: expected"));
}

TEST_F(Sketch, MistakesNameFileLineAndColumn) {
  const std::string file = write("wrong.warp", "__global__ void k() {\n  int x = ;\n}\n");
  const Outcome outcome = heddle("run --grid 1 --block 32 " + file);
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("wrong.warp:2:11: expected an expression, found ';'"));
}

TEST_F(Sketch, OptionsOfSketchesAreForSketches) {
  const std::string capsules =
      std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/simple_divergence.sm_90.O3";
  const Outcome outcome = heddle("run --seeds 3 " + capsules);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.text, HasSubstr("--seeds is for sketches"));
}

TEST_F(Sketch, SeedsGiveAnInterval) {
  const std::string file =
      write("rare.warp", "__global__ void k() { if (chance(0.02)) work(3); }\nk<<<64, 256>>>();\n");
  const Outcome outcome = heddle("run --seeds 5 " + file);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("branch_efficiency \\(%\\) +5[0-9.]+ +[45][0-9.]+ to "));
  EXPECT_EQ(heddle("run --seed 4 " + file).text, heddle("run --seed 4 " + file).text);
}

TEST_F(Sketch, IsDisassembledAndCapturedLikeAProgram) {
  const std::string file = write("plain.warp", kPlain + "k<<<1, 64>>>(zeros(64), 2);\n");
  EXPECT_THAT(heddle("disasm " + file).text, HasSubstr("@!P0 BRA"));
  const std::string capsules = (folder_ / "capsules").string();
  ASSERT_EQ(heddle("run --capture " + capsules + " " + file).status, 0);
  const Outcome replayed = heddle("run --metrics divergent_branch " + capsules);
  EXPECT_EQ(replayed.status, 0) << replayed.text;
  EXPECT_THAT(replayed.text, ContainsRegex("divergent_branch +2 "));
}

TEST_F(Sketch, DoesNotWaitForADataFileThatIsAPipe) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string file = write("plain.warp", kPlain);
  const Outcome outcome =
      heddle("run --grid 1 --block 32 --param n=2 --param 'c=file(\"" + pipe + "\")' " + file);
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("not a regular file"));
  const std::string inside =
      write("inside.warp", kPlain + "k<<<1, 32>>>(file(\"" + pipe + "\"), 2);\n");
  EXPECT_THAT(heddle("run " + inside).text, HasSubstr("not a regular file"));
}

TEST_F(Sketch, EndsWhenItsTimeIsOver) {
  const std::string file = write("long.warp",
                                 "__global__ void k(int *out) {\n"
                                 "  int s = 0;\n"
                                 "  for (int i = 0; i < 2000000000; ++i) s += i;\n"
                                 "  out[threadIdx.x] = s;\n"
                                 "}\nk<<<1, 1024>>>(zeros(1024));\n");
  const Outcome outcome = heddle("run --timeout 1 " + file);
  EXPECT_EQ(outcome.status, 124);
  EXPECT_THAT(outcome.text, HasSubstr("--timeout"));
  EXPECT_EQ(heddle("run --max-instructions 10000 " + file).status, 124);
}

// There and back: a kernel, what is derived from it, and that run.
TEST_F(Sketch, SimplifiesToWhatDivergesAsMuch) {
  const std::string file = write("loop.warp",
                                 "__global__ void k(int *out) {\n"
                                 "  int t = threadIdx.x;\n"
                                 "  int s = 0;\n"
                                 "  for (int i = 0; i < t % 8; ++i) s += i;\n"
                                 "  if (t < 20) s += 3;\n"
                                 "  for (int d = 32; d > 0; d /= 2) if (t < d) { out[t] += s; }\n"
                                 "  out[t] = s;\n"
                                 "}\nk<<<1, 64>>>(zeros(64));\n");
  const std::string capsules = (folder_ / "capsules").string();
  const Outcome original =
      heddle("run --metrics divergent_branch --capture " + capsules + " " + file);
  const std::string derived = (folder_ / "derived.warp").string();
  const Outcome simplified = heddle("simplify -o " + derived + " " + capsules);
  ASSERT_EQ(simplified.status, 0) << simplified.text;
  std::ifstream stream(derived);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, HasSubstr("if (t < 20)"));
  EXPECT_THAT(text, HasSubstr("t < (32 >> k"));
  EXPECT_THAT(text, HasSubstr("trips(list, \"0*8 1*8 2*8 3*8 4*8 5*8 6*8 7*8\")"));
  EXPECT_EQ(heddle("run " + derived).status, 0);
}

TEST_F(Sketch, WhatFollowsFromDataBecomesChance) {
  const std::string file = write("data.warp",
                                 "__global__ void k(const int *in, int *out) {\n"
                                 "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (in[t] < 3) { out[t] = 1; out[t + 1024] = 2; }\n"
                                 "}\nk<<<4, 256>>>(random(1024, 0, 10), zeros(2048));\n");
  const std::string capsules = (folder_ / "capsules").string();
  ASSERT_EQ(heddle("run --capture " + capsules + " " + file).status, 0);
  const Outcome simplified = heddle("simplify " + capsules);
  EXPECT_EQ(simplified.status, 0) << simplified.text;
  EXPECT_THAT(simplified.text, ContainsRegex("if \\(chance\\(0\\.(2[5-9]|3[0-5])"));
  EXPECT_THAT(simplified.text, HasSubstr("no formula over indices was found"));
  EXPECT_THAT(simplified.text, ::testing::Not(HasSubstr("random")));
}

// Loops within one another that threads leave by one jump, each in a round of its own, and threads
// that leave the kernel from there.
TEST_F(Sketch, LoopsThatAreLeftAtOnceAreDerivedAsTheyWere) {
  const std::string file = write("leave.warp",
                                 "__global__ void leave(int *out) {\n"
                                 "  int t = threadIdx.x;\n"
                                 "  int sum = 0;\n"
                                 "  for (int i = 0; i < 8; ++i) {\n"
                                 "    for (int j = 0; j < 4; ++j) {\n"
                                 "      if (t < i * 4 + j) goto done;\n"
                                 "      sum += i * j;\n"
                                 "    }\n"
                                 "    if (t == 31 - i) return;\n"
                                 "    sum += 1;\n"
                                 "  }\n"
                                 "  done: out[t] = sum;\n"
                                 "}\nleave<<<2, 64>>>(zeros(64));\n");
  const std::string capsules = (folder_ / "capsules").string();
  const std::string metric = "run --metrics divergent_branch ";
  const std::string original = heddle(metric + "--capture " + capsules + " " + file).text;
  const std::string derived = (folder_ / "derived.warp").string();
  const Outcome simplified = heddle("simplify -o " + derived + " " + capsules);
  ASSERT_EQ(simplified.status, 0) << simplified.text;
  const auto divergent = [](const std::string& text) {
    const std::size_t at = text.find("divergent_branch");
    return at == std::string::npos ? text : text.substr(at, text.find("branch ", at + 17) - at);
  };
  EXPECT_THAT(original, ContainsRegex("divergent_branch +[1-9]"));
  EXPECT_EQ(divergent(heddle(metric + derived).text), divergent(original));
}

TEST_F(Sketch, FunctionsStandInPlaceOfTheirCalls) {
  const std::string capsules =
      std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/calls.sm_90.G";
  const std::string derived = (folder_ / "calls.warp").string();
  const Outcome outcome = heddle("simplify -o " + derived + " " + capsules);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  std::ifstream stream(derived);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, ContainsRegex("// line [0-9]+: calls "));
  EXPECT_EQ(heddle("run " + derived).status, 0);
}

// traces/kernels/derived/ is what `heddle simplify` makes of the capsules
// (scripts/derive_sketches.sh).
TEST_F(Sketch, TheSeedKernelsAreDerivedAsTheyAreKept) {
  namespace fs = std::filesystem;
  const auto text_of = [](const fs::path& path) {
    std::ifstream stream(path);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const fs::path source = HEDDLE_SOURCE_DIR;
  std::size_t compared = 0;
  for (const auto& kept : fs::recursive_directory_iterator(source / "traces/kernels/derived")) {
    if (kept.path().extension() != ".warp") continue;
    const bool release = kept.path().parent_path().filename() == "O3";
    const fs::path capsules = source / "validation/capsules" /
                              (kept.path().stem().string() + (release ? ".sm_90.O3" : ".sm_90.G"));
    const fs::path derived = folder_ / "derived.warp";
    EXPECT_EQ(heddle("simplify -o " + derived.string() + " " + capsules.string()).status, 0)
        << kept.path();
    EXPECT_EQ(text_of(derived), text_of(kept.path())) << kept.path();
    ++compared;
  }
  EXPECT_EQ(compared, 22u);
}

TEST_F(Sketch, SaysWhyAKernelIsNotSimplified) {
  const std::string file =
      write("outside.warp",
            "__global__ void outside(int *out) { out[threadIdx.x + (1 << 28)] = 1; }\n"
            "outside<<<1, 32>>>(zeros(32));\n");
  const std::string capsules = (folder_ / "capsules").string();
  heddle("run --capture " + capsules + " " + file);
  const Outcome outcome = heddle("simplify " + capsules);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.text, HasSubstr("outside is not simplified: an illegal memory access"));
}

}  // namespace
