// What instructions occupy within a sub-core: its pipes, its register banks, and the queue of its
// special function unit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/register_ports.hpp"

namespace heddle::simulator::timing {

class Pipes {
 public:
  explicit Pipes(const Constants& constants);

  // When the pipe takes another instruction.
  Cycle free_at(Pipe pipe) const { return free_at_[static_cast<std::size_t>(pipe)]; }
  // Cycles up to `now` in which it took none, but for those in which one was given to it.
  Cycle busy_cycles(Pipe pipe, Cycle now) const {
    // Either half of the FMA unit, where both are: those that one is count twice.
    const Cycle busy =
        pipe == Pipe::fma ? busy_of(Pipe::fma_heavy) + busy_of(Pipe::fma_lite) - busy_of(Pipe::half)
                          : busy_of(pipe);
    return busy - left(free_at(pipe), now);
  }
  // When the queue of the special function unit has room.
  Cycle special_room() const { return special_leaves_[special_next_]; }
  // When the special function unit begins the instruction that it was given last.
  Cycle special_began(const Timed& timed) const { return special_free_ - timed.interval; }
  // When the register banks let the instruction issue; `now`: they do.
  Cycle banks_ready(const Timed& timed, Cycle now) const {
    return timed.reads_banks ? ports_.ready(timed.bank_reads, now) : now;
  }
  // Whether they let any instruction issue that reads at most `most` registers of a bank.
  bool all_banks_ready(Cycle now, unsigned most) const { return ports_.all_ready(now, most); }
  // The instruction issues.
  void occupy(const Timed& timed, Cycle now) {
    occupy_pipe(timed.pipe, now, now + timed.interval);
    if (timed.course == Course::special) occupy_special(timed, now);
    if (timed.reads_banks && !(timed.reads_once && ports_.is_quiet(now)))
      ports_.read(timed.bank_reads, now);
  }

 private:
  static Cycle left(Cycle until, Cycle now) { return until > now ? until - now : 0; }
  Cycle busy_of(Pipe pipe) const { return busy_[static_cast<std::size_t>(pipe)]; }
  void keep_busy(Pipe pipe, Cycle now, Cycle until) {
    const auto i = static_cast<std::size_t>(pipe);
    busy_[i] += left(until, now + 1) - left(free_at_[i], now + 1);
    free_at_[i] = until;
  }
  void occupy_pipe(Pipe pipe, Cycle now, Cycle until) {
    switch (pipe) {
      case Pipe::none:
        return;
      case Pipe::fma:  // what either half can do leaves the heavy one to integer multiplication
        keep_busy(free_at(Pipe::fma_lite) <= now ? Pipe::fma_lite : Pipe::fma_heavy, now, until);
        break;
      case Pipe::half:
        keep_busy(Pipe::fma_heavy, now, until);
        keep_busy(Pipe::fma_lite, now, until);
        break;
      default:
        keep_busy(pipe, now, until);
        if (pipe != Pipe::fma_heavy && pipe != Pipe::fma_lite) return;
    }
    const Cycle heavy = free_at(Pipe::fma_heavy), lite = free_at(Pipe::fma_lite);
    free_at_[static_cast<std::size_t>(Pipe::fma)] = std::min(heavy, lite);
    keep_busy(Pipe::half, now, std::max(heavy, lite));
  }
  void occupy_special(const Timed& timed, Cycle now);

  const Constants& constants_;
  std::array<Cycle, kPipes> free_at_{};
  std::array<Cycle, kPipes> busy_{};  // cycles, those ahead included; of `fma` busy_cycles tells
  RegisterPorts ports_;
  Cycle special_free_ = 0;
  std::vector<Cycle> special_leaves_;  // of the last instructions to the special function unit
  std::size_t special_next_ = 0;       // the one that went longest ago
};

}  // namespace heddle::simulator::timing
