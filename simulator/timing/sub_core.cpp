// A cycle of a sub-core. What keeps a warp from issuing is in stall_reasons.cpp, what an
// instruction sets going in issued_instruction.cpp.
#include "simulator/timing/sub_core.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {
namespace {

// One of the outstanding results of an instruction, its store or its asynchronous copy is there.
void settle(ResidentWarp& warp, const Outstanding& who, Cycle done) {
  warp.settle_result(who.scoreboard, who.number, done);
  if (who.is_store) warp.stores.settle(done);
  if (who.is_async) warp.settle_copy(who.number, done);
}

}  // namespace

SubCore::Visited SubCore::visit(Cycle now, Cycle until) {
  const SmContext& context = *units_.context;
  Cycle units_free = kNever;
  Visited visited = Visited::done;
  ready_ = found_ = 0;
  waits_.pass(now);
  if (slots_.next() <= now) slots_.examine_due(now, [&](unsigned slot) { examine(slot, now); });
  Cycle free_until = now;
  const bool alone = waits_.all() == 0 && ready_ == 0 && std::has_single_bit(found_);
  if (const auto slot = static_cast<unsigned>(std::countr_zero(found_));
      alone && issues_at_once(slot, now)) {
    ready_ = found_;
    free_until = alone_until(slot, now, until);
  } else {
    for_each_slot(found_, [&](unsigned each) { enter_unit_wait(each, now); });
  }
  if (waits_.all() != 0) ready_ |= ask_units(now, units_free);
  if (units_.observed) tell_unit_waits(now);
  if (ready_ != 0 && now < issues_from_) {
    next_visit_ = now + 1;
    return visited;
  }
  if (ready_ != 0) {
    const SlotMask waiting = context.picks_by_wait ? waiting_long() : 0;
    const unsigned slot =
        context.pick({ready_, slots_.resident(), waiting, last_, slots_.younger()}, scheduler_);
    last_ = slot;
    const Course course = timed(slots_[slot]).course;
    if (!issue(slot, now, free_until)) return Visited::stopped;
    if (course == Course::barrier || course == Course::exit) visited = Visited::released;
    if ((ready_ & ~slot_bit(slot)) != 0) {
      next_visit_ = now + 1;
      return visited;
    }
  }
  next_visit_ = std::min(slots_.next(), units_free);
  return visited;
}

// Something may have changed for the warp.
void SubCore::wake(unsigned slot, Cycle now) {
  if ((waits_.all() & slot_bit(slot)) != 0) return;
  slots_.sleep(slot, std::min(slots_.examine_at(slot), now));
  next_visit_ = std::min(next_visit_, now);
}

SlotMask SubCore::waiting_long() const {
  SlotMask waiting = 0;
  for_each_slot(slots_.resident() & ~ready_, [&](unsigned slot) {
    if (slots_[slot].state == Stall::long_scoreboard) waiting |= slot_bit(slot);
  });
  return waiting;
}

// Finds out whether the warp can issue.
void SubCore::examine(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Timed& next = timed(warp);
  Wait found{Stall::not_selected, now};
  if ((at_unit_ & slot_bit(slot)) == 0) found = wait_of(warp, now);
  if (warp.ended && found.until <= now) return retire(slot, now);
  if (found.reason == Stall::not_selected) {
    at_unit_ |= slot_bit(slot);
    if (next.gate != kSeveralGates) {
      if (units_.observed) return enter_unit_wait(slot, now);
      found_ |= slot_bit(slot);
      return;
    }
    found = wait_for_units(next, now);
  }
  if (found.reason != warp.state) {
    account(warp, now);
    warp.state = found.reason;
  }
  const bool ready = found.reason == Stall::not_selected;
  if (ready) ready_ |= slot_bit(slot);
  slots_.sleep(slot, ready ? now + 1 : std::max(found.until, now + 1));
}

