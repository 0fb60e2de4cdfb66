// The machine, end to end: compiled kernels (tests/kernels/machine.cu) and what they leave in
// memory.
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/memory/mapped_around.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

class Machine : public testing::TestWithParam<const char*> {
 protected:
  std::uint64_t allocate(std::uint64_t bytes) { return *device_.memory().allocate(bytes, "test"); }

  template <typename T>
  std::uint64_t upload(const std::vector<T>& values) {
    const std::uint64_t address = allocate(values.size() * sizeof(T));
    std::memcpy(device_.memory().view(address, values.size() * sizeof(T)), values.data(),
                values.size() * sizeof(T));
    return address;
  }

  template <typename T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), device_.memory().view(address, count * sizeof(T)),
                count * sizeof(T));
    return values;
  }

  template <typename... Arguments>
  LaunchOutcome run(const char* kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    const isa::Kernel* found = module_.cubin().find_kernel(kernel);
    EXPECT_NE(found, nullptr) << kernel;
    return run(*found, grid, block, arguments...);
  }
  template <typename... Arguments>
  LaunchOutcome run(const isa::Kernel& kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = &kernel;
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = dynamic_shared_;
    request.parameters = parameters(arguments...);
    return device_.launch(request, options_);
  }

  // Runs and expects no fault.
  template <typename... Arguments>
  LaunchOutcome run_well(const char* kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    LaunchOutcome outcome = run(kernel, grid, block, arguments...);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    return outcome;
  }

  // From sm_100 on nvcc sees that it never returns, and leaves it out.
  bool has_endless_recursion() const { return isa::sm_number(module_.cubin().arch) < 100; }

  Device device_{default_model(*isa::arch_from_sm(std::stoi(GetParam() + std::strlen("sm_"))))};
  Module module_{machine_kernels(GetParam()), "machine.cubin", device_.memory()};
  LaunchOptions options_;
  std::uint32_t dynamic_shared_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Architectures, Machine,
                         testing::Values("sm_80", "sm_90", "sm_100", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(Machine, ALockInsideAWarpIsTakenByEveryLaneInTurn) {
  const auto lock = upload<int>({0}), counter = upload<int>({0});
  run_well("spin_lock", {4, 1, 1}, {64, 1, 1}, lock, counter);
  EXPECT_EQ(download<int>(counter, 1)[0], 256);
  EXPECT_EQ(download<int>(lock, 1)[0], 0);
}

TEST_P(Machine, ABlockThatWaitsForTheNextOneMakesProgress) {
  const auto flag = upload<int>({0}), out = allocate(128);
  run_well("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, flag, out);
  EXPECT_THAT(download<int>(out, 32), testing::Each(42));
}

TEST_P(Machine, ABarrierDoesNotWaitForThreadsThatExited) {
  const auto out = upload(std::vector<int>(96, -1));
  run_well("exit_before_barrier", {1, 1, 1}, {96, 1, 1}, out);
  const auto values = download<int>(out, 96);
  for (int i = 0; i < 96; ++i) EXPECT_EQ(values[i], i % 3 == 0 ? -1 : 64) << i;
}

TEST_P(Machine, BarriersOnBothSidesOfABranchMeet) {
  const auto out = allocate(256);
  run_well("barrier_on_both_sides", {1, 1, 1}, {64, 1, 1}, out);
  const auto values = download<int>(out, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < 16 ? i + 32 : i ^ 1) << i;
}

TEST_P(Machine, WarpFunctionsSeeTheLanesOfTheirMask) {
  const auto out = allocate(96 * 4);
  run_well("warp_functions", {1, 1, 1}, {32, 1, 1}, out);
  const auto values = download<unsigned>(out, 96);
  unsigned even_sum = 0;
  for (unsigned lane = 0; lane < 32; lane += 2) even_sum += lane * 3 + 1;
  unsigned ballot = 0;
  std::vector<unsigned> expected(32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    expected[lane] = lane % 2 == 0 ? even_sum : (lane ^ 2) * 3 + 1;
    if (expected[lane] > 40) ballot |= 1u << lane;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(values[lane], expected[lane]) << lane;
    EXPECT_EQ(values[32 + lane], ballot) << lane;
    unsigned match = 0;
    for (unsigned other = 0; other < 32; ++other)
      if (other / 5 == lane / 5) match |= 1u << other;
    EXPECT_EQ(values[64 + lane], match) << lane;
  }
}

// As an H200 does (docs/experiments/divergence-order.md).
TEST_P(Machine, LanesThatMissNobodyGoOnTogetherFromASyncwarpWithMasksOfTheirOwn) {
  for (const unsigned size : {1u, 4u, 16u}) {
    const std::uint64_t out = allocate(65 * 4);
    run_well("syncwarp_of_tiles", {1, 1, 1}, {32, 1, 1}, out, size);
    const auto active = download<std::uint32_t>(out, 64);
    EXPECT_THAT(active, testing::Each(~0u)) << "tiles of " << size;
  }
}

TEST_P(Machine, AJumpTableSendsEachLaneItsWay) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = i < 32 ? (i * 5) % 10 : i;
  const auto input = upload(in), out = allocate(128);
  run_well("jump_table", {1, 1, 1}, {31, 1, 1}, input, out);
  const auto values = download<int>(out, 31);
  for (int t = 0; t < 31; ++t) {
    const int x = in[t];
    const int cases[] = {11,
                         x * 7 + 2,
                         in[t + 32] + 1,
                         in[t + 32] * in[t + 33],
                         5 - in[31 - t],
                         x ^ 0x55,
                         in[(t * 7) & 31] << 2,
                         99};
    EXPECT_EQ(values[t], x < 8 ? cases[x] : -1) << t;
  }
}

TEST_P(Machine, RecursionReturnsToEachLanesCaller) {
  const auto out = allocate(128);
  run_well("recursion", {1, 1, 1}, {32, 1, 1}, out);
  const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  const auto values = download<int>(out, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[i], fibonacci[i % 9]) << i;
}

TEST_P(Machine, EveryAccessWidthMovesItsBytes) {
  constexpr int kThreads = 32, kWide = 64;
  std::vector<unsigned char> in(4 * kWide + 16 * kThreads);
  std::iota(in.begin(), in.end(), static_cast<unsigned char>(3));
  const auto input = upload(in), out = allocate(in.size());
  run_well("widths", {1, 1, 1}, {kThreads, 1, 1}, input, out, kWide);
  const auto values = download<unsigned char>(out, in.size());
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(values[i], static_cast<unsigned char>(in[i] + 1));
    short was, is;
    std::memcpy(&was, &in[kWide + 2 * i], 2);
    std::memcpy(&is, &values[kWide + 2 * i], 2);
    EXPECT_EQ(is, static_cast<short>(was - 1));
  }
  EXPECT_TRUE(std::equal(in.begin() + 4 * kWide, in.end(), values.begin() + 4 * kWide));
}

