// Launches that wait for memory which they do not change themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/execute/printf_fifo.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/dense_frames.hpp"
#include "simulator/memory/touched_pages.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

class StandstillTest : public testing::Test {
 protected:
  // Block 0 reads a word again and again until the next block has written it.
  LaunchOutcome run(std::uint32_t blocks, const LaunchOptions& options,
                    std::uint32_t shared_bytes = 0) {
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel("wait_for_next_block");
    request.grid = {blocks, 1, 1};
    request.block = {32, 1, 1};
    request.dynamic_shared_bytes = shared_bytes;
    request.parameters = parameters(flag, out);
    return device.launch(request, options);
  }
  void set_flag(int value) { std::memcpy(device.memory().view(flag, 4), &value, sizeof value); }

  Device device{gpu_model("h200")};
  Module module{machine_kernels(), "machine.cubin", device.memory()};
  Module barriers{compiled_kernels("simulator/tests/kernels/grid_barrier.sm_90.cubin"),
                  "grid_barrier.cubin", device.memory()};
  const std::uint64_t flag = *device.memory().allocate(256, "the flag"),
                      out = *device.memory().allocate(128, "out");
};

TEST_F(StandstillTest, IsADeadlockWhereNobodyElseCanWrite) {
  const LaunchOutcome outcome = run(1, {});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
  EXPECT_THAT(outcome.fault->details, testing::HasSubstr("1 block at wait_for_next_block+"));
  EXPECT_THAT(outcome.fault->details, testing::HasSubstr("of the flag"));
  EXPECT_THAT(outcome.fault->details, testing::HasSubstr("resident: 1 block\n"));
}

TEST_F(StandstillTest, EndsWhenOthersWrite) {
  for (const unsigned threads : {1u, 2u}) {
    set_flag(0);
    int asked = 0;
    LaunchOptions options;
    options.settings.threads = threads;
    options.settings.threads_after = 0;
    options.wait = [&](const Standstill& at) {
      EXPECT_EQ(at.kernel, "wait_for_next_block");
      EXPECT_THAT(at.addresses, testing::Contains(flag));
      if (++asked == 5) set_flag(7);
      return true;
    };
    const LaunchOutcome outcome = run(1, options);
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
    EXPECT_EQ(asked, 5);
    int first = 0;
    std::memcpy(&first, device.memory().view(out, 4), sizeof first);
    EXPECT_EQ(first, 7);
    EXPECT_FALSE(outcome.launch_class.determined());
  }
}

// The last one that could write does so, and then waits for the launch.
TEST_F(StandstillTest, EndsWhenTheLastWriterIsDone) {
  LaunchOptions options;
  options.wait = [&](const Standstill&) {
    set_flag(7);
    return false;
  };
  const LaunchOutcome outcome = run(1, options);
  EXPECT_FALSE(outcome.fault) << outcome.fault->message();
}

// However long others take, the waiting launch does not go on executing.
TEST_F(StandstillTest, CostsNoInstructionsWhileItLasts) {
  const auto executed = [&](int patience) {
    set_flag(0);
    LaunchOptions options;
    options.wait = [&, left = patience](const Standstill&) mutable {
      if (--left == 0) set_flag(1);
      return true;
    };
    return run(1, options).counts.executed();
  };
  EXPECT_EQ(executed(1), executed(1000));
}

