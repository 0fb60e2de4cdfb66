// The text nvdisasm prints, from the pictures of the opcode rows.
#include <fmt/format.h>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "isa/number_text.hpp"
#include "isa/picture.hpp"
#include "isa/special_registers.hpp"

namespace heddle::isa {
namespace {

std::string predicate_name(unsigned index, bool uniform) {
  const std::string_view file = uniform ? "UP" : "P";
  return index == kPT ? fmt::format("{}T", file) : fmt::format("{}{}", file, index);
}
std::string predicate_text(const Predicate& predicate) {
  return fmt::format("{}{}", predicate.negated ? "!" : "",
                     predicate_name(predicate.index, predicate.uniform));
}
bool is_always(const Predicate& predicate) { return predicate.index == kPT && !predicate.negated; }

std::string register_text(unsigned index) {
  return index == kRZ ? "RZ" : fmt::format("R{}", index);
}
std::string uniform_register_text(unsigned index) {
  return index == kURZ ? "URZ" : fmt::format("UR{}", index);
}

constexpr std::string_view kSwizzles[] = {"", ".F32", ".H0_H0", ".H1_H1"};

class Printer {
 public:
  Printer(const Instruction& instruction, std::uint64_t address, const TargetNamer& namer)
      : instruction_(instruction), address_(address), namer_(namer) {}

  std::string print() {
    if (!is_always(instruction_.guard))
      out_ = fmt::format("@{} ", predicate_text(instruction_.guard));
    print_picture(false);
    return std::move(out_);
  }

  std::string print_opcode() {
    print_picture(true);
    return std::move(out_);
  }

 private:
  void print_picture(bool only_opcode) {
    const Row& row = *instruction_.encoding->row;
    const std::string_view alias = row.alias == nullptr ? "" : row.alias(instruction_);
    const Layout& layout = *instruction_.encoding->layout;
    if (alias.empty()) return print_layout(layout, only_opcode);
    const Picture picture = read_picture(alias, layout.uniform_bits);
    print_layout(picture.with_items_at(picture.items.data()), only_opcode);
  }

  void print_layout(const Layout& layout, bool only_opcode) {
    for (const Item* item = layout.begin(); item != layout.end(); ++item) {
      if (only_opcode && item->kind == ItemKind::separator) return;
      const Item* suffix_end = item + 1;
      while (suffix_end != layout.end() && suffix_end->attached) ++suffix_end;
      print_item(*item, suffix_text(item + 1, suffix_end));
      item = suffix_end - 1;
    }
  }

  std::string suffix_text(const Item* first, const Item* last) const {
    std::string text;
    for (const Item* item = first; item != last; ++item)
      text += item->kind == ItemKind::mod ? modifier_text(*item, instruction_.word) : item->text;
    return text;
  }

  void put(std::string_view text) {
    if (text.empty()) return;
    if (separator_pending_) out_ += has_operands_ ? ", " : " ";
    if (separator_pending_) has_operands_ = true;
    if (plus_pending_) out_ += "+";
    separator_pending_ = plus_pending_ = false;
    out_ += text;
  }

  void print_item(const Item& item, const std::string& suffix) {
    switch (item.kind) {
      case ItemKind::text:
        return put(item.text);
      case ItemKind::separator:
        separator_pending_ = true;
        return;
      case ItemKind::open:
        put("[");
        bracket_ = out_.size();
        address_has_uniform_register_ = false;
        for (const Item* next = &item; next->kind != ItemKind::close; ++next)
          if (next->kind == ItemKind::ur) address_has_uniform_register_ = true;
        return;
      case ItemKind::plus:
        plus_pending_ = out_.size() > bracket_;
        return;
      case ItemKind::close:
        plus_pending_ = false;
        if (out_.size() == bracket_) put("RZ");
        bracket_ = 0;
        return put("]");
      default: {
        const std::string text = operand_text(item, suffix);
        put(text);
      }
    }
  }

