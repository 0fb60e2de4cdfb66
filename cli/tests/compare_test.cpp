// heddle compare of two timed records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CompareTimes : public ::testing::Test {
 protected:
  std::string model(const std::string& options) const {
    const std::string file = (folder_ / "model.json").string();
    run_heddle("run --quiet --no-progress " + options + " --record " + file +
                   " " HEDDLE_SOURCE_DIR "/validation/capsules/simple_divergence.sm_90.O3",
               Kept::both);
    return file;
  }
  const std::string hardware_ =
      HEDDLE_SOURCE_DIR "/validation/records/h200/timing/simple_divergence.sm_90.O3.json.zst";
  const tests::ScratchFolder folder_;
};

TEST_F(CompareTimes, OfTimedRecordsShowsCyclesStallsAndHitRates) {
  const Outcome outcome =
      run_heddle("compare " + model("--timing on") + " " + hardware_, Kept::output);
  EXPECT_THAT(outcome.text, ContainsRegex("kernel +launches +cycles +hardware +error +\\+- +L1"));
  EXPECT_THAT(outcome.text,
              ContainsRegex("mathKernel1 +1 +~[0-9]+ +[0-9]+ +[+-][0-9.]+ % +[0-9.]+ % "));
  EXPECT_THAT(outcome.text, ContainsRegex("mathKernel1: what warps' cycles go to \\([0-9.]+ % of"));
  EXPECT_THAT(outcome.text, ContainsRegex("short_scoreboard +~[0-9.]+ % +[0-9.]+ % +[+-]"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("depend on time")));
}

TEST_F(CompareTimes, OfARecordWithoutTimesSaysHowToGetThem) {
  const Outcome outcome =
      run_heddle("compare " + model("--timing off") + " " + hardware_, Kept::output);
  EXPECT_THAT(outcome.text, HasSubstr("depend on time: heddle run --timing on gives the model's"));
}

}  // namespace
}  // namespace heddle::cli
