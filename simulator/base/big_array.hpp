// An array in the host's huge pages (big_pages.hpp) of which no element is constructed: what is not
// used of a large one costs nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator {

// As take_from_big_pages, but it may hold anything.
void* take_used_big_pages(std::size_t bytes);

// BigPageAllocator for what is constructed before it is read, as all of a std::vector is.
template <typename T>
struct UsedBigPageAllocator {
  using value_type = T;
  UsedBigPageAllocator() = default;
  template <typename Other>
  UsedBigPageAllocator(const UsedBigPageAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(take_used_big_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { give_back_to_big_pages(memory); }
  friend bool operator==(const UsedBigPageAllocator&, const UsedBigPageAllocator&) { return true; }
};

template <typename T>
class BigArray {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  BigArray() = default;
  // `zeroed`: all bytes of the elements are; else they are anything.
  BigArray(std::size_t count, bool zeroed)
      : first_(static_cast<T*>(zeroed ? take_from_big_pages(count * sizeof(T))
                                      : take_used_big_pages(count * sizeof(T)))) {}
  T& operator[](std::size_t index) { return first_.get()[index]; }
  const T& operator[](std::size_t index) const { return first_.get()[index]; }
  T* data() { return first_.get(); }
  const T* data() const { return first_.get(); }

 private:
  struct GiveBack {
    void operator()(T* first) const { give_back_to_big_pages(first); }
  };
  std::unique_ptr<T, GiveBack> first_;
};

}  // namespace heddle::simulator
