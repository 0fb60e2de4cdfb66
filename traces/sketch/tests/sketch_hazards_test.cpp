// Whether the control codes of compiled sketches honour latencies: those of every sketch here,
// under every rule of predication. (What the model computes does not depend on them.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/checks/checks.hpp"
#include "simulator/models/gpu_model.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/run_sketch.hpp"
#include "traces/sketch/tests/sketches_here.hpp"

namespace heddle::simulator {
namespace {

using ::testing::IsEmpty;

using isa::sketch::ArrayContents;

// Whatever file of rounds a sketch asks for.
std::string some_rounds(const std::string&) { return "1 3*2 7"; }

// What --check hazards finds, a line each. Control codes do not know of the grid: two blocks do.
std::string hazards(const std::string& text, const isa::sketch::PredicationRule& rule) {
  SketchProgram program(
      isa::sketch::compile(text, "test.warp", {.predication = &rule, .read_file = some_rounds}),
      "test.warp", gpu_model("h200"));
  checks::Checks checks(checks::parse_options("hazards"), program.device().memory());
  LaunchOptions options;
  options.checks = &checks;
  std::string found;
  for (isa::sketch::CompiledLaunch launch : isa::sketch::choose_launches(program.compiled(), {})) {
    launch.grid[0] = std::min(launch.grid[0], 2u);
    launch.grid[1] = launch.grid[2] = 1;
    for (isa::sketch::Argument& argument : launch.arguments)
      if (argument.array.kind == ArrayContents::Kind::file)  // which are not kept here
        argument.array = {.kind = ArrayContents::Kind::zeros, .elements = 1024, .file = {}};
    program.run(launch, 1, options, [&](const SketchProgram::Ran& ran) {
      for (const checks::Finding& finding : ran.outcome.findings) {
        found += finding.kind + ": " + finding.message + "\n";
        for (const checks::Side& side : finding.sides) found += "  " + side.text + "\n";
      }
    });
  }
  return found;
}

TEST(SketchHazards, ControlCodesOfEverySketchAreInOrder) {
  const std::vector<SketchHere> all = sketches_here();
  ASSERT_GE(all.size(), 20u);
  for (const SketchHere& sketch : all)
    for (const auto& rule : isa::sketch::predication_rules())
      EXPECT_THAT(hazards(sketch.text, rule), IsEmpty())
          << sketch.origin << ", predication " << rule.name;
}

// A predicate from before a branch that guards behind it, and one from the end of a loop's body.
TEST(SketchHazards, PredicatesCrossBranchesInTime) {
  const char* const text =
      "__global__ void across(int *c) {\n"
      "  int i = threadIdx.x;\n"
      "  bool even = i % 2 == 0;\n"
      "  for (int k = 0; k < 3; ++k) {\n"
      "    if (even) c[i] += k;\n"
      "    even = c[i] % 3 == 0;\n"
      "  }\n"
      "  c[i] += even ? 1 : 2;\n"
      "}\n"
      "across<<<1, 64>>>(counting(64));\n";
  for (const auto& rule : isa::sketch::predication_rules())
    EXPECT_THAT(hazards(text, rule), IsEmpty()) << rule.name;
}

}  // namespace
}  // namespace heddle::simulator
