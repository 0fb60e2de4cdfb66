// What the system says of the memory of this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::simulator {

// A line of /proc/self/maps.
struct HostMapping {
  std::uint64_t begin = 0, end = 0;
  bool readable = false, writable = false, shared = false, of_file = false;
  std::string device;  // "08:01"
};

// Those that have bytes in common with [address, address + bytes), by address, as they are now.
// Costs the system's listing of all of them, some tenths of a millisecond.
std::vector<HostMapping> host_mappings(std::uint64_t address, std::uint64_t bytes);

}  // namespace heddle::simulator
