// Lanes parted by a value of each: where a branch to several places takes them, or which mask they
// name at WARPSYNC.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

class LaneParts {
 public:
  struct Part {
    Mask lanes = 0;
    std::uint64_t value = 0;
  };

  // Of `lanes` (not none), by `values`, one for each lane.
  template <typename Values>
  LaneParts(Mask lanes, const Values& values) : lanes_(lanes) {
    for (Mask left = lanes; left != 0; ++count_) {
      const std::uint64_t value = values[static_cast<unsigned>(std::countr_zero(left))];
      Mask same = 0;
      for_each_lane(left, [&](unsigned lane) {
        if (values[lane] == value) same |= Mask{1} << lane;
      });
      if (count_ < leading_.size()) leading_[count_] = {same, value};
      left &= ~same;
    }
  }

  std::size_t count() const { return count_; }
  // The part that goes first: that of the lowest lane, unless it is more than half; then that of
  // the lowest lane outside it (docs/experiments/divergence-order.md, 2).
  Part first() const {
    const bool large = 2 * std::popcount(leading_[0].lanes) > std::popcount(lanes_);
    return leading_[large && count_ > 1 ? 1 : 0];
  }

 private:
  Mask lanes_;
  std::size_t count_ = 0;
  std::array<Part, 2> leading_{};  // the parts of the lowest lanes
};

// Counts an instruction that parts lanes two parts at a time: every part but the last is a
// divergent branch. The lanes left go through it again, which only the hardware's own counters see
// (gpu/cupti/README.md, calls through pointers).
inline void count_parting(Core& core, Warp& warp, const Step& step, const LaneParts& parts) {
  InstructionCounts& counts = core.counts_of(step);
  Group& group = warp.convergence.current();
  if (group.again) {
    group.again = false;
    ++counts.extra_executed;
    counts.extra_threads += static_cast<unsigned>(std::popcount(group.lanes));
  } else if (parts.count() == 1) {
    ++counts.branch_uniform;
  } else {
    counts.branch_divergent += parts.count() - 1;
  }
}

}  // namespace heddle::simulator
