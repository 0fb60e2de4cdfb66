// Native code changes nothing: capsules give the same records without it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "simulator/base/json.hpp"
#include "validation/replay.hpp"
#include "validation/tests/capsule_folders.hpp"

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

class Interpreted : public testing::TestWithParam<fs::path> {};

TEST_P(Interpreted, CapsulesGiveTheSameRecords) {
  const std::string interpreted = replayed(GetParam(), true, 1);
  EXPECT_EQ(replayed(GetParam(), false, 1), interpreted);
  EXPECT_EQ(replayed(GetParam(), false, 2), interpreted);
}

INSTANTIATE_TEST_SUITE_P(Capsules, Interpreted, testing::ValuesIn(capsule_folders()),
                         name_of_capsules);

}  // namespace
}  // namespace heddle::validation
