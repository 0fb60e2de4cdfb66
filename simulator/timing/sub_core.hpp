// A sub-core of an SM: its warps, the scheduler that selects one of them in a cycle, and its pipes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "simulator/timing/driver_calls.hpp"
#include "simulator/timing/pipes.hpp"
#include "simulator/timing/sm_units.hpp"
#include "simulator/timing/unit_waits.hpp"
#include "simulator/timing/warp_slots.hpp"

namespace heddle::simulator::timing {

// Stages in which the host prefetches what an SM will touch: each needs what the one before has
// brought.
enum class PrefetchStage : std::uint8_t { sm, sub_cores, slots, warps, registers, count_ };

class alignas(64) SubCore {
 public:
  SubCore(SmUnits& units, unsigned index)
      : units_(units),
        constants_(units.constants),
        instructions_(units.context->program.instructions.data()),
        steps_(units.context->core.launch.program->steps.data()),
        next_visit_(
            units.next_visits[index / SmUnits::kVisitsAtOnce][index % SmUnits::kVisitsAtOnce]),
        index_(index),
        most_bank_reads_(units.context->program.most_bank_reads),
        counts_results_(units.context->program.counts_results),
        looks_ahead_(!units.observed && !units.context->picks_by_wait),
        barrier_notice_(std::max<Cycle>(1, units.constants.latency_barrier)),
        pipes_(units.constants),
        lines_between_local_(lines_between_local(units.context->core.launch)),
        tensor_(units.constants) {}

  enum class Visited : std::uint8_t {
    done,
    released,  // the warp that issued last has released its block's barrier
    stopped,   // the launch stops
  };
  // What happens in the cycle `now`: warps are examined, and one that can issues. What the sub-core
  // does by itself in the cycles behind it, up to `end`, is done at once. `last`: no other sub-core
  // has anything to do in this cycle any more.
  Visited visit(Cycle now, Cycle end, bool last);
  // Of the instruction that issued last: its warp's block, and when it did.
  std::uint32_t last_block() const { return slots_[last_].block; }
  Cycle last_issue() const { return last_issue_; }

  std::uint32_t warps() const { return slots_.count(); }
  // It begins to issue at `begin`. `block`: its block's place on the SM.
  void start_warp(Warp& warp, std::uint32_t block, Cycle begin);
  // Warps of the block whose barrier was released at `now` leave it.
  void leave_barrier(std::uint32_t block, Cycle now, Cycle opens);
  void leave_cluster_barrier(const ResidentCluster& cluster);

  // The memory unit has read an instruction's registers, or taken it up; or L2 has answered it.
  void read_sources(const Outstanding& who, Cycle now);
  void take_up(const Served& served, Cycle now);
  void take_answer(const Outstanding& answer, Cycle now);
  // Its queue to the memory unit has room again.
  void find_room(Cycle now);
  // Whether the warp is still there that waits.
  bool holds(const Outstanding& who) const;

  void prefetch(PrefetchStage stage, Cycle until) const;
  void prefetch_slot(unsigned slot) const;
  std::uint64_t issued() const { return issued_; }

 private:
  static constexpr Cycle kUnknown = kNever;
  // Why a warp does not issue, until when at least. Ready: not_selected.
  struct Wait {
    Stall reason;
    Cycle until;
  };
  // The slot of the warp that issues; kSlots: none does. When one can that does not sleep, unless
  // what issues changes that.
  struct Turn {
    unsigned slot;
    Cycle next;
  };
  // What an instruction costs that ends a stretch of code, and the part of it in which the next one
  // is on its way.
  struct FlowTime {
    Cycle latency = 0, fetch = 0;
  };

