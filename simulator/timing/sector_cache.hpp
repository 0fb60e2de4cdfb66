// The tags of a set-associative cache with lines of four sectors, least recently used out first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "simulator/base/big_pages.hpp"
#include "simulator/timing/divisor.hpp"

namespace heddle::simulator::timing {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kSectorsPerLine = 4;
inline constexpr unsigned kLineBytes = kSectorBytes * kSectorsPerLine;

// A memory line by number: address / kLineBytes.
using LineNumber = std::uint64_t;
using SectorMask = std::uint8_t;  // bit i: sector i of the line
inline constexpr unsigned kMostWays = 255;

// A library call where the host's instruction for it may not be assumed.
constexpr unsigned count_sectors(unsigned sectors) {
  constexpr std::uint64_t kCounts = 0x4332'3221'3221'2110;  // a digit for each of the 16 masks
  return static_cast<unsigned>(kCounts >> (sectors * 4) & 0xf);
}

// `Extra`: what the owner keeps per line. What a search needs of a set lies in one line of the
// host's cache: a byte of each line's number, in which order they were used, and their sectors. The
// numbers themselves follow; of few ways all is in one line.
template <typename Extra>
class SectorCache {
 public:
  // Sectors of a line: half of a byte.
  class Sectors {
   public:
    Sectors(std::uint8_t& byte, unsigned shift) : byte_(&byte), shift_(shift) {}
    operator SectorMask() const { return *byte_ >> shift_ & kAll; }  // NOLINT: it is a mask
    const Sectors& operator|=(unsigned sectors) const {
      *byte_ = static_cast<std::uint8_t>(*byte_ | (sectors & kAll) << shift_);
      return *this;
    }
    void remove(unsigned sectors) const {
      *byte_ = static_cast<std::uint8_t>(*byte_ & ~((sectors & kAll) << shift_));
    }

   private:
    static constexpr unsigned kAll = (1u << kSectorsPerLine) - 1;
    std::uint8_t* byte_;
    unsigned shift_;
  };
  // One that is there, until another takes its place; or none.
  class Line {
   public:
    Line() = default;
    Line(std::uint8_t& state, Extra& extra) : state_(&state), extra_(&extra) {}
    explicit operator bool() const { return state_ != nullptr; }
    Sectors valid() const { return {*state_, 0}; }
    Sectors dirty() const { return {*state_, kSectorsPerLine}; }
    Extra& extra() const { return *extra_; }

   private:
    friend class SectorCache;
    std::uint8_t* state_ = nullptr;
    Extra* extra_ = nullptr;
  };
  // What made room for another line.
  struct Evicted {
    LineNumber number = 0;
    SectorMask dirty = 0;
    bool was_there = false;
  };

  // Up to kMostWays `ways`.
  SectorCache(std::uint64_t bytes, unsigned ways) { resize(bytes, ways); }

  // Empties it, and gives it another size.
  void resize(std::uint64_t bytes, unsigned ways) {
    const unsigned wanted = std::clamp(ways, 1u, kMostWays);
    const std::uint64_t sets = std::max<std::uint64_t>(1, bytes / kLineBytes / wanted);
    if (sets != sets_ || wanted != ways_) {
      ways_ = wanted;
      sets_ = sets;
      by_sets_ = Divisor(sets);
      set_bits_ = std::has_single_bit(sets) ? static_cast<unsigned>(std::countr_zero(sets)) : 0;
      numbers_at_ = round_up(sizeof(Head) + 3 * std::size_t{ways_}, alignof(LineNumber));
      stride_ = round_up(numbers_at_ + ways_ * sizeof(LineNumber), kHostLine);
      // What is not used is not written either: a large cache is more than the host clears quickly.
      found_ = {sets_ * stride_, Fresh::zeroed};
      extras_ = {sets_ * ways_, Fresh::anything};
      epoch_ = 0;
    }
    clear();
  }
  void clear() {
    if (++epoch_ != 0) return;
    // Now the number of an epoch long ago, in which sets may have been left, comes again.
    std::fill_n(found_.data(), sets_ * stride_, std::uint8_t{0});
    epoch_ = 1;
  }
  // Of all lines that are there.
  template <typename Visit>
  void for_each_extra(Visit visit) {
    for (std::size_t index = 0; index < sets_; ++index) {
      const Set set = set_at(index);
      if (set.head->epoch != epoch_) continue;
      for (unsigned way = 0; way < ways_; ++way)
        if (set.marks[way] != 0) visit(extras_[place_at(index, way)]);
    }
  }

