// heddle sweep: which runs it makes, what it keeps of them, and how it goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_text.hpp"
#include "cli/tests/shell.hpp"
#include "cli/tests/sweep_sketch.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SweepValues, RangesMultiplyAddAndCountPowersOfTwo) {
  EXPECT_THAT(expand_values("block", "64..1024:x2"),
              ElementsAre("64", "128", "256", "512", "1024"));
  EXPECT_THAT(expand_values("block", "8..30:+8"), ElementsAre("8", "16", "24"));
  EXPECT_THAT(expand_values("param", "2^3..2^5"), ElementsAre("8", "16", "32"));
  EXPECT_THAT(expand_values("param", "2^10,7,0.5"), ElementsAre("1024", "7", "0.5"));
  for (const char* wrong :
       {"64..1024", "64..32:x2", "1..8:x1", "1..8:+0", "a..b:x2", "0..8:x2", ""})
    EXPECT_THROW(expand_values("block", wrong), Usage) << wrong;
}

Arguments arguments(std::vector<std::string> words) { return parse(find_command("sweep"), words); }

TEST(SweepPlan, CombinesAllLists) {
  const SweepPlan plan = sweep_plan(
      arguments({"--block", "32,64", "--set", "l1_bytes=1,2,3", "--param", "n=5", "k.warp"}));
  ASSERT_EQ(plan.jobs.size(), 6u);
  EXPECT_THAT(plan.jobs[1].values, ElementsAre("32", "2", "5"));
  EXPECT_THAT(plan.jobs[3].words,
              ElementsAre("--block=64", "--param=n=5", "--set=l1_bytes=1", "k.warp"));
}

TEST(SweepPlan, PairsListsAndFillsArguments) {
  const SweepPlan plan = sweep_plan(arguments(
      {"--zip", "--sms", "8,16", "--param", "n=100,200", "--gpu", "h200", "./p", "-n{n}"}));
  ASSERT_EQ(plan.jobs.size(), 2u);
  EXPECT_THAT(plan.jobs[1].words, ElementsAre("--gpu=h200", "--sms=16", "./p", "-n200"));
  EXPECT_THROW(sweep_plan(arguments({"--zip", "--sms", "8,16,32", "--param", "n=1,2", "k.warp"})),
               Usage);
  EXPECT_THROW(sweep_plan(arguments({"--param", "n=1,2", "./p"})), Usage);
}

TEST(SweepPlan, KnowsTheWordsOfItsOptions) {
  const SweepPlan all = sweep_plan(arguments({"--reconvergence", "all", "k.warp"}));
  EXPECT_GE(all.jobs.size(), 3u);
  for (const Job& job : all.jobs) EXPECT_NE(job.values[0], "all");
  try {
    sweep_plan(arguments({"--gpu", "h20", "k.warp"}));
    FAIL();
  } catch (const Usage& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("did you mean h200"));
  }
  EXPECT_THROW(sweep_plan(arguments({"k.warp"})), Usage);
}

class SweepRuns : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream stream(file(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string sketch() const {
    std::ofstream(folder_ / "k.warp") << kSweepSketch;
    return file("k.warp");
  }
  std::string command(const std::string& more) const {
    return "sweep --timing off -o " + file("runs") + " " + more + " " + sketch();
  }
  std::size_t kept() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(file("runs")), {}));
  }
  const tests::ScratchFolder folder_;
};

TEST_F(SweepRuns, TheBestIsMarkedAndAFailedRunIsARow) {
  const Outcome outcome =
      run_heddle(command("--block 64,32,2048 --csv " + file("s.csv")), Kept::both);
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("\n\\*  *32 "));
  EXPECT_THAT(outcome.text, ContainsRegex("2048 .*failed: "));
  EXPECT_THAT(outcome.text, HasSubstr("* least inst_executed: block 32: "));
  const std::string csv = text_of("s.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "job,block,status,kernel,launches,metric,unit,modelled,value");
  EXPECT_THAT(csv, ContainsRegex("\n2,2048,[1-9][0-9]*,,,,,,\n"));
  EXPECT_THAT(csv, HasSubstr("\n0,64,0,k,1,smsp__sass_inst_executed.sum,inst,0,"));
}

