// How the memory unit finds the lines of an instruction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {

// The lines that the lanes of one access name, in the order in which they do first.
class LoadStoreUnit::NamedLines {
 public:
  explicit NamedLines(Pieces& pieces) : pieces_(pieces), first_(pieces.size()) {}

  void add(LineNumber line, unsigned sector, std::uint32_t bytes) {
    if (at_ == nullptr || at_->line != line) at_ = &piece_of(line);
    at_->sectors |= static_cast<SectorMask>(1u << sector);
    at_->bytes[sector] |= bytes;
  }

 private:
  static constexpr unsigned kPlaces = 64, kFold = 6;

  // Most lines that differ from the one before are new, or come back in the same order: columns of
  // a matrix. Of each a place is kept, which others may take.
  Piece& piece_of(LineNumber line) {
    const auto place = static_cast<unsigned>((line ^ line >> kFold ^ line >> 2 * kFold) % kPlaces);
    const std::uint64_t bit = std::uint64_t{1} << place;
    if ((named_ & bit) != 0) {
      if (Piece& last = pieces_[of_place_[place]]; last.line == line) return last;
      for (std::size_t i = pieces_.size(); i-- > first_;)
        if (pieces_[i].line == line) return pieces_[i];
    }
    named_ |= bit;
    of_place_[place] = static_cast<std::uint32_t>(pieces_.size());
    Piece& added = pieces_.emplace_back();
    added.line = line;
    return added;
  }

  Pieces& pieces_;
  const std::size_t first_;
  Piece* at_ = nullptr;                          // the one named last
  std::uint64_t named_ = 0;                      // bit i: a line that has place i
  std::array<std::uint32_t, kPlaces> of_place_;  // the last of those
};

}  // namespace heddle::simulator::timing
