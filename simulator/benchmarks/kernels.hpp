// The kernels of benchmarks/kernels, and what they are given.
#pragma once

#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {

inline std::vector<std::byte> read_cubin() {
  return compiled_kernels("simulator/benchmarks/kernels/kernels.sm_90.cubin");
}

}  // namespace heddle::simulator
