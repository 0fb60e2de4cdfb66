// The configuration of a launch, and its parameters: one pointer each, or all in one buffer
// (`extra`: pairs of a name and a value, and 0).
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {

// As CUlaunchConfig lays it out.
struct LaunchConfig {
  abi::Dim3 grid, block;
  unsigned shared_bytes;
  abi::Handle stream;
  abi::LaunchAttribute* attributes;
  unsigned attribute_count;
};

class Parameters {
 public:
  Parameters(abi::Handle function, void** one_each, void** extra) : pointers_(one_each) {
    constexpr std::uintptr_t kBuffer = 1, kSize = 2, kEnd = 0;
    char* buffer = nullptr;
    std::size_t given = 0;
    for (; extra != nullptr && reinterpret_cast<std::uintptr_t>(extra[0]) != kEnd; extra += 2) {
      const auto name = reinterpret_cast<std::uintptr_t>(extra[0]);
      if (name == kBuffer) buffer = static_cast<char*>(extra[1]);
      if (name == kSize) given = *static_cast<const std::size_t*>(extra[1]);
    }
    if (buffer == nullptr || one_each != nullptr) return;
    std::size_t offset = 0, bytes = 0, needed = 0;
    for (std::size_t i = 0; cudaFuncGetParamInfo(function, i, &offset, &bytes) == Error::success;
         ++i) {
      each_.push_back(buffer + offset);
      needed = std::max(needed, offset + bytes);
    }
    fit_ = given == needed;
    each_.push_back(nullptr);
    pointers_ = each_.data();
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  void** pointers() const { return pointers_; }
  // Whether the buffer has the size of the parameters (not of a structure that ends in padding).
  bool fit() const { return fit_; }

 private:
  std::vector<void*> each_;
  void** pointers_;
  bool fit_ = true;
};

}  // namespace heddle::runtime::driver
