#include "simulator/launch/launch_shape.hpp"

#include <algorithm>

namespace heddle::simulator {

Dim3 cluster_shape(const LaunchRequest& request) {
  if (request.cluster.count() > 1) return request.cluster;
  const auto& [x, y, z] = request.kernel->cluster;  // zeros: none
  return x == 0 ? Dim3{} : Dim3{x, y, z};
}

bool comes_in_clusters(const LaunchRequest& request) {
  return request.explicit_cluster || request.kernel->cluster[0] != 0 ||
         cluster_shape(request).count() > 1;
}

KernelResources resources_of(const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const std::uint32_t shared = kernel.static_shared_bytes -
                               std::min(kernel.static_shared_bytes, kernel.reserved_shared_bytes);
  return {.threads_per_block = static_cast<std::uint32_t>(request.block.count()),
          .registers_per_thread = kernel.registers,
          .shared_bytes_per_block = shared + request.dynamic_shared_bytes,
          .barriers = kernel.barriers,
          .preferred_carveout = request.preferred_carveout};
}

std::uint64_t resident_blocks(const GpuModel& gpu, const LaunchRequest& request) {
  return std::uint64_t{occupancy(gpu, resources_of(request)).blocks_per_sm} * gpu.sms;
}

}  // namespace heddle::simulator
