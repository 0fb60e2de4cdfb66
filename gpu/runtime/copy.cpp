#include "gpu/runtime/copy.hpp"

#include <sys/mman.h>

#include <cstring>
#include <limits>

namespace heddle::runtime {
namespace {

// Whole pages of a long run of zeros are given back to the system, which hands out zeros when they
// are next touched: a fill of more than the machine has costs nothing.
void clear_own_pages(std::byte* at, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096, kWorthIt = 4 << 20;
  const std::uint64_t before = -reinterpret_cast<std::uint64_t>(at) % kPage;
  const std::uint64_t pages = bytes < before ? 0 : (bytes - before) / kPage * kPage;
  if (pages < kWorthIt || madvise(at + before, pages, MADV_DONTNEED) != 0) {
    std::memset(at, 0, bytes);
    return;
  }
  std::memset(at, 0, before);
  std::memset(at + before + pages, 0, bytes - before - pages);
}

}  // namespace

std::uint64_t span_of(const Placed& placed, const Box& box) {
  if (box.empty()) return 0;
  std::uint64_t rows, layers, span, plane, bytes;
  if (__builtin_mul_overflow(box.height - 1, placed.pitch, &rows) ||
      __builtin_mul_overflow(box.depth - 1, placed.layer, &layers) ||
      __builtin_add_overflow(rows, layers, &span) ||
      __builtin_add_overflow(span, box.width, &span) ||
      __builtin_mul_overflow(box.width, box.height, &plane) ||
      __builtin_mul_overflow(plane, box.depth, &bytes) || bytes > span)
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

void fill_box(std::byte* destination, const FillRequest& request, bool own_pages) {
  const auto& [to, box, value, element] = request;
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y) {
      std::byte* const row = destination + z * to.layer + y * to.pitch;
      if (own_pages && value == 0)
        clear_own_pages(row, box.width);
      else if (element == 1)
        std::memset(row, static_cast<int>(value), box.width);
      else
        for (std::uint64_t x = 0; x + element <= box.width; x += element)
          std::memcpy(row + x, &value, element);
    }
}

}  // namespace heddle::runtime
