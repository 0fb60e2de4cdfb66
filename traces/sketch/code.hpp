// A kernel's instructions before registers are chosen: the machine's own opcodes over registers and
// predicates without number, in the order in which they will stand, with labels among them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/instruction.hpp"
#include "simulator/models/operation.hpp"
#include "traces/sketch/source.hpp"

namespace heddle::isa::sketch {

// 0: none (RZ, PT). Registers and predicates are numbered apart, from 1.
using Register = std::uint32_t;
using Label = std::uint32_t;

struct PredicateUse {
  std::uint32_t index = 0;  // 0: PT
  bool negated = false;
};

struct Operand {
  Source::Kind kind = Source::Kind::none;  // none, reg, imm or constant
  Register reg = 0;                        // reg with register 0: RZ
  std::uint8_t part = 0;                   // 1: the high half of a pair
  std::uint8_t bank = 0;
  std::uint32_t value = 0;  // immediate, or offset in the bank
  bool negate = false, absolute = false;
};

inline Operand operand(Register reg, std::uint8_t part = 0) {
  return {.kind = Source::Kind::reg, .reg = reg, .part = part};
}
inline Operand immediate(std::uint32_t value) {
  return {.kind = Source::Kind::imm, .value = value};
}
inline Operand constant(std::uint8_t bank, std::uint32_t offset) {
  return {.kind = Source::Kind::constant, .bank = bank, .value = offset};
}
inline Operand zero() { return operand(0); }

struct ModValue {
  Mod mod = Mod::count_;
  std::uint32_t value = 0;
};

struct Line {
  // alive: no instruction; register `d` has a value from here on, whatever it is.
  enum class Kind : std::uint8_t { instruction, label, alive };
  Kind kind = Kind::instruction;
  Op op = Op::NOP;
  std::array<ModValue, 6> mods{};  // the rest are 0
  Register d = 0;
  std::uint8_t d_part = 0;
  Operand a, b, c;
  std::uint32_t pd = 0;  // predicate written
  PredicateUse p;        // predicate read
  PredicateUse guard;
  Label label = 0;  // a label's own, or a branch's target
  std::uint8_t barrier = 0;
  std::int32_t offset = 0;  // of an address
  Operation operation = Operation::itself;
  Position at;
};

struct Code {
  std::vector<Line> lines;
  std::vector<std::uint8_t> widths{0};  // per register: 1, or 2 for a pair
  std::uint32_t predicates = 0;         // numbers used
  std::uint32_t labels = 0;
};

}  // namespace heddle::isa::sketch
