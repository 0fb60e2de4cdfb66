#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/sketch/lowering.hpp"

namespace heddle::isa::sketch {
namespace {

float float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

std::optional<Compare> comparison_named(std::string_view op) {
  if (op == "<") return Compare::less;
  if (op == "<=") return Compare::less_equal;
  if (op == ">") return Compare::greater;
  if (op == ">=") return Compare::greater_equal;
  if (op == "==") return Compare::equal;
  if (op == "!=") return Compare::not_equal;
  return std::nullopt;
}

Compare mirrored(Compare how) {
  switch (how) {
    case Compare::less:
      return Compare::greater;
    case Compare::less_equal:
      return Compare::greater_equal;
    case Compare::greater:
      return Compare::less;
    case Compare::greater_equal:
      return Compare::less_equal;
    default:
      return how;
  }
}

template <typename T>
bool holds(Compare how, T left, T right) {
  switch (how) {
    case Compare::less:
      return left < right;
    case Compare::less_equal:
      return left <= right;
    case Compare::greater:
      return left > right;
    case Compare::greater_equal:
      return left >= right;
    case Compare::equal:
      return left == right;
    case Compare::not_equal:
      return left != right;
  }
  return false;
}

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

template <typename T>
std::optional<T> fold_floating(std::string_view op, T left, T right) {
  if (op == "+") return left + right;
  if (op == "-") return left - right;
  if (op == "*") return left * right;
  if (op == "/") return left / right;
  return std::nullopt;
}

// As two's complement; what C leaves undefined (an overflow, a shift too far) wraps.
std::optional<std::uint32_t> fold_integer(std::string_view op, std::uint32_t left,
                                          std::uint32_t right, bool is_signed) {
  const auto a = static_cast<std::int32_t>(left), b = static_cast<std::int32_t>(right);
  if (op == "+") return left + right;
  if (op == "-") return left - right;
  if (op == "*") return left * right;
  if (op == "&") return left & right;
  if (op == "|") return left | right;
  if (op == "^") return left ^ right;
  if (op == "<<") return right > 31 ? 0 : left << right;
  if (op == ">>") {
    if (is_signed) return static_cast<std::uint32_t>(a >> std::min(right, 31u));
    return right > 31 ? 0 : left >> right;
  }
  if (right == 0) return std::nullopt;
  if (op == "/") return is_signed ? static_cast<std::uint32_t>(std::int64_t{a} / b) : left / right;
  return is_signed ? static_cast<std::uint32_t>(std::int64_t{a} % b) : left % right;
}

}  // namespace

// --- where values are ---

Operand Lowering::in_register(const Value& value) {
  switch (value.form) {
    case Value::Form::predicate:
      return operand(
          builder_.select(zero(), immediate(1), {value.predicate.index, !value.predicate.negated}));
    case Value::Form::operand:
      if (value.operand.kind == Source::Kind::reg) return value.operand;
      return operand(copied(value));
    case Value::Form::constant:
      if (value.bits == 0) {
        if (width(value.type) == 1) return zero();
        return operand(copied(value));
      }
      return operand(copied(value));
  }
  return {};
}

Operand Lowering::as_operand(const Value& value) {
  if (value.is_constant() && width(value.type) == 1)
    return value.bits == 0 ? zero() : immediate(static_cast<std::uint32_t>(value.bits));
  if (value.form == Value::Form::operand) return value.operand;
  return in_register(value);
}

// An immediate double is its high word.
Operand Lowering::double_operand(const Value& value) {
  if (value.is_constant() && (value.bits & 0xffffffff) == 0)
    return immediate(static_cast<std::uint32_t>(value.bits >> 32));
  return in_register(value);
}

Register Lowering::copied(const Value& value) {
  if (value.form == Value::Form::predicate) return in_register(value).reg;
  const unsigned parts = width(value.type);
  const Register d = builder_.new_register(parts);
  for (std::uint8_t part = 0; part < parts; ++part) {
    Operand from = value.operand;
    if (value.is_constant()) {
      from = immediate(static_cast<std::uint32_t>(value.bits >> 32 * part));
    } else if (from.kind == Source::Kind::reg) {
      from.part = part;
    } else {
      from.value += 4u * part;
    }
    builder_.move(d, from, part);
  }
  return d;
}

// --- conversions ---

Value Lowering::truth(const Value& value, Position at) {
  if (value.type.pointer) fail(at, "a condition: expected a number, found a pointer");
  if (value.form == Value::Form::predicate) return value;
  if (value.is_constant()) {
    bool holds = value.bits != 0;
    if (value.type.scalar == Scalar::float32) holds = float_of(value.bits) != 0;
    if (value.type.scalar == Scalar::float64) holds = double_of(value.bits) != 0;
    return make_constant(Scalar::boolean, holds ? 1 : 0);
  }
  return comparison("!=", value, make_constant(value.type.scalar, 0), value.type.scalar);
}

Value Lowering::convert_to(const Value& value, const Type& to, Position at) {
  if (!to.pointer) return convert(value, to.scalar, at);
  if (value.type != to)
    fail(at, fmt::format("expected {} here, found {}", name(to), name(value.type)));
  return value;
}

Value Lowering::convert(const Value& value, Scalar to, Position at) {
  const Scalar from = value.type.scalar;
  if (value.type.pointer)
    fail(at, fmt::format("expected {} here, found {}", name(Type{.scalar = to}), name(value.type)));
  if (from == Scalar::nothing) fail(at, "expected a value here: this gives none");
  if (from == to) return value;
  if (to == Scalar::boolean) return truth(value, at);
  const bool integers = !is_floating(from) && !is_floating(to);
  if (value.is_constant()) {
    double number = 0;
    if (from == Scalar::float32)
      number = static_cast<double>(float_of(value.bits));
    else if (from == Scalar::float64)
      number = double_of(value.bits);
    else
      number = from == Scalar::int32 ? value.as_int() : static_cast<double>(value.bits);
    if (to == Scalar::float32) return make_constant(to, bits_of(static_cast<float>(number)));
    if (to == Scalar::float64) return make_constant(to, bits_of(number));
    if (integers) return make_constant(to, value.bits);
    const double low = to == Scalar::int32 ? -2147483648.0 : 0.0;
    const double high = to == Scalar::int32 ? 2147483647.0 : 4294967295.0;
    const auto whole =
        static_cast<std::int64_t>(std::isnan(number) ? 0.0 : std::clamp(number, low, high));
    return make_constant(to, static_cast<std::uint32_t>(whole));
  }
  if (integers) {
    if (value.form == Value::Form::predicate)
      return make_value(to, in_register(value).reg, value.dependence);
    return make_value(Type{.scalar = to}, value.operand, value.dependence);
  }
  constexpr std::uint32_t kFromSigned = 5, kFromUnsigned = 4;        // Mod::src_fmt of I2F
  constexpr std::uint32_t kToFloat = 2, kToDouble = 3;               // Mod::dst_fmt of I2F
  constexpr std::uint32_t kDoubleToFloat = 26, kFloatToDouble = 19;  // Mod::dst_fmt of F2F
  constexpr std::uint32_t kTruncate = 3;
  Line* line = nullptr;
  const Operand operand = in_register(value);
  if (!is_floating(from)) {
    line = &builder_.emit(Op::I2F,
                          {{Mod::dst_fmt, to == Scalar::float32 ? kToFloat : kToDouble},
                           {Mod::src_fmt, from == Scalar::uint32 ? kFromUnsigned : kFromSigned}});
  } else if (!is_floating(to)) {
    line =
        &builder_.emit(Op::F2I, {{Mod::dst_fmt, to == Scalar::uint32 ? kFromUnsigned : kFromSigned},
                                 {Mod::src_fmt, from == Scalar::float32 ? kToFloat : kToDouble},
                                 {Mod::rnd, kTruncate},
                                 {Mod::ntz, from == Scalar::float32 ? 1u : 0u}});
  } else {
    line = &builder_.emit(
        Op::F2F, {{Mod::dst_fmt, to == Scalar::float32 ? kDoubleToFloat : kFloatToDouble}});
  }
  line->b = operand;
  const Register d = line->d = builder_.new_register(to == Scalar::float64 ? 2 : 1);
  return make_value(to, d, value.dependence);
}

// --- operators ---

Value Lowering::arithmetic(std::string_view op, Value left, Value right, Position at) {
  builder_.at = at;
  if (left.type.pointer || right.type.pointer) return pointer_arithmetic(op, left, right, at);
  if (left.type.scalar == Scalar::nothing || right.type.scalar == Scalar::nothing)
    fail(at, fmt::format("'{}': expected two values", op));
  const bool shift = op == "<<" || op == ">>";
  Scalar scalar = std::max({left.type.scalar, right.type.scalar, Scalar::int32});
  if (shift) scalar = std::max(left.type.scalar, Scalar::int32);
  const bool integers_only = shift || op == "%" || op == "&" || op == "|" || op == "^";
  if (integers_only && (is_floating(left.type.scalar) || is_floating(right.type.scalar)))
    fail(at, fmt::format("'{}': expected integers, found {} and {}", op, name(left.type),
                         name(right.type)));
  left = convert(left, scalar, at);
  right = convert(right, shift ? std::max(right.type.scalar, Scalar::int32) : scalar, at);
  builder_.at = at;
  if (left.is_constant() && right.is_constant()) return fold(op, left, right, scalar, at);
  if (comparison_named(op)) return comparison(op, left, right, scalar);
  return is_floating(scalar) ? floating_arithmetic(op, left, right, scalar, at)
                             : integer_arithmetic(op, left, right, scalar, at);
}

Value Lowering::fold(std::string_view op, const Value& left, const Value& right, Scalar scalar,
                     Position at) {
  const bool is_signed = scalar == Scalar::int32;
  if (const auto how = comparison_named(op)) {
    bool result = false;
    if (scalar == Scalar::float32)
      result = holds(*how, float_of(left.bits), float_of(right.bits));
    else if (scalar == Scalar::float64)
      result = holds(*how, double_of(left.bits), double_of(right.bits));
    else
      result = is_signed ? holds(*how, left.as_int(), right.as_int())
                         : holds(*how, left.bits, right.bits);
    return make_constant(Scalar::boolean, result ? 1 : 0);
  }
  std::optional<std::uint64_t> bits;
  if (scalar == Scalar::float32) {
    if (const auto value = fold_floating(op, float_of(left.bits), float_of(right.bits)))
      bits = bits_of(*value);
  } else if (scalar == Scalar::float64) {
    if (const auto value = fold_floating(op, double_of(left.bits), double_of(right.bits)))
      bits = bits_of(*value);
  } else {
    bits = fold_integer(op, static_cast<std::uint32_t>(left.bits),
                        static_cast<std::uint32_t>(right.bits), is_signed);
    if (!bits) fail(at, fmt::format("'{}' by zero", op));
  }
  return make_constant(scalar, *bits);
}

Value Lowering::comparison(std::string_view op, const Value& left, const Value& right,
                           Scalar scalar) {
  Compare how = *comparison_named(op);
  Value a = left, b = right;
  if (a.is_constant() && !b.is_constant()) {  // the constant goes where one may stand
    std::swap(a, b);
    how = mirrored(how);
  }
  const Dependence dependence = std::max(left.dependence, right.dependence);
  if (is_floating(scalar)) {
    const bool is_double = scalar == Scalar::float64;
    const Operand first = in_register(a);
    const Operand second = is_double ? double_operand(b) : as_operand(b);
    return make_predicate({builder_.compare_float(how, first, second, is_double), false},
                          dependence);
  }
  const Operand first = in_register(a);
  const Operand second = as_operand(b);
  return make_predicate({builder_.compare(how, scalar != Scalar::uint32, first, second), false},
                        dependence);
}

Value Lowering::integer_arithmetic(std::string_view op, const Value& left, const Value& right,
                                   Scalar scalar, Position) {
  const Dependence dependence = std::max(left.dependence, right.dependence);
  const bool is_signed = scalar == Scalar::int32;
  const auto result = [&](Register reg) { return make_value(scalar, reg, dependence); };
  if (op == "/" || op == "%") return division(left, right, op == "%");
  Value a = left, b = right;
  const bool commutes = op == "+" || op == "*" || op == "&" || op == "|" || op == "^";
  const bool swap = commutes && (a.is_constant() || (a.form == Value::Form::operand &&
                                                     a.operand.kind == Source::Kind::constant));
  if (swap) std::swap(a, b);
  if (op == "-" && b.is_constant()) {
    b = make_constant(scalar, static_cast<std::uint32_t>(0 - b.bits));
    return result(builder_.add(in_register(a), as_operand(b)));
  }
  if (op == "*" && b.is_constant() && is_power_of_two(static_cast<std::uint32_t>(b.bits)))
    return result(builder_.shift_left(in_register(a),
                                      immediate(static_cast<std::uint32_t>(
                                          std::countr_zero(static_cast<std::uint32_t>(b.bits))))));
  const Operand first = in_register(a);
  Operand second = as_operand(b);
  if (op == "+") return result(builder_.add(first, second));
  if (op == "-") {
    second.negate = true;
    return result(builder_.add(first, second));
  }
  if (op == "*") return result(builder_.multiply_add(first, second, zero()));
  if (op == "&") return result(builder_.logic(first, second, zero(), kAnd));
  if (op == "|") return result(builder_.logic(first, second, zero(), kOr));
  if (op == "^") return result(builder_.logic(first, second, zero(), kXor));
  if (op == "<<") return result(builder_.shift_left(first, second));
  return result(builder_.shift_right(first, second, is_signed));
}

Value Lowering::floating_arithmetic(std::string_view op, const Value& left, const Value& right,
                                    Scalar scalar, Position) {
  const Dependence dependence = std::max(left.dependence, right.dependence);
  const bool is_double = scalar == Scalar::float64;
  const auto result = [&](Register reg) { return make_value(scalar, reg, dependence); };
  Value a = left, b = right;
  if ((op == "+" || op == "*") && a.is_constant()) std::swap(a, b);
  if (op == "-" && b.is_constant()) {
    const std::uint64_t sign = is_double ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
    b.bits ^= sign;
    op = "+";
  }
  const Operand first = in_register(a);
  Operand second = is_double ? double_operand(b) : as_operand(b);
  if (op == "/")
    return result(is_double ? divide_double(first, in_register(b))
                            : builder_.as(Operation::division, [&, divisor = in_register(b)] {
                                return divide_float(first, divisor);
                              }));
  if (op == "-") second.negate = true;
  if (op == "*")
    return result(is_double ? builder_.multiply_double(first, second)
                            : builder_.multiply_float(first, second));
  return result(is_double ? builder_.add_double(first, second) : builder_.add_float(first, second));
}

Value Lowering::negated(const Value& value, Position at) {
  const Scalar scalar = std::max(value.type.scalar, Scalar::int32);
  const Value number = convert(value, scalar, at);
  if (!is_floating(scalar)) return arithmetic("-", make_constant(scalar, 0), number, at);
  const bool is_double = scalar == Scalar::float64;
  if (number.is_constant())
    return make_constant(
        scalar, number.bits ^ (is_double ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31));
  // 0 - x has the wrong sign for a zero: -x + -0 has not.
  Operand operand = in_register(number);
  operand.negate = true;
  const Operand minus_zero = immediate(0x80000000);
  return make_value(scalar,
                    is_double ? builder_.add_double(operand, minus_zero)
                              : builder_.add_float(operand, minus_zero),
                    number.dependence);
}

Value Lowering::pointer_arithmetic(std::string_view op, const Value& left, const Value& right,
                                   Position at) {
  const bool pointer_first = left.type.pointer;
  const Value& pointer = pointer_first ? left : right;
  Value index = pointer_first ? right : left;
  const bool adds = op == "+", subtracts = op == "-" && pointer_first;
  if (index.type.pointer || is_floating(index.type.scalar) || (!adds && !subtracts))
    fail(at, fmt::format("'{}': expected a pointer and + or - an integer, found {} and {}", op,
                         name(left.type), name(right.type)));
  if (subtracts) index = negated(index, at);
  const std::uint32_t size = bytes(pointer.type.scalar);
  const bool is_signed = subtracts || index.type.scalar != Scalar::uint32;
  const Operand number = in_register(index);
  return make_value(
      pointer.type,
      operand(pointer.type.memory == Memory::global
                  ? builder_.multiply_wide(number, immediate(size), pointer.operand, is_signed)
                  : builder_.multiply_add(number, immediate(size), pointer.operand)),
      std::max(pointer.dependence, index.dependence));
}

// --- division ---

Value Lowering::division(const Value& left, const Value& right, bool remainder) {
  const Scalar scalar = left.type.scalar;
  const bool is_signed = scalar == Scalar::int32;
  const Dependence dependence = std::max(left.dependence, right.dependence);
  const auto result = [&](Register reg) { return make_value(scalar, reg, dependence); };
  const Operand n = in_register(left);
  if (right.is_constant() && is_power_of_two(static_cast<std::uint32_t>(right.bits)) &&
      (!is_signed || right.as_int() > 0)) {
    const auto d = static_cast<std::uint32_t>(right.bits);
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(d));
    if (!is_signed)
      return result(remainder ? builder_.logic(n, immediate(d - 1), zero(), kAnd)
                              : builder_.shift_right(n, immediate(shift), false));
    if (d == 1) return remainder ? make_constant(scalar, 0) : left;
    // A quotient goes towards zero: negative numbers are raised by d - 1 before the shift.
    const Register sign = builder_.shift_right(n, immediate(31), true);
    const Register raise = builder_.logic(operand(sign), immediate(d - 1), zero(), kAnd);
    const Register raised = builder_.add(n, operand(raise));
    if (!remainder) return result(builder_.shift_right(operand(raised), immediate(shift), true));
    const Register whole = builder_.logic(operand(raised), immediate(~(d - 1)), zero(), kAnd);
    Operand minus = operand(whole);
    minus.negate = true;
    return result(builder_.add(n, minus));
  }
  const Operand d = in_register(right);
  if (!is_signed)
    return result(divide_unsigned(n.reg == 0 ? copied(left) : n.reg,
                                  d.reg == 0 ? copied(right) : d.reg, remainder));
  const Register magnitude = divide_unsigned(builder_.absolute(n), builder_.absolute(d), remainder);
  // The remainder has the dividend's sign, the quotient is negative where the signs differ.
  const Operand signs = remainder ? n : operand(builder_.logic(n, d, zero(), kXor));
  const std::uint32_t negative = builder_.compare(
      Compare::less, true, signs.reg == 0 ? operand(copied(left)) : signs, immediate(0));
  Operand minus = operand(magnitude);
  minus.negate = true;
  const Register opposite = builder_.add(zero(), minus);
  return result(builder_.select(operand(opposite), operand(magnitude), {negative, false}));
}

