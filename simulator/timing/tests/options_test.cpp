// What options of timing do to a launch: more or fewer SMs, caches that keep what was there.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint32_t kBlocks = 64, kThreads = 256;
constexpr std::uint64_t kBytes = std::uint64_t{kBlocks} * kThreads * 4;

// alu_loop and stream of benchmarks/kernels on one device, launch after launch.
class Machine {
 public:
  Result run(const char* kernel, const Options& timing) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    request.grid = {kBlocks, 1, 1};
    request.block = {kThreads, 1, 1};
    const bool stream = std::string_view(kernel) == "stream";
    std::vector<std::uint64_t> words{arrays_[0]};
    if (stream) words.insert(words.end(), {arrays_[1], arrays_[2]});
    words.push_back(stream ? kBytes / 4 : 20);
    request.parameters.resize(8 * words.size());
    std::memcpy(request.parameters.data(), words.data(), request.parameters.size());
    LaunchOptions options;
    options.settings.timing = timing;
    LaunchOutcome outcome = device_.launch(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    return *outcome.timing;
  }

 private:
  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/benchmarks/kernels/kernels.sm_90.cubin"),
                 "kernels.cubin", device_.memory()};
  const std::array<std::uint64_t, 3> arrays_{*device_.memory().allocate(kBytes, "a"),
                                             *device_.memory().allocate(kBytes, "b"),
                                             *device_.memory().allocate(kBytes, "c")};
};

Options on_sms(std::uint32_t sms) {
  Options options;
  options.sms = sms;
  return options;
}

// 64 blocks of arithmetic, 8 to an SM: what 2, 4 and 8 SMs take falls by nearly half each time, and
// beyond 64 there is nothing to gain.
TEST(TimingOptions, MoreSmsTakeLessTimeAsLongAsThereAreBlocksForThem) {
  Machine machine;
  std::uint64_t before = machine.run("alu_loop", on_sms(1)).elapsed;
  for (const std::uint32_t sms : {2u, 4u, 8u}) {
    const Result result = machine.run("alu_loop", on_sms(sms));
    EXPECT_EQ(result.sms, sms);
    EXPECT_LT(result.elapsed, before * 3 / 4) << sms;
    EXPECT_GE(2 * result.elapsed, before) << sms;
    before = result.elapsed;
  }
  // Nothing but when the code comes to their GPCs.
  const auto enough = static_cast<double>(machine.run("alu_loop", on_sms(64)).active_max);
  EXPECT_NEAR(static_cast<double>(machine.run("alu_loop", on_sms(132)).active_max), enough,
              enough / 40);
}

TEST(TimingOptions, WarmCachesKeepWhatTheLaunchBeforeRead) {
  Machine machine;
  Options warm;
  warm.cold_caches = false;
  const Result first = machine.run("stream", {}), cold = machine.run("stream", {});
  const Result kept = machine.run("stream", warm);
  EXPECT_EQ(cold.elapsed, first.elapsed);
  EXPECT_EQ(cold.traffic.dram_sectors_read, 2 * kBytes / 32);  // two arrays
  EXPECT_EQ(kept.traffic.dram_sectors_read, 0u);
  EXPECT_EQ(kept.traffic.l2_read.hits, kept.traffic.l2_read.sectors);
  EXPECT_LT(kept.elapsed, cold.elapsed);
}

// Of L2 and DRAM too, whatever a launch before had; one with the same constants finds what it left.
TEST(TimingOptions, ConstantsHoldForTheLaunchThatHasThem) {
  const Options slow = parse_options("caches=warm,latency_dram_extra=5000"),
                warm = parse_options("caches=warm");
  Machine machine, other;
  const std::uint64_t usual = machine.run("stream", warm).elapsed;
  const std::uint64_t first = machine.run("stream", slow).elapsed;
  EXPECT_GT(first, usual + 4000);
  EXPECT_EQ(first, other.run("stream", slow).elapsed);
  EXPECT_EQ(machine.run("stream", slow).traffic.dram_sectors_read, 0u);
  EXPECT_EQ(machine.run("stream", warm).elapsed, usual);
}

// What was worked out of code for a launch before does not hold with other constants.
TEST(TimingOptions, CodeIsTimedAsTheLaunchHasIt) {
  Machine machine;
  const std::uint64_t usual = machine.run("alu_loop", {}).elapsed;
  EXPECT_GT(machine.run("alu_loop", parse_options("latency_special_register=1000")).elapsed,
            usual + 500);
  EXPECT_EQ(machine.run("alu_loop", {}).elapsed, usual);
}

}  // namespace
}  // namespace heddle::simulator::timing
