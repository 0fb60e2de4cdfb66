// What a name of libcuda.so.1 does that is not implemented.
#pragma once

#include "driver_inner_names.hpp"

namespace heddle::runtime::driver {

// Says so once per name; CUDA_ERROR_NOT_SUPPORTED.
int refuse(const char* name) noexcept;

}  // namespace heddle::runtime::driver
