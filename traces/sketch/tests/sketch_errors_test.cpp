// What a sketch that is wrong is told: where, and what was expected.
#include <gmock/gmock.h>

#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

std::string error_of(const std::string& text) {
  try {
    isa::sketch::compile(text, "s.warp");
  } catch (const isa::sketch::SketchError& error) {
    return error.what();
  }
  return "no error";
}
std::string in_kernel(const std::string& statements) {
  return error_of("__global__ void k(int *out, float f) {\n" + statements + "\n}\n");
}

TEST(SketchErrors, SayWhereAndWhatWasExpected) {
  EXPECT_EQ(in_kernel("  int x = 3"), "s.warp:3:1: expected ';' after a declaration, found '}'");
  EXPECT_EQ(in_kernel("  if (f > 1 out[0] = 1;"),
            "s.warp:2:13: expected ')' after the condition, found 'out'");
  EXPECT_EQ(in_kernel("  y = 1;"), "s.warp:2:3: 'y' is not declared");
  EXPECT_EQ(in_kernel("  out[f] = 1;"), "s.warp:2:6: an index: expected an integer, found float");
  EXPECT_EQ(in_kernel("  out = f;"), "s.warp:2:7: expected int * here, found float");
  EXPECT_EQ(in_kernel("  __syncthread();"),
            "s.warp:2:3: there is no function '__syncthread'; did you mean __syncthreads?");
  EXPECT_EQ(in_kernel("  int a[3] = 1;"),
            "s.warp:2:7: an array is not initialised; assign to its elements");
  EXPECT_EQ(in_kernel("  break;"), "s.warp:2:3: expected 'break' only in a loop or a switch");
  EXPECT_EQ(in_kernel("  out[0] = chance(1.5);"),
            "s.warp:2:19: chance: expected 0 to 1, found 1.5");
  EXPECT_EQ(in_kernel("  int t = threadIdx.w;"), "s.warp:2:21: expected .x, .y or .z, found .w");
  EXPECT_EQ(in_kernel("  int t; int t;"),
            "s.warp:2:14: 't' is declared twice; the first is at line 2");
  EXPECT_EQ(in_kernel("  f % 2;"), "s.warp:2:5: '%': expected integers, found float and int");
  EXPECT_EQ(in_kernel("  int x = 1 / 0;"), "s.warp:2:13: '/' by zero");
  EXPECT_EQ(error_of("__global__ int k() {}"),
            "s.warp:1:12: expected 'void' after '__global__', found 'int'");
  EXPECT_EQ(error_of("__global__ void k() {\n  int x = 'a';\n}"),
            "s.warp:2:11: characters are not part of the language; expected a number");
  EXPECT_EQ(error_of("#include <stdio.h>\n"),
            "s.warp:1:1: #include is not part of the language, and a sketch needs none");
  EXPECT_EQ(error_of(""),
            "s.warp:1:1: there is no kernel; expected '__global__ void name(…) { … }'");
}

TEST(SketchErrors, GotoGoesForwardAndOutward) {
  EXPECT_EQ(in_kernel("  again: goto again;"),
            "s.warp:2:10: goto again: expected 'again:' further down, in this block or one around "
            "it");
  EXPECT_EQ(in_kernel("  if (f > 0) goto in;\n  { in: ; }"),
            "s.warp:2:14: goto in: expected 'in:' further down, in this block or one around it");
  EXPECT_EQ(in_kernel("  goto on;\n  int x = 1;\n  on: ;"),
            "s.warp:3:3: a declaration that 'goto on' passes by; expected it before the goto");
  EXPECT_EQ(in_kernel("  goto on;\n  on:\n  on: ;"), "s.warp:4:3: a second 'on:' in this kernel");
  EXPECT_EQ(in_kernel("  if (f > 0) on: f = 1;"),
            "s.warp:2:14: expected a label only between the statements of a block");
  EXPECT_EQ(in_kernel("  goto 3;"), "s.warp:2:8: expected a label after 'goto', found '3'");
  EXPECT_EQ(in_kernel("  asm(\"bar.sync 0;\");"),
            "s.warp:2:3: asm: a sketch can contain only asm(\"exit;\")");
}