  std::string operand_text(const Item& item, const std::string& suffix) const {
    const Instruction& it = instruction_;
    const std::uint64_t field = item.bits.width == 0 ? 0 : item.bits.get(it.word);
    const auto shown = [&](bool is_default, std::string text) {
      return item.optional && is_default ? std::string() : text + suffix;
    };
    switch (item.kind) {
      case ItemKind::mod:
        return std::string(modifier_text(item, it.word));
      case ItemKind::number:
        return shown(field == 0, hex(field));
      case ItemKind::mask:
        return shown(field + 1 == std::uint64_t{1} << item.bits.size(), hex(field));
      case ItemKind::rd:
      case ItemKind::reg:
        return shown(field == kRZ, register_text(static_cast<unsigned>(field)));
      case ItemKind::urd:
      case ItemKind::ur:
      case ItemKind::other_ur: {
        const unsigned number = uniform_register(field, item.bits.width);
        return shown(number == kURZ, uniform_register_text(number));
      }
      case ItemKind::hidden_ur:
        return (field >> 6) != 0 ? fmt::format("desc[{}]", uniform_register_text(it.ur)) : "";
      case ItemKind::next_ur:
        return uniform_register_text(it.ur + 1u);
      case ItemKind::pdst:
        return shown(field == kPT, predicate_name(static_cast<unsigned>(field), item.uniform));
      case ItemKind::psrc: {
        const Predicate& value = item.which == 0 ? it.pp : item.which == 1 ? it.pq : it.pr;
        return shown(is_always(value), predicate_text(value));
      }
      case ItemKind::load_predicate:
        return shown(is_always(it.pp), predicate_text(it.pp));
      case ItemKind::slot:
        return slot_text(item, suffix);
      case ItemKind::predicates:
        return item.uniform ? "UPR" : "PR";
      case ItemKind::immediate:
        return hex(field);
      case ItemKind::wide_immediate: {
        const std::uint64_t value = it.b.value | std::uint64_t{it.c.value} << 32;
        return item.bits.size() == 64 ? hex(value) : signed_hex(static_cast<std::int64_t>(value));
      }
      case ItemKind::offset:
        return offset_text(item);
      case ItemKind::global_offset:
        return it.c.value == 0 ? "" : signed_hex(static_cast<std::int32_t>(it.c.value));
      case ItemKind::displacement:
        return shown(it.offset == 0, signed_hex(it.offset));
      case ItemKind::target:
      case ItemKind::byte_target:
        return target_text(address_ + 16 + static_cast<std::uint64_t>(it.offset));
      case ItemKind::jump:
        return target_text(static_cast<std::uint64_t>(it.offset));
      case ItemKind::constant:
      case ItemKind::indexed_constant:
        return constant_text(item);
      case ItemKind::barrier:
        return fmt::format("B{}", field);
      case ItemKind::special_reg:
        return special_register_text(static_cast<unsigned>(field));
      case ItemKind::wait_list:
        return wait_list_text(static_cast<unsigned>(field));
      default:
        return {};
    }
  }

  // Signed beside a register; alone it is an address.
  std::string offset_text(const Item& item) const {
    const std::int64_t offset = instruction_.offset;
    if (offset == 0) return "";
    if (out_.size() != bracket_) return signed_hex(offset);
    return hex(static_cast<std::uint64_t>(offset) & ((std::uint64_t{1} << item.bits.size()) - 1));
  }

  std::string target_text(std::uint64_t target) const {
    return namer_ ? namer_(target) : hex(target);
  }

  static std::string special_register_text(unsigned number) {
    const std::string_view name = special_register_name(static_cast<std::uint8_t>(number));
    return name.empty() ? fmt::format("SR{}", number) : std::string(name);
  }

  // "{4,1}", highest first; nothing for an empty set.
  static std::string wait_list_text(unsigned set) {
    std::string text;
    for (unsigned index = 6; index-- > 0;)
      if ((set >> index & 1) != 0) text += fmt::format("{}{}", text.empty() ? "{" : ",", index);
    if (!text.empty()) text += "}";
    return text;
  }

  std::string constant_text(const Item& item) const {
    const Source& constant = instruction_.b;
    if (item.kind == ItemKind::constant)
      return fmt::format("c[{}][{}]", hex(constant.index), constant_offset(constant.value));
    const Source& index = instruction_.a;
    const bool none = index.index == (item.uniform ? kURZ : kRZ);
    const std::string name =
        item.uniform ? uniform_register_text(index.index) : register_text(index.index);
    const std::string offset = signed_hex(static_cast<std::int32_t>(constant.value));
    if (constant.value == 0) return fmt::format("c[{}][{}]", hex(constant.index), name);
    if (none) return fmt::format("c[{}][{}]", hex(constant.index), offset);
    return fmt::format("c[{}][{}+{}]", hex(constant.index), name, offset);
  }

