#include "isa/instruction.hpp"

#include <array>
#include <tuple>
#include <utility>

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

std::uint32_t value_of(const Item& modifier, const Word& word) {
  if (modifier.bits.width == 0) return modifier.constant;
  return static_cast<std::uint32_t>(modifier.bits.get(word));
}

}  // namespace

std::uint32_t Instruction::mod(Mod which) const {
  if (const Item* item = find_modifier(*encoding, which)) return value_of(*item, word);
  if (which == Mod::swz_a) return swizzle(*this, 'A');
  if (which == Mod::swz_b) return swizzle(*this, 'B');
  if (which == Mod::swz_c) return swizzle(*this, 'C');
  return 0;
}

ModifierValues Instruction::mods() const {
  ModifierValues values{};
  std::array<bool, std::tuple_size_v<ModifierValues>> found{};
  const auto set = [&](Mod which, std::uint32_t value) {
    const auto index = static_cast<std::size_t>(which);
    if (!std::exchange(found[index], true)) values[index] = value;
  };
  for_each_item(*encoding->layout, encoding->form, [&](const Item& item) {
    const std::uint32_t value = value_of(item, word);
    if (item.mod != Mod::count_) set(item.mod, value);
    if (item.kind == ItemKind::special_reg) set(Mod::special_reg, value);
  });
  set(Mod::swz_a, swizzle(*this, 'A'));
  set(Mod::swz_b, swizzle(*this, 'B'));
  set(Mod::swz_c, swizzle(*this, 'C'));
  return values;
}

}  // namespace heddle::isa
