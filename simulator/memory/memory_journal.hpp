// What global memory held before it was written, so that it can be put back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "simulator/memory/access_counts.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

class MemoryJournal {
 public:
  explicit MemoryJournal(DeviceMemory& memory) : memory_(memory) {}
  MemoryJournal(const MemoryJournal&) = delete;
  MemoryJournal& operator=(const MemoryJournal&) = delete;

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
  // All of it is about to be written; it lies in one allocation.
  void before_write(std::uint64_t first, std::uint64_t bytes);
  // Ends the journal and begins an empty one.
  Pieces take();
  void put_back(const Pieces& pieces);
  std::uint64_t bytes() const { return pieces_.capacity() * sizeof(Piece); }
  // Whether memory that the host program uses too was written since the journal was made, but for
  // the allocation at `own`.
  bool wrote_host_memory(std::uint64_t own) const;
  // One journal of two, the second begun where the first ended.
  static void append(Pieces& first, const Pieces& second);

 private:
  // An allocation that was written.
  struct Written {
    std::uint64_t start = 0, bytes = 0;
    std::byte* data = nullptr;
    bool host_mapped = false;
    std::vector<bool> saved;  // by piece
    bool holds(std::uint64_t address) const { return address - start < bytes; }
  };
  void find(std::uint64_t address);
  void save(std::uint64_t piece);

  DeviceMemory& memory_;
  Pieces pieces_;
  std::map<std::uint64_t, Written> written_;  // by their starts
  Written none_;
  Written* last_ = &none_;  // the one last written
};

}  // namespace heddle::simulator
