#include "simulator/launch/classify.hpp"

#include <algorithm>
#include <set>

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Mod;
using Memory = isa::MemoryAccess;
using Reason = OrderTraits::Reason;
using Writes = OrderTraits::Writes;

// Of a special register that tells time or place.
bool reads_time_or_place(const Instruction& in) {
  constexpr std::uint32_t kVirtualCfg = 2, kVirtualId = 3, kVirtualSmId = 67;
  if (isa::facts(in).work != isa::Work::read_special) return false;
  const std::uint32_t number = in.mod(Mod::special_reg);
  return number == 1 || number == kVirtualCfg || number == kVirtualId || number == kVirtualSmId ||
         (number >= 80 && number <= 83);
}

// SYNCS.PHASECHK without .TRYWAIT: how often a loop asks depends on time.
bool tests_barrier(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  return access.of == Memory::Of::barrier && access.kind == Memory::Kind::load &&
         in.mod(Mod::try_wait) == 0;
}

Reason reason_of_atomic(const Instruction& in) {
  if (isa::memory_access(in).of == Memory::Of::swap) return Reason::compare_and_swap;
  if (isa::is_exchange(in)) return Reason::exchange;
  if (isa::data_type(in).is_float()) return Reason::float_atomic;
  return in.rd != isa::kRZ ? Reason::atomic_result : Reason::none;
}

Reason reason(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  if (access.of == Memory::Of::barrier)
    return tests_barrier(in) ? Reason::barrier_test : Reason::none;
  if (access.kind == Memory::Kind::atomic) return reason_of_atomic(in);
  if (access.kind == Memory::Kind::reduction && access.of != Memory::Of::counted)
    return isa::data_type(in).is_float() ? Reason::float_reduction : Reason::none;
  if (isa::reads_active_mask(in)) return Reason::active_mask;
  if (in.op == isa::Op::UGETNEXTWORKID) return Reason::cancelled_block;
  return reads_time_or_place(in) ? Reason::time_or_place : Reason::none;
}

const char* text(Reason reason) {
  switch (reason) {
    case Reason::none:
      break;
    case Reason::barrier_test:
      return "test of a barrier in shared memory";
    case Reason::compare_and_swap:
      return "compare-and-swap";
    case Reason::exchange:
      return "atomic exchange";
    case Reason::float_atomic:
      return "floating-point atomic";
    case Reason::atomic_result:
      return "atomic whose result is used";
    case Reason::float_reduction:
      return "floating-point reduction";
    case Reason::active_mask:
      return "active-mask read";
    case Reason::cancelled_block:
      return "cancellation of a block that waits";
    case Reason::time_or_place:
      return "clock or multiprocessor read";
  }
  return "";
}

Writes writes(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  if (access.kind != Memory::Kind::store && access.kind != Memory::Kind::copy) return Writes::own;
  if (access.of == Memory::Of::barrier || access.space == isa::Space::local) return Writes::own;
  // Shared memory is that of a block, but for clusters and where a generic address may lead.
  const bool shared = access.space == isa::Space::shared && access.kind == Memory::Kind::store &&
                      access.by_threads();
  return shared ? Writes::of_block : Writes::of_grid;
}

}  // namespace

const OrderTraits::Traits& OrderTraits::of(std::uint32_t pc) {
  if (traits_.empty()) traits_.resize(program_.instructions.size());
  Traits& traits = traits_[pc];
  if (traits.known) return traits;
  traits.known = true;
  if (const auto& in = program_.instructions[pc]) {
    traits.reason = reason(*in);
    traits.writes = writes(*in);
  }
  return traits;
}

LaunchClass classify(OrderTraits& traits, const LaunchCounts& counts, std::uint64_t warps,
                     std::uint64_t warps_per_block) {
  std::set<std::string> reasons;
  bool races = false;
  for (const auto& [pc, counted] : counts) {
    const OrderTraits::Traits& of = traits.of(pc);
    if (of.reason != Reason::none) reasons.insert(text(of.reason));
    races |= (of.writes == Writes::of_grid && warps > 1) ||
             (of.writes == Writes::of_block && warps_per_block > 1);
  }
  return {.order_dependent_because = {reasons.begin(), reasons.end()},
          .races = races ? LaunchClass::Races::not_checked : LaunchClass::Races::none};
}

bool tells_time(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    found |= reads_time_or_place(in);
  });
  return found;
}

bool cancels_blocks(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    found |= in.op == isa::Op::UGETNEXTWORKID;
  });
  return found;
}

std::string sees_order(const isa::Program& program) {
  for (const auto& instruction : program.instructions) {
    if (!instruction) continue;
    // Votes look at their own warp only, tests of barriers at their own cluster.
    if (isa::facts(*instruction).work == isa::Work::exchange ||
        isa::memory_access(*instruction).of == Memory::Of::barrier)
      continue;
    if (const Reason why = reason(*instruction); why != Reason::none) return text(why);
  }
  return {};
}

bool may_read_unordered(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool strong_loads = false, loads = false, reductions = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    const Memory access = isa::memory_access(in);
    if (access.space != isa::Space::global && access.space != isa::Space::generic) return;
    const bool is_load = access.kind == Memory::Kind::load;
    strong_loads |= is_load && isa::is_strong(in);
    loads |= is_load;
    reductions |= access.kind == Memory::Kind::reduction;
  });
  return strong_loads || (loads && reductions);
}

bool may_part_lanes(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    switch (isa::effect(in)) {
      case isa::Effect::indirect_branch:
      case isa::Effect::ret:
      case isa::Effect::warp_sync:
        found = true;
        break;
      case isa::Effect::branch:
      case isa::Effect::call:
        found |= isa::is_conditional(in) || in.a.kind != isa::Source::Kind::none;
        break;
      default:
        break;
    }
  });
  return found;
}

}  // namespace heddle::simulator
