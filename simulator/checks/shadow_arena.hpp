// Memory for what stands for a launch's memory, given back all at once. It lies in the host's huge
// pages: scattered accesses would miss the host's TLB in others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/base/row_storage.hpp"

namespace heddle::simulator::checks {

class ShadowArena {
 public:
  // `count` values as T{} makes them, until clear(). Throws std::bad_alloc.
  template <typename T>
  T* make(std::size_t count) {
    T* const values = make_unset<T>(count);
    std::uninitialized_value_construct_n(values, count);
    return values;
  }
  // The same, to be set before they are read.
  template <typename T>
  T* make_unset(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kCacheLine);
    const std::size_t bytes = (count * sizeof(T) + kCacheLine - 1) / kCacheLine * kCacheLine;
    if (left_ < bytes) grow(bytes);
    T* const values = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    return values;
  }
  // The memory itself is kept for the next launch: the system takes longer to clear new pages than
  // many a launch to use them.
  void clear() {
    used_ = 0;
    left_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{16} << 10, kMost = std::size_t{1} << 20;
  struct GiveBack {
    void operator()(std::byte* memory) const { give_back_to_big_pages(memory); }
  };
  using Memory = std::unique_ptr<std::byte, GiveBack>;
  struct Chunk {
    Memory memory;
    std::size_t bytes = 0;
  };

  // Each chunk is twice as large as the one before, up to a limit.
  void grow(std::size_t wanted) {
    while (used_ < chunks_.size() && chunks_[used_].bytes < wanted) ++used_;
    if (used_ == chunks_.size()) {
      const std::size_t last = chunks_.empty() ? 0 : chunks_.back().bytes;
      const std::size_t bytes = std::max(std::clamp(2 * last, kLeast, kMost), wanted);
      Memory memory(static_cast<std::byte*>(take_from_big_pages(bytes, Fresh::anything)));
      chunks_.push_back({std::move(memory), bytes});
    }
    next_ = chunks_[used_].memory.get();
    left_ = chunks_[used_].bytes;
    ++used_;
  }

  std::vector<Chunk> chunks_;
  std::size_t used_ = 0;       // of them; the last of these is the one that values come from
  std::byte* next_ = nullptr;  // in it
  std::size_t left_ = 0;       // bytes of it
};

}  // namespace heddle::simulator::checks
