#include "simulator/models/occupancy.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "isa/arch.hpp"
#include "simulator/base/types.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// What a resource allows that the kernel does not use.
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

// Registers are given out per warp, in each sub-core's own file: what is left over in one sub-core
// does not help a warp of another. A block must also fit with its warps rounded up to whole rows
// of sub-cores (cuda_occupancy.h). Compute capability 1.x gives them to a block as a whole.
std::uint64_t blocks_by_registers(const SmLimits& sm, std::uint32_t registers_per_thread,
                                  std::uint32_t warps, std::uint32_t sub_cores) {
  const std::uint64_t even_warps = round_up(warps, sub_cores);
  const std::uint64_t of_a_warp = std::uint64_t{registers_per_thread} * kWarpSize;
  if (sm.registers_by_block)
    return sm.registers / round_up(even_warps * of_a_warp, sm.register_unit);
  const std::uint64_t per_warp = round_up(of_a_warp, sm.register_unit);
  if (per_warp * even_warps > sm.registers_per_block) return 0;
  return sm.registers / sub_cores / per_warp * sub_cores / warps;
}

std::uint64_t blocks_by_registers(const SmLimits& sm, const KernelResources& kernel,
                                  std::uint32_t warps) {
  const std::uint32_t registers = kernel.registers_per_thread;
  if (registers == 0) return kUnlimited;
  if (sm.warp_granularity_to_fit != 0 &&
      blocks_by_registers(sm, registers, warps, sm.warp_granularity_to_fit) == 0)
    return 0;
  return blocks_by_registers(sm, registers, warps, sm.warp_granularity);
}

std::uint64_t blocks_by_shared(const SmLimits& sm, const KernelResources& kernel) {
  if (kernel.shared_bytes_per_block > sm.shared_bytes_per_block) return 0;
  const std::uint64_t bytes = round_up(
      std::uint64_t{kernel.shared_bytes_per_block} + sm.shared_bytes_reserved, sm.shared_unit);
  return bytes == 0 ? kUnlimited : sm.shared_bytes / bytes;
}

std::uint64_t blocks_by_barriers(const SmLimits& sm, const KernelResources& kernel) {
  if (sm.barriers == 0 || kernel.barriers == 0) return kUnlimited;
  return sm.barriers / kernel.barriers;
}

}  // namespace

SmLimits limits_of(const GpuModel& model) {
  if (model.sketches_only()) {
    SmLimits limits = *find_compute_capability(model.capability);
    limits.name = model.id;
    return limits;
  }
  return {.name = model.id,
          .max_threads_per_block = model.max_threads_per_block,
          .max_warps = model.max_warps_per_sm,
          .max_blocks = model.max_blocks_per_sm,
          .barriers = model.barriers_per_sm,
          .registers = model.registers_per_sm,
          .registers_per_block = model.registers_per_block,
          .register_unit = model.register_allocation_unit,
          .warp_granularity = model.warp_allocation_granularity,
          .shared_bytes = model.shared_bytes_per_sm,
          .shared_bytes_per_block = model.shared_bytes_per_block_optin,
          .shared_bytes_reserved = model.shared_bytes_reserved,
          .shared_unit = model.shared_allocation_unit};
}

Occupancy occupancy(const SmLimits& sm, const KernelResources& kernel) {
  Occupancy result;
  if (kernel.threads_per_block == 0 || kernel.threads_per_block > sm.max_threads_per_block) {
    result.limited_by = {"threads per block"};
    return result;
  }
  if (kernel.registers_per_thread > sm.registers_per_thread) {
    result.limited_by = {"registers per thread"};
    return result;
  }
  const std::uint32_t warps = (kernel.threads_per_block + kWarpSize - 1) / kWarpSize;
  result.blocks_by_limit = sm.max_blocks;
  result.blocks_by_warps = sm.max_warps / warps;
  result.blocks_by_registers = static_cast<std::uint32_t>(blocks_by_registers(sm, kernel, warps));
  result.blocks_by_shared = static_cast<std::uint32_t>(blocks_by_shared(sm, kernel));
  result.blocks_by_barriers = static_cast<std::uint32_t>(blocks_by_barriers(sm, kernel));
  const std::pair<std::uint32_t, const char*> limits[] = {
      {result.blocks_by_limit, "blocks"},
      {result.blocks_by_warps, "warps"},
      {result.blocks_by_registers, "registers"},
      {result.blocks_by_shared, "shared memory"},
      {result.blocks_by_barriers, "barriers"}};
  result.blocks_per_sm = std::min_element(std::begin(limits), std::end(limits))->first;
  for (const auto& [blocks, what] : limits)
    if (blocks == result.blocks_per_sm) result.limited_by.emplace_back(what);
  result.warps_per_sm = result.blocks_per_sm * warps;
  result.fraction = static_cast<double>(result.warps_per_sm) / sm.max_warps;
  return result;
}

namespace {

constexpr std::uint32_t kKilo = 1024;

// The smallest of the sizes that holds so much.
std::uint32_t size_for(const GpuModel& model, std::uint64_t bytes) {
  const std::span<const std::uint16_t> sizes = isa::traits(model.arch).shared_kib;
  const auto size = std::find_if(sizes.begin(), sizes.end(), [bytes](std::uint16_t kib) {
    return std::uint64_t{kib} * kKilo >= bytes;
  });
  return (size == sizes.end() ? sizes.back() : *size) * kKilo;
}

// A preference counts the blocks that fit into it without what the system reserves of each
// (measured: blocks.* and lines.* of gpu/kernels/micro/timing/carveouts.cu). One block always fits.
std::uint32_t preferred_bytes(const GpuModel& model, const KernelResources& kernel) {
  constexpr unsigned kPercent = 100;
  const std::uint64_t wanted =
      std::uint64_t{model.shared_bytes_per_sm} * kernel.preferred_carveout.value_or(0) / kPercent;
  const std::uint64_t own = kernel.shared_bytes_per_block,
                      whole = own + model.shared_bytes_reserved;
  const std::uint64_t blocks = own == 0 ? 0 : std::max<std::uint64_t>(1, wanted / own);
  return size_for(model, std::max(wanted, blocks * whole));
}

}  // namespace

// Kernels without shared memory of their own are not limited by it (blocks.shared0.*).
Occupancy occupancy(const GpuModel& model, const KernelResources& kernel) {
  SmLimits limits = limits_of(model);
  if (kernel.preferred_carveout && kernel.shared_bytes_per_block != 0 && !model.sketches_only() &&
      isa::traits(model.arch).occupancy_follows_carveout)
    limits.shared_bytes = std::min(limits.shared_bytes, preferred_bytes(model, kernel));
  return occupancy(limits, kernel);
}

std::uint32_t shared_bytes_allocated(const GpuModel& model, std::uint32_t asked) {
  return static_cast<std::uint32_t>(round_up(asked, model.shared_allocation_unit));
}

std::uint32_t shared_bytes_beside_l1(const GpuModel& model, const KernelResources& kernel) {
  const std::uint64_t block =
      std::uint64_t{kernel.shared_bytes_per_block} + model.shared_bytes_reserved;
  const std::uint32_t needed = size_for(model, block * occupancy(model, kernel).blocks_per_sm);
  return kernel.preferred_carveout ? std::max(needed, preferred_bytes(model, kernel)) : needed;
}

double waves(const GpuModel& model, const Occupancy& occupancy, std::uint64_t blocks) {
  const double at_once = static_cast<double>(occupancy.blocks_per_sm) * model.sms;
  return at_once == 0 ? 0 : static_cast<double>(blocks) / at_once;
}

}  // namespace heddle::simulator
