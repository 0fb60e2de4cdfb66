// What keeps a warp from issuing. Reasons are asked in the order in which an instruction meets
// them: its warp, its place in the code, its operands, its unit.
#include <algorithm>
#include <bit>

#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

Sm::Look Sm::look(unsigned sub_core, ResidentWarp& warp, Cycle now) {
  const Look ready{Stall::not_selected, now};
  if (warp.at_barrier) return {Stall::barrier, kNever};
  if (warp.stalled_until > now) return {Stall::wait, warp.stalled_until};
  if (warp.next_issue > now) return {warp.until_then, warp.next_issue};
  if (warp.ended) return look_at_end(warp, now);
  if (warp.at_fence) {
    if (warp.stores.unknown != 0) return {Stall::membar, kNever};
    if (warp.stores.zero > now) return {Stall::membar, warp.stores.zero};
    warp.at_fence = false;
  }
  const std::uint32_t line = warp.pc / context_.program.instructions_per_line;
  if (line != warp.line) {
    warp.line = line;
    warp.fetched = front_end_.instructions(sub_core, line, now);
  }
  if (warp.fetched > now) return {Stall::no_instruction, warp.fetched};
  const Timed& timed = context_.program.instructions[warp.pc];
  if (const Look found = look_at_results(warp, timed, now); found.reason != ready.reason)
    return found;
  if (timed.constant_line >= 0 && timed.course != Course::constant) {
    if (warp.operand_of != warp.issued + 1) {
      warp.operand_of = warp.issued + 1;
      warp.operand_there =
          front_end_.operand(sub_core, static_cast<std::uint32_t>(timed.constant_line), now);
    }
    if (warp.operand_there > now) return {Stall::imc_miss, warp.operand_there};
  }
  Look found = look_at_units(sub_core, timed, now);
  found.at_unit = true;
  return found;
}

// A warp that has ended holds its place until all it has loaded is there and its stores have left;
// it does not wait for L2 to take them (H200 records: a launch of two warps that store drains for
// 20 cycles, not for 270; one that loads a constant and ends, for as long as that takes).
Sm::Look Sm::look_at_end(const ResidentWarp& warp, Cycle now) const {
  if (warp.unsent_stores != 0) return {Stall::drain, kNever};
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

Sm::Look Sm::look_at_results(const ResidentWarp& warp, const Timed& timed, Cycle now) const {
  for (unsigned left = timed.wait_mask; left != 0; left &= left - 1) {
    const Scoreboard& scoreboard =
        warp.scoreboards[static_cast<unsigned>(std::countr_zero(left)) % kScoreboards];
    if (scoreboard.unknown != 0) return {scoreboard.awaited, kNever};
    if (scoreboard.zero > now) return {scoreboard.awaited, scoreboard.zero};
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

Cycle Sm::pipe_free(const SubCore& sub, Pipe pipe) {
  const auto free = [&sub](Pipe each) { return sub.pipe_free[static_cast<std::size_t>(each)]; };
  return pipe == Pipe::fma ? std::min(free(Pipe::fma_heavy), free(Pipe::fma_lite)) : free(pipe);
}

Sm::Look Sm::look_at_units(unsigned sub_core, const Timed& timed, Cycle now) {
  const SubCore& sub = sub_cores_[sub_core];
  const Cycle free = pipe_free(sub, timed.pipe);
  if (free > now) return {Stall::math_pipe_throttle, free};
  Cycle until = 0;
  switch (timed.course) {
    case Course::memory:
    case Course::shuffle:
    case Course::constant:
      if (!memory_.has_room(sub_core, now, until)) return {timed.queue_full, until};
      break;
    case Course::special:
      if (sub.special_leaves[sub.special_next] > now)
        return {timed.queue_full, sub.special_leaves[sub.special_next]};
      break;
    case Course::fixed: {
      // A fixed-latency instruction reads its registers in the three cycles after it issued.
      constexpr Cycle kReadCycles = 3;
      for (std::size_t bank = 0; timed.reads_banks && bank < sub.bank_free.size(); ++bank) {
        const Cycle reads = timed.bank_cycles[bank];
        const Cycle end = std::max(sub.bank_free[bank], now) + reads;
        if (reads != 0 && end > now + kReadCycles)
          return {Stall::dispatch_stall, end - kReadCycles};
      }
      break;
    }
    default:
      break;
  }
  return {Stall::not_selected, now};
}

}  // namespace heddle::simulator::timing
