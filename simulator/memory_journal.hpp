// What global memory held before it was written, so that it can be put back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "simulator/access_counts.hpp"
#include "simulator/memory.hpp"

namespace heddle::simulator {

class MemoryJournal {
 public:
  explicit MemoryJournal(DeviceMemory& memory) : memory_(memory) {}

  // Pieces of allocations as they were when the journal began; each piece once.
  static constexpr std::uint64_t kPieceBytes = 128;
  struct Piece {
    std::uint64_t address = 0;  // a multiple of kPieceBytes from the allocation's start
    std::uint32_t bytes = 0;    // fewer at the allocation's end
    std::array<std::byte, kPieceBytes> contents;
  };
  using Pieces = std::vector<Piece>;

  // The lanes are about to write `width` bytes each, inside allocations.
  void before_write(const Addresses& address, Mask lanes, std::uint32_t width);
  // Ends the journal and begins an empty one.
  Pieces take();
  void put_back(const Pieces& pieces);
  std::uint64_t bytes() const { return pieces_.capacity() * sizeof(Piece); }
  // One journal of two, the second begun where the first ended.
  static void append(Pieces& first, const Pieces& second);

 private:
  void save(std::uint64_t address);

  DeviceMemory& memory_;
  Pieces pieces_;
  std::unordered_set<std::uint64_t> saved_;  // addresses of the pieces
  // The allocation last used.
  std::uint64_t start_ = 0, bytes_ = 0;
  std::byte* data_ = nullptr;
  std::uint64_t last_ = ~std::uint64_t{0};  // the piece last saved
};

}  // namespace heddle::simulator
