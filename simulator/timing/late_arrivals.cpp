#include "simulator/timing/late_arrivals.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

void LateArrivals::add(Cycle time, const BarrierUpdate& update) {
  const auto later = [](const Due& due, Cycle than) { return due.time > than; };
  due_.insert(std::lower_bound(due_.begin(), due_.end(), time, later), {time, update});
}

void LateArrivals::advance(Cycle now) {
  for (; !due_.empty() && due_.back().time <= now; due_.pop_back()) deliver(due_.back().update);
}

}  // namespace heddle::simulator::timing
