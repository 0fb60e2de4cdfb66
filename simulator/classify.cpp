#include "simulator/classify.hpp"

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

LaunchClass classify(const isa::Program& program, const std::vector<InstructionCounts>& counts) {
  std::set<std::string> reasons;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].executed == 0 || !program.instructions[i]) continue;
    if (const char* why = reason(*program.instructions[i])) reasons.insert(why);
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

bool may_read_unordered(const isa::Program& program, const isa::Cubin& cubin, std::uint64_t entry) {
  using Memory = isa::MemoryAccess;
  bool loads = false, reductions = false;
  const isa::CodeRange* own = program.range_at(entry);
  for (const isa::CodeRange& range : program.ranges) {
    const bool is_other_kernel = cubin.functions[range.function].is_kernel &&
                                 (own == nullptr || range.section != own->section);
    if (is_other_kernel) continue;
    const std::uint64_t first = (range.address - isa::kCodeBase) / 16;
    for (std::uint64_t i = first; i < first + range.size / 16; ++i) {
      if (!program.instructions[i]) continue;
      const isa::Instruction& in = *program.instructions[i];
      const Memory access = isa::memory_access(in);
      if (access.space != isa::Space::global && access.space != isa::Space::generic) continue;
      if (access.kind == Memory::Kind::load && isa::is_strong(in)) return true;
      loads |= access.kind == Memory::Kind::load;
      reductions |= access.kind == Memory::Kind::reduction;
    }
  }
  return loads && reductions;
}

}  // namespace heddle::simulator