  // None: the line is not there. Counts as use.
  Line find(LineNumber number) {
    const std::size_t index = set_of(number);
    const Set set = set_at(index);
    if (set.head->epoch != epoch_) return {};
    const unsigned way = way_of(set, number);
    if (way == ways_) return {};
    use(set, way);
    return line_at(index, way);
  }
  // Where the line lies until another takes its place.
  std::size_t place_of(const Line& line) const {
    return static_cast<std::size_t>(line.extra_ - extras_.data());
  }
  std::size_t places() const { return sets_ * ways_; }
  // As find; the line is probably at that place.
  Line find_at(std::size_t place, LineNumber number) {
    const auto [index, way] = where_is(place);
    const Set set = set_at(index);
    if (set.head->epoch != epoch_ || set.numbers[way] != number || set.marks[way] == 0)
      return find(number);
    use(set, way);
    return line_at(index, way);
  }
  // Puts a line in, empty; `evicted` is what was there, with no dirty sectors where that is
  // nothing.
  Line insert(LineNumber number, Evicted& evicted) {
    const std::size_t index = set_of(number);
    const Set set = set_at(index);
    if (set.head->epoch != epoch_) empty(set);
    const bool full = set.head->count == ways_;
    const std::uint8_t way = set.order[full ? ways_ - 1 : set.head->count++];
    const std::size_t place = place_at(index, way);
    evicted = {};
    if (full)
      evicted = {set.numbers[way], static_cast<SectorMask>(set.states[way] >> kSectorsPerLine),
                 true};
    use(set, way);  // which reads by eight: before what is written below, that it would wait for
    set.numbers[way] = number;
    set.marks[way] = mark_of(number);
    set.states[way] = 0;
    extras_[place] = {};
    return line_at(index, way);
  }
  void remove(LineNumber number) {
    if (const Line line = find(number)) remove_at(place_of(line));
  }
  // The line that lies there.
  void remove_at(std::size_t place) {
    const auto [index, way] = where_is(place);
    const Set set = set_at(index);
    use(set, way);  // the one used last now
    set.marks[way] = 0;
    std::rotate(set.order, set.order + 1, set.order + set.head->count--);
  }
  // The line will be asked for soon: brings near what its set is searched by.
  void prefetch(LineNumber number) const {
    __builtin_prefetch(&found_[set_of(number) * stride_], 1);
  }
  // Its set is near: brings near what will be found, or what makes room.
  void prefetch_extra(LineNumber number) const {
    const std::size_t index = set_of(number);
    const std::uint8_t* const set = &found_[index * stride_];
    const std::uint8_t* const marks = set + sizeof(Head);
    const auto* const found =
        static_cast<const std::uint8_t*>(std::memchr(marks, mark_of(number), ways_));
    const unsigned way =
        found != nullptr ? static_cast<unsigned>(found - marks) : marks[2 * ways_ - 1];
    __builtin_prefetch(set + numbers_at_ + way * sizeof(LineNumber), 1);
    __builtin_prefetch(&extras_[place_at(index, way)], 1);
  }

  // Of a line that lies there.
  void prefetch_set(std::size_t place) const {
    __builtin_prefetch(&found_[where_is(place).set * stride_], 1);
  }
  void prefetch_place(std::size_t place) const {
    prefetch_set(place);
    __builtin_prefetch(&extras_[place]);
  }

 private:
  static constexpr std::size_t kHostLine = 64;
  static constexpr unsigned kEight = 8, kByteBits = 8;

  struct Head {
    std::uint32_t epoch = 0;  // others than the cache's: nothing is there
    std::uint32_t count = 0;  // of lines
  };
  // By way: a mark of the line's number, 0 where none is; its sectors; its number. All ways, the
  // lines first, those used last before the others.
  struct Set {
    Head* head;
    std::uint8_t *marks, *order, *states;
    LineNumber* numbers;
  };

