// A copy of everything a launch can change on the device, so that it can run again from the same
// state.
#pragma once

#include <cuda.h>

#include <vector>

#include "gpu/cupti/mode.hpp"

namespace heddle::cupti {

class Snapshot {
 public:
  // Of the current context's allocations and globals; kept on the device, in memory that is used
  // again.
  void take(const DeviceMemory& memory);
  void restore() const;
  void forget() { buffer_ = 0, room_ = 0, parts_.clear(); }

 private:
  struct Part {
    CUdeviceptr address = 0, copy = 0;
    std::size_t bytes = 0;
  };

  CUdeviceptr buffer_ = 0;
  std::size_t room_ = 0;
  std::vector<Part> parts_;
};

}  // namespace heddle::cupti
