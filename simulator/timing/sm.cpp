// The tick of an SM: `run` goes from one cycle with something to do to the next, `visit` is what a
// sub-core does in one. What keeps a warp from issuing is in look.cpp's functions, what an
// instruction sets going in follow.cpp's.
#include "simulator/timing/sm.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {

Sm::Sm(SmContext& context, std::uint32_t index, std::uint64_t l1_bytes, GpcCache& gpc)
    : context_(&context),
      constants_(context.constants),
      index_(index),
      observed_(context.core.launch.options->observer != nullptr),
      sub_cores_(context.constants.sub_cores),
      memory_(context.constants, index),
      front_end_(context.constants, context.program, context.core.launch.entry, gpc, index),
      cluster_port_(constants_.interval_cluster_target) {
  memory_.start(l1_bytes);
  for (SubCore& sub : sub_cores_)
    sub.special_leaves.assign(std::max(1u, constants_.xu_queue_entries), 0);
}

Cycle Sm::next_event() const {
  Cycle next = std::min(answered_, memory_.next_event());
  for (const SubCore& sub : sub_cores_) next = std::min(next, sub.next_visit);
  return next;
}

bool Sm::run(Cycle end) {
  const auto count = static_cast<unsigned>(sub_cores_.size());
  for (Cycle now = next_event(); now < end; now = next_event()) {
    if (memory_.next_event() <= now) advance_memory(now);
    // Sub-cores take turns in being first at what they share.
    auto sub_core = static_cast<unsigned>(now % count);
    for (unsigned i = 0; i < count; ++i) {
      if (sub_cores_[sub_core].next_visit <= now && !visit(sub_core, now)) return false;
      sub_core = sub_core + 1 == count ? 0 : sub_core + 1;
    }
  }
  return true;
}

// One of a scoreboard's outstanding results is known.
void Sm::settle_result(ResidentWarp& warp, std::uint8_t scoreboard, std::uint64_t number,
                       Cycle done) {
  if (scoreboard == kNoScoreboard) return;
  warp.scoreboards[scoreboard].settle(done);
  for (CountedResult& counted : warp.counted)
    if (!counted.is_group && counted.number == number && counted.scoreboard == scoreboard)
      counted.done = done;
}

// The same of a store or an asynchronous copy, and of the groups such a copy is in.
void Sm::settle_rest(ResidentWarp& warp, const Outstanding& who, Cycle done) {
  if (who.is_store) warp.stores.settle(done);
  if (!who.is_async) return;
  warp.copies.settle(done);
  for (CountedResult& counted : warp.counted) {
    if (!counted.is_group || counted.number < who.number) continue;
    counted.latest = std::max(counted.latest, done);
    if (--counted.unknown == 0) counted.done = counted.latest;
  }
}

// Instructions that waited for the memory unit are taken up, and leave room in its queues.
void Sm::advance_memory(Cycle now) {
  for (const Served& served : memory_.advance(now)) {
    const Outstanding& who = served.who;
    SubCore& sub = sub_cores_[who.slot / kSlots];
    ResidentWarp& warp = sub.slots[who.slot % kSlots];
    if (warp.warp == nullptr || warp.instance != who.instance) continue;
    const Completion& completion = served.completion;
    settle_result(warp, who.read_scoreboard, who.number, completion.sources_read);
    if (who.is_store) {
      --warp.unsent_stores;
      warp.stores_left = std::max(warp.stores_left, completion.sources_read);
    }
    if (!completion.outstanding) {
      settle_result(warp, who.scoreboard, who.number, completion.done);
      settle_rest(warp, who, completion.done);
    }
    sub.look_at(who.slot % kSlots, now);
  }
  for (unsigned sub_core = 0; sub_core < sub_cores_.size(); ++sub_core) {
    if (!memory_.made_room(sub_core)) continue;
    SubCore& sub = sub_cores_[sub_core];
    if (sub.waits.waiting(kQueueGate) != 0) sub.next_visit = std::min(sub.next_visit, now);
    for (SlotMask left = sub.at_unit & ~sub.waits.all(); left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      if (context_->program.instructions[sub.slots[slot].pc].gate == kSeveralGates)
        sub.look_at(slot, now);
    }
  }
}

