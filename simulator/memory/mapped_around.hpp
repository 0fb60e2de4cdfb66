// What kernels reach: allocations, and what lies around them.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

// Memory without a gap. `allocated`: bytes of it that an allocation was asked for, from the first
// one on; 0: it lies before or behind one.
struct ReachedMemory {
  std::uint64_t address = 0, bytes = 0, allocated = 0;
  std::byte* data = nullptr;
  bool host_mapped = false;  // as Allocation's
};

// The memory in which an access of a kernel at `address` lies; nothing: it is a fault. The GPU's
// driver maps device memory in frames of 2 MiB, all of which kernels reach
// (docs/experiments/allocations.md).
std::optional<ReachedMemory> reached_memory(const DeviceMemory& memory, std::uint64_t address);

}  // namespace heddle::simulator
