// Asks the host for memory that is needed soon.
#pragma once

#include <cstddef>

namespace heddle::simulator::timing {

inline constexpr std::size_t kHostLine = 64;

inline void prefetch_bytes(const void* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kHostLine)
    __builtin_prefetch(static_cast<const std::byte*>(first) + at);
}

}  // namespace heddle::simulator::timing
