// Arithmetic that a kernel calls by name.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

#include "traces/sketch/lowering.hpp"

namespace heddle::isa::sketch {

std::optional<Value> Lowering::math(const Expression& expression) {
  struct Builtin {
    std::string_view name;
    Value (Lowering::*lower)(const Expression&);
  };
  static constexpr Builtin kBuiltins[] = {
      {"min", &Lowering::least_or_greatest},   {"max", &Lowering::least_or_greatest},
      {"fminf", &Lowering::least_or_greatest}, {"fmaxf", &Lowering::least_or_greatest},
      {"abs", &Lowering::absolute_value},      {"fabsf", &Lowering::absolute_value},
      {"__popc", &Lowering::population_count}, {"fmaf", &Lowering::multiply_add},
      {"__fdividef", &Lowering::division},     {"__mul24", &Lowering::multiply24},
      {"__umul24", &Lowering::multiply24},
  };
  const auto* const found = std::ranges::find(kBuiltins, expression.text, &Builtin::name);
  if (found != std::end(kBuiltins)) return (this->*found->lower)(expression);
  return special_function(expression);
}

Value Lowering::number(const Expression& call, std::size_t argument) {
  const Value value = evaluate(*call.operands[argument]);
  if (value.type.pointer || value.type.scalar == Scalar::nothing)
    fail(call.operands[argument]->at,
         fmt::format("{}: expected a number, found {}", call.text, name(value.type)));
  return value;
}

Value Lowering::float_number(const Expression& call, std::size_t argument) {
  return convert(number(call, argument), Scalar::float32, call.operands[argument]->at);
}

Value Lowering::least_or_greatest(const Expression& expression) {
  const std::string_view function = expression.text;
  expect_arguments(expression, 2, 2, fmt::format("{}(a, b)", function));
  Value a = number(expression, 0), b = number(expression, 1);
  const bool floating = function[0] == 'f';
  const Scalar scalar =
      floating ? Scalar::float32 : std::max({a.type.scalar, b.type.scalar, Scalar::int32});
  if (scalar == Scalar::float64)
    fail(expression.at, fmt::format("{} of double is not part of the language", function));
  a = convert(a, scalar, expression.at);
  b = convert(b, scalar, expression.at);
  builder_.at = expression.at;
  const bool maximum = function == "max" || function == "fmaxf";
  const Operand first = in_register(a);
  const Operand second = as_operand(b);
  return make_value(scalar,
                    scalar == Scalar::float32
                        ? builder_.minimum_float(first, second, maximum)
                        : builder_.minimum(first, second, scalar == Scalar::int32, maximum),
                    std::max(a.dependence, b.dependence));
}

Value Lowering::absolute_value(const Expression& expression) {
  expect_arguments(expression, 1, 1, fmt::format("{}(x)", expression.text));
  Value value = number(expression, 0);
  if (expression.text == "fabsf" || is_floating(value.type.scalar)) {
    value = convert(value, Scalar::float32, expression.at);
    Operand operand = in_register(value);
    operand.absolute = true;
    return make_value(Scalar::float32, builder_.add_float(operand, immediate(0x80000000)),
                      value.dependence);
  }
  value = convert(value, Scalar::int32, expression.at);
  return make_value(Scalar::int32, builder_.absolute(as_operand(value)), value.dependence);
}

Value Lowering::population_count(const Expression& expression) {
  expect_arguments(expression, 1, 1, "__popc(x)");
  const Value value = convert(number(expression, 0), Scalar::uint32, expression.at);
  const Operand bits = in_register(value);
  Line& line = builder_.emit(Op::POPC);
  line.b = bits;
  const Register d = line.d = builder_.new_register();
  return make_value(Scalar::int32, d, value.dependence);
}

Value Lowering::multiply_add(const Expression& expression) {
  expect_arguments(expression, 3, 3, "fmaf(a, b, c)");
  const Value a = float_number(expression, 0), b = float_number(expression, 1),
              c = float_number(expression, 2);
  builder_.at = expression.at;
  const Operand x = in_register(a), y = in_register(b), z = in_register(c);
  return make_value(Scalar::float32, builder_.fma_float(x, y, z),
                    std::max({a.dependence, b.dependence, c.dependence}));
}

Value Lowering::division(const Expression& expression) {
  expect_arguments(expression, 2, 2, "__fdividef(a, b)");
  const Value a = float_number(expression, 0), b = float_number(expression, 1);
  builder_.at = expression.at;
  const Operand x = in_register(a), y = in_register(b);
  const auto quotient = [&] {
    return builder_.multiply_float(x, operand(builder_.function(Function::reciprocal, y)));
  };
  return make_value(Scalar::float32, builder_.as(Operation::fast_division, quotient),
                    std::max(a.dependence, b.dependence));
}

Value Lowering::multiply24(const Expression& expression) {
  expect_arguments(expression, 2, 2, fmt::format("{}(a, b)", expression.text));
  const bool is_signed = expression.text == "__mul24";
  const Scalar scalar = is_signed ? Scalar::int32 : Scalar::uint32;
  const Value a = convert(number(expression, 0), scalar, expression.at);
  const Value b = convert(number(expression, 1), scalar, expression.at);
  builder_.at = expression.at;
  const Operand x = in_register(a), y = in_register(b);
  constexpr std::uint32_t kUpper = 8;  // bits that are not looked at
  const auto low = [&](const Operand& value) {
    const Register up = builder_.shift_left(value, immediate(kUpper));
    return operand(builder_.shift_right(operand(up), immediate(kUpper), is_signed));
  };
  const auto product = [&] {
    const Operand first = low(x), second = low(y);
    return builder_.multiply_add(first, second, zero());
  };
  return make_value(scalar, builder_.as(Operation::multiply24, product),
                    std::max(a.dependence, b.dependence));
}

// One argument; a factor before the machine's function and one after it.
std::optional<Value> Lowering::special_function(const Expression& expression) {
  struct OfOne {
    std::string_view name;
    Function function;
    float before, after;
    Operation operation;
  };
  static constexpr float kLog2E = 1.44269504f, kLn2 = 0.69314718f, kOverTwoPi = 0.15915494f;
  static constexpr OfOne kOfOne[] = {
      {"sqrtf", Function::root, 1, 1, Operation::square_root},
      {"rsqrtf", Function::reciprocal_root, 1, 1, Operation::itself},
      {"exp2f", Function::exponential, 1, 1, Operation::exponential},
      {"expf", Function::exponential, kLog2E, 1, Operation::exponential},
      {"log2f", Function::logarithm, 1, 1, Operation::logarithm},
      {"logf", Function::logarithm, 1, kLn2, Operation::logarithm},
      {"sinf", Function::sine, kOverTwoPi, 1, Operation::sine_cosine},
      {"cosf", Function::cosine, kOverTwoPi, 1, Operation::sine_cosine},
  };
  const auto* const found = std::ranges::find(kOfOne, expression.text, &OfOne::name);
  if (found == std::end(kOfOne)) return std::nullopt;
  expect_arguments(expression, 1, 1, fmt::format("{}(x)", expression.text));
  const Value value = float_number(expression, 0);
  builder_.at = expression.at;
  Operand x = in_register(value);
  const auto times = [&](float factor) {
    x = operand(builder_.multiply_float(x, immediate(std::bit_cast<std::uint32_t>(factor))));
  };
  const auto applied = [&] {
    if (found->before != 1) times(found->before);
    x = operand(builder_.function(found->function, x));
    if (found->after != 1) times(found->after);
    return x.reg;
  };
  return make_value(Scalar::float32, builder_.as(found->operation, applied), value.dependence);
}

}  // namespace heddle::isa::sketch