  std::string slot_text(const Item& item, const std::string& suffix) const {
    const SlotPlace place = slot_place(item, instruction_.encoding->form);
    const Source& operand = source_of(item);
    if (place.kind == Source::Kind::imm) return immediate_text(item, operand.value);
    const bool is_register = place.kind == Source::Kind::reg;
    if (operand.index == kRZ && is_register && (item.optional || is_left_out(suffix))) return {};
    if (operand.index == kURZ && item.optional) return {};

    std::string swizzle;
    if (has_swizzle(item)) swizzle = kSwizzles[instruction_.word.bits(place.swizzle, 2)];
    std::string inner = name_of(item, operand), outer;
    (is_register ? outer : inner) += swizzle;
    (operand.absolute && suffix == ".H1" ? inner : outer) += suffix;  // |R8.H1|, |R8|.H0_H0
    const std::string_view bar = operand.absolute ? "|" : "";
    const std::string_view sign = !operand.negate ? "" : item.invert ? "~" : "-";
    return fmt::format("{}{}{}{}{}{}", sign, bar, inner, bar, operand.reuse ? ".reuse" : "", outer);
  }

  static std::string constant_offset(std::uint32_t bytes) {
    return signed_hex(static_cast<std::int16_t>(bytes));
  }

  // A missing register is left out of an address, with its suffix, unless that suffix says
  // something: beside a uniform register a stride does, and on sm_90 the width does where it is 32
  // bits. The register beside a descriptor is always there.
  bool is_left_out(const std::string& suffix) const {
    if (bracket_ == 0) return false;
    if (!address_has_uniform_register_) return suffix != ".64";
    if (suffix == ".U32") return !traits(instruction_.arch).prints_zero_register_as_u32;
    return suffix.empty() || suffix == ".64";
  }

  static std::string name_of(const Item& item, const Source& operand) {
    switch (operand.kind) {
      case Source::Kind::reg:
        return register_text(operand.index);
      case Source::Kind::ureg:
        return uniform_register_text(operand.index);
      case Source::Kind::bindless:
        return fmt::format("c[{}][{}]", uniform_register_text(operand.index), hex(operand.value));
      default:
        return fmt::format("c[{}]{}[{}]", hex(operand.index),
                           has_swizzle(item) || item.type == 'x' ? " " : "",
                           constant_offset(operand.value));
    }
  }

  std::string immediate_text(const Item& item, std::uint32_t value) const {
    switch (item.type) {
      case 'u':
        return hex(value);
      case 'i':
        return (instruction_.mod(Mod::src_fmt) & 1) != 0
                   ? signed_hex(static_cast<std::int32_t>(value))
                   : hex(value);
      case 'f':
        return float_text(value);
      case 'd':
        return double_text(value);
      case 'x':
        return half_text(value & 0xffff);
      case 'h':
      case 'g':
      case 'm':
        return halves_text(value, instruction_.mod(Mod::bf16) != 0);
      default:
        return signed_hex(static_cast<std::int32_t>(value));
    }
  }

  const Source& source_of(const Item& item) const {
    if (item.which == 'A') return instruction_.a;
    if (item.which == 'N') return instruction_.c;
    if (item.which == 'C' && instruction_.c.kind != Source::Kind::none) return instruction_.c;
    return instruction_.b;
  }

  const Instruction& instruction_;
  std::uint64_t address_;
  const TargetNamer& namer_;
  std::string out_;
  bool separator_pending_ = false;
  bool has_operands_ = false;
  bool plus_pending_ = false;
  bool address_has_uniform_register_ = false;
  std::size_t bracket_ = 0;  // where the text inside the open bracket starts; 0: none is open
};

}  // namespace

std::string print(const Instruction& instruction, std::uint64_t address, const TargetNamer& namer) {
  return Printer(instruction, address, namer).print();
}

std::string print_opcode(const Instruction& instruction) {
  return Printer(instruction, 0, {}).print_opcode();
}

}  // namespace heddle::isa
