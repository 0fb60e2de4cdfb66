// What tests and benchmarks need to launch kernels that were compiled beforehand.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/base/file.hpp"

namespace heddle::simulator {

// The cubin at `path`, which is relative to the sources. Throws std::runtime_error naming it.
inline std::vector<std::byte> compiled_kernels(const std::string& path) {
  constexpr std::uint64_t kMost = 1 << 24;
  const std::string text = read_file(HEDDLE_SOURCE_DIR "/" + path, kMost);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Those of simulator/tests/kernels/machine.cu.
inline std::vector<std::byte> machine_kernels(const std::string& arch = "sm_90") {
  return compiled_kernels("simulator/tests/kernels/machine." + arch + ".cubin");
}

// A kernel's parameters as its constant bank holds them: each at a multiple of its size.
template <typename... Arguments>
std::vector<std::byte> parameters(const Arguments&... arguments) {
  std::vector<std::byte> bytes;
  [[maybe_unused]] const auto append = [&](const auto& value) {
    const std::size_t at = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  (append(arguments), ...);
  return bytes;
}

}  // namespace heddle::simulator
