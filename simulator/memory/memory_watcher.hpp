// Who is told what happens to plain device memory outside launches (DeviceMemory::watch).
#pragma once

#include <cstdint>

namespace heddle::simulator {

struct Allocation;

class MemoryWatcher {
 public:
  virtual ~MemoryWatcher() = default;
  virtual void allocated(const Allocation&) {}
  virtual void freed(const Allocation&) {}
  // The host program wrote, by a copy or a fill.
  virtual void written(std::uint64_t address, std::uint64_t bytes) { (void)address, (void)bytes; }
};

}  // namespace heddle::simulator
