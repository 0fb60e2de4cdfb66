// How an encoding is written down: one Row per opcode, its bits and its text in one picture.
//
//   {Op::ISETP, Unit::alu, kAll, 0x00c, kB,
//    "ISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop} Pu, Pv, A, B, Pp", "68:4=7"},
//
// reads: the low nine bits of the opcode number are 0x00c and it has the four operand forms of an
// instruction whose second source varies (R, immediate, constant, uniform register); bits 78:76
// choose the comparison, printed from the list `icmp`; then the operands in the order the text has
// them. Bits 71:68 must hold 7. Every bit that no field claims must be zero.
//
// The language of pictures:
//   {name@bits list}  a modifier. `bits` is low:width (width 1 may be left out), pieces joined by
//                     '/', low piece first. The list has one text per value, split by '|'; "n:text"
//                     sets the value of this and the following texts; '!' is a value that is not
//                     legal. `$name` is a list of isa/opcodes/lists.hpp. Without a name the field
//                     prints its text and nobody can ask for it.
//   $name             a piece of picture that several rows share, from isa/opcodes/lists.hpp
//   {name=n text}     a modifier that this row always has
//   Rd URd Pu Pv      destinations; Pp Pq Pr predicate sources (UPu … when in the uniform file)
//   A B C             sources by slot; UA UB UC those of the uniform datapath; S: the slot-C source
//                     of a two-source opcode that sits where B usually is; M sits where A is and
//                     is `b`, N sits where B is and is `c`. `-A` can be negated, `~A`
//                     inverted, `|A|` absolute; A:f, A:d, A:h, A:u say how an immediate is written
//                     (float, double, two halves, unsigned; signed otherwise; :i asks src_fmt), and
//                     :h that it has half swizzles; A:m is like :h without them
//   Uh@bits           a descriptor: prints desc[UR] when the highest bit is set
//   Un                the uniform register after it
//   UR@n O@bits       uniform register and signed byte offset of an address
//   G@bits            signed byte offset of LDGSTS' global address
//   T@bits J@bits     branch target, relative and absolute (in units of four bytes)
//   Tb@bits           relative branch target in bytes
//   D@bits            a displacement printed as a number
//   I Ib@bits Ic@bits an immediate that no operand form stands for, as source b or c
//   W@bits            set of scoreboards
//   K L               constant bank and byte offset (LDC, ULDC); L: inside a[…] with a register
//   Bn@n              convergence barrier
//   SR@bits           special register
//   R@n               a register no role is known for
//   #name@bits        a number, hexadecimal (#- signed)
//   ?X                X is printed only when it is not PT, RZ, URZ or 0
// Operands are split by ", ". Inside […] a '+' is printed only between things that are printed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/attributes.hpp"
#include "isa/instruction.hpp"

