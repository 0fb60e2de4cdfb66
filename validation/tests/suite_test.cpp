#include "validation/suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.hpp"

namespace heddle::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto reading(const std::string& text) {
  return [text] {
    const tests::ScratchFolder folder;
    const std::filesystem::path path = folder / "suite.toml";
    std::ofstream(path) << text;
    return read_suite(path);
  };
}

TEST(Suite, RunsEveryEntryInEveryBuildUnlessItSaysOtherwise) {
  const auto entries = reading(
      "builds = [\"O3\", \"G\"]\n"
      "[[entry]]\nname = \"a\"\nprogram = \"p\"\narguments = [\"64\"]\n"
      "[[entry]]\nname = \"b\"\nprogram = \"p\"\narguments = []\nbuilds = [\"G\"]\n")();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].record_name("sm_90"), "a.sm_90.O3");
  EXPECT_EQ(entries[1].program_name("sm_90"), "p.sm_90.G");
  EXPECT_THAT(entries[1].arguments, ElementsAre("64"));
  EXPECT_EQ(entries[2].record_name("sm_75"), "b.sm_75.G");
}

TEST(Suite, RefusesAnEntryThatLacksAKeyWithItsLine) {
  EXPECT_THAT(reading("builds = []\n[[entry]]\nname = \"a\"\narguments = []\n"
                      "builds = [\"G\"]\n"),
              ThrowsMessage<std::runtime_error>(HasSubstr("toml:2: program is missing")));
  EXPECT_THAT(reading("builds = [3]\n"), ThrowsMessage<std::runtime_error>(HasSubstr("toml:1")));
  EXPECT_THAT(reading("builds = []\n"),
              ThrowsMessage<std::runtime_error>(HasSubstr("has no [[entry]]")));
}

TEST(Suite, OfTheRepositoryHasARecordForEveryEntry) {
  const std::filesystem::path root = HEDDLE_SOURCE_DIR;
  const auto entries = read_suite(root / "gpu/kernels/suite.toml");
  EXPECT_GT(entries.size(), 20u);
  for (const SuiteEntry& entry : entries) {
    EXPECT_TRUE(std::filesystem::exists(root / "gpu/kernels" / entry.program)) << entry.program;
    EXPECT_TRUE(std::filesystem::exists(root / "validation/records/h200" /
                                        (entry.record_name("sm_90") + ".json.zst")))
        << entry.record_name("sm_90");
  }
}

TEST(Suite, OfTimesHasCountsTimesAndSamplesForEveryEntry) {
  const std::filesystem::path root = HEDDLE_SOURCE_DIR;
  const std::filesystem::path records = root / "validation/records/h200";
  for (const char* suite : {"timing.toml", "hopper.toml"})
    for (const SuiteEntry& entry : read_suite(root / "gpu/kernels" / suite))
      for (const char* folder : {".", "timing", "sampled"})
        EXPECT_TRUE(
            std::filesystem::exists(records / folder / (entry.record_name("sm_90") + ".json.zst")))
            << folder << ": " << entry.record_name("sm_90");
}

TEST(Suite, ValueNeedsNoSource) {
  const tests::ScratchFolder folder;
  std::ofstream(folder / "s.toml") << "[[value]]\nmeaning = \"time\"\nmetric = \"ipc\"\n"
                                      "of = \"e: f<1, 2>\"\n";
  const auto values = read_values(folder / "s.toml");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].seed, "");
  EXPECT_EQ(values[0].place.kernel, "f<1, 2>");
}

}  // namespace
}  // namespace heddle::validation
