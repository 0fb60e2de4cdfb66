#include "isa/decoder.hpp"

#include "isa/encoding.hpp"

namespace heddle::isa {
namespace {

std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

// A predicate source's index and, above it, its negation.
constexpr unsigned kPredicateIndex = 7, kPredicateNot = 8;

Predicate predicate(std::uint64_t raw, bool uniform) {
  return {.index = static_cast<std::uint8_t>(raw & kPredicateIndex),
          .negated = (raw & kPredicateNot) != 0,
          .uniform = uniform};
}
std::uint64_t raw(const Predicate& value) {
  return value.index | (value.negated ? kPredicateNot : 0);
}

template <class Any>
auto& predicate_source(Any& instruction, char which) {
  return which == 0 ? instruction.pp : which == 1 ? instruction.pq : instruction.pr;
}

// The second source of a two-source opcode is `b` even where its slot is C.
bool has_b(const Layout& layout) {
  for (const Item& item : layout)
    if ((item.kind == ItemKind::slot && (item.which == 'B' || item.which == 'S')) ||
        (item.kind == ItemKind::immediate && item.which == 'b'))
      return true;
  return false;
}

template <class Any>
auto& source(Any& instruction, char which) {
  if (which == 'A') return instruction.a;
  if (which == 'M') return instruction.b;
  if (which == 'N') return instruction.c;
  const bool is_c = (which == 'C' || which == 'c') && has_b(*instruction.encoding->layout);
  return is_c ? instruction.c : instruction.b;
}

// The decoupled units have no operand reuse cache; the three bits mean something else there
// (docs/hardware/machine-code.md), and nvdisasm does not print them.
bool has_reuse_cache(Unit unit) {
  switch (unit) {
    case Unit::none:
    case Unit::adu:
    case Unit::cbu:
    case Unit::lsu:
    case Unit::tex:
    case Unit::xu:
      return false;
    default:
      return true;
  }
}

constexpr unsigned kConstantIndexBits = 14;  // of ALU forms, in words; the bank is above them
constexpr unsigned kBankBits = 5;            // of LDC, above the offset in bytes

void read_slot(const Item& item, Instruction& into) {
  const Word& word = into.word;
  const SlotPlace place = slot_place(item, into.encoding->form);
  Source& operand = source(into, item.which);
  operand.kind = place.kind;
  const std::uint64_t field = place.bits.get(word);
  switch (place.kind) {
    case Source::Kind::imm:
      operand.value = static_cast<std::uint32_t>(field);
      return;
    case Source::Kind::constant:
      operand.index = static_cast<std::uint8_t>(field >> kConstantIndexBits);
      operand.value = static_cast<std::uint32_t>(field & 0x3fff) * 4;
      break;
    case Source::Kind::bindless:
      operand.index = uniform_register(field & ((1u << place.bits.width) - 1), place.bits.width);
      operand.value = static_cast<std::uint32_t>(field >> place.bits.width) * 4;
      break;
    case Source::Kind::ureg:
      operand.index = uniform_register(field, place.bits.width);
      break;
    default:
      operand.index = static_cast<std::uint8_t>(field);
  }
  operand.negate = (item.negate || item.invert) && word.bit(place.negate);
  operand.absolute = item.absolute && word.bit(place.absolute);
  operand.reuse = has_reuse_cache(into.encoding->facts->unit) && word.bit(place.reuse);
}

void write_slot(const Item& item, const Instruction& from, Word& word) {
  const SlotPlace place = slot_place(item, from.encoding->form);
  const Source& operand = source(from, item.which);
  switch (place.kind) {
    case Source::Kind::imm:
      place.bits.set(word, operand.value);
      return;
    case Source::Kind::constant:
      place.bits.set(word, operand.value / 4 | std::uint64_t{operand.index} << kConstantIndexBits);
      break;
    case Source::Kind::bindless:
      place.bits.set(word, (operand.index & ((1u << place.bits.width) - 1)) |
                               std::uint64_t{operand.value / 4} << place.bits.width);
      break;
    default:
      place.bits.set(word, operand.index);
  }
  if (item.negate || item.invert) word.set_bits(place.negate, 1, operand.negate ? 1 : 0);
  if (item.absolute) word.set_bits(place.absolute, 1, operand.absolute ? 1 : 0);
  if (has_swizzle(item)) word.set_bits(place.swizzle, 2, from.word.bits(place.swizzle, 2));
}

std::uint8_t index_register(const Item& item, const Word& word) {
  const Bits bits = index_register_bits(item);
  const std::uint64_t field = bits.get(word);
  return item.uniform ? uniform_register(field, bits.width) : static_cast<std::uint8_t>(field);
}

// Beside a register the offset is signed.
void read_constant(const Item& item, std::uint64_t field, Instruction& into) {
  const unsigned bits = item.bits.size() - kBankBits;
  const std::uint64_t offset = field & ((std::uint64_t{1} << bits) - 1);
  into.b = {.kind = Source::Kind::constant,
            .index = static_cast<std::uint8_t>(field >> bits),
            .value = static_cast<std::uint32_t>(
                item.kind == ItemKind::constant ? offset : sign_extend(offset, bits))};
}

void read_item(const Item& item, Instruction& into) {
  const std::uint64_t field = item.bits.width == 0 ? 0 : item.bits.get(into.word);
  const auto byte = static_cast<std::uint8_t>(field);
  switch (item.kind) {
    case ItemKind::rd:
      into.rd = byte;
      break;
    case ItemKind::urd:
      into.urd = uniform_register(field, item.bits.size());
      break;
    case ItemKind::pdst:
      (item.which == 0 ? into.pu : into.pv) = byte;
      break;
    case ItemKind::psrc:
      predicate_source(into, item.which) = predicate(field, item.uniform);
      break;
    case ItemKind::load_predicate:  // the index is stored inverted, so that zero is PT
      into.pp = predicate(field ^ kPredicateIndex, item.uniform);
      break;
    case ItemKind::slot:
      read_slot(item, into);
      break;
    case ItemKind::hidden_ur:
      into.ur =
          uniform_register(Bits{item.bits.lo, item.bits.width}.get(into.word), item.bits.width);
      break;
    case ItemKind::ur:
      into.ur = uniform_register(field, item.bits.size());
      break;
    case ItemKind::immediate:
      source(into, item.which) = {.kind = Source::Kind::imm,
                                  .value = static_cast<std::uint32_t>(field)};
      break;
    case ItemKind::wide_immediate: {
      const auto value = static_cast<std::uint64_t>(sign_extend(field, item.bits.size()));
      into.b = {.kind = Source::Kind::imm, .value = static_cast<std::uint32_t>(value)};
      into.c = {.kind = Source::Kind::imm, .value = static_cast<std::uint32_t>(value >> 32)};
      break;
    }
    case ItemKind::offset:
    case ItemKind::byte_target:
      into.offset = sign_extend(field, item.bits.size()) * item.unit;
      break;
    case ItemKind::global_offset:
      into.c = {.kind = Source::Kind::imm,
                .value = static_cast<std::uint32_t>(sign_extend(field, item.bits.size()))};
      break;
    case ItemKind::target:
    case ItemKind::displacement:
      into.offset = sign_extend(field, item.bits.size()) * 4;
      break;
    case ItemKind::jump:
      into.offset = static_cast<std::int64_t>(field * 4);
      break;
    case ItemKind::indexed_constant:
      into.a = {.kind = item.uniform ? Source::Kind::ureg : Source::Kind::reg,
                .index = index_register(item, into.word)};
      [[fallthrough]];
    case ItemKind::constant:
      read_constant(item, field, into);
      break;
    case ItemKind::barrier:
      into.barrier = byte;
      break;
    default:
      break;  // modifiers are read from the word when asked for
  }
}

// The field's value as the instruction has it.
std::uint64_t item_value(const Item& item, const Instruction& from) {
  switch (item.kind) {
    case ItemKind::rd:
      return from.rd;
    case ItemKind::urd:
      return from.urd;
    case ItemKind::pdst:
      return item.which == 0 ? from.pu : from.pv;
    case ItemKind::psrc:
      return raw(predicate_source(from, item.which));
    case ItemKind::load_predicate:
      return raw(from.pp) ^ kPredicateIndex;
    case ItemKind::hidden_ur:
      return (from.ur & 63u) | (item.bits.get(from.word) & ~std::uint64_t{63});
    case ItemKind::ur:
      return from.ur;
    case ItemKind::immediate:
      return source(from, item.which).value;
    case ItemKind::wide_immediate:
      return from.b.value | std::uint64_t{from.c.value} << 32;
    case ItemKind::global_offset:
      return from.c.value;
    case ItemKind::offset:
    case ItemKind::byte_target:
      return static_cast<std::uint64_t>(from.offset / item.unit);
    case ItemKind::target:
    case ItemKind::displacement:
    case ItemKind::jump:
      return static_cast<std::uint64_t>(from.offset / 4);
    case ItemKind::constant:
    case ItemKind::indexed_constant:
      return (from.b.value & ((1u << (item.bits.size() - kBankBits)) - 1)) |
             std::uint64_t{from.b.index} << (item.bits.size() - kBankBits);
    case ItemKind::barrier:
      return from.barrier;
    default:
      return item.bits.get(from.word);
  }
}

Control read_control(const Word& word) {
  return {.stall = static_cast<std::uint8_t>(word.bits(105, 4)),
          .stay = word.bit(109),
          .write_barrier = static_cast<std::uint8_t>(word.bits(110, 3)),
          .read_barrier = static_cast<std::uint8_t>(word.bits(113, 3)),
          .wait_mask = static_cast<std::uint8_t>(word.bits(116, 6)),
          .reuse = static_cast<std::uint8_t>(word.bits(122, 3))};
}

void write_control(const Control& control, Word& word) {
  word.set_bits(105, 4, control.stall);
  word.set_bits(109, 1, control.stay ? 1 : 0);
  word.set_bits(110, 3, control.write_barrier);
  word.set_bits(113, 3, control.read_barrier);
  word.set_bits(116, 6, control.wait_mask);
  word.set_bits(122, 3, control.reuse);
}

}  // namespace

bool matches(const Encoding& encoding, const Word& word) {
  if ((word.lo & encoding.mask.lo) != encoding.value.lo ||
      (word.hi & encoding.mask.hi) != encoding.value.hi)
    return false;
  bool legal = true;
  for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    if (item.kind == ItemKind::mod && item.bits.width != 0)
      legal = legal && (item.legal >> item.bits.get(word) & 1) != 0;
    if (item.kind == ItemKind::slot && item.type == 'g') {
      const SlotPlace place = slot_place(item, encoding.form);
      legal =
          legal && (place.kind == Source::Kind::imm || word.bits(place.swizzle, 2) != kSwizzleF32);
    }
  });
  return legal;
}

