// Determined launches of the capsules: the order of warps and blocks changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "simulator/base/json.hpp"
#include "validation/replay.hpp"
#include "validation/tests/capsule_folders.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;

simulator::Record replayed(const fs::path& folder, std::optional<std::uint64_t> seed) {
  ReplayOptions options;
  options.settings.random_schedule = seed;
  options.per_instruction = options.memory_digests = true;
  return replay(find_capsules(folder), options).record;
}

// Without what names the order.
std::string told(simulator::LaunchRecord launch) {
  launch.random_schedule.reset();
  return to_json(launch).dump(1);
}

// Under the sanitizers each takes ten times as long, and they look at the code, not at the counts.
#ifdef HEDDLE_SANITIZED
constexpr std::uint64_t kSeeds = 2;
#else
constexpr std::uint64_t kSeeds = 10;
#endif

class RandomSchedules : public testing::TestWithParam<fs::path> {};

TEST_P(RandomSchedules, LeaveDeterminedLaunchesAsTheyAre) {
  const simulator::Record usual = replayed(GetParam(), std::nullopt);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const simulator::Record random = replayed(GetParam(), seed);
    ASSERT_EQ(random.launches.size(), usual.launches.size());
    for (std::size_t i = 0; i < usual.launches.size(); ++i) {
      EXPECT_EQ(random.launches[i].random_schedule, seed);
      EXPECT_EQ(random.launches[i].launch_class, usual.launches[i].launch_class);
      if (usual.launches[i].launch_class != "determined") continue;
      EXPECT_EQ(told(random.launches[i]), told(usual.launches[i])) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Capsules, RandomSchedules, testing::ValuesIn(capsule_folders()),
                         name_of_capsules);

}  // namespace
}  // namespace heddle::validation
