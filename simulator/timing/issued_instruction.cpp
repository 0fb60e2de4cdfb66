// What an instruction that has issued sets going, and where its warp stands behind it.
#include <algorithm>
#include <bit>

#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

// What its registers name: once it has been executed, they may hold something else.
void SubCore::find_sources(const ResidentWarp& warp, const Timed& timed) {
  if (timed.course == Course::constant) units_.indexed.find(*units_.context, warp, timed);
  if (timed.course == Course::texture) units_.texture = texture_read(*units_.context, warp);
}

inline void SubCore::guard(ResidentWarp& warp, std::uint8_t scoreboard, Stall awaited, Cycle done) {
  if (scoreboard == kNoScoreboard) return;
  Scoreboard& guarded = warp.scoreboards[scoreboard];
  // Who waits for several results waits for the slow ones.
  const bool slow = guarded.awaited == Stall::long_scoreboard &&
                    (guarded.unknown != 0 || guarded.zero >= warp.counted_until);
  if (done != kUnknown) guarded.zero = std::max(guarded.zero, done);
  if (!slow) guarded.awaited = awaited;
  if (counts_results_ && scoreboard != kUnguarded) count_result(warp, scoreboard, done);
}

[[gnu::noinline]] void SubCore::count_result(ResidentWarp& warp, std::uint8_t scoreboard,
                                             Cycle done) {
  warp.counted.push_back({warp.issued, done, scoreboard});
}

void SubCore::start(unsigned slot, const Timed& timed, const Issue& issued, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  if (timed.empties_l1 && issued.on.any()) units_.memory.empty_l1();
  switch (timed.course) {
    case Course::fixed:
    case Course::depbar:
      return;
    case Course::special: {
      const Cycle begin = pipes_.special_began(timed);
      guard(warp, timed.read_scoreboard, timed.awaited, begin + constants_.latency_xu_read);
      return guard(warp, timed.write_scoreboard, timed.awaited, begin + timed.latency);
    }
    case Course::variable:
      guard(warp, timed.write_scoreboard, timed.awaited, now + timed.latency);
      return guard(warp, timed.read_scoreboard, timed.awaited, now + timed.latency);
    case Course::shuffle:
      return start_pass(slot, timed, now);
    case Course::constant:
      return load_constant(warp, timed, now);
    case Course::uniform_read:
      return guard(warp, timed.result_scoreboard, timed.awaited,
                   now + timed.latency + units_.adu.take(index_, now, timed.interval));
    case Course::memory:
      return start_memory(slot, timed, issued, now);
    case Course::texture:
      return start_texture(slot, timed, issued, now);
    case Course::async_group:
      return close_copies(warp, timed, now);
    case Course::group_arrive:
      return units_.products.arrive(warp.block, warp.warp->index);
    case Course::group_product:
      return start_product(slot, timed, issued, now);
    case Course::bulk_copy:
      return start_bulk_copy(warp, timed, issued, now);
    case Course::bulk_group:
      return guard(warp, timed.read_scoreboard, timed.awaited, std::max(warp.bulk_read, now + 1));
    case Course::fence:
      warp.at_fence = timed.awaits_stores;
      warp.next_issue =
          warp.stalled_until + timed.latency +
          units_.fences.wait(now, timed.interval * Server::kTicks / Calendar::kHundred);
      if (timed.awaits_stores) {
        warp.next_issue += units_.copies.fence(now);
        warp.fenced_loads = units_.copies.loads();
      }
      warp.until_then = Stall::membar;
      return;
    case Course::sleep:
      warp.next_issue = std::max(warp.next_issue, now + sleep_cycles(warp, issued));
      warp.until_then = Stall::sleeping;
      return;
    case Course::cluster_arrive:
    case Course::cluster_wait:
      return start_cluster(warp, timed, issued, now);
    case Course::branch:
    case Course::convergence:
    case Course::exit:
    case Course::barrier:
      return start_flow(slot, timed, issued, now);
  }
}

