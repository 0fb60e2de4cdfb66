// Blocks of a launch that are dispatched together within a GPC: when their barrier releases, and
// the ports by which they reach each other's shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {

class Sm;

// A cluster that is on SMs, or a block that is one by itself. Its SMs run one after another through
// the same stretch of time, shorter than the barrier takes: what one does is felt by the others in
// time.
struct ResidentCluster {
  std::vector<Block*> blocks;    // by rank; null: it has ended
  std::vector<Sm*> sms;          // of each
  std::vector<Calendar*> ports;  // of each: through which the others access its shared memory

  // Threads have arrived at the barrier.
  void arrive(Cycle now);
  // Something may have released those that wait there: the last arrival, or the end of one that had
  // not arrived.
  void look_at_barrier(Cycle now);

 private:
  bool arrived_ = false;  // someone has, since the barrier released last
  Cycle last_arrival_ = 0;
};

// Who accesses memory, as far as that says where it lies: local memory of a warp, and shared memory
// of the block's own rank or of another one.
struct Origin {
  LineNumber local_line = 0;  // where the warp's local memory begins, of all local memory
  std::uint32_t rank = 0;
  const ResidentCluster* cluster = nullptr;  // null: the launch has none
};

}  // namespace heddle::simulator::timing
