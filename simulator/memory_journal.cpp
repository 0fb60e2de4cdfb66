#include "simulator/memory_journal.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "simulator/reach.hpp"

namespace heddle::simulator {

void MemoryJournal::before_write(const Addresses& address, Mask lanes, std::uint32_t width) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t at = address[static_cast<unsigned>(std::countr_zero(lanes))];
    save(at);
    // Allocations begin at multiples of more than any width, so an aligned access is in one piece;
    // memory of the host program may begin anywhere.
    if (width > 1) save(at + width - 1);
  }
}

void MemoryJournal::save(std::uint64_t address) {
  if (address - start_ >= bytes_) {
    const Allocation* allocation = allocation_reached(memory_, address);
    assert(allocation != nullptr);
    start_ = allocation->address;
    bytes_ = reachable_bytes(memory_, *allocation);
    data_ = allocation->data;
    last_ = ~std::uint64_t{0};
  }
  const std::uint64_t offset = (address - start_) / kPieceBytes * kPieceBytes;
  if (start_ + offset == last_) return;
  last_ = start_ + offset;
  if (!saved_.insert(last_).second) return;
  Piece& piece = pieces_.emplace_back();
  piece.address = last_;
  piece.bytes = static_cast<std::uint32_t>(std::min(kPieceBytes, bytes_ - offset));
  std::memcpy(piece.contents.data(), data_ + offset, piece.bytes);
}

MemoryJournal::Pieces MemoryJournal::take() {
  saved_.clear();
  last_ = ~std::uint64_t{0};
  pieces_.shrink_to_fit();
  return std::exchange(pieces_, {});
}

void MemoryJournal::put_back(const Pieces& pieces) {
  for (const Piece& piece : pieces) {
    const Allocation* allocation = allocation_reached(memory_, piece.address);
    assert(allocation != nullptr);
    std::memcpy(allocation->data + (piece.address - allocation->address), piece.contents.data(),
                piece.bytes);
  }
}

void MemoryJournal::append(Pieces& first, const Pieces& second) {
  std::unordered_set<std::uint64_t> known;
  for (const Piece& piece : first) known.insert(piece.address);
  for (const Piece& piece : second)
    if (known.insert(piece.address).second) first.push_back(piece);
}

}  // namespace heddle::simulator
