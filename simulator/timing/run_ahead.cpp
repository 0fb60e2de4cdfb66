// A warp that is alone in its sub-core for some cycles issues what only computes without the SM's
// other sub-cores: they see neither when nor that it does. All it touches is its own, and sums.
// What could fault, asks caches that others ask too, or leads elsewhere than to the next
// instruction waits for its cycle.
#include <algorithm>

#include "simulator/timing/sub_core.hpp"

namespace heddle::simulator::timing {

// Until when no other warp of the sub-core does anything. Those of which it is not known when they
// go on wait for the memory unit, which does nothing before `until`, or for a barrier that a warp
// of another sub-core may open at any time.
Cycle SubCore::alone_until(unsigned slot, Cycle now, Cycle until) const {
  if (!units_.runs_ahead) return now;
  until = std::min(until, slots_.next());
  if ((slots_.resident() & ~slots_.awaited() & ~slot_bit(slot)) == 0) return until;
  return std::min<Cycle>(
      until, now + std::min(constants_.latency_barrier, constants_.latency_cluster_barrier));
}

// Whether the warp issues its next instruction at `now`, and what it touches is its own.
bool SubCore::goes_on_alone(const ResidentWarp& warp, const Timed& next, Cycle now) const {
  const SmContext& context = *units_.context;
  if (!next.is_plain || next.gate >= kPipes || warp.next_issue > now || issues_from_ > now)
    return false;
  if (next.code_line != warp.line || warp.fetched > now) return false;
  if (context.program.instructions[warp.pc + 1].code_line != warp.line) return false;
  if (next.wait_mask != 0 && wait_for_results(warp, next, now).reason != Stall::not_selected)
    return false;
  if (next.constant_line >= 0 &&
      (next.constant_lines_of_bank != 0 ||
       !units_.front_end.keeps_operand(static_cast<std::uint32_t>(next.constant_line), now)))
    return false;
  if (pipes_.free_at(next.pipe) > now) return false;
  if (next.reads_banks && !pipes_.all_banks_ready(now, context.program.most_bank_cycles) &&
      pipes_.banks_ready(next, now) > now)
    return false;
  const Reconvergence& lanes = *warp.warp->convergence;
  return context.core.launch.program->steps[warp.pc].lane != nullptr && !lanes.replays() &&
         !lanes.halts_at(warp.pc + 1);
}

// The warp has issued at `now`, and is at its next instruction. When it issued last.
Cycle SubCore::run_ahead(ResidentWarp& warp, Cycle now, Cycle until) {
  SmContext& context = *units_.context;
  for (;;) {
    const Timed& next = timed(warp);
    const Cycle time = std::max(now + 1, warp.stalled_until);
    if (time >= until || !goes_on_alone(warp, next, time)) return now;
    now = time;
    account(warp, now);
    context.clock = context.clock_start + now;
    const Issue issued = context.source.step(context.core, *warp.warp);
    ++context.stalls_at[issued.pc + 1][static_cast<std::size_t>(Stall::selected)];
    ++issued_;
    ++warp.issued;
    warp.counted_until = now + 1;
    take_time(warp, next, now);
    ++warp.pc;
  }
}

}  // namespace heddle::simulator::timing
