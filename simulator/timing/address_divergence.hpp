// The address divergence unit (ADU) of an SM, which executes LDC, S2UR and BAR. Each sub-core has a
// short queue of its own for these, apart from the one to the memory unit; the unit takes from all
// queues in the order of issue, one in a cycle, as far as there are places before it (alone.* and
// behind.* of gpu/kernels/micro/timing/queues.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class AddressDivergenceUnit {
 public:
  explicit AddressDivergenceUnit(const Constants& constants)
      : constants_(constants),
        queues_(constants.sub_cores),
        begun_(std::max(1u, constants.adu_shared_entries)) {
    for (Ring& queue : queues_) queue = Ring(std::max(1u, constants.adu_queue_entries));
  }

  // When the sub-core's queue has room.
  Cycle room(unsigned sub_core) const { return queues_[sub_core].oldest(); }
  // Takes an instruction that issues at `now` and keeps the unit for `busy` cycles. How many cycles
  // later it begins than on an idle unit.
  Cycle take(unsigned sub_core, Cycle now, Cycle busy) {
    const Cycle taken = std::max({now, taken_from_, begun_.oldest()});
    taken_from_ = taken + 1;
    queues_[sub_core].add(taken + constants_.latency_adu_queue);
    const Cycle begin = std::max(taken + 1, free_);
    free_ = begin + busy;
    begun_.add(begin);
    return begin - (now + 1);
  }

 private:
  // The times of the last instructions, as many as there are places.
  class Ring {
   public:
    explicit Ring(std::size_t places = 1) : times_(places) {}
    Cycle oldest() const { return times_[next_]; }
    void add(Cycle time) {
      times_[next_] = time;
      next_ = next_ + 1 == times_.size() ? 0 : next_ + 1;
    }

   private:
    std::vector<Cycle> times_;
    std::size_t next_ = 0;
  };

  const Constants& constants_;
  std::vector<Ring> queues_;  // when places are free again
  Ring begun_;                // when the unit began with the last ones
  Cycle taken_from_ = 0, free_ = 0;
};

}  // namespace heddle::simulator::timing