// The quotient by a reciprocal in floating point, never too large, then two corrections.
Register Lowering::divide_unsigned(Register n, Register d, bool remainder) {
  constexpr std::uint32_t kToFloat = 2, kFromUnsigned = 4, kRoundUp = 2, kTruncate = 3;
  // Added to a float's bits: times 2^32, less a little more than what the reciprocal may err by.
  constexpr std::uint32_t kScale = 0x0ffffffe;
  Line& to_float = builder_.emit(
      Op::I2F, {{Mod::dst_fmt, kToFloat}, {Mod::src_fmt, kFromUnsigned}, {Mod::rnd, kRoundUp}});
  to_float.b = operand(d);
  const Register divisor = to_float.d = builder_.new_register();
  const Register inverse = builder_.function(Function::reciprocal, operand(divisor));
  const Register scaled = builder_.add(operand(inverse), immediate(kScale));
  Line& to_integer = builder_.emit(Op::F2I, {{Mod::dst_fmt, kFromUnsigned},
                                             {Mod::src_fmt, kToFloat},
                                             {Mod::rnd, kTruncate},
                                             {Mod::ntz, 1}});
  to_integer.b = operand(scaled);
  const Register guess = to_integer.d = builder_.new_register();
  Operand minus = operand(d);
  minus.negate = true;
  const Register minus_d = builder_.add(zero(), minus);
  const Register error = builder_.multiply_add(operand(minus_d), operand(guess), zero());
  const Register correction = builder_.multiply_high(operand(guess), operand(error), false);
  const Register better = builder_.add(operand(guess), operand(correction));
  Register quotient = builder_.multiply_high(operand(better), operand(n), false);
  Register rest = builder_.multiply_add(operand(quotient), operand(minus_d), operand(n));
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t too_small =
        builder_.compare(Compare::greater_equal, false, operand(rest), operand(d));
    if (!remainder) {
      const Register next = builder_.add(operand(quotient), immediate(1));
      quotient = builder_.select(operand(next), operand(quotient), {too_small, false});
    }
    if (remainder || i == 0) {
      const Register less = builder_.add(operand(rest), operand(minus_d));
      rest = builder_.select(operand(less), operand(rest), {too_small, false});
    }
  }
  return remainder ? rest : quotient;
}

