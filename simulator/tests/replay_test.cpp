// Forward and back through launches of simulator/tests/kernels/machine.cu.
#include "simulator/device/replay.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

// What executed, in order.
struct Event {
  std::uint64_t block;
  std::uint32_t warp, pc;
  Mask active, on;
  friend bool operator==(const Event&, const Event&) = default;
};

class EventList : public Observer {
 public:
  void issued(const CoreView&, const WarpView& warp, const Issue& issue) override {
    events.push_back({warp.block().linear(), warp.index(), issue.pc, issue.active, issue.on});
  }
  std::vector<Event> events;
};

// A device on which one launch can be made ready, the same each time.
struct Machine {
  std::uint64_t zeros(std::uint64_t bytes) { return *device.memory().allocate(bytes, "zeros"); }

  template <typename... Arguments>
  LaunchRequest request(const char* kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    LaunchRequest result;
    result.module = &module;
    result.kernel = module.cubin().find_kernel(kernel);
    result.grid = grid;
    result.block = block;
    result.parameters = parameters(arguments...);
    return result;
  }

  Device device{gpu_model("h200")};
  Module module{machine_kernels(), "machine.cubin", device.memory()};
};

struct Case {
  const char* name;
  LaunchRequest (*make)(Machine&);
};

const Case kCases[] = {
    {"locks",
     [](Machine& m) {
       return m.request("spin_lock", {4, 1, 1}, {64, 1, 1}, m.zeros(4), m.zeros(4));
     }},
    {"blocks_that_wait",  // for longer than a block's turn
     [](Machine& m) {
       return m.request("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, m.zeros(4), m.zeros(128));
     }},
    {"barriers",
     [](Machine& m) {
       return m.request("barrier_on_both_sides", {3, 1, 1}, {64, 1, 1}, m.zeros(256));
     }},
    {"exits",
     [](Machine& m) {
       return m.request("exit_before_barrier", {2, 1, 1}, {96, 1, 1}, m.zeros(400));
     }},
    {"recursion",  // local memory
     [](Machine& m) {
       return m.request("recursion", {2, 1, 1}, {64, 1, 1}, m.zeros(256));
     }},
    {"atomics",
     [](Machine& m) {
       return m.request("integer_atomics", {4, 1, 1}, {64, 1, 1}, m.zeros(4096));
     }},
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class ReplayOf : public testing::TestWithParam<Case> {
 protected:
  Machine machine_;
  LaunchRequest request_ = GetParam().make(machine_);
};

INSTANTIATE_TEST_SUITE_P(Kernels, ReplayOf, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(ReplayOf, ExecutesInTheOrderOfALaunch) {
  EventList launched;
  {
    Machine other;
    const LaunchRequest request = GetParam().make(other);
    LaunchOptions options;
    options.observer = &launched;
    ASSERT_FALSE(other.device.launch(request, options).fault);
  }
  EventList replayed;
  Replay replay(machine_.device, request_);
  while (replay.forward(&replayed)) {
  }
  EXPECT_FALSE(replay.fault()) << replay.fault()->message();
  EXPECT_EQ(replayed.events.size(), replay.step());
  EXPECT_TRUE(replayed.events == launched.events);
}

TEST_P(ReplayOf, IsTheSameAfterGoingBack) {
  // Few enough states that most ways back lead over several, and limited so that they thin out.
  Replay replay(machine_.device, request_, {.interval = 64, .memory_limit = 100'000});
  std::vector<std::uint64_t> digests{replay.digest()};
  constexpr std::uint64_t kMost = 6000;
  while (replay.step() < kMost && replay.forward()) digests.push_back(replay.digest());
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t to = random() % digests.size();
    replay.go_to(to);
    EXPECT_EQ(replay.step(), to);
    ASSERT_EQ(replay.digest(), digests[to]) << to;
  }
  replay.go_to(digests.size() - 1);
  EXPECT_EQ(replay.digest(), digests.back());
  replay.go_to(0);
  EXPECT_EQ(replay.digest(), digests.front());
}

TEST(Replay, IsTheSameWhateverItsMemoryHeldBefore) {
  const auto digests = [] {
    constexpr std::size_t kMost = 500;
    Machine machine;
    Replay replay(machine.device, kCases[0].make(machine));
    std::vector<std::uint64_t> found{replay.digest()};
    while (found.size() < kMost && replay.forward()) found.push_back(replay.digest());
    return found;
  };
  const std::vector<std::uint64_t> before = digests();
  constexpr std::size_t kBytes = 12 << 20;
  void* const piece = take_from_big_pages(kBytes, Fresh::anything);
  std::memset(piece, 0xff, kBytes);
  give_back_to_big_pages(piece);
  EXPECT_EQ(digests(), before);
}

TEST(Replay, GoesBackToWhatSomebodyLooksFor) {
  Machine machine;
  Replay replay(machine.device, kCases[0].make(machine), {.interval = 50});
  EventList all;
  while (replay.forward(&all)) {
  }
  const std::uint64_t digest = replay.digest();
  for (const std::uint32_t warp : {0u, 1u}) {
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < all.events.size(); ++i)
      if (all.events[i].block == 1 && all.events[i].warp == warp) last = i;
    EventList look;
    EXPECT_TRUE(replay.back_to(
        look, [&] { return look.events.back().block == 1 && look.events.back().warp == warp; }));
    EXPECT_EQ(replay.step(), last);
    ASSERT_TRUE(replay.next());
    EXPECT_EQ(replay.next()->index(), warp);
    replay.go_to(all.events.size());
  }
  EventList look;
  EXPECT_FALSE(replay.back_to(look, [] { return false; }));
  EXPECT_EQ(look.events.size(), all.events.size());
  EXPECT_EQ(replay.digest(), digest);
}

TEST(Replay, EndsAtAFaultAndGoesBackFromIt) {
  Machine machine;
  Replay replay(machine.device, machine.request("spin_lock", {1, 1, 1}, {32, 1, 1}, 0ull, 0ull));
  const std::uint64_t before = replay.digest();
  while (replay.forward()) {
  }
  ASSERT_TRUE(replay.fault());
  EXPECT_EQ(replay.fault()->kind, Fault::Kind::illegal_address);
  const std::uint64_t steps = replay.step();
  replay.go_to(0);
  EXPECT_FALSE(replay.fault());
  EXPECT_EQ(replay.digest(), before);
  replay.go_to(steps + 100);
  EXPECT_EQ(replay.step(), steps);
  EXPECT_TRUE(replay.fault());
}

TEST(Replay, TellsOfALimit) {
  Machine machine;
  Replay replay(machine.device, kCases[1].make(machine), {.settings = {.max_instructions = 1000}});
  replay.go_to(~0ull);
  EXPECT_EQ(replay.step(), 1000u);
  ASSERT_TRUE(replay.fault());
  EXPECT_EQ(replay.fault()->kind, Fault::Kind::instruction_limit);
}

TEST(Replay, KeepsToItsMemory) {
  Machine machine;
  constexpr std::uint64_t kLimit = 200'000;
  Replay replay(machine.device, kCases[4].make(machine), {.interval = 16, .memory_limit = kLimit});
  std::uint64_t most = 0;
  while (replay.forward()) most = std::max(most, replay.kept_bytes());
  EXPECT_GT(replay.interval(), 16u);
  // The two states that are always there, and what has been written since the last.
  EXPECT_LT(most, 2 * kLimit);
}

}  // namespace
}  // namespace heddle::simulator