// A warp that waits at an mbarrier for one that computes does not use up what a launch may execute.
TEST_F(StandstillTest, WaitingIsNoEndlessExecution) {
  LaunchRequest request;
  request.module = &barriers;
  request.kernel = barriers.cubin().find_kernel("wait_for_slow_warp");
  request.grid = {1, 1, 1};
  request.block = {64, 1, 1};
  request.parameters = parameters(100'000, *device.memory().allocate(256, "numbers"));
  LaunchOptions options;
  const LaunchOutcome free = device.launch(request, options);
  ASSERT_FALSE(free.fault) << free.fault->message();
  options.settings.max_instructions = free.counts.executed() + free.counts.executed() / 16;
  const LaunchOutcome limited = device.launch(request, options);
  EXPECT_FALSE(limited.fault) << limited.fault->message();
  EXPECT_EQ(limited.counts.executed(), free.counts.executed());
  options.settings.max_instructions = free.counts.executed() / 2;
  const LaunchOutcome stopped = device.launch(request, options);
  ASSERT_TRUE(stopped.fault);
  EXPECT_EQ(stopped.fault->kind, Fault::Kind::instruction_limit);
}

// All that fit read what a block would write that does not: blocks of a barrier over the grid.
TEST_F(StandstillTest, TellsOfBlocksThatCannotBegin) {
  constexpr std::uint32_t kAlone = 200 << 10;  // one block on each SM
  LaunchRequest request;
  request.module = &barriers;
  request.kernel = barriers.cubin().find_kernel("wait_for_last_block");
  request.grid = {device.model().sms + 3, 1, 1};
  request.block = {32, 1, 1};
  request.dynamic_shared_bytes = kAlone;
  request.parameters = parameters(flag);
  const LaunchOutcome outcome = device.launch(request, {});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
  EXPECT_THAT(outcome.fault->details, testing::HasSubstr("132 blocks at wait_for_last_block+"));
  EXPECT_THAT(outcome.fault->details, testing::HasSubstr("resident: 132 blocks, 3 not begun"));
}

TEST_F(StandstillTest, PrintfShowsWhatThereIsRoomFor) {
  LaunchRequest request;
  request.module = &barriers;
  request.kernel = barriers.cubin().find_kernel("print_lines");
  request.grid = request.block = {1, 1, 1};
  request.parameters = parameters(1000);
  std::string text;
  int shown = 0;
  for (const bool counters : {false, true}) {
    text.clear();
    device.printf_bytes = 10 * 24;  // a call takes 24 bytes
    LaunchOptions options;
    options.settings.counters = counters;  // executed so that it can be taken back
    options.print = [&](std::string_view more) {
      text += more;
      ++shown;
    };
    EXPECT_EQ(device.launch(request, options).printed_calls_lost, 990u);
    EXPECT_EQ(text, "990\n991\n992\n993\n994\n995\n996\n997\n998\n999\n");
  }
  EXPECT_EQ(shown, 2);
}

TEST(PrintfFifo, KeepsWhatWasPrintedLast) {
  PrintfFifo fifo(100);
  for (char each = 'a'; each <= 'z'; ++each) fifo.add(std::string(1, each), 10);
  EXPECT_EQ(fifo.lost(), 16u);
  EXPECT_EQ(fifo.take(), "qrstuvwxyz");
  EXPECT_EQ(fifo.lost(), 0u);
  fifo.add("too long for it", 101);
  EXPECT_EQ(fifo.lost(), 1u);
  EXPECT_EQ(fifo.take(), "");
}

TEST(PrintfFifo, HoldsNoMoreTextThanItsSizeAllows) {
  PrintfFifo fifo(1000);
  const std::string wide(4000, ' ');
  for (int i = 0; i < 10; ++i) fifo.add(wide, 24);
  EXPECT_EQ(fifo.lost(), 6u);
  EXPECT_EQ(fifo.take().size(), 4 * wide.size());
}

TEST(PrintfFifo, TakesOverWhatAnotherOneKept) {
  PrintfFifo first(100), second(30);
  first.add("one ", 10);
  for (const char* each : {"two ", "three ", "four ", "five"}) second.add(each, 10);
  first.add(std::move(second));
  EXPECT_EQ(first.lost(), 1u);
  EXPECT_EQ(first.take(), "one three four five");
}

std::size_t resident_pages(const std::byte* first, std::uint64_t bytes) {
  std::vector<unsigned char> states(bytes / kHostPage);
  EXPECT_EQ(mincore(const_cast<std::byte*>(first), bytes, states.data()), 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(states, [](unsigned char state) { return (state & 1) != 0; }));
}

// One page in four is used, and then all of them.
TEST(DenseFrames, TakeHugePagesWhereMostOfThemIsUsed) {
  constexpr std::uint64_t kBytes = std::uint64_t{512} << 20, kUsed = 64 << 20;
  DeviceMemory memory(std::uint64_t{1} << 40);
  const Allocation& large = memory.allocations().at(*memory.allocate(kBytes, "large"));
  for (std::uint64_t at = 0; at < kUsed; at += 4 * kHostPage) large.data[at] = std::byte{1};
  memory.settle_pages();
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string modes{std::istreambuf_iterator<char>(setting), {}};
  if (modes.find("[always]") == std::string::npos) {
    EXPECT_EQ(resident_pages(large.data, kBytes), kUsed / kHostPage / 4);
  }
  DenseFrames frames;
  frames.add(large.data, kBytes);
  for (std::uint64_t at = 0; at < kUsed; at += kHostPage) large.data[at] = std::byte{2};
  frames.settle_now();
  EXPECT_EQ(resident_pages(large.data, kBytes), kUsed / kHostPage);
  for (std::uint64_t at = 0; at < kUsed; at += kHostPage) ASSERT_EQ(large.data[at], std::byte{2});
}

using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(TouchedPages, AreAllThatIsVisited) {
  DeviceMemory memory(std::uint64_t{1} << 40);
  const std::uint64_t bytes = (std::uint64_t{100} << 30) + 100;
  const std::uint64_t address = *memory.allocate(bytes, "large");
  const Allocation& allocation = memory.allocations().at(address);
  const auto stretches = [&] {
    Stretches found;
    for_each_touched(allocation, [&](std::uint64_t offset, std::span<const std::byte> data) {
      found.emplace_back(offset, data.size());
      EXPECT_EQ(data.data(), allocation.data + offset);
    });
    return found;
  };
  EXPECT_TRUE(stretches().empty());
  const std::uint64_t middle = std::uint64_t{77} << 30;
  allocation.data[middle] = std::byte{1};
  allocation.data[bytes - 1] = std::byte{1};
  std::uint64_t seen = 0, last_end = 0;
  bool has_middle = false;
  for (const auto& [offset, size] : stretches()) {
    seen += size;
    last_end = offset + size;
    has_middle |= offset <= middle && middle < offset + size;
  }
  EXPECT_TRUE(has_middle);
  EXPECT_EQ(last_end, bytes);
  EXPECT_LE(seen, std::uint64_t{4} << 20);  // a huge page each, at most
}

}  // namespace
}  // namespace heddle::simulator