// What somebody who comes from CUDA writes first.
TEST(SketchErrors, WhatIsNotThereIsCalledByItsName) {
  EXPECT_EQ(in_kernel("  auto i = 3;"),
            "s.warp:2:3: expected a type: int, unsigned, float, double or bool, found 'auto'");
  EXPECT_EQ(in_kernel("  printf(1);"),
            "s.warp:2:3: there is no function 'printf'; a sketch prints nothing; heddle step shows "
            "what a thread computes");
  EXPECT_EQ(in_kernel("  out[0] = log(f);"),
            "s.warp:2:12: there is no function 'log'; did you mean logf?");
  EXPECT_EQ(in_kernel("  out[0] = nothing(f);"), "s.warp:2:12: there is no function 'nothing'");
  EXPECT_EQ(
      error_of("__device__ int f(int x) { return x; }"),
      "s.warp:1:1: functions other than kernels are not part of the language; expected '__global__ "
      "void name(…)', or a launch");
  EXPECT_EQ(
      error_of("int main() {}"),
      "s.warp:1:1: functions other than kernels are not part of the language; expected '__global__ "
      "void name(…)', or a launch");
  EXPECT_EQ(error_of("__global__ void k(int *out, int n) {}\nk<<<1, 32>>>(zeros(32));"),
            "s.warp:2:1: expected k(int * out, int n), found 1 argument");
}

TEST(SketchErrors, ALaunchMayLeaveOutWhatHasADefaultValue) {
  const std::string kernel = "__global__ void k(int *out, int n = 5) { out[threadIdx.x] = n; }\n";
  EXPECT_THAT(run_one(kernel + "k<<<1, 32>>>(zeros(32));").array<std::int32_t>("out"),
              ::testing::Each(5));
  EXPECT_EQ(error_of(kernel + "k<<<1, 32>>>();"),
            "s.warp:2:1: expected k(int * out, int n), found 0 arguments");
}

TEST(SketchErrors, DeepNestingIsRefused) {
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  EXPECT_THAT(in_kernel("out[0] = " + repeated("(", 100000) + ";"),
              ::testing::HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(in_kernel("out[0] = 1" + repeated("+1", 100000) + ";"),
              ::testing::HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(in_kernel("out[0] = " + repeated("-", 100000) + "1;"),
              ::testing::HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(in_kernel(repeated("{", 100000)), ::testing::HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(in_kernel(repeated("if (f > 0) ", 90) + ";"),
              ::testing::HasSubstr("branches nested more than 16 deep"));
}

TEST(SketchErrors, MacrosThatGrowAreRefused) {
  std::string text = "#define a0 1+1+1+1+1+1+1+1\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "a" + std::to_string(i - 1);
    text += "#define a" + std::to_string(i) + " " + last + "+" + last + "+" + last + "\n";
  }
  EXPECT_THAT(error_of(text), ::testing::AnyOf(::testing::HasSubstr("far too long"),
                                               ::testing::HasSubstr("a million tokens")));
}

TEST(SketchErrors, WhatALaunchLacksIsNamed) {
  const auto compiled =
      isa::sketch::compile("__global__ void k(int *out, int n) { out[0] = n; }", "s.warp");
  isa::sketch::LaunchChoice choice;
  EXPECT_THROW(isa::sketch::choose_launches(compiled, choice), std::invalid_argument);
  choice.grid = choice.block = {1, 1, 1};
  choice.parameters = {{"out", "zeros(4)"}};
  try {
    isa::sketch::choose_launches(compiled, choice);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "k: parameter 'n' (int) has no value; give one with --param n=1");
  }
  choice.parameters.emplace_back("n", "7");
  EXPECT_EQ(isa::sketch::choose_launches(compiled, choice).at(0).arguments.at(1).bits, 7u);
}

}  // namespace
}  // namespace heddle::simulator
