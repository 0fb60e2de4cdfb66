#include "simulator/checks/lane_order.hpp"

#include <algorithm>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator::checks {

void LaneOrder::start(Mask lanes) {
  tick_ = 0;
  with_.fill(lanes);
  last_.fill(0);
  known_.reset();
}

void LaneOrder::settle(unsigned lane) {
  const std::uint32_t together = last_[with_[lane].first()];
  for (const unsigned other : with_[lane]) {
    std::uint32_t& known = (*known_)[lane][other];
    known = std::max(known, together);
  }
}

LaneOrder::Known LaneOrder::joined(Mask lanes) const {
  Known all{};
  for (const unsigned lane : lanes) {
    for (unsigned other = 0; other < kWarpSize; ++other)
      all[other] = std::max(all[other], (*known_)[lane][other]);
  }
  return all;
}

void LaneOrder::regroup(Mask lanes) {
  if (known_ == nullptr) known_ = std::make_unique<std::array<Known, kWarpSize>>();
  Mask touched = lanes;
  for (const unsigned lane : lanes) touched |= with_[lane];
  for (const unsigned lane : touched) settle(lane);
  const Known all = joined(lanes);
  const std::array<std::uint32_t, kWarpSize> last = last_;
  const std::array<Mask, kWarpSize> with = with_;
  for (const unsigned lane : touched & ~lanes) {
    with_[lane] = with[lane] & ~lanes;
    last_[with_[lane].first()] = last[with[lane].first()];
  }
  for (const unsigned lane : lanes) {
    with_[lane] = lanes;
    (*known_)[lane] = all;
  }
  last_[lanes.first()] = tick_;
}

bool LaneOrder::ordered(unsigned earlier, std::uint32_t tick, unsigned later) const {
  if (earlier == later) return true;
  if (with_[later].has(earlier) && last_[with_[later].first()] >= tick) return true;
  return known_ != nullptr && (*known_)[later][earlier] >= tick;
}

}  // namespace heddle::simulator::checks