// Addresses that lanes name are served one by one, 4 bytes at a time (measured: lanes.* of
// gpu/kernels/micro/timing/lane_constants.cu); all bytes at once where there is one address
// (reads.registers.* of uniform_constants.cu). Who waits for a missing line keeps no place.
void SubCore::load_constant(ResidentWarp& warp, const Timed& timed, Cycle now) {
  constexpr Cycle kWordBytes = 4;
  const Cycle places = units_.indexed.places;
  const Cycle words = std::max<Cycle>(1, (timed.bytes + kWordBytes - 1) / kWordBytes);
  const Cycle times = places == 1 ? 1 : places * words;
  const Cycle begin = now + units_.adu.take(index_, now, times * timed.interval);
  const Cycle there = std::max(begin, units_.front_end.indexed(units_.indexed.lines, now));
  const Cycle done = there + timed.latency + (places - 1) * constants_.latency_constant_place;
  guard(warp, timed.result_scoreboard, timed.awaited, done);
  guard(warp, timed.read_scoreboard, timed.awaited,
        std::min(done, begin + constants_.latency_operand_read));
}

// Through the memory unit's queue, without an access.
void SubCore::start_pass(unsigned slot, const Timed& timed, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Completion completion = units_.memory.pass(index_, now, timed, waiting_for(slot, timed));
  if (completion.queued) return expect_results(warp, timed);
  guard(warp, timed.result_scoreboard, timed.awaited, completion.done);
  guard(warp, timed.read_scoreboard, timed.awaited, completion.sources_read);
}

void SubCore::start_product(unsigned slot, const Timed& timed, const Issue& issued, Cycle now) {
  if (issued.on.empty()) return;
  const ResidentWarp& warp = slots_[slot];
  const std::uint32_t group = warp.warp->index / kWarpsOfGroup;
  const std::uint64_t number = warp.warp->products.begun;
  const Cycle begin =
      units_.products.begin(warp.block, group, number, now + timed.latency, timed.interval);
  units_.products.complete(warp.block, group, number, tensor_.issue(timed, begin));
}

// Whom what comes to the block concerns, which is the warp's or another one of its cluster.
CopyEngine::Receiver SubCore::receiver(const ResidentWarp& warp, const BarrierUpdate& update) {
  CopyEngine::Receiver receiver{&units_.copies, &units_.arrivals, update};
  if (update.block == warp.warp->block) return receiver;
  Sm& sm = *units_.blocks.cluster_or_own(warp.block).sms[update.block->rank];
  receiver.engine = &sm.copies();
  receiver.arrivals = &sm.arrivals();
  return receiver;
}

// What it names has been read soon; the rest goes on without it.
void SubCore::start_bulk_copy(ResidentWarp& warp, const Timed& timed, const Issue& issued,
                              Cycle now) {
  guard(warp, timed.write_scoreboard, timed.awaited, now + timed.latency);
  guard(warp, timed.read_scoreboard, timed.awaited, now + timed.latency);
  Core& core = units_.context->core;
  if (issued.on.empty()) return;
  std::vector<CopyEngine::Receiver> receivers;
  for (const BarrierUpdate& update : core.updates) receivers.push_back(receiver(warp, update));
  core.updates.clear();
  const bool stores = receivers.empty();
  const Step& step = steps_[issued.pc];
  const bool executes = units_.context->source.executes();  // and its registers tell more
  if (timed.prefetches) {
    std::vector<MemoryRun> memory;
    if (executes && timed.names_map)
      memory = prefetched_box(core, *warp.warp, step);
    else if (executes)
      memory.push_back(prefetched_run(*warp.warp, step));
    return units_.copies.prefetch(now, timed, memory);
  }
  const unsigned promotion =
      executes && timed.names_map && !stores ? promotion_of_map(core, *warp.warp, step) : 0;
  const Cycle read = units_.copies.add(now, timed, issued.accesses, {core.copied_row, promotion},
                                       std::move(receivers));
  if (stores) warp.bulk_read = std::max(warp.bulk_read, read);
}

// Barriers that threads of other blocks have arrived at learn it later.
void SubCore::update_barriers(const ResidentWarp& warp, Cycle now) {
  std::vector<BarrierUpdate>& updates = units_.context->core.updates;
  for (const BarrierUpdate& update : updates) {
    const Cycle way = update.block == warp.warp->block ? 0 : constants_.latency_far_arrival;
    receiver(warp, update).arrivals->add(now + way, update);
  }
  updates.clear();
}

