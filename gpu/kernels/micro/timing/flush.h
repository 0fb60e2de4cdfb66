// Empties L2 of what a launch would want.
#pragma once

#include "probe.h"

namespace timing {

// Reads four times as much as L2 holds, as the profiler's flush does (gpu/cupti/caches.cpp).
static __global__ void read_all(const unsigned long long* data, std::size_t words,
                                unsigned long long* sink) {
  unsigned long long all = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += gridDim.x * blockDim.x)
    all |= __ldcg(data + i);
  if (all != 0) *sink = all;
}

struct Flush {
  std::size_t bytes;
  Buffer<unsigned long long> data, sink{1};
  explicit Flush(std::size_t l2_bytes) : bytes(4 * l2_bytes), data(bytes / 8) {}
  void operator()() const {
    read_all<<<1024, 256>>>(data.data(), bytes / 8, sink.data());
    finish();
  }
};

}  // namespace timing
