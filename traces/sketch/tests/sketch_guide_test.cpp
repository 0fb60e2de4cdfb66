// Every example of docs/sketches.md compiles and runs, under every rule of predication.
#include <gmock/gmock.h>

#include "traces/sketch/tests/sketch_runs.hpp"
#include "traces/sketch/tests/sketches_here.hpp"

namespace heddle::simulator {
namespace {

TEST(SketchGuide, EveryExampleRuns) {
  const auto all = guide_sketches();
  ASSERT_GE(all.size(), 5u);
  for (const std::string& example : all)
    for (const auto& rule : isa::sketch::predication_rules()) {
      const auto results = run_all(example, 1, std::string(rule.name).c_str());
      EXPECT_GE(results.size(), 1u) << example;
      for (const auto& result : results) EXPECT_GT(result.metric("inst_executed"), 0u);
    }
}

TEST(SketchGuide, TheFirstExampleDivergesInBothWarps) {
  EXPECT_EQ(run_one(guide_sketches().at(0)).metric("divergent_branch"), 2u);
}

TEST(SketchGuide, TheSecondSumsAll) {
  const auto result = run_one(guide_sketches().at(1));
  EXPECT_EQ(result.array<std::int32_t>("sums").at(0), 4096 * 4095 / 2);
}

}  // namespace
}  // namespace heddle::simulator
