// heddle diff, as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "cli/difference.hpp"
#include "cli/tests/shell.hpp"
#include "simulator/base/json.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const std::string kCapsules = HEDDLE_SOURCE_DIR "/validation/capsules/";

class Diff : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  // Every second thread adds; with `ordered` the first half does.
  std::string sketch(const std::string& name, const std::string& kernel, bool ordered) const {
    std::ofstream(folder_ / name) << (ordered ? "// the same, by halves\n" : "")
                                  << "__global__ void " << kernel << "(float *c) {\n"
                                  << "  float x = 0.0f;\n"
                                  << (ordered ? "  if (threadIdx.x < 32) {\n"
                                              : "  if (threadIdx.x % 2 == 0) {\n")
                                  << "    for (int i = 0; i < 40; i++) x = x + 2.0f;\n"
                                  << "  }\n  c[threadIdx.x] = x;\n}\n"
                                  << kernel << "<<<1, 64>>>(zeros(64));\n";
    return file(name);
  }
  Json json_of(const std::string& words, int status) const {
    EXPECT_EQ(run_heddle("diff --json " + file("d.json") + " " + words, Kept::both).status, status);
    std::ifstream stream(file("d.json"));
    return Json::parse(stream);
  }
  const tests::ScratchFolder folder_;
};

TEST_F(Diff, SaysWhatAChangedConditionMeans) {
  const Outcome outcome = run_heddle(
      "diff " + sketch("a.warp", "sum", false) + " " + sketch("b.warp", "sum", true), Kept::both);
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("B: [0-9.]+ % fewer warp instructions"));
  EXPECT_THAT(outcome.text, HasSubstr("warp execution efficiency from"));
  EXPECT_THAT(outcome.text, HasSubstr("no divergent branches, "));
  EXPECT_THAT(outcome.text, HasSubstr("a.warp:4 → b.warp:5"));
}

TEST_F(Diff, LinesOfTheSameTextStandForEachOtherInOtherFiles) {
  const Json json =
      json_of(sketch("a.warp", "sum", false) + " " + sketch("b.warp", "sum", true), 1);
  const Json& kernel = json["kernels"][0];
  bool found = false;
  for (const Json& line : kernel["lines"])
    if (line["text"] == "c[threadIdx.x] = x;") {
      found = true;
      EXPECT_EQ(line["places"], Json({"a.warp:6", "b.warp:7"}));
    }
  EXPECT_TRUE(found) << kernel["lines"].dump(1);
  // The condition is another text between lines that are the same: it was changed.
  const Json* condition = nullptr;
  for (const Json& branch : kernel["branches"])
    if (branch["places"][0] == "a.warp:3 branch 1") condition = &branch;
  ASSERT_NE(condition, nullptr) << kernel["branches"].dump(1);
  EXPECT_EQ((*condition)["places"][1], "b.warp:4 branch 1");
  const Json& divergent =
      (*condition)["metrics"]["smsp__sass_branch_targets_threads_divergent.sum"];
  EXPECT_EQ(divergent, Json({2, 0}));
  const auto& values = kernel["metrics"]["smsp__sass_branch_targets_threads_divergent.sum"];
  EXPECT_GT(values[0], 0);
  EXPECT_EQ(values[1], 0);
}

TEST_F(Diff, BlockSizesMayDiffer) {
  const std::string path = sketch("a.warp", "sum", false);
  const Json json = json_of(path + " '" + path + " --block 128'", 1);
  EXPECT_EQ(json["kernels"][0]["sides"][0]["block"], Json({64, 1, 1}));
  EXPECT_EQ(json["kernels"][0]["sides"][1]["block"], Json({128, 1, 1}));
  const auto& values = json["kernels"][0]["metrics"]["smsp__sass_inst_executed.sum"];
  EXPECT_EQ(values[1], 2 * values[0].get<double>());
  EXPECT_EQ(json["kernels"][0]["meaning"][0].get<std::string>().substr(0, 33),
            "2 times as many warp instructions");
}

TEST_F(Diff, CodeMayDifferAndLaunchesAreMatchedByTheirOrder) {
  const Json json = json_of(
      kCapsules + "simple_divergence.sm_90.G " + kCapsules + "simple_divergence.sm_90.O3", 1);
  ASSERT_EQ(json["kernels"].size(), 5u);
  for (const Json& kernel : json["kernels"]) {
    EXPECT_EQ(kernel["sides"][0]["launches"], kernel["sides"][1]["launches"]);
    EXPECT_EQ(kernel["sides"][0]["kernel"], kernel["sides"][1]["kernel"]);
  }
}

