// gpu/kernels/races: three kernels that race. What is said of them, and how the order of warps
// decides what they leave in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;
using Words = std::vector<std::uint32_t>;

// As the program has them.
constexpr std::uint32_t kThreads = 256, kBlocks = 16, kParticles = kThreads * kBlocks;

class Races : public testing::Test {
 protected:
  // What is in memory then.
  Words run(const char* kernel, const LaunchSettings& settings = {}) {
    Device device(gpu_model("h200"));
    Module module(compiled_kernels("simulator/checks/tests/kernels/" + file), "races.cubin",
                  device.memory());
    const std::uint64_t in = *device.memory().allocate(kBytes, "in"),
                        out = *device.memory().allocate(kBytes, "out");
    Words words(kBytes / 4);
    const bool walks = std::string(kernel) == "walk_growing_weights";
    const bool in_place = std::string(kernel) == "shift_in_place";
    for (std::uint32_t i = 0; !walks && i < words.size(); ++i) words[i] = in_place ? 2 * i : i;
    std::memcpy(device.memory().view(in, kBytes), words.data(), kBytes);
    device.memory().host_wrote(in, kBytes);
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = {kBlocks, 1, 1};
    request.block = {kThreads, 1, 1};
    request.parameters = parameters(in, out);
    checks::Checks checks(settings.checks, device.memory());
    LaunchOptions options;
    options.settings = settings;
    if (settings.checks.races) options.checks = &checks;
    outcome = device.launch(request, options);
    EXPECT_FALSE(outcome.fault);
    std::memcpy(words.data(), device.memory().view(in_place ? in : out, kBytes), kBytes);
    return words;
  }
  void expect_found_when_looked_for(const char* kernel, const char* kind) {
    run(kernel);
    EXPECT_TRUE(outcome.launch_class.determined());
    EXPECT_EQ(outcome.launch_class.races, LaunchClass::Races::not_checked);
    EXPECT_TRUE(outcome.findings.empty());
    LaunchSettings settings;
    settings.checks.races = true;
    run(kernel, settings);
    EXPECT_FALSE(outcome.launch_class.determined());
    EXPECT_EQ(outcome.launch_class.races, LaunchClass::Races::found);
    EXPECT_THAT(outcome.launch_class.order_dependent_because, Contains("data race"));
    std::set<std::string> kinds;
    for (const checks::Finding& finding : outcome.findings) kinds.insert(finding.kind);
    EXPECT_THAT(kinds, Contains(kind));
  }
  // Of a random order, one for each of ten seeds.
  std::set<Words> under_ten_seeds(const char* kernel) {
    std::set<Words> all;
    LaunchSettings settings;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      settings.random_schedule = seed;
      all.insert(run(kernel, settings));
      EXPECT_EQ(outcome.random_schedule, seed);
    }
    return all;
  }

  static constexpr std::uint64_t kBytes = (kParticles + kBlocks) * 4;
  std::string file = "races.sm_90.cubin";
  LaunchOutcome outcome;
};

Words right_sums() {
  Words sums(kParticles + kBlocks);
  for (std::uint32_t block = 0; block < kBlocks; ++block)
    sums[block] = kThreads * (2 * block * kThreads + kThreads - 1) / 2;
  return sums;
}

Words shifted() {
  Words values(kParticles + kBlocks);
  for (std::uint32_t i = 0; i < values.size(); ++i)
    values[i] = i % (kThreads + 1) == 0 ? 2 * i : 2 * i - 1;
  return values;
}

TEST_F(Races, OfBlocksAreFoundWhenLookedFor) {
  expect_found_when_looked_for("walk_growing_weights", "read_after_write");
}

TEST_F(Races, OfWarpsInSharedMemoryAreFoundWhenLookedFor) {
  expect_found_when_looked_for("sum_without_barriers", "read_after_write");
}

TEST_F(Races, OfWarpsInGlobalMemoryAreFoundWhenLookedFor) {
  expect_found_when_looked_for("shift_in_place", "write_after_read");
}

// As on a GPU, where the warps of a block advance side by side.
TEST_F(Races, OfWarpsEndRightInTheUsualOrder) {
  for (const bool checked : {false, true}) {
    LaunchSettings settings;
    settings.checks.races = checked;
    EXPECT_EQ(run("sum_without_barriers", settings), right_sums());
    EXPECT_EQ(run("shift_in_place", settings), shifted());
  }
}

// There they access shared memory by generic addresses.
TEST_F(Races, OfWarpsEndRightInCodeForDebugging) {
  file = "races_g.sm_90.cubin";
  EXPECT_EQ(run("sum_without_barriers"), right_sums());
  EXPECT_EQ(run("shift_in_place"), shifted());
}

TEST_F(Races, ShowUnderARandomOrder) {
  EXPECT_THAT(under_ten_seeds("walk_growing_weights"), SizeIs(testing::Gt(5u)));
  EXPECT_THAT(under_ten_seeds("sum_without_barriers"), SizeIs(testing::Gt(5u)));
  EXPECT_THAT(under_ten_seeds("shift_in_place"), SizeIs(testing::Gt(5u)));
}

TEST_F(Races, AreTheSameUnderOneSeedWhateverTheThreads) {
  for (const char* kernel : {"walk_growing_weights", "sum_without_barriers", "shift_in_place"}) {
    LaunchSettings settings;
    settings.random_schedule = 3;
    const Words one = run(kernel, settings);
    settings.threads = 2;
    settings.threads_after = 0;
    EXPECT_EQ(run(kernel, settings), one);
    EXPECT_EQ(outcome.threads_note, "its order is drawn at random");
  }
}

}  // namespace
}  // namespace heddle::simulator
