// heddle run --check over sketches and the committed capsules, as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using ::heddle::cli::Kept;
using ::heddle::cli::Outcome;
using ::heddle::cli::run_heddle;

Outcome heddle(const std::string& words) { return run_heddle(words, Kept::both); }

class Check : public ::testing::Test {
 protected:
  // A sketch whose threads read what others wrote.
  std::string sketch(const char* name, const char* between) {
    const std::string file = (folder_ / name).string();
    std::ofstream(file) << "__global__ void turn(int *c) {\n"
                           "  __shared__ int tile[64];\n"
                           "  tile[threadIdx.x] = c[threadIdx.x];\n"
                        << between
                        << "  c[threadIdx.x] = tile[63 - threadIdx.x];\n"
                           "}\n"
                           "turn<<<1, 64>>>(counting(64));\n";
    return file;
  }
  const heddle::tests::ScratchFolder folder_;
};

TEST_F(Check, TellsBothSidesOfARaceAndCountsThem) {
  const std::string record = (folder_ / "record.json").string();
  const Outcome outcome = heddle("run --check races -o " + record + " " + sketch("race.warp", ""));
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("check races: race in shared memory"));
  EXPECT_THAT(outcome.text,
              ContainsRegex("by block \\(0,0,0\\) warp 0 lane 0, thread \\(0,0,0\\)"));
  EXPECT_THAT(outcome.text, ContainsRegex("and block \\(0,0,0\\) warp 1 lane [0-9]+, thread"));
  EXPECT_THAT(outcome.text, HasSubstr("__syncthreads() between the two orders them"));
  EXPECT_THAT(outcome.text, ContainsRegex("checks: [12] findings? \\(races [12]\\)"));
  EXPECT_THAT(heddle("show " + record).text, HasSubstr("check races: race in shared memory"));
}

TEST_F(Check, SaysThatThereIsNothing) {
  const Outcome outcome =
      heddle("run --check races " + sketch("repaired.warp", "  __syncthreads();\n"));
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("checks: nothing found"));
}

TEST_F(Check, FindsNothingInTheCapsulesOfTheSuite) {
  for (const char* name : {"simple_divergence.sm_90.O3", "reduce_integer_128.sm_90.G"}) {
    const Outcome outcome =
        heddle(std::string("run --check all " HEDDLE_SOURCE_DIR) + "/validation/capsules/" + name);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("checks: nothing found"));
  }
}

TEST_F(Check, KnowsTheNamesOfChecks) {
  const Outcome wrong = heddle("run --check racechek -- true");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.text, HasSubstr("--check: no check racechek; did you mean racecheck?"));
  EXPECT_THAT(heddle("run --check racecheck --print-config").text,
              ContainsRegex("check +racecheck +from the command line"));
}

}  // namespace
