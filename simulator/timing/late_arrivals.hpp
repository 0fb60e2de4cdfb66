// What mbarriers in the shared memory of an SM are told, at the cycle at which they learn it: of
// copies that have come, and of arrivals from other blocks.
#pragma once

#include <vector>

#include "simulator/execute/barrier_update.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class LateArrivals {
 public:
  void add(Cycle time, const BarrierUpdate& update);
  // When the next one is due; kNever: none is known.
  Cycle next_event() const { return due_.empty() ? kNever : due_.back().time; }
  // Tells barriers what is due.
  void advance(Cycle now);

 private:
  struct Due {
    Cycle time = 0;
    BarrierUpdate update;
  };
  std::vector<Due> due_;  // the first one last
};

}  // namespace heddle::simulator::timing
