// Branches, calls, convergence barriers and the end of threads.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "simulator/execute/condition.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/replay_counts.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/warp/divergence_order.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

Branch::Kind kind_of(const Step& step) { return static_cast<Branch::Kind>(step.data_type); }

// Sends `taken` to an instruction while the rest of the active lanes falls through.
Flow branch(Core& core, Warp& warp, const Step& step, Mask active, Mask taken, Pc target) {
  InstructionCounts& counts = core.counts_of(step);
  Group& group = warp.convergence->current();
  if (taken.empty()) {
    ++counts.branch_uniform;
    return Flow::next;
  }
  const Branch::Kind kind = kind_of(step);
  if (taken == active && kind == Branch::Kind::jump) {
    ++counts.branch_uniform;
    group.pc = target;
    return Flow::jump;
  }
  std::array parts{Part{taken, target}, Part{active & ~taken, group.pc}};
  const std::size_t places = taken == active ? 1 : 2;
  if (places == 2 && !taken_runs_first(taken, active)) std::swap(parts[0], parts[1]);
  count_branch(counts, places);
  return warp.convergence->branch(
      {.at = core.pc_of(step), .parts = std::span(parts).first(places), .kind = kind});
}

Flow execute_bra(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  return branch(core, warp, step, active, with_condition(core, warp, step, on), step.target);
}

// BRA.U.ANY jumps with all active lanes where the guard of any holds: the end of loops in which
// lanes with different values take turns at an instruction of the uniform datapath, all of them
// going round until the last one had its turn (H200 record of bulk_copies).
Flow execute_bra_any(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  const Mask taken = with_condition(core, warp, step, on).any() ? active : Mask();
  return branch(core, warp, step, active, taken, step.target);
}

// BRA.DIV jumps with all active lanes when those whose guard holds are not exactly the mask (H200
// record of group_tiles: one lane that is off sends all 32); BRA.CONV jumps when they are.
template <bool kDiverged>
Flow execute_bra_on_mask(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  Mask mask = step.selector != 0 ? kFullMask : Mask();  // ~URZ is the full warp
  if (step.address.uniform != AddressForm::Base::none)
    mask ^= Mask(*destination_row(warp, step.address.uniform_row));
  // A partial warp is converged when all lanes it has are there.
  const bool converged = on == (mask & warp.convergence->live());
  const Mask taken = converged == kDiverged ? Mask() : kDiverged ? active : on;
  return branch(core, warp, step, active, taken, step.target);
}

// The index of the instruction at a code address, or kNowhere.
Pc index_at(const Core& core, std::uint64_t address) {
  const std::size_t end = core.launch.request->module->program().trap();
  const std::uint64_t index = (address - isa::kCodeBase) / 16;
  if (address < isa::kCodeBase || address % 16 != 0 || index >= end) return kNowhere;
  return Pc(static_cast<std::uint32_t>(index));
}

// Lanes go to addresses of their own; those that are off fall through.
Flow go_to_addresses(Core& core, Warp& warp, const Step& step, Mask active, Mask on,
                     std::array<std::uint64_t, kWarpSize> address) {
  Reconvergence& convergence = *warp.convergence;
  const std::uint32_t behind = convergence.current().pc;
  for (const unsigned lane : active & ~on) address[lane] = code_address_of_index(behind);
  const bool replayed = convergence.begin_replay();
  const LaneParts places(active, address);
  const LaneParts::Part& first = places.first();
  InstructionCounts& counts = core.counts_of(step);
  if (builtin_at(first.value)) {
    if (first.lanes != active)
      return core.raise(Fault::Kind::unsupported_instruction, warp, step, first.lanes, 0,
                        "a call of a driver function by a part of the warp");
    ++counts.branch_uniform;
    return call_builtin(core, warp, step, first.lanes, first.value);
  }
  std::array<Part, kWarpSize> parts;
  std::ranges::transform(places.all(), parts.begin(), [&](const LaneParts::Part& place) {
    return Part{place.lanes, index_at(core, place.value)};
  });
  const Flow flow = convergence.branch({.at = core.pc_of(step),
                                        .parts = std::span(parts).first(places.count()),
                                        .kind = kind_of(step),
                                        .indirect = true});
  if (flow == Flow::stop) {
    const auto lost = std::ranges::find(parts, kNowhere, &Part::pc);
    const auto address_of = lost->lanes.first();
    return core.raise(Fault::Kind::invalid_pc, warp, step, lost->lanes, address[address_of], {});
  }
  if (replayed)
    count_replay(counts, active);
  else
    count_branch(counts, places.count());
  return flow;
}

// BRX, RET and register CALLs: the instruction's own displacement plus a 64-bit register pair.
// In the relative forms the displacement leads to the start of the section
// (docs/hardware/control-flow.md).
Flow execute_register_branch(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  const Mask taken = on & warp.predicate(step.pp);
  const std::uint64_t base = step.selector != 0
                                 ? static_cast<std::uint64_t>(step.instruction->offset)
                                 : code_address_of_index(core.pc_of(step) + 1) +
                                       static_cast<std::uint64_t>(step.address.offset);
  const std::uint32_t* low = source_row(warp, step.a);
  std::array<std::uint64_t, kWarpSize> address;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    address[lane] = base + (low[lane] | std::uint64_t{low[kWarpSize + lane]} << 32);
  return go_to_addresses(core, warp, step, active, taken, address);
}

