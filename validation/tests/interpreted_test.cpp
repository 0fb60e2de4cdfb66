// Native code changes nothing: capsules give the same records without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validation/replay.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;

std::string replayed(const fs::path& folder, bool interpret, unsigned threads) {
  ReplayOptions options;
  options.settings.interpret = interpret;
  options.settings.threads = threads;
  options.settings.threads_after = 1000;
  options.per_instruction = options.memory_digests = true;
  std::string text;
  for (const simulator::LaunchRecord& launch :
       replay(find_capsules(folder), options).record.launches)
    text += to_json(launch).dump(1);
  return text;
}

std::vector<fs::path> capsule_folders() {
  std::vector<fs::path> all;
  for (const auto& each : fs::directory_iterator(HEDDLE_SOURCE_DIR "/validation/capsules"))
    all.push_back(each.path());
  std::ranges::sort(all);
  return all;
}

class Interpreted : public testing::TestWithParam<fs::path> {};

TEST_P(Interpreted, CapsulesGiveTheSameRecords) {
  const std::string interpreted = replayed(GetParam(), true, 1);
  EXPECT_EQ(replayed(GetParam(), false, 1), interpreted);
  EXPECT_EQ(replayed(GetParam(), false, 2), interpreted);
}

INSTANTIATE_TEST_SUITE_P(Capsules, Interpreted, testing::ValuesIn(capsule_folders()),
                         [](const auto& given) {
                           std::string name = given.param.filename().string();
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace heddle::validation
