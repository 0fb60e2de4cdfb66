// Memory pools of stream-ordered allocation. All take from the device's one memory and give back at
// once; a pool is what its allocations are counted under.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/runtime/abi.hpp"

namespace heddle::runtime {

struct MemoryPool {
  abi::MemPoolProps properties{};
  // cudaMemPoolReuse…: whether memory may be used again, and when; all are on, as with CUDA.
  int reuse[3] = {1, 1, 1};
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0;

  void take(std::uint64_t bytes) {
    used += bytes;
    used_high = std::max(used_high, used);
  }
};

}  // namespace heddle::runtime
