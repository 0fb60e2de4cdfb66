// Distances between rows of host or device memory, as programs give them.
#pragma once

#include <cstddef>

#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

// Of one row a pitch of zero is as good as another: `pitch`, in bytes, becomes the row's `width`.
inline Error settle_pitch(std::size_t& pitch, std::size_t width, std::size_t height) {
  const bool one_row = height <= 1;
  if (one_row && pitch == 0) pitch = width;
  if (width <= pitch) return Error::success;
  return one_row ? Error::invalid_value : Error::invalid_pitch_value;
}

}  // namespace heddle::runtime
