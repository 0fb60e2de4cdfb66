#include "simulator/checks/emulated_atomics.hpp"

#include <algorithm>

#include "isa/attributes.hpp"

namespace heddle::simulator::checks {
namespace {

bool compares_and_swaps(const Step& step) {
  if (step.instruction == nullptr) return false;
  return isa::memory_access(*step.instruction).of == isa::MemoryAccess::Of::swap;
}

bool loads(const isa::Instruction& in) {
  using Memory = isa::MemoryAccess;
  const Memory access = isa::memory_access(in);
  return access.kind == Memory::Kind::load && access.of == Memory::Of::values &&
         (access.space == isa::Space::shared || access.space == isa::Space::global ||
          access.space == isa::Space::generic);
}

// The register whose value the instruction copies; kRZ where it does something else.
std::uint8_t copied(const isa::Instruction& in) {
  const auto zero = [](const isa::Source& source) {
    return source.kind == isa::Source::Kind::reg && source.index == isa::kRZ;
  };
  const isa::Source* from = nullptr;
  if (in.op == isa::Op::MOV) from = &in.b;
  // IMAD.MOV: 0 * 0 + C, by which ptxas often moves values.
  if (in.op == isa::Op::IMAD && zero(in.a) && zero(in.b) && !in.c.negate &&
      in.mod(isa::Mod::x) == 0)
    from = &in.c;
  return from != nullptr && from->kind == isa::Source::Kind::reg ? from->index : isa::kRZ;
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
