#include "isa/operands.hpp"

#include "simulator/execute/micro_op.hpp"

namespace heddle::simulator {

bool source_is_64bit(const isa::Instruction& instruction, SourceSlot slot) {
  const isa::OperandWidths widths = isa::operand_widths(instruction);
  return (slot == SourceSlot::a ? widths.a : slot == SourceSlot::b ? widths.b : widths.c) == 2;
}

unsigned destination_rows(const isa::Instruction& instruction) {
  return isa::operand_widths(instruction).destination;
}

}  // namespace heddle::simulator