std::optional<Instruction> decode(Arch arch, const Word& word) {
  const auto opcode = static_cast<std::uint16_t>(kOpcodeBits.get(word));
  for (const Encoding* encoding : encodings_of(arch, opcode)) {
    if (!matches(*encoding, word)) continue;
    Instruction instruction;
    instruction.op = encoding->row->op;
    instruction.arch = arch;
    instruction.word = word;
    instruction.encoding = encoding;
    instruction.guard = predicate(word.bits(kGuardBits.lo, 4), has_uniform_guard(*encoding));
    instruction.control = read_control(word);
    for (const Item& item : *encoding->layout) read_item(item, instruction);
    return instruction;
  }
  return std::nullopt;
}

Word encode(const Instruction& instruction) {
  const Encoding& encoding = *instruction.encoding;
  Word word = encoding.value;
  word.set_bits(kGuardBits.lo, 4, raw(instruction.guard));
  write_control(instruction.control, word);
  for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    if (item.kind == ItemKind::slot) {
      write_slot(item, instruction, word);
    } else if (item.bits.width != 0) {
      item.bits.set(word, item_value(item, instruction));
      if (item.kind == ItemKind::indexed_constant)
        index_register_bits(item).set(word, instruction.a.index);
    }
  });
  return word;
}

}  // namespace heddle::isa
