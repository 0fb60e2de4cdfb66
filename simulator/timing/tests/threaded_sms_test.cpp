// Timed launches on several host threads come out as on one.
#include "simulator/timing/threaded_sms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"
#include "simulator/timing/launch.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kWords = 1 << 16;

struct Ran {
  LaunchOutcome outcome;
  std::vector<std::uint32_t> memory;
};

// A kernel of talking_blocks.cu on 12 SMs: memory is zeros, of which it gets both halves.
class TalkingBlocks {
 public:
  template <typename... Arguments>
  TalkingBlocks(const std::string& kernel, std::uint32_t blocks, Arguments... arguments)
      : out_(*device_.memory().allocate(kWords * 4, "out")) {
    request_.module = &module_;
    request_.kernel = module_.cubin().find_kernel(kernel);
    request_.grid = {blocks, 1, 1};
    request_.block = {64, 1, 1};
    if (kernel == "cross_cluster") request_.cluster = {2, 1, 1};
    request_.parameters = parameters(out_, out_ + 4 * (kWords / 2), arguments...);
  }
  Ran run(LaunchOptions options) {
    options.settings.timing.emplace().sms = 12;
    Ran ran{device_.launch(request_, options), std::vector<std::uint32_t>(kWords)};
    std::memcpy(ran.memory.data(), device_.memory().view(out_, kWords * 4), kWords * 4);
    return ran;
  }
  // `alone`: instructions before other threads join.
  TimedRun run(unsigned threads, std::uint64_t alone) {
    LaunchOptions options;
    options.settings.threads = threads;
    options.settings.threads_after = 0;
    options.settings.timing.emplace().sms = 12;
    PreparedLaunch prepared(device_.model(), device_.memory(), {1 << 10, 1 << 20}, request_,
                            options);
    DeviceTime time;
    return run_timed(prepared.context(), *options.settings.timing, 8, time, nullptr, alone);
  }

 private:
  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/tests/kernels/talking_blocks.sm_90.cubin"), "talking",
                 device_.memory()};
  std::uint64_t out_;
  LaunchRequest request_;
};

std::vector<std::pair<std::uint32_t, std::uint64_t>> counts_of(const Ran& ran) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;
  for (const auto& [pc, sums] : ran.outcome.counts) counts.emplace_back(pc, sums.threads_on);
  return counts;
}

void expect_same(const Ran& one, const Ran& other) {
  EXPECT_EQ(one.memory, other.memory);
  const Result &a = *one.outcome.timing, &b = *other.outcome.timing;
  EXPECT_EQ(a.elapsed, b.elapsed);
  EXPECT_EQ(a.active_sum, b.active_sum);
  EXPECT_EQ(a.active_max, b.active_max);
  EXPECT_EQ(a.issued, b.issued);
  EXPECT_EQ(a.warp_cycles, b.warp_cycles);
  EXPECT_EQ(a.stalls, b.stalls);
  EXPECT_EQ(a.stalls_at, b.stalls_at);
  EXPECT_EQ(a.traffic.l2_read.hits, b.traffic.l2_read.hits);
  EXPECT_EQ(a.traffic.l1_global_load.sectors, b.traffic.l1_global_load.sectors);
  EXPECT_EQ(a.traffic.dram_sectors_read, b.traffic.dram_sectors_read);
  ASSERT_EQ(one.outcome.fault.has_value(), other.outcome.fault.has_value());
  if (one.outcome.fault) {
    EXPECT_EQ(one.outcome.fault->message(), other.outcome.fault->message());
  }
  EXPECT_EQ(counts_of(one), counts_of(other));
  EXPECT_EQ(one.outcome.launch_class.order_dependent_because,
            other.outcome.launch_class.order_dependent_because);
}

// The notes of two, three and eight threads.
template <typename... Arguments>
std::vector<std::string> expect_same_on_threads(const std::string& kernel, LaunchOptions options,
                                                Arguments... arguments) {
  constexpr std::uint32_t kBlocks = 96;
  options.settings.threads = 1;
  const Ran one = TalkingBlocks(kernel, kBlocks, arguments...).run(options);
  EXPECT_EQ(one.outcome.threads_note, "");
  std::vector<std::string> notes;
  for (const unsigned threads : {2u, 3u, 8u}) {
    SCOPED_TRACE(kernel + " on " + std::to_string(threads) + " threads");
    options.settings.threads = threads;
    options.settings.threads_after = 0;
    const Ran several = TalkingBlocks(kernel, kBlocks, arguments...).run(options);
    expect_same(several, one);
    notes.push_back(several.outcome.threads_note);
  }
  return notes;
}

