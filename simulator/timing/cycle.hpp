// Time in the timing model.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator::timing {

// SM clock cycles since the launch began.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~Cycle{0};

// A server with bandwidth and no latency of its own: work is done in the order it is given, each
// piece once the one before has left. Counts in 1/256 of a cycle, so that servers of several pieces
// a cycle add up exactly.
class Server {
 public:
  static constexpr std::uint64_t kTicks = 256;
  // Cycles that work given at `now`, which takes `ticks`, waits before it begins.
  Cycle wait(Cycle now, std::uint64_t ticks) {
    const std::uint64_t begin = free_ > now * kTicks ? free_ : now * kTicks;
    free_ = begin + ticks;
    return (begin - now * kTicks) / kTicks;
  }
  // Work that would end after `time` is given up.
  void give_up_after(Cycle time) { free_ = std::min(free_, time * kTicks); }
  // Cycles from `now` until new work could begin.
  Cycle backlog(Cycle now) const { return free_ > now * kTicks ? free_ / kTicks - now : 0; }
  // Whether there is one.
  bool has_backlog(Cycle now) const { return free_ >= (now + 1) * kTicks; }

 private:
  std::uint64_t free_ = 0;
};

// A server that several SMs share, which run one after another through the same stretch of time:
// work takes the first place that is free, not before it is given.
class Calendar {
 public:
  static constexpr std::uint64_t kHundred = 100;
  // `interval`: between two pieces of work, in hundredths of a cycle; 0: there is always room.
  explicit Calendar(std::uint32_t interval) : interval_(interval) {}

  // When work given at `now` begins.
  Cycle take(Cycle now) {
    if (interval_ == 0) return now;
    if (taken_.data() == nullptr) taken_ = {kPlaces, Fresh::anything};
    std::uint64_t place = (now * kHundred + interval_ - 1) / interval_;
    for (std::size_t tries = 0; tries < kPlaces; ++tries, ++place) {
      std::uint64_t& taken = entry(place % kPlaces);
      if (taken == place + 1) continue;
      taken = place + 1;
      break;
    }
    return std::max(now, place * interval_ / kHundred);
  }

 private:
  static constexpr std::size_t kPlaces = 4096, kPieces = 64, kPiece = kPlaces / kPieces;

  std::uint64_t& entry(std::size_t index) {
    const std::size_t piece = index / kPiece;
    if ((begun_ >> piece & 1) == 0) {
      std::fill_n(&taken_[piece * kPiece], kPiece, std::uint64_t{0});
      begun_ |= std::uint64_t{1} << piece;
    }
    return taken_[index];
  }

  std::uint64_t interval_;
  // The place last taken of those that share an entry, and 1. Each SM has some, most of which are
  // never used, or little: only pieces that have begun to be used hold anything.
  BigArray<std::uint64_t> taken_;
  std::uint64_t begun_ = 0;  // bit i: piece i
};

}  // namespace heddle::simulator::timing
