// How far past its end an allocation can be accessed.
#pragma once

#include <cstdint>

#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

// The allocation that an access of a kernel at `address` belongs to, also a little past its end;
// null: none.
const Allocation* allocation_reached(const DeviceMemory& memory, std::uint64_t address);
// Bytes from its first one that kernels can access.
std::uint64_t reachable_bytes(const DeviceMemory& memory, const Allocation& allocation);

}  // namespace heddle::simulator