// The smallest problem takes least: that says nothing of how to compute it.
TEST_F(SweepRuns, EachSizeOfAProblemHasItsBest) {
  const std::string both = command("--block 64,32 --param n=4,8 --html " + file("s.html"));
  const std::string over_all = run_heddle(both, Kept::both).text;
  EXPECT_THAT(over_all, HasSubstr("* least inst_executed: block 32, n 4: "));
  EXPECT_THAT(over_all, Not(HasSubstr("n 8: ")));
  const std::string each = run_heddle(both + " --per n", Kept::both).text;
  EXPECT_THAT(each, HasSubstr("* least inst_executed: block 32, n 4: "));
  EXPECT_THAT(each, HasSubstr("* least inst_executed: block 32, n 8: "));
  EXPECT_THAT(each, ContainsRegex("\n\\* +32 +4 [^\n]*\n\\* +32 +8 "));
  const Outcome wrong = run_heddle(command("--block 64,32 --per blok"), Kept::both);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.text, HasSubstr("--per: no list is named blok; did you mean block?"));
}

TEST_F(SweepRuns, TheSameCommandMakesOnlyWhatIsMissing) {
  ASSERT_EQ(run_heddle(command("--block 32,64"), Kept::both).status, 0);
  EXPECT_EQ(kept(), 2u);
  const Outcome again = run_heddle(command("--block 32,64"), Kept::both);
  EXPECT_THAT(again.text, HasSubstr("2 of 2 runs were made before"));
  const Outcome longer = run_heddle(command("--block 32,64,96"), Kept::both);
  EXPECT_THAT(longer.text, HasSubstr("2 of 3 runs were made before"));
  EXPECT_THAT(longer.text, HasSubstr("1 of 1: 96"));
  EXPECT_EQ(kept(), 3u);
  // One that a dying machine left as it was not whole: nothing by that name appears.
  const auto first = *std::filesystem::directory_iterator(file("runs"));
  std::filesystem::remove(first.path());
  EXPECT_THAT(run_heddle(command("--block 32,64,96"), Kept::both).text,
              HasSubstr("2 of 3 runs were made before"));
}

TEST_F(SweepRuns, AnotherSketchIsAnotherRun) {
  ASSERT_EQ(run_heddle(command("--block 32"), Kept::both).status, 0);
  const std::string words = command("--block 32");
  std::ofstream(file("k.warp"), std::ios::app) << "// changed\n";
  EXPECT_THAT(run_heddle(words, Kept::both).text, Not(HasSubstr("made before")));
}

TEST_F(SweepRuns, SeveralProcessesGiveTheSameTable) {
  const std::string lists = "--block 32..128:+32 --param n=4,8 --no-progress";
  const Outcome one = run_heddle(command(lists), Kept::output);
  std::filesystem::remove_all(file("runs"));
  const Outcome three = run_heddle(command(lists + " --jobs 3"), Kept::output);
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.text, three.text);
  EXPECT_EQ(kept(), 8u);
}

TEST_F(SweepRuns, AFileSaysWhichRunsToMake) {
  std::ofstream(folder_ / "runs.csv") << "block,param:n\n32,4\n64,8\n";
  const Outcome outcome =
      run_heddle(command("--from " + file("runs.csv") + " --no-progress"), Kept::both);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("block +n +inst_executed"));
  std::ofstream(folder_ / "runs.csv") << "blocks\n32\n";
  EXPECT_THAT(run_heddle(command("--from " + file("runs.csv")), Kept::errors).text,
              HasSubstr("runs.csv:1: blocks is not a setting of a sweep"));
}

TEST_F(SweepRuns, TimedRunsAreTheDefaultAndSayWhatLimitsThem) {
  const Outcome outcome = run_heddle(
      "sweep --no-progress -o " + file("runs") + " --block 32,64 " + sketch(), Kept::output);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, ContainsRegex("gpu__time_duration"));
  EXPECT_THAT(outcome.text, ContainsRegex("~[0-9]+ % [a-z_]+"));
}

}  // namespace
}  // namespace heddle::cli