bool Sm::visit(unsigned sub_core, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  Cycle units_free = kNever;
  sub.ready = 0;
  sub.waits.pass(now);
  if (sub.next_look() <= now) look_at_warps(sub_core, now);
  if (sub.waits.all() != 0) sub.ready |= ask_units(sub_core, now, units_free);
  if (observed_) tell_unit_waits(sub, now);
  if (sub.ready != 0 && now < sub.issues_from) {
    sub.next_visit = now + 1;
    return true;
  }
  if (sub.ready != 0) {
    const SlotMask waiting = context_->picks_by_wait ? waiting_long(sub) : 0;
    const unsigned slot =
        context_->pick({sub.ready, sub.resident, waiting, sub.last, sub.started}, sub.scheduler);
    sub.last = slot;
    if (!issue(sub_core, slot, now)) return false;
    if ((sub.ready & ~(SlotMask{1} << slot)) != 0) {
      sub.next_visit = now + 1;
      return true;
    }
  }
  sub.next_visit = std::min(sub.next_look(), units_free);
  return true;
}

SlotMask Sm::waiting_long(const SubCore& sub) {
  SlotMask waiting = 0;
  for (SlotMask left = sub.resident & ~sub.ready; left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    if (sub.slots[slot].state == Stall::long_scoreboard) waiting |= SlotMask{1} << slot;
  }
  return waiting;
}

// Most warps wait long, for memory; they are gone through now and then, not in each visit.
void Sm::SubCore::part_soon_from_later(Cycle now) {
  constexpr Cycle kSoon = 64;
  const SlotMask all = soon | later;
  soon = later = 0;
  soon_end = now + kSoon;
  next_soon = next_later = kNever;
  for (SlotMask left = all; left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    sleep(slot, look_again[slot]);
  }
}

// Finds out, for those warps where something may have changed, whether they can issue.
void Sm::look_at_warps(unsigned sub_core, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  if (sub.soon_end <= now) sub.part_soon_from_later(now);
  sub.next_soon = kNever;  // those that are looked at say when to look again
  Cycle next = kNever;
  for (SlotMask left = sub.soon; left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    if (sub.look_again[slot] <= now) {
      sub.soon &= ~(SlotMask{1} << slot);
      look_at_warp(sub_core, slot, now);
    } else {
      next = std::min(next, sub.look_again[slot]);
    }
  }
  sub.next_soon = std::min(sub.next_soon, next);
}

void Sm::look_at_warp(unsigned sub_core, unsigned slot, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  ResidentWarp& warp = sub.slots[slot];
  const SlotMask bit = SlotMask{1} << slot;
  const Timed& timed = context_->program.instructions[warp.pc];
  Look found{Stall::not_selected, now};
  if ((sub.at_unit & bit) == 0) found = look(sub_core, warp, now);
  if (warp.ended && found.until <= now) return retire(sub_core, slot, now);
  if (found.reason == Stall::not_selected) {
    sub.at_unit |= bit;
    if (timed.gate != kSeveralGates) return wait_for_unit(sub, slot, timed, now);
    found = look_at_units(sub_core, timed, now);
  }
  if (found.reason != warp.state) {
    account(warp, now);
    warp.state = found.reason;
  }
  const bool ready = found.reason == Stall::not_selected;
  if (ready) sub.ready |= bit;
  sub.sleep(slot, ready ? now + 1 : std::max(found.until, now + 1));
}

void Sm::wait_for_unit(SubCore& sub, unsigned slot, const Timed& timed, Cycle now) {
  account(sub.slots[slot], now);
  sub.slots[slot].state = Stall::not_selected;
  sub.waits.enter(slot, timed);
}

