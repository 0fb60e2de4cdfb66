#include "simulator/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Waves, AreGridOverWhatFits) {
  const Occupancy full = occupancy(gpu_model("h200"), {.threads_per_block = 1024});
  EXPECT_DOUBLE_EQ(waves(gpu_model("h200"), full, 264), 1.0);
  EXPECT_DOUBLE_EQ(waves(gpu_model("h200"), full, 66), 0.25);
}

#ifdef HEDDLE_HAVE_CUDA_OCCUPANCY
int vendor_blocks(const GpuModel& model, const KernelResources& kernel) {
  cudaOccDeviceProp properties;
  properties.computeMajor = isa::sm_number(model.arch) / 10;
  properties.computeMinor = isa::sm_number(model.arch) % 10;
  properties.maxThreadsPerBlock = static_cast<int>(model.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(model.max_threads_per_sm);
  properties.regsPerBlock = static_cast<int>(model.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(model.registers_per_sm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = model.shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = model.shared_bytes_per_sm;
  properties.numSms = static_cast<int>(model.sms);
  properties.sharedMemPerBlockOptin = model.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = model.shared_bytes_reserved;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(kernel.registers_per_thread);
  attributes.sharedSizeBytes = 0;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = model.shared_bytes_per_block_optin;
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

TEST(Occupancy, EqualsTheToolkitsCalculatorOverAGrid) {
  int compared = 0;
  for (const std::string& id : model_ids()) {
    const GpuModel& model = gpu_model(id);
    for (std::uint32_t threads = 1; threads <= 1024; threads += threads < 64 ? 9 : 31)
      for (std::uint32_t registers = 1; registers <= 255; registers += 7)
        for (std::uint32_t shared = 0; shared <= model.shared_bytes_per_block_optin; shared += 7919)
          for (std::uint32_t barriers : {1u, 3u, 16u}) {
            const KernelResources kernel{threads, registers, shared, barriers};
            ASSERT_EQ(static_cast<int>(occupancy(model, kernel).blocks_per_sm),
                      vendor_blocks(model, kernel))
                << id << ": " << threads << " threads, " << registers << " registers, " << shared
                << " bytes, " << barriers << " barriers";
            ++compared;
          }
  }
  EXPECT_GT(compared, 100000);
}
#endif

}  // namespace
}  // namespace heddle::simulator
