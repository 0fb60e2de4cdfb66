// The cycles of a sub-core: which warps can issue, which one does, and what it does that only
// computes. What keeps the others from issuing is in stall_reasons.cpp, what other instructions set
// going in issued_instruction.cpp.
//
// A sub-core goes on by itself, without the SM's others, while what it issues only computes: they
// see neither when nor that it does. All it touches is its own, and sums. What could fault, asks
// caches that others ask too, or leads elsewhere than to the next instruction waits for its cycle.
// That has come as soon as nothing else of the SM happens before it.
//
// For the same reason a warp's instructions that only compute are executed together, when the first
// of them issues (Core::compute): the others then only take their time.
#include <algorithm>
#include <bit>
#include <utility>

#include "simulator/timing/sub_core.hpp"

namespace heddle::simulator::timing {

SubCore::Visited SubCore::visit(Cycle now, Cycle end, bool last) {
  Visited visited = Visited::done;
  quantum_end_ = end;
  Cycle until = now;  // before that it goes on by itself
  for (bool by_itself = false;; now = next_visit_) {
    const Turn turn = take_turn(now);
    Cycle next = turn.next;
    if (const unsigned slot = turn.slot; slot != kSlots) {
      ResidentWarp& warp = slots_[slot];
      const Timed& timed = this->timed(warp);
      const bool computing = computes(warp, timed);
      if (by_itself && !(computing && issues_by_itself(warp, timed))) {
        if (!last || !units_.comes_first(now)) {
          given_back_ = turn;
          prepared_ |= slot_bit(slot);
          next_visit_ = now;
          return visited;
        }
        by_itself = false;
      }
      last_ = slot;
      last_issue_ = now;
      if (!computing) {
        visited = issue(slot, now);
      } else {
        issue_computing(slot, warp, timed, now);
        if (!by_itself) until = by_itself_until(now, end, slot_bit(slot));
        const Cycle first = std::exchange(now, issue_alone(slot, warp, now, until));
        by_itself = by_itself || now != first;
        fall_asleep(slot, warp, now);
      }
      if (visited == Visited::stopped) return visited;
      next = units_behind_issue(slot, now, turn.next);
    }
    const Cycle awakes = slots_.next();
    next_visit_ = std::min(awakes, next);
    if (visited != Visited::done || next_visit_ >= end) return visited;
    if (!goes_on_by_itself(awakes)) {
      by_itself = false;
    } else {
      if (!by_itself) until = by_itself_until(now, end, 0);
      by_itself = next_visit_ < until;
    }
    if (!by_itself && (!last || !units_.comes_first(next_visit_))) return visited;
  }
}

// The turn that it has given back, as its cycle has come; else whose turn it is.
inline SubCore::Turn SubCore::take_turn(Cycle now) {
  if (given_back_.slot != kSlots) {
    const Turn turn = std::exchange(given_back_, {kSlots, kNever});
    prepared_ &= ~slot_bit(turn.slot);
    if (slots_.next() > now && !waits_.want_queues()) return turn;  // nothing has changed since
    if ((waits_.all() & slot_bit(turn.slot)) == 0) wait_for_unit(turn.slot, now);
  }
  return find_turn(now);
}

inline SubCore::Turn SubCore::find_turn(Cycle now) {
  if (const unsigned slot = take_lone(now); slot != kSlots) return {slot, kNever};
  const Cycle units_free = find_ready(now);
  if (ready_ == 0) return {kSlots, units_free};
  unsigned slot = now < issues_from_ ? kSlots : pick(now);
  if (slot != kSlots && waits_for_registers(slot, now)) slot = kSlots;
  // Those that are not picked wait from now on.
  if (slot != kSlots) awake_ &= ~slot_bit(slot);
  for_each_slot(awake_, [&](unsigned each) { wait_for_unit(each, now); });
  return {slot, slot != kSlots ? units_free : std::min(units_free, issues_from_)};
}

// Mostly one warp could issue, was prepared for it, and finds its unit free. Its slot, which is
// then alone in `ready_`; kSlots: it is for `find_ready` to say which can.
inline unsigned SubCore::take_lone(Cycle now) {
  if (waits_.all() != 0 || now < issues_from_) return kSlots;
  const SlotMask due = slots_.due_at(now);
  if (!std::has_single_bit(due) || (due & prepared_) == 0) return kSlots;
  const auto slot = static_cast<unsigned>(std::countr_zero(due));
  const ResidentWarp& warp = slots_[slot];
  const Timed& next = timed(warp);
  if (unit_free(next.gate, now) > now || registers_there(warp, next, now) > now) return kSlots;
  slots_.take_next(now);
  ready_ = due;
  prepared_ &= ~due;
  return slot;
}

// In `ready_`: the warps that can issue; of them in `awake_` those that do not wait yet. When a
// unit is free that others wait for.
inline Cycle SubCore::find_ready(Cycle now) {
  Cycle units_free = kNever;
  ready_ = awake_ = 0;
  waits_.pass(now);
  if (slots_.next() <= now) {
    const SlotMask due = slots_.take_due(now);
    for_each_slot(due & prepared_, [&](unsigned slot) {
      if (unit_free(timed(slots_[slot]).gate, now) > now) return wait_for_unit(slot, now);
      ready_since_[slot] = now;
      awake_ |= slot_bit(slot);
    });
    for_each_slot(due & ~prepared_, [&](unsigned slot) { examine(slot, now); });
    prepared_ &= ~due;
  }
  if (waits_.all() != 0) ready_ |= ask_units(now, units_free);
  ready_ |= awake_;
  if (ready_ != 0 && now < held_until_) waits_.hold();
  if (units_.observed) tell_unit_waits(now);
  return units_free;
}

// What was prepared lacks nothing but its unit.
inline void SubCore::wait_for_unit(unsigned slot, Cycle now) {
  const Timed& next = timed(slots_[slot]);
  ready_since_[slot] = now;
  waits_.enter(slot, next, now, blocked_cycles(next.gate, now));
}

// Of the warps in `waits_`, those that can issue; `until`: when a unit is free for others.
inline SlotMask SubCore::ask_units(Cycle now, Cycle& until) {
  const SlotMask free = waits_.ask(now, until, [&](unsigned gate) { return unit_free(gate, now); });
  if (waits_.is_blocked(kQueueGate))
    waits_.note_queue(units_.memory.queue_holds_only_global(index_));
  return free;
}

// When a warp can issue that waits for its unit, now that the one in `slot` has issued.
// `units_free`: when a unit was to be free that others waited for.
inline Cycle SubCore::units_behind_issue(unsigned slot, Cycle now, Cycle units_free) const {
  if (units_.observed || waits_.want_queues())
    return (ready_ & ~slot_bit(slot)) != 0 ? now + 1 : units_free;
  Cycle next = kNever;
  for (std::uint32_t left = waits_.wanted(); left != 0; left &= left - 1) {
    const auto pipe = static_cast<Pipe>(std::countr_zero(left));
    next = std::min(next, std::max(now + 1, pipes_.free_at(pipe)));
  }
  return next;
}

inline unsigned SubCore::pick(Cycle now) {
  const SmContext& context = *units_.context;
  if (!context.picks_by_wait && std::has_single_bit(ready_))
    return static_cast<unsigned>(std::countr_zero(ready_));
  const SlotMask waiting = context.picks_by_wait ? waiting_long() : 0;
  return context.pick({ready_, slots_.resident(), waiting, last_, last_yields_, queued(now), now,
                       ready_since_, slots_.younger(), slots_.of_younger_blocks()},
                      scheduler_);
}

// Other warps that have waited for room in the queue that the warp wants that issued last.
inline SlotMask SubCore::queued(Cycle now) const {
  if ((ready_ >> last_ & 1) == 0) return 0;
  const unsigned gate = timed(slots_[last_]).gate;
  if (gate < kPipes || gate == kSeveralGates) return 0;
  return waits_.found_blocked(gate, blocked_cycles(gate, now)) & ~slot_bit(last_);
}

// When the warp's next instruction gets its registers. Of two registers of one bank that are both
// on their way to it an instruction gets one; it waits until the older one is there (ports.fresh.*
// of gpu/kernels/micro/timing/ports.cu).
inline Cycle SubCore::registers_there(const ResidentWarp& warp, const Timed& next,
                                      Cycle now) const {
  if (!next.reads_banks) return now;
  if (next.fresh_from != 0 && warp.issued >= next.fresh_from) {
    const Cycle written = warp.issued_at[(warp.issued - next.fresh_from) % kIssuesKept] +
                          constants_.latency_register_write;
    if (now + 1 < written) return written;
  }
  if (pipes_.all_banks_ready(now, most_bank_reads_)) return now;
  return pipes_.banks_ready(next, now);
}

// Meanwhile the stall counts of all warps but `others` stand still (issue.*.stall4.* of
// gpu/kernels/micro/timing/issue_waits.cu).
inline void SubCore::hold_stall_counts(SlotMask others, Cycle now, Cycle until) {
  const Cycle held = until - now;
  for_each_slot(slots_.resident() & ~others, [&](unsigned slot) {
    ResidentWarp& warp = slots_[slot];
    if (warp.stalled_until <= now) return;
    const Cycle counted = std::max(warp.stalled_until, warp.next_issue);
    warp.stalled_until += held;
    warp.next_issue += held;
    if (warp.counted_until > now) {  // `wait` is in the sums already
      units_.context->stalls_at[warp.pc][static_cast<std::size_t>(Stall::wait)] += held;
      warp.counted_until += held;
    }
    const Cycle examined = slots_.examine_at(slot);
    if (examined == kNever) return;
    slots_.sleep(slot, examined <= counted ? examined + held : std::max(examined, counted + held));
  });
}

// The warp that is picked keeps the others from issuing until its registers are there (ports.*.w16
// of gpu/kernels/micro/timing/ports.cu).
inline bool SubCore::waits_for_registers(unsigned slot, Cycle now) {
  const ResidentWarp& warp = slots_[slot];
  const Cycle there = registers_there(warp, timed(warp), now);
  if (there <= now) return false;
  held_until_ = issues_from_ = there;
  waits_.hold();
  hold_stall_counts(ready_, now, there);
  if (units_.observed) tell_unit_waits(now);
  return true;
}

inline void SubCore::leave_unit_wait(unsigned slot, ResidentWarp& warp, const Timed& left,
                                     Cycle now) {
  if ((waits_.all() & slot_bit(slot)) == 0) return account(warp, now);
  const auto [since, blocked, held, only_global] =
      waits_.leave(slot, left, blocked_cycles(left.gate, now));
  if (units_.observed) return account(warp, now);
  StallCycles& stalls = units_.context->stalls_at[warp.pc];
  const auto add = [&](Stall reason, Cycle cycles) {
    stalls[static_cast<std::size_t>(reason)] += cycles;
  };
  if (since > warp.counted_until) {  // it was prepared
    add(warp.state, since - warp.counted_until);
    warp.counted_until = since;
  }
  const Cycle of_mixed = left.queue_full == Stall::lg_throttle ? blocked - only_global : 0;
  add(Stall::mio_throttle, of_mixed);
  add(left.gate < kPipes ? Stall::math_pipe_throttle : left.queue_full, blocked - of_mixed);
  add(Stall::dispatch_stall, held);
  add(Stall::not_selected, now - warp.counted_until - blocked - held);
  warp.counted_until = now;
}

// The warp issues an instruction that computes, and is to be told until when it sleeps.
inline void SubCore::issue_computing(unsigned slot, ResidentWarp& warp, const Timed& timed,
                                     Cycle now) {
  SmContext& context = *units_.context;
  leave_unit_wait(slot, warp, timed, now);
  if (warp.pc >= warp.computed_to)
    warp.computed_to = context.core.compute(*warp.warp, warp.pc + timed.computed_together);
  ++context.core.issued;
  ++context.stalls_at[warp.pc + 1][static_cast<std::size_t>(Stall::selected)];
  ++issued_;
  ++warp.issued;
  warp.counted_until = now + 1;
  take_time(warp, timed, now);
  if (!timed.is_plain) {
    Issue issued;
    issued.pc = Pc(warp.pc);
    start(slot, timed, issued, now);
  }
  advance_by_one(slot, warp, timed, now);
}

// The warp has issued at `now`, and does so again before `until`, as often as no other one could
// and nothing keeps it back but its stall counts, its pipe and its registers. When it issued last.
inline Cycle SubCore::issue_alone(unsigned slot, ResidentWarp& warp, Cycle now, Cycle until) {
  if (!looks_ahead_ || waits_.all() != 0) return now;
  until = std::min(until, slots_.next());
  const Cycle first = now;
  for (;;) {
    const Timed& next = timed(warp);
    const Cycle ready = std::max(now + 1, warp.stalled_until);
    if (warp.pc >= warp.computed_to || !next.only_computes || !next.awaits_unit || next.ends_line ||
        std::max({warp.next_issue, warp.fetched, issues_from_}) > ready)
      break;
    const Cycle free = std::max(ready, pipes_.free_at(next.pipe));
    Cycle there = free;
    while (there < until) {
      const Cycle before = std::exchange(there, registers_there(warp, next, there));
      if (there == before) break;
    }
    if (there >= until) break;
    if (there != ready) count_unit_wait(warp, ready, free, there);
    if (there != free) hold_stall_counts(slot_bit(slot), free, there);
    last_issue_ = now = there;
    issue_computing(slot, warp, next, now);
  }
  if (now != first) slots_.pass(now);
  return now;
}

// It lacks nothing but its pipe from `ready` on, but its registers from `free` on until `there`.
inline void SubCore::count_unit_wait(ResidentWarp& warp, Cycle ready, Cycle free, Cycle there) {
  account(warp, ready);
  StallCycles& stalls = units_.context->stalls_at[warp.pc];
  stalls[static_cast<std::size_t>(Stall::math_pipe_throttle)] += free - ready;
  stalls[static_cast<std::size_t>(Stall::dispatch_stall)] += there - free;
  warp.counted_until = there;
}

SubCore::Visited SubCore::issue(unsigned slot, Cycle now) {
  SmContext& context = *units_.context;
  ResidentWarp& warp = slots_[slot];
  const Timed& timed = this->timed(warp);
  warp.computed_to = 0;
  leave_unit_wait(slot, warp, timed, now);
  context.clock = context.clock_start + now;
  const std::optional<DriverCall> call =
      timed.is_call ? driver_call(context, warp, timed) : std::nullopt;
  if (!timed.is_plain) find_sources(warp, timed);
  const Block& block = *warp.warp->block;
  const std::uint64_t completed = block.barriers_completed;
  const Issue issued = context.source.step(context.core, *warp.warp);
  if (issued.flow == Flow::reschedule && warp.warp->held_since) {
    hold(slot, now);
    return Visited::done;
  }
  // A sampler sees a warp at its next instruction as soon as it has issued.
  ++context.stalls_at[issued.pc + 1][static_cast<std::size_t>(Stall::selected)];
  ++issued_;
  ++warp.issued;
  warp.counted_until = now + 1;
  if (issued.flow == Flow::stop) return Visited::stopped;
  take_time(warp, timed, now);
  const Reconvergence& lanes = *warp.warp->convergence;
  if (timed.is_plain && lanes.has_current() && lanes.current().pc == warp.pc + 1) {
    advance_by_one(slot, warp, timed, now);
    fall_asleep(slot, warp, now);
    return Visited::done;
  }
  start(slot, timed, issued, now);
  if (!context.core.updates.empty()) update_barriers(warp, now);
  if (call && issued.on.any()) spend_call(warp, driver_call_time(context, *call, issued, now));
  advance(slot, timed, now);
  return block.barriers_completed != completed ? Visited::released : Visited::done;
}

// The driver's instructions issue too; a sampler sees them behind the call.
void SubCore::spend_call(ResidentWarp& warp, const StallCycles& time) {
  warp.seen_at = warp.pc + 1;
  for (std::size_t i = 0; i < kStalls; ++i) {
    warp.state = static_cast<Stall>(i);
    account(warp, warp.counted_until + time[i]);
  }
  warp.seen_at = 0;
  issued_ += time[static_cast<std::size_t>(Stall::selected)];
  warp.stalled_until = std::max(warp.stalled_until, warp.counted_until);
  warp.next_issue = std::max(warp.next_issue, warp.stalled_until);
}

// The barrier that the warp was the last to come to is not open yet, for which only what computes
// does not wait. `issued` is the instruction before.
void SubCore::wait_until_open(ResidentWarp& warp, const Timed& issued) const {
  if (passes_barrier((&issued)[1])) return;
  warp.next_issue = std::max(warp.next_issue, warp.opens);
  warp.until_then = Stall::barrier;
}

// What the instruction occupies, from its issue on.
inline void SubCore::take_time(ResidentWarp& warp, const Timed& timed, Cycle now) {
  warp.seen_at = 0;
  warp.issued_at[(warp.issued - 1) % kIssuesKept] = now;
  warp.next_issue = warp.stalled_until = now + timed.stall;
  warp.until_then = Stall::wait;
  warp.fetches_from = kNever;
  if (timed.held != 0) {
    warp.next_issue += timed.held;
    warp.until_then = Stall::dispatch_stall;
  }
  if (warp.opens > warp.next_issue) wait_until_open(warp, timed);
  if (timed.accessed_in != 0) prefetch_access(*warp.warp, warp.pc + timed.accessed_in);
  issues_from_ = now + 1 + timed.holds_issue;
  last_yields_ = timed.yields;
  pipes_.occupy(timed, now);
  if (counts_results_)
    std::erase_if(warp.counted, [now](const CountedResult& each) { return each.done <= now; });
}

// The same behind an instruction that only computes: to the one below it.
inline void SubCore::advance_by_one(unsigned slot, ResidentWarp& warp, const Timed& issued,
                                    Cycle now) {
  at_unit_ &= ~slot_bit(slot);
  ++warp.pc;
  warp.state = Stall::wait;
  if (issued.ends_line) ask_for_code(warp, now);
}

// Behind that, until its stall count has run.
inline void SubCore::fall_asleep(unsigned slot, ResidentWarp& warp, Cycle now) {
  const Timed& next = timed(warp);
  const Cycle ready = std::max(now + 1, warp.stalled_until);
  // As `sleep_until_ready` finds, of a warp that has just issued.
  if (!looks_ahead_ || !next.awaits_unit || std::max(warp.next_issue, warp.fetched) > ready)
    return sleep_until_ready(slot, warp, ready);
  prepared_ |= slot_bit(slot);
  slots_.sleep(slot, ready);
}

// Until `ready`, when its stall count has run or what it waits for is there, or until the results
// are there that it waits for then. What lacks nothing but its unit when it awakes is not examined.
void SubCore::sleep_until_ready(unsigned slot, ResidentWarp& warp, Cycle ready) {
  const Timed& next = timed(warp);
  if (looks_ahead_ && warp.next_issue > ready && warp.next_issue < quantum_end_ &&
      warp.until_then != Stall::barrier)
    ready = pass_redirection(warp, ready);
  if (looks_ahead_ && stands_ready(warp, ready)) {
    bool there = next.awaits_unit;
    if (!there) {
      Wait found = wait_for_results(warp, next, ready);
      if (found.reason != Stall::not_selected) {
        account(warp, ready);
        warp.state = found.reason;
        ready = found.until;
        if (ready != kNever) found = wait_for_results(warp, next, ready);
      }
      there = found.reason == Stall::not_selected;
    }
    if (there) prepared_ |= slot_bit(slot);
  }
  slots_.sleep(slot, ready);
}

// What `wait_of` would find from `ready` on, until it may issue, which is before the quantum ends:
// another one begins when something happens first, be it that a warp is examined in vain.
Cycle SubCore::pass_redirection(ResidentWarp& warp, Cycle ready) {
  account(warp, ready);
  if (warp.stalled_until > ready) {
    warp.state = Stall::wait;
    ready = warp.stalled_until;
    account(warp, ready);
  }
  if (ready >= warp.next_issue) return ready;
  if (warp.fetches_from > ready) {
    warp.state = warp.until_then;
    account(warp, std::min(warp.fetches_from, warp.next_issue));
  }
  if (warp.fetches_from < warp.next_issue) warp.state = Stall::no_instruction;
  return warp.next_issue;
}

// Whether its next instruction then waits for nothing but results and its unit, which is one.
inline bool SubCore::stands_ready(const ResidentWarp& warp, Cycle ready) const {
  const Timed& next = timed(warp);
  if (std::max(warp.next_issue, warp.stalled_until) > ready || warp.line != next.code_line ||
      warp.fetched > ready)
    return false;
  if (warp.ended || warp.at_fence || warp.at_barrier || warp.seen_at != 0) return false;
  if (next.awaits_unit) return true;
  if (next.gate == kSeveralGates || next.groups_left != kNoGroupWait ||
      next.depbar_scoreboard < kScoreboards || next.constant_lines_of_bank != 0 ||
      next.course == Course::group_product)
    return false;
  return next.constant_line < 0 || next.course == Course::constant ||
         units_.front_end.keeps_operand(static_cast<std::uint32_t>(next.constant_line), ready);
}

// Until when no other part of the SM acts on its warps. Warps that wait for an unknown time wait
// for the memory unit, which takes up nothing before its next event, or for a barrier that a warp
// of another sub-core may open at any time. `awake`: those that do not wait.
inline Cycle SubCore::by_itself_until(Cycle now, Cycle end, SlotMask awake) const {
  if (!units_.runs_ahead) return now;
  end = std::min(end, units_.memory.next_event());
  if ((slots_.resident() & ~(slots_.awaited() | waits_.all() | awake)) == 0) return end;
  return std::min<Cycle>(
      end, now + std::min<Cycle>(barrier_notice_, constants_.latency_cluster_barrier));
}

// Whether what there is to find out at its next visit concerns its own units alone. `awakes`: when
// the first warp does that sleeps.
inline bool SubCore::goes_on_by_itself(Cycle awakes) const {
  return !waits_.want_queues() && (awakes > next_visit_ || slots_.are_of(awakes, prepared_));
}

// Whether the warp's next instruction has been executed, or can be together with those behind it.
inline bool SubCore::computes(const ResidentWarp& warp, const Timed& next) const {
  if (warp.pc < warp.computed_to) return true;
  if (next.computed_together == 0 || !units_.runs_ahead) return false;
  const Reconvergence& lanes = *warp.warp->convergence;
  return !lanes.replays() && !lanes.halts_at(warp.pc + 1);
}

// Whether such an instruction needs nothing of what the SM's sub-cores share, nor the code behind
// it.
inline bool SubCore::issues_by_itself(const ResidentWarp& warp, const Timed& next) const {
  if (!next.only_computes) return false;
  return !next.ends_line ||
         units_.front_end.keeps_code(index_, instructions_[warp.pc + 1].code_line);
}

}  // namespace heddle::simulator::timing
