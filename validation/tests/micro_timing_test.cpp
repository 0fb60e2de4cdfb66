// Launches of gpu/kernels/micro/timing on the model beside what an H200 took for them.
//
// validation/records/h200/micro/launches holds capsules of them, and launches.tsv says of each its
// program and question, over what the cycles of its blocks are divided, and which run of the launch
// is meant: the second finds its data in L2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/runtime/capsule.hpp"
#include "simulator/base/file.hpp"
#include "validation/micro_record.hpp"

namespace heddle::validation {
namespace {

const std::filesystem::path kMicro =
    std::filesystem::path(HEDDLE_SOURCE_DIR) / "validation/records/h200/micro";

struct MicroLaunch {
  std::string program, question;
  double divisor = 0;
  int runs = 0;
};

std::vector<MicroLaunch> micro_launches() {
  constexpr std::uint64_t kMostBytes = 1 << 16;
  std::istringstream text(simulator::read_file(kMicro / "launches/launches.tsv", kMostBytes));
  std::vector<MicroLaunch> launches;
  for (MicroLaunch each; text >> each.program >> each.question >> each.divisor >> each.runs;)
    launches.push_back(each);
  return launches;
}

// Mean cycles of the blocks, which leave two clocks each at the launch's first argument.
double timed_span(const MicroLaunch& of) {
  const runtime::Capsule capsule =
      runtime::load_capsule(kMicro / "launches" / (of.question + ".capsule"));
  runtime::CapsuleLaunch launch(capsule, of.question);
  simulator::LaunchOptions options;
  options.timing.emplace();
  options.timing->cold_caches = false;
  for (int run = 0; run < of.runs; ++run) {
    const simulator::LaunchOutcome outcome = launch.run(options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
  }
  std::uint64_t address = 0;
  std::memcpy(&address, capsule.parameters.data(), sizeof address);
  const std::uint64_t blocks = capsule.grid.count();
  std::vector<std::int64_t> clocks(2 * blocks);
  const std::uint64_t bytes = clocks.size() * sizeof(clocks[0]);
  std::memcpy(clocks.data(), launch.device().memory().view(address, bytes), bytes);
  double sum = 0;
  for (std::uint64_t block = 0; block < blocks; ++block)
    sum += static_cast<double>(clocks[2 * block + 1] - clocks[2 * block]);
  return sum / static_cast<double>(blocks);
}

TEST(MicroTiming, IsWithinATenthOfTheHardware) {
  constexpr double kTenth = 0.1;
  const auto records = read_micro_records(kMicro);
  const std::vector<MicroLaunch> launches = micro_launches();
  EXPECT_GE(launches.size(), 10u);
  for (const MicroLaunch& each : launches) {
    const double hardware = records.at(each.program)[each.question];
    EXPECT_NEAR(timed_span(each) / each.divisor, hardware, kTenth * hardware) << each.question;
  }
}

}  // namespace
}  // namespace heddle::validation
