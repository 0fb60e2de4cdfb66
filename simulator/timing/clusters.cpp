#include "simulator/timing/clusters.hpp"

#include <algorithm>

#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

void ResidentCluster::arrive(Cycle now) {
  arrived_ = true;
  last_arrival_ = std::max(last_arrival_, now);
  look_at_barrier(now);
}

void ResidentCluster::look_at_barrier(Cycle now) {
  const auto waits = [](const Block* block) {
    return block != nullptr && block->at_cluster_barrier;
  };
  if (!arrived_ || std::ranges::any_of(blocks, waits)) return;
  const Cycle opened = std::max(last_arrival_, now);
  arrived_ = false;
  last_arrival_ = 0;
  for (Sm* sm : sms) sm->open_cluster_barrier(*this, opened);
}

}  // namespace heddle::simulator::timing
