// Convergence barriers and what else decides which lanes run together: BSSY, BSYNC, BREAK, BMOV,
// WARPSYNC, YIELD.

#include "isa/attributes.hpp"
#include "simulator/execute/condition.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/replay_counts.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

Flow execute_bssy(Core&, Warp& warp, const Step& step, Mask active, Mask on) {
  return on.any() ? warp.convergence->bssy(step.selector, active) : Flow::next;
}

// A barrier whose lanes came from a register opens late: those that pass go through BSYNC once
// more, which only the hardware's own counters see (H200: gpu/cupti/README.md); so do those that
// were released before. Of those that take others along some do and some do not; when is not known.
Flow execute_bsync(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on.empty()) return Flow::next;
  const bool restored = warp.convergence->restored(step.selector);
  const bool replayed = warp.convergence->begin_replay();
  const Bsync done = warp.convergence->bsync(step.selector);
  InstructionCounts& counts = core.counts_of(step);
  counts.extra_threads += done.taken_along.count();
  if (replayed)
    count_replay(counts, active);
  else if (restored && done.taken_along.any())
    core.seen.uncounted_reunions = true;
  else if (restored && done.met != 0)
    count_replay(counts, warp.convergence->current().lanes);
  return done.flow;
}

Flow execute_break(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Mask leaving = with_condition(core, warp, step, on);
  if (leaving.empty()) return Flow::next;
  const Released released = warp.convergence->leave_barrier(step.selector, leaving);
  count_released(core, released.groups);
  return released.flow;
}

// Lanes wait for those their mask names. .EXCLUSIVE counts as a branch where masks differ (H200
// record of group_tiles: reduce_tiles), .COLLECTIVE and the plain form do not.
Flow execute_warpsync(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on.empty()) return Flow::next;
  Reconvergence& convergence = *warp.convergence;
  const auto form = static_cast<Warpsync::Form>(step.selector);
  const bool names_all = step.data_type != 0;
  const bool replayed = convergence.begin_replay();
  const Warpsynced done =
      convergence.warpsync({.at = core.pc_of(step),
                            .form = form,
                            .active = active,
                            .masks = names_all ? nullptr : source_row(warp, step.b),
                            .behind = step.target});
  if (done.refused)
    return core.raise(Fault::Kind::unsupported_instruction, warp, step, active, 0,
                      "its lanes name several masks, which --reconvergence min-pc does not keep "
                      "apart; barriers and stack do");
  InstructionCounts& counts = core.counts_of(step);
  if (done.masks != 0 && replayed)
    count_replay(counts, active);
  else if (done.masks != 0 && form == Warpsync::Form::exclusive)
    count_branch(counts, done.masks);
  if (done.met > 1 && form == Warpsync::Form::plain)
    count_replay(counts, done.partners & convergence.live());
  else if (done.met > 1)
    core.seen.uncounted_reunions = true;
  return done.flow;
}

Flow execute_endcollective(Core&, Warp& warp, const Step&, Mask, Mask on) {
  return on.any() ? warp.convergence->end_collective() : Flow::next;
}

Flow execute_yield(Core&, Warp& warp, const Step&, Mask, Mask on) {
  return on.any() ? warp.convergence->yield() : Flow::next;
}

// BMOV's opcodes: the state or a barrier to a register, the state to a barrier, a barrier to the
// state.
constexpr std::uint64_t kStateToRegister = 0x355, kStateToBarrier = 0xf55, kBarrierToState = 0xf56;

// BMOV between a convergence barrier and a register. The barrier's value is the set of lanes.
Flow execute_bmov_from_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const Mask lanes = warp.convergence->barrier(step.selector);
  std::uint32_t* destination = destination_row(warp, step.d);
  for (const unsigned lane : on) destination[lane] = lanes.bits();
  const bool clears = step.data_type != 0;
  return clears ? warp.convergence->bmov_clear(step.selector) : Flow::next;
}

// The scheduling state of the warp, which is no fault to read on an H200.
Flow execute_bmov_from_state(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto value = warp.convergence->state_register(step.selector);
  if (!value) return execute_unsupported(core, warp, step, on, on);
  std::uint32_t* destination = destination_row(warp, step.d);
  for (const unsigned lane : on) destination[lane] = *value;
  return Flow::next;
}

Flow execute_bmov_to_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto lane = on.first();
  return warp.convergence->bmov_write(step.selector, Mask(source_row(warp, step.b)[lane]));
}

// BMOV between a convergence barrier and the scheduling state.
Flow execute_bmov_from_state_to_barrier(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto value = warp.convergence->state_register(step.selector);
  if (!value) return execute_unsupported(core, warp, step, on, on);
  return warp.convergence->bmov_write(step.instruction->barrier, Mask(*value));
}

// To the state: what is there already. Of another value nothing is known but that an H200 takes it.
Flow execute_bmov_to_state(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const bool by_barrier = step.instruction->word.bits(0, 12) == kBarrierToState;
  const std::uint32_t value = by_barrier
                                  ? warp.convergence->barrier(step.instruction->barrier).bits()
                                  : source_row(warp, step.b)[on.first()];
  if (warp.convergence->state_register(step.selector) == value) return Flow::next;
  return execute_unsupported(core, warp, step, on, on);
}

Execute lower_bmov(const isa::Instruction& in, Step& step) {
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::cbu_state));
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::clear));
  const bool is_state = step.selector >= kConvergenceBarriers;  // THREAD_STATE_ENUM and beyond
  if (is_state) {
    // An H200 refuses .CLEAR and .PQUAD of the state as illegal.
    if (step.data_type != 0 || in.mod(Mod::pquad) != 0) return nullptr;
    switch (in.word.bits(0, 12)) {
      case kStateToRegister:
        return execute_bmov_from_state;
      case kStateToBarrier:
        return execute_bmov_from_state_to_barrier;
      default:
        return execute_bmov_to_state;
    }
  }
  return isa::writes_barrier(in) ? execute_bmov_to_barrier : execute_bmov_from_barrier;
}

Execute lower_warpsync(const isa::Instruction& in, Step& step) {
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::warpsync_all));
  const auto form = isa::is_exclusive(in)             ? Warpsync::Form::exclusive
                    : in.mod(Mod::warpsync_mode) == 0 ? Warpsync::Form::plain
                                                      : Warpsync::Form::collective;
  step.selector = static_cast<std::uint8_t>(form);
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
