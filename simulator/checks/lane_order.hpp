// Which lanes of a warp know what others of it have done: those that execute together, and those
// that have met since.
//
// Lanes that part (at a branch) run in any order until they come together at an instruction, which
// BSYNC and WARPSYNC make them do, or meet at a barrier.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "simulator/base/types.hpp"

namespace heddle::simulator::checks {

class LaneOrder {
 public:
  void start(Mask lanes);
  // The warp executes an instruction, with these lanes.
  void issue(Mask active) {
    ++tick_;
    const unsigned leader = lowest(active);
    if (with_[leader] == active)
      last_[leader] = tick_;
    else
      regroup(active);
  }
  // These lanes have waited for one another, though they do not go on together.
  void meet(Mask lanes);

  std::uint32_t tick() const { return tick_; }  // of the instruction that executes
  // Whether `later` (executing now) knows what `earlier` did at a tick.
  bool ordered(unsigned earlier, std::uint32_t tick, unsigned later) const;

 private:
  using Known = std::array<std::uint32_t, kWarpSize>;  // ticks, of each lane
  static unsigned lowest(Mask lanes);
  void regroup(Mask active);
  void settle(unsigned lane);  // writes down what it knows of those it executes with
  Known joined(Mask lanes) const;

  std::uint32_t tick_ = 0;
  std::array<Mask, kWarpSize> with_{};           // the lanes a lane executed with last
  std::array<std::uint32_t, kWarpSize> last_{};  // … and when, at the lowest lane of them
  // What lanes know of those they do not execute with; made when lanes part.
  std::unique_ptr<std::array<Known, kWarpSize>> known_;
};

}  // namespace heddle::simulator::checks
