#include "simulator/timing/pipes.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

Pipes::Pipes(const Constants& constants)
    : constants_(constants),
      ports_(constants.register_reads_per_bank),
      special_leaves_(std::max(1u, constants.xu_queue_entries)) {}

void Pipes::occupy_special(const Timed& timed, Cycle now) {
  const Cycle begin = std::max(special_free_, now);
  special_free_ = begin + timed.interval;
  special_leaves_[special_next_] = begin + constants_.latency_xu_read;
  special_next_ = (special_next_ + 1) % special_leaves_.size();
}

}  // namespace heddle::simulator::timing