  // issue_loop.cpp
  Turn take_turn(Cycle now);
  Turn find_turn(Cycle now);
  unsigned take_lone(Cycle now);
  Cycle find_ready(Cycle now);
  void wait_for_unit(unsigned slot, Cycle now);
  SlotMask ask_units(Cycle now, Cycle& until);
  Cycle units_behind_issue(unsigned slot, Cycle now, Cycle units_free) const;
  unsigned pick(Cycle now);
  SlotMask queued(Cycle now) const;
  Cycle registers_there(const ResidentWarp& warp, const Timed& next, Cycle now) const;
  bool waits_for_registers(unsigned slot, Cycle now);
  void hold_stall_counts(SlotMask others, Cycle now, Cycle until);
  void leave_unit_wait(unsigned slot, ResidentWarp& warp, const Timed& left, Cycle now);
  Visited issue(unsigned slot, Cycle now);
  void issue_computing(unsigned slot, ResidentWarp& warp, const Timed& timed, Cycle now);
  Cycle issue_alone(unsigned slot, ResidentWarp& warp, Cycle now, Cycle until);
  void count_unit_wait(ResidentWarp& warp, Cycle ready, Cycle free, Cycle there);
  void take_time(ResidentWarp& warp, const Timed& timed, Cycle now);
  void wait_until_open(ResidentWarp& warp, const Timed& issued) const;
  void spend_call(ResidentWarp& warp, const StallCycles& time);
  void advance_by_one(unsigned slot, ResidentWarp& warp, const Timed& issued, Cycle now);
  void fall_asleep(unsigned slot, ResidentWarp& warp, Cycle now);
  void sleep_until_ready(unsigned slot, ResidentWarp& warp, Cycle ready);
  Cycle pass_redirection(ResidentWarp& warp, Cycle ready);
  bool stands_ready(const ResidentWarp& warp, Cycle ready) const;
  Cycle by_itself_until(Cycle now, Cycle end, SlotMask awake) const;
  bool goes_on_by_itself(Cycle awakes) const;
  bool computes(const ResidentWarp& warp, const Timed& next) const;
  bool issues_by_itself(const ResidentWarp& warp, const Timed& next) const;

  // sub_core.cpp: the cycle.
  const Timed& timed(const ResidentWarp& warp) const { return instructions_[warp.pc]; }
  // Cycles up to `now` in which the unit was not free, but for those in which nothing issued.
  Cycle blocked_cycles(unsigned gate, Cycle now) const {
    return gate < kPipes ? pipes_.busy_cycles(static_cast<Pipe>(gate), now) - waits_.cycles(gate)
                         : waits_.cycles(gate);
  }
  void wake(unsigned slot, Cycle now);
  void examine(unsigned slot, Cycle now);
  void enter_unit_wait(unsigned slot, Cycle now);
  void tell_unit_waits(Cycle now);
  // What a warp is seen in that waits for room: local and global memory's queue is said to be full
  // only where nothing else is in it (queue_waits.cu of gpu/kernels/micro/timing).
  Stall full_queue(const Timed& next) const {
    const bool mixed = next.queue_full == Stall::lg_throttle && !waits_.holds_only_global();
    return mixed ? Stall::mio_throttle : next.queue_full;
  }
  SlotMask waiting_long() const;
  void hold(unsigned slot, Cycle now);
  void retire(unsigned slot, Cycle now);
  // Its cycles up to `until` are of the reason for which it waits.
  void account(ResidentWarp& warp, Cycle until) {
    if (until <= warp.counted_until) return;
    if (units_.observed && warp.warp != nullptr) tell_wait(warp, until);
    const std::uint32_t pc = warp.seen_at != 0 ? warp.seen_at : warp.pc;
    units_.context->stalls_at[pc][static_cast<std::size_t>(warp.state)] +=
        until - warp.counted_until;
    warp.counted_until = until;
  }
  void tell_wait(const ResidentWarp& warp, Cycle until);

  // stall_reasons.cpp
  Wait wait_of(ResidentWarp& warp, Cycle now);
  bool group_has_arrived(const ResidentWarp& warp) const;
  Cycle operand_arrival(const ResidentWarp& warp, const Timed& timed, Cycle now);
  void ask_for_code(ResidentWarp& warp, Cycle now);
  Wait wait_at_end(const ResidentWarp& warp, Cycle now) const;
  Wait wait_at_fence(const ResidentWarp& warp, Cycle now) const;
  Wait wait_for_answers(const ResidentWarp& warp, Cycle now) const;
  Wait wait_for_results(const ResidentWarp& warp, const Timed& timed, Cycle now) const;
  Wait wait_for_units(const Timed& timed, Cycle now) const;
  // When an instruction that passes the gate could issue.
  Cycle unit_free(unsigned gate, Cycle now) const {
    return gate < kPipes ? pipes_.free_at(static_cast<Pipe>(gate)) : queue_free(gate, now);
  }
  Cycle queue_free(unsigned gate, Cycle now) const;