TEST_F(Diff, ARecordIsTheSameAsItsRun) {
  const std::string capsules = kCapsules + "simple_divergence.sm_90.O3";
  ASSERT_EQ(run_heddle("run --per-pc -o " + file("r.json") + " " + capsules, Kept::both).status, 0);
  const Outcome outcome = run_heddle("diff " + file("r.json") + " " + capsules, Kept::both);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("B: does the same"));
}

TEST_F(Diff, KernelsOfOtherNamesAreMatchedWhereNothingElseIsLeftOrAsAsked) {
  const std::string a = sketch("a.warp", "alternating", false),
                    b = sketch("b.warp", "halves", true);
  EXPECT_THAT(run_heddle("diff " + a + " " + b, Kept::both).text,
              ContainsRegex("note: alternating.* is compared with halves.*: no other"));
  const Outcome asked = run_heddle("diff --match alternating=halves " + a + " " + b, Kept::both);
  EXPECT_THAT(asked.text, Not(HasSubstr("note:")));
  EXPECT_THAT(asked.text, ContainsRegex("alternating.* → halves"));
  const Outcome wrong = run_heddle("diff --match nothing=halves " + a + " " + b, Kept::both);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.text, HasSubstr("the first variant has no kernel nothing"));
}

TEST_F(Diff, ThreeVariantsAreComparedWithTheFirst) {
  const std::string path = sketch("a.warp", "sum", false);
  const std::string text =
      run_heddle("diff " + path + " ' --block 32 " + path + "' '" + path + " --block 128'",
                 Kept::output)
          .text;
  EXPECT_THAT(text, HasSubstr("B: 50 % fewer warp instructions"));
  EXPECT_THAT(text, HasSubstr("C: 2 times as many warp instructions"));
  EXPECT_THAT(text, ContainsRegex("metric +unit +A +B +B - A +C +C - A"));
}

TEST_F(Diff, TimedValuesComeWithTheirError) {
  const std::string text = run_heddle("diff --timing on " + sketch("a.warp", "sum", false) + " " +
                                          sketch("b.warp", "sum", true),
                                      Kept::output)
                               .text;
  EXPECT_THAT(text, ContainsRegex("times as fast|within the model's error"));
  EXPECT_THAT(text, ContainsRegex("[0-9.]+ % off in the median of 92 kernels"));
  // Where the numbers come from. The page moves a little with the model; half a point is no news.
  std::ifstream page(HEDDLE_SOURCE_DIR "/docs/deviations/timing.md");
  std::stringstream deviations;
  deviations << page.rdbuf();
  const std::string all = deviations.str();
  std::smatch found;
  ASSERT_TRUE(std::regex_search(all, found,
                                std::regex("92 such rows: [0-9.]+ %, ([0-9.]+) %, ([0-9.]+) %")));
  EXPECT_NEAR(kMedianCyclesError, std::stod(found[1]), 0.5);
  EXPECT_NEAR(kHighCyclesError, std::stod(found[2]), 0.5);
}

TEST_F(Diff, WritesOneTidyTable) {
  const Outcome outcome = run_heddle(
      "diff --csv - " + sketch("a.warp", "sum", false) + " " + sketch("b.warp", "sum", true),
      Kept::output);
  std::istringstream lines(outcome.text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "kernel,launch,place,kind,variant,metric,unit,modelled,value,of_first");
  std::size_t rows = 0, branches = 0;
  while (std::getline(lines, line)) {
    ++rows;
    branches += line.find(",branch,") != line.npos ? 1 : 0;
    // The kernel's name has a comma only in quotes.
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 9) << line;
  }
  EXPECT_GT(rows, 50u);
  EXPECT_GT(branches, 0u);
}

TEST_F(Diff, ARunThatFailsSaysWhatItSaid) {
  const Outcome outcome =
      run_heddle("diff " + sketch("a.warp", "sum", false) + " /nowhere.warp", Kept::both);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.text, HasSubstr("/nowhere.warp"));
}

TEST(Meaning, IsOneSentence) {
  simulator::MetricValues a, b;
  a["smsp__sass_inst_executed.sum"] = 1000;
  b["smsp__sass_inst_executed.sum"] = 620;
  a["smsp__sass_branch_targets_threads_uniform.sum"] = 71;
  a["smsp__sass_branch_targets_threads_divergent.sum"] = 29;
  b["smsp__sass_branch_targets_threads_uniform.sum"] = 100;
  b["smsp__sass_branch_targets_threads_divergent.sum"] = 0;
  EXPECT_EQ(meaning(a, b),
            "38 % fewer warp instructions; branch efficiency from 71 to 100 %; no divergent "
            "branches, 29 before");
  EXPECT_EQ(meaning(a, a), "");
}

}  // namespace
}  // namespace heddle::cli
