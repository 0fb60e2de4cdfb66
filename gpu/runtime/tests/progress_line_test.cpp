#include "gpu/runtime/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kMillion = 1'000'000;

struct Launches {
  explicit Launches(bool terminal, const simulator::LaunchSettings& settings = {})
      : line{terminal, settings, [this](std::string_view text) { written += text; },
             [this] { return now; }} {
    kernel.name = "mathKernel1";
    request.kernel = &kernel;
    request.grid = {100, 1, 1};
    request.block = {1024, 1, 1};
  }
  void begin() { line.before(device, request); }
  void end(std::uint64_t instructions) {
    simulator::LaunchOutcome outcome;
    simulator::LaunchCounts::Entry all;
    all.counts.executed = instructions;
    outcome.counts = simulator::LaunchCounts({all});
    line.after(device, request, outcome);
  }
  // What is written then.
  std::string at(std::chrono::milliseconds time, std::uint64_t ended, std::uint64_t instructions) {
    now = ProgressLine::Clock::time_point(time);
    written.clear();
    EXPECT_TRUE(line.during({ended, request.grid.count(), instructions}));
    return written;
  }

  ProgressLine::Clock::time_point now{};
  std::string written;
  ProgressLine line;
  isa::Kernel kernel;
  simulator::LaunchRequest request;
  simulator::Device device{simulator::gpu_model("h200")};
};

simulator::LaunchSettings timed() {
  simulator::LaunchSettings settings;
  settings.timing.emplace();
  return settings;
}

class Progress : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(On, Progress, testing::Bool(), [](const auto& instance) {
  return std::string(instance.param ? "terminal" : "file");
});

TEST_P(Progress, SaysNothingOfShortLaunches) {
  Launches launches(GetParam());
  launches.begin();
  EXPECT_THAT(launches.at(900ms, 3, 1000), IsEmpty());
  launches.end(1000);
  EXPECT_THAT(launches.written, IsEmpty());
}

TEST_P(Progress, TellsTheTimeLeftFromTheFirstSecond) {
  Launches launches(GetParam());
  launches.begin();
  EXPECT_THAT(launches.at(1s, 0, 50 * kMillion),
              AllOf(HasSubstr("mathKernel1: 0 of 100 blocks, 50.0 M warp instructions"),
                    HasSubstr(", at least 1 min 39 s left")));
  EXPECT_THAT(launches.at(11s, 10, 110 * kMillion), HasSubstr("10.0 M/s, about 1 min 34 s left"));
}

TEST_P(Progress, KnowsAKernelByItsLaunchBefore) {
  Launches launches(GetParam());
  launches.begin();
  launches.end(400 * kMillion);
  launches.begin();
  EXPECT_THAT(launches.at(2s, 0, 50 * kMillion), HasSubstr("about 14 s left"));
  EXPECT_THAT(launches.at(20s, 50, 400 * kMillion),
              HasSubstr("about 20 s left"));  // more than then
}

TEST(ProgressInAFile, HasALineEveryTenSeconds) {
  Launches launches(false);
  launches.begin();
  EXPECT_THAT(launches.at(1s, 1, 1), EndsWith("left\n"));
  EXPECT_THAT(launches.at(10s, 1, 1), IsEmpty());
  EXPECT_THAT(launches.at(11s, 1, 1), Not(IsEmpty()));
  launches.end(1);
  launches.begin();  // ten seconds of all launches
  EXPECT_THAT(launches.at(20s, 1, 1), IsEmpty());
  EXPECT_THAT(launches.at(21s, 1, 1), Not(IsEmpty()));
}

TEST(ProgressOnATerminal, IsTakenAway) {
  Launches launches(true);
  launches.begin();
  EXPECT_THAT(launches.at(1s, 1, 1), Not(HasSubstr("\n")));
  launches.written.clear();
  launches.end(1);
  EXPECT_EQ(launches.written, "\r\033[K");
}

// A kernel that prints for ever, say: nobody should have to guess how long it goes on.
TEST_P(Progress, TellsOnceWhenALaunchIsStoppedThatMayBeEndless) {
  simulator::LaunchSettings settings;
  settings.max_instructions = 1000 * kMillion;
  Launches launches(GetParam(), settings);
  launches.begin();
  EXPECT_THAT(launches.at(50s, 0, 50 * kMillion), Not(HasSubstr("stopped")));
  EXPECT_THAT(launches.at(100s, 0, 100 * kMillion),
              HasSubstr("no block has ended in 1 min 40 s; the launch is stopped after 1000 M warp "
                        "instructions, in about 15 min 0 s: --timeout SECONDS"));
  EXPECT_THAT(launches.at(150s, 0, 150 * kMillion), Not(HasSubstr("stopped")));
}

TEST_P(Progress, DoesNotSpeakOfTheLimitWhereBlocksEnd) {
  Launches launches(GetParam());
  launches.begin();
  EXPECT_THAT(launches.at(100s, 1, 100 * kMillion), Not(HasSubstr("stopped")));
}

// An H200 holds 264 blocks of 1024 threads.
TEST(Sampling, IsSuggestedOnceWhereTimingTakesLong) {
  Launches launches(false, timed());
  launches.request.grid = {264 * 20, 1, 1};
  launches.begin();
  EXPECT_THAT(launches.at(1s, 0, kMillion), Not(HasSubstr("--sample")));  // 20 s
  EXPECT_THAT(launches.at(11s, 0, 2 * kMillion),
              HasSubstr("timing all of mathKernel1 takes about 3 min 40 s; --sample 5%"));
  EXPECT_THAT(launches.at(21s, 0, 3 * kMillion), Not(HasSubstr("--sample")));
}

TEST(Sampling, IsSuggestedBySlicesWhereWavesAreFew) {
  Launches launches(false, timed());
  launches.request.grid = {264 * 2, 1, 1};
  launches.begin();
  EXPECT_THAT(launches.at(40s, 0, 2 * kMillion), HasSubstr("--sample 20M"));
}

TEST(Sampling, IsNotSuggestedForUntimedLaunches) {
  Launches launches(false);
  launches.request.grid = {264 * 20, 1, 1};
  launches.begin();
  EXPECT_THAT(launches.at(11s, 0, 2 * kMillion), Not(HasSubstr("--sample")));
}

}  // namespace
}  // namespace heddle::runtime
