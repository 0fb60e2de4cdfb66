// What an instruction that has issued sets going.
#include <algorithm>
#include <bit>

#include "simulator/execute/device_runtime.hpp"
#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

void Sm::occupy_units(SubCore& sub, const Timed& timed, Cycle now) {
  Pipe pipe = timed.pipe;
  // What either half can do leaves the heavy one to integer multiplication.
  if (pipe == Pipe::fma)
    pipe = pipe_free(sub, Pipe::fma_lite) <= now ? Pipe::fma_lite : Pipe::fma_heavy;
  const auto occupy = [&](Pipe each) {
    sub.pipe_free[static_cast<std::size_t>(each)] = now + timed.interval;
  };
  if (pipe == Pipe::half) {
    occupy(Pipe::fma_heavy);
    occupy(Pipe::fma_lite);
  } else if (pipe != Pipe::none) {
    occupy(pipe);
  }
  if (timed.course == Course::special) {
    const Cycle begin = std::max(sub.special_free, now);
    sub.special_free = begin + timed.interval;
    sub.special_leaves[sub.special_next] = begin + constants_.latency_xu_read;
    sub.special_next = (sub.special_next + 1) % sub.special_leaves.size();
  }
  if (timed.reads_banks)
    for (std::size_t bank = 0; bank < sub.bank_free.size(); ++bank)
      if (timed.bank_cycles[bank] != 0)
        sub.banks_free =
            std::max(sub.banks_free, sub.bank_free[bank] = std::max(sub.bank_free[bank], now) +
                                                           timed.bank_cycles[bank]);
}

void Sm::guard(ResidentWarp& warp, std::uint8_t scoreboard, Stall awaited, Cycle done) {
  if (scoreboard == kNoScoreboard) return;
  Scoreboard& guarded = warp.scoreboards[scoreboard];
  // Who waits for several results waits for the slow ones.
  const bool slow = guarded.awaited == Stall::long_scoreboard &&
                    (guarded.unknown != 0 || guarded.zero >= warp.counted_until);
  if (done != kUnknown) guarded.zero = std::max(guarded.zero, done);
  if (!slow) guarded.awaited = awaited;
  if (context_->program.counts_results && scoreboard != kUnguarded)
    warp.counted.push_back({warp.issued, done, scoreboard});
}

void Sm::follow(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued,
                Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  ResidentWarp& warp = sub.slots[slot];
  const auto results_at = [&](Cycle done) {
    guard(warp, timed.write_scoreboard, timed.awaited, done);
    guard(warp, timed.read_scoreboard, timed.awaited, done);
  };
  const auto follow_pass = [&](Cycle enters, std::uint32_t places) {
    const Completion completion =
        memory_.pass(sub_core, enters, timed, waiting_for(sub_core, slot, timed), places);
    if (completion.queued)
      expect(warp, timed);
    else {
      guard(warp, timed.result_scoreboard, timed.awaited, completion.done);
      guard(warp, timed.read_scoreboard, timed.awaited, completion.sources_read);
    }
  };
  if (context_->program.counts_results)
    std::erase_if(warp.counted, [now](const CountedResult& each) { return each.done <= now; });
  if (timed.empties_l1 && issued.on != 0) memory_.empty_l1();
  switch (timed.course) {
    case Course::fixed:
    case Course::depbar:
      return;
    case Course::special: {
      const Cycle begin = sub.special_free - timed.interval;
      guard(warp, timed.read_scoreboard, timed.awaited, begin + constants_.latency_xu_read);
      return guard(warp, timed.write_scoreboard, timed.awaited, begin + timed.latency);
    }
    case Course::variable:
      return results_at(now + timed.latency);
    case Course::shuffle:
      return follow_pass(now, 1);
    case Course::constant: {
      Cycle there = now;
      for (const std::uint32_t line : indexed_lines_)
        there = std::max(there, front_end_.indexed(line, now));
      return follow_pass(std::max(now, there), indexed_places_);
    }
    case Course::memory:
      return follow_memory(sub_core, slot, timed, issued, now);
    case Course::texture:
      return follow_texture(sub_core, slot, timed, issued, now);
    case Course::async_group: {
      const Cycle latest = std::max(warp.copies.zero, now + timed.latency);
      warp.counted.push_back({.number = warp.issued,
                              .done = warp.copies.unknown != 0 ? kNever : latest,
                              .scoreboard = 0,
                              .is_group = true,
                              .unknown = warp.copies.unknown,
                              .latest = latest});
      warp.scoreboards[0].awaited = timed.awaited;
      return;
    }
    case Course::fence:
      warp.at_fence = timed.awaits_stores;
      warp.next_issue = warp.stalled_until + timed.latency;
      warp.until_then = Stall::membar;
      return;
    case Course::sleep:
      warp.next_issue = std::max(warp.next_issue, now + sleep_cycles(warp, issued));
      warp.until_then = Stall::sleeping;
      return;
    case Course::cluster_arrive:
    case Course::cluster_wait:
      return follow_cluster(warp, timed, issued, now);
    case Course::branch:
    case Course::convergence:
    case Course::exit:
    case Course::barrier:
      return follow_flow(sub, slot, timed, issued, now);
  }
}

