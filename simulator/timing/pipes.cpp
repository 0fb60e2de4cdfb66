#include "simulator/timing/pipes.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

Pipes::Pipes(const Constants& constants)
    : constants_(constants), special_leaves_(std::max(1u, constants.xu_queue_entries)) {}

Cycle Pipes::free_at(Pipe pipe) const {
  if (pipe == Pipe::fma) return std::min(busy_until(Pipe::fma_heavy), busy_until(Pipe::fma_lite));
  if (pipe == Pipe::half) return std::max(busy_until(Pipe::fma_heavy), busy_until(Pipe::fma_lite));
  return busy_until(pipe);
}

Cycle Pipes::banks_ready(const Timed& timed, Cycle now) const {
  // A fixed-latency instruction reads its registers in the three cycles after it issued.
  for (std::size_t bank = 0; bank < bank_free_.size(); ++bank) {
    const Cycle reads = timed.bank_cycles[bank];
    const Cycle end = std::max(bank_free_[bank], now) + reads;
    if (reads != 0 && end > now + kReadCycles) return end - kReadCycles;
  }
  return now;
}

void Pipes::occupy(const Timed& timed, Cycle now) {
  Pipe pipe = timed.pipe;
  // What either half can do leaves the heavy one to integer multiplication.
  if (pipe == Pipe::fma)
    pipe = busy_until(Pipe::fma_lite) <= now ? Pipe::fma_lite : Pipe::fma_heavy;
  const auto occupy = [&](Pipe each) {
    busy_until_[static_cast<std::size_t>(each)] = now + timed.interval;
  };
  if (pipe == Pipe::half) {
    occupy(Pipe::fma_heavy);
    occupy(Pipe::fma_lite);
  } else if (pipe != Pipe::none) {
    occupy(pipe);
  }
  if (timed.course == Course::special) {
    const Cycle begin = std::max(special_free_, now);
    special_free_ = begin + timed.interval;
    special_leaves_[special_next_] = begin + constants_.latency_xu_read;
    special_next_ = (special_next_ + 1) % special_leaves_.size();
  }
  if (timed.reads_banks)
    for (std::size_t bank = 0; bank < bank_free_.size(); ++bank)
      if (timed.bank_cycles[bank] != 0)
        banks_free_ = std::max(banks_free_, bank_free_[bank] = std::max(bank_free_[bank], now) +
                                                               timed.bank_cycles[bank]);
}

}  // namespace heddle::simulator::timing
