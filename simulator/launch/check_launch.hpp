// What can be launched on a GPU.
#pragma once

#include <optional>
#include <string>

#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {

// The name of the CUDA error ("cudaErrorInvalidConfiguration", "cudaErrorLaunchOutOfResources" …),
// and why.
struct Refusal {
  std::string cuda_error;
  std::string why;
};
// CUDA's launch-configuration rules; nothing when the launch is possible.
std::optional<Refusal> check_launch(const GpuModel& gpu, const LaunchRequest& request);

}  // namespace heddle::simulator
