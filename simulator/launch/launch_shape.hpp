// What a launch's configuration says of its blocks.
#pragma once

#include <cstdint>

#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {

// The blocks of a launch come in clusters of this shape; 1 × 1 × 1 where there are none.
Dim3 cluster_shape(const LaunchRequest& request);
// Whether there are, if of one block each.
bool comes_in_clusters(const LaunchRequest& request);

// What its blocks take of an SM.
KernelResources resources_of(const LaunchRequest& request);

// Blocks of a launch that are on the GPU at a time; 0 where none fits.
std::uint64_t resident_blocks(const GpuModel& gpu, const LaunchRequest& request);

}  // namespace heddle::simulator