// The asynchronous copies issued so far are a group.
void SubCore::close_copies(ResidentWarp& warp, const Timed& timed, Cycle now) {
  const Cycle latest = std::max(warp.copies.zero, now + timed.latency);
  warp.counted.push_back({.number = warp.issued,
                          .done = warp.copies.unknown != 0 ? kNever : latest,
                          .scoreboard = 0,
                          .is_group = true,
                          .unknown = warp.copies.unknown,
                          .latest = latest});
  warp.scoreboards[0].awaited = timed.awaited;
}

Outstanding SubCore::waiting_for(unsigned slot, const Timed& timed) const {
  const ResidentWarp& warp = slots_[slot];
  return {.slot = index_ * kSlots + slot,
          .instance = warp.instance,
          .number = warp.issued,
          .scoreboard = timed.result_scoreboard,
          .read_scoreboard = timed.read_scoreboard,
          .is_store = timed.is_store,
          .is_async = timed.is_async};
}

// Its results are to come, at a time not known yet.
void SubCore::expect_results(ResidentWarp& warp, const Timed& timed) {
  for (const std::uint8_t scoreboard : {timed.read_scoreboard, timed.result_scoreboard}) {
    if (scoreboard == kNoScoreboard) continue;
    guard(warp, scoreboard, timed.awaited, kUnknown);
    ++warp.scoreboards[scoreboard].unknown;
  }
}

// Where a GPU puts the regions of warps is not known. An odd multiple of eight lines between them
// makes them compete for L1 as on the H200: within 7 % of all lines that local.f8 to f256 of
// gpu/kernels/micro/timing/l1_places.cu read.
LineNumber SubCore::lines_between_local(const LaunchContext& launch) {
  constexpr std::uint64_t kWordBytes = 4, kStep = 8;
  const std::uint64_t words = launch.local_bytes / kWordBytes;
  return ((words + words / 3) / kStep | 1) * kStep;
}

LineNumber SubCore::local_line(unsigned slot) const {
  const std::uint64_t warp = index_ * kSlots + slot;
  return (std::uint64_t{units_.sm} * constants_.sub_cores * kSlots + warp) * lines_between_local_;
}

void SubCore::start_memory(unsigned slot, const Timed& timed, const Issue& issued, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Origin origin{.local_line = local_line(slot),
                      .rank = warp.warp->block->rank,
                      .cluster = units_.blocks.cluster(warp.block)};
  const Completion completion =
      units_.memory.issue(index_, now, timed, issued.accesses, origin, waiting_for(slot, timed));
  if (completion.queued) {
    expect_results(warp, timed);
    warp.unsent_stores += timed.is_store;
  } else {
    guard(warp, timed.read_scoreboard, timed.awaited, completion.sources_read);
    guard(warp, timed.result_scoreboard, timed.awaited,
          completion.outstanding ? kUnknown : completion.done);
    if (completion.outstanding && timed.result_scoreboard != kNoScoreboard)
      ++warp.scoreboards[timed.result_scoreboard].unknown;
    if (timed.is_store) {
      warp.stores.zero = std::max(warp.stores.zero, completion.done);
      warp.stores_left = std::max(warp.stores_left, completion.sources_read);
    }
    if (timed.is_async) warp.copies.zero = std::max(warp.copies.zero, completion.done);
    if (!completion.outstanding) return;
  }
  if (timed.is_store) ++warp.stores.unknown;
  if (timed.is_async) ++warp.copies.unknown;
}

void SubCore::start_texture(unsigned slot, const Timed& timed, const Issue& issued, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const Completion completion = units_.memory.sample(
      index_, now, timed, units_.texture, issued.accesses, issued.on, waiting_for(slot, timed));
  guard(warp, timed.read_scoreboard, timed.awaited, completion.sources_read);
  guard(warp, timed.result_scoreboard, timed.awaited,
        completion.outstanding ? kUnknown : completion.done);
  if (completion.outstanding && timed.result_scoreboard != kNoScoreboard)
    ++warp.scoreboards[timed.result_scoreboard].unknown;
}

