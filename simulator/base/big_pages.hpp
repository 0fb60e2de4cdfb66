// Memory in the host's huge pages, where it has them. What a timed launch keeps for all SMs is
// touched all over: with small pages much of it misses the host's TLB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace heddle::simulator {

// What new memory holds: zeros, or anything, which is cheaper where all is written before it is
// read.
enum class Fresh : std::uint8_t { zeroed, anything };

// At a cache line. Pieces lie side by side; throws std::bad_alloc.
void* take_from_big_pages(std::size_t bytes, Fresh holds);
void give_back_to_big_pages(void* memory);

template <typename T, Fresh kHolds>
struct BigPageAllocator {
  using value_type = T;
  template <typename Other>
  struct rebind {
    using other = BigPageAllocator<Other, kHolds>;
  };
  BigPageAllocator() = default;
  template <typename Other>
  BigPageAllocator(const BigPageAllocator<Other, kHolds>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(take_from_big_pages(count * sizeof(T), kHolds));
  }
  void deallocate(T* memory, std::size_t) { give_back_to_big_pages(memory); }
  friend bool operator==(const BigPageAllocator&, const BigPageAllocator&) { return true; }
};

// An array of which no element is constructed: what is not used of a large one costs nothing.
template <typename T>
class BigArray {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  BigArray() = default;
  BigArray(std::size_t count, Fresh holds)
      : first_(static_cast<T*>(take_from_big_pages(count * sizeof(T), holds))) {}
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
