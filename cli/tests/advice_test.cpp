// What heddle run --advice says first of kernels with one known fault each, and of a good one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class AdviceOf : public ::testing::Test {
 protected:
  // Of a sketch; lines are joined, so that breaks do not matter.
  std::string advice(const std::string& sketch, const std::string& more = "") const {
    std::ofstream(folder_ / "k.warp") << sketch;
    const Outcome outcome = run_heddle(
        "run --advice --no-progress " + more + " " + (folder_ / "k.warp").string(), Kept::output);
    EXPECT_EQ(outcome.status, 0);
    expect_explained(outcome.text);
    std::string text;
    for (const char c : outcome.text)
      if (c != '\n' && (c != ' ' || text.empty() || text.back() != ' '))
        text += c;
      else if (text.empty() || text.back() != ' ')
        text += ' ';
    return text;
  }
  // From its first point on.
  static std::string first(const std::string& text) {
    const std::size_t at = text.find(" * ");
    const std::size_t next = text.find(" * ", at + 3);
    return at == text.npos ? std::string() : text.substr(at, next - at);
  }
  // heddle explain knows each piece: what stands between its place and its share.
  static void expect_explained(const std::string& text) {
    for (std::size_t at = text.find("  * "); at != text.npos; at = text.find("  * ", at + 4)) {
      std::string title = text.substr(at + 4, text.find('\n', at) - at - 4);
      if (const std::size_t place = title.find(") "); place != title.npos)
        title.erase(0, place + 2);
      title.erase(std::min(title.find(": "), title.size()));
      EXPECT_EQ(run_heddle("explain '" + title + "'", Kept::both).status, 0) << title;
    }
  }
  const tests::ScratchFolder folder_;
};

// Tiles of 32 × 32 words; `pitch` is the tile's row.
std::string transpose(const std::string& pitch) {
  return "__global__ void transpose(float *in, float *out) {\n"
         "  __shared__ float tile[32][" +
         pitch +
         "];\n"
         "  int x = blockIdx.x * 32 + threadIdx.x;\n"
         "  int y = blockIdx.y * 32 + threadIdx.y;\n"
         "  tile[threadIdx.y][threadIdx.x] = in[y * 128 + x];\n"
         "  __syncthreads();\n"
         "  int u = blockIdx.y * 32 + threadIdx.x;\n"
         "  int v = blockIdx.x * 32 + threadIdx.y;\n"
         "  out[v * 128 + u] = tile[threadIdx.x][threadIdx.y];\n"
         "}\n"
         "transpose<<<dim3(4, 4), dim3(32, 32)>>>(counting(16384), zeros(16384));\n";
}

TEST_F(AdviceOf, AnUnpaddedTransposeIsThePaddingOfItsTile) {
  const std::string text = first(advice(transpose("32")));
  EXPECT_THAT(text, HasSubstr("k.warp:9"));
  EXPECT_THAT(text, HasSubstr("has bank conflicts"));
  EXPECT_THAT(text, HasSubstr("32 passes per request where 1 would do, with a stride of 32 "
                              "elements of 4 bytes"));
  EXPECT_THAT(text, HasSubstr("tile[…][33] instead of tile[…][32]"));
  // 512 warps store a row and load a column; with padding one pass each.
  EXPECT_THAT(text, HasSubstr("1,024 passes instead of 16,896"));
}

TEST_F(AdviceOf, APaddedTransposeHasNoConflictsLeft) {
  EXPECT_THAT(advice(transpose("33")), Not(HasSubstr("bank conflicts")));
}

TEST_F(AdviceOf, SharedAccessesWithAStrideOfTwoAreBankConflicts) {
  const std::string text =
      first(advice("__global__ void twos(float *out) {\n"
                   "  __shared__ float part[512];\n"
                   "  int t = threadIdx.x;\n"
                   "  part[2 * t] = 1.0f;\n"
                   "  part[2 * t + 1] = 2.0f;\n"
                   "  __syncthreads();\n"
                   "  out[blockIdx.x * 256 + t] = part[2 * t] + part[2 * t + 1];\n"
                   "}\n"
                   "twos<<<16, 256>>>(zeros(4096));\n"));
  EXPECT_THAT(text, HasSubstr("has bank conflicts"));
  EXPECT_THAT(text,
              HasSubstr("2 passes per request where 1 would do, with a stride of 2 elements"));
  EXPECT_THAT(text, HasSubstr("neighbouring lanes take neighbouring words"));
}

