// gpu/kernels/micro/patched_code: how often its BSYNC executes in each warp, by what six of its
// lanes do meanwhile. The numbers are an H200's (docs/experiments/divergence-order.md, "Code that
// counts itself"): SASS metrics for code that counts itself, smsp__inst_executed for the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

// As the program numbers them.
enum Work {
  arithmetic,
  load,
  atomic,
  reduction,
  fence,
  vote,
  active_mask,
  store,
  shuffle,
  match,
  shared_load,
  shared_store,
  shared_atomic
};

class Meeting {
 public:
  LaunchRequest request(Work work) {
    constexpr std::uint32_t kRounds = 100, kAside = 12, kBusy = 6;
    LaunchRequest request;
    request.module = &module_;
    request.kernel =
        module_.cubin().find_kernel("_Z4meetIL4Work" + std::to_string(work) + "EEvjPjS1_jj");
    request.grid = {kBlocks, 1, 1};
    request.block = {32, 1, 1};
    request.parameters = parameters(kRounds, data, out, kAside, kBusy);
    return request;
  }
  LaunchOutcome run(Work work, const LaunchOptions& options = {}) {
    LaunchOutcome outcome = device_.launch(request(work), options);
    EXPECT_FALSE(outcome.fault);
    return outcome;
  }
  LaunchRecord record(Work work, const LaunchOptions& options) {
    return make_launch_record(request(work), run(work, options), device_.model(), {});
  }
  double bsync_per_warp(const LaunchCounts& all) const {
    std::uint64_t executed = 0;
    for (const auto& [pc, counts] : all)
      if (module_.program().instructions[pc]->op == isa::Op::BSYNC) executed += counts.executed;
    return static_cast<double>(executed) / kBlocks;
  }
  std::vector<std::byte> left() {
    const std::byte* begin = device_.memory().view(data, kBytes);
    return {begin, begin + kBytes};
  }

 private:
  static constexpr std::uint32_t kBlocks = 4;
  static constexpr std::uint64_t kBytes = 1 << 20;
  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/tests/kernels/patched_code.sm_90.cubin"),
                 "patched_code.cubin", device_.memory()};

 public:
  std::uint64_t data = *device_.memory().allocate(kBytes, "data");
  const std::uint64_t out = *device_.memory().allocate(kBytes, "out");
  const std::uint64_t of_host = *device_.memory().allocate_host_visible(kBytes, "pinned");
};

double bsync_per_warp(Work work, const LaunchOptions& options = {}) {
  Meeting meeting;
  return meeting.bsync_per_warp(meeting.run(work, options).counts);
}

TEST(PatchedCode, GroupsThatWaitMeetWhereAnotherAccessesMemory) {
  for (const Work work : {load, atomic, reduction, store, shared_load, shared_store, shared_atomic})
    EXPECT_EQ(bsync_per_warp(work), 2) << work;
}

TEST(PatchedCode, GroupsThatWaitStayApartWhereAnotherDoesNot) {
  for (const Work work : {arithmetic, fence, vote, active_mask, shuffle, match})
    EXPECT_EQ(bsync_per_warp(work), 3) << work;
}

TEST(PatchedCode, IsNotWhatAnswersWhenConvergenceBarriersAreAskedFor) {
  LaunchOptions options;
  options.settings.reconvergence = ReconvergencePolicy::barriers;
  for (const Work work : {load, arithmetic}) EXPECT_EQ(bsync_per_warp(work, options), 3) << work;
}

TEST(PatchedCode, IsExecutedOnceMoreWithoutPatchesForWhatCountersSee) {
  LaunchOptions options;
  options.settings.counters = true;
  for (const Work work : {load, atomic, store}) {
    Meeting once, twice;
    once.run(work);
    const LaunchOutcome outcome = twice.run(work, options);
    EXPECT_EQ(twice.bsync_per_warp(outcome.counts), 2) << work;
    ASSERT_TRUE(outcome.unpatched) << work;
    EXPECT_EQ(twice.bsync_per_warp(*outcome.unpatched), 3) << work;
    EXPECT_FALSE(outcome.counters_incomplete) << work;
    EXPECT_EQ(once.left(), twice.left()) << work;
  }
}

TEST(PatchedCode, GivesNoCountersWhereTheHostMayHaveSeenWhatItWrote) {
  LaunchOptions options;
  options.settings.counters = true;
  Meeting meeting;
  meeting.data = meeting.of_host;
  const LaunchOutcome outcome = meeting.run(store, options);
  EXPECT_FALSE(outcome.unpatched);
  EXPECT_TRUE(outcome.counters_incomplete);
  EXPECT_THAT(outcome.unmodelled, testing::Contains(testing::HasSubstr("host program")));
}

TEST(PatchedCode, IsNotWhatATimedLaunchCounts) {
  LaunchOptions untimed, timed;
  untimed.settings.counters = true;
  timed.settings.timing.emplace();
  for (const Work work : {load, atomic, store}) {
    Meeting counted, clocked;
    const LaunchOutcome patched = counted.run(work, untimed);
    const LaunchOutcome own = clocked.run(work, timed);
    EXPECT_EQ(clocked.bsync_per_warp(own.counts), 3) << work;
    ASSERT_TRUE(patched.unpatched) << work;
    EXPECT_EQ(own.counts.executed(), patched.unpatched->executed()) << work;
    EXPECT_NE(own.counts.executed(), patched.counts.executed()) << work;
  }
}

// What is in a record, by name: a profiler's counts and the program's own in an untimed launch, its
// own alone in a timed one.
TEST(PatchedCode, RecordSaysWhoseCountsItHas) {
  constexpr const char *kSass = "smsp__sass_inst_executed.sum",
                       *kCounter = "smsp__inst_executed.sum";
  LaunchOptions untimed, timed;
  untimed.settings.counters = true;
  timed.settings.timing.emplace();
  for (const Work work : {load, atomic, store}) {
    Meeting counted, clocked;
    const LaunchRecord both = counted.record(work, untimed), own = clocked.record(work, timed);
    EXPECT_EQ(both.counts, "profiler");
    EXPECT_EQ(own.counts, "program");
    EXPECT_NE(both.metrics.at(kSass), own.metrics.at(kSass)) << work;
    EXPECT_EQ(both.metrics.at(kCounter), own.metrics.at(kCounter)) << work;
    LaunchOptions barriers;
    barriers.settings.reconvergence = ReconvergencePolicy::barriers;
    Meeting named;
    const LaunchRecord untimed_own = named.record(work, barriers);
    EXPECT_EQ(untimed_own.counts, "program");
    EXPECT_EQ(untimed_own.metrics.at(kSass), own.metrics.at(kSass)) << work;
  }
}

TEST(PatchedCode, GivesNoCountersUnasked) {
  Meeting meeting;
  const LaunchOutcome outcome = meeting.run(load);
  EXPECT_FALSE(outcome.unpatched);
  EXPECT_TRUE(outcome.counters_incomplete);
}

}  // namespace
}  // namespace heddle::simulator
