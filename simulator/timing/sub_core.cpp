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

// Something may have changed for the warp. Where it is known until when it waits at least, nothing
// has; but of counted results others may come first, and behind a barrier it is not known by its
// stall count. Where it is not known, mostly other answers are outstanding, or the one that has
// come says when: then the warp need not be examined for it.
void SubCore::wake(unsigned slot, Cycle now) {
  if (((waits_.all() | prepared_) & slot_bit(slot)) != 0) return;
  ResidentWarp& warp = slots_[slot];
  const Cycle examine_at = slots_.examine_at(slot);
  Cycle until = std::min(examine_at, now);
  if (examine_at == kNever) {
    const Wait found = wait_for_answers(warp, now);
    if (found.reason == warp.state)
      until = std::max({found.until, now, warp.stalled_until, warp.next_issue});
    if (until == kNever) return;
  } else if ((warp.stalled_until <= now || warp.state != Stall::barrier) && !counts_results_) {
    return;
  }
  if (until > now)
    sleep_until_ready(slot, warp, until);
  else
    slots_.sleep(slot, until);
  next_visit_ = std::min(next_visit_, until);
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
    if ((at_unit_ & slot_bit(slot)) == 0) ready_since_[slot] = now;
    at_unit_ |= slot_bit(slot);
    if (next.gate != kSeveralGates) return enter_unit_wait(slot, now);
    found = wait_for_units(next, now);
  }
  if (found.reason != warp.state) {
    account(warp, now);
    warp.state = found.reason;
  }
  if (found.reason == Stall::not_selected) {
    ready_ |= slot_bit(slot);
    slots_.sleep(slot, now + 1);
  } else if (found.until == kNever) {
    slots_.sleep(slot, kNever);
  } else {
    sleep_until_ready(slot, warp, std::max(found.until, now + 1));
  }
}

void SubCore::enter_unit_wait(unsigned slot, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  account(warp, now);
  warp.state = Stall::not_selected;
  waits_.enter(slot, timed(warp), now, blocked_cycles(timed(warp).gate, now));
}

// Observers are told of each stretch of cycles.
void SubCore::tell_unit_waits(Cycle now) {
  for_each_slot(waits_.all(), [&](unsigned slot) {
    ResidentWarp& warp = slots_[slot];
    const Timed& next = timed(warp);
    const Stall reason = waits_.is_held()                ? Stall::dispatch_stall
                         : !waits_.is_blocked(next.gate) ? Stall::not_selected
                         : next.gate < kPipes            ? Stall::math_pipe_throttle
                                                         : full_queue(next);
    if (reason == warp.state) return;
    account(warp, now);
    warp.state = reason;
  });
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

void SubCore::tell_wait(const ResidentWarp& warp, Cycle until) {
  const SmContext& context = *units_.context;
  const Cycle start = context.clock_start;
  context.core.launch.options->observer->waited(
      context.core, *warp.warp,
      {start + warp.counted_until, start + until, stall_name(warp.state), index_});
}

void SubCore::start_warp(Warp& warp, std::uint32_t block, Cycle begin) {
  const unsigned slot = slots_.add(block);
  ResidentWarp& resident = slots_[slot];
  resident.warp = &warp;
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

void SubCore::read_sources(const Outstanding& who, Cycle now) {
  if (!holds(who)) return;
  slots_[who.slot % kSlots].settle_result(who.read_scoreboard, who.number, who.done);
  wake(who.slot % kSlots, now);
}

void SubCore::take_up(const Served& served, Cycle now) {
  const Outstanding& who = served.who;
  if (!holds(who)) return;
  ResidentWarp& warp = slots_[who.slot % kSlots];
  const Completion& completion = served.completion;
  if (who.is_store) {
    --warp.unsent_stores;
    warp.stores_left = std::max(warp.stores_left, completion.sources_read);
  }
  if (!completion.outstanding) settle(warp, who, completion.done);
  wake(who.slot % kSlots, now);
}

void SubCore::take_answer(const Outstanding& answer, Cycle now) {
  if (!holds(answer)) return;
  ResidentWarp& warp = slots_[answer.slot % kSlots];
  if (answer.is_store && answer.left > now)
    warp.stores_left = std::max(warp.stores_left, answer.left);
  settle(warp, answer, answer.done);
  wake(answer.slot % kSlots, now);
}

void SubCore::find_room(Cycle now) {
  if (waits_.waiting(kQueueGate) != 0) next_visit_ = std::min(next_visit_, now);
  for_each_slot(at_unit_ & ~waits_.all(), [&](unsigned slot) {
    if (timed(slots_[slot]).gate == kSeveralGates) wake(slot, now);
  });
}

}  // namespace heddle::simulator::timing