  // issued_instruction.cpp: what it sets going.
  void find_sources(const ResidentWarp& warp, const Timed& timed);
  void start(unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  void start_pass(unsigned slot, const Timed& timed, Cycle now);
  void load_constant(ResidentWarp& warp, const Timed& timed, Cycle now);
  static LineNumber lines_between_local(const LaunchContext& launch);
  LineNumber local_line(unsigned slot) const;
  void start_memory(unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  void start_texture(unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  void start_product(unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  void start_bulk_copy(ResidentWarp& warp, const Timed& timed, const Issue& issued, Cycle now);
  void update_barriers(const ResidentWarp& warp, Cycle now);
  CopyEngine::Receiver receiver(const ResidentWarp& warp, const BarrierUpdate& update);
  void close_copies(ResidentWarp& warp, const Timed& timed, Cycle now);
  FlowTime flow_time(const ResidentWarp& warp, const Timed& timed, const Issue& issued) const;
  Cycle yield_time(const ResidentWarp& warp, Cycle now);
  Cycle search_time(Cycle now, unsigned times);
  void pass_barrier(ResidentWarp& warp, const Timed& barrier, Cycle latency, Cycle now);
  void start_flow(unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  void start_cluster(ResidentWarp& warp, const Timed& timed, const Issue& issued, Cycle now);
  Cycle sleep_cycles(const ResidentWarp& warp, const Issue& issued) const;
  Outstanding waiting_for(unsigned slot, const Timed& timed) const;
  // `done` may be kUnknown.
  void guard(ResidentWarp& warp, std::uint8_t scoreboard, Stall awaited, Cycle done);
  void count_result(ResidentWarp& warp, std::uint8_t scoreboard, Cycle done);
  void expect_results(ResidentWarp& warp, const Timed& timed);
  void advance(unsigned slot, const Timed& timed, Cycle now);
  std::uint32_t blocked_at(std::uint32_t pc) const;
  bool issues_meanwhile(ResidentWarp& warp, Cycle now, Cycle at);
  void issue_meanwhile(unsigned slot, Cycle now, Cycle opens, Cycle& free);
  void stop_at_barrier(ResidentWarp& warp);
  void resume_at(unsigned slot, Cycle time);

  // host_prefetch.cpp
  bool waits_beyond(const ResidentWarp& warp, Cycle until) const;
  void prefetch_access(const Warp& warp, std::uint32_t pc) const;

  // In the host's cache lines: what each visit looks at comes first, and what is seldom needed
  // last.
  SmUnits& units_;
  const Constants& constants_;
  // Of the launch's program; each cycle looks at them.
  const Timed* const instructions_;
  const Step* const steps_;
  Cycle& next_visit_;  // when something may happen
  const unsigned index_;
  const unsigned most_bank_reads_;
  const bool counts_results_;
  const bool looks_ahead_;      // what warps wait for is told before, where nobody looks at it
  const Cycle barrier_notice_;  // from a barrier's release to the first issue behind it, at least
  bool last_yields_ = false;
  std::uint32_t last_ = 0;  // the slot that issued last
  Cycle last_issue_ = 0;    // when it did
  Cycle issues_from_ = 0, held_until_ = 0;
  Cycle quantum_end_ = 0;  // of the last visit
  std::uint64_t issued_ = 0;
  SlotMask ready_ = 0, awake_ = 0;  // in this cycle (find_ready)
  // Asleep, or its turn was given back: then it lacks nothing but its unit, which is one.
  SlotMask prepared_ = 0;
  Turn given_back_{kSlots, kNever};  // what it came to by itself, before the cycle had come
  SlotMask at_unit_ = 0;  // warps that lack nothing but their unit: nothing else is asked again
  WarpSlots slots_;
  Pipes pipes_;
  UnitWaits waits_;  // of warps at their unit, those that one unit alone keeps
  std::array<Cycle, kSlots> ready_since_{};
  // The warp that has branched last, and until it goes on.
  unsigned redirected_ = 0;
  Cycle redirected_until_ = 0;
  const LineNumber lines_between_local_;  // from one warp's local memory to the next one's
  TensorUnit tensor_;                     // of warp groups' products
  SchedulerState scheduler_;
  Cycle yields_from_ = 0;
};

}  // namespace heddle::simulator::timing
