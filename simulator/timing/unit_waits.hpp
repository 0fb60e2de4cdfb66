// Warps of a sub-core that lack nothing but their unit. They are often many, and their units free
// and busy by turns: so each unit is asked in a cycle, not each warp, and a warp's cycles are told
// apart when it leaves.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/scheduler.hpp"

namespace heddle::simulator::timing {

class UnitWaits {
 public:
  SlotMask all() const { return all_; }

  // Units stay as they were found by `ask` until `now`.
  void pass(Cycle now) {
    const Cycle cycles = now - passed_;
    passed_ = now;
    if (held_) held_cycles_ += cycles;
    if (!held_ && is_blocked(kQueueGate) && only_global_) global_cycles_ += cycles;
    for (std::uint32_t left = blocked_ & (held_ ? ~kQueues : kQueues); left != 0; left &= left - 1)
      cycles_[static_cast<unsigned>(std::countr_zero(left))] += cycles;
    held_ = false;
  }
  // Nothing issues until the next call of `pass`, whichever units are free.
  void hold() { held_ = true; }
  bool is_held() const { return held_; }
  // Cycles while warps waited for it: of a queue, those in which it was found full and others could
  // issue; of a pipe, those in which it was found busy and none could.
  Cycle cycles(unsigned gate) const { return cycles_[gate]; }
  // Whether all that the memory unit's queue holds, found full by `ask`, is of global and local
  // memory; and the cycles while that was so.
  void note_queue(bool only_global) { only_global_ = only_global; }
  bool holds_only_global() const { return only_global_; }
  // `blocked`: cycles in which the unit has not been free until now.
  void enter(unsigned slot, const Timed& timed, Cycle now, Cycle blocked) {
    const SlotMask bit = SlotMask{1} << slot;
    all_ |= bit;
    waiting_[timed.gate] |= bit;
    wanted_ |= 1u << timed.gate;
    entered_[slot] = {now, blocked, held_cycles_, global_cycles_};
  }
  // When the warp entered, and the cycles since in which its unit was not free, others in which
  // nothing issued, and those in which a full queue held only global and local memory's.
  struct Waited {
    Cycle since = 0, blocked = 0, held = 0, only_global = 0;
  };
  Waited leave(unsigned slot, const Timed& timed, Cycle blocked) {
    const SlotMask bit = SlotMask{1} << slot;
    all_ &= ~bit;
    waiting_[timed.gate] &= ~bit;
    if (waiting_[timed.gate] == 0) wanted_ &= ~(1u << timed.gate);
    const Waited& before = entered_[slot];
    return {before.since, blocked - before.blocked, held_cycles_ - before.held,
            global_cycles_ - before.only_global};
  }
  // Of the warps that wait for the unit, those that have found it not free; `blocked` as above.
  SlotMask found_blocked(unsigned gate, Cycle blocked) const {
    SlotMask found = 0;
    for (SlotMask left = waiting_[gate]; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      if (entered_[slot].blocked != blocked) found |= SlotMask{1} << slot;
    }
    return found;
  }
  // Warps whose unit is free, where free_at(gate) is when a unit will be; `until`: when the first
  // of the others is.
  template <typename FreeAt>
  SlotMask ask(Cycle now, Cycle& until, FreeAt&& free_at) {
    SlotMask kept = 0;
    blocked_ = 0;
    for (std::uint32_t left = wanted_; left != 0; left &= left - 1) {
      const auto gate = static_cast<unsigned>(std::countr_zero(left));
      const Cycle free = free_at(gate);
      if (free <= now) continue;
      blocked_ |= 1u << gate;
      kept |= waiting_[gate];
      until = std::min(until, free);
    }
    return all_ & ~kept;
  }
  // The units that they wait for: bit i, gate i; and whether one is not a pipe of the sub-core's.
  std::uint32_t wanted() const { return wanted_; }
  bool want_queues() const { return (wanted_ & kQueues) != 0; }
  SlotMask waiting(unsigned gate) const { return waiting_[gate]; }
  bool is_blocked(unsigned gate) const { return (blocked_ >> gate & 1) != 0; }

 private:
  static constexpr std::uint32_t kQueues = ~((1u << kPipes) - 1);
  SlotMask all_ = 0;
  std::uint32_t wanted_ = 0, blocked_ = 0;  // bit i: gate i
  bool held_ = false, only_global_ = false;
  Cycle passed_ = 0, held_cycles_ = 0, global_cycles_ = 0;
  std::array<SlotMask, kGates> waiting_{};
  std::array<Cycle, kGates> cycles_{};
  std::array<Waited, kSlots> entered_{};  // the cycles: until then
};

}  // namespace heddle::simulator::timing
