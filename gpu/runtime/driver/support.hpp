// The runtime's functions that are no part of CUDA's interface.
#pragma once

#include "gpu/runtime/driver_support.hpp"

namespace heddle::runtime::driver {

const DriverSupport& support();

}  // namespace heddle::runtime::driver
