// heddle measure without a GPU: what it launches capsules with runs on the model, through the
// driver interface that a GPU's driver has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/tests/shell.hpp"
#include "gpu/runtime/capsule.hpp"
#include "simulator/record/record.hpp"
#include "tests/scratch_folder.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LaunchedCapsules : public ::testing::Test {
 protected:
  static fs::path capsules(const std::string& entry) {
    return fs::path(HEDDLE_SOURCE_DIR) / "validation/capsules" / entry;
  }
  // The launcher's output on the model.
  Outcome launch(const std::string& files, const std::string& options = "") {
    return run_heddle(
        "run --no-progress --quiet " + options + " -- " + HEDDLE_LAUNCHER + " " + files,
        Kept::both);
  }
  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

  const tests::ScratchFolder folder_;
};

// Of five measurements.
TEST(ShownRecord, HasTheMedianOfWhatHardwareMeasured) {
  const fs::path record = fs::path(HEDDLE_SOURCE_DIR) /
                          "validation/records/h200/timing/matmul_ragged.sm_90.O3.json.zst";
  const Outcome shown =
      run_heddle("show --metrics sm__cycles_active.max " + record.string(), Kept::both);
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.text, HasSubstr("5,416"));
}

TEST_F(LaunchedCapsules, CountWhatTheyCountWhenReplayed) {
  for (const char* entry :
       {"simple_divergence.sm_90.O3", "calls.sm_90.G", "random_calls.sm_90.G"}) {
    const auto files = validation::find_capsules(capsules(entry));
    std::string words;
    for (const fs::path& file : files) words += " " + file.string();
    const Outcome launched = launch(words, "--per-pc -o " + in_folder("launched.json"));
    EXPECT_EQ(launched.status, 0) << launched.text;
    EXPECT_THAT(launched.text, HasSubstr("memory is as the model left it"));
    ASSERT_EQ(
        run_heddle("run --per-pc -o " + in_folder("replayed.json") + words, Kept::both).status, 0);
    const auto of = [&](const char* name) {
      return simulator::read_record(in_folder(name)).launches;
    };
    const auto one = of("launched.json"), other = of("replayed.json");
    ASSERT_EQ(one.size(), files.size());
    ASSERT_EQ(other.size(), files.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].kernel, other[i].kernel);
      EXPECT_EQ(one[i].metrics, other[i].metrics) << entry << " " << i;
    }
  }
}

TEST_F(LaunchedCapsules, SayWhereMemoryDiffers) {
  const auto files = validation::find_capsules(capsules("vector_add.sm_90.O3"));
  runtime::Capsule capsule = runtime::load_capsule(files.front());
  ASSERT_FALSE(capsule.after.empty());
  runtime::Capsule::Page& page = capsule.after.front();
  page.bytes[5] ^= std::byte{1};
  runtime::write_capsule(capsule, in_folder("changed.capsule"));
  const Outcome launched = launch(in_folder("changed.capsule"));
  EXPECT_EQ(launched.status, 1) << launched.text;
  EXPECT_THAT(launched.text, HasSubstr("memory differs from what the model left"));
  EXPECT_THAT(launched.text, HasSubstr(" + 5 ("));
}

TEST_F(LaunchedCapsules, SayWhatIsNoCapsule) {
  const Outcome launched = launch("/dev/null");
  EXPECT_EQ(launched.status, 125);
  EXPECT_THAT(launched.text, HasSubstr("heddle_launch: /dev/null"));
}

TEST(Measure, AsksForAProgramOrCapsules) {
  EXPECT_THAT(run_heddle("measure", Kept::both).text, HasSubstr("or capsules"));
  const tests::ScratchFolder empty;
  const Outcome nothing = run_heddle("measure " + (empty / "").string(), Kept::both);
  EXPECT_NE(nothing.status, 0);
  EXPECT_THAT(nothing.text, HasSubstr("is a folder without capsules"));
}

TEST(Measure, SaysThatThereIsNoToolkit) {
  const tests::ScratchFolder empty;
  setenv("CUDA_HOME", (empty / "").c_str(), 1);
  const Outcome nothing =
      run_heddle("measure -o " + (empty / "record.json").string() + " /bin/true", Kept::both);
  unsetenv("CUDA_HOME");
  EXPECT_EQ(nothing.status, 125);
  EXPECT_THAT(nothing.text,
              HasSubstr(" has no cuda.h: measuring needs the CUDA Toolkit with CUPTI"));
}

}  // namespace
}  // namespace heddle::cli
