#include "simulator/memory/mapped_around.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::simulator {
namespace {

// The allocation that begins at or before an address, with what its pages hold behind its end, as
// far as that is nobody else's; of replayed launches others may lie there.
ReachedMemory pages_before(const DeviceMemory& memory, std::uint64_t address) {
  const auto& all = memory.allocations();
  const auto next = all.upper_bound(address);
  if (next == all.begin()) return {};
  const Allocation& found = std::prev(next)->second;
  std::uint64_t bytes = DeviceMemory::bytes_of_pages(found);
  if (next != all.end()) bytes = std::min(bytes, next->first - found.address);
  return {found.address, bytes, std::min(found.bytes, bytes), found.data, found.host_mapped};
}

}  // namespace

std::optional<ReachedMemory> reached_memory(const DeviceMemory& memory, std::uint64_t address) {
  const ReachedMemory own = pages_before(memory, address);
  if (address - own.address < own.bytes) return own;
  if (const auto around = memory.around(address))
    return ReachedMemory{around->address, around->bytes, 0, around->data, false};
  return std::nullopt;
}

}  // namespace heddle::simulator