void Sm::leave_unit(SubCore& sub, unsigned slot, Cycle now) {
  ResidentWarp& warp = sub.slots[slot];
  const Timed& timed = context_->program.instructions[warp.pc];
  const Cycle blocked = sub.waits.leave(slot, timed);
  if (observed_) return account(warp, now);
  StallCycles& stalls = context_->stalls_at[warp.pc];
  const Stall reason = timed.gate < kPipes ? Stall::math_pipe_throttle : timed.queue_full;
  stalls[static_cast<std::size_t>(reason)] += blocked;
  stalls[static_cast<std::size_t>(Stall::not_selected)] += now - warp.counted_until - blocked;
  warp.counted_until = now;
}

// Observers are told of each stretch of cycles.
void Sm::tell_unit_waits(SubCore& sub, Cycle now) {
  for (SlotMask left = sub.waits.all(); left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    ResidentWarp& warp = sub.slots[slot];
    const Timed& timed = context_->program.instructions[warp.pc];
    const Stall reason = !sub.waits.is_blocked(timed.gate) ? Stall::not_selected
                         : timed.gate < kPipes             ? Stall::math_pipe_throttle
                                                           : timed.queue_full;
    if (reason == warp.state) continue;
    account(warp, now);
    warp.state = reason;
  }
}

bool Sm::issue(unsigned sub_core, unsigned slot, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  ResidentWarp& warp = sub.slots[slot];
  const Timed& timed = context_->program.instructions[warp.pc];
  if ((sub.waits.all() >> slot & 1) != 0)
    leave_unit(sub, slot, now);
  else
    account(warp, now);
  context_->clock = context_->clock_start + now;
  const std::optional<Builtin> called = called_builtin(warp, timed);
  const std::uint64_t argument = called ? first_argument(warp) : 0;
  find_indexed(warp, timed);
  find_texture(warp, timed);
  const Issue issued = context_->source.step(context_->core, *warp.warp);
  if (timed.is_mbarrier && issued.flow == Flow::reschedule) {
    hold(sub, slot, now);
    return true;
  }
  // A sampler sees a warp at its next instruction as soon as it has issued.
  ++context_->stalls_at[issued.pc + 1][static_cast<std::size_t>(Stall::selected)];
  ++issued_;
  ++warp.issued;
  warp.counted_until = now + 1;
  if (issued.flow == Flow::stop) return false;
  warp.next_issue = warp.stalled_until = now + timed.stall;
  warp.until_then = Stall::wait;
  warp.fetches_from = kNever;
  if (timed.held != 0) {
    warp.next_issue += timed.held;
    warp.until_then = Stall::dispatch_stall;
  }
  if (timed.accessed_in != 0) bring_accessed_near(*warp.warp, issued.pc + timed.accessed_in);
  sub.issues_from = now + 1 + timed.holds_issue;
  occupy_units(sub, timed, now);
  follow(sub_core, slot, timed, issued, now);
  if (called && issued.on != 0) {
    if (const Cycle cycles = driver_cycles(*called, argument, warp, issued, now); cycles != 0) {
      warp.next_issue = warp.stalled_until = now + cycles;
      warp.until_then = Stall::wait;
    }
  }
  settle(sub_core, slot, timed, now);
  return true;
}

// A wait for an mbarrier whose phase is not over: the warp has not issued, and asks again later.
void Sm::hold(SubCore& sub, unsigned slot, Cycle now) {
  ResidentWarp& warp = sub.slots[slot];
  const Timed& timed = context_->program.instructions[warp.pc];
  sub.at_unit &= ~(SlotMask{1} << slot);
  warp.state = timed.awaited;
  warp.next_issue = now + constants_.latency_mio_queue;
  warp.until_then = timed.awaited;
  warp.fetches_from = kNever;
  sub.sleep(slot, warp.next_issue);
}

void Sm::account(ResidentWarp& warp, Cycle until) {
  if (until <= warp.counted_until) return;
  if (observed_ && warp.warp != nullptr) tell_wait(warp, until);
  context_->stalls_at[warp.pc][static_cast<std::size_t>(warp.state)] += until - warp.counted_until;
  warp.counted_until = until;
}

void Sm::tell_wait(const ResidentWarp& warp, Cycle until) {
  std::uint32_t sub_core = 0;
  while (!std::ranges::any_of(sub_cores_[sub_core].slots,
                              [&](const ResidentWarp& slot) { return &slot == &warp; }))
    ++sub_core;
  const Cycle start = context_->clock_start;
  context_->core.launch.options->observer->waited(
      context_->core, *warp.warp,
      {start + warp.counted_until, start + until, stall_name(warp.state), sub_core});
}

