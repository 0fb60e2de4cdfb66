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
    SectorMask valid = 0, dirty = 0;
    Extra extra{};
  };

  SectorCache(std::uint64_t bytes, unsigned ways) { resize(bytes, ways); }

  // Empties it, and gives it another size.
  void resize(std::uint64_t bytes, unsigned ways) {
    ways_ = std::max(1u, ways);
    sets_ = std::max<std::uint64_t>(1, bytes / kLineBytes / ways_);
    if (lines_.size() != sets_ * ways_) {
      numbers_.assign(sets_ * ways_, 0);
      used_.assign(sets_ * ways_, 0);
      lines_.assign(sets_ * ways_, {});
    }
    clear();
  }
  void clear() { cleared_ = clock_; }
  // All lines there is room for, used or not.
  template <typename Visit>
  void for_each(Visit visit) {
    for (Line& line : lines_) visit(line);
  }

  // Null: the line is not there. Counts as use.
  Line* find(LineNumber number) {
    const std::size_t set = set_of(number);
    for (std::size_t place = set; place < set + ways_; ++place)
      if (numbers_[place] == number && used_[place] > cleared_) {
        used_[place] = ++clock_;
        return &lines_[place];
      }
    return nullptr;
  }
  // Puts a line in, empty; `evicted` is what was there, with no sectors where that is nothing.
  Line& insert(LineNumber number, Line& evicted) {
    const std::size_t set = set_of(number);
    std::size_t victim = set;
    for (std::size_t place = set; place < set + ways_; ++place) {
      if (used_[place] <= cleared_) {
        victim = place;
        break;
      }
      if (used_[place] < used_[victim]) victim = place;
    }
    evicted = used_[victim] > cleared_ ? lines_[victim] : Line{};
    numbers_[victim] = number;
    used_[victim] = ++clock_;
    lines_[victim] = Line{.number = number};
    return lines_[victim];
  }
  void remove(LineNumber number) {
    if (const Line* line = find(number)) used_[static_cast<std::size_t>(line - lines_.data())] = 0;
  }
  // The line will be asked for soon: brings what says whether it is there near.
  void prefetch(LineNumber number) const {
    constexpr std::size_t kHostLine = 64 / sizeof(std::uint64_t);
    const std::size_t set = set_of(number);
    for (std::size_t place = set; place < set + ways_; place += kHostLine) {
      __builtin_prefetch(&numbers_[place]);
      __builtin_prefetch(&used_[place]);
    }
  }

 private:
  // The first place of the line's set. Neighbouring lines go to neighbouring sets; higher bits are
  // folded in, so that powers of two between rows of a matrix do not meet in one set.
  std::size_t set_of(LineNumber number) const {
    const std::uint64_t folded = number ^ number >> 11 ^ number >> 23;
    return folded % sets_ * ways_;
  }

  // By place. What is searched lies apart from what is found.
  std::vector<LineNumber> numbers_;
  std::vector<std::uint64_t> used_;  // when last, by `clock_`; up to `cleared_`: nothing is there
  std::vector<Line> lines_;
  std::uint64_t sets_ = 1;
  unsigned ways_ = 1;
  std::uint64_t clock_ = 0, cleared_ = 0;
};

}  // namespace heddle::simulator::timing
