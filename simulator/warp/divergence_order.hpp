// Which lanes run first where lanes diverge (docs/experiments/divergence-order.md, 1 and 2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "simulator/base/mask.hpp"

namespace heddle::simulator {

// Rule 1, a branch: the smaller group; of equal ones the one that falls through.
inline bool taken_runs_first(Mask taken, Mask active) { return 2 * taken.count() < active.count(); }

// Lanes by a value of each: where an indirect branch sends them, or the mask that they name at
// WARPSYNC. The parts stand in the order in which they run.
class LaneParts {
 public:
  struct Part {
    Mask lanes;
    std::uint64_t value;
  };

  // Of `lanes` (not none), by `values`, one for each lane.
  template <typename Values>
  LaneParts(Mask lanes, const Values& values) {
    for (Mask left = lanes; left.any(); ++count_) {
      const std::uint64_t value = values[left.first()];
      Mask same{};
      for (const unsigned lane : left) {
        if (values[lane] == value) same |= Mask::of(lane);
      }
      parts_[count_] = {same, value};
      left &= ~same;
    }
    order(lanes);
  }

  std::size_t count() const { return count_; }
  const Part& first() const { return parts_[0]; }
  std::span<const Part> all() const { return std::span(parts_).first(count_); }

 private:
  // Rule 2, again and again: the part of the lowest lane, unless it is more than half of what is
  // left; then that of the lowest lane outside it.
  void order(Mask left) {
    for (std::size_t i = 0; i + 1 < count_; ++i) {
      if (2 * parts_[i].lanes.count() > left.count()) std::swap(parts_[i], parts_[i + 1]);
      left &= ~parts_[i].lanes;
    }
  }

  std::size_t count_ = 0;
  std::array<Part, kWarpSize> parts_;
};

}  // namespace heddle::simulator
