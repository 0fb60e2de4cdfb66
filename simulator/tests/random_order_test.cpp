// What is drawn from a seed, and launches whose order is.
#include "simulator/execute/random_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint64_t seed) {
  const ShuffledNumbers numbers(count, seed);
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(numbers.at(i));
  return all;
}

TEST(RandomOrder, ShuffledNumbersAreAllNumbersOnce) {
  for (const std::uint64_t count : {1u, 2u, 3u, 7u, 64u, 65u, 1000u})
    for (const std::uint64_t seed : {0u, 1u, 2u}) {
      std::vector<std::uint64_t> all = shuffled(count, seed), counted(count);
      std::iota(counted.begin(), counted.end(), 0u);
      std::ranges::sort(all);
      EXPECT_EQ(all, counted) << count;
    }
}

TEST(RandomOrder, ShuffledNumbersDependOnTheSeed) {
  EXPECT_EQ(shuffled(100, 5), shuffled(100, 5));
  EXPECT_NE(shuffled(100, 5), shuffled(100, 6));
  EXPECT_FALSE(std::ranges::is_sorted(shuffled(100, 5)));
}

TEST(RandomOrder, LengthsAreWithinTheirBounds) {
  RandomOrder random(1);
  for (const std::uint64_t most : {1u, 2u, 5u, 16u, 32768u}) {
    std::uint64_t least = ~std::uint64_t{0}, longest = 0;
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t length = random.length(most);
      least = std::min(least, length);
      longest = std::max(longest, length);
    }
    EXPECT_EQ(least, 1u) << most;
    EXPECT_LE(longest, most);
    EXPECT_GT(longest, most - most / 4 - 1);
  }
}

class RandomSchedule : public testing::Test {
 protected:
  LaunchOutcome run(const char* file, const char* kernel, Dim3 grid, Dim3 block,
                    const LaunchSettings& settings) {
    Device device(gpu_model("h200"));
    Module module(compiled_kernels("simulator/tests/kernels/" + std::string(file)), file,
                  device.memory());
    const std::uint64_t data = *device.memory().allocate(1 << 20, "data"),
                        out = *device.memory().allocate(1 << 20, "out");
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = grid;
    request.block = block;
    request.parameters = parameters(data, out);
    LaunchOptions options;
    options.settings = settings;
    return device.launch(request, options);
  }
};

// A block reads a word until the next one has written it: here nobody does.
TEST_F(RandomSchedule, FindsDeadlocks) {
  LaunchSettings settings;
  settings.random_schedule = 1;
  const LaunchOutcome outcome =
      run("machine.sm_90.cubin", "wait_for_next_block", {1, 1, 1}, {32, 1, 1}, settings);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
}

// Blocks that wait for one another: the ones that are waited for begin too.
TEST_F(RandomSchedule, EndsWhereBlocksWaitForTheNextOnes) {
  LaunchSettings settings;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    settings.random_schedule = seed;
    const LaunchOutcome outcome =
        run("machine.sm_90.cubin", "wait_for_next_block", {40, 1, 1}, {32, 1, 1}, settings);
    EXPECT_FALSE(outcome.fault) << seed << " " << outcome.fault->message();
  }
}

TEST_F(RandomSchedule, IsRefusedOfATimedLaunch) {
  LaunchSettings settings;
  settings.random_schedule = 1;
  settings.timing.emplace();
  EXPECT_THROW(run("machine.sm_90.cubin", "wait_for_next_block", {1, 1, 1}, {32, 1, 1}, settings),
               std::invalid_argument);
}

}  // namespace
}  // namespace heddle::simulator
