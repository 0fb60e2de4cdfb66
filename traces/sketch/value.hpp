// What an expression is while it is compiled.
#pragma once

#include <bit>

#include "traces/sketch/ast.hpp"
#include "traces/sketch/code.hpp"

namespace heddle::isa::sketch {

// What a value may differ by: nothing within a block's launch, the thread's index, or data.
enum class Dependence : std::uint8_t { uniform, lane, data };

struct Value {
  enum class Form : std::uint8_t { constant, operand, predicate };
  Type type;
  Form form = Form::constant;
  std::uint64_t bits = 0;  // constant: as in a register, or in two
  Operand operand;         // a register (of a pair: its number) or a word of constant memory
  PredicateUse predicate;  // of a bool
  Dependence dependence = Dependence::uniform;

  bool is_constant() const { return form == Form::constant; }
  bool is(Scalar scalar) const { return !type.pointer && type.scalar == scalar; }
  std::int32_t as_int() const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }
};

constexpr bool is_floating(Scalar scalar) {
  return scalar == Scalar::float32 || scalar == Scalar::float64;
}
// Registers a value of this type takes.
constexpr unsigned width(const Type& type) {
  if (type.pointer) return type.memory == Memory::global ? 2 : 1;
  return type.scalar == Scalar::float64 ? 2 : 1;
}

inline Value make_constant(Scalar scalar, std::uint64_t bits) {
  Value value;
  value.type.scalar = scalar;
  value.bits = bits;
  return value;
}
inline Value make_int(std::int32_t number) {
  return make_constant(Scalar::int32, static_cast<std::uint32_t>(number));
}
inline Value make_value(const Type& type, const Operand& operand, Dependence dependence) {
  Value value;
  value.type = type;
  value.form = Value::Form::operand;
  value.operand = operand;
  value.dependence = dependence;
  return value;
}
inline Value make_value(Scalar scalar, Register reg, Dependence dependence) {
  return make_value(Type{.scalar = scalar}, operand(reg), dependence);
}
inline Value make_predicate(PredicateUse predicate, Dependence dependence) {
  Value value;
  value.type.scalar = Scalar::boolean;
  value.form = Value::Form::predicate;
  value.predicate = predicate;
  value.dependence = dependence;
  return value;
}

// Where something lies in memory: a register (none: 0) and an offset from it.
struct Place {
  Type type;  // of what lies there; no pointer
  Memory memory = Memory::global;
  Operand base;
  std::int32_t offset = 0;
  Dependence dependence = Dependence::uniform;
};

}  // namespace heddle::isa::sketch
