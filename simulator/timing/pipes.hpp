// What instructions occupy within a sub-core: its pipes, its register banks, and the queue of its
// special function unit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator::timing {

class Pipes {
 public:
  explicit Pipes(const Constants& constants);

  // When the pipe takes another instruction.
  Cycle free_at(Pipe pipe) const;
  // When the queue of the special function unit has room.
  Cycle special_room() const { return special_leaves_[special_next_]; }
  // When the special function unit begins the instruction that it was given last.
  Cycle special_began(const Timed& timed) const { return special_free_ - timed.interval; }
  // When the register banks let the instruction issue; `now`: they do.
  Cycle banks_ready(const Timed& timed, Cycle now) const;
  // Whether they let any instruction issue that reads a bank for at most `most_cycles`.
  bool all_banks_ready(Cycle now, Cycle most_cycles) const {
    return banks_free_ + most_cycles <= now + kReadCycles;
  }
  // The instruction issues.
  void occupy(const Timed& timed, Cycle now);

 private:
  static constexpr Cycle kReadCycles = 3;  // in which an instruction reads its registers
  Cycle busy_until(Pipe pipe) const { return busy_until_[static_cast<std::size_t>(pipe)]; }

  const Constants& constants_;
  std::array<Cycle, kPipes> busy_until_{};
  std::array<Cycle, 4> bank_free_{};
  Cycle banks_free_ = 0;  // all of them
  Cycle special_free_ = 0;
  std::vector<Cycle> special_leaves_;  // of the last instructions to the special function unit
  std::size_t special_next_ = 0;       // the one that went longest ago
};

}  // namespace heddle::simulator::timing
