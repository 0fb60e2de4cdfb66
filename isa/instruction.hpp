// A decoded machine instruction, as every other part of the project sees it.
//
// The encodings (which bits mean what), the text and this view of the operands all derive from
// the opcode rows under isa/opcodes/; see isa/decoder.hpp for the way from a word to this.
#pragma once

#include <cstdint>

#include "isa/arch.hpp"
#include "isa/mod.hpp"
#include "isa/op.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

struct Encoding;  // isa/encoding.hpp: the row this word matched

inline constexpr std::uint8_t kRZ = 255;
inline constexpr std::uint8_t kURZ = 255;  // in a word all bits of the register's number
inline constexpr std::uint8_t kPT = 7;
inline constexpr unsigned kUniformRegisters = 80;  // of a warp: UR0 to UR62, from sm_100 to UR79

// A predicate as a source: P0–P6, PT (7), possibly negated, possibly from the uniform file.
struct Predicate {
  std::uint8_t index = kPT;
  bool negated = false;
  bool uniform = false;
};

// One data source. In the .X forms of integer adds, and in LOP3, POPC, FLO and BREV, `negate`
// means bitwise NOT.
struct Source {
  enum class Kind : std::uint8_t { none, reg, ureg, imm, constant, bindless };
  Kind kind = Kind::none;
  std::uint8_t index = 0;  // register number, or constant bank (bindless: uniform register)
  bool negate = false;
  bool absolute = false;
  bool reuse = false;
  std::uint32_t value = 0;  // immediate bits, or byte offset in the constant bank
};

// What the compiler tells the issue logic (docs/hardware/machine-code.md).
struct Control {
  std::uint8_t stall = 0;          // cycles before this warp may issue again
  bool stay = false;               // bit 109: keep issuing this warp
  std::uint8_t write_barrier = 7;  // scoreboard released at write-back; 7: none
  std::uint8_t read_barrier = 7;   // scoreboard released when the sources were read; 7: none
  std::uint8_t wait_mask = 0;      // scoreboards that must be zero before issue
  std::uint8_t reuse = 0;          // bits A, B, C
};

// Where the operands are. A source's role is its hardware slot, with one exception: a second source
// which sits in slot C because there are only two (FADD, DADD, HADD2, DSETP, HSET2) is `b`. So
// sources are numbered as the text prints them, and these are the cases to know:
//   one source     `b` where the opcode has operand forms (MOV, MUFU, POPC, FLO, BREV, IABS, I2F,
//                  F2I, F2F, FRND, I2FP, NANOSLEEP, UMOV …); `a` for the register-only ones (MATCH,
//                  REDUX, R2UR, MOVM)
//   PRMT           a = bytes 0–3, b = selector, c = bytes 4–7
//   SHF            a = low word, b = count, c = high word
//   LEA.HI         a = low word, b = addend, c = high word
//   ISETP.EX       pr = the result for the low words
//   IADD3.X        pp and pq = carry in
//   SHFL           a = value, b = lane, c = clamp and segment mask
//   P2R, R2P       a = value (R2P: of the register unpacked), b = mask
//   memory         a = address register, b = data stored or atomic operand (CAS: compare), c = new
//                  value of CAS; ur = uniform register (address part, or descriptor: see
//                  Mod::descriptor); offset = signed bytes. LDGSTS: rd = register of the shared
//                  address, a = of the global one, offset = of the shared address, c.value = of the
//                  global one
//   LDC, ULDC      b = the constant (bank in index, byte offset in value), a = register added
//   branches       offset = target minus the address after this word; RET, CALL, BRX: a = register
//                  pair; BRA.DIV, BRA.CONV: ur = mask
//   WARPSYNC       b = mask; .COLLECTIVE, .ALL: target in offset
//   BMOV           barrier or Mod::cbu_state, register in rd or b
//   BAR            b = barrier number, c = thread count, where they are registers; otherwise
//                  Mod::bar_id and Mod::bar_count
struct Instruction {
  Op op{};
  Arch arch{};
  Word word;
  const Encoding* encoding = nullptr;

  Predicate guard;          // of the uniform file for uniform-datapath instructions
  std::uint8_t rd = kRZ;    // vector destination (also the first of a pair or quad)
  std::uint8_t urd = kURZ;  // uniform destination
  std::uint8_t pu = kPT;    // first and second predicate destination (uniform for uniform ops)
  std::uint8_t pv = kPT;
  Source a, b, c;
  Predicate pp, pq, pr;  // predicate sources
  std::uint8_t ur = kURZ;
  std::int64_t offset = 0;
  std::uint8_t barrier = 0;  // convergence barrier B0–B15
  Control control;

  // A modifier's raw field value; 0 where this encoding has no such field.
  std::uint32_t mod(Mod which) const;
  ModifierValues mods() const;  // all of them at once
};

}  // namespace heddle::isa
