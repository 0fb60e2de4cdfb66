// What a program learns about the device it runs on, from the GPU model alone.
#pragma once

#include <optional>
#include <span>

#include "gpu/runtime/abi.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {

// cudaDeviceGetAttribute's value; nothing when CUDA 13 has no attribute of that number.
std::optional<int> device_attribute(const simulator::GpuModel& model, int attribute);

// Every attribute number, in ascending order.
std::span<const int> device_attributes();

abi::DeviceProp device_properties(const simulator::GpuModel& model);

}  // namespace heddle::runtime
