// The kernels of benchmarks/kernels, and what they are given.
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace heddle::simulator {

inline std::vector<std::byte> read_cubin() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/benchmarks/kernels/kernels.sm_90.cubin",
                     std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <typename... Arguments>
std::vector<std::byte> parameters(Arguments... arguments) {
  std::vector<std::byte> bytes;
  const auto append = [&](const auto& value) {
    const std::size_t at = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  (append(arguments), ...);
  return bytes;
}

}  // namespace heddle::simulator
