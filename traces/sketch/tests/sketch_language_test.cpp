// What each construct of the sketch language computes, seen in memory.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <functional>

#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// out[t] = `expression`, for 64 threads; t is a thread's index, as an int.
template <typename T>
std::vector<T> values_of(const std::string& type, const std::string& statements) {
  return run_one("__global__ void k(" + type + " *out) {\n int t = threadIdx.x;\n" + statements +
                 "\n}\nk<<<1, 64>>>(zeros(64));\n")
      .array<T>("out");
}

void expect_ints(const std::string& expression, const std::function<std::int32_t(int)>& expected) {
  const auto found = values_of<std::int32_t>("int", "out[t] = " + expression + ";");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], expected(t)) << expression << ", t = " << t;
}

TEST(SketchLanguage, IntegersComputeAsInC) {
  expect_ints("t * 3 - 7 + (t << 2)", [](int t) { return t * 3 - 7 + (t << 2); });
  expect_ints("(t - 32) / 7", [](int t) { return (t - 32) / 7; });
  expect_ints("(t - 32) % 7", [](int t) { return (t - 32) % 7; });
  expect_ints("(t - 32) / 8", [](int t) { return (t - 32) / 8; });
  expect_ints("(t - 32) % 8", [](int t) { return (t - 32) % 8; });
  expect_ints("(t - 32) / 1 + (t - 32) % 1", [](int t) { return t - 32; });
  expect_ints("1000 / (t - 32 == 0 ? 1 : t - 32)",
              [](int t) { return 1000 / (t == 32 ? 1 : t - 32); });
  expect_ints("100000 % (t + 1) - 77777 / (t + 3)",
              [](int t) { return 100000 % (t + 1) - 77777 / (t + 3); });
  expect_ints("(t - 32) >> 2", [](int t) { return (t - 32) >> 2; });
  expect_ints("1 << t % 31", [](int t) { return 1 << t % 31; });
  expect_ints("~t & 0xff | t ^ 5", [](int t) { return (~t & 0xff) | (t ^ 5); });
  expect_ints("-t + +t - -3", [](int) { return 3; });
  expect_ints("(t > 10) + (t <= 20) * 2 + !t * 4 + (t != 3) * 8 + (t == 5) * 16", [](int t) {
    return (t > 10) + (t <= 20) * 2 + (t == 0 ? 4 : 0) + (t != 3) * 8 + (t == 5) * 16;
  });
  expect_ints("min(t, 20) + max(t, 40) * 100 + abs(t - 32) * 10000", [](int t) {
    return std::min(t, 20) + std::max(t, 40) * 100 + std::abs(t - 32) * 10000;
  });
  expect_ints("__popc(t * 77)", [](int t) { return std::popcount(static_cast<unsigned>(t * 77)); });
}

TEST(SketchLanguage, UnsignedDividesAndComparesWithoutSign) {
  const auto found = values_of<std::uint32_t>(
      "unsigned",
      "unsigned u = 0xfffffff0u + t; out[t] = u / 10 + u % 13 + (u > 5) + u / (t + 1u) + u % "
      "(u - 1) + (u >> 3) + (-1 < t % 2 + 0u);");
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t u = 0xfffffff0u + t;
    const std::uint32_t less = u - 1;
    const std::uint32_t rest = less == 0 ? u : u % less;
    if (less == 0) continue;  // a division by zero
    EXPECT_EQ(found[t],
              u / 10 + u % 13 + (u > 5) + u / (t + 1u) + rest + (u >> 3) + (0xffffffffu < t % 2))
        << t;
  }
}

// The division by numbers of all sizes, against the host's.
TEST(SketchLanguage, DivisionIsExact) {
  const auto result = run_one(
      "__global__ void k(unsigned *n, unsigned *d, unsigned *q, unsigned *r) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  unsigned divisor = d[i] >> (i % 32) | 1;\n  d[i] = divisor;\n"
      "  q[i] = n[i] / divisor;\n  r[i] = n[i] % divisor;\n}\n"
      "k<<<64, 128>>>(random(8192, 0, 4294967296.0), random(8192, 0, 4294967296.0), zeros(8192), "
      "zeros(8192));\n");
  const auto n = result.array<std::uint32_t>("n"), d = result.array<std::uint32_t>("d"),
             q = result.array<std::uint32_t>("q"), r = result.array<std::uint32_t>("r");
  for (std::size_t i = 0; i < n.size(); ++i) {
    ASSERT_EQ(q[i], n[i] / d[i]) << n[i] << " / " << d[i];
    ASSERT_EQ(r[i], n[i] % d[i]) << n[i] << " % " << d[i];
  }
}