// Correct to the last bit or the one before it; where the quotient or the divisor is very large or
// very small, no better than a product with the reciprocal.
Register Lowering::divide_float(const Operand& a, const Operand& b) {
  const Register inverse = builder_.function(Function::reciprocal, b);
  const Register guess = builder_.multiply_float(a, operand(inverse));
  Operand minus = b;
  minus.negate = true;
  const Register error = builder_.fma_float(minus, operand(guess), a);
  return builder_.fma_float(operand(error), operand(inverse), operand(guess));
}

Register Lowering::divide_double(const Operand& a, const Operand& b) {
  const Register start = builder_.new_register(2);
  Operand high = b;
  high.part = 1;
  Line& line = builder_.emit(
      Op::MUFU, {{Mod::mufu_op, static_cast<std::uint32_t>(Function::reciprocal_high)}});
  line.b = high;
  line.d = start;
  line.d_part = 1;
  builder_.move(start, zero(), 0);
  Operand minus = b;
  minus.negate = true;
  Register inverse = start;
  for (int i = 0; i < 2; ++i) {
    const Register error = builder_.fma_double(minus, operand(inverse), immediate(0x3ff00000));
    inverse = builder_.fma_double(operand(error), operand(inverse), operand(inverse));
  }
  const Register guess = builder_.multiply_double(a, operand(inverse));
  const Register error = builder_.fma_double(minus, operand(guess), a);
  return builder_.fma_double(operand(error), operand(inverse), operand(guess));
}

}  // namespace heddle::isa::sketch
