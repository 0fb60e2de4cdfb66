// Whatever cannot be written is said, and the status tells; what can be is written where it
// belongs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "cli/tests/shell.hpp"
#include "simulator/record/record.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Outcome heddle(const std::string& words) { return run_heddle(words, Kept::errors); }

std::string capsule() {
  return std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/simple_divergence.sm_90.G";
}

class Outputs : public testing::Test {
 protected:
  std::string program(const std::string& words) const {
    return " -- " HEDDLE_LAUNCHING_PROGRAM " " + words;
  }
  std::size_t launches() const { return simulator::read_record(record_).launches.size(); }
  const tests::ScratchFolder folder_;
  const fs::path record_ = folder_ / "record.json";
  const std::string run_ = "run --no-progress -o " + record_.string();
};

TEST_F(Outputs, AreCheckedBeforeTheRun) {
  for (const std::string option : {"-o", "--csv", "--trace text", "--trace perfetto"}) {
    const std::string between = option.starts_with("--trace") ? "=" : " ";
    const Outcome outcome =
        heddle("run " + option + between + (folder_ / "none" / "x").string() + program(""));
    EXPECT_EQ(outcome.status, 125) << option;
    EXPECT_THAT(outcome.text, StartsWith("heddle: " + (folder_ / "none").string())) << option;
  }
  EXPECT_EQ(heddle("run --capture " + (fs::path("/dev/null") / "x").string() + program("")).status,
            125);
  EXPECT_EQ(heddle("run --capture -" + program("")).status, 2);
}

TEST_F(Outputs, AFileSizeLimitIsAnErrorOfTheCommandToo) {
  const std::string command = std::string(HEDDLE_EXECUTABLE) + " " + run_ + " " + capsule();
  const Outcome outcome = run_shell("ulimit -f 0; " + command + " 2>&1");
  EXPECT_EQ(outcome.status, 125) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("File too large"));
  EXPECT_FALSE(fs::exists(record_));
}

TEST_F(Outputs, ARecordNamesItsOrderAndWhoseCountsItHas) {
  const auto launch = [&](const std::string& options) {
    EXPECT_EQ(heddle(run_ + options + " " + capsule()).status, 0);
    return simulator::read_record(record_).launches.at(0);
  };
  EXPECT_EQ(launch("").random_schedule, std::nullopt);
  EXPECT_EQ(launch("").counts, "profiler");
  EXPECT_EQ(launch(" --schedule random --seed 7").random_schedule, 7u);
  EXPECT_EQ(launch(" --timing on").counts, "program");
}

// A program that is not built with the sanitizer cannot take a library that is.
#ifndef HEDDLE_SANITIZED
// With stdout where `words` have it: what is said on stderr.
Outcome errors_of(const std::string& words) { return run_heddle(words + " #", Kept::both); }

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(Outputs, FullDisksAreSaidByEveryCommand) {
  ASSERT_EQ(heddle(run_ + " " + capsule()).status, 0);
  const fs::path full = folder_ / "full";
  fs::create_symlink("/dev/full", full);
  const std::string to = " " + full.string(), kept = " 3>&1 >/dev/full 2>&3";
  const std::string shown = record_.string();
  for (const std::string& words :
       {"show " + shown + kept, "show --csv - " + shown + kept,
        "compare " + shown + " " + shown + kept,
        "disasm " HEDDLE_SOURCE_DIR "/isa/tests/cubins/debug.sm_90.cubin" + kept,
        "reference markdown" + kept, "--help" + kept, "show --csv" + to + " " + shown,
        "occupancy --gpu h200 --block 64 --svg" + to, "run --csv" + to + " " + capsule(),
        "run -o" + to + " " + capsule(), "run -o - " + capsule() + kept,
        "run --trace text=" + full.string() + " " + capsule(),
        "run --trace perfetto=" + full.string() + " " + capsule(),
        "run --trace text=" + full.string() + program(""),
        "run --trace perfetto=" + full.string() + program("")}) {
    const Outcome outcome = errors_of(words + (words.find("2>&3") == words.npos ? " 2>&1" : ""));
    EXPECT_THAT(outcome.status, testing::AnyOf(2, 125)) << words;
    EXPECT_THAT(outcome.text, HasSubstr("written")) << words;
  }
  EXPECT_TRUE(fs::is_symlink(full));
}

TEST_F(Outputs, ACaptureThatDoesNotFitIsSaid) {
  const fs::path capture = folder_ / "capture";
  const std::string command = std::string(HEDDLE_EXECUTABLE) + " run --no-progress --capture " +
                              capture.string() + program("");
  const Outcome outcome = run_shell("ulimit -f 2; " + command + " 2>&1");
  EXPECT_EQ(outcome.status, 125) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("File too large"));
}

TEST_F(Outputs, ADashIsStdout) {
  const std::string words = "run --no-progress -o - " + capsule();
  const Outcome outcome = run_heddle(words, Kept::output);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, StartsWith("{\n \"schema\": \"heddle.record/1\""));
  // Behind what the program prints, and as one piece.
  const Outcome both = run_heddle("run --no-progress -o -" + program(""), Kept::output);
  EXPECT_THAT(both.text, StartsWith("the program's own output\n{\n \"schema\""));
}

TEST_F(Outputs, AProgramThatClosesEverythingKeepsItsFileAndItsRecord) {
  const fs::path mine = folder_ / "mine";
  const Outcome outcome = heddle(run_ + program("take " + mine.string()));
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(contents(mine), "mine\n");
  EXPECT_EQ(launches(), 6u);
}

TEST_F(Outputs, ALostRecordIsSaidAndTheProgramGoesOn) {
  const Outcome outcome = run_heddle(run_ + program("limit"), Kept::both);
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.text, HasSubstr("File too large; results are missing"));
  EXPECT_THAT(outcome.text, HasSubstr("the program's own output"));
  EXPECT_EQ(launches(), 1u);
  EXPECT_FALSE(simulator::read_record(record_).complete);
}

TEST_F(Outputs, AProgramThatDropsItsRightsGoesOn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to drop";
  const Outcome outcome = run_heddle(run_ + program("drop"), Kept::both);
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.text, HasSubstr("Permission denied; results are missing"));
  EXPECT_THAT(outcome.text, HasSubstr("the program's own output"));
}

TEST_F(Outputs, AClosedStdoutIsNotTheRecord) {
  const Outcome outcome = errors_of(run_ + program("") + " 2>&1 >&-");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(launches(), 6u);
  EXPECT_EQ(errors_of("show " + record_.string() + " 2>&1 >&-").status, 2);
}
#endif

}  // namespace
}  // namespace heddle::cli
