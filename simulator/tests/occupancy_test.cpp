#include "simulator/models/occupancy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HEDDLE_HAVE_CUDA_OCCUPANCY 1
#endif

namespace heddle::simulator {
namespace {

using ::testing::ElementsAre;

TEST(Occupancy, IsLimitedByWarpsWhenTheBlockIsLarge) {
  const Occupancy result =
      occupancy(gpu_model("h200"), {.threads_per_block = 1024, .registers_per_thread = 32});
  EXPECT_EQ(result.blocks_per_sm, 2u);
  EXPECT_EQ(result.fraction, 1.0);
  EXPECT_THAT(result.limited_by, ElementsAre("warps", "registers"));
}

TEST(Occupancy, IsLimitedByBlocksWhenTheBlockIsSmall) {
  const Occupancy result =
      occupancy(gpu_model("t4"), {.threads_per_block = 32, .registers_per_thread = 16});
  EXPECT_EQ(result.blocks_per_sm, 16u);
  EXPECT_EQ(result.fraction, 0.5);
  EXPECT_THAT(result.limited_by, ElementsAre("blocks"));
}

// 33 registers are rounded to 40 a thread (1,280 a warp): 12 warps in a sub-core's 16,384.
TEST(Occupancy, RoundsRegistersUpPerWarpAndPerSubCore) {
  const Occupancy result =
      occupancy(gpu_model("h200"), {.threads_per_block = 128, .registers_per_thread = 33});
  EXPECT_EQ(result.blocks_per_sm, 12u);
  EXPECT_THAT(result.limited_by, ElementsAre("registers"));
}

TEST(Occupancy, CountsTheSharedMemoryTheSystemKeepsInEachBlock) {
  const KernelResources kernel{.threads_per_block = 64, .shared_bytes_per_block = 100 * 1024};
  EXPECT_EQ(occupancy(gpu_model("h200"), kernel).blocks_per_sm, 2u);
  EXPECT_THAT(occupancy(gpu_model("h200"), kernel).limited_by, ElementsAre("shared memory"));
  // Without the kilobyte two blocks of 114 KB would fill 228 KB exactly.
  EXPECT_EQ(
      occupancy(gpu_model("h200"), {.threads_per_block = 64, .shared_bytes_per_block = 114 * 1024})
          .blocks_per_sm,
      1u);
}

TEST(Occupancy, IsNothingWhenTheBlockCannotRun) {
  EXPECT_EQ(occupancy(gpu_model("h200"), {.threads_per_block = 1025}).blocks_per_sm, 0u);
  EXPECT_EQ(occupancy(gpu_model("h200"), {.threads_per_block = 1024, .registers_per_thread = 72})
                .blocks_per_sm,
            0u);
  EXPECT_EQ(occupancy(gpu_model("t4"), {.threads_per_block = 32, .shared_bytes_per_block = 65537})
                .blocks_per_sm,
            0u);
}

// What an H200 answered (validation/records/h200/micro/carveouts.txt).
TEST(Occupancy, FollowsThePreferredCarveout) {
  struct Case {
    std::uint32_t own_kib;
    std::optional<std::uint8_t> percent;
    std::uint32_t blocks, shared_kib;
  };
  constexpr std::uint32_t kKib = 1024;
  const GpuModel& h200 = gpu_model("h200");
  for (const Case& each :
       {Case{0, {}, 32, 32}, {0, 0, 32, 32},   {0, 25, 32, 64},  {0, 100, 32, 228},
        {1, {}, 32, 64},     {1, 0, 4, 8},     {1, 5, 16, 32},   {1, 12, 32, 64},
        {1, 25, 32, 132},    {1, 40, 32, 196}, {3, 5, 4, 16},    {3, 25, 25, 100},
        {3, 50, 32, 164},    {7, {}, 28, 228}, {7, 5, 2, 16},    {7, 25, 8, 64},
        {7, 40, 16, 132},    {20, 12, 1, 32},  {20, 50, 6, 132}, {48, 0, 1, 64},
        {48, 50, 2, 132},    {48, 75, 4, 196}}) {
    const KernelResources kernel{.threads_per_block = 32,
                                 .registers_per_thread = 16,
                                 .shared_bytes_per_block = each.own_kib * kKib,
                                 .preferred_carveout = each.percent};
    const std::string what =
        fmt::format("{} KiB, {} %", each.own_kib, each.percent ? int{*each.percent} : -1);
    EXPECT_EQ(occupancy(h200, kernel).blocks_per_sm, each.blocks) << what;
    EXPECT_EQ(shared_bytes_beside_l1(h200, kernel), each.shared_kib * kKib) << what;
  }
}

TEST(Waves, AreGridOverWhatFits) {
  const Occupancy full = occupancy(gpu_model("h200"), {.threads_per_block = 1024});
  EXPECT_DOUBLE_EQ(waves(gpu_model("h200"), full, 264), 1.0);
  EXPECT_DOUBLE_EQ(waves(gpu_model("h200"), full, 66), 0.25);
}

// A GPU model and the capability of its architecture say the same.
TEST(ComputeCapabilities, AgreeWithTheModels) {
  for (const std::string& id : model_ids()) {
    if (gpu_model(id).sketches_only()) continue;  // limits_of gives the capability itself
    const unsigned arch = isa::sm_number(gpu_model(id).arch);
    const SmLimits* sm = find_compute_capability(fmt::format("{}.{}", arch / 10, arch % 10));
    ASSERT_NE(sm, nullptr);
    for (const KernelResources& kernel :
         {KernelResources{256, 32, 0}, KernelResources{96, 100, 10000},
          KernelResources{1024, 64, 0, 3}})
      EXPECT_EQ(occupancy(*sm, kernel).blocks_per_sm,
                occupancy(gpu_model(id), kernel).blocks_per_sm)
          << id;
  }
  EXPECT_EQ(find_compute_capability("4.0"), nullptr);
}

// 1.x: 8,192 registers; a block of 256 threads with 10 takes 2,560, given out in units of 256.
TEST(ComputeCapabilities, OfTheFirstGenerationGiveRegistersToWholeBlocks) {
  const SmLimits& sm = *find_compute_capability("1.0");
  EXPECT_EQ(occupancy(sm, {256, 10, 0}).blocks_per_sm, 3u);
  EXPECT_EQ(occupancy(sm, {256, 10, 0}).fraction, 1.0);
  EXPECT_EQ(occupancy(sm, {256, 11, 0}).blocks_per_sm, 2u);
  // Three warps count as four.
  EXPECT_EQ(occupancy(sm, {96, 20, 0}).blocks_per_sm, 3u);
  EXPECT_EQ(occupancy(sm, {64, 1, 4096}).blocks_per_sm, 4u);
  EXPECT_EQ(occupancy(sm, {64, 125, 0}).blocks_per_sm, 0u);
}

#ifdef HEDDLE_HAVE_CUDA_OCCUPANCY
int vendor_blocks(const SmLimits& sm, int major, int minor, const KernelResources& kernel) {
  cudaOccDeviceProp properties;
  properties.computeMajor = major;
  properties.computeMinor = minor;
  properties.maxThreadsPerBlock = static_cast<int>(sm.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(sm.max_warps * 32);
  properties.regsPerBlock = static_cast<int>(sm.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(sm.registers);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = std::min(48u * 1024u, sm.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = sm.shared_bytes;
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = sm.shared_bytes_per_block;
  properties.reservedSharedMemPerBlock = sm.shared_bytes_reserved;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(kernel.registers_per_thread);
  attributes.sharedSizeBytes = 0;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = sm.shared_bytes_per_block;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.numBlockBarriers = static_cast<int>(kernel.barriers);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(kernel.threads_per_block),
      kernel.shared_bytes_per_block);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

// Every `step`-th of a grid of inputs.
int compare_with_vendor(const SmLimits& sm, int major, int minor, std::uint32_t step) {
  int compared = 0;
  for (std::uint32_t threads = 1; threads <= 1024; threads += step * (threads < 64 ? 9 : 31))
    for (std::uint32_t registers = 1; registers <= sm.registers_per_thread; registers += step * 7)
      for (std::uint32_t shared = 0; shared <= sm.shared_bytes_per_block; shared += step * 7919)
        for (std::uint32_t barriers : {1u, 3u, 16u}) {
          const KernelResources kernel{threads, registers, shared, barriers};
          EXPECT_EQ(static_cast<int>(occupancy(sm, kernel).blocks_per_sm),
                    vendor_blocks(sm, major, minor, kernel))
              << sm.name << ": " << threads << " threads, " << registers << " registers, " << shared
              << " bytes, " << barriers << " barriers";
          if (testing::Test::HasFailure()) return compared;
          ++compared;
        }
  return compared;
}

TEST(Occupancy, EqualsTheToolkitsCalculatorOverAGrid) {
  int compared = 0;
  for (const std::string& id : model_ids()) {
    if (gpu_model(id).sketches_only()) continue;
    const unsigned arch = isa::sm_number(gpu_model(id).arch);
    compared += compare_with_vendor(limits_of(gpu_model(id)), static_cast<int>(arch / 10),
                                    static_cast<int>(arch % 10), 1);
  }
  EXPECT_GT(compared, 100000);
}

TEST(Occupancy, EqualsTheToolkitsCalculatorForEveryCapabilityItKnows) {
  int compared = 0;
  for (const SmLimits& sm : compute_capabilities()) {
    const std::size_t dot = sm.name.find('.');
    const int major = std::stoi(std::string(sm.name.substr(0, dot)));
    if (major < 3) continue;  // it no longer knows them
    compared += compare_with_vendor(sm, major, std::stoi(std::string(sm.name.substr(dot + 1))), 2);
  }
  EXPECT_GT(compared, 100000);
}
#endif

}  // namespace
}  // namespace heddle::simulator