TEST_P(Machine, IntegerAtomicsCombineAllThreads) {
  constexpr unsigned kThreads = 192;
  const auto cells = upload(std::vector<int>(64 + kThreads, 0));
  const LaunchOutcome outcome = run_well("integer_atomics", {2, 1, 1}, {96, 1, 1}, cells);
  const auto values = download<int>(cells, 64 + kThreads);
  EXPECT_EQ(values[0], 2 * (95 * 96 / 2));
  EXPECT_EQ(values[1], 63);
  EXPECT_EQ(values[2], 0);
  EXPECT_EQ(values[3], kThreads % 10);
  EXPECT_EQ(values[5], static_cast<int>(2 * kThreads));
  std::vector<int> tickets(values.begin() + 64, values.end());
  std::sort(tickets.begin(), tickets.end());
  for (unsigned i = 0; i < kThreads; ++i) EXPECT_EQ(tickets[i], static_cast<int>(2 * i));
  EXPECT_THAT(outcome.launch_class.order_dependent_because,
              testing::Contains("atomic whose result is used"));
}

TEST_P(Machine, OnlyStoresToWhatSeveralWarpsHaveMayRace) {
  using enum LaunchClass::Races;
  const auto p = upload(std::vector<int>(256, 0));
  const auto races = [&](const char* kernel, Dim3 grid, Dim3 block) {
    return run(kernel, grid, block, p, 1).launch_class.races;
  };
  EXPECT_EQ(races("store_at", {1, 1, 1}, {32, 1, 1}), none);
  EXPECT_EQ(races("store_at", {2, 1, 1}, {32, 1, 1}), not_checked);
  EXPECT_EQ(races("store_at", {1, 1, 1}, {64, 1, 1}), not_checked);
  dynamic_shared_ = 1024;
  const auto shared = [&](Dim3 grid, Dim3 block) {
    return run("shared_overrun", grid, block, 1).launch_class.races;
  };
  EXPECT_EQ(shared({2, 1, 1}, {32, 1, 1}), none);
  EXPECT_EQ(shared({2, 1, 1}, {64, 1, 1}), not_checked);
}

