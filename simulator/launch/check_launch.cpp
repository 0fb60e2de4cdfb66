#include "simulator/launch/check_launch.hpp"

#include <fmt/format.h>

#include <utility>

#include "simulator/launch/launch_shape.hpp"

namespace heddle::simulator {

std::optional<Refusal> check_launch(const GpuModel& gpu, const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const Dim3& block = request.block;
  const Dim3& grid = request.grid;
  const auto refuse = [](const char* error, std::string why) {
    return std::optional<Refusal>({error, std::move(why)});
  };
  constexpr std::uint32_t kMostYZ = 65535;
  // Compute capability 3.0 gave grids a long first dimension.
  const bool short_grids = gpu.sketches_only() && gpu.capability < "3";
  const std::uint32_t most_x = short_grids ? kMostYZ : 0x7fffffff;
  if (block.count() == 0 || grid.count() == 0)
    return refuse("cudaErrorInvalidConfiguration", "a dimension is zero");
  if (block.count() > gpu.max_threads_per_block || block.x > 1024 || block.y > 1024 || block.z > 64)
    return refuse("cudaErrorInvalidConfiguration",
                  fmt::format("{} × {} × {} threads; a block has at most {} (and 64 in z)", block.x,
                              block.y, block.z, gpu.max_threads_per_block));
  if (grid.x > most_x || grid.y > kMostYZ || grid.z > kMostYZ)
    return refuse("cudaErrorInvalidConfiguration",
                  fmt::format("a grid of {} × {} × {} blocks", grid.x, grid.y, grid.z));
  constexpr std::uint64_t kMaxClusterBlocks = 16;
  const Dim3 cluster = cluster_shape(request);
  if (cluster.count() > kMaxClusterBlocks || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0)
    return refuse("cudaErrorInvalidClusterSize",
                  fmt::format("clusters of {} × {} × {} blocks in a grid of {} × {} × {}",
                              cluster.x, cluster.y, cluster.z, grid.x, grid.y, grid.z));
  const std::uint64_t shared = kernel.static_shared_bytes - kernel.reserved_shared_bytes +
                               std::uint64_t{request.dynamic_shared_bytes};
  if (shared > gpu.shared_bytes_per_block_optin)
    return refuse("cudaErrorInvalidValue",
                  fmt::format("{} bytes of shared memory; a block has at most {}", shared,
                              gpu.shared_bytes_per_block_optin));
  if (kernel.max_threads != 0 && block.count() > kernel.max_threads)
    return refuse("cudaErrorLaunchOutOfResources",
                  fmt::format("{} threads; the kernel was compiled for at most {}", block.count(),
                              kernel.max_threads));
  const std::uint64_t warps = (block.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t unit = gpu.register_allocation_unit;
  const std::uint64_t per_warp =
      (std::uint64_t{kernel.registers} * kWarpSize + unit - 1) / unit * unit;
  if (warps * per_warp > gpu.registers_per_block)
    return refuse("cudaErrorLaunchOutOfResources",
                  fmt::format("{} registers a thread and {} threads; a block has {} registers",
                              kernel.registers, block.count(), gpu.registers_per_block));
  if (request.parameters.size() < kernel.parameter_bytes)
    return refuse("cudaErrorInvalidValue", "too few parameter bytes");
  const std::uint64_t resident = resident_blocks(gpu, request);
  if (request.cooperative && grid.count() > resident)
    return refuse("cudaErrorCooperativeLaunchTooLarge",
                  fmt::format("{} blocks that wait for one another; {} fit on the GPU at a time",
                              grid.count(), resident));
  return std::nullopt;
}

}  // namespace heddle::simulator