TEST(SketchLanguage, FloatsComputeAsInC) {
  const auto found = values_of<float>(
      "float", "float x = t * 0.5f - 3; out[t] = x * x + x / 4.0f - (x < 0 ? -x : x) + t;");
  for (int t = 0; t < 64; ++t) {
    const float x = static_cast<float>(t) * 0.5f - 3;
    EXPECT_FLOAT_EQ(found[t], x * x + x / 4.0f - std::fabs(x) + static_cast<float>(t)) << t;
  }
  const auto functions = values_of<float>(
      "float",
      "out[t] = sqrtf(t + 1.0f) + expf(t * 0.01f) + logf(t + 2.0f) + sinf(t * 0.1f) + fminf(t, "
      "9.5f) + fmaf(t, 2.0f, 1.0f) + fabsf(t - 20.5f);");
  for (int t = 0; t < 64; ++t) {
    const auto x = static_cast<float>(t);
    EXPECT_NEAR(functions[t],
                std::sqrt(x + 1) + std::exp(x * 0.01f) + std::log(x + 2) + std::sin(x * 0.1f) +
                    std::min(x, 9.5f) + (x * 2 + 1) + std::fabs(x - 20.5f),
                2e-4)
        << t;
  }
}

TEST(SketchLanguage, DoublesComputeAsInC) {
  const auto found = values_of<double>(
      "double",
      "double x = t * 0.1 - 3; double y = x / (t + 0.7); out[t] = y * y - x + (x < -1.0 ? 2.0 : t) "
      "+ (float) t + (int) (x * 10.0) - -x;");
  for (int t = 0; t < 64; ++t) {
    const double x = t * 0.1 - 3, y = x / (t + 0.7);
    EXPECT_NEAR(found[t], y * y - x + (x < -1.0 ? 2.0 : t) + t + static_cast<int>(x * 10.0) + x,
                1e-12)
        << t;
  }
}

TEST(SketchLanguage, ConversionsTruncateAndExtend) {
  expect_ints("(int) (t * -0.75f)",
              [](int t) { return static_cast<int>(static_cast<float>(t) * -0.75f); });
  expect_ints("(int) ((t - 32) * 1.5)", [](int t) { return static_cast<int>((t - 32) * 1.5); });
  expect_ints("bool(t & 4) + int(3.99f)", [](int t) { return ((t & 4) != 0) + 3; });
}

TEST(SketchLanguage, ConditionsRunOneSide) {
  const std::string text =
      "if (t % 3 == 0) out[t] = 1; else if (t % 3 == 1) { out[t] = 2; } else out[t] = 3;\n"
      "if (t > 50 && t != 60) out[t] += 10;\nif (t < 4 || t == 7) { out[t] += 20; }\n"
      "bool odd = t & 1; if (!odd) out[t] += 100;";
  const auto found = values_of<std::int32_t>("int", text);
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(found[t], t % 3 + 1 + (t > 50 && t != 60 ? 10 : 0) + (t < 4 || t == 7 ? 20 : 0) +
                            (t % 2 == 0 ? 100 : 0))
        << t;
}

TEST(SketchLanguage, TheRightOfAndRunsOnlyWhereTheLeftHolds) {
  const auto found = values_of<std::int32_t>(
      "int", "int n = 0; if (t < 5 && ++n > 0) {} if (t < 9 || ++n) {} out[t] = n;");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], (t < 5 ? 1 : 0) + (t < 9 ? 0 : 1)) << t;
}

TEST(SketchLanguage, LoopsGoRound) {
  const std::string text =
      "int s = 0;\n"
      "for (int i = 0; i < t; i++) { if (i == 5) continue; if (i == 20) break; s += i; }\n"
      "while (s % 7 != 0) ++s;\n"
      "do { s += 2; if (s > 150) break; } while (s < 100);\n"
      "for (t % 4) s += 1000;\n"
      "out[t] = s;";
  const auto found = values_of<std::int32_t>("int", text);
  for (int t = 0; t < 64; ++t) {
    int s = 0;
    for (int i = 0; i < t; i++) {
      if (i == 5) continue;
      if (i == 20) break;
      s += i;
    }
    while (s % 7 != 0) ++s;
    do {
      s += 2;
      if (s > 150) break;
    } while (s < 100);
    s += 1000 * (t % 4);
    EXPECT_EQ(found[t], s) << t;
  }
}

