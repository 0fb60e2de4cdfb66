// Which lanes of a warp know what others of it have done: those that have met since.
//
// Lanes meet at __syncwarp(), which compiled code shows as a NOP where all lanes are known to be
// there and as WARPSYNC elsewhere, at the other _sync calls, and at barriers. That they execute
// together, or reconverge behind a branch, orders nothing: CUDA does not promise that they do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "simulator/base/mask.hpp"

namespace heddle::simulator::checks {

class LaneOrder {
 public:
  void start(Mask lanes);
  // The warp executes an instruction.
  void issue() { ++tick_; }
  // What these lanes did before this instruction all of them know from now on.
  void meet(Mask lanes) {
    if (lanes.empty()) return;
    const unsigned leader = lanes.first();
    if (with_[leader] == lanes)
      last_[leader] = tick_;
    else
      regroup(lanes);
  }

  std::uint32_t tick() const { return tick_; }  // of the instruction that executes
  // Whether `later` (executing now) knows what `earlier` did at a tick.
  bool ordered(unsigned earlier, std::uint32_t tick, unsigned later) const;

 private:
  using Known = std::array<std::uint32_t, kWarpSize>;  // ticks, of each lane
  void regroup(Mask lanes);
  void settle(unsigned lane);  // writes down what it knows of those it met last
  Known joined(Mask lanes) const;

  std::uint32_t tick_ = 0;
  std::array<Mask, kWarpSize> with_{};           // the lanes that a lane met last
  std::array<std::uint32_t, kWarpSize> last_{};  // … and when, at the lowest lane of them
  // What lanes know of others; made when some meet without the others.
  std::unique_ptr<std::array<Known, kWarpSize>> known_;
};

}  // namespace heddle::simulator::checks
