// Texts that depend on more than one field.
#include <bit>

#include "isa/instruction.hpp"
#include "isa/opcodes/control.hpp"
#include "isa/opcodes/integer.hpp"
#include "isa/opcodes/move.hpp"
#include "isa/opcodes/uniform.hpp"

namespace heddle::isa {

std::string_view bar_alias(const Instruction&) {
  return "BAR{bar_mode@77:3 .SYNC|.ARV|4:.SYNCALL}{defer_blocking@80 |.DEFER_BLOCKING} B, B";
}

std::string_view bar_red_alias(const Instruction&) {
  return "BAR{bar_mode@77:3 2:.RED}{bar_op@74:2 .POPC|.AND|.OR}{defer_blocking@80 "
         "|.DEFER_BLOCKING} B, B, Pp";
}

namespace {

// A mask of all eight bits is not printed.
bool names_all_predicates(const Source& mask) {
  return mask.kind == Source::Kind::imm && mask.value == 0xff;
}

}  // namespace

std::string_view r2p_alias(const Instruction& instruction) {
  return names_all_predicates(instruction.b) ? "R2P PR, A{insert@76:2 |.B1|.B2|.B3}"
                                             : std::string_view();
}

std::string_view ur2up_alias(const Instruction& instruction) {
  return names_all_predicates(instruction.b) ? "UR2UP UPR, UA{insert@76:2 |.B1|.B2|.B3}"
                                             : std::string_view();
}

// The texts of an IMAD that only moves, adds or shifts. Found by asking nvdisasm 13.0 for the text
// of words with every combination of RZ and immediates 0, 1 and powers of two: uniform operands
// never change the name, and 2^16 and 2^31 are not called shifts.
std::string_view imad_alias(const Instruction& instruction) {
  const Source &a = instruction.a, &b = instruction.b, &c = instruction.c;
  const auto is_zero_register = [](const Source& source) {
    return source.kind == Source::Kind::reg && source.index == kRZ;
  };
  if (b.kind == Source::Kind::ureg || c.kind == Source::Kind::ureg) return {};
  const bool immediate = b.kind == Source::Kind::imm;
  const bool product_is_zero =
      is_zero_register(a) || is_zero_register(b) || (immediate && b.value == 0);
  if (product_is_zero || (immediate && b.value == 1 && is_zero_register(c)))
    return "IMAD.MOV{is_signed@73 .U32|} Rd, A, B, -C";
  if (!immediate) return {};
  if (b.value == 1) return "IMAD.IADD{is_signed@73 .U32|} Rd, A, B, -C";
  const bool is_shift = std::has_single_bit(b.value) && b.value != 0x10000 && b.value != 0x80000000;
  if (is_shift && is_zero_register(c)) return "IMAD.SHL{is_signed@73 .U32|} Rd, A, B, -C";
  return {};
}

}  // namespace heddle::isa
