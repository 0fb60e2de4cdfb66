// What the driver puts into constant bank 0 before a launch, and the other banks' contents.
#pragma once

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Bytes of local memory per thread: the compiled frames, or the stack that threads have anyway,
// where that is more (measured: gpu/kernels/micro/stack_limit/stack_limit.cu).
std::uint32_t local_bytes(const isa::Kernel& kernel, std::uint64_t stack_bytes);

// `grid_barrier`: device address of the 8 bytes through which the blocks of a cooperative launch
// wait for one another; 0 in other launches.
ConstantBanks constant_banks(const LaunchRequest& request, std::uint64_t grid_barrier);

}  // namespace heddle::simulator
