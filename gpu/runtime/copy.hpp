// What copies and fills of one, two and three dimensions come down to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/abi.hpp"

namespace heddle::runtime {

// Rows of `width` bytes; row y of layer z starts at address + z * layer + y * pitch.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

struct Placed {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint64_t layer = 0;  // bytes from layer to layer
};

struct CopyRequest {
  Placed destination, source;
  Box box;
  abi::MemcpyKind kind = abi::MemcpyKind::by_address;
};

struct FillRequest {
  Placed destination;
  Box box;
  std::uint32_t value = 0;
  unsigned element_bytes = 1;  // 1, 2 or 4: of the value, again and again
};

// Bytes from the first to the last one touched; nothing on overflow is lost: saturates at 2^64 - 1.
// The same where rows overlap, of which any number would fit.
std::uint64_t span_of(const Placed& placed, const Box& box);

void copy_box(std::byte* destination, const Placed& to, const std::byte* source, const Placed& from,
              const Box& box);
// `own_pages`: it lies in private pages that nobody else has to do with (plain device memory).
void fill_box(std::byte* destination, const FillRequest& request, bool own_pages);

}  // namespace heddle::runtime