TEST_F(AdviceOf, AnArrayOfStructuresIsAStructureOfArrays) {
  const std::string text =
      first(advice("__global__ void lengths(float *points, float *out) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  float x = points[4 * i];\n"
                   "  float y = points[4 * i + 1];\n"
                   "  float z = points[4 * i + 2];\n"
                   "  out[i] = x * x + y * y + z * z;\n"
                   "}\n"
                   "lengths<<<16, 256>>>(counting(16384), zeros(4096));\n"));
  EXPECT_THAT(text, HasSubstr("loads from an array of structures, with a stride of 4 elements"));
  EXPECT_THAT(text, HasSubstr("16 sectors per request where 4 would do"));
  EXPECT_THAT(text, HasSubstr("3 members of structures of 16 bytes"));
  EXPECT_THAT(text, HasSubstr("structure of arrays"));
}

TEST_F(AdviceOf, AMisalignedReductionIsItsAlignment) {
  const std::string text = first(
      advice("__global__ void sum(float *in, float *out, int offset) {\n"
             "  __shared__ float part[256];\n"
             "  int t = threadIdx.x;\n"
             "  float x = 0.0f;\n"
             "  for (int i = 0; i < 16; i++) x += in[offset + i * 4096 + blockIdx.x * 256 + t];\n"
             "  part[t] = x;\n"
             "  __syncthreads();\n"
             "  for (int s = 128; s > 0; s /= 2) {\n"
             "    if (t < s) part[t] += part[t + s];\n"
             "    __syncthreads();\n"
             "  }\n"
             "  if (t == 0) out[blockIdx.x] = part[0];\n"
             "}\n"
             "sum<<<16, 256>>>(zeros(65537), zeros(16), 1);\n"));
  EXPECT_THAT(text, HasSubstr("k.warp:5"));
  EXPECT_THAT(text, HasSubstr("loads misaligned"));
  EXPECT_THAT(text, HasSubstr("5 sectors per request where 4 would do"));
}

TEST_F(AdviceOf, AColumnIsAStrideOfItsRow) {
  const std::string text =
      first(advice("__global__ void column(float *in, float *out) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  out[i] = in[(i % 64) * 64 + i / 64];\n"
                   "}\n"
                   "column<<<16, 256>>>(counting(4096), zeros(4096));\n"));
  EXPECT_THAT(text, HasSubstr("loads with a stride of 64 elements of 4 bytes"));
  EXPECT_THAT(text, HasSubstr("32 sectors per request where 4 would do"));
}

TEST_F(AdviceOf, AtomicsOnFewAddressesAreCollectedFirst) {
  const std::string text =
      first(advice("__global__ void count(int *bins) {\n"
                   "  atomicAdd(bins + threadIdx.x % 4, 1);\n"
                   "}\n"
                   "count<<<32, 256>>>(zeros(4));\n"));
  EXPECT_THAT(text, HasSubstr("global atomics on 4 addresses"));
  EXPECT_THAT(text, HasSubstr("8,192 atomic operations go to 4 addresses, 2,048 of them to one"));
  EXPECT_THAT(text, HasSubstr("collect in shared memory"));
}

TEST_F(AdviceOf, LoadsOfWhatTheBlockHasAreATile) {
  const std::string text = advice(
      "__global__ void matmul(float *a, float *b, float *c) {\n"
      "  int x = blockIdx.x * 16 + threadIdx.x;\n"
      "  int y = blockIdx.y * 16 + threadIdx.y;\n"
      "  float sum = 0.0f;\n"
      "  for (int k = 0; k < 64; k++) sum += a[y * 64 + k] * b[k * 64 + x];\n"
      "  c[y * 64 + x] = sum;\n"
      "}\n"
      "matmul<<<dim3(4, 4), dim3(16, 16)>>>(counting(4096), counting(4096), zeros(4096));\n");
  EXPECT_THAT(first(text), HasSubstr("repeats loads of its block"));
  EXPECT_THAT(first(text), HasSubstr("tile into shared memory"));
}

TEST_F(AdviceOf, OneLongBlockIsToldFromManyShortOnes) {
  const std::string text = advice(
      "__global__ void uneven(float *out) {\n"
      "  float x = 0.0f;\n"
      "  int rounds = 4;\n"
      "  if (blockIdx.x == 7) rounds = 4000;\n"
      "  for (int i = 0; i < rounds; i++) x += 2.0f;\n"
      "  out[blockIdx.x * blockDim.x + threadIdx.x] = x;\n"
      "}\n"
      "uneven<<<64, 64>>>(zeros(4096));\n");
  EXPECT_THAT(text, ContainsRegex("Blocks of unequal length: [0-9]+ % of the time"));
  EXPECT_THAT(text, HasSubstr("Block 7 executes"));
}

