// heddle sweep on the ranks of mpirun: the same results, and nothing lost when one is killed.
// Skipped where Open MPI or Boost.MPI was not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/tests/shell.hpp"
#include "cli/tests/sweep_sketch.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SweepRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path module = fs::path(HEDDLE_EXECUTABLE).parent_path() / "libheddle_ranks.so";
    if (!fs::exists(module) || run_shell("command -v mpirun").status != 0)
      GTEST_SKIP() << "Open MPI or Boost.MPI is not there";
    std::ofstream(folder_ / "k.warp") << kSweepSketch;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string sweep(const std::string& lists) const {
    return std::string(HEDDLE_EXECUTABLE) + " sweep --timing off -o " + file("runs") + " " + lists +
           " " + file("k.warp");
  }
  static std::string on_ranks(int ranks, const std::string& command) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec mpirun --oversubscribe "
           "-n " +
           std::to_string(ranks) + " " + command;
  }
  std::size_t kept() const {
    if (!fs::exists(file("runs"))) return 0;
    std::size_t count = 0;
    for (const auto& each : fs::directory_iterator(file("runs")))
      count += each.path().extension() == ".json";
    return count;
  }
  const tests::ScratchFolder folder_;
};

TEST_F(SweepRanks, GiveTheTableOfOneProcess) {
  const std::string command = sweep("--no-progress --block 32..128:+32 --param n=4,8");
  const Outcome alone = run_shell(command + " 2>/dev/null");
  ASSERT_EQ(alone.status, 0);
  for (const int ranks : {1, 2, 4}) {
    fs::remove_all(file("runs"));
    const Outcome shared = run_shell(on_ranks(ranks, command) + " 2>" + file("said"));
    EXPECT_EQ(shared.status, 0) << std::ifstream(file("said")).rdbuf();
    EXPECT_EQ(shared.text, alone.text) << ranks;
    EXPECT_EQ(kept(), 8u);
  }
}

TEST_F(SweepRanks, LoseNoFinishedJobWhenOneIsKilled) {
  const std::string command = sweep("--block 32 --param n=" + [] {
    std::string values = "1000000";
    for (int i = 1; i < 24; ++i) values += "," + std::to_string(1000000 + i);
    return values;
  }());
  // The last of mpirun's children dies as soon as some jobs are on disk.
  Outcome killed;
  std::thread run([&] {
    killed = run_shell("echo $$ >" + file("pid") + "; " + on_ranks(4, command) + " 2>&1");
  });
  while (kept() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  run_shell("kill -KILL $(pgrep -P $(cat " + file("pid") + ") | tail -1)");
  run.join();
  EXPECT_NE(killed.status, 0) << killed.text;
  const std::size_t before = kept();
  EXPECT_GE(before, 3u);
  EXPECT_LT(before, 24u) << killed.text;

  const Outcome again = run_shell(on_ranks(4, command) + " 2>&1");
  EXPECT_EQ(again.status, 0) << again.text;
  EXPECT_THAT(again.text,
              HasSubstr("heddle: " + std::to_string(before) + " of 24 runs were made before"));
  EXPECT_EQ(kept(), 24u);
}

TEST_F(SweepRanks, FailedRunsAreRows) {
  const Outcome outcome =
      run_shell(on_ranks(2, sweep("--no-progress --block 32,2048")) + " 2>/dev/null");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.text, ::testing::ContainsRegex("2048 .*failed: "));
}

TEST_F(SweepRanks, MakeOneRunAtATime) {
  const Outcome outcome = run_shell(on_ranks(1, sweep("--block 32 --jobs 2")) + " 2>&1");
  EXPECT_THAT(outcome.text, HasSubstr("--jobs: each rank of mpirun makes one run at a time"));
}

TEST_F(SweepRanks, ShareWhatIsValidated) {
  const std::string command = std::string(HEDDLE_EXECUTABLE) + " validate --capsules -o " +
                              file("runs") + " simple_divergence vector_add";
  const Outcome alone = run_shell(std::string(HEDDLE_EXECUTABLE) +
                                  " validate --capsules simple_divergence vector_add 2>/dev/null");
  ASSERT_EQ(alone.status, 0);
  const Outcome shared = run_shell(on_ranks(2, command) + " 2>/dev/null");
  EXPECT_EQ(shared.status, 0);
  EXPECT_EQ(shared.text, alone.text);
  // Nothing is run again, by whatever number of ranks or none.
  const Outcome again = run_shell(on_ranks(3, command) + " 2>&1 >/dev/null");
  EXPECT_THAT(again.text, HasSubstr("runs were made before"));
  EXPECT_EQ(run_shell(command + " 2>/dev/null").text, alone.text);
}

}  // namespace
}  // namespace heddle::cli