// NANOSLEEP's time, in nanoseconds, as the lowest lane has it: the next power of two, at least 64
// (sleep.* of gpu/kernels/micro/timing/spinning.cu).
Cycle SubCore::sleep_cycles(const ResidentWarp& warp, const Issue& issued) const {
  constexpr std::uint64_t kShortest = 64, kLongest = 1'000'000, kKiloPerNano = 1'000'000;
  if (issued.on.empty() || warp.warp->convergence->others_ready()) return 0;
  const Step& step = steps_[issued.pc];
  const std::uint64_t time = source_row(*warp.warp, step.b)[issued.on.first()];
  return std::bit_ceil(std::clamp(time, kShortest, kLongest)) *
         units_.context->core.launch.model->clock_khz / kKiloPerNano;
}

// Cycles to the first instruction behind one that sends the warp's lanes elsewhere.
SubCore::FlowTime SubCore::flow_time(const ResidentWarp& warp, const Timed& timed,
                                     const Issue& issued) const {
  const Reconvergence& lanes = *warp.warp->convergence;
  const Cycle fetch = constants_.latency_branch_fetch, fetch_group = constants_.latency_group_fetch;
  if (timed.course == Course::branch) {
    if (issued.flow == Flow::reschedule) return {constants_.latency_branch_divergent, fetch_group};
    if (issued.flow != Flow::jump) return {constants_.latency_branch_not_taken};
    return {
        timed.is_indirect ? constants_.latency_branch_indirect : constants_.latency_branch_taken,
        fetch};
  }
  if (issued.flow != Flow::reschedule || !lanes.has_current()) return {};
  if (timed.course == Course::barrier) return {constants_.latency_barrier};
  if (timed.meets_warp && issued.active == lanes.live()) return {};
  const bool together = (lanes.current().lanes & issued.active) == issued.active;
  if (!together) return {constants_.latency_group_switch, fetch_group};
  if (timed.meets_warp) return {constants_.latency_warp_reunion};
  const bool restored = timed.is_bsync && lanes.restored(timed.barrier);
  return {restored ? constants_.latency_restored_reconvergence : constants_.latency_reconvergence};
}

// A YIELD looks for lanes to run; a second time where some wait at WARPSYNC, which is no reason to
// run them (yield.* of gpu/kernels/micro/timing/yields.cu).
Cycle SubCore::yield_time(const ResidentWarp& warp, Cycle now) {
  const Groups& groups = warp.warp->convergence->groups();
  const bool again = std::ranges::any_of(
      groups, [](const Group& group) { return group.wait == simulator::Wait::warp_sync; });
  return search_time(now, again ? 2 : 1);
}

// Lanes are searched for, for one warp of the sub-core after the other: at YIELD, and where a group
// waits or ends while the one that was set aside last has gone on before
// (docs/experiments/timing.md, "Groups of lanes that are searched for").
Cycle SubCore::search_time(Cycle now, unsigned times) {
  const Cycle begin = std::max(now, yields_from_);
  yields_from_ = begin + Cycle{times} * constants_.interval_yield;
  return begin - now + Cycle{times} * constants_.latency_yield;
}

// Where the warp need not wait for others the barrier opens `latency` after its arrival has been
// taken. What computes does not wait for that.
void SubCore::pass_barrier(ResidentWarp& warp, const Timed& barrier, Cycle latency, Cycle now) {
  const Cycle wait = units_.adu.take(index_, now, constants_.interval_barrier_arrival);
  units_.arrival_taken = now + wait;
  if (latency == 0) return;
  warp.opens = now + wait + latency + 1;
  wait_until_open(warp, barrier);
}

void SubCore::start_flow(unsigned slot, const Timed& timed, const Issue& issued, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  const bool searched = warp.warp->convergence->take_search();
  if (timed.is_yield) {
    if (issued.on.empty()) return;
    warp.next_issue = now + yield_time(warp, now);
    warp.until_then = Stall::branch_resolving;
    return;
  }
  auto [latency, fetch] = flow_time(warp, timed, issued);
  if (timed.course == Course::barrier) return pass_barrier(warp, timed, latency, now);
  if (searched && latency != 0 && timed.course != Course::branch) latency = search_time(now, 1);
  if (latency == 0) return;
  const bool goes_elsewhere = timed.course == Course::convergence || issued.flow == Flow::jump;
  if (goes_elsewhere && !timed.is_indirect) {
    if (redirected_ != slot && redirected_until_ > now) {
      latency += constants_.latency_branch_beside;
      if (fetch != 0) fetch += constants_.latency_branch_beside;
    }
    redirected_ = slot;
    redirected_until_ = now + latency;
  }
  warp.next_issue = std::max(warp.next_issue, now + latency);
  warp.until_then = Stall::branch_resolving;
  if (fetch != 0) warp.fetches_from = std::max(now + latency - fetch, warp.stalled_until);
}

