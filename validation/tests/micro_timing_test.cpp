// Launches of gpu/kernels/micro/timing on the model beside what an H200 took for them.
//
// validation/records/h200/micro/launches holds capsules of them, and launches.tsv says of each its
// program and question, over what the cycles of its blocks are divided, and which run of the launch
// is meant: the second finds its data in L2. parts.tsv does so of launches whose blocks leave sums
// part by part, and names the parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// Runs a question's launch `runs` times; the clocks that it has left where its parameter at that
// offset says.
std::vector<std::int64_t> clocks_of(const std::string& question, int runs, std::size_t count,
                                    std::size_t offset = 0, bool cold_caches = false) {
  const runtime::Capsule capsule =
      runtime::load_capsule(kMicro / "launches" / (question + ".capsule"));
  runtime::CapsuleLaunch launch(capsule, question);
  simulator::LaunchOptions options;
  options.settings.timing.emplace();
  options.settings.timing->cold_caches = cold_caches;
  for (int run = 0; run < runs; ++run) {
    const simulator::LaunchOutcome outcome = launch.run(options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
  }
  std::uint64_t address = 0;
  std::memcpy(&address, capsule.parameters.data() + offset, sizeof address);
  std::vector<std::int64_t> clocks(count != 0 ? count : 2 * capsule.grid.count());
  const std::uint64_t bytes = clocks.size() * sizeof(clocks[0]);
  std::memcpy(clocks.data(), launch.device().memory().view(address, bytes), bytes);
  return clocks;
}

// Mean cycles of the blocks, which leave two clocks each at the launch's first argument.
double timed_span(const MicroLaunch& of) {
  const std::vector<std::int64_t> clocks = clocks_of(of.question, of.runs, 0);
  double sum = 0;
  for (std::size_t i = 0; i < clocks.size(); i += 2)
    sum += static_cast<double>(clocks[i + 1] - clocks[i]);
  return 2 * sum / static_cast<double>(clocks.size());
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

// Products of warp groups, copies of boxes, barriers between blocks: of each part the mean of the
// blocks' sums.
TEST(MicroTiming, AsynchronousUnitsTakeAsLongAsOnTheHardware) {
  constexpr double kTenth = 0.1, kCycles = 3;
  constexpr std::uint64_t kMostBytes = 1 << 16;
  const auto records = read_micro_records(kMicro);
  std::istringstream text(simulator::read_file(kMicro / "launches/parts.tsv", kMostBytes));
  int launches = 0;
  std::string names;
  for (MicroLaunch each;
       text >> each.program >> each.question >> each.divisor >> each.runs >> names; ++launches) {
    const runtime::Capsule capsule =
        runtime::load_capsule(kMicro / "launches" / (each.question + ".capsule"));
    const std::size_t blocks = capsule.grid.count();
    const auto parts = 1 + static_cast<std::size_t>(std::ranges::count(names, ','));
    const std::vector<std::int64_t> sums = clocks_of(each.question, each.runs, parts * blocks);
    std::istringstream list(names);
    std::string name;
    for (std::size_t part = 0; std::getline(list, name, ','); ++part) {
      double sum = 0;
      for (std::size_t block = 0; block < blocks; ++block)
        sum += static_cast<double>(sums[part * blocks + block]);
      const double hardware = records.at(each.program)[each.question + "." + name];
      EXPECT_NEAR(sum / static_cast<double>(blocks) / each.divisor, hardware,
                  std::max(kTenth * hardware, kCycles))
          << each.question << " " << name;
    }
  }
  EXPECT_GE(launches, 9);
}

// The H200's samples of the same launches: who waits for products is at a barrier, who waits at an
// mbarrier or for the copy engine at a long scoreboard.
TEST(MicroTiming, AsynchronousUnitsAreAwaitedForTheHardwaresReasons) {
  using simulator::timing::Stall;
  constexpr double kShare = 0.4;
  const std::pair<const char*, Stall> expected[] = {
      {"split.shared.x8.64.g1", Stall::barrier},
      {"boxes.r64.x2.w1", Stall::long_scoreboard},
      {"leaving.stores.read.r64.x1.b1", Stall::long_scoreboard}};
  for (const auto& [question, reason] : expected) {
    runtime::CapsuleLaunch launch(
        runtime::load_capsule(kMicro / "launches" / (std::string(question) + ".capsule")),
        question);
    simulator::LaunchOptions options;
    options.settings.timing.emplace();
    const simulator::LaunchOutcome outcome = launch.run(options);
    ASSERT_TRUE(outcome.timing) << question;
    double all = 0;
    for (const std::uint64_t cycles : outcome.timing->stalls) all += static_cast<double>(cycles);
    EXPECT_GT(static_cast<double>(outcome.timing->stalls[static_cast<std::size_t>(reason)]),
              kShare * all)
        << question;
  }
}

// Lanes 16 to 31 are set aside, then 8 to 15: these are next in turn, the others are searched for,
// as YIELD does (group_turns.cu).
TEST(MicroTiming, AGroupThatWasSetAsideBeforeIsSearchedFor) {
  constexpr std::size_t kReadings = 9;  // of each lane
  const std::vector<std::int64_t> clocks = clocks_of("turns.groups3.w1", 1, 32 * kReadings);
  const std::int64_t first = clocks[0], second = clocks[8 * kReadings + 1],
                     third = clocks[16 * kReadings + 2];
  const MicroRecord record = read_micro_records(kMicro).at("group_turns");
  EXPECT_EQ(second - first, record["turns.groups3.w1.turn0"]);
  EXPECT_EQ(third - second, record["turns.groups3.w1.turn1"]);
}

// The second to the last of a warp's eight calls (heap.cu).
TEST(MicroTiming, MallocTakesAsLongAsItsSizeTakes) {
  constexpr std::size_t kClocks = 9, kThirdParameter = 8, kCalls = 7;
  constexpr double kTenth = 0.1;
  const auto records = read_micro_records(kMicro);
  for (const char* const each : {"malloc.bytes256", "malloc.bytes1024", "malloc.bytes16384"}) {
    const std::string question = std::string(each) + ".b1.w1.lanes32";
    const std::vector<std::int64_t> clocks = clocks_of(question, 1, kClocks, kThirdParameter);
    const double model = static_cast<double>(clocks[kCalls + 1] - clocks[1]) / kCalls;
    const double hardware = records.at("heap")[question + ".later"];
    EXPECT_NEAR(model, hardware, kTenth * hardware) << question;
  }
}

// The first call of a process waits for the driver's code, later ones find it (printing.cu).
TEST(MicroTiming, PrintfWaitsForItsCodeOnce) {
  constexpr std::size_t kClocks = 9, kSecondParameter = 8, kCalls = 7;
  constexpr double kTenth = 0.1;
  const MicroRecord record = read_micro_records(kMicro).at("printing");
  const std::string question = "printf.arguments1.b1.w1.lanes1";
  for (const bool cold : {true, false}) {
    const std::vector<std::int64_t> clocks =
        clocks_of(question, 1, kClocks, kSecondParameter, cold);
    const double later = record[question + ".later"];
    const double first = cold ? record.greatest(question + ".first") : record[question + ".first"];
    EXPECT_NEAR(static_cast<double>(clocks[1] - clocks[0]), first, kTenth * first) << cold;
    EXPECT_NEAR(static_cast<double>(clocks[kCalls + 1] - clocks[1]) / kCalls, later,
                kTenth * later);
  }
}

}  // namespace
}  // namespace heddle::validation
