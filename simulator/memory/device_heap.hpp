// The heap behind malloc, free, new and delete in device code: an allocation of its own that lasts
// as long as the device. All that is known about its blocks lies in it, in front of each of them,
// so that a copy of the memory is a copy of the heap's state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simulator/memory/memory.hpp"
#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {

class DeviceHeap {
 public:
  // Makes the heap, unless `memory` has one. Throws std::bad_alloc.
  static void create(DeviceMemory& memory, std::uint64_t bytes);
  static bool exists(const DeviceMemory& memory);
  static bool is_heap(const Allocation& allocation);

  // Takes up the heap as it lies there; what device code has written over ends at the damage.
  // `journal`: told of what is about to change, or null.
  explicit DeviceHeap(DeviceMemory& memory, MemoryJournal* journal = nullptr);

  // The address of `bytes` that nobody has, a multiple of 16; 0 when there is no room.
  std::uint64_t allocate(std::uint64_t bytes);
  // False: `allocate` has not given this address, or it was freed.
  bool free(std::uint64_t address);

  // A block in use: the address that `allocate` gave, and its size, a multiple of 16.
  struct Block {
    std::uint64_t address = 0, bytes = 0;
  };
  // The one that an address lies in; nothing where that is nobody's.
  std::optional<Block> block_at(std::uint64_t address) const;
  // All of them, in ascending order of address.
  std::vector<Block> blocks() const;

 private:
  struct Header {
    std::uint64_t bytes;  // that follow the header
    std::uint64_t state;
  };
  Header read(std::uint64_t address) const;
  void write(std::uint64_t address, Header header);
  void add_free(std::uint64_t address, std::uint64_t bytes);
  void remove_free(std::uint64_t address, std::uint64_t bytes);

  MemoryJournal* journal_;
  std::byte* data_ = nullptr;
  std::uint64_t start_ = 0, end_ = 0;
  // By the addresses of their headers.
  std::map<std::uint64_t, std::uint64_t> free_, taken_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_by_size_;
};

}  // namespace heddle::simulator
