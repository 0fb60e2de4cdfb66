#include "isa/instruction.hpp"

#include <array>

#include "isa/attributes.hpp"
#include "isa/encoding.hpp"

namespace heddle::isa {

std::string_view name(Op op) {
  constexpr std::string_view kNames[] = {
#define HEDDLE_OP(name) #name,
      HEDDLE_OPS(HEDDLE_OP)
#undef HEDDLE_OP
  };
  return kNames[static_cast<std::size_t>(op)];
}

namespace {

// Half swizzles have no item of their own: their bits depend on where the operand is.
std::uint32_t swizzle(const Instruction& instruction, char slot) {
  for (const Item& item : *instruction.encoding->layout) {
    if (item.kind != ItemKind::slot || !has_swizzle(item)) continue;
    const bool second = item.which == 'B' || item.which == 'S';
    if (item.which != slot && !(second && slot == 'B')) continue;
    const SlotPlace place = slot_place(item, instruction.encoding->form);
    if (place.kind == Source::Kind::imm) return 0;
    return static_cast<std::uint32_t>(instruction.word.bits(place.swizzle, 2));
  }
  return 0;
}

}  // namespace

std::uint32_t Instruction::mod(Mod which) const {
  if (const Item* item = find_modifier(*encoding, which))
    return item->bits.width == 0 ? item->constant
                                 : static_cast<std::uint32_t>(item->bits.get(word));
  if (which == Mod::swz_a) return swizzle(*this, 'A');
  if (which == Mod::swz_b) return swizzle(*this, 'B');
  if (which == Mod::swz_c) return swizzle(*this, 'C');
  return 0;
}

}  // namespace heddle::isa
