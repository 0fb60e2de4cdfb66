// Branches, calls, convergence barriers and the end of threads.
#include <algorithm>
#include <bit>
#include <span>

#include "simulator/builtins.hpp"
#include "simulator/machine.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// Sends `taken` to an instruction while the rest of the active lanes falls through.
Flow branch(Core& core, Warp& warp, const Step& step, Mask active, Mask taken,
            std::uint32_t target) {
  InstructionCounts& counts = core.counts_of(step);
  Group& group = warp.convergence.current();
  if (taken == 0) {
    ++counts.branch_uniform;
    return Flow::next;
  }
  if (taken == active) {
    ++counts.branch_uniform;
    group.pc = target;
    return Flow::jump;
  }
  ++counts.branch_divergent;
  // The smaller group runs first; of equal ones the one that falls through
  // (docs/experiments/divergence-order.md, 1).
  if (2 * std::popcount(taken) < std::popcount(active))
    warp.convergence.split_off_first(taken, target);
  else
    warp.convergence.split_off(taken, target);
  return Flow::reschedule;
}

Flow execute_bra(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  return branch(core, warp, step, active, on & warp.predicate(step.pp.index, step.pp.invert),
                step.target);
}

// BRA.DIV jumps when the active lanes are not exactly the mask, BRA.CONV when they are.
template <bool kDiverged>
Flow execute_bra_on_mask(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  Mask mask = step.selector != 0 ? kFullMask : 0;  // ~URZ is the full warp
  if (step.address.uniform != AddressForm::Base::none)
    mask ^= *destination_row(warp, step.address.uniform_row);
  // A partial warp is converged when all lanes it has are there.
  const bool converged = active == (mask & warp.convergence.live());
  return branch(core, warp, step, active, converged != kDiverged ? on : 0, step.target);
}

// Lanes that go to the same instruction.
struct Part {
  Mask lanes = 0;
  std::uint32_t pc = 0;
};

// The order in which the parts of a warp run after a branch to several places; they come ordered by
// their lowest lanes (docs/experiments/divergence-order.md, 2).
void order_as_measured(std::span<Part> parts) {
  for (; parts.size() > 1; parts = parts.subspan(1)) {
    int all = 0;
    for (const Part& part : parts) all += std::popcount(part.lanes);
    if (2 * std::popcount(parts[0].lanes) > all) std::swap(parts[0], parts[1]);
    // Those behind the first keep the order of their lowest lanes.
    std::ranges::sort(parts.subspan(1), {},
                      [](const Part& part) { return std::countr_zero(part.lanes); });
  }
}

// Lanes go to addresses of their own: one group per address; those that are off fall through.
Flow go_to_addresses(Core& core, Warp& warp, const Step& step, Mask active, Mask on,
                     const std::array<std::uint64_t, kWarpSize>& address) {
  InstructionCounts& counts = core.counts_of(step);
  const std::size_t end = core.launch.program->steps.size() - 1;
  std::array<Part, kWarpSize + 1> parts;
  std::size_t count = 0;
  for (Mask left = on; left != 0; left &= ~parts[count++].lanes) {
    const std::uint64_t target = address[std::countr_zero(left)];
    Mask same = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (address[lane] == target) same |= Mask{1} << lane;
    });
    const std::uint64_t index = (target - isa::kCodeBase) / 16;
    if (builtin_at(target)) {
      if (same != active)
        return core.raise(Fault::Kind::unsupported_instruction, warp, step, same, 0,
                          "a call of a driver function by a part of the warp");
      ++counts.branch_uniform;
      return call_builtin(core, warp, step, same, target);
    }
    if (target < isa::kCodeBase || target % 16 != 0 || index >= end)
      return core.raise(Fault::Kind::invalid_pc, warp, step, same, target, {});
    parts[count] = {same, static_cast<std::uint32_t>(index)};
  }
  if (on != active) parts[count++] = {active & ~on, warp.convergence.current().pc};
  if (count == 1) {
    ++counts.branch_uniform;
    warp.convergence.current().pc = parts[0].pc;
    return on == 0 ? Flow::next : Flow::jump;
  }
  order_as_measured({parts.data(), count});
  // Every target but the last counts as a divergent branch; hardware's own counter counts an
  // execution more for each, with the lanes left (gpu/cupti/README.md, calls through pointers).
  counts.branch_divergent += count - 1;
  counts.extra_executed += count - 1;
  Mask left = active;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    left &= ~parts[i].lanes;
    counts.extra_threads += static_cast<unsigned>(std::popcount(left));
  }
  while (--count != 0) warp.convergence.split_off(parts[count].lanes, parts[count].pc);
  warp.convergence.current().pc = parts[0].pc;
  return Flow::reschedule;
}

// BRX, RET and register CALLs: the instruction's own displacement plus a 64-bit register pair.
// In the relative forms the displacement leads to the start of the section (SASS-FACTS 4.6).
Flow execute_register_branch(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  const Mask taken = on & warp.predicate(step.pp.index, step.pp.invert);
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
  return go_to_addresses(core, warp, step, active,
                         on & warp.predicate(step.pp.index, step.pp.invert), address);
}

Flow execute_bssy(Core&, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on != 0) warp.convergence.set_barrier(step.selector, active);
  return Flow::next;
}

Flow execute_bsync(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  const bool restored = warp.convergence.restored(step.selector);
  const unsigned met = warp.convergence.wait_convergence_barrier(step.selector);
  if (restored && met > 1) core.uncounted_reunions = true;
  return Flow::reschedule;
}

