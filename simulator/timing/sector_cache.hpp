// The tags of a set-associative cache with lines of four sectors, least recently used out first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulator/big_pages.hpp"

namespace heddle::simulator::timing {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kSectorsPerLine = 4;
inline constexpr unsigned kLineBytes = kSectorBytes * kSectorsPerLine;

// A memory line by number: address / kLineBytes.
using LineNumber = std::uint64_t;
using SectorMask = std::uint8_t;  // bit i: sector i of the line

// A library call where the host's instruction for it may not be assumed.
constexpr unsigned count_sectors(unsigned sectors) {
  constexpr std::uint64_t kCounts = 0x4332'3221'3221'2110;  // a digit for each of the 16 masks
  return static_cast<unsigned>(kCounts >> (sectors * 4) & 0xf);
}

// `Extra`: what the owner keeps per line.
template <typename Extra>
class SectorCache {
 public:
  struct State {
    SectorMask valid = 0, dirty = 0;
  };
  // One that is there, until another takes its place; or none.
  class Line {
   public:
    Line() = default;
    Line(State& state, Extra& extra) : state_(&state), extra_(&extra) {}
    explicit operator bool() const { return state_ != nullptr; }
    SectorMask& valid() const { return state_->valid; }
    SectorMask& dirty() const { return state_->dirty; }
    Extra& extra() const { return *extra_; }

   private:
    friend class SectorCache;
    State* state_ = nullptr;
    Extra* extra_ = nullptr;
  };
  // What made room for another line.
  struct Evicted {
    LineNumber number = 0;
    SectorMask dirty = 0;
  };

  SectorCache(std::uint64_t bytes, unsigned ways) { resize(bytes, ways); }

  // Empties it, and gives it another size.
  void resize(std::uint64_t bytes, unsigned ways) {
    ways_ = std::max(1u, ways);
    sets_ = std::max<std::uint64_t>(1, bytes / kLineBytes / ways_);
    if (states_.size() != sets_ * ways_) {
      numbers_.assign(sets_ * ways_, 0);
      used_.assign(sets_ * ways_, 0);
      states_.assign(sets_ * ways_, {});
      extras_.assign(sets_ * ways_, {});
    }
    clear();
  }
  void clear() { cleared_ = clock_; }
  // Of all lines there is room for, used or not.
  template <typename Visit>
  void for_each_extra(Visit visit) {
    for (Extra& extra : extras_) visit(extra);
  }

  // None: the line is not there. Counts as use.
  Line find(LineNumber number) {
    const std::size_t set = set_of(number);
    for (std::size_t place = set; place < set + ways_; ++place)
      if (numbers_[place] == number && used_[place] > cleared_) {
        used_[place] = ++clock_;
        return line_at(place);
      }
    return {};
  }
  // Where the line lies until another takes its place.
  std::size_t place_of(const Line& line) const {
    return static_cast<std::size_t>(line.state_ - states_.data());
  }
  // As find; the line is probably at that place.
  Line find_at(std::size_t place, LineNumber number) {
    if (numbers_[place] != number || used_[place] <= cleared_) return find(number);
    used_[place] = ++clock_;
    return line_at(place);
  }
  // Puts a line in, empty; `evicted` is what was there, with no dirty sectors where that is
  // nothing.
  Line insert(LineNumber number, Evicted& evicted) {
    const std::size_t set = set_of(number);
    std::size_t victim = set;
    for (std::size_t place = set; place < set + ways_; ++place) {
      if (used_[place] <= cleared_) {
        victim = place;
        break;
      }
      if (used_[place] < used_[victim]) victim = place;
    }
    evicted = {numbers_[victim], used_[victim] > cleared_ ? states_[victim].dirty : SectorMask{0}};
    numbers_[victim] = number;
    used_[victim] = ++clock_;
    states_[victim] = {};
    extras_[victim] = {};
    return line_at(victim);
  }
  void remove(LineNumber number) {
    if (const Line line = find(number)) used_[place_of(line)] = 0;
  }
  // The line will be asked for soon: brings its set near.
  void prefetch(LineNumber number) const {
    const std::size_t set = set_of(number);
    prefetch(&numbers_[set], ways_ * sizeof(LineNumber));
    prefetch(&used_[set], ways_ * sizeof(std::uint64_t));
    prefetch(&states_[set], ways_ * sizeof(State));
    // To bring more would cost more than to wait for the one that is found.
  }

  void prefetch_place(std::size_t place) const {
    __builtin_prefetch(&numbers_[place]);
    __builtin_prefetch(&used_[place]);
    __builtin_prefetch(&states_[place]);
    __builtin_prefetch(&extras_[place]);
  }

 private:
  template <typename T>
  using BigVector = std::vector<T, BigPageAllocator<T>>;

  static void prefetch(const void* first, std::size_t bytes) {
    constexpr std::size_t kHostLine = 64;
    for (std::size_t at = 0; at < bytes; at += kHostLine)
      __builtin_prefetch(static_cast<const char*>(first) + at);
  }
  Line line_at(std::size_t place) { return {states_[place], extras_[place]}; }
  // The first place of the line's set. Neighbouring lines go to neighbouring sets; higher bits are
  // folded in, so that powers of two between rows of a matrix do not meet in one set.
  std::size_t set_of(LineNumber number) const {
    const std::uint64_t folded = number ^ number >> 11 ^ number >> 23;
    return folded % sets_ * ways_;
  }

  // By place. What is searched lies apart from what is found.
  BigVector<LineNumber> numbers_;
  BigVector<std::uint64_t> used_;  // when last, by `clock_`; up to `cleared_`: nothing is there
  BigVector<State> states_;
  BigVector<Extra> extras_;
  std::uint64_t sets_ = 1;
  unsigned ways_ = 1;
  std::uint64_t clock_ = 0, cleared_ = 0;
};

}  // namespace heddle::simulator::timing
