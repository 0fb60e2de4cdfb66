// What the rows of isa/opcodes compile to: where the bits of an instruction are.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/facts.hpp"
#include "isa/instruction.hpp"
#include "isa/row.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

// A field of one or two pieces; the value is first | second << first_width.
struct Bits {
  std::uint8_t lo = 0, width = 0, lo2 = 0, width2 = 0;

  constexpr std::uint64_t get(const Word& word) const {
    std::uint64_t value = width == 0 ? 0 : word.bits(lo, width);
    if (width2 != 0) value |= word.bits(lo2, width2) << width;
    return value;
  }
  constexpr void set(Word& word, std::uint64_t value) const {
    word.set_bits(lo, width, value);
    if (width2 != 0) word.set_bits(lo2, width2, value >> width);
  }
  constexpr unsigned size() const { return width + width2; }
  friend constexpr bool operator==(const Bits&, const Bits&) = default;
};

enum class ItemKind : std::uint8_t {
  text,
  separator,  // between operands
  open,       // '[' and ']' of an address
  close,
  plus,
  mod,
  number,
  mask,  // a number whose bits are all set where nothing is said
  rd,
  urd,
  reg,
  pdst,  // which: 0 Pu, 1 Pv
  psrc,  // which: 0 Pp, 1 Pq, 2 Pr
  load_predicate,
  slot,  // which: 'A', 'B', 'C', 'S'
  ur,
  other_ur,   // a uniform register that no role stands for
  immediate,  // which: 'b' or 'c'
  wide_immediate,
  next_ur,
  hidden_ur,    // a descriptor, printed when the bit above its register is set
  byte_target,  // a branch target in bytes
  offset,
  global_offset,  // the second offset of LDGSTS
  displacement,
  target,
  jump,
  constant,
  indexed_constant,
  barrier,
  special_reg,
  wait_list,
  predicates,  // those that a mask names
};

// How many registers an operand takes.
enum class Extent : std::uint8_t {
  one,
  two,
  four,
  two_where,   // a modifier has one of some values
  data,        // those of the memory access
  words,       // those of four words of it, from Item::extent_values on, that a mask names
  fragment,    // those of a product of matrices
  lanes,       // of a mask of lanes or columns of tensor memory
  repeats,     // those of a move to or from tensor memory
  dimensions,  // one for each dimension of a tensor, and Item::extent_values more
};

struct Item {
  ItemKind kind = ItemKind::text;
  Mod mod = Mod::count_;
  Bits bits{};
  char which = 0;
  char type = 's';                // how an immediate is written, see above
  bool uniform = false;           // of the uniform register or predicate file
  std::uint8_t uniform_bits = 6;  // of a uniform register's number
  bool optional = false;          // '?'
  bool negate = false;            // '-'
  bool invert = false;            // '~'
  bool absolute = false;
  bool attached = false;    // a suffix of the item before it
  bool in_address = false;  // inside […]
  bool is_updated = false;  // '^'
  Extent extent = Extent::one;
  Mod extent_mod = Mod::count_;
  std::uint64_t extent_values = 0;  // two_where: bit v: two where the modifier is v
  std::uint32_t constant = 0;       // value of a modifier without bits
  std::uint8_t unit = 1;            // of an offset, in bytes
  std::string_view text{};          // text, or the list of a modifier
  std::uint64_t legal = ~std::uint64_t{0};
};

struct FixedBits {
  Bits bits{};
  std::uint64_t value = 0;
};

struct Layout {
  const Item* items = nullptr;
  std::uint8_t count = 0;
  std::array<FixedBits, 8> fixed{};
  std::uint8_t fixed_count = 0;
  std::uint8_t uniform_bits = 6;  // of a uniform register's number

  constexpr const Item* begin() const { return items; }
  constexpr const Item* end() const { return items + count; }
};

// What the modifiers of a layout mean, by their values.
struct Meanings {
  std::array<DataType, 16> data{};                    // of `size` or `type`
  std::array<MemoryOrder, 16> order{};                // of `sem`
  std::array<MemoryOrder::Scope, 8> scope{};          // of `scope`
  std::array<MatrixShape, 64> shape{};                // of `mma_shape`
  std::array<DataType, 8> mma_a{}, mma_b{}, mma_d{};  // of `mma_src`, `mma_src_b`, `mma_dst`
};

// A row in one of its forms, with uniform registers of one width: what a word is matched with.
struct Encoding {
  const Row* row = nullptr;
  ArchSet archs = 0;  // the row's that have registers of this width
  const Facts* facts = nullptr;
  const Layout* layout = nullptr;
  const Meanings* meanings = nullptr;
  Form form = Form::RRR;
  std::uint16_t opcode = 0;
  Word mask{}, value{};   // bits that must hold a value (zero where nothing claims them)
  bool conflict = false;  // two fields claim the same bit: does not compile
};

// Fields every instruction has.
inline constexpr Bits kOpcodeBits{.lo = 0, .width = 12, .lo2 = 91, .width2 = 1};
inline constexpr Bits kGuardBits{.lo = 12, .width = 3};
inline constexpr unsigned kGuardNotBit = 15;
inline constexpr Bits kControlBits{.lo = 105, .width = 20};

// Where a source slot is, in one form.
struct SlotPlace {
  Source::Kind kind = Source::Kind::reg;
  Bits bits{};              // of the register, immediate or constant's index
  std::uint8_t negate = 0;  // bit positions
  std::uint8_t absolute = 0;
  std::uint8_t swizzle = 0;  // low of two bits
  std::uint8_t reuse = 0;
};