const std::vector<std::string> kOnSeveral(3);

TEST(ThreadedSms, BlocksThatSpinOnEachOthersFlagsGoOnTogether) {
  EXPECT_EQ(expect_same_on_threads("pass_on", {}), kOnSeveral);
}

TEST(ThreadedSms, AtomicsComeInTheOrderOfSms) {
  expect_same_on_threads("take_locks", {});
  EXPECT_EQ(expect_same_on_threads("take_work", {}), kOnSeveral);
}

TEST(ThreadedSms, ReductionsCommuteAndWordsOfASectorAreApart) {
  EXPECT_EQ(expect_same_on_threads("count_together", {}, int{300}), kOnSeveral);
}

TEST(ThreadedSms, ALaunchThatRacesComesOutAsOnOneThread) {
  expect_same_on_threads("race", {}, int{200});
}

TEST(ThreadedSms, ClustersStayOnOneThread) {
  for (const std::string& note : expect_same_on_threads("cross_cluster", {}))
    EXPECT_EQ(note, "blocks of a cluster reach each other");
}

TEST(ThreadedSms, AFaultIsTheFirstInTheOrderOfSms) {
  expect_same_on_threads("leave_memory", {}, int{200}, 77u);
  expect_same_on_threads("leave_memory", {}, int{6}, 3u);
}

TEST(ThreadedSms, ALimitStopsAtTheSameInstruction) {
  LaunchOptions options;
  options.settings.max_instructions = 20'000;
  EXPECT_EQ(expect_same_on_threads("count_together", options, int{300}), kOnSeveral);
}

// --timeout and Ctrl-C do so.
TEST(ThreadedSms, ItsOwnerStopsItAtTheSameInstruction) {
  LaunchOptions options;
  options.watch = [](const LaunchProgress&) { return false; };
  options.settings.threads = 2;
  options.settings.threads_after = 0;
  const Ran stopped = TalkingBlocks("count_together", 96, int{1200}).run(options);
  ASSERT_TRUE(stopped.outcome.fault);
  EXPECT_EQ(stopped.outcome.fault->kind, Fault::Kind::interrupted);
  EXPECT_EQ(expect_same_on_threads("count_together", options, int{1200}), kOnSeveral);
}

TEST(ThreadedSms, OthersJoinWhereALaunchGoesOn) {
  const auto shared_quanta = [](unsigned threads, std::uint64_t alone) {
    return TalkingBlocks("count_together", 96, int{100}).run(threads, alone).shared_quanta;
  };
  EXPECT_EQ(shared_quanta(1, 0), 0u);
  const std::uint64_t all = shared_quanta(2, 0), some = shared_quanta(2, 30'000);
  EXPECT_GT(some, 0u);
  EXPECT_GT(all, some);
  EXPECT_EQ(shared_quanta(2, ~std::uint64_t{0}), 0u);
}

TEST(ThreadedSms, OthersJoinATimedLaunchSoonerThanAnotherOne) {
  LaunchOptions options;
  for (const unsigned threads : {0u, 2u}) {
    options.settings.threads = threads;
    EXPECT_EQ(ThreadedSms::alone_by(options), 4096u);
  }
  options.settings.threads_after = 0;
  EXPECT_EQ(ThreadedSms::alone_by(options), 0u);
}

TEST(SmThreads, PiecesBecomeSmallerTowardsTheEndOfAQuantum) {
  constexpr std::size_t kSms = 132;
  std::vector<std::size_t> pieces;
  SmThreads* running = nullptr;
  SmThreads threads(1, kSms, [&](unsigned, std::size_t first, std::size_t end) {
    pieces.push_back(end - first);
    for (std::size_t sm = first; sm < end; ++sm) running->finished(sm);
  });
  running = &threads;
  threads.run_quantum();
  EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), std::size_t{0}), kSms);
  EXPECT_TRUE(std::ranges::is_sorted(pieces, std::ranges::greater()));
  EXPECT_EQ(pieces.front(), 8u);
  EXPECT_EQ(pieces.back(), 1u);
}

}  // namespace
}  // namespace heddle::simulator::timing
