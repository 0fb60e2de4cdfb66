// How many blocks of a kernel fit on one SM, and what limits them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {

// What one SM gives out, and in which units.
struct SmLimits {
  std::string_view name;  // "8.6", a compute capability; or the id of a GPU model
  std::uint32_t max_threads_per_block = 0, max_warps = 0, max_blocks = 0;
  std::uint32_t barriers = 0;  // in the SM's pool; 0: no limit
  std::uint32_t registers = 0, registers_per_block = 0, registers_per_thread = 255;
  std::uint32_t register_unit = 0;     // of what a warp (or a block) gets
  bool registers_by_block = false;     // 1.x
  std::uint32_t warp_granularity = 0;  // sub-cores that registers are divided among
  // 6.0 runs no block that 6.1, with more sub-cores, could not run (cuda_occupancy.h); 0: as above.
  std::uint32_t warp_granularity_to_fit = 0;
  std::uint32_t shared_bytes = 0, shared_bytes_per_block = 0;
  std::uint32_t shared_bytes_reserved = 0;  // of each block, for the system
  std::uint32_t shared_unit = 0;
};

SmLimits limits_of(const GpuModel& model);
// 1.0 to 12.1, in ascending order.
std::span<const SmLimits> compute_capabilities();
const SmLimits* find_compute_capability(std::string_view name);  // null: there is none

struct KernelResources {
  std::uint32_t threads_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes_per_block = 0;  // static and dynamic, without the system's own
  std::uint32_t barriers = 1;                // NUM_BARRIERS of the kernel
  // Of the most shared memory of an SM, in percent
  // (cudaFuncAttributePreferredSharedMemoryCarveout).
  std::optional<std::uint8_t> preferred_carveout = {};
};

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  double fraction = 0;  // of the most warps
  // "blocks", "warps", "registers", "shared memory", "barriers": all that allow no block more; or
  // "threads per block", "registers per thread" where no block can run.
  std::vector<std::string> limited_by;
  std::uint32_t blocks_by_warps = 0, blocks_by_registers = 0, blocks_by_shared = 0,
                blocks_by_barriers = 0, blocks_by_limit = 0;
};

// No block fits (blocks_per_sm 0) where the block exceeds a limit of the SM by itself.
Occupancy occupancy(const SmLimits& sm, const KernelResources& kernel);
// What a block has of a GPU's shared memory that asks for this much, with the system's own.
std::uint32_t shared_bytes_allocated(const GpuModel& model, std::uint32_t asked);
// Of a GPU whose shared memory takes part of what is L1 otherwise, and is divided as the kernel
// prefers.
Occupancy occupancy(const GpuModel& model, const KernelResources& kernel);
// What shared memory gets of that memory, in bytes, while as many blocks of the kernel are on an SM
// as fit.
std::uint32_t shared_bytes_beside_l1(const GpuModel& model, const KernelResources& kernel);

// How many times the GPU is filled by a grid: blocks over what fits on all SMs at once.
double waves(const GpuModel& model, const Occupancy& occupancy, std::uint64_t blocks);

}  // namespace heddle::simulator
