// What keeps a warp from issuing. Reasons are asked in the order in which an instruction meets
// them: its warp, its place in the code, its operands, its unit.
#include <algorithm>
#include <bit>

#include "simulator/timing/sub_core.hpp"

namespace heddle::simulator::timing {

// All but its unit.
SubCore::Wait SubCore::wait_of(ResidentWarp& warp, Cycle now) {
  const Wait ready{Stall::not_selected, now};
  if (warp.at_barrier) return {Stall::barrier, kNever};
  if (warp.stalled_until > now) return {Stall::wait, warp.stalled_until};
  if (warp.next_issue > now) {
    if (warp.fetches_from <= now) return {Stall::no_instruction, warp.next_issue};
    return {warp.until_then, std::min(warp.next_issue, warp.fetches_from)};
  }
  if (warp.ended) return wait_at_end(warp, now);
  if (warp.at_fence) {
    const Wait found = wait_at_fence(warp, now);
    if (found.reason != ready.reason) return found;
    warp.at_fence = false;
  }
  const Timed& timed = this->timed(warp);
  if (timed.code_line != warp.line) ask_for_code(warp, now);
  if (warp.fetched > now) return {Stall::no_instruction, warp.fetched};
  if (const Wait found = wait_for_results(warp, timed, now); found.reason != ready.reason)
    return found;
  if (timed.course == Course::group_product && !group_has_arrived(warp))
    return {Stall::gmma, now + 1};
  if (timed.constant_line >= 0 && timed.course != Course::constant) {
    if (warp.operand_of != warp.issued + 1) {
      warp.operand_of = warp.issued + 1;
      warp.operand_there = operand_arrival(warp, timed, now);
    }
    if (warp.operand_there > now) return {Stall::imc_miss, warp.operand_there};
  }
  return ready;
}

// The unfinished warps of the group begin its products together: each waits until all have arrived
// as often as itself (samples of HGMMA in validation/records/h200/sampled: warpgroup_arrive).
bool SubCore::group_has_arrived(const ResidentWarp& warp) const {
  const auto& warps = warp.warp->block->warps;
  const std::uint32_t own = warp.warp->index, first = own / kWarpsOfGroup * kWarpsOfGroup;
  const std::uint32_t arrivals = units_.products.arrivals(warp.block, own);
  for (std::uint32_t i = first; i < first + kWarpsOfGroup && i < warps.size(); ++i)
    if (!warps[i].convergence->finished() && units_.products.arrivals(warp.block, i) < arrivals)
      return false;
  return true;
}

Cycle SubCore::operand_arrival(const ResidentWarp& warp, const Timed& timed, Cycle now) {
  const std::uint32_t line = operand_line(*units_.context, warp, timed);
  if (timed.constant_lines_of_bank == 0) return units_.front_end.operand(index_, line, now);
  const std::uint32_t named = timed.constant_offset / constants_.constant_line_bytes;
  return units_.front_end.uniform(index_, line, named, now);
}

// The line of the warp's next instruction. The one behind that on which it has landed comes some
// cycles later, also if the sub-core has both (behind.* of gpu/kernels/micro/timing/jumps.cu).
void SubCore::ask_for_code(ResidentWarp& warp, Cycle now) {
  const bool landed = warp.line == kNoLine;
  warp.line = timed(warp).code_line;
  warp.fetched = units_.front_end.instructions(index_, slots_.slot_of(warp), warp.line, now);
  if (landed)
    warp.line_behind = std::max(now, warp.fetched) + constants_.latency_line_behind;
  else
    warp.fetched = std::max(warp.fetched, warp.line_behind);
}

// A warp that has ended holds its place until all it has loaded is there and its stores have left;
// it does not wait for L2 to take them (H200 records: a launch of two warps that store drains for
// 20 cycles, not for 270; one that loads a constant and ends, for as long as that takes).
SubCore::Wait SubCore::wait_at_end(const ResidentWarp& warp, Cycle now) const {
  if (warp.unsent_stores != 0) return {Stall::drain, kNever};
  if (warp.stores.unknown != 0 && units_.memory.is_way_full(now)) return {Stall::drain, kNever};
  Cycle until = now;
  if (warp.stores_left != 0)
    until = std::max(
        until, warp.stores_left + constants_.latency_store_left - constants_.latency_store_read);
  for (const Scoreboard& scoreboard : warp.scoreboards) {
    if (scoreboard.unknown != 0) return {Stall::drain, kNever};
    until = std::max(until, scoreboard.zero);
  }
  return {Stall::drain, until};
}

SubCore::Wait SubCore::wait_at_fence(const ResidentWarp& warp, Cycle now) const {
  if (warp.stores.unknown != 0) return {Stall::membar, kNever};
  if (warp.stores.zero > now) return {Stall::membar, warp.stores.zero};
  constexpr Cycle kSoon = 16;
  const Cycle come = units_.copies.complete(warp.fenced_loads);
  if (come > now) return {Stall::membar, come == kNever ? now + kSoon : come};
  return {Stall::not_selected, now};
}

// What `wait_of` would find for a warp that waits for an unknown time, as far as answers matter.
SubCore::Wait SubCore::wait_for_answers(const ResidentWarp& warp, Cycle now) const {
  if (warp.at_barrier) return {Stall::barrier, kNever};
  if (warp.ended) return wait_at_end(warp, now);
  if (warp.at_fence) return wait_at_fence(warp, now);
  return wait_for_results(warp, timed(warp), now);
}

SubCore::Wait SubCore::wait_for_results(const ResidentWarp& warp, const Timed& timed,
                                        Cycle now) const {
  for (unsigned left = timed.wait_mask; left != 0; left &= left - 1) {
    const Scoreboard& scoreboard =
        warp.scoreboards[static_cast<unsigned>(std::countr_zero(left)) % kScoreboards];
    if (scoreboard.unknown != 0) return {scoreboard.awaited, kNever};
    if (scoreboard.zero > now) return {scoreboard.awaited, scoreboard.zero};
  }
  if (timed.groups_left != kNoGroupWait) {
    const Cycle done = units_.products.completed(warp.block, warp.warp->index / kWarpsOfGroup,
                                                 warp.warp->products.awaited(timed.groups_left));
    if (done > now) return {timed.awaited, done};
  }
  if (timed.depbar_scoreboard < kScoreboards) {
    std::uint32_t outstanding = 0;
    Cycle next = kNever;
    for (const CountedResult& counted : warp.counted)
      if (counted.scoreboard == timed.depbar_scoreboard && counted.done > now) {
        ++outstanding;
        next = std::min(next, counted.done);
      }
    if (outstanding > timed.depbar_count)
      return {warp.scoreboards[timed.depbar_scoreboard].awaited, next};
  }
  return {Stall::not_selected, now};
}

SubCore::Wait SubCore::wait_for_units(const Timed& timed, Cycle now) const {
  const Cycle free = pipes_.free_at(timed.pipe);
  if (free > now) return {Stall::math_pipe_throttle, free};
  const unsigned queue = timed.needs_queue() ? kQueueGate : kSpecialGate;
  if (const Cycle room = unit_free(queue, now); room > now) return {timed.queue_full, room};
  return {Stall::not_selected, now};
}

Cycle SubCore::queue_free(unsigned gate, Cycle now) const {
  if (gate == kSpecialGate) return pipes_.special_room();
  if (gate == kTextureGate) return units_.memory.texture_room(index_);
  if (gate == kGroupGate) return tensor_.room();
  if (gate == kAduGate) return units_.adu.room(index_);
  Cycle until = 0;
  return units_.memory.has_room(index_, now, until) ? now : until;
}

}  // namespace heddle::simulator::timing
