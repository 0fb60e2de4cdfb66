// How the local memories of a warp's threads lie in the block's (Warp::local).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::simulator {

// Bytes from one thread's local memory to the next one's. Threads access the same place of theirs
// together: without the cache line in between, those of arrays of a power of two would all want
// the same set of the host's cache.
constexpr std::uint64_t local_stride(std::uint32_t local_bytes) {
  constexpr std::uint64_t kHostLine = 64;
  return local_bytes == 0 ? 0 : local_bytes + kHostLine;
}

// The local memory of a block. Every thread has a stack, and most programs never touch theirs: it
// is made at the first use.
class LocalStorage {
 public:
  // All bytes are zero again.
  void reset(std::size_t bytes) {
    size_ = bytes;
    made_ = false;
  }
  std::vector<std::byte>& bytes() {
    make();
    return bytes_;
  }
  const std::vector<std::byte>& bytes() const {
    make();
    return bytes_;
  }

 private:
  void make() const {
    if (made_) return;
    bytes_.assign(size_, std::byte{0});
    made_ = true;
  }
  std::size_t size_ = 0;
  mutable bool made_ = true;
  mutable std::vector<std::byte> bytes_;
};

}  // namespace heddle::simulator