  // The first ways of all sets lie together, then the second ones: of a cache that is used little,
  // little is touched.
  std::size_t place_at(std::size_t set, unsigned way) const { return way * sets_ + set; }
  struct Where {
    std::size_t set = 0;
    unsigned way = 0;
  };
  Where where_is(std::size_t place) const {
    const auto [way, set] = by_sets_.divide(place);
    return {set, static_cast<unsigned>(way)};
  }
  static std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }
  static std::uint8_t mark_of(LineNumber number) {
    constexpr std::uint64_t kMixer = 0x9e37'79b9'7f4a'7c15;
    return static_cast<std::uint8_t>(number * kMixer >> 56 | 1);
  }
  Set set_at(std::size_t index) {
    std::uint8_t* const first = &found_[index * stride_];
    std::uint8_t* const marks = first + sizeof(Head);
    return {reinterpret_cast<Head*>(first), marks, marks + ways_, marks + 2 * std::size_t{ways_},
            reinterpret_cast<LineNumber*>(first + numbers_at_)};
  }
  Line line_at(std::size_t index, unsigned way) {
    return {set_at(index).states[way], extras_[place_at(index, way)]};
  }
  void empty(const Set& set) {
    *set.head = {epoch_, 0};
    std::fill_n(set.marks, ways_, std::uint8_t{0});
    std::iota(set.order, set.order + ways_, std::uint8_t{0});
  }
  // Marks and the order are looked at by eight. Bit 7 of each byte that equals `byte`, and perhaps
  // of some above the first of those.
  static std::uint64_t equal_bytes(std::uint64_t eight, std::uint8_t byte) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kHighest = kOnes << 7;
    const std::uint64_t differ = eight ^ kOnes * byte;
    return (differ - kOnes) & ~differ & kHighest;
  }
  static std::uint64_t eight_at(const std::uint8_t* first) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, first, sizeof eight);
    return eight;
  }
  // That of the line; ways_: it is not there.
  unsigned way_of(const Set& set, LineNumber number) const {
    const std::uint8_t mark = mark_of(number);
    for (unsigned first = 0; first < ways_; first += kEight)
      for (std::uint64_t left = equal_bytes(eight_at(set.marks + first), mark); left != 0;
           left &= left - 1) {
        const unsigned way = first + static_cast<unsigned>(std::countr_zero(left)) / kByteBits;
        if (way >= ways_) return ways_;
        if (set.marks[way] == mark && set.numbers[way] == number) return way;
      }
    return ways_;
  }
  // Moves the way to the front of the order.
  static void use(const Set& set, unsigned way) {
    if (set.order[0] == way) return;
    std::uint64_t before = way;  // the byte that goes before the next eight
    for (std::uint8_t* at = set.order;; at += kEight) {
      const std::uint64_t eight = eight_at(at), moved = eight << kByteBits | before;
      const std::uint64_t found = equal_bytes(eight, static_cast<std::uint8_t>(way));
      const std::uint64_t mask = found ^ (found - 1);  // up to the way; all, if it lies behind
      const std::uint64_t next = (eight & ~mask) | (moved & mask);
      std::memcpy(at, &next, sizeof next);
      if (found != 0) return;
      before = eight >> (kEight - 1) * kByteBits;
    }
  }
  // Neighbouring lines go to neighbouring sets; higher bits are folded in, so that powers of two
  // between rows of a matrix do not meet in one set: all of them where sets are a power of two, as
  // in L1 (distance* of gpu/kernels/micro/timing/l1_places.cu).
  std::size_t set_of(LineNumber number) const {
    if (set_bits_ == 0) return by_sets_.rest(number ^ number >> 11 ^ number >> 23);
    LineNumber folded = number;
    for (const unsigned pieces : {4u, 2u, 1u})
      if (pieces * set_bits_ < 64) folded ^= folded >> pieces * set_bits_;
    return folded & (sets_ - 1);
  }

  BigArray<std::uint8_t> found_;  // a Set after the other, `stride_` bytes each
  BigArray<Extra> extras_;        // by place
  std::uint64_t sets_ = 0;
  Divisor by_sets_{1};
  unsigned ways_ = 0;
  unsigned set_bits_ = 0;  // of a set's number where their count is a power of two; else 0
  std::size_t numbers_at_ = 0, stride_ = 0;  // in a set; from one to the next
  std::uint32_t epoch_ = 0;
};

}  // namespace heddle::simulator::timing