namespace heddle::isa {

// Sets of architectures.
using ArchSet = std::uint8_t;
constexpr ArchSet only(Arch arch) {
  return static_cast<ArchSet>(1u << static_cast<unsigned>(arch));
}
inline constexpr ArchSet kAll = 0x1f;
inline constexpr ArchSet kSm75 = only(Arch::sm_75);
inline constexpr ArchSet kSm90 = only(Arch::sm_90);
inline constexpr ArchSet kFrom80 = kAll & ~kSm75;
inline constexpr ArchSet kFrom86 = kFrom80 & ~only(Arch::sm_80);
inline constexpr ArchSet kFrom89 = kSm90 | only(Arch::sm_89);
inline constexpr ArchSet kSm80And86 = kFrom80 & ~kFrom89;
inline constexpr ArchSet kUpTo89 = kAll & ~kSm90;
inline constexpr ArchSet kSm80To89 = kUpTo89 & ~kSm75;

// Where the sources B and C come from: R register, I immediate, C constant, U uniform register,
// X bindless constant. Bits 11:9 of the opcode number and bit 91 (SASS-FACTS 1.1).
enum class Form : std::uint8_t { RRR, RRI, RRC, RIR, RCR, RUR, RRU, RXR, RRX, count_ };
inline constexpr std::size_t kForms = static_cast<std::size_t>(Form::count_);

using FormSet = std::uint16_t;
constexpr FormSet bit(Form form) { return static_cast<FormSet>(1u << static_cast<unsigned>(form)); }
inline constexpr FormSet kFixed = 0;  // the row's code is the whole opcode number
inline constexpr FormSet kB =
    bit(Form::RRR) | bit(Form::RIR) | bit(Form::RCR) | bit(Form::RUR) | bit(Form::RXR);
inline constexpr FormSet kC =
    bit(Form::RRR) | bit(Form::RRI) | bit(Form::RRC) | bit(Form::RRU) | bit(Form::RRX);
inline constexpr FormSet kBC = kB | kC;
// The uniform datapath: registers, immediate in B, immediate in C.
inline constexpr FormSet kUB = bit(Form::RRR) | bit(Form::RIR);
inline constexpr FormSet kUBC = kUB | bit(Form::RRI);

// The 13-bit opcode number (bit 91 on top) of `code` in this form.
constexpr std::uint16_t opcode_number(std::uint16_t code, FormSet forms, Form form) {
  constexpr std::array<std::uint16_t, kForms> kBits{0x0200, 0x0400, 0x0600, 0x0800, 0x0a00,
                                                    0x1c00, 0x1e00, 0x1a00, 0x1600};
  if (forms == kFixed) return code;
  return static_cast<std::uint16_t>(code | kBits[static_cast<std::size_t>(form)]);
}

// Another text for words with a property (IMAD with RZ, RZ prints as IMAD.MOV): a picture without
// lists to claim bits with, or an empty one.
using Alias = std::string_view (*)(const Instruction&);

struct Row {
  Op op;
  Unit unit;
  ArchSet archs;
  std::uint16_t code;
  FormSet forms;
  std::string_view picture;
  std::string_view fixed = {};  // bits that must hold a value: "87:4=15 77:4=15"
  MemoryAccess memory = {};
  Alias alias = nullptr;
};

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
  rd,
  urd,
  reg,
  pdst,  // which: 0 Pu, 1 Pv
  psrc,  // which: 0 Pp, 1 Pq, 2 Pr
  load_predicate,
  slot,  // which: 'A', 'B', 'C', 'S'
  ur,
  immediate,  // which: 'b' or 'c'
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
};

struct Item {
  ItemKind kind = ItemKind::text;
  Mod mod = Mod::count_;
  Bits bits{};
  char which = 0;
  char type = 's';        // how an immediate is written, see above
  bool uniform = false;   // of the uniform register or predicate file
  bool optional = false;  // '?'
  bool negate = false;    // '-'
  bool invert = false;    // '~'
  bool absolute = false;
  bool is_signed = false;
  bool attached = false;       // a suffix of the item before it
  std::uint32_t constant = 0;  // value of a modifier without bits
  std::string_view text{};     // text, or the list of a modifier
  std::uint64_t legal = ~std::uint64_t{0};
};

struct FixedBits {
  Bits bits{};
  std::uint64_t value = 0;
};

struct Layout {
  std::array<Item, 40> items{};
  std::uint8_t count = 0;
  std::array<FixedBits, 8> fixed{};
  std::uint8_t fixed_count = 0;

  constexpr const Item* begin() const { return items.data(); }
  constexpr const Item* end() const { return items.data() + count; }
};

// A row in one of its forms: what a word is matched with.
struct Encoding {
  const Row* row = nullptr;
  const Layout* layout = nullptr;
  Form form = Form::RRR;
  std::uint16_t opcode = 0;
  Word mask{}, value{};   // bits that must hold a value (zero where nothing claims them)
  bool conflict = false;  // two fields claim the same bit: does not compile
};

// Fields every instruction has.
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

