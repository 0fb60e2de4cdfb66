#include "simulator/launch/classify.hpp"

#include <algorithm>
#include <set>

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Mod;
using isa::Op;

bool is_float_type(const Instruction& in) {
  using Kind = isa::AtomicData::Kind;
  const Kind kind = isa::atomic_data(in).kind;
  return kind == Kind::floating || kind == Kind::bfloat;
}

// Registers that tell time or place.
bool reads_time_or_place(const Instruction& in) {
  constexpr std::uint32_t kVirtualCfg = 2, kVirtualId = 3, kVirtualSmId = 67;
  const std::uint32_t number = in.mod(Mod::special_reg);
  return number == 1 || number == kVirtualCfg || number == kVirtualId || number == kVirtualSmId ||
         (number >= 80 && number <= 83);
}

// SYNCS.PHASECHK without .TRYWAIT: how often a loop asks depends on time.
bool tests_barrier(const Instruction& in) {
  return isa::modifier_text(in, Mod::other0) == ".PHASECHK" && in.mod(Mod::other1) == 0;
}

const char* reason(const Instruction& in) {
  constexpr std::uint32_t kExchange = 8;
  switch (in.op) {
    case Op::ATOM_CAS:
    case Op::ATOMG_CAS:
    case Op::ATOMS_CAS:
      return "compare-and-swap";
    case Op::ATOM:
    case Op::ATOMG:
    case Op::ATOMS:
      if (in.mod(Mod::atom_op) == kExchange) return "atomic exchange";
      if (is_float_type(in)) return "floating-point atomic";
      return in.rd != isa::kRZ ? "atomic whose result is used" : nullptr;
    case Op::RED:
    case Op::UBLKRED:
      return is_float_type(in) ? "floating-point reduction" : nullptr;
    case Op::SYNCS:
      return tests_barrier(in) ? "test of a barrier in shared memory" : nullptr;
    case Op::VOTE:
    case Op::VOTEU:
      return in.pp.index == isa::kPT && !in.pp.negated && (in.rd != isa::kRZ || in.urd != isa::kURZ)
                 ? "active-mask read"
                 : nullptr;
    case Op::S2R:
    case Op::S2UR:
    case Op::CS2R:
      return reads_time_or_place(in) ? "clock or multiprocessor read" : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

LaunchClass classify(const isa::Program& program, const LaunchCounts& counts) {
  std::set<std::string> reasons;
  for (const auto& [pc, counted] : counts) {
    if (!program.instructions[pc]) continue;
    if (const char* why = reason(*program.instructions[pc])) reasons.insert(why);
  }
  return {.order_dependent_because = {reasons.begin(), reasons.end()}};
}

std::string needs_one_thread(const isa::Program& program) {
  for (const auto& instruction : program.instructions) {
    if (!instruction) continue;
    // Votes look at their own warp only, tests of barriers at their own cluster.
    if (instruction->op == Op::VOTE || instruction->op == Op::VOTEU || instruction->op == Op::SYNCS)
      continue;
    if (const char* why = reason(*instruction)) return why;
  }
  return {};
}

bool may_read_unordered(const isa::Program& program, const std::vector<InstructionRange>& code) {
  using Memory = isa::MemoryAccess;
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
  const auto always = [](const isa::Predicate& predicate) {
    return predicate.index == isa::kPT && !predicate.negated;
  };
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    switch (in.op) {
      case Op::BRX:
      case Op::RET:
      case Op::WARPSYNC:
        found = true;
        break;
      case Op::BRA:
      case Op::CALL:
        found |= !always(in.guard) || !always(in.pp) || in.a.kind != isa::Source::Kind::none;
        break;
      default:
        break;
    }
  });
  return found;
}

}  // namespace heddle::simulator
