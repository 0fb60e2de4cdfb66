// Launches that begin on one host thread and go on with several.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/idle_cores.hpp"
#include "simulator/device/device.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/run/threaded_run.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

struct Result {
  std::vector<std::uint32_t> memory;
  std::vector<std::uint64_t> executed, threads_on;
  std::string note;
  Seen seen;
};

class Joined : public testing::Test {
 protected:
  static constexpr std::uint32_t kThreads = 64, kWords = 2048;

  // On zeroed memory, with `threads` threads once one has issued `alone` instructions.
  template <typename... Arguments>
  Result run(const char* file, const char* kernel, std::uint32_t blocks, unsigned threads,
             std::uint64_t alone, Arguments... arguments) {
    Device device(gpu_model("h200"));
    Module module(compiled_kernels("simulator/tests/kernels/" + std::string(file)), file,
                  device.memory());
    const std::uint64_t out = *device.memory().allocate(kWords * 4, "out");
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = {blocks, 1, 1};
    request.block = {kThreads, 1, 1};
    request.parameters = parameters(out, out + 4 * kWords / 2, arguments...);
    LaunchOptions options;
    options.settings.threads = threads;
    PreparedLaunch prepared(device.model(), device.memory(), {1 << 10, 1 << 20}, request, options);
    Core core(prepared.context());
    core.instruction_limit = prepared.context().instruction_limit;
    BlockRun done = ThreadedRun(false, alone)
                        .execute(core, prepared.resident_blocks(), whole_grid(prepared.context()));
    EXPECT_FALSE(done.fault);
    Result result{std::vector<std::uint32_t>(kWords), {}, {}, done.note, done.seen};
    std::memcpy(result.memory.data(), device.memory().view(out, kWords * 4), kWords * 4);
    for (const auto& [pc, counts] : done.counts) {
      result.executed.push_back(counts.executed);
      result.threads_on.push_back(counts.threads_on);
    }
    return result;
  }

  static void expect_same(const Result& one, const Result& other) {
    EXPECT_EQ(one.memory, other.memory);
    EXPECT_EQ(one.executed, other.executed);
    EXPECT_EQ(one.threads_on, other.threads_on);
    EXPECT_EQ(one.seen.unordered_reads, other.seen.unordered_reads);
  }

