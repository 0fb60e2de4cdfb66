// Memory in the host's huge pages, where it has them. What a timed launch keeps for all SMs is
// touched all over: with small pages much of it misses the host's TLB.
#pragma once

#include <cstddef>

namespace heddle::simulator {

// Zeroed, at a cache line. Pieces lie side by side; throws std::bad_alloc.
void* take_from_big_pages(std::size_t bytes);
void give_back_to_big_pages(void* memory);

template <typename T>
struct BigPageAllocator {
  using value_type = T;
  BigPageAllocator() = default;
  template <typename Other>
  BigPageAllocator(const BigPageAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(take_from_big_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { give_back_to_big_pages(memory); }
  friend bool operator==(const BigPageAllocator&, const BigPageAllocator&) { return true; }
};

}  // namespace heddle::simulator