// Where a warp that waits at a block barrier is seen: behind what issues meanwhile.
std::uint32_t SubCore::blocked_at(std::uint32_t pc) const {
  while (passes_barrier(instructions_[pc])) ++pc;
  return pc;
}

// Until its stall count has run it is in `wait` there too (one_barrier of
// gpu/kernels/micro/timing/launches.cu).
void SubCore::stop_at_barrier(ResidentWarp& warp) {
  warp.at_barrier = true;
  warp.state = Stall::wait;
  account(warp, warp.stalled_until);
  warp.state = Stall::barrier;
}

// Where the warp stands after an instruction: its next one, at a barrier, or at its end. Until its
// stall count has run it is seen behind the instruction, also where that sends it elsewhere.
void SubCore::advance(unsigned slot, const Timed& timed, Cycle now) {
  ResidentWarp& warp = slots_[slot];
  at_unit_ &= ~slot_bit(slot);
  Reconvergence& lanes = *warp.warp->convergence;
  const bool may_release = timed.course == Course::barrier || timed.course == Course::exit;
  Cycle examine_at = now + 1;
  const std::uint32_t behind = warp.pc + 1;
  if (lanes.finished()) {
    warp.pc = behind;
    check_block_barriers(units_.blocks.block(warp.block));
    warp.ended = true;
    warp.next_issue = warp.stalled_until + constants_.latency_exit;
    warp.until_then = Stall::branch_resolving;
    warp.fetches_from = kNever;
    warp.state = Stall::wait;
  } else if (lanes.has_current()) {
    warp.state = Stall::wait;
    examine_at = std::max(now + 1, warp.stalled_until);
    if (lanes.current().pc != behind) {
      warp.pc = behind;
      account(warp, examine_at);
      warp.pc = lanes.current().pc;
      warp.line = kNoLine;  // is asked for when it is known where the warp goes on
    } else {
      warp.pc = behind;
      if (this->timed(warp).code_line != warp.line) ask_for_code(warp, now);
    }
  } else {
    warp.pc = behind;
    if (this->timed(warp).code_line != warp.line) ask_for_code(warp, now);
    warp.pc = blocked_at(behind);
    stop_at_barrier(warp);
    examine_at = kNever;
  }
  if (examine_at == kNever)
    slots_.sleep(slot, kNever);
  else
    sleep_until_ready(slot, warp, examine_at);
  if (ResidentCluster* const cluster = units_.blocks.cluster(warp.block);
      may_release && cluster != nullptr)
    cluster->look_at_barrier(now);
}

// A barrier that has been released lets the warp go on at that time.
void SubCore::resume_at(unsigned slot, Cycle time) {
  ResidentWarp& warp = slots_[slot];
  warp.at_barrier = false;
  warp.pc = warp.warp->convergence->current().pc;
  warp.next_issue = std::max(warp.next_issue, time);
  warp.until_then = warp.state = Stall::barrier;
  slots_.sleep(slot, warp.next_issue);
  next_visit_ = std::min(next_visit_, warp.next_issue);
}

// Whether the warp's next instruction could issue at `at` while the warp waits at the barrier
// before it: nothing else is in its way. What it needs is asked for at `now`, unless it is there.
bool SubCore::issues_meanwhile(ResidentWarp& warp, Cycle now, Cycle at) {
  const Timed& next = timed(warp);
  const Reconvergence& lanes = *warp.warp->convergence;
  if (!passes_barrier(next) || lanes.replays() || lanes.halts_at(warp.pc + 1)) return false;
  if (warp.line != next.code_line) {
    const bool kept = units_.front_end.keeps_code(index_, next.code_line);
    ask_for_code(warp, now);
    if (kept) warp.fetched = std::min(warp.fetched, at);
  }
  if (warp.fetched > at) return false;
  if (next.constant_lines_of_bank != 0) return false;
  if (next.constant_line >= 0 &&
      !units_.front_end.keeps_operand(static_cast<std::uint32_t>(next.constant_line), at))
    return false;
  return wait_for_results(warp, next, at).reason == Stall::not_selected;
}

