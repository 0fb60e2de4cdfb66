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
    if (pieces_.size() == first_ || pieces_[at_].line != line) find(line);
    pieces_[at_].sectors |= static_cast<SectorMask>(1u << sector);
    pieces_[at_].bytes[sector] |= bytes;
  }

 private:
  // Most lines that differ from the one before are new: of each a bit is kept, which others share.
  void find(LineNumber line) {
    constexpr unsigned kBits = 64, kFold = 6;
    const std::uint64_t bit = std::uint64_t{1}
                              << (line ^ line >> kFold ^ line >> 2 * kFold) % kBits;
    if ((named_ & bit) != 0)
      for (at_ = pieces_.size(); at_-- > first_;)
        if (pieces_[at_].line == line) return;
    named_ |= bit;
    at_ = pieces_.size();
    pieces_.emplace_back().line = line;
  }

  Pieces& pieces_;
  const std::size_t first_;
  std::size_t at_ = 0;  // of the one named last
  std::uint64_t named_ = 0;
};

}  // namespace heddle::simulator::timing