// Adds up what it sees.
class Watcher : public Observer {
 public:
  explicit Watcher(std::size_t instructions) : counts(instructions) {}
  void block_started(const CoreView&, const BlockView&) override { ++open_blocks; }
  void block_ended(const CoreView&, const BlockView&) override { --open_blocks; }
  void issuing(const CoreView&, const WarpView&, const Issue& next) override {
    announced = next.pc;
  }
  void issued(const CoreView&, const WarpView&, const Issue& issue) override {
    EXPECT_EQ(issue.pc, announced);
    InstructionCounts& sums = counts[issue.pc];
    ++sums.executed;
    sums.threads += issue.active.count();
    sums.threads_on += issue.on.count();
    for (const Access& access : issue.accesses) {
      EXPECT_TRUE(access.lanes.within(issue.on));
      if (access.space == Window::global) sums.sectors_global += access.counts.sectors;
      if (access.space == Window::shared) sums.wavefronts_shared += access.counts.wavefronts;
    }
  }
  std::vector<InstructionCounts> counts;
  int open_blocks = 0;
  std::uint32_t announced = 0;
};

TEST_P(Machine, AnObserverSeesEveryInstructionAndAccess) {
  Watcher watcher(module_.program().instructions.size());
  options_.observer = &watcher;
  options_.settings.threads = 4;
  options_.settings.threads_after = 0;
  const auto flag = upload<int>({0}), out = allocate(1024);
  const auto expect_same = [&](const LaunchOutcome& outcome) {
    for (std::size_t pc = 0; pc < watcher.counts.size(); ++pc) {
      EXPECT_EQ(watcher.counts[pc].executed, outcome.counts[pc].executed) << pc;
      EXPECT_EQ(watcher.counts[pc].threads, outcome.counts[pc].threads) << pc;
      EXPECT_EQ(watcher.counts[pc].threads_on, outcome.counts[pc].threads_on) << pc;
      EXPECT_EQ(watcher.counts[pc].sectors_global, outcome.counts[pc].sectors_global) << pc;
      EXPECT_EQ(watcher.counts[pc].wavefronts_shared, outcome.counts[pc].wavefronts_shared) << pc;
    }
    watcher.counts.assign(watcher.counts.size(), {});
    EXPECT_EQ(watcher.open_blocks, 0);
  };
  expect_same(run_well("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, flag, out));
  expect_same(run_well("barrier_on_both_sides", {1, 1, 1}, {64, 1, 1}, out));
}

// Wants to be told of lane operations by the run.
class RunWatcher : public Watcher {
 public:
  explicit RunWatcher(std::size_t instructions)
      : Watcher(instructions), left_out_(instructions + 1, 0xff) {}
  std::span<const std::uint8_t> left_out() const override { return left_out_; }
  void passed(const CoreView& core, const WarpView& warp, Pc first, Pc end, Mask active) override {
    EXPECT_LT(first, end);
    EXPECT_EQ(warp.current() == nullptr ? end : warp.current()->pc, end);
    for (Pc pc = first; pc != end; ++pc) {
      EXPECT_NE(core.instruction(pc).lane, nullptr) << pc;
      ++counts[pc].executed;
      counts[pc].threads += active.count();
      ++in_runs;
    }
  }
  std::uint64_t in_runs = 0;

 private:
  std::vector<std::uint8_t> left_out_;
};

TEST_P(Machine, AnObserverThatLeavesOutLaneOperationsIsToldOfTheirRuns) {
  RunWatcher watcher(module_.program().instructions.size());
  options_.observer = &watcher;
  const auto out = allocate(1024);
  const LaunchOutcome outcome = run_well("barrier_on_both_sides", {2, 1, 1}, {64, 1, 1}, out);
  std::uint64_t executed = 0;
  for (std::size_t pc = 0; pc < watcher.counts.size(); ++pc) {
    EXPECT_EQ(watcher.counts[pc].executed, outcome.counts[pc].executed) << pc;
    EXPECT_EQ(watcher.counts[pc].threads, outcome.counts[pc].threads) << pc;
    EXPECT_EQ(watcher.counts[pc].sectors_global, outcome.counts[pc].sectors_global) << pc;
    executed += watcher.counts[pc].executed;
  }
  EXPECT_GT(watcher.in_runs, 0u);
  EXPECT_LT(watcher.in_runs, executed);
}

TEST_P(Machine, ALocalArrayIsPrivateToItsThread) {
  const auto in = upload<int>({3, 1, 4, 1, 5, 9, 2, 6}), out = allocate(128);
  run_well("array_by_index", {1, 1, 1}, {32, 1, 1}, in, out);
  const int source[] = {3, 1, 4, 1, 5, 9, 2, 6};
  const auto values = download<int>(out, 32);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(values[t], source[source[t % 8] & 7] * t) << t;
}

// Any number of host threads: the same memory and counts, bit for bit.

struct Snapshot {
  std::vector<std::uint64_t> executed, threads_on;
  std::vector<unsigned> memory;
  bool operator==(const Snapshot&) const = default;
};

class MachineThreads : public Machine {
 protected:
  Snapshot snapshot(const LaunchOutcome& outcome, std::uint64_t address, std::size_t words) {
    Snapshot taken;
    for (const auto& [pc, counts] : outcome.counts) {
      taken.executed.push_back(counts.executed);
      taken.threads_on.push_back(counts.threads_on);
    }
    taken.memory = download<unsigned>(address, words);
    return taken;
  }

  // Runs the kernel on zeroed memory with 1, 2 and 5 threads and expects the same.
  template <typename... Arguments>
  void expect_same_for_any_number(const char* kernel, Dim3 grid, Dim3 block, std::uint64_t address,
                                  std::size_t words, Arguments... arguments) {
    std::optional<Snapshot> first;
    for (const unsigned threads : {1u, 2u, 5u}) {
      options_.settings.threads = threads;
      options_.settings.threads_after = 0;
      std::memset(device_.memory().view(address, words * 4), 0, words * 4);
      const LaunchOutcome outcome = run_well(kernel, grid, block, arguments...);
      const Snapshot now = snapshot(outcome, address, words);
      if (!first) first = now;
      EXPECT_EQ(now, *first) << kernel << " with " << threads << " threads";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Architectures, MachineThreads,
                         testing::Values("sm_80", "sm_90", "sm_100", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(MachineThreads, ASharedHistogramIsTheSame) {
  std::vector<unsigned> in(20000);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 7;
  const auto input = upload(in), bins = allocate(64);
  expect_same_for_any_number("histogram", {40, 1, 1}, {64, 1, 1}, bins, 16, input, bins, 20000);
}

TEST_P(MachineThreads, FloatAtomicsAreTheSame) {
  const auto sums = allocate(256);
  expect_same_for_any_number("float_atomics", {32, 1, 1}, {64, 1, 1}, sums, 64, sums, sums + 64);
}

TEST_P(MachineThreads, RacingBlocksAreTheSame) {
  const auto cell = allocate(4);
  expect_same_for_any_number("racing_blocks", {100, 1, 1}, {32, 1, 1}, cell, 1, cell);
}

TEST_P(MachineThreads, ABlockThatSpinsOnAnothersFlagIsTheSame) {
  const auto memory = allocate(256);
  expect_same_for_any_number("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, memory, 64, memory,
                             memory + 128);
}

TEST_P(Machine, ABlockThatOnlyWaitsGivesWaySoon) {
  const auto flag = upload<int>({0}), out = allocate(128);
  const std::uint64_t executed =
      run_well("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, flag, out).counts.executed();
  EXPECT_GT(executed, 1u << 12);  // block 0's turn
  EXPECT_LT(executed, 1u << 13);
}

// Faults are values that say where.

TEST_P(Machine, AStorePastTheEndNamesThreadLineAndAllocation) {
  const auto p = allocate(400);
  const LaunchOutcome outcome = run("store_at", {3, 1, 1}, {32, 1, 1}, p, 4 << 20);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
  EXPECT_EQ(outcome.fault->address, p + (16 << 20));
  EXPECT_EQ(outcome.fault->thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(outcome.fault->function, "store_at");
  EXPECT_THAT(outcome.fault->source, testing::HasSubstr("machine.cu:"));
  EXPECT_THAT(outcome.fault->message(),
              testing::HasSubstr("16776816 bytes past the end of test (400 bytes"));
}

// atomicAdd() is a function of the toolkit's headers: its line alone says nothing.
TEST_P(Machine, AFaultInInlinedCodeNamesTheCallToo) {
  const LaunchOutcome outcome = run("integer_atomics", {1, 1, 1}, {32, 1, 1}, std::uint64_t{64});
  ASSERT_TRUE(outcome.fault);
  EXPECT_THAT(outcome.fault->source, testing::HasSubstr(".hpp:"));
  ASSERT_FALSE(outcome.fault->calls.empty());
  EXPECT_THAT(outcome.fault->calls.back(), testing::ContainsRegex("/machine\\.cu:[0-9]+$"));
  EXPECT_THAT(outcome.fault->message(),
              testing::ContainsRegex("\n    called at [^\n]*machine\\.cu:[0-9]+\n"));
}

// On an H200 too: gpu/runtime/tests/answers/records/registering.txt.
TEST_P(Machine, AWriteOfMemoryRegisteredForReadingAloneIsAFault) {
  std::vector<std::byte> host(400);
  using enum DeviceMemory::Registered;
  const auto p = device_.memory().map_host(host.data(), host.size(), "registered", for_reading);
  const auto expect_fault = [&](const LaunchOutcome& outcome, std::uint64_t address) {
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
    EXPECT_EQ(outcome.fault->address, address);
    EXPECT_THAT(outcome.fault->source, testing::ContainsRegex("\\.(cu|hpp):[0-9]"));
    EXPECT_THAT(outcome.fault->message(), testing::HasSubstr("registered for reading alone"));
  };
  expect_fault(run("store_at", {3, 1, 1}, {32, 1, 1}, p, 7), p + 28);
  expect_fault(run("widths", {1, 1, 1}, {32, 1, 1}, allocate(400), p, 400), p);  // row by row
  expect_fault(run("integer_atomics", {1, 1, 1}, {32, 1, 1}, p), p);
  EXPECT_THAT(host, testing::Each(std::byte{0}));
}

// Kernels may take the address of a parameter, to read it.
TEST_P(Machine, AWriteOfAParameterIsAFault) {
  constexpr std::uint64_t kBank = 0x3'0000'0200;  // where their addresses lead
  const auto expect_fault = [&](const LaunchOutcome& outcome, std::uint64_t address) {
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
    EXPECT_EQ(outcome.fault->address, address);
  };
  expect_fault(run("store_at", {3, 1, 1}, {32, 1, 1}, kBank, 7), kBank + 28);
  expect_fault(run("integer_atomics", {1, 1, 1}, {32, 1, 1}, kBank), kBank);
}

TEST_P(Machine, MemoryOfTheProgramThatItNeverGaveIsAFault) {
  std::vector<std::byte> host(1024);
  const auto p = reinterpret_cast<std::uint64_t>(host.data());
  const auto expect_fault = [&](const LaunchOutcome& outcome) {
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
    EXPECT_GE(outcome.fault->address, p);
    EXPECT_LT(outcome.fault->address, p + host.size());
  };
  expect_fault(run("store_at", {3, 1, 1}, {32, 1, 1}, p, 7));
  expect_fault(run("widths", {1, 1, 1}, {32, 1, 1}, allocate(400), p, 400));  // it reads
  expect_fault(run("integer_atomics", {1, 1, 1}, {32, 1, 1}, p));
  EXPECT_THAT(host, testing::Each(std::byte{0}));
}

TEST_P(Machine, MemoryThatTheProgramTookAwayIsAFault) {
  constexpr std::uint64_t kPage = 4096;
  void* const mapped =
      mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const pages = static_cast<std::byte*>(mapped);
  const auto p =
      device_.memory().map_host(pages, 4 * kPage, "registered", DeviceMemory::Registered::yes);
  run_well("store_at", {1, 1, 1}, {32, 1, 1}, p, 1024);
  mprotect(pages + kPage, kPage, PROT_READ);
  munmap(pages + 2 * kPage, kPage);
  const auto message = [&](int index) {
    const LaunchOutcome outcome = run("store_at", {1, 1, 1}, {32, 1, 1}, p, index);
    return outcome.fault ? outcome.fault->message() : std::string("none");
  };
  EXPECT_EQ(message(0), "none");
  EXPECT_THAT(message(1024), testing::HasSubstr("has forbidden writing there"));
  EXPECT_THAT(message(2048), testing::HasSubstr("has unmapped this place"));
  EXPECT_EQ(message(3072), "none");
  munmap(mapped, 4 * kPage);
}

// docs/experiments/allocations.md
TEST_P(Machine, WhatLiesBehindPinnedMemoryInItsPageIsReachable) {
  const auto p = *device_.memory().allocate_host_visible(1, "pinned");
  device_.memory().accesses_outside() = 0;
  run_well("store_at", {1, 1, 1}, {32, 1, 1}, p, 1);
  EXPECT_EQ(device_.memory().accesses_outside(), 1u);
  EXPECT_TRUE(run("store_at", {1, 1, 1}, {32, 1, 1}, p, 1024).fault);
}

TEST_P(Machine, WhatLiesAroundAnAllocationInItsFrameIsReachable) {
  constexpr int kNear = 127, kFar = 100'000, kBefore = -1;  // words; 100 are allocated
  const auto p = allocate(400), next = allocate(400);
  ASSERT_NE(next % (2 << 20), 0u);
  for (const int word : {kNear, kFar, kBefore}) {
    device_.memory().accesses_outside() = 0;
    run_well("store_at", {1, 1, 1}, {32, 1, 1}, next, word);
    EXPECT_EQ(device_.memory().accesses_outside(), 1u) << word;
    const std::uint64_t address = next + static_cast<std::uint64_t>(4 * word);
    const auto around = reached_memory(device_.memory(), address);
    ASSERT_TRUE(around);
    EXPECT_EQ(around->data[address - around->address], std::byte{1}) << word;
  }
  for (const auto each : {p, next}) EXPECT_THAT(download<int>(each, 100), testing::Each(0));
  device_.memory().free(next);
  device_.memory().free(p);
  EXPECT_FALSE(reached_memory(device_.memory(), next - 4));
}

// What the section of that name holds; empty: there is none.
std::span<std::byte> section_of(std::vector<std::byte>& cubin, std::string_view name) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  const auto section = [&](unsigned index) {
    Elf64_Shdr result;
    std::memcpy(&result, cubin.data() + header.e_shoff + index * header.e_shentsize, sizeof result);
    return result;
  };
  const auto* const names =
      reinterpret_cast<const char*>(cubin.data()) + section(header.e_shstrndx).sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    if (names + each.sh_name == name) return std::span(cubin).subspan(each.sh_offset, each.sh_size);
  }
  return {};
}

// Launches the kernel `trap_in_lane_3` of a cubin.
LaunchOutcome launch_trap(const std::vector<std::byte>& cubin) {
  Device device(gpu_model("h200"));
  Module module(cubin, "changed.cubin", device.memory());
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel("trap_in_lane_3");
  request.block = {32, 1, 1};
  return device.launch(request, {});
}

TEST(MachineLines, ADamagedLineTableLeavesAReportWithoutALine) {
  std::vector<std::byte> cubin = machine_kernels();
  const std::span<std::byte> lines = section_of(cubin, ".debug_line");
  ASSERT_FALSE(lines.empty());
  std::ranges::fill(lines, std::byte{0xff});
  const LaunchOutcome outcome = launch_trap(cubin);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::trap);
  EXPECT_EQ(outcome.fault->source, "");
  EXPECT_THAT(outcome.fault->message(), testing::HasSubstr("trap_in_lane_3"));
}

// What BAR.SCAN leaves is not known.
TEST(MachineInstructions, OneThatIsNotImplementedStopsTheLaunchByName) {
  constexpr std::array<std::uint64_t, 2> kScan{0x0182000000007b1d, 0x000fe20003806000};
  std::vector<std::byte> cubin = machine_kernels();
  const std::span<std::byte> code = section_of(cubin, ".text.trap_in_lane_3");
  ASSERT_GE(code.size(), sizeof kScan);
  std::memcpy(code.data(), kScan.data(), sizeof kScan);
  const LaunchOutcome outcome = launch_trap(cubin);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::unsupported_instruction);
  EXPECT_THAT(outcome.fault->message(), testing::HasSubstr("BAR.SCAN 0x6, 0x80, PT"));
}

TEST(MachineParameters, MoreThanFourKibibytesArriveOnEveryArchitecture) {
  struct Parameters {  // of isa/tests/cubins/large.cu
    std::uint32_t first = 3;
    std::array<std::uint32_t, 1500> table;
    std::uint32_t padding = 0;
    std::uint64_t out = 0;
    std::uint32_t last = 5;
  } parameters;
  std::iota(parameters.table.begin(), parameters.table.end(), 100);
  for (const isa::Arch arch : {isa::Arch::sm_75, isa::Arch::sm_90}) {
    Device device(default_model(arch));
    const std::string file =
        fmt::format("isa/tests/cubins/large.sm_{}.cubin", isa::sm_number(arch));
    Module module(compiled_kernels(file), file, device.memory());
    parameters.out = *device.memory().allocate(128 * 4, "test");
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel("large");
    request.block = {128, 1, 1};
    request.parameters.resize(request.kernel->parameter_bytes);
    ASSERT_LE(request.parameters.size(), sizeof parameters);
    std::memcpy(request.parameters.data(), &parameters, request.parameters.size());
    const LaunchOutcome outcome = device.launch(request, {});
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
    std::array<std::uint32_t, 128> out;
    std::memcpy(out.data(), device.memory().view(parameters.out, sizeof out), sizeof out);
    for (std::uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 100 + 11 * i + 15) << file;
  }
}

TEST_P(Machine, AMisalignedStoreSaysSo) {
  const auto p = allocate(400);
  const LaunchOutcome outcome = run("misaligned", {1, 1, 1}, {32, 1, 1}, p);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::misaligned_address);
  EXPECT_EQ(outcome.fault->thread.x, 1u);
}

TEST_P(Machine, SharedMemoryEndsWhereTheLaunchSaid) {
  dynamic_shared_ = 128;
  run_well("shared_overrun", {1, 1, 1}, {32, 1, 1}, 0);
  const LaunchOutcome outcome = run("shared_overrun", {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
  EXPECT_EQ(outcome.fault->thread.x, 31u);
}

TEST_P(Machine, ATrapNamesItsLane) {
  const LaunchOutcome outcome = run("trap_in_lane_3", {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::trap);
  EXPECT_EQ(outcome.fault->lanes, Mask::of(3));
}

TEST_P(Machine, AnEndlessSpinStopsAtTheLimitAndSaysWhereItWas) {
  const auto p = upload<int>({0});
  options_.settings.max_instructions = 20'000;  // before the spin is noticed
  for (const unsigned threads : {1u, 2u}) {
    options_.settings.threads = threads;
    options_.settings.threads_after = 0;
    const LaunchOutcome outcome = run("endless_loop", {2, 1, 1}, {32, 1, 1}, p);
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::instruction_limit);
    const std::uint64_t executed = outcome.counts.executed();
    EXPECT_EQ(executed, 20'000u);
    EXPECT_THAT(outcome.fault->details, testing::HasSubstr("running at endless_loop"));
  }
}

TEST_P(Machine, ADeadlockTellsWhatEachWarpWaitsFor) {
  const LaunchOutcome outcome = run("deadlock", {1, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
  EXPECT_THAT(outcome.fault->details,
              testing::HasSubstr("warp 0 lanes ffffffff: waits at block barrier 1"));
  EXPECT_THAT(outcome.fault->details,
              testing::HasSubstr("warp 1 lanes ffffffff: waits at block barrier 2"));
}

TEST_P(Machine, EndlessRecursionRunsOutOfItsStack) {
  if (!has_endless_recursion()) GTEST_SKIP();
  const auto out = upload<int>({1, 2});
  const LaunchOutcome outcome = run("endless_recursion", {1, 1, 1}, {32, 1, 1}, out);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
}

TEST_P(Machine, AStackThatWasEnlargedForAKernelIsKept) {
  if (!has_endless_recursion()) GTEST_SKIP();
  const auto out = allocate(128);
  const auto recursion = [&] { return run("recursion", {1, 1, 1}, {32, 1, 1}, out); };
  device_.stack_limit = 16;
  EXPECT_TRUE(recursion().fault);
  isa::Kernel larger = *module_.cubin().find_kernel("endless_recursion");
  larger.frame_bytes = 4096;
  EXPECT_TRUE(run(larger, {1, 1, 1}, {32, 1, 1}, out).fault);
  EXPECT_EQ(device_.stack_bytes(), 4096u);
  EXPECT_FALSE(recursion().fault);
  device_.stack_limit = 8192;
  EXPECT_EQ(device_.stack_bytes(), 8192u);
}

// Launches CUDA refuses.

TEST_P(Machine, ALaunchThatCannotBeIsRefusedWithCudasError) {
  LaunchRequest request;
  request.module = &module_;
  request.kernel = module_.cubin().find_kernel("trap_in_lane_3");
  request.block = {1025, 1, 1};
  EXPECT_EQ(device_.check(request)->cuda_error, "cudaErrorInvalidConfiguration");
  request.block = {32, 0, 1};
  EXPECT_EQ(device_.check(request)->cuda_error, "cudaErrorInvalidConfiguration");
  request.block = {32, 1, 1};
  request.dynamic_shared_bytes = 1 << 20;
  EXPECT_EQ(device_.check(request)->cuda_error, "cudaErrorInvalidValue");
  request.dynamic_shared_bytes = 0;
  EXPECT_FALSE(device_.check(request));
}

}  // namespace
}  // namespace heddle::simulator
