// Memory for what stands for the words of many lines, given back all at once. It lies in the host's
// huge pages: scattered accesses would miss the host's TLB in others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/base/row_storage.hpp"

namespace heddle::simulator::checks {

class ShadowArena {
 public:
  // `count` values as T{} makes them, until clear(). Throws std::bad_alloc.
  template <typename T>
  T* make(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kCacheLine);
    const std::size_t bytes = (count * sizeof(T) + kCacheLine - 1) / kCacheLine * kCacheLine;
    if (left_ < bytes) grow(bytes);
    T* const values = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    std::uninitialized_value_construct_n(values, count);
    return values;
  }
  void clear() {
    chunks_.clear();
    left_ = bytes_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{16} << 10, kMost = std::size_t{1} << 20;
  struct GiveBack {
    void operator()(std::byte* memory) const { give_back_to_big_pages(memory); }
  };

  // Each chunk is twice as large as the one before, up to a limit.
  void grow(std::size_t wanted) {
    bytes_ = std::max(std::clamp(2 * bytes_, kLeast, kMost), wanted);
    chunks_.emplace_back(static_cast<std::byte*>(take_from_big_pages(bytes_, Fresh::anything)));
    next_ = chunks_.back().get();
    left_ = bytes_;
  }

  std::vector<std::unique_ptr<std::byte, GiveBack>> chunks_;
  std::byte* next_ = nullptr;         // in the last one
  std::size_t left_ = 0, bytes_ = 0;  // of the last one
};

}  // namespace heddle::simulator::checks
