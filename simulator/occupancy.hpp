// How many blocks of a kernel fit on one SM, and what limits them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/gpu_model.hpp"

namespace heddle::simulator {

struct KernelResources {
  std::uint32_t threads_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes_per_block = 0;  // static and dynamic, without the system's own
  std::uint32_t barriers = 1;                // NUM_BARRIERS of the kernel
};

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  double fraction = 0;  // of the model's maximum warps
  // "blocks", "warps", "registers", "shared memory", "barriers": all that allow no block more.
  std::vector<std::string> limited_by;
  std::uint32_t blocks_by_warps = 0, blocks_by_registers = 0, blocks_by_shared = 0,
                blocks_by_barriers = 0, blocks_by_limit = 0;
};

// No block fits (blocks_per_sm 0) where the block exceeds a limit of the GPU by itself.
Occupancy occupancy(const GpuModel& model, const KernelResources& kernel);

// How many times the GPU is filled by a grid: blocks over what fits on all SMs at once.
double waves(const GpuModel& model, const Occupancy& occupancy, std::uint64_t blocks);

}  // namespace heddle::simulator