TEST_F(AdviceOf, ThreadsThatTheLastWarpLacksAreTold) {
  const std::string text = advice(
      "__global__ void odd(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }\n"
      "odd<<<16, 40>>>(zeros(640));\n");
  EXPECT_THAT(text, HasSubstr("Blocks of 40 threads"));
}

// `condition` is tested in each round.
std::string tested(const std::string& condition, const std::string& behind = "") {
  return "__global__ void rounds(float *out, int mode) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  float x = 0.0f;\n"
         "  int k = 0;\n"
         "  int first = 1;\n"
         "  while (k < 100) {\n"
         "    if (" +
         condition +
         ") {\n"
         "      x = x * 2.0f; x = x + 3.0f; x = x * 4.0f;\n"
         "    } else {\n"
         "      x = x + 5.0f; x = x * 6.0f; x = x + 7.0f;\n"
         "    }\n"
         "    k++;\n" +
         behind +
         "  }\n"
         "  out[i] = x;\n"
         "}\n"
         "rounds<<<16, 64>>>(zeros(1024), 2);\n";
}

TEST_F(AdviceOf, AConditionThatALoopKeepsIsTestedBeforeIt) {
  const std::string text = first(advice(tested("mode == 2")));
  EXPECT_THAT(text, HasSubstr("k.warp:7"));
  EXPECT_THAT(text, HasSubstr("tests a loop-invariant condition in a loop"));
  // 32 warps, 100 rounds.
  EXPECT_THAT(text, HasSubstr("is executed 3,200 times"));
  EXPECT_THAT(text, HasSubstr("tested before the loop, it would be executed 32 times"));
  // The branch and its comparison.
  EXPECT_THAT(text, HasSubstr("12,416 cycles instead of 14,000"));
}

TEST_F(AdviceOf, AConditionThatTheLoopChangesStays) {
  for (const char* condition : {"k % 2 == 0", "i < 512 + k", "out[k] == 0.0f"})
    EXPECT_THAT(advice(tested(condition)), Not(HasSubstr("loop-invariant"))) << condition;
  // Written the same in every round, but behind the test.
  EXPECT_THAT(advice(tested("first == 1", "    first = 0;\n")), Not(HasSubstr("loop-invariant")));
}

TEST_F(AdviceOf, AConditionThatLanesDoNotAgreeOnIsDivergence) {
  const std::string text = advice(tested("i % 2 == 0"));
  EXPECT_THAT(text, HasSubstr("diverges"));
  EXPECT_THAT(text, Not(HasSubstr("loop-invariant")));
}

TEST_F(AdviceOf, OtherPredicationAndBlocksAreSimulated) {
  const std::string sketch =
      "__global__ void clamp(float *c) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float x = c[i];\n"
      "  for (int k = 0; k < 20; k++) {\n"
      "    if (i % 2 == 0) x = x + 1.0f;\n"
      "    if (i % 3 == 0) x = x + 2.0f;\n"
      "  }\n"
      "  c[i] = x;\n"
      "}\n"
      "clamp<<<4, 64>>>(zeros(256));\n";
  EXPECT_THAT(advice(sketch),
              ContainsRegex("simulated with --predication [a-z0-9]+: ~[0-9,]+ ns instead of "
                            "~[0-9,]+ \\(~[0-9.]+ % less\\)|simulated with"));
  // On a GPU without a model of time, instructions count.
  EXPECT_THAT(advice(sketch, "--gpu c1060 --predication off"),
              ContainsRegex("simulated with --predication 4: [0-9,]+ warp instructions instead"));
}

TEST_F(AdviceOf, AGoodKernelIsNothingAboveTwoPerCent) {
  const std::string text = advice(
      "__global__ void add(float *a, float *b, float *c) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  c[i] = a[i] + b[i];\n"
      "}\n"
      "add<<<16, 256>>>(counting(4096), counting(4096), zeros(4096));\n");
  EXPECT_THAT(text, HasSubstr("nothing above 2 % to gain"));
  EXPECT_THAT(text, Not(HasSubstr(" * ")));
  EXPECT_THAT(text, AllOf(HasSubstr("keeps SMs busy for"), HasSubstr("waves of 132 SMs")));
}

}  // namespace
}  // namespace heddle::cli