Outstanding Sm::waiting_for(unsigned sub_core, unsigned slot, const Timed& timed) const {
  const ResidentWarp& warp = sub_cores_[sub_core].slots[slot];
  return {.slot = sub_core * kSlots + slot,
          .instance = warp.instance,
          .number = warp.issued,
          .scoreboard = timed.result_scoreboard,
          .read_scoreboard = timed.read_scoreboard,
          .is_store = timed.is_store,
          .is_async = timed.is_async};
}

// Its results are to come, at a time not known yet.
void Sm::expect(ResidentWarp& warp, const Timed& timed) {
  for (const std::uint8_t scoreboard : {timed.read_scoreboard, timed.result_scoreboard}) {
    if (scoreboard == kNoScoreboard) continue;
    guard(warp, scoreboard, timed.awaited, kUnknown);
    ++warp.scoreboards[scoreboard].unknown;
  }
}

void Sm::follow_memory(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued,
                       Cycle now) {
  ResidentWarp& warp = sub_cores_[sub_core].slots[slot];
  const Origin origin{.local_region = std::uint64_t{index_} << 16 | (sub_core * kSlots + slot),
                      .rank = warp.warp->block->rank,
                      .cluster = blocks_[warp.block].cluster.get()};
  const Completion completion = memory_.issue(sub_core, now, timed, issued.accesses, origin,
                                              waiting_for(sub_core, slot, timed));
  if (completion.queued) {
    expect(warp, timed);
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

void Sm::follow_texture(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued,
                        Cycle now) {
  ResidentWarp& warp = sub_cores_[sub_core].slots[slot];
  const Completion completion = memory_.sample(sub_core, now, timed, texture_, issued.accesses,
                                               issued.on, waiting_for(sub_core, slot, timed));
  guard(warp, timed.read_scoreboard, timed.awaited, completion.sources_read);
  guard(warp, timed.result_scoreboard, timed.awaited,
        completion.outstanding ? kUnknown : completion.done);
  if (completion.outstanding && timed.result_scoreboard != kNoScoreboard)
    ++warp.scoreboards[timed.result_scoreboard].unknown;
}

// The driver's function that a call goes to, if it is one.
std::optional<Builtin> Sm::called_builtin(const ResidentWarp& warp, const Timed& timed) const {
  if (!timed.is_call) return std::nullopt;
  const Step& step = context_->core.launch.program->steps[warp.pc];
  const bool absolute = step.selector != 0;
  if (step.instruction == nullptr || (!absolute && !timed.is_indirect)) return std::nullopt;
  auto address = static_cast<std::uint64_t>(absolute ? step.instruction->offset : 0);
  if (timed.is_indirect) {
    const std::uint32_t* const low =
        source_row(*warp.warp, step.a) + std::countr_zero(warp.warp->convergence->current().lanes);
    address += low[0] + (std::uint64_t{low[kWarpSize]} << 32);
  }
  return builtin_at(address);
}

// Of a call that is about to be made, as the lowest lane has it.
std::uint64_t Sm::first_argument(const ResidentWarp& warp) {
  const auto lane =
      static_cast<unsigned>(std::countr_zero(warp.warp->convergence->current().lanes));
  const std::uint32_t* const low = warp.warp->rows + kFirstArgument * kWarpSize + lane;
  return low[0] | std::uint64_t{low[kWarpSize]} << 32;
}

// What the driver's functions take that were measured; the others nothing.
Cycle Sm::driver_cycles(Builtin called, std::uint64_t argument, const ResidentWarp& warp,
                        const Issue& issued, Cycle now) const {
  const auto lanes = static_cast<Cycle>(std::popcount(issued.on));
  switch (called) {
    case Builtin::vprintf:
      return print_cycles(warp, issued, now);
    case Builtin::malloc:
      return allocation_cycles(lanes, argument, now);
    case Builtin::free:
      return constants_.latency_free + (lanes - 1) * constants_.latency_free_lane;
    default:
      return 0;
  }
}

// What a further lane adds depends on the size, and not evenly.
Cycle Sm::malloc_lane(std::uint64_t bytes) const {
  const std::pair<std::uint64_t, std::uint32_t> up_to[] = {
      {64, constants_.latency_malloc_lane},          {256, constants_.latency_malloc_lane_256},
      {1024, constants_.latency_malloc_lane_1024},   {4096, constants_.latency_malloc_lane_4096},
      {16384, constants_.latency_malloc_lane_16384},
  };
  for (const auto& [most, cycles] : up_to)
    if (bytes <= most) return cycles;
  return constants_.latency_malloc_lane_65536;
}

// A warp's malloc by itself, and when many warps allocate, what all of them wait for: one heap
// (gpu/kernels/micro/timing/heap.cu).
Cycle Sm::allocation_cycles(Cycle lanes, std::uint64_t bytes, Cycle now) const {
  constexpr std::uint64_t kQuick = 256, kSlow = 1024;
  Cycle alone = constants_.latency_malloc + (lanes - 1) * malloc_lane(bytes);
  if (!context_->allocated) alone += constants_.latency_malloc_first;
  context_->allocated = true;
  const Cycle one = bytes > kQuick && bytes <= kSlow ? constants_.interval_malloc_1024
                                                     : constants_.interval_malloc;
  const Cycle served = one + (lanes - 1) * constants_.interval_malloc_lane;
  return std::max(alone, context_->heap.wait(now, served * Server::kTicks) + served);
}

// What the driver's printf takes: a warp's call by itself, and when many warps print, as many
// places on the chip as lanes that do, and some for the call
// (gpu/kernels/micro/timing/printing.cu).
Cycle Sm::print_cycles(const ResidentWarp& warp, const Issue& issued, Cycle now) const {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(issued.on));
  // vprintf gives back how many arguments the format names.
  const std::uint32_t arguments =
      warp.warp
          ->rows[kFirstArgument * kWarpSize + static_cast<unsigned>(std::countr_zero(issued.on))];
  const Cycle alone = constants_.latency_printf + Cycle{lanes} * constants_.latency_printf_lane +
                      Cycle{arguments} * constants_.latency_printf_argument;
  const std::uint32_t place = std::max(1u, constants_.interval_printf_lane);
  const std::uint32_t places = lanes + constants_.interval_printf / place;
  Cycle last = now;
  for (std::uint32_t i = 0; i < places; ++i) last = context_->printing.take(now);
  return std::max(alone, last + place - now);
}

// NANOSLEEP's time, in nanoseconds, as the lowest lane has it: the next power of two, at least 64
// (sleep.* of gpu/kernels/micro/timing/spinning.cu).
Cycle Sm::sleep_cycles(const ResidentWarp& warp, const Issue& issued) const {
  constexpr std::uint64_t kShortest = 64, kLongest = 1'000'000, kKiloPerNano = 1'000'000;
  if (issued.on == 0 || warp.warp->convergence->others_ready()) return 0;
  const Step& step = context_->core.launch.program->steps[issued.pc];
  const std::uint64_t time = source_row(*warp.warp, step.b)[std::countr_zero(issued.on)];
  return std::bit_ceil(std::clamp(time, kShortest, kLongest)) *
         context_->core.launch.model->clock_khz / kKiloPerNano;
}

// Cycles to the first instruction behind one that sends the warp's lanes elsewhere.
Sm::FlowTime Sm::flow_time(const ResidentWarp& warp, const Timed& timed,
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

void Sm::follow_flow(SubCore& sub, unsigned slot, const Timed& timed, const Issue& issued,
                     Cycle now) {
  ResidentWarp& warp = sub.slots[slot];
  auto [latency, fetch] = flow_time(warp, timed, issued);
  if (latency == 0) return;
  const bool goes_elsewhere = timed.course == Course::convergence || issued.flow == Flow::jump;
  if (goes_elsewhere && !timed.is_indirect) {
    if (sub.redirected != slot && sub.redirected_until > now) {
      latency += constants_.latency_branch_beside;
      if (fetch != 0) fetch += constants_.latency_branch_beside;
    }
    sub.redirected = slot;
    sub.redirected_until = now + latency;
  }
  warp.next_issue = std::max(warp.next_issue, now + latency);
  warp.until_then = timed.course == Course::barrier ? Stall::barrier : Stall::branch_resolving;
  if (fetch != 0) warp.fetches_from = std::max(now + latency - fetch, warp.stalled_until);
}

// Where a warp that waits at a block barrier is seen: what needs nothing but the arithmetic units
// issues meanwhile (records of samples: BAR.SYNC.DEFER_BLOCKING and ISETP, LOP3 or IMAD behind it).
std::uint32_t Sm::blocked_at(std::uint32_t pc) const {
  const auto issues = [](const Timed& timed) {
    return timed.course == Course::fixed && timed.pipe >= Pipe::alu && timed.pipe < Pipe::fp64;
  };
  while (issues(context_->program.instructions[pc])) ++pc;
  return pc;
}

// Where the warp stands after an instruction: its next one, at a barrier, or at its end. Until its
// stall count has run it is seen behind the instruction, also where that sends it elsewhere.
void Sm::settle(unsigned sub_core, unsigned slot, const Timed& timed, Cycle now) {
  SubCore& sub = sub_cores_[sub_core];
  ResidentWarp& warp = sub.slots[slot];
  sub.at_unit &= ~(SlotMask{1} << slot);
  Reconvergence& lanes = *warp.warp->convergence;
  const bool may_release = timed.course == Course::barrier || timed.course == Course::exit;
  Cycle look_again = now + 1;
  const std::uint32_t behind = warp.pc + 1;
  if (lanes.finished()) {
    warp.pc = behind;
    check_block_barriers(*blocks_[warp.block].block);
    warp.ended = true;
    warp.next_issue = warp.stalled_until + constants_.latency_exit;
    warp.until_then = Stall::branch_resolving;
    warp.fetches_from = kNever;
    warp.state = Stall::wait;
  } else if (lanes.has_current()) {
    warp.state = Stall::wait;
    look_again = std::max(now + 1, warp.stalled_until);
    if (lanes.current().pc != behind) {
      warp.pc = behind;
      account(warp, look_again);
      warp.pc = lanes.current().pc;
      warp.line = kNoLine;  // is asked for when it is known where the warp goes on
    } else {
      warp.pc = behind;
      if (context_->program.instructions[behind].code_line != warp.line)
        ask_for_code(sub_core, warp, now);
    }
  } else {
    warp.at_barrier = true;
    warp.pc = blocked_at(behind);
    warp.state = Stall::barrier;
    look_again = kNever;
  }
  sub.sleep(slot, look_again);
  if (ResidentBlock& block = blocks_[warp.block]; may_release && block.cluster != nullptr)
    block.cluster->look_at_barrier(now);
  if (may_release) wake_released(warp.block, now);
}

// Warps of the block that a barrier has let go; they leave one by one, behind the last comer.
void Sm::wake_released(std::uint32_t block, Cycle now) {
  Cycle leaves = now + constants_.latency_barrier;
  for (SubCore& sub : sub_cores_)
    for (SlotMask left = sub.resident; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      ResidentWarp& warp = sub.slots[slot];
      if (!warp.at_barrier || warp.block != block || !warp.warp->convergence->has_current())
        continue;
      account(warp, now);
      warp.at_barrier = false;
      warp.pc = warp.warp->convergence->current().pc;
      leaves += constants_.barrier_release_interval;
      warp.next_issue = std::max(warp.next_issue, leaves);
      warp.until_then = warp.state = Stall::barrier;
      sub.sleep(slot, warp.next_issue);
      sub.next_visit = std::min(sub.next_visit, warp.next_issue);
    }
}

// A block by itself is a cluster too.
ResidentCluster& Sm::cluster_of(ResidentBlock& block) {
  if (block.cluster == nullptr) {
    block.cluster = std::make_shared<ResidentCluster>();
    block.cluster->blocks = {block.block.get()};
    block.cluster->sms = {this};
    block.cluster->ports = {&cluster_port_};
  }
  return *block.cluster;
}

// When the next of a block's warps can leave the barrier that opened last.
Cycle Sm::leave_cluster_barrier(ResidentBlock& block) {
  const Cycle leaves = block.cluster_leaves;
  block.cluster_leaves += constants_.cluster_release_interval;
  return leaves;
}

void Sm::follow_cluster(ResidentWarp& warp, const Timed& timed, const Issue& issued, Cycle now) {
  ResidentBlock& block = blocks_[warp.block];
  ResidentCluster& cluster = cluster_of(block);
  if (issued.on == 0) return;
  if (timed.course == Course::cluster_arrive) return cluster.arrive(now);
  if (issued.flow != Flow::next || block.cluster_leaves <= now) return;
  warp.next_issue = std::max(warp.next_issue, leave_cluster_barrier(block));
  warp.until_then = Stall::barrier;
}

void Sm::open_cluster_barrier(const ResidentCluster& cluster, Cycle opened) {
  for (ResidentBlock& block : blocks_)
    if (block.cluster.get() == &cluster)
      block.cluster_leaves = opened + constants_.latency_cluster_barrier;
  for (SubCore& sub : sub_cores_)
    for (SlotMask left = sub.resident; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      ResidentWarp& warp = sub.slots[slot];
      if (!warp.at_barrier || blocks_[warp.block].cluster.get() != &cluster ||
          !warp.warp->convergence->has_current())
        continue;
      warp.at_barrier = false;
      warp.pc = warp.warp->convergence->current().pc;
      warp.next_issue = std::max(warp.next_issue, leave_cluster_barrier(blocks_[warp.block]));
      warp.until_then = warp.state = Stall::barrier;
      sub.sleep(slot, warp.next_issue);
      sub.next_visit = std::min(sub.next_visit, warp.next_issue);
    }
}

}  // namespace heddle::simulator::timing