// From this many cycles behind BAR on a warp is seen to wait for the barrier, also while the stall
// counts of what issues meanwhile run (samples of `reduce_halves` of pairs in
// validation/records/h200/sampled; one_barrier of gpu/kernels/micro/timing/launches.cu).
constexpr Cycle kSeenAtBarrier = 6;

// What has issued while the warp waited at a barrier, which opens at `opens`, is executed when that
// is known. `free`: until when what other warps of the sub-core have issued so takes.
void SubCore::issue_meanwhile(unsigned slot, Cycle now, Cycle opens, Cycle& free) {
  SmContext& context = *units_.context;
  ResidentWarp& warp = slots_[slot];
  warp.pc = warp.warp->convergence->current().pc;
  warp.computed_to = 0;
  const Cycle seen = warp.issued_at[(warp.issued - 1) % kIssuesKept] + kSeenAtBarrier;
  warp.stalled_until = std::max(warp.stalled_until, warp.counted_until);
  free = std::max(free, warp.stalled_until);
  for (;;) {
    const Cycle at = std::max(free, warp.stalled_until);
    if (at >= opens || !issues_meanwhile(warp, now, at)) return;
    const Timed& timed = this->timed(warp);
    account(warp, at);
    context.clock = context.clock_start + at;
    context.source.step(context.core, *warp.warp);
    ++context.stalls_at[warp.pc + 1][static_cast<std::size_t>(Stall::selected)];
    ++issued_;
    ++warp.issued;
    warp.issued_at[(warp.issued - 1) % kIssuesKept] = at;
    warp.counted_until = at + 1;
    warp.stalled_until = at + timed.stall + timed.held;
    free += timed.pipe == Pipe::fma ? 1 : timed.interval;
    ++warp.pc;
    warp.state = Stall::wait;
    account(warp, std::min(warp.stalled_until, seen));
    warp.state = Stall::barrier;
  }
}

// Warps that have waited leave the barrier, those first that came first.
void SubCore::leave_barrier(std::uint32_t block, Cycle now, Cycle opens) {
  std::array<unsigned, kSlots> waiting;
  std::size_t count = 0;
  for_each_slot(slots_.resident(), [&](unsigned slot) {
    const ResidentWarp& warp = slots_[slot];
    if (warp.at_barrier && warp.block == block && warp.warp->convergence->has_current())
      waiting[count++] = slot;
  });
  const std::span leaving = std::span(waiting).first(count);
  std::ranges::stable_sort(leaving, {}, [&](unsigned slot) { return slots_[slot].stalled_until; });
  Cycle free = 0;
  for (const unsigned slot : leaving) {
    ResidentWarp& warp = slots_[slot];
    issue_meanwhile(slot, now, opens, free);
    warp.state = Stall::barrier;
    account(warp, now);
    resume_at(slot, std::max(opens, warp.stalled_until));
    last_yields_ |= slot == last_;
  }
}

void SubCore::start_cluster(ResidentWarp& warp, const Timed& timed, const Issue& issued,
                            Cycle now) {
  ResidentCluster& cluster = units_.blocks.cluster_or_own(warp.block);
  if (issued.on.empty()) return;
  if (timed.course == Course::cluster_arrive) return cluster.arrive(now);
  if (issued.flow != Flow::next || !units_.blocks.leaves_cluster_barrier(warp.block, now)) return;
  warp.next_issue = std::max(warp.next_issue, units_.blocks.leave_cluster_barrier(warp.block));
  warp.until_then = Stall::barrier;
}

void SubCore::leave_cluster_barrier(const ResidentCluster& cluster) {
  for_each_slot(slots_.resident(), [&](unsigned slot) {
    const ResidentWarp& warp = slots_[slot];
    if (warp.at_barrier && units_.blocks.cluster(warp.block) == &cluster &&
        warp.warp->convergence->has_current())
      resume_at(slot, units_.blocks.leave_cluster_barrier(warp.block));
  });
}

}  // namespace heddle::simulator::timing
