// A device with the compiled kernels of simulator/tests/kernels/machine.cu.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::traces {

class MachineKernels {
 public:
  explicit MachineKernels(const char* gpu = "h200", const std::string& arch = "sm_90")
      : device(simulator::gpu_model(gpu)),
        module(simulator::machine_kernels(arch), "machine.cubin", device.memory()) {}

  std::uint64_t zeros(std::uint64_t bytes) { return *device.memory().allocate(bytes, "test"); }

  template <typename... Arguments>
  simulator::LaunchRequest request(const char* kernel, simulator::Dim3 grid, simulator::Dim3 block,
                                   Arguments... arguments) {
    simulator::LaunchRequest result;
    result.module = &module;
    result.kernel = module.cubin().find_kernel(kernel);
    if (result.kernel == nullptr) throw std::invalid_argument(kernel);
    result.grid = grid;
    result.block = block;
    result.parameters = simulator::parameters(arguments...);
    return result;
  }

  simulator::Device device;
  simulator::Module module;
};

}  // namespace heddle::traces