// Whether the only warp that could issue does: it need not wait for its unit first.
bool SubCore::issues_at_once(unsigned slot, Cycle now) const {
  const Timed& next = timed(slots_[slot]);
  if (now < issues_from_ || units_.context->picks_by_wait || unit_free(next.gate, now) > now)
    return false;
  return !next.reads_banks ||
         pipes_.all_banks_ready(now, units_.context->program.most_bank_cycles) ||
         pipes_.banks_ready(next, now) <= now;
}

void SubCore::enter_unit_wait(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  account(warp, now);
  warp.state = Stall::not_selected;
  waits_.enter(slot, timed(warp));
}

void SubCore::leave_unit_wait(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Timed& left = timed(warp);
  const Cycle blocked = waits_.leave(slot, left);
  if (units_.observed) return account(warp, now);
  StallCycles& stalls = units_.context->stalls_at[warp.pc];
  const Stall reason = left.gate < kPipes ? Stall::math_pipe_throttle : left.queue_full;
  stalls[static_cast<std::size_t>(reason)] += blocked;
  stalls[static_cast<std::size_t>(Stall::not_selected)] += now - warp.counted_until - blocked;
  warp.counted_until = now;
}

// Observers are told of each stretch of cycles.
void SubCore::tell_unit_waits(Cycle now) {
  for_each_slot(waits_.all(), [&](unsigned slot) {
    ResidentWarp& warp = slots_[slot];
    const Timed& next = timed(warp);
    const Stall reason = !waits_.is_blocked(next.gate) ? Stall::not_selected
                         : next.gate < kPipes          ? Stall::math_pipe_throttle
                                                       : next.queue_full;
    if (reason == warp.state) return;
    account(warp, now);
    warp.state = reason;
  });
}

// `alone_until`: before that no other warp of the sub-core does anything. False: the launch stops.
bool SubCore::issue(unsigned slot, Cycle now, Cycle alone_until) {
  SmContext& context = *units_.context;
  ResidentWarp& warp = slots_[slot];
  const Timed& timed = this->timed(warp);
  if ((waits_.all() & slot_bit(slot)) != 0)
    leave_unit_wait(slot, now);
  else
    account(warp, now);
  context.clock = context.clock_start + now;
  const std::optional<DriverCall> call =
      timed.is_call ? driver_call(context, warp, timed) : std::nullopt;
  if (!timed.is_plain) find_sources(warp, timed);
  const Issue issued = context.source.step(context.core, *warp.warp);
  if (issued.flow == Flow::reschedule && warp.warp->held_since) {
    hold(slot, now);
    return true;
  }
  // A sampler sees a warp at its next instruction as soon as it has issued.
  ++context.stalls_at[issued.pc + 1][static_cast<std::size_t>(Stall::selected)];
  ++issued_;
  ++warp.issued;
  warp.counted_until = now + 1;
  if (issued.flow == Flow::stop) return false;
  take_time(warp, timed, now);
  const Reconvergence& lanes = *warp.warp->convergence;
  if (timed.is_plain && lanes.has_current() && lanes.current().pc == warp.pc + 1) {
    advance_by_one(slot, now, alone_until);
    return true;
  }
  start(slot, timed, issued, now);
  if (!context.core.updates.empty()) update_barriers(warp, now);
  if (call && issued.on.any()) {
    if (const Cycle cycles = driver_call_cycles(context, *call, warp, issued, now); cycles != 0) {
      warp.next_issue = warp.stalled_until = now + cycles;
      warp.until_then = Stall::wait;
    }
  }
  advance(slot, timed, now);
  return true;
}

// What the instruction occupies, from its issue on.
void SubCore::take_time(ResidentWarp& warp, const Timed& timed, Cycle now) {
  warp.seen_at = 0;
  warp.next_issue = warp.stalled_until = now + timed.stall;
  warp.until_then = Stall::wait;
  warp.fetches_from = kNever;
  if (timed.held != 0) {
    warp.next_issue += timed.held;
    warp.until_then = Stall::dispatch_stall;
  }
  if (timed.accessed_in != 0) prefetch_access(*warp.warp, warp.pc + timed.accessed_in);
  issues_from_ = now + 1 + timed.holds_issue;
  pipes_.occupy(timed, now);
  if (units_.context->program.counts_results)
    std::erase_if(warp.counted, [now](const CountedResult& each) { return each.done <= now; });
}

