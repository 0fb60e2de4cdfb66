#include "simulator/warp/register_uses.hpp"

#include <fmt/format.h>

#include "isa/operands.hpp"

namespace heddle::simulator {
namespace {

unsigned place_of(isa::RegisterFile file, unsigned index) {
  switch (file) {
    case isa::RegisterFile::vector:
      return index;
    case isa::RegisterFile::uniform:
      return kUniformPlace + index;
    case isa::RegisterFile::predicate:
      return kPredicatePlace + index;
    case isa::RegisterFile::uniform_predicate:
      return kUniformPredicatePlace + index;
  }
  return kPlaces;
}

}  // namespace

std::string place_name(unsigned place) {
  if (place < kUniformPlace) return fmt::format("R{}", place);
  if (place < kPredicatePlace) return fmt::format("UR{}", place - kUniformPlace);
  if (place < kUniformPredicatePlace) return fmt::format("P{}", place - kPredicatePlace);
  return fmt::format("UP{}", place - kUniformPredicatePlace);
}

RegisterUses register_uses(const isa::Instruction& in) {
  RegisterUses uses;
  const isa::Predicate& guard = in.guard;
  if (guard.index != isa::kPT)
    uses.guard = place_of(
        guard.uniform ? isa::RegisterFile::uniform_predicate : isa::RegisterFile::predicate,
        guard.index);
  for (const isa::OperandUse& use : isa::operands(in)) {
    if (use.is_named_by_mask) continue;  // some of them only
    for (unsigned i = 0; i < use.count; ++i) {
      const unsigned place = place_of(use.file, use.first + i);
      if (use.is_read) uses.reads.add(place);
      if (use.is_written) uses.writes.add(place);
    }
  }
  return uses;
}

}  // namespace heddle::simulator
