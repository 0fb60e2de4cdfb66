// What a name of libcudart.so.12 does that is not implemented.
#pragma once

#include "gpu/runtime/error.hpp"

namespace heddle::runtime::cuda_12 {

// Says so once per name; cudaErrorNotSupported.
Error refuse(const char* name) noexcept;

}  // namespace heddle::runtime::cuda_12
