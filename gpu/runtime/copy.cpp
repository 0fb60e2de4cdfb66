#include "gpu/runtime/copy.hpp"

#include <cstring>
#include <limits>

namespace heddle::runtime {

std::uint64_t span_of(const Placed& placed, const Box& box) {
  if (box.empty()) return 0;
  std::uint64_t rows, layers, span;
  if (__builtin_mul_overflow(box.height - 1, placed.pitch, &rows) ||
      __builtin_mul_overflow(box.depth - 1, placed.layer, &layers) ||
      __builtin_add_overflow(rows, layers, &span) || __builtin_add_overflow(span, box.width, &span))
    return std::numeric_limits<std::uint64_t>::max();
  return span;
}

void copy_box(std::byte* destination, const Placed& to, const std::byte* source, const Placed& from,
              const Box& box) {
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      std::memmove(destination + z * to.layer + y * to.pitch,
                   source + z * from.layer + y * from.pitch, box.width);
}

void fill_box(std::byte* destination, const Placed& to, const Box& box, std::uint8_t value) {
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      std::memset(destination + z * to.layer + y * to.pitch, value, box.width);
}

}  // namespace heddle::runtime
