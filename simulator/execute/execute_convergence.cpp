// Convergence barriers and what else decides which lanes run together: BSSY, BSYNC, BREAK, BMOV,
// WARPSYNC, YIELD.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "isa/attributes.hpp"
#include "simulator/execute/barrier_releases.hpp"
#include "simulator/execute/condition.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/warp/lane_parts.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// Barriers say nothing where a policy says which lanes run together.
bool has_barriers(const Warp& warp) { return warp.convergence.policy() == nullptr; }

Flow execute_bssy(Core&, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on != 0 && has_barriers(warp)) warp.convergence.join_barrier(step.selector, active);
  return Flow::next;
}

// A barrier whose lanes came from a register opens late: those that pass go through BSYNC once
// more, which only the hardware's own counters see (H200: gpu/cupti/README.md); so do those that
// were let go before. Of those that take others along some do and some do not; when is not known.
Flow execute_bsync(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0 || !has_barriers(warp)) return Flow::next;
  const bool restored = warp.convergence.restored(step.selector);
  const bool again = warp.convergence.current().again;
  const Mask lanes = warp.convergence.current().lanes;
  const unsigned met = warp.convergence.wait_convergence_barrier(step.selector);
  InstructionCounts& counts = core.counts_of(step);
  counts.extra_threads += static_cast<unsigned>(std::popcount(warp.convergence.joined()));
  if (again) {
    ++counts.extra_executed;
    counts.extra_threads += static_cast<unsigned>(std::popcount(lanes));
  } else if (restored && warp.convergence.joined() != 0) {
    core.seen.uncounted_reunions = true;
  } else if (restored && met != 0) {
    ++counts.extra_executed;
    counts.extra_threads += static_cast<unsigned>(std::popcount(warp.convergence.current().lanes));
  }
  return Flow::reschedule;
}

Flow execute_break(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Mask leaving = with_condition(core, warp, step, on);
  if (leaving == 0 || !has_barriers(warp)) return Flow::next;
  leave_counted(core, warp.convergence,
                [&] { warp.convergence.leave_barrier(step.selector, leaving); });
  return Flow::reschedule;
}

constexpr std::uint8_t kPlain = 0, kExclusive = 1, kCollective = 2;

// The lanes whose own mask names nobody who is still to come.
Mask with_all_partners(const Convergence& convergence, const std::uint32_t* named, Mask active) {
  Mask complete = 0;
  for_each_lane(active, [&](unsigned lane) {
    if ((named[lane] & convergence.live() & ~active) == 0) complete |= Mask{1} << lane;
  });
  return complete;
}

// Lanes wait for those their mask names. Where masks differ, .EXCLUSIVE and .COLLECTIVE let the
// lanes of one go on and the others come to the instruction again.
Flow warpsync_by_policy(Core& core, Warp& warp, const Step& step, Mask active) {
  Convergence& convergence = warp.convergence;
  const ReconvergencePolicy& policy = *convergence.policy();
  Mask named = kFullMask;
  bool parted = false;
  if (step.data_type == 0) {
    const LaneParts parts(active, source_row(warp, step.b));
    const LaneParts::Part first = parts.first();
    named = static_cast<Mask>(first.value);
    parted = parts.count() > 1 && step.selector != kPlain;
    for_each_lane(active, [&](unsigned lane) {
      if (step.selector == kPlain) named |= source_row(warp, step.b)[lane];
    });
    if (parted) {
      // By their program counters alone the lanes of several masks are one group again at once.
      if (core.launch.reconvergence == Reconvergence::min_pc)
        return core.raise(
            Fault::Kind::unsupported_instruction, warp, step, active, 0,
            "its lanes name several masks, which --reconvergence min-pc does not keep "
            "apart; barriers and stack do");
      const std::uint32_t here = core.pc_of(step);
      const std::array ways{Part{first.lanes, here + 1}, Part{active & ~first.lanes, here}};
      policy.part(convergence, here, ways, Way::branch);
      active = first.lanes;
    }
  }
  if (convergence.current().lanes != active) return Flow::reschedule;  // where they meet already
  const bool waits = step.selector == kCollective
                         ? policy.wait_collective(convergence, named | active, step.target)
                         : policy.wait_warp_sync(convergence, named | active);
  return waits || parted ? Flow::reschedule : Flow::next;
}

