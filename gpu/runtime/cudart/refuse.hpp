// What a name of libcudart.so.13 does that is not implemented.
#pragma once

#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

// Says so once per name; the calling thread's last error is then what is returned.
Error refuse(const char* name) noexcept;

}  // namespace heddle::runtime
