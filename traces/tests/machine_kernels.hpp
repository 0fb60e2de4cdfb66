// A device with the compiled kernels of simulator/tests/kernels/machine.cu.
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/launch.hpp"

namespace heddle::traces {

class MachineKernels {
 public:
  explicit MachineKernels(const char* gpu = "h200", const std::string& arch = "sm_90")
      : device(simulator::gpu_model(gpu)),
        module(read_cubin(arch), "machine.cubin", device.memory()) {}

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
    const auto append = [&](const auto& value) {
      auto& bytes = result.parameters;
      const std::size_t at = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
      bytes.resize(at + sizeof value);
      std::memcpy(bytes.data() + at, &value, sizeof value);
    };
    (append(arguments), ...);
    return result;
  }

  simulator::Device device;
  simulator::Module module;

 private:
  static std::vector<std::byte> read_cubin(const std::string& arch) {
    std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/tests/kernels/machine." + arch + ".cubin",
                       std::ios::binary);
    const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::byte> bytes(chars.size());
    std::memcpy(bytes.data(), chars.data(), chars.size());
    return bytes;
  }
};

}  // namespace heddle::traces
