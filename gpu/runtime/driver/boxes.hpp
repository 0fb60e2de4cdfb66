// Copies of boxes in the driver's layout (arrays.cpp).
#pragma once

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {

// One end of a copy, as CUDA_MEMCPY3D lays it out.
struct Side {
  std::size_t x, y, z, level;
  unsigned type;  // 1: host, 2: device, 3: array, 4: by address
  const void* host;
  DevicePointer device;
  abi::Handle array;
  void* reserved;
  std::size_t pitch, height;
};
struct Copy3D {
  Side from, to;
  std::size_t width, height, depth;
};

// invalid_value: it does not fit the elements of its arrays.
Error to_runtime(const Copy3D& copy, abi::Memcpy3DParms& same);
Copy3D to_driver(const abi::Memcpy3DParms& copy);

}  // namespace heddle::runtime::driver