// Lanes wait for those their mask names. .EXCLUSIVE and .COLLECTIVE let the lanes of one mask
// alone: where masks differ the lanes of each go on by themselves, one part at a time; .EXCLUSIVE
// counts that as a branch (H200 record of group_tiles: reduce_tiles), .COLLECTIVE does not. The
// plain form only waits (docs/experiments/divergence-order.md, "WARPSYNC with several masks").
Flow execute_warpsync(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on == 0) return Flow::next;
  if (!has_barriers(warp)) return warpsync_by_policy(core, warp, step, active);
  Convergence& convergence = warp.convergence;
  if (step.selector == kPlain && step.data_type == 0) {
    const Mask complete = with_all_partners(convergence, source_row(warp, step.b), active);
    if (complete != 0 && LaneParts(active, source_row(warp, step.b)).count() > 1) {
      convergence.current().again = false;
      if (complete != active) convergence.leave_behind(active & ~complete, core.pc_of(step));
      return Flow::reschedule;
    }
  }
  Mask named = kFullMask;
  if (step.data_type == 0) {
    const LaneParts parts(active, source_row(warp, step.b));
    const LaneParts::Part part = parts.first();
    if (step.selector == kExclusive || convergence.current().again)
      count_parting(core, warp, step, parts);
    if (parts.count() > 1) {
      convergence.leave_behind(active & ~part.lanes, core.pc_of(step));
      active = part.lanes;
    }
    named = static_cast<Mask>(part.value);
  }
  if (step.selector == kCollective) {
    if (convergence.wait_collective(named | active, step.target) > 1)
      core.seen.uncounted_reunions = true;
    return Flow::reschedule;
  }
  const unsigned met = convergence.wait_warp_sync(named | active);
  if (met > 1 && step.selector != kPlain) {
    core.seen.uncounted_reunions = true;
  } else if (met > 1) {
    InstructionCounts& counts = core.counts_of(step);
    ++counts.extra_executed;
    counts.extra_threads +=
        static_cast<unsigned>(std::popcount((named | active) & convergence.live()));
  }
  return Flow::reschedule;
}

Flow execute_endcollective(Core&, Warp& warp, const Step&, Mask, Mask on) {
  if (on == 0) return Flow::next;
  if (!has_barriers(warp))
    return warp.convergence.policy()->end_collective(warp.convergence) ? Flow::reschedule
                                                                       : Flow::next;
  warp.convergence.end_collective();
  return Flow::reschedule;
}

Flow execute_yield(Core&, Warp& warp, const Step&, Mask, Mask on) {
  if (on == 0 || !has_barriers(warp)) return Flow::next;
  return warp.convergence.yield() ? Flow::reschedule : Flow::next;
}

// BMOV between a convergence barrier and a register. The barrier's value is the set of lanes.
Flow execute_bmov_from_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  const Mask lanes = warp.convergence.barrier(step.selector);
  std::uint32_t* destination = destination_row(warp, step.d);
  for_each_lane(on, [&](unsigned lane) { destination[lane] = lanes; });
  if (step.data_type == 0 || !has_barriers(warp)) return Flow::next;
  warp.convergence.clear_barrier(step.selector);
  return Flow::reschedule;
}

Flow execute_bmov_to_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0 || !has_barriers(warp)) return Flow::next;
  warp.convergence.restore_barrier(step.selector, source_row(warp, step.b)[std::countr_zero(on)]);
  return Flow::reschedule;
}

Execute lower_bmov(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kFirstOther = 16;  // THREAD_STATE_ENUM and beyond
  if (in.mod(Mod::cbu_state) >= kFirstOther) return nullptr;
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::cbu_state));
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::clear));
  const std::uint64_t opcode = in.word.bits(0, 12) & 0xff;
  if (opcode == 0x55) return execute_bmov_from_barrier;
  if (opcode == 0x56) return execute_bmov_to_barrier;
  return nullptr;
}

Execute lower_warpsync(const isa::Instruction& in, Step& step) {
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::warpsync_all));
  step.selector = isa::is_exclusive(in)             ? kExclusive
                  : in.mod(Mod::warpsync_mode) == 0 ? kPlain
                                                    : kCollective;
  return execute_warpsync;
}

}  // namespace

Execute lower_convergence(const isa::Instruction& in, Step& step) {
  switch (in.op) {
    case Op::BSSY:
      return execute_bssy;
    case Op::BSYNC:
      return execute_bsync;
    case Op::BREAK:
      return execute_break;
    case Op::BMOV:
      return lower_bmov(in, step);
    case Op::WARPSYNC:
      return lower_warpsync(in, step);
    case Op::ENDCOLLECTIVE:
      return execute_endcollective;
    case Op::YIELD:
    case Op::NANOSLEEP:
      return execute_yield;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
