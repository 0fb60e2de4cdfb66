#include "simulator/memory/memory_journal.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "simulator/memory/mapped_around.hpp"

namespace heddle::simulator {
namespace {

struct Bounds {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
};

Bounds bounds_of(const Addresses& address, Mask lanes) {
  Bounds bounds;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const bool writes = lanes.has(lane);
    bounds.low = std::min(bounds.low, writes ? address[lane] : ~std::uint64_t{0});
    bounds.high = std::max(bounds.high, writes ? address[lane] : 0);
  }
  return bounds;
}

}  // namespace

void MemoryJournal::before_write(const Addresses& address, Mask lanes, std::uint32_t width) {
  if (lanes.empty()) return;
  constexpr std::uint64_t kNear = 8 * kPieceBytes;  // what lies between is saved too
  const Bounds bounds = bounds_of(address, lanes);
  find(bounds.low);
  if (bounds.high - bounds.low < kNear && last_->holds(bounds.high + width - 1))
    return before_write(bounds.low, bounds.high + width - bounds.low);
  for (const unsigned lane : lanes) {
    const std::uint64_t at = address[lane];
    // Allocations begin at multiples of more than any width, so an aligned access is in one piece;
    // memory of the host program may begin anywhere.
    for (const std::uint64_t byte : {at, at + width - 1}) {
      find(byte);
      save((byte - last_->start) / kPieceBytes);
    }
  }
}

void MemoryJournal::before_write(std::uint64_t first, std::uint64_t bytes) {
  find(first);
  const std::uint64_t end = (first + bytes - 1 - last_->start) / kPieceBytes;
  for (std::uint64_t piece = (first - last_->start) / kPieceBytes; piece <= end; ++piece)
    save(piece);
}

void MemoryJournal::find(std::uint64_t address) {
  if (last_->holds(address)) return;
  const auto reached = reached_memory(memory_, address);
  assert(reached);
  last_ = &written_[reached->address];
  if (last_->data == reached->data && last_->bytes == reached->bytes) return;
  *last_ = {reached->address, reached->bytes, reached->data, reached->host_mapped, {}};
  last_->saved.resize((last_->bytes + kPieceBytes - 1) / kPieceBytes);
}

void MemoryJournal::save(std::uint64_t piece) {
  if (last_->saved[piece]) return;
  last_->saved[piece] = true;
  const std::uint64_t offset = piece * kPieceBytes;
  Piece& saved = pieces_.emplace_back();
  saved.address = last_->start + offset;
  saved.bytes = static_cast<std::uint32_t>(std::min(kPieceBytes, last_->bytes - offset));
  std::memcpy(saved.contents.data(), last_->data + offset, saved.bytes);
}

MemoryJournal::Pieces MemoryJournal::take() {
  for (const Piece& piece : pieces_) {
    find(piece.address);
    last_->saved[(piece.address - last_->start) / kPieceBytes] = false;
  }
  pieces_.shrink_to_fit();
  return std::exchange(pieces_, {});
}

bool MemoryJournal::wrote_host_memory(std::uint64_t own) const {
  return std::ranges::any_of(
      written_, [own](const auto& each) { return each.second.host_mapped && each.first != own; });
}

void MemoryJournal::put_back(const Pieces& pieces) {
  for (const Piece& piece : pieces) {
    const auto reached = reached_memory(memory_, piece.address);
    assert(reached);
    std::memcpy(reached->data + (piece.address - reached->address), piece.contents.data(),
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
