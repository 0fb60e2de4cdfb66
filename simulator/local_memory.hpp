// How the local memories of a warp's threads lie in the block's (Warp::local).
#pragma once

#include <cstdint>

namespace heddle::simulator {

// Bytes from one thread's local memory to the next one's. Threads access the same place of theirs
// together: without the cache line in between, those of arrays of a power of two would all want
// the same set of the host's cache.
constexpr std::uint64_t local_stride(std::uint32_t local_bytes) {
  constexpr std::uint64_t kHostLine = 64;
  return local_bytes == 0 ? 0 : local_bytes + kHostLine;
}

}  // namespace heddle::simulator