TEST(SketchLanguage, NestedLoopsWithJumpsOutOfThem) {
  const std::string text =
      "int s = 0;\n"
      "for (int i = 0; i < 6; ++i) {\n"
      "  int j = 0, kept;\n"
      "  while (true) {\n"
      "    if (j == t % 5) kept = i;\n"
      "    if (++j > 4) break;\n"
      "    if ((i + j) % 3 == t % 3) continue;\n"
      "    switch (j) { case 1: s += 1; break; case 2: continue; case 3: s += 5; default: s += 10; "
      "}\n"
      "  }\n"
      "  if (s > 60 + t) return;\n"
      "  out[t] = s * 10 + kept;\n"
      "}";
  const auto found = values_of<std::int32_t>("int", text);
  for (int t = 0; t < 64; ++t) {
    int s = 0, expected = 0;
    for (int i = 0; i < 6; ++i) {
      int j = 0, kept = 0;
      while (true) {
        if (j == t % 5) kept = i;
        if (++j > 4) break;
        if ((i + j) % 3 == t % 3) continue;
        if (j == 1)
          s += 1;
        else if (j == 2)
          continue;
        else if (j == 3)
          s += 15;
        else
          s += 10;
      }
      if (s > 60 + t) break;
      expected = s * 10 + kept;
    }
    EXPECT_EQ(found[t], expected) << t;
  }
}

TEST(SketchLanguage, SwitchFallsThrough) {
  const auto found = values_of<std::int32_t>(
      "int",
      "switch (t % 5) { case 3: out[t] = 30; break; case 0: out[t] = 1; case 1: out[t] += 2; "
      "break; default: out[t] = 9; }");
  constexpr int kExpected[] = {3, 2, 9, 30, 9};
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], kExpected[t % 5]) << t;
}

TEST(SketchLanguage, SharedMemoryAndBlockBarriers) {
  const auto result = run_one(
      "#define N 64\n"
      "__global__ void reverse(int *data) {\n"
      "  __shared__ int tile[N / 8][8];\n"
      "  int t = threadIdx.x;\n"
      "  tile[t / 8][t % 8] = data[t] * 2;\n"
      "  __syncthreads();\n"
      "  data[t] = tile[(63 - t) / 8][7 - t % 8];\n"
      "}\n"
      "reverse<<<1, N>>>(counting(N));\n");
  const auto data = result.array<std::int32_t>("data");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(data[t], 2 * (63 - t));
}

TEST(SketchLanguage, DynamicSharedMemoryAndItsPointers) {
  const auto result = run_one(
      "__global__ void k(float *data) {\n"
      "  extern __shared__ float buffer[];\n"
      "  float *half = buffer + 32;\n"
      "  half[threadIdx.x] = data[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  data[threadIdx.x] = buffer[63 - threadIdx.x] + *half;\n"
      "}\n"
      "k<<<1, 32, 256>>>(counting(32));\n");
  const auto data = result.array<float>("data");
  for (int t = 0; t < 32; ++t) EXPECT_EQ(data[t], static_cast<float>(31 - t));
}

TEST(SketchLanguage, LocalArraysAreEachThreadsOwn) {
  const auto found = values_of<std::int32_t>(
      "int",
      "int mine[8]; double other[3]; for (int i = 0; i < 8; ++i) mine[i] = t * i;\n"
      "other[t % 3] = t; int *p = mine; p += 2; out[t] = mine[t % 8] + p[1] + (int) other[t % 3];");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(found[t], t * (t % 8) + 3 * t + t) << t;
}

TEST(SketchLanguage, PointersWalkOverGlobalMemory) {
  const auto result = run_one(
      "__global__ void k(int *in, int *out, int n, float scale, bool doubled) {\n"
      "  int *p = in + threadIdx.x * n;\n"
      "  int s = 0;\n"
      "  for (int i = 0; i < n; i++) s += *p++;\n"
      "  int *q = &out[1];\n"
      "  q[(int) threadIdx.x - 1] = s * (int) scale * (doubled ? 2 : 1);\n"
      "}\n"
      "k<<<1, 4>>>(counting(12), zeros(4), 3, 10.0f, true);\n");
  EXPECT_THAT(result.array<std::int32_t>("out"), ElementsAre(60, 240, 420, 600));
}

