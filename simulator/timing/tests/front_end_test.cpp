#include "simulator/timing/front_end.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "simulator/timing/launch.hpp"
#include "simulator/timing/sm_places.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kLines = 512, kInstructions = 8;

// Code of a kernel that the GPC's cache holds, as seen by its first SM.
class Code {
 public:
  // When the warp has executed straight code from a line on; from `now` on.
  Cycle execute(unsigned sub_core, unsigned slot, std::uint32_t from, std::uint32_t lines,
                Cycle now) {
    for (std::uint32_t line = from; line < from + lines; ++line)
      now = fetch(sub_core, slot, line, now) + kInstructions;
    return now;
  }
  Cycle fetch(unsigned sub_core, unsigned slot, std::uint32_t line, Cycle now) {
    return std::max(now, front_end_.instructions(sub_core, slot, line, now));
  }

 private:
  static Constants constants() {
    Constants all = constants_for(gpu_model("h200"), {});
    all.launch_instruction_bytes = all.l15_instruction_bytes;
    return all;
  }
  static TimedProgram program() {
    TimedProgram program;
    program.code_lines = kLines;
    program.instructions_per_line = kInstructions;
    return program;
  }
  const Constants constants_ = constants();
  const TimedProgram program_ = program();
  const std::vector<SmPlace> places_ = sm_places(constants_, 1);
  GpcCache gpc_{constants_, program_, {.lines = kLines}, 0, places_};
  FrontEnd front_end_{constants_, program_, 0, gpc_, gpc_.way_to(places_[0]), 0};
};

constexpr Cycle kLater = 10000;

TEST(FrontEnd, FetchesAheadOfEachWarp) {
  Code alone, shared;
  constexpr std::uint32_t kExecuted = 32;
  const Cycle one = alone.execute(0, 0, 100, kExecuted, kLater) - kLater;
  Cycle first = kLater, second = kLater;
  for (std::uint32_t line = 0; line < kExecuted; ++line) {
    first = shared.execute(0, 0, 100 + line, 1, first);
    second = shared.execute(1, 0, 300 + line, 1, second);
  }
  EXPECT_NEAR(static_cast<double>(first - kLater), static_cast<double>(one), kExecuted);
  EXPECT_NEAR(static_cast<double>(second - kLater), static_cast<double>(one), 2 * kExecuted);
}

// `nothing` of gpu/kernels/micro/timing/launches.cu.
TEST(FrontEnd, HandsTheFirstCodeToOneWarpOfASubCoreAtATime) {
  Code code;
  const Cycle first = code.fetch(0, 0, 0, 0);
  EXPECT_GT(first, 0u);
  EXPECT_EQ(code.fetch(1, 0, 0, 1), first);
  EXPECT_EQ(code.fetch(0, 1, 0, 2), first + 2);
  EXPECT_EQ(code.fetch(0, 2, 0, 3), first + 4);
  EXPECT_EQ(code.fetch(1, 1, 0, 3), first + 2);
  EXPECT_EQ(code.fetch(0, 3, 0, first + 50), first + 50);
}

TEST(FrontEnd, KeepsFourLinesOfASet) {
  constexpr std::uint32_t kSets = 64;
  for (const std::uint32_t lines : {4u, 5u}) {
    Code code;
    Cycle now = kLater;
    for (std::uint32_t i = 0; i < lines; ++i) now = code.fetch(0, 0, 10 + i * kSets, now) + 1000;
    // Another sub-core, which has none of them.
    const Cycle again = code.fetch(1, 0, 10, now) - now;
    EXPECT_EQ(again > 20, lines == 5) << again;
  }
}

// What a launch brings to the first GPC's cache: the time of the kernel's first line of code, and
// of a line of constants.
struct Brought {
  Cycle code = 0, constant = 0;
};
Brought brought(const LaunchedKernel& kernel, std::uint32_t constant_line,
                const char* changed = "") {
  constexpr Cycle kLaunch = 1000, kMany = 100'000;
  const Constants constants = constants_for(
      gpu_model("h200"),
      parse_options(std::string("latency_launch=1000,latency_launch_code=100,latency_launch_far=30,"
                                "latency_launch_constants=200,launch_lines_ahead=0,") +
                    changed));
  TimedProgram program;
  program.code_lines = kLines;
  program.instructions_per_line = kInstructions;
  program.constant_lines = {{0, constant_line}};
  const std::vector<SmPlace> places = sm_places(constants, 1);
  GpcCache gpc(constants, program, kernel, 0, places);
  const Cycle code = gpc.arrival(kernel.entry / kInstructions);
  EXPECT_LT(code, kMany);
  return {code - kLaunch, gpc.constant(0, kLaunch) - kLaunch};
}

// store.*.b1.* of short_launches.cu.
TEST(FrontEnd, AnOperandThatSubCoresWantComesToTheSmOnce) {
  constexpr Cycle kWay = 50;
  const Constants constants =
      constants_for(gpu_model("h200"), parse_options("interval_cpc_line=5000,"));
  TimedProgram program;
  program.code_lines = kLines;
  program.instructions_per_line = kInstructions;
  program.constant_lines = {{0, 0}};
  const std::vector<SmPlace> places = sm_places(constants, 1);
  GpcCache gpc(constants, program, {.lines = kLines}, 0, places);
  FrontEnd front_end(constants, program, 0, gpc, gpc.way_to(places[0]), 0);
  const Cycle first = front_end.operand(0, 0, kLater);
  EXPECT_LT(front_end.operand(1, 0, kLater), first + kWay / 2);
}

// line511 of code_places.cu.
TEST(GpcCache, GetsAModulesFirstKernelFromTheFarHalfOfL2) {
  EXPECT_EQ(brought({.entry = kInstructions, .lines = 1}, 0).code, 100u);
  EXPECT_EQ(brought({.entry = 0, .lines = 1}, 0).code, 130u);
  EXPECT_EQ(brought({.entry = 0, .lines = 1}, 0, "l2_halves=1,").code, 100u);
}

// Only the parameters come later: code_places.cu and constant.* of code_sizes.cu.
TEST(GpcCache, HasALaunchsConstantsBeforeItsParameters) {
  const LaunchedKernel kernel{.entry = kInstructions, .lines = 1, .parameters = 0x210};
  EXPECT_NEAR(static_cast<double>(brought(kernel, 7).constant), 0, 1);
  EXPECT_NEAR(static_cast<double>(brought(kernel, 8).constant), 200, 1);
}

}  // namespace
}  // namespace heddle::simulator::timing
