// The tags of a set-associative cache with lines of four sectors, least recently used out first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace heddle::simulator::timing {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kSectorsPerLine = 4;
inline constexpr unsigned kLineBytes = kSectorBytes * kSectorsPerLine;

// A memory line by number: address / kLineBytes.
using LineNumber = std::uint64_t;
using SectorMask = std::uint8_t;  // bit i: sector i of the line

// `Extra`: what the owner keeps per line.
template <typename Extra>
class SectorCache {
 public:
  struct Line {
    LineNumber number = 0;
    std::uint32_t epoch = 0;  // 0: never used
    std::uint32_t used = 0;
    SectorMask valid = 0, dirty = 0;
    Extra extra{};
  };

  SectorCache(std::uint64_t bytes, unsigned ways) { resize(bytes, ways); }

  // Empties it, and gives it another size.
  void resize(std::uint64_t bytes, unsigned ways) {
    ways_ = std::max(1u, ways);
    sets_ = std::max<std::uint64_t>(1, bytes / kLineBytes / ways_);
    if (lines_.size() != sets_ * ways_) lines_.assign(sets_ * ways_, {});
    clear();
  }
  void clear() { ++epoch_; }

  // Null: the line is not there. Counts as use.
  Line* find(LineNumber number) {
    Line* const set = set_of(number);
    for (unsigned way = 0; way < ways_; ++way)
      if (set[way].number == number && set[way].epoch == epoch_) {
        set[way].used = ++clock_;
        return &set[way];
      }
    return nullptr;
  }
  // Puts a line in, empty; `evicted` is what was there (epoch 0: nothing).
  Line& insert(LineNumber number, Line& evicted) {
    Line* const set = set_of(number);
    Line* victim = set;
    for (unsigned way = 0; way < ways_; ++way) {
      if (set[way].epoch != epoch_) {
        victim = &set[way];
        break;
      }
      if (set[way].used < victim->used) victim = &set[way];
    }
    evicted = victim->epoch == epoch_ ? *victim : Line{};
    *victim = Line{.number = number, .epoch = epoch_, .used = ++clock_};
    return *victim;
  }
  void remove(LineNumber number) {
    if (Line* line = find(number)) line->epoch = 0;
  }

 private:
  // Neighbouring lines go to neighbouring sets; higher bits are folded in, so that powers of two
  // between rows of a matrix do not meet in one set.
  Line* set_of(LineNumber number) {
    const std::uint64_t folded = number ^ number >> 11 ^ number >> 23;
    return lines_.data() + folded % sets_ * ways_;
  }

  std::vector<Line> lines_;
  std::uint64_t sets_ = 1;
  unsigned ways_ = 1;
  std::uint32_t epoch_ = 0, clock_ = 0;
};

}  // namespace heddle::simulator::timing
