#include "simulator/memory/driver_places.hpp"

#include <algorithm>

namespace heddle::simulator {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<std::uint64_t> DriverPlaces::find_gap(Piece& piece, std::uint64_t bytes,
                                                    std::uint64_t alignment) const {
  if (piece.largest_gap < bytes) return std::nullopt;
  std::uint64_t offset = round_up(piece.full_below, alignment), largest = 0;
  for (auto next = piece.taken.lower_bound(piece.full_below); next != piece.taken.end(); ++next) {
    const auto& [begin, end] = *next;
    if (begin == piece.full_below) piece.full_below = end;
    if (offset + bytes <= begin) return offset;
    largest = std::max(largest, begin - std::min(begin, offset));
    offset = round_up(end, alignment);
  }
  if (offset + bytes <= piece_bytes_) return offset;
  if (alignment == unit_)
    piece.largest_gap = std::max(largest, piece_bytes_ - std::min(piece_bytes_, offset));
  return std::nullopt;
}

DriverPlaces::Place DriverPlaces::take(std::uint64_t bytes, std::uint64_t alignment) {
  bytes = bytes_taken(bytes);
  alignment = std::max(alignment, unit_);
  if (bytes > piece_bytes_) return {};
  for (std::uint64_t i = 0;; ++i) {
    if (i == pieces_.size()) pieces_.emplace_back().largest_gap = piece_bytes_;
    const auto offset = find_gap(pieces_[i], bytes, alignment);
    if (!offset) continue;
    pieces_[i].taken.emplace(*offset, *offset + bytes);
    return {i, *offset};
  }
}

void DriverPlaces::give_back(const Place& place) {
  if (place.piece == kAlone) return;
  Piece& piece = pieces_[place.piece];
  piece.taken.erase(place.offset);
  piece.full_below = std::min(piece.full_below, place.offset);
  piece.largest_gap = piece_bytes_;
}

bool DriverPlaces::is_piece_empty(const Place& place) const {
  return place.piece == kAlone || pieces_[place.piece].taken.empty();
}

std::uint64_t DriverPlaces::bytes_taken(std::uint64_t bytes) const {
  return round_up(bytes, unit_);
}

}  // namespace heddle::simulator