  // Blocks of more than one turn's instructions.
  Result run_long_blocks(unsigned threads, bool racing) {
    return run("long_blocks.sm_90.cubin", "long_blocks", 3, threads, 1, 160'000, int{racing});
  }
  Result run_machine(const char* kernel, unsigned threads, std::uint64_t alone) {
    return run("machine.sm_90.cubin", kernel, 16, threads, alone);
  }
};

TEST_F(Joined, ABlockGoesOnOnAnotherThreadInTheMiddle) {
  const Result alone = run_long_blocks(1, false), joined = run_long_blocks(2, false);
  EXPECT_EQ(joined.note, "");
  const auto all = std::accumulate(alone.executed.begin(), alone.executed.end(), std::uint64_t{0});
  EXPECT_GT(all / 3, std::uint64_t{1} << 20);  // by block: more than a turn
  expect_same(joined, alone);
}

TEST_F(Joined, ABlockThatRacesComesBackToWhereItWas) {
  const Result alone = run_long_blocks(1, true), joined = run_long_blocks(2, true);
  expect_same(joined, alone);
}

// Their results depend on the order of blocks, and their blocks use the same memory.
TEST_F(Joined, AtomicsAndRacesAreTheSameWheneverOthersJoin) {
  for (const char* const kernel : {"float_atomics", "racing_blocks", "integer_atomics"}) {
    const Result alone = run_machine(kernel, 1, 0);
    for (const auto& [threads, after] : {std::pair(2u, 0u), {2u, 1u}, {5u, 60u}, {2u, 1u << 30}}) {
      SCOPED_TRACE(std::string(kernel) + ", others after " + std::to_string(after));
      expect_same(run_machine(kernel, threads, after), alone);
    }
  }
}

// Before others join: what they did would have to be taken back.
TEST_F(Joined, NobodyDoesWhereAtomicsOfTwoBlocksDependOnTheirOrder) {
  const Result alone = run_machine("integer_atomics", 1, 0);
  const Result joined = run_machine("integer_atomics", 2, 1);
  EXPECT_EQ(joined.note, "atomics of its blocks depend on their order");
  expect_same(joined, alone);
}

TEST(ContendedWords, AreThoseOfTwoBlocks) {
  ContendedWords words;
  EXPECT_FALSE(words.any());
  for (std::uint64_t i = 0; i < 5000; ++i) words.use(0x7000'0000'0000 + 4 * (i % 4000), 7);
  EXPECT_TRUE(words.any());
  EXPECT_FALSE(words.found());
  words.use(0x7000'0000'0000 + 4 * 4000, 8);
  EXPECT_FALSE(words.found());
  words.use(0x7000'0000'0000 + 4 * 4000, 9);
  EXPECT_TRUE(words.found());
}

TEST_F(Joined, ReductionsOfAWarpThatMeetAreMadeTogether) {
  const auto run_reductions = [&](unsigned threads) {
    return run("reductions.sm_90.cubin", "reductions", 64, threads, 0);
  };
  const Result alone = run_reductions(1), joined = run_reductions(3);
  EXPECT_EQ(joined.note, "");
  expect_same(joined, alone);
}

// More allocations than a core remembers.
TEST_F(Joined, WhatIsReducedInManyAllocationsIsTakenBack) {
  const auto run_far_apart = [](unsigned threads, int racing) {
    Device device(gpu_model("h200"));
    Module module(compiled_kernels("simulator/tests/kernels/reductions.sm_90.cubin"), "reductions",
                  device.memory());
    std::array<std::uint64_t, 8> cells{};
    for (std::uint64_t& each : cells) {
      each = *device.memory().allocate(kThreads, "cells");
      std::memset(device.memory().view(each, kThreads), 3, kThreads);
    }
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel("far_apart");
    request.grid = {1024, 1, 1};
    request.block = {kThreads, 1, 1};
    const std::uint64_t apart = cells[1] - cells[0];
    EXPECT_EQ(cells[7], cells[0] + 7 * apart);
    request.parameters = parameters(cells[0], apart / 4, racing);
    LaunchOptions options;
    options.settings.threads = threads;
    options.settings.threads_after = 0;
    const LaunchOutcome outcome = device.launch(request, options);
    EXPECT_FALSE(outcome.fault);
    std::vector<std::byte> all;
    for (const std::uint64_t each : cells)
      all.insert(all.end(), device.memory().view(each, kThreads),
                 device.memory().view(each, kThreads) + kThreads);
    return std::pair(all, outcome.threads_note);
  };
  for (const int racing : {0, 1, 1, 1}) {  // unless one thread happens to execute them all
    const auto [expected, none] = run_far_apart(1, racing);
    const auto [got, note] = run_far_apart(3, racing);
    EXPECT_TRUE(racing != 0 || note.empty()) << note;
    EXPECT_TRUE(got == expected) << racing;
  }
}

// Of one allocation, of which each read is to be told or none.
struct Told final : AccessLog {
  bool read(std::uint64_t, unsigned) override { return true; }
  bool write(std::uint64_t, unsigned) override { return true; }
  bool read_all(std::uint64_t, std::uint64_t) override { return true; }
  bool may_read_within(std::uint64_t, std::uint64_t) override { return reads_are_free; }
  bool reduce(std::uint64_t, unsigned, unsigned) override { return true; }
  bool communicate(std::uint64_t) override { return true; }
  bool reads_are_free = false;
};

TEST_F(Joined, NativeCodeLoadsByItselfWhereNobodyIsToKnow) {
  Device device(gpu_model("h200"));
  Module module(compiled_kernels("simulator/tests/kernels/machine.sm_90.cubin"), "machine",
                device.memory());
  const std::uint64_t out = *device.memory().allocate(kWords, "out");
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel("racing_blocks");
  request.parameters = parameters(out, out);
  const LaunchOptions options;
  PreparedLaunch prepared(device.model(), device.memory(), {1 << 10, 1 << 20}, request, options);
  Core core(prepared.context());
  const auto readable = [&] {
    EXPECT_NE(core.resolve(out, 4), nullptr);
    return std::ranges::find(core.known, out, &native::Machine::Known::start)->readable;
  };
  EXPECT_EQ(readable(), kWords);
  Told told;
  core.tell(&told);
  EXPECT_EQ(readable(), 0u);
  EXPECT_FALSE(core.reads_freely(out, 4));
  EXPECT_EQ(readable(), 0u);
  told.reads_are_free = true;
  EXPECT_TRUE(core.reads_freely(out, 4));
  EXPECT_EQ(readable(), kWords);
  core.tell(nullptr);
  EXPECT_EQ(readable(), kWords);
}

// However long its blocks are.
TEST_F(Joined, WhetherItIsOverIsAskedWhileALaunchExecutes) {
  Device device(gpu_model("h200"));
  Module module(compiled_kernels("simulator/tests/kernels/machine.sm_90.cubin"), "machine",
                device.memory());
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel("racing_blocks");
  request.parameters = parameters(std::uint64_t{0}, std::uint64_t{0});
  const LaunchOptions options;
  const PreparedLaunch prepared(device.model(), device.memory(), {1 << 10, 1 << 20}, request,
                                options);
  bool over = false;
  unsigned asked = 0;
  Watch watch(prepared.context(), 0, 1000, [&] { return ++asked, over; });
  const auto go_on_after = [&](std::uint64_t issued) {
    watch.add(0, issued);
    EXPECT_TRUE(watch.go_on());
    return asked;
  };
  EXPECT_EQ(go_on_after(1 << 13), 0u);
  EXPECT_EQ(go_on_after(1 << 13), 1u);
  EXPECT_EQ(go_on_after(1 << 14), 1u);
  EXPECT_FALSE(watch.stopped());
  over = true;
  EXPECT_EQ(go_on_after(1 << 16), 2u);
  EXPECT_TRUE(watch.stopped());
}

TEST(IdleCores, AreThoseThatNobodyElseUses) {
  EXPECT_EQ(running_threads("0.20 0.18 0.12 3/80 11206\n"), 3u);
  EXPECT_EQ(running_threads("0.20 0.18 0.12"), std::nullopt);
  EXPECT_EQ(running_threads("0.20 0.18 0.12 3"), std::nullopt);
  EXPECT_EQ(running_threads("a b c d/80 1"), std::nullopt);
  EXPECT_EQ(running_threads(""), std::nullopt);
  EXPECT_GE(idle_cores(), 1u);
}

}  // namespace
}  // namespace heddle::simulator
