// What a program learns about the device it runs on, from the GPU model alone.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gpu/runtime/abi.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::runtime {

// cudaDeviceGetAttribute's value; nothing when CUDA 13 has no attribute of that number.
// `gpu`: which of several of the model.
std::optional<int> device_attribute(const simulator::GpuModel& model, int attribute,
                                    unsigned gpu = 0);

// Every attribute number, in ascending order.
std::span<const int> device_attributes();

abi::DeviceProp device_properties(const simulator::GpuModel& model, unsigned gpu = 0);

// "0000:01:00.0", as the properties' numbers say.
std::string pci_bus_id(unsigned gpu);

}  // namespace heddle::runtime
