// Where and when a record was measured, and what was run: the members every record begins with.
#pragma once

#include <cuda.h>

#include "gpu/cupti/json.hpp"

namespace heddle::cupti {

// device, arch, toolchain (HEDDLE_MEASURE_TOOLCHAIN, when set), driver, date (UTC), program (its
// arguments).
Members provenance(CUdevice device);

}  // namespace heddle::cupti
