#include "isa/attributes.hpp"

#include "isa/encoding.hpp"

namespace heddle::isa {

std::string_view name(Unit unit) {
  constexpr std::string_view kNames[] = {"none", "adu", "alu",    "cbu", "fma",     "fp16",
                                         "fp64", "lsu", "tensor", "tex", "uniform", "xu"};
  return kNames[static_cast<std::size_t>(unit)];
}

Unit unit(const Instruction& instruction) { return instruction.encoding->row->unit; }

MemoryAccess memory_access(const Instruction& instruction) {
  return instruction.encoding->row->memory;
}

unsigned access_bytes(const Instruction& instruction) {
  if (memory_access(instruction).kind == MemoryAccess::Kind::none) return 0;
  const std::uint32_t type = instruction.mod(Mod::type);
  const std::uint32_t size = instruction.mod(Mod::size);
  switch (instruction.op) {
    case Op::LDSM:
    case Op::STSM:
      return 4u << instruction.mod(Mod::ldsm_num);
    case Op::ATOMS:
    case Op::ATOMS_CAS:
      return type == 2 ? 8 : 4;
    default: {
      constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
      return kBytes[size % 8];  // LDS codes 8 to 14 repeat 0 to 6
    }
  }
}

}  // namespace heddle::isa
