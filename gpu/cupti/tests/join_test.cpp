// heddle_join as measure.sh runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gpu/cupti/fragment.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cupti {
namespace {

class Join : public testing::Test {
 protected:
  // A run of `mode` that measured the launches `first` up to `last`, each with one metric.
  std::string run(const std::string& name, const std::string& mode, std::uint64_t first,
                  std::uint64_t last, std::uint64_t value, bool ended = true,
                  const std::string& kernel = "k") {
    FragmentFile file;
    const std::string path = folder_ / name;
    EXPECT_TRUE(file.create(path));
    Members common, own;
    common.add("device", "some GPU");
    own.add(mode + "_only", std::uint64_t{1});
    file.header(mode, common, own);
    for (std::uint64_t index = first; index <= last; ++index) {
      LaunchFragment launch;
      launch.index = index;
      launch.identity.add("kernel", kernel);
      launch.metrics.add(mode + ".sum", value);
      launch.other.add_raw(mode, "[1]");
      file.launch(launch);
    }
    if (ended) file.end(last + 1);
    return path;
  }

  int join(const std::vector<std::string>& fragments) {
    std::string command = std::string(HEDDLE_JOIN) + " " + record_path().string();
    for (const std::string& fragment : fragments) command += " " + fragment;
    return WEXITSTATUS(std::system((command + " 2> /dev/null").c_str()));
  }

  std::filesystem::path record_path() const { return folder_ / "record.json"; }
  nlohmann::json record() const { return nlohmann::json::parse(std::ifstream(record_path())); }

  const heddle::tests::ScratchFolder folder_;
};

TEST_F(Join, PutsTheModesOfALaunchTogether) {
  ASSERT_EQ(join({run("m", "memory", 0, 1, 5), run("s0", "sass", 0, 0, 7),
                  run("s1", "sass", 1, 1, 8), run("c", "counters", 0, 1, 9)}),
            0);
  const auto json = record();
  EXPECT_EQ(json["schema"], "heddle.record/1");
  EXPECT_EQ(json["source"], "hardware");
  EXPECT_EQ(json["device"], "some GPU");
  EXPECT_EQ(json["sass_only"], 1);
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["launches"].size(), 2u);
  EXPECT_EQ(json["launches"][1]["index"], 1);
  EXPECT_EQ(json["launches"][1]["kernel"], "k");
  EXPECT_EQ(json["launches"][1]["metrics"],
            (nlohmann::json{{"memory.sum", 5}, {"sass.sum", 8}, {"counters.sum", 9}}));
  EXPECT_EQ(json["launches"][1]["memory"][0], 1);
  EXPECT_FALSE(json["launches"][1].contains("varies"));
}

TEST_F(Join, SaysWhatVariesBetweenRepetitions) {
  ASSERT_EQ(
      join({run("m1", "memory", 0, 0, 5), run("m2", "memory", 0, 0, 5), run("s1", "sass", 0, 0, 7),
            run("s2", "sass", 0, 0, 8), run("s3", "sass", 0, 0, 7), run("c1", "counters", 0, 0, 1),
            run("c2", "counters", 0, 0, 2)}),
      0);
  EXPECT_EQ(record()["launches"][0]["varies"], nlohmann::json({"instructions"}));
  EXPECT_EQ(record()["launches"][0]["runs"]["sass"], 3);
  EXPECT_EQ(record()["launches"][0]["metrics"]["sass.sum"], 7);
}

TEST_F(Join, KeepsWhatACrashLeft) {
  const std::string crashed = run("m", "memory", 0, 1, 5, false);
  std::ofstream(crashed, std::ios::app) << "launch\t2\t\"kernel\": \"k";
  ASSERT_EQ(join({crashed}), 1);
  EXPECT_EQ(record()["complete"], false);
  EXPECT_EQ(record()["launches"].size(), 2u);
}

TEST_F(Join, RefusesRunsOfDifferentKernelsAsOne) {
  ASSERT_EQ(join({run("m", "memory", 0, 0, 5), run("s", "sass", 0, 0, 7, true, "other")}), 1);
  EXPECT_EQ(record()["complete"], false);
  EXPECT_FALSE(record()["launches"][0]["metrics"].contains("sass.sum"));
}

TEST_F(Join, NoticesALaunchThatAModeLacks) {
  ASSERT_EQ(join({run("m", "memory", 0, 1, 5), run("s", "sass", 0, 0, 7)}), 1);
  EXPECT_EQ(record()["complete"], false);
}

TEST_F(Join, WritesARecordOfAProgramWithoutLaunches) {
  const std::string path = folder_ / "m";
  FragmentFile file;
  ASSERT_TRUE(file.create(path));
  file.header("memory", {}, {});
  file.end(0);
  ASSERT_EQ(join({path}), 0);
  EXPECT_TRUE(record()["launches"].empty());
}

TEST_F(Join, OfNothingIsTrouble) {
  std::ofstream(folder_ / "empty") << "";
  EXPECT_EQ(join({(folder_ / "empty").string()}), 2);
  EXPECT_EQ(join({(folder_ / "absent").string()}), 2);
  EXPECT_FALSE(std::filesystem::exists(record_path()));
}

}  // namespace
}  // namespace heddle::cupti
