// The registers and predicates that an instruction reads and writes, from its picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instruction.hpp"

namespace heddle::isa {

enum class RegisterFile : std::uint8_t { vector, uniform, predicate, uniform_predicate };

// Registers one after the other, from `first` on.
struct OperandUse {
  RegisterFile file = RegisterFile::vector;
  std::uint8_t first = 0;
  std::uint8_t count = 1;
  bool is_read = false, is_written = false;
  bool is_named_by_mask = false;  // some of these, perhaps

  friend bool operator==(const OperandUse&, const OperandUse&) = default;
};

// Without RZ, URZ and PT, and without the guard. Of what texture and surface instructions read and
// write the first register of each operand alone: how many there are depends on what they access.
struct Operands {
  static constexpr std::size_t kMost = 16;
  std::array<OperandUse, kMost> uses{};
  std::size_t count = 0;

  const OperandUse* begin() const { return uses.data(); }
  const OperandUse* end() const { return uses.data() + count; }
};

Operands operands(const Instruction& instruction);

// Registers that the destination takes (0: there is none), and the sources.
struct OperandWidths {
  std::uint8_t destination = 0, a = 1, b = 1, c = 1, ur = 1;
  bool has_uniform_predicates = false;  // `pu` and `pv` are of the uniform file
};
OperandWidths operand_widths(const Instruction& instruction);

}  // namespace heddle::isa