Flow execute_absolute_call(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  std::array<std::uint64_t, kWarpSize> address;
  address.fill(static_cast<std::uint64_t>(step.instruction->offset));
  return go_to_addresses(core, warp, step, active, on & warp.predicate(step.pp), address);
}

Flow execute_exit(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Mask leaving = with_condition(core, warp, step, on);
  if (leaving.empty()) return Flow::next;
  const Released released = warp.convergence->exit(leaving);
  count_released(core, released.groups);
  return released.flow;
}

Flow execute_trap(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  return core.raise(Fault::Kind::trap, warp, step, on, 0, {});
}

// BPT: .TRAP ends the launch; .INT, for a debugger, and .DRAIN do nothing without one; the pauses
// are illegal (docs/experiments/instruction-probe.md, "Forms that no compiler emits").
Flow execute_illegal(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  return core.raise(Fault::Kind::illegal_instruction, warp, step, on, 0, {});
}

Flow execute_nothing(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

Execute lower_bpt(const isa::Instruction& in) {
  constexpr std::uint32_t kTrap = 3, kInterrupt = 4, kDrain = 5;
  const std::uint32_t kind = in.mod(Mod::trap);
  if (kind == kTrap) return execute_trap;
  return kind == kInterrupt || kind == kDrain ? execute_nothing : execute_illegal;
}

Execute lower_bra(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kDiv = 2, kConv = 3;
  const std::uint32_t condition = in.mod(Mod::cond);
  if (condition != kDiv && condition != kConv)
    return in.mod(Mod::any) != 0 ? execute_bra_any : execute_bra;
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::cond_invert));
  if (!isa::traits(in.arch).branch_has_mask)
    step.selector = 1;  // that form has no mask: the full warp
  if (in.ur != isa::kURZ) {
    step.address.uniform = AddressForm::Base::low32;
    step.address.uniform_row = static_cast<RowOffset>((kUniformRow + in.ur) * kWarpSize);
  }
  return condition == kDiv ? execute_bra_on_mask<true> : execute_bra_on_mask<false>;
}

Execute lower_call(const isa::Instruction& in, Step& step) {
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::absolute));
  if (in.a.kind == isa::Source::Kind::reg) return execute_register_branch;
  return in.mod(Mod::absolute) != 0 ? execute_absolute_call : execute_bra;
}

Branch::Kind kind_of(Op op) {
  if (op == Op::CALL) return Branch::Kind::call;
  return op == Op::RET ? Branch::Kind::ret : Branch::Kind::jump;
}

}  // namespace

Execute lower_control(const isa::Instruction& in, Step& step, std::uint32_t index,
                      std::uint32_t end) {
  const std::int64_t target = std::int64_t{index} + 1 + in.offset / 16;
  const bool is_inside = target >= 0 && target < end && in.offset % 16 == 0;
  step.target = Pc(is_inside ? static_cast<std::uint32_t>(target) : end);
  step.selector = in.barrier;
  step.data_type = static_cast<std::uint8_t>(kind_of(in.op));
  switch (in.op) {
    case Op::BRA:
      return lower_bra(in, step);
    case Op::BRX:
    case Op::BRXU:
      step.selector = 0;
      return execute_register_branch;
    case Op::RET:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::absolute));
      return execute_register_branch;
    case Op::CALL:
      return lower_call(in, step);
    case Op::EXIT:
      return execute_exit;
    case Op::BPT:
      return lower_bpt(in);
    case Op::KILL:  // of pixels; illegal in a kernel, whatever its guard says
      return execute_illegal;
    // A sequentially consistent machine has nothing to wait for or to order.
    case Op::NOP:
    case Op::DEPBAR:
    case Op::LDGDEPBAR:
    case Op::MEMBAR:
    case Op::ERRBAR:
    case Op::CGAERRBAR:
    case Op::CCTL:
    case Op::CCTLL:
    case Op::PMTRIG:
    case Op::PREEXIT:  // launches follow one another
    case Op::ACQBULK:
    case Op::FENCE:
      return execute_nothing;
    default:
      return lower_convergence(in, step);
  }
}

bool is_plain_branch(const Step& step) {
  return step.execute == execute_bra && kind_of(step) == Branch::Kind::jump &&
         step.pp.index == kPT && step.pp.invert.empty();
}

Flow execute_unsupported(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0, {});
}

Flow execute_undecodable(Core& core, Warp& warp, const Step& step, Mask active, Mask) {
  return core.raise(Fault::Kind::illegal_instruction, warp, step, active, 0, {});
}

Flow execute_open_collective(Core& core, Warp& warp, const Step& step, Mask active, Mask) {
  return core.raise(Fault::Kind::illegal_instruction, warp, step, active, 0,
                    "there is no ENDCOLLECTIVE before the place where the lanes are to go on");
}

// Of what a GPU finds there nothing is known.
Flow execute_past_end(Core& core, Warp& warp, const Step& step, Mask active, Mask) {
  return core.raise(Fault::Kind::invalid_pc, warp, step, active, 0,
                    "the code ends here, without EXIT or a jump");
}

}  // namespace heddle::simulator
