// Memory for rows of 32 words. They begin at cache lines: a vector unit's loads and stores of whole
// rows then never lie across two, which costs more than what most instructions compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace heddle::simulator {

inline constexpr std::size_t kCacheLine = 64;

template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* pointer, std::size_t) {
    ::operator delete (pointer, std::align_val_t{kCacheLine});
  }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

using RowStorage = std::vector<std::uint32_t, LineAllocator<std::uint32_t>>;

}  // namespace heddle::simulator
