#include "simulator/occupancy.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "simulator/types.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// What a resource allows that the kernel does not use.
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

// Registers are given out per warp, in each sub-core's own file: what is left over in one sub-core
// does not help a warp of another. A block must also fit with its warps rounded up to whole rows
// of sub-cores (cuda_occupancy.h).
std::uint64_t blocks_by_registers(const GpuModel& model, const KernelResources& kernel,
                                  std::uint32_t warps) {
  const std::uint64_t per_warp = round_up(std::uint64_t{kernel.registers_per_thread} * kWarpSize,
                                          model.register_allocation_unit);
  if (per_warp == 0) return kUnlimited;
  const std::uint32_t sub_cores = model.warp_allocation_granularity;
  if (per_warp * round_up(warps, sub_cores) > model.registers_per_block) return 0;
  const std::uint64_t warps_per_sub_core = model.registers_per_sm / sub_cores / per_warp;
  return warps_per_sub_core * sub_cores / warps;
}

std::uint64_t blocks_by_shared(const GpuModel& model, const KernelResources& kernel) {
  if (kernel.shared_bytes_per_block > model.shared_bytes_per_block_optin) return 0;
  const std::uint64_t bytes =
      round_up(std::uint64_t{kernel.shared_bytes_per_block} + model.shared_bytes_reserved,
               model.shared_allocation_unit);
  return bytes == 0 ? kUnlimited : model.shared_bytes_per_sm / bytes;
}

std::uint64_t blocks_by_barriers(const GpuModel& model, const KernelResources& kernel) {
  if (model.barriers_per_sm == 0 || kernel.barriers == 0) return kUnlimited;
  return model.barriers_per_sm / kernel.barriers;
}

}  // namespace

Occupancy occupancy(const GpuModel& model, const KernelResources& kernel) {
  Occupancy result;
  if (kernel.threads_per_block == 0 || kernel.threads_per_block > model.max_threads_per_block) {
    result.limited_by = {"threads per block"};
    return result;
  }
  const std::uint32_t warps = (kernel.threads_per_block + kWarpSize - 1) / kWarpSize;
  result.blocks_by_limit = model.max_blocks_per_sm;
  result.blocks_by_warps = model.max_warps_per_sm / warps;
  result.blocks_by_registers =
      static_cast<std::uint32_t>(blocks_by_registers(model, kernel, warps));
  result.blocks_by_shared = static_cast<std::uint32_t>(blocks_by_shared(model, kernel));
  result.blocks_by_barriers = static_cast<std::uint32_t>(blocks_by_barriers(model, kernel));
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
  result.fraction = static_cast<double>(result.warps_per_sm) / model.max_warps_per_sm;
  return result;
}

double waves(const GpuModel& model, const Occupancy& occupancy, std::uint64_t blocks) {
  const double at_once = static_cast<double>(occupancy.blocks_per_sm) * model.sms;
  return at_once == 0 ? 0 : static_cast<double>(blocks) / at_once;
}

}  // namespace heddle::simulator