// The number of a uniform register in a field of `bits` bits: with all of them set it is URZ.
constexpr std::uint8_t uniform_register(std::uint64_t field, unsigned bits) {
  return field + 1 == std::uint64_t{1} << bits ? kURZ : static_cast<std::uint8_t>(field);
}

constexpr std::uint8_t register_bits(const Item& item) {
  return item.uniform ? item.uniform_bits : 8;
}

constexpr SlotPlace low_place(const Item& item, Form form) {
  SlotPlace place{.negate = 63, .absolute = 62, .swizzle = 60};
  switch (form) {
    case Form::RRR:
      place.kind = item.uniform ? Source::Kind::ureg : Source::Kind::reg;
      place.bits = {.lo = 32, .width = register_bits(item)};
      break;
    case Form::RIR:
    case Form::RRI:
      place.kind = Source::Kind::imm;
      place.bits = {.lo = 32, .width = 32};
      break;
    case Form::RCR:
    case Form::RRC:
      place.kind = Source::Kind::constant;
      place.bits = {.lo = 40, .width = 19};  // index and bank
      break;
    case Form::RUR:
    case Form::RRU:
      place.kind = Source::Kind::ureg;
      place.bits = {.lo = 32, .width = item.uniform_bits};
      break;
    default:
      place.kind = Source::Kind::bindless;
      place.bits = {.lo = 32, .width = item.uniform_bits, .lo2 = 40, .width2 = 14};
      break;
  }
  return place;
}

constexpr SlotPlace high_place(const Item& item, bool half) {
  return {.kind = item.uniform ? Source::Kind::ureg : Source::Kind::reg,
          .bits = {.lo = 64, .width = register_bits(item)},
          .negate = static_cast<std::uint8_t>(half ? 84 : 75),
          .absolute = static_cast<std::uint8_t>(half ? 83 : 74),
          .swizzle = 81};
}

constexpr bool varies_c(Form form) {
  return form == Form::RRI || form == Form::RRC || form == Form::RRU || form == Form::RRX;
}

// Half swizzles: |.F32|.H0_H0|.H1_H1; sm_90 has no .F32.
constexpr bool has_swizzle(const Item& item) { return item.type == 'h' || item.type == 'g'; }
inline constexpr std::uint64_t kSwizzleF32 = 1;

// Modifiers belong to the position, the reuse bit to the role (docs/hardware/machine-code.md).
constexpr SlotPlace slot_place(const Item& item, Form form) {
  const bool half = has_swizzle(item) || item.type == 'm';
  SlotPlace place;
  switch (item.which) {
    case 'A':
    case 'M':
      place = {.kind = item.uniform ? Source::Kind::ureg : Source::Kind::reg,
               .bits = {.lo = 24, .width = register_bits(item)},
               .negate = 72,
               .absolute = 73,
               .swizzle = 74};
      place.reuse = 122;
      return place;
    case 'B':
    case 'N':
      place = varies_c(form) ? high_place(item, half) : low_place(item, form);
      place.reuse = 123;
      return place;
    case 'C':
      place = varies_c(form) ? low_place(item, form) : high_place(item, half);
      place.reuse = 124;
      return place;
    default:
      place = low_place(item, form);
      place.reuse = 124;
      return place;
  }
}

// The register inside c[bank][register + offset].
constexpr Bits index_register_bits(const Item& item) {
  return {.lo = 24, .width = register_bits(item)};
}

// An instruction of the uniform datapath is guarded by a uniform predicate, and so is S2UR.
constexpr bool has_uniform_guard(const Encoding& encoding) {
  return encoding.facts->unit == Unit::uniform || encoding.facts->op == Op::S2UR;
}

constexpr bool is_immediate(const Item& item, Form form) {
  return item.kind == ItemKind::slot && slot_place(item, form).kind == Source::Kind::imm;
}

// The items that exist in this form: an immediate has no suffix (swizzle, byte or half selector).
template <class Function>
constexpr void for_each_item(const Layout& layout, Form form, Function&& function) {
  bool owner_is_immediate = false;
  for (const Item& item : layout) {
    if (item.attached && owner_is_immediate) continue;
    if (!item.attached) owner_is_immediate = is_immediate(item, form);
    function(item);
  }
}

// Every field an encoding claims beside the opcode number, the guard and the control bits.
template <class Function>
constexpr void for_each_field(const Layout& layout, Form form, Function&& function) {
  for_each_item(layout, form, [&](const Item& item) {
    if (item.kind == ItemKind::slot) {
      const SlotPlace place = slot_place(item, form);
      function(place.bits);
      if (place.kind == Source::Kind::imm) return;
      if (item.negate || item.invert) function(Bits{.lo = place.negate, .width = 1});
      if (item.absolute) function(Bits{.lo = place.absolute, .width = 1});
      if (has_swizzle(item)) function(Bits{.lo = place.swizzle, .width = 2});
    } else if (item.bits.width != 0) {
      function(item.bits);
      if (item.kind == ItemKind::indexed_constant) function(index_register_bits(item));
    }
  });
}

// The modifier of that name in this encoding, or null.
const Item* find_modifier(const Encoding& encoding, Mod which);

// What a modifier prints for the value it has in `word`.
std::string_view modifier_text(const Item& item, const Word& word);

// Whether `word` is one of this encoding's.
bool matches(const Encoding& encoding, const Word& word);

struct EncodingRange {
  const Encoding* const* first = nullptr;
  const Encoding* const* last = nullptr;
  const Encoding* const* begin() const { return first; }
  const Encoding* const* end() const { return last; }
};
// Those with this opcode number, and all an architecture has.
EncodingRange encodings_of(Arch arch, std::uint16_t opcode);
EncodingRange all_encodings(Arch arch);

}  // namespace heddle::isa
