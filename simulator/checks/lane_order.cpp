#include "simulator/checks/lane_order.hpp"

#include <algorithm>
#include <bit>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator::checks {

unsigned LaneOrder::lowest(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

void LaneOrder::start(Mask lanes) {
  tick_ = 0;
  with_.fill(lanes);
  last_.fill(0);
  known_.reset();
}

void LaneOrder::settle(unsigned lane) {
  const std::uint32_t together = last_[lowest(with_[lane])];
  for_each_lane(with_[lane], [&](unsigned other) {
    std::uint32_t& known = (*known_)[lane][other];
    known = std::max(known, together);
  });
}

LaneOrder::Known LaneOrder::joined(Mask lanes) const {
  Known all{};
  for_each_lane(lanes, [&](unsigned lane) {
    for (unsigned other = 0; other < kWarpSize; ++other)
      all[other] = std::max(all[other], (*known_)[lane][other]);
  });
  return all;
}

void LaneOrder::regroup(Mask lanes) {
  if (known_ == nullptr) known_ = std::make_unique<std::array<Known, kWarpSize>>();
  Mask touched = lanes;
  for_each_lane(lanes, [&](unsigned lane) { touched |= with_[lane]; });
  for_each_lane(touched, [&](unsigned lane) { settle(lane); });
  const Known all = joined(lanes);
  const std::array<std::uint32_t, kWarpSize> last = last_;
  const std::array<Mask, kWarpSize> with = with_;
  for_each_lane(touched & ~lanes, [&](unsigned lane) {
    with_[lane] = with[lane] & ~lanes;
    last_[lowest(with_[lane])] = last[lowest(with[lane])];
  });
  for_each_lane(lanes, [&](unsigned lane) {
    with_[lane] = lanes;
    (*known_)[lane] = all;
  });
  last_[lowest(lanes)] = tick_;
}

bool LaneOrder::ordered(unsigned earlier, std::uint32_t tick, unsigned later) const {
  if (earlier == later) return true;
  if ((with_[later] >> earlier & 1) != 0 && last_[lowest(with_[later])] >= tick) return true;
  return known_ != nullptr && (*known_)[later][earlier] >= tick;
}

}  // namespace heddle::simulator::checks
