#include "simulator/checks/emulated_atomics.hpp"

#include <algorithm>

namespace heddle::simulator::checks {
namespace {

using isa::Op;

bool compares_and_swaps(const Step& step) {
  if (step.instruction == nullptr) return false;
  const Op op = step.instruction->op;
  return op == Op::ATOMS_CAS || op == Op::ATOMG_CAS || op == Op::ATOM_CAS;
}

bool loads(const isa::Instruction& in) {
  return in.op == Op::LDS || in.op == Op::LDG || in.op == Op::LD;
}

// The register whose value the instruction copies; kRZ where it does something else.
std::uint8_t copied(const isa::Instruction& in) {
  return in.op == Op::MOV && in.b.kind == isa::Source::Kind::reg ? in.b.index : isa::kRZ;
}

}  // namespace

std::vector<bool> loads_of_emulated_atomics(const LoweredProgram& program) {
  constexpr std::size_t kReach = 48;  // instructions; code that is not optimized moves values about
  std::vector<bool> found(program.steps.size());
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    if (!compares_and_swaps(program.steps[at])) continue;
    std::uint8_t value = program.steps[at].instruction->b.index;
    for (std::size_t back = 1; back <= std::min(at, kReach); ++back) {
      const isa::Instruction* const in = program.steps[at - back].instruction;
      if (in == nullptr || in->rd != value) continue;
      found[at - back] = loads(*in);
      value = copied(*in);
      if (value == isa::kRZ) break;
    }
  }
  return found;
}

}  // namespace heddle::simulator::checks