// A wait for an mbarrier whose phase is not over, or for the grid: the warp has not issued, and
// asks again later.
void SubCore::hold(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Timed& held = timed(warp);
  at_unit_ &= ~slot_bit(slot);
  // At a wait for products: for the other warps of its group.
  warp.state = held.groups_left != kNoGroupWait ? Stall::gmma : held.awaited;
  warp.seen_at = warp.pc + held.seen_behind;
  warp.next_issue = now + constants_.latency_mio_queue;
  warp.until_then = warp.state;
  warp.fetches_from = kNever;
  slots_.sleep(slot, warp.next_issue);
}

void SubCore::account(ResidentWarp& warp, Cycle until) {
  if (until <= warp.counted_until) return;
  if (units_.observed && warp.warp != nullptr) tell_wait(warp, until);
  const std::uint32_t pc = warp.seen_at != 0 ? warp.seen_at : warp.pc;
  units_.context->stalls_at[pc][static_cast<std::size_t>(warp.state)] += until - warp.counted_until;
  warp.counted_until = until;
}

void SubCore::tell_wait(const ResidentWarp& warp, Cycle until) {
  const SmContext& context = *units_.context;
  const Cycle start = context.clock_start;
  context.core.launch.options->observer->waited(
      context.core, *warp.warp,
      {start + warp.counted_until, start + until, stall_name(warp.state), index_});
}

void SubCore::start_warp(Warp& warp, std::uint32_t block, Cycle begin) {
  const unsigned slot = slots_.add();
  ResidentWarp& resident = slots_[slot];
  resident.warp = &warp;
  resident.block = block;
  resident.began = resident.next_issue = resident.counted_until = begin;
  if (warp.convergence->has_current()) {
    resident.pc = warp.convergence->current().pc;
    slots_.sleep(slot, begin);
  } else {
    resident.pc = warp.convergence->groups().back().pc - 1;  // of its BAR
    resident.at_barrier = true;
    resident.state = Stall::barrier;
    slots_.sleep(slot, kNever);
  }
  next_visit_ = std::min(next_visit_, begin);
}

// A warp has ended and its stores are done.
void SubCore::retire(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  account(warp, now);
  slots_.remove(slot);
  units_.blocks.end_warp(warp.block, warp.began, now);
}

bool SubCore::holds(const Outstanding& who) const {
  const ResidentWarp& warp = slots_[who.slot % kSlots];
  return warp.warp != nullptr && warp.instance == who.instance;
}

void SubCore::take_up(const Served& served, Cycle now) {
  const Outstanding& who = served.who;
  if (!holds(who)) return;
  ResidentWarp& warp = slots_[who.slot % kSlots];
  const Completion& completion = served.completion;
  warp.settle_result(who.read_scoreboard, who.number, completion.sources_read);
  if (who.is_store) {
    --warp.unsent_stores;
    warp.stores_left = std::max(warp.stores_left, completion.sources_read);
  }
  if (!completion.outstanding) settle(warp, who, completion.done);
  wake(who.slot % kSlots, now);
}

void SubCore::take_answer(const Outstanding& answer, Cycle now) {
  if (!holds(answer)) return;
  settle(slots_[answer.slot % kSlots], answer, answer.done);
  wake(answer.slot % kSlots, now);
}

void SubCore::find_room(Cycle now) {
  if (waits_.waiting(kQueueGate) != 0) next_visit_ = std::min(next_visit_, now);
  for_each_slot(at_unit_ & ~waits_.all(), [&](unsigned slot) {
    if (timed(slots_[slot]).gate == kSeveralGates) wake(slot, now);
  });
}

}  // namespace heddle::simulator::timing
