// How an opcode is written down: one Row per encoding, its bits and its text in one picture.
//
//   {Op::ISETP, kAll, 0x00c, kB,
//    "ISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop} Pu, Pv, A, B, Pp", "68:4=7"},
//
// reads: the low nine bits of the opcode number are 0x00c and it has the four operand forms of an
// instruction whose second source varies (R, immediate, constant, uniform register); bits 78:76
// choose the comparison, printed from the list `icmp`; then the operands in the order the text has
// them. Bits 71:68 must hold 7. Every bit that no field claims must be zero.
//
// To add an opcode: append its name to isa/op.hpp, write down its Facts and copy the row whose text
// looks most like it, in the file of isa/opcodes/ it belongs to, and build. A bit claimed twice, a
// modifier without a name, two rows that match the same word or an opcode without facts do not
// compile; decoder_test compares the text, and simulator_facts_test the registers.
//
// clang-format off
// The language of pictures:
//   {name@bits list}  A modifier of isa/mod.hpp. `bits` is low:width (a width of 1 may be left out),
//                     pieces joined by '/', low piece first. The list has one text per value, split
//                     by '|'; "n:text" gives the value of this text, the next ones count on. Values
//                     without a text are not legal. `$name` is a list of isa/opcodes/lists.hpp.
//                     Without a name the field is printed and nobody can ask for it.
//   {name=n text}     A modifier that this row always has.
//   $name             A piece of picture that several rows share, from isa/opcodes/lists.hpp.
//
//   Rd URd Pu Pv      Destinations (UPu, UPv in the uniform file).
//   Pp Pq Pr Pz       Predicate sources (UPp …); Pz is that of loads, whose index is stored
//                     inverted.
//   A B C             Sources by slot, where the form puts them; UA UB UC in the uniform datapath.
//                     S: the slot-C source of a two-source opcode that sits where B usually is.
//                     M: sits where A does and is `b`; N: sits where B does and is `c`.
//                     -A may be negated, ~A inverted, |A| absolute. A:x says how an immediate is
//                     written: u unsigned, f float, d double, h two halves (and the source has half
//                     swizzles), g the same without the swizzle .F32, m two halves without
//                     swizzles, x one half, i as src_fmt says; signed without.
//   I Ib@bits Ic@bits An immediate that no operand form stands for, as source b or c.
//   Q@bits            An immediate of more than 32 bits: b its low word, c the rest.
//   K, L              Constant bank and byte offset of LDC and ULDC; L has a register inside.
//   UR@n Un           Uniform register of an address; the register after it.
//   UX@n              A uniform register that no role stands for.
//   Uh@bits           A descriptor: prints desc[UR] when the bit above its register is set.
//   O@bits G@bits     Signed byte offset of an address; that of the global address of LDGSTS.
//                     O@bits*n: in units of n bytes.
//   T@bits Tb@bits    Branch target relative to the next instruction, in words of four bytes or bytes.
//   J@bits D@bits     Absolute target; displacement printed as a number.
//   Bn@n W@bits       Convergence barrier; set of scoreboards.
//   SR R@n            Special register; a register that no role stands for: written where it comes
//                     before Rd, else read.
//   PR UPR            The predicates that a mask names: written where they come first, else read.
//   #name@bits        A number, hexadecimal.
//   &name@bits        A mask, hexadecimal; with ? printed only when not all of it is set.
//   ?X                X is printed only when it is not PT, RZ, URZ or 0.
//   ^X                The destination X is read, too.
// Operands are split by ", ". Inside […] a '+' is printed only between things that are printed, and
// all registers are read.
//
// How many registers an operand takes, from the one it names on:
//   A                 One; of an address as many as ra_u32, address64 and descriptor say.
//   A*2, A*4          Two, four.
//   A*2(name=1,3)     Two where the modifier `name` is 1 or 3, else one.
//   A*data            The data of the memory access.
//   A*mma             The operand's fragment of a product of matrices.
//   A*repeats         What a move to or from tensor memory takes of each thread.
//   A*words+n         As many as the mask `word_mask` has of the four words from n on.
//   A*lanes           A mask of lanes of tensor memory, or of its columns.
//   A*dims+n          One for each dimension of a tensor, and n more.
// clang-format on
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/facts.hpp"
#include "isa/instruction.hpp"

namespace heddle::isa {

// Sets of architectures. A new one is in none of them until these lines say so.
using ArchSet = std::uint16_t;
constexpr ArchSet only(Arch arch) {
  return static_cast<ArchSet>(1u << static_cast<unsigned>(arch));
}
inline constexpr ArchSet kSm75 = only(Arch::sm_75);
inline constexpr ArchSet kSm90 = only(Arch::sm_90);
inline constexpr ArchSet kSm80And86 = only(Arch::sm_80) | only(Arch::sm_86);
inline constexpr ArchSet kSm80To89 = kSm80And86 | only(Arch::sm_89);
inline constexpr ArchSet kUpTo89 = kSm75 | kSm80To89;
// Blackwell's data-centre parts, and its others.
inline constexpr ArchSet kSm100To110 = only(Arch::sm_100) | only(Arch::sm_103) | only(Arch::sm_110);
// B200 and B300: pairs of floats, reductions of floats, random rounding. Not Thor.
inline constexpr ArchSet kSm100And103 = only(Arch::sm_100) | only(Arch::sm_103);
inline constexpr ArchSet kSm120 = only(Arch::sm_120) | only(Arch::sm_121);
inline constexpr ArchSet kFrom100 = kSm100To110 | kSm120;
inline constexpr ArchSet kFrom90 = kSm90 | kFrom100;
inline constexpr ArchSet kFrom89 = only(Arch::sm_89) | kFrom90;
inline constexpr ArchSet kSm86To89 = only(Arch::sm_86) | only(Arch::sm_89);
inline constexpr ArchSet kFrom86 = kSm86To89 | kFrom90;
inline constexpr ArchSet kFrom80 = only(Arch::sm_80) | kFrom86;
inline constexpr ArchSet kSm80To90 = kSm80To89 | kSm90;
inline constexpr ArchSet kUpTo90 = kUpTo89 | kSm90;
inline constexpr ArchSet kAll = kSm75 | kFrom80;
static_assert(kAll == (1u << kAllArchs.size()) - 1,
              "decide for each set above whether it has the new architecture");

// Where the sources B and C come from: R register, I immediate, C constant, U uniform register,
// X bindless constant. Bits 11:9 of the opcode number and bit 91 (docs/hardware/machine-code.md).
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
  ArchSet archs;
  std::uint16_t code;
  FormSet forms;
  std::string_view picture;
  std::string_view fixed = {};  // bits that must hold a value: "87:4=15 77:4=15"
  Alias alias = nullptr;
  const Facts* facts = nullptr;  // where this form is not what the opcode's other ones are
};

}  // namespace heddle::isa