constexpr SlotPlace low_place(Form form, bool uniform) {
  SlotPlace place{.negate = 63, .absolute = 62, .swizzle = 60};
  switch (form) {
    case Form::RRR:
      place.kind = uniform ? Source::Kind::ureg : Source::Kind::reg;
      place.bits = {.lo = 32, .width = static_cast<std::uint8_t>(uniform ? 6 : 8)};
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
      place.bits = {.lo = 32, .width = 6};
      break;
    default:
      place.kind = Source::Kind::bindless;
      place.bits = {.lo = 32, .width = 6, .lo2 = 40, .width2 = 14};
      break;
  }
  return place;
}

constexpr SlotPlace high_place(bool uniform, bool half) {
  return {.kind = uniform ? Source::Kind::ureg : Source::Kind::reg,
          .bits = {.lo = 64, .width = static_cast<std::uint8_t>(uniform ? 6 : 8)},
          .negate = static_cast<std::uint8_t>(half ? 84 : 75),
          .absolute = static_cast<std::uint8_t>(half ? 83 : 74),
          .swizzle = 81};
}

constexpr bool varies_c(Form form) {
  return form == Form::RRI || form == Form::RRC || form == Form::RRU || form == Form::RRX;
}

// Modifiers belong to the position, the reuse bit to the role (SASS-FACTS 1.3).
constexpr SlotPlace slot_place(const Item& item, Form form) {
  const bool half = item.type == 'h' || item.type == 'm';
  SlotPlace place;
  switch (item.which) {
    case 'A':
    case 'M':
      place = {.kind = item.uniform ? Source::Kind::ureg : Source::Kind::reg,
               .bits = {.lo = 24, .width = static_cast<std::uint8_t>(item.uniform ? 6 : 8)},
               .negate = 72,
               .absolute = 73,
               .swizzle = 74};
      place.reuse = 122;
      return place;
    case 'B':
    case 'N':
      place = varies_c(form) ? high_place(item.uniform, half) : low_place(form, item.uniform);
      place.reuse = 123;
      return place;
    case 'C':
      place = varies_c(form) ? low_place(form, item.uniform) : high_place(item.uniform, half);
      place.reuse = 124;
      return place;
    default:
      place = low_place(form, item.uniform);
      place.reuse = 124;
      return place;
  }
}

// The register inside c[bank][register + offset].
constexpr Bits index_register_bits(const Item& item) {
  return {.lo = 24, .width = static_cast<std::uint8_t>(item.uniform ? 6 : 8)};
}

// A uniform-datapath instruction is guarded by a uniform predicate.
constexpr bool has_uniform_guard(const Encoding& encoding) {
  return encoding.row->unit == Unit::uniform;
}

// The items that exist in this form: an immediate has no suffix (swizzle, byte or half selector).
template <class Function>
constexpr void for_each_item(const Layout& layout, Form form, Function&& function) {
  bool owner_is_immediate = false;
  for (const Item& item : layout) {
    if (item.attached && owner_is_immediate) continue;
    if (!item.attached)
      owner_is_immediate =
          item.kind == ItemKind::slot && slot_place(item, form).kind == Source::Kind::imm;
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
      if (item.type == 'h') function(Bits{.lo = place.swizzle, .width = 2});
    } else if (item.bits.width != 0) {
      function(item.bits);
      if (item.kind == ItemKind::indexed_constant) function(index_register_bits(item));
    }
  });
}

// All encodings, and those of one opcode number.
struct EncodingRange {
  const Encoding* const* first = nullptr;
  const Encoding* const* last = nullptr;
  const Encoding* const* begin() const { return first; }
  const Encoding* const* end() const { return last; }
};
// What a modifier prints for the value it has in `word`.
std::string_view modifier_text(const Item& item, const Word& word);

// Whether `word` is one of this encoding's.
bool matches(const Encoding& encoding, const Word& word);
EncodingRange encodings_of(Arch arch, std::uint16_t opcode);
EncodingRange all_encodings(Arch arch);

}  // namespace heddle::isa