TEST(SketchLanguage, ShufflesAndVotes) {
  const auto result = run_one(
      "__global__ void k(int *sum, unsigned *votes, int *up, float *pair) {\n"
      "  int t = threadIdx.x;\n"
      "  int v = t;\n"
      "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n"
      "  sum[t] = __shfl_sync(0xffffffff, v, 0);\n"
      "  votes[t] = __ballot_sync(0xffffffff, t % 3 == 0) + __any_sync(0xffffffff, t == 7) +\n"
      "             __all_sync(0xffffffff, t < 64);\n"
      "  up[t] = __shfl_up_sync(0xffffffff, t, 1, 8);\n"
      "  pair[t] = __shfl_xor_sync(0xffffffff, t * 0.5f, 1);\n"
      "  __syncwarp();\n"
      "}\n"
      "k<<<1, 64>>>(zeros(64), zeros(64), zeros(64), zeros(64));\n");
  std::uint32_t thirds = 0;
  for (int t = 0; t < 32; ++t) thirds |= t % 3 == 0 ? 1u << t : 0;
  std::uint32_t second = 0;
  for (int t = 0; t < 32; ++t) second |= (t + 32) % 3 == 0 ? 1u << t : 0;
  const auto sum = result.array<std::int32_t>("sum"), up = result.array<std::int32_t>("up");
  const auto votes = result.array<std::uint32_t>("votes");
  const auto pair = result.array<float>("pair");
  EXPECT_EQ(sum[5], 496);
  EXPECT_EQ(sum[40], 496 + 32 * 32);
  EXPECT_EQ(votes[3], thirds + 1 + 1);
  EXPECT_EQ(votes[33], second + 1);
  EXPECT_EQ(up[8], 8);
  EXPECT_EQ(up[9], 8);
  EXPECT_EQ(pair[6], 3.5f);
}

TEST(SketchLanguage, AtomicsAddInGlobalAndSharedMemory) {
  const auto result = run_one(
      "__global__ void k(int *bins, float *total, int *seen) {\n"
      "  __shared__ int count;\n"
      "  if (threadIdx.x == 0) count = 0;\n"
      "  __syncthreads();\n"
      "  atomicAdd(&count, 1);\n"
      "  atomicAdd(&bins[threadIdx.x % 4], 2);\n"
      "  atomicAdd(total, 0.5f);\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 63) seen[blockIdx.x] = count;\n"
      "}\n"
      "k<<<3, 64>>>(zeros(4), zeros(1), zeros(3));\n");
  EXPECT_THAT(result.array<std::int32_t>("bins"), ElementsAre(96, 96, 96, 96));
  EXPECT_THAT(result.array<float>("total"), ElementsAre(96.0f));
  EXPECT_THAT(result.array<std::int32_t>("seen"), ElementsAre(64, 64, 64));
}

TEST(SketchLanguage, ShapesOfThreeDimensions) {
  const auto result = run_one(
      "__global__ void k(int *out) {\n"
      "  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
      "  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
      "  unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;\n"
      "  out[i] = i * 3 + warpSize;\n"
      "}\n"
      "k<<<dim3(2, 3, 2), dim3(4, 3, 2)>>>(zeros(288));\n");
  const auto out = result.array<std::int32_t>("out");
  for (int i = 0; i < 288; ++i) ASSERT_EQ(out[i], i * 3 + 32);
}

// Under predicates a kernel computes what it computes with branches.
TEST(SketchLanguage, PredicationChangesNoResult) {
  const std::string text =
      "__global__ void k(int *out) {\n"
      "  int t = threadIdx.x, s = 0;\n"
      "  for (int i = 0; i < 20; ++i) {\n"
      "    if ((t + i) % 3 == 0) s += i; else s -= t;\n"
      "    if (t > i && s < 100) s += t > 2 * i ? 3 : 5;\n"
      "    if (t == i) { if (s > 0) s = -s; out[t] += s; }\n"
      "  }\n"
      "  out[t] += s;\n"
      "}\nk<<<1, 64>>>(zeros(64));\n";
  const auto off = run_one(text, 1, "off");
  for (const char* rule : {"4", "7", "2009", "cuda13"}) {
    const auto on = run_one(text, 1, rule);
    EXPECT_EQ(on.array<std::int32_t>("out"), off.array<std::int32_t>("out")) << rule;
    EXPECT_LT(on.metric("branch"), off.metric("branch")) << rule;
  }
}

TEST(SketchLanguage, MacrosConstantsAndComments) {
  const auto result = run_one(
      "#define WIDTH (4 * 2)  // eight\n#define TWICE WIDTH * 2\n#pragma once\n"
      "const int kRows = WIDTH / 2;\nconst float kHalf = 0.5f;\n"
      "__global__ void k(float *out /* all of them */) {\n"
      "  const int n = kRows * TWICE;\n"
      "  __shared__ float a[n];\n  a[0] = n;\n  out[0] = a[0] * kHalf;\n}\nk<<<1, "
      "1>>>(zeros(1));\n");
  EXPECT_THAT(result.array<float>("out"), ElementsAre(32.0f));
}

}  // namespace
}  // namespace heddle::simulator