Flow execute_break(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  const Mask leaving = on & warp.predicate(step.pp.index, step.pp.invert);
  if (leaving == 0) return Flow::next;
  warp.convergence.leave_barrier(step.selector, leaving);
  return Flow::reschedule;
}

Flow execute_warpsync(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on == 0) return Flow::next;
  // The mask is the same in all lanes that execute it together; CUDA requires it.
  const Mask named =
      step.data_type != 0 ? kFullMask : source_row(warp, step.b)[std::countr_zero(on)];
  if (step.selector != 0 && step.data_type == 0) {
    // .EXCLUSIVE splits lanes whose masks differ (validation/DEVIATIONS.md): not built, never
    // guessed.
    const std::uint32_t* masks = source_row(warp, step.b);
    bool same = true;
    for_each_lane(on, [&](unsigned lane) { same = same && masks[lane] == named; });
    if (!same)
      return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0,
                        "lanes that come together name different masks");
  }
  const unsigned met = warp.convergence.wait_warp_sync(named | active);
  if (met > 1 && step.selector != 0) {
    core.uncounted_reunions = true;
  } else if (met > 1) {
    InstructionCounts& counts = core.counts_of(step);
    ++counts.extra_executed;
    counts.extra_threads +=
        static_cast<unsigned>(std::popcount((named | active) & warp.convergence.live()));
  }
  return Flow::reschedule;
}

Flow execute_yield(Core&, Warp& warp, const Step&, Mask, Mask on) {
  if (on == 0) return Flow::next;
  return warp.convergence.yield() ? Flow::reschedule : Flow::next;
}

Flow execute_exit(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  const Mask leaving = on & warp.predicate(step.pp.index, step.pp.invert);
  if (leaving == 0) return Flow::next;
  warp.convergence.exit(leaving);
  return Flow::reschedule;
}

Flow execute_trap(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  return core.raise(Fault::Kind::trap, warp, step, on, 0, {});
}

// BMOV between a convergence barrier and a register. The barrier's value is the set of lanes.
Flow execute_bmov_from_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  const Mask lanes = warp.convergence.barrier(step.selector);
  std::uint32_t* destination = destination_row(warp, step.d);
  for_each_lane(on, [&](unsigned lane) { destination[lane] = lanes; });
  if (step.data_type == 0) return Flow::next;
  warp.convergence.set_barrier(step.selector, 0);
  return Flow::reschedule;
}

Flow execute_bmov_to_barrier(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  warp.convergence.restore_barrier(step.selector, source_row(warp, step.b)[std::countr_zero(on)]);
  return Flow::reschedule;
}

Flow execute_nothing(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

Execute lower_bra(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kDiv = 2, kConv = 3;
  const std::uint32_t condition = in.mod(Mod::cond);
  if (condition != kDiv && condition != kConv) return execute_bra;
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::cond_invert));
  if (in.arch == isa::Arch::sm_75) step.selector = 1;  // that form has no mask: the full warp
  if (in.ur != isa::kURZ) {
    step.address.uniform = AddressForm::Base::low32;
    step.address.uniform_row = static_cast<RowOffset>((kUniformRow + in.ur) * kWarpSize);
  }
  return condition == kDiv ? execute_bra_on_mask<true> : execute_bra_on_mask<false>;
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

Execute lower_call(const isa::Instruction& in, Step& step) {
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::absolute));
  if (in.a.kind == isa::Source::Kind::reg) return execute_register_branch;
  return in.mod(Mod::absolute) != 0 ? execute_absolute_call : execute_bra;
}

// sm_90's .COLLECTIVE and .EXCLUSIVE surround one shuffle, vote or barrier of the lanes they name
// (up to its ENDCOLLECTIVE); the lanes that meet here execute it together in any case.
Execute lower_warpsync(const isa::Instruction& in, Step& step) {
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::warpsync_all));
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::warpsync_mode));
  return execute_warpsync;
}

}  // namespace

Execute lower_control(const isa::Instruction& in, Step& step, std::uint32_t index,
                      std::uint32_t end) {
  const std::int64_t target = std::int64_t{index} + 1 + in.offset / 16;
  step.target =
      target >= 0 && target < end && in.offset % 16 == 0 ? static_cast<std::uint32_t>(target) : end;
  step.selector = in.barrier;
  switch (in.op) {
    case Op::BRA:
      return lower_bra(in, step);
    case Op::BRX:
      step.selector = 0;
      return execute_register_branch;
    case Op::RET:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::absolute));
      return execute_register_branch;
    case Op::CALL:
      return lower_call(in, step);
    case Op::BSSY:
      return execute_bssy;
    case Op::BSYNC:
      return execute_bsync;
    case Op::BREAK:
      return execute_break;
    case Op::WARPSYNC:
      return lower_warpsync(in, step);
    case Op::YIELD:
      return execute_yield;
    case Op::NANOSLEEP:
      return execute_yield;
    case Op::EXIT:
      return execute_exit;
    case Op::BMOV:
      return lower_bmov(in, step);
    case Op::BPT:
      return execute_trap;
    // A sequentially consistent machine has nothing to wait for or to order.
    case Op::NOP:
    case Op::DEPBAR:
    case Op::LDGDEPBAR:
    case Op::MEMBAR:
    case Op::ERRBAR:
    case Op::CGAERRBAR:
    case Op::CCTL:
    case Op::CCTLL:
    case Op::ENDCOLLECTIVE:
      return execute_nothing;
    default:
      return nullptr;
  }
}

Flow execute_unsupported(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0, {});
}

Flow execute_undecodable(Core& core, Warp& warp, const Step& step, Mask active, Mask) {
  return core.raise(Fault::Kind::illegal_instruction, warp, step, active, 0, {});
}

}  // namespace heddle::simulator
