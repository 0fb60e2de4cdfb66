// What can be launched on a GPU.
#pragma once

#include <optional>

#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {

// Device::check, for whoever knows the GPU alone.
std::optional<Device::Refusal> check_launch(const GpuModel& gpu, const LaunchRequest& request);

}  // namespace heddle::simulator