void Sm::start_block(std::unique_ptr<Block> block, Cycle begin,
                     std::shared_ptr<ResidentCluster> cluster) {
  std::uint32_t place = 0;
  while (place < blocks_.size() && blocks_[place].block != nullptr) ++place;
  if (place == blocks_.size()) blocks_.emplace_back();
  block->sm = index_;
  ++resident_blocks_;
  std::uint32_t warps_left = 0;
  for (Warp& warp : block->warps) {
    if (warp.convergence->finished()) continue;  // before it came here
    ++warps_left;
    SubCore& sub = *std::ranges::min_element(
        sub_cores_, {}, [](const SubCore& each) { return std::popcount(each.resident); });
    const auto slot = static_cast<unsigned>(std::countr_one(sub.resident));
    ResidentWarp& resident = sub.slots[slot];
    const std::uint32_t instance = resident.instance + 1;
    resident = {};
    resident.instance = instance;
    resident.warp = &warp;
    resident.block = place;
    resident.began = resident.next_issue = resident.counted_until = begin;
    if (warp.convergence->has_current()) {
      resident.pc = warp.convergence->current().pc;
      sub.sleep(slot, begin);
    } else {
      resident.pc = warp.convergence->groups().back().pc - 1;  // of its BAR
      resident.at_barrier = true;
      resident.state = Stall::barrier;
      sub.sleep(slot, kNever);
    }
    sub.started[slot] = ++warps_started_;
    sub.resident |= SlotMask{1} << slot;
    sub.next_visit = std::min(sub.next_visit, begin);
    if (resident_warps_++ == 0) active_since_ = begin;
    begin += constants_.warp_start_interval;
  }
  blocks_[place] = {std::move(block), warps_left, std::move(cluster)};
}

// A warp has ended and its stores are done.
void Sm::retire(unsigned sub_core, unsigned slot, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  ResidentWarp& warp = sub.slots[slot];
  account(warp, now);
  warp_cycles_ += now - warp.began;
  warp.warp = nullptr;
  sub.resident &= ~(SlotMask{1} << slot);
  if (--resident_warps_ == 0) active_ += now - active_since_ + constants_.sm_start_cycles;
  ResidentBlock& block = blocks_[warp.block];
  if (--block.warps_left != 0) return;
  ended_.push_back({std::move(block.block), now, index_, std::move(block.cluster)});
  --resident_blocks_;
}

bool Sm::is_here(const Outstanding& who) const {
  const ResidentWarp& warp = sub_cores_[who.slot / kSlots].slots[who.slot % kSlots];
  return warp.warp != nullptr && warp.instance == who.instance;
}

// What they change is looked up when the SM's turn comes, where all of it is brought near.
void Sm::answer(Cycle now) {
  answered_ = now;
  const auto is_awaited = [this](const Outstanding& who) { return is_here(who); };
  if (!memory_.any_waiting(is_awaited)) take_answers();
}

void Sm::take_answers() {
  if (answered_ == kNever) return;
  for (const Outstanding& answer : memory_.collect()) {
    if (!is_here(answer)) continue;
    SubCore& sub = sub_cores_[answer.slot / kSlots];
    ResidentWarp& warp = sub.slots[answer.slot % kSlots];
    settle_result(warp, answer.scoreboard, answer.number, answer.done);
    settle_rest(warp, answer, answer.done);
    sub.look_at(answer.slot % kSlots, answered_);
  }
  answered_ = kNever;
}

const Block* Sm::any_block() const {
  for (const ResidentBlock& each : blocks_)
    if (each.block != nullptr) return each.block.get();
  return nullptr;
}

void Sm::add_to(Result& result) {
  result.active_sum += active_;
  result.active_max = std::max(result.active_max, active_);
  result.issued += issued_;
  result.warp_cycles += warp_cycles_;
  result.traffic += memory_.traffic();
}

}  // namespace heddle::simulator::timing
