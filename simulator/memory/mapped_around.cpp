#include "simulator/memory/mapped_around.hpp"

#include <algorithm>

namespace heddle::simulator {
namespace {

// A driver maps device memory in pieces far larger than most allocations, and programs that go a
// little past the end of what they asked for run there: an H200 lets pass what Chai's task queues
// read behind an array of 2560 bytes. Here as much is reachable as stays free behind every
// allocation (DeviceMemory::allocate): up to the next multiple of 512, zeroed at first.
constexpr std::uint64_t kGranularity = 512;

}  // namespace

const Allocation* allocation_reached(const DeviceMemory& memory, std::uint64_t address) {
  const Allocation* found = memory.find(address);
  if (found == nullptr) found = memory.find(address / kGranularity * kGranularity);
  return found != nullptr ? found : memory.find(address - kGranularity);
}

std::uint64_t reachable_bytes(const DeviceMemory& memory, const Allocation& allocation) {
  if (allocation.host_mapped || allocation.address % kGranularity != 0) return allocation.bytes;
  const std::uint64_t reachable = (allocation.bytes / kGranularity + 1) * kGranularity;
  const auto next = memory.allocations().upper_bound(allocation.address);
  return next == memory.allocations().end() ? reachable
                                            : std::min(reachable, next->first - allocation.address);
}

}  // namespace heddle::simulator
