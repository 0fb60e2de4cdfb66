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
inline constexpr std::uint8_t kURZ = 63;
inline constexpr std::uint8_t kPT = 7;

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
  std::uint8_t index = 0;   // register number, or constant bank (bindless: uniform register)
  bool negate = false;
  bool absolute = false;
  bool reuse = false;
  std::uint32_t value = 0;  // immediate bits, or byte offset in the constant bank
};

// What the compiler tells the issue logic (SASS-FACTS 1.4).
struct Control {
  std::uint8_t stall = 0;          // cycles before this warp may issue again
  bool stay = false;               // bit 109: keep issuing this warp
  std::uint8_t write_barrier = 7;  // scoreboard released at write-back; 7: none
  std::uint8_t read_barrier = 7;   // scoreboard released when the sources were read; 7: none
  std::uint8_t wait_mask = 0;      // scoreboards that must be zero before issue
  std::uint8_t reuse = 0;          // bits A, B, C
};

struct Instruction {
  Op op{};
  Arch arch{};
  Word word;
  const Encoding* encoding = nullptr;

  Predicate guard;
  std::uint8_t rd = kRZ;    // vector destination (also the first of a pair or quad)
  std::uint8_t urd = kURZ;  // uniform destination
  std::uint8_t pu = kPT;    // first and second predicate destination (uniform for uniform ops)
  std::uint8_t pv = kPT;
  // Sources by role: FADD is a + c's slot printed second, but its second source is `b` here;
  // every two-source op has a and b, every three-source op a, b and c. Memory: a is the address
  // register, b the data to store (atomics: the operand; CAS: b compare, c new value).
  Source a, b, c;
  Predicate pp, pq, pr;     // predicate sources
  std::uint8_t ur = kURZ;   // uniform register in an address, a descriptor, or a branch mask
  // Memory: byte offset. Branches, CALL, BSSY, RET …: target minus the address after this word.
  std::int64_t offset = 0;
  std::uint8_t barrier = 0;  // convergence barrier B0–B15
  Control control;

  // A modifier's raw field value; 0 where this encoding has no such field.
  std::uint32_t mod(Mod which) const;
};

}  // namespace heddle::isa
