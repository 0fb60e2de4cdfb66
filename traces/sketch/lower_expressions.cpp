#include <fmt/format.h>

#include <algorithm>

#include "traces/sketch/lowering.hpp"

namespace heddle::isa::sketch {
namespace {

using Kind = Expression::Kind;

constexpr std::uint32_t kStackPointer = 0x28;  // in constant bank 0
// Offsets of an address that every load and store can hold.
constexpr std::int64_t kMostOffset = (1 << 23) - 1;

// Mod::size of an access.
std::uint32_t size_code(Scalar scalar) {
  return scalar == Scalar::boolean ? 0 : scalar == Scalar::float64 ? 5 : 4;
}

struct Accesses {
  Op load, store;
};
Accesses accesses(Memory memory) {
  switch (memory) {
    case Memory::shared:
      return {Op::LDS, Op::STS};
    case Memory::local:
      return {Op::LDL, Op::STL};
    default:
      return {Op::LDG, Op::STG};
  }
}

void set_access_mods(Line& line, const Place& place) {
  line.mods[0] = {Mod::size, size_code(place.type.scalar)};
  constexpr std::uint32_t kDefaultPolicy = 1;
  if (place.memory != Memory::shared) line.mods[1] = {Mod::cop, kDefaultPolicy};
  if (place.memory == Memory::global) line.mods[2] = {Mod::address64, 1};
}

}  // namespace

Value Lowering::evaluate(const Expression& expression) {
  builder_.at = expression.at;
  switch (expression.kind) {
    case Kind::integer:
      return make_constant(expression.type.scalar, expression.value);
    case Kind::floating: {
      const double number = std::bit_cast<double>(expression.value);
      return expression.type.scalar == Scalar::float64
                 ? make_constant(Scalar::float64, expression.value)
                 : make_constant(Scalar::float32,
                                 std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    }
    case Kind::string:
      fail(expression.at, "expected a value, found a string");
    case Kind::name:
      return evaluate_name(expression);
    case Kind::member:
      return evaluate_member(expression);
    case Kind::unary:
      return evaluate_unary(expression);
    case Kind::binary:
      return evaluate_binary(expression);
    case Kind::assignment:
      return evaluate_assignment(expression);
    case Kind::step:
      return evaluate_step(expression);
    case Kind::ternary:
      return evaluate_ternary(expression);
    case Kind::index:
      return evaluate_index(expression);
    case Kind::call:
      return call(expression);
    case Kind::cast: {
      const Value value = evaluate(*expression.operands[0]);
      if (expression.type.pointer) {
        Type to = expression.type;
        if (value.type.pointer) to.memory = value.type.memory;
        if (value.type != to)
          fail(expression.at,
               fmt::format("expected {} here, found {}", name(to), name(value.type)));
        return value;
      }
      return convert(value, expression.type.scalar, expression.at);
    }
  }
  return {};
}

// --- names ---

Value Lowering::evaluate_name(const Expression& expression) {
  if (expression.text == "warpSize") return make_int(32);
  const Symbol* symbol = find(expression.text);
  if (symbol == nullptr) {
    for (const std::string_view special : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
      if (expression.text == special)
        fail(expression.at, fmt::format("expected .x, .y or .z after {}", special));
    fail(expression.at, fmt::format("'{}' is not declared", expression.text));
  }
  if (symbol->is_constant) return symbol->value;
  if (symbol->is_array) {
    if (symbol->dimensions.empty())
      return load({symbol->type, symbol->memory, zero(), symbol->offset, Dependence::uniform});
    return decayed(*symbol);
  }
  return make_value(symbol->type, operand(symbol->reg), symbol->dependence);
}

Operand Lowering::cached(std::string_view name, const std::function<Register()>& make) {
  if (const auto found = cache_.find(name); found != cache_.end()) return operand(found->second);
  Register made = 0;
  builder_.at_start([&] { made = make(); });
  cache_.emplace(name, made);
  return operand(made);
}

Value Lowering::special_dimension(std::string_view whole, std::string_view part, Position at) {
  const std::size_t which = part == "x" ? 0 : part == "y" ? 1 : part == "z" ? 2 : 3;
  if (which == 3) fail(at, fmt::format("expected .x, .y or .z, found .{}", part));
  const std::string key = fmt::format("{}.{}", whole, part);
  constexpr std::uint8_t kTidX = 33,
                         kCtaIdX = 37;  // special registers (docs/hardware/control-flow.md)
  if (whole == "threadIdx" || whole == "blockIdx") {
    const bool thread = whole == "threadIdx";
    const auto number = static_cast<std::uint8_t>((thread ? kTidX : kCtaIdX) + which);
    return make_value({.scalar = Scalar::uint32},
                      cached(key, [&] { return builder_.special(number); }),
                      thread ? Dependence::lane : Dependence::uniform);
  }
  const std::uint32_t first = whole == "blockDim" ? 0x00 : 0x0c;
  return make_value({.scalar = Scalar::uint32},
                    constant(0, first + 4 * static_cast<std::uint32_t>(which)),
                    Dependence::uniform);
}

Value Lowering::evaluate_member(const Expression& expression) {
  const Expression& whole = *expression.operands[0];
  if (whole.kind == Kind::name)
    for (const std::string_view special : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
      if (whole.text == special) return special_dimension(special, expression.text, expression.at);
  fail(expression.at,
       fmt::format("'.{}': expected threadIdx, blockIdx, blockDim or gridDim before it",
                   expression.text));
}

// --- memory ---

Value Lowering::decayed(const Symbol& symbol) {
  Type type = symbol.type;
  type.pointer = true;
  type.memory = symbol.memory;
  if (symbol.memory == Memory::shared)
    return make_value(type,
                      operand(builder_.moved(immediate(static_cast<std::uint32_t>(symbol.offset)))),
                      Dependence::uniform);
  const Operand top = cached("stack", [&] { return builder_.moved(constant(0, kStackPointer)); });
  return make_value(
      type, operand(builder_.add(top, immediate(static_cast<std::uint32_t>(symbol.offset)))),
      Dependence::uniform);
}

Place Lowering::element(const Value& pointer, const Value& index, Position at) {
  if (index.type.pointer || is_floating(index.type.scalar))
    fail(at, fmt::format("an index: expected an integer, found {}", name(index.type)));
  Place place;
  place.type.scalar = pointer.type.scalar;
  place.memory = pointer.type.memory;
  place.dependence = std::max(pointer.dependence, index.dependence);
  const std::uint32_t size = bytes(pointer.type.scalar);
  if (index.is_constant()) {
    const std::int64_t offset = std::int64_t{index.as_int()} * size;
    if (offset >= -kMostOffset && offset <= kMostOffset) {
      place.base = pointer.operand;
      place.offset = static_cast<std::int32_t>(offset);
      return place;
    }
  }
  const bool is_signed = index.type.scalar != Scalar::uint32;
  const Operand number =
      in_register(index.type.scalar == Scalar::boolean ? convert(index, Scalar::int32, at) : index);
  place.base =
      operand(place.memory == Memory::global
                  ? builder_.multiply_wide(number, immediate(size), pointer.operand, is_signed)
                  : builder_.multiply_add(number, immediate(size), pointer.operand));
  return place;
}

// name[i][j]…: of an array with known dimensions.
Place Lowering::array_element(const Symbol& symbol, const Expression& expression, Position at) {
  std::vector<const Expression*> indices;
  for (const Expression* each = &expression; each->kind == Kind::index;
       each = each->operands[0].get())
    indices.insert(indices.begin(), each->operands[1].get());
  if (indices.size() != symbol.dimensions.size())
    fail(at,
         fmt::format("expected {} indices, found {}", symbol.dimensions.size(), indices.size()));
  Value linear;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Value index = evaluate(*indices[i]);
    if (index.type.pointer || is_floating(index.type.scalar))
      fail(indices[i]->at,
           fmt::format("an index: expected an integer, found {}", name(index.type)));
    index = convert(index, index.type.scalar == Scalar::boolean ? Scalar::int32 : index.type.scalar,
                    indices[i]->at);
    if (i == 0) {
      linear = index;
      continue;
    }
    const Value size = make_int(static_cast<std::int32_t>(symbol.dimensions[i]));
    linear = arithmetic("+", arithmetic("*", linear, size, at), index, at);
  }
  builder_.at = at;
  Place place;
  place.type = symbol.type;
  place.memory = symbol.memory;
  place.dependence = linear.dependence;
  const std::uint32_t size = bytes(symbol.type.scalar);
  const bool local = symbol.memory == Memory::local;
  const Operand top =
      local ? cached("stack", [&] { return builder_.moved(constant(0, kStackPointer)); }) : zero();
  place.offset = symbol.offset;
  if (linear.is_constant()) {
    const std::int64_t offset = std::int64_t{linear.as_int()} * size + symbol.offset;
    if (offset < -kMostOffset || offset > kMostOffset)
      fail(at, "an index far outside of the array");
    place.offset = static_cast<std::int32_t>(offset);
    place.base = top;
  } else {
    place.base = operand(builder_.multiply_add(in_register(linear), immediate(size), top));
  }
  return place;
}

// What an expression names in memory; nothing for a variable in a register.
std::optional<Place> Lowering::place_of(const Expression& expression) {
  builder_.at = expression.at;
  if (expression.kind == Kind::name) {
    const Symbol* symbol = find(expression.text);
    if (symbol != nullptr && symbol->is_array && symbol->dimensions.empty())
      return Place{symbol->type, symbol->memory, zero(), symbol->offset, Dependence::uniform};
    return std::nullopt;
  }
  if (expression.kind == Kind::unary && expression.text == "*") {
    const Value pointer = evaluate(*expression.operands[0]);
    if (!pointer.type.pointer)
      fail(expression.at, fmt::format("'*': expected a pointer, found {}", name(pointer.type)));
    return element(pointer, make_int(0), expression.at);
  }
  if (expression.kind != Kind::index) return std::nullopt;
  const Expression* root = &expression;
  while (root->kind == Kind::index) root = root->operands[0].get();
  if (root->kind == Kind::name)
    if (const Symbol* symbol = find(root->text);
        symbol != nullptr && symbol->is_array && !symbol->dimensions.empty())
      return array_element(*symbol, expression, expression.at);
  const Value pointer = evaluate(*expression.operands[0]);
  if (!pointer.type.pointer)
    fail(expression.at, fmt::format("'[': expected an array or a pointer before it, found {}",
                                    name(pointer.type)));
  const Value index = evaluate(*expression.operands[1]);
  builder_.at = expression.at;
  return element(pointer, index, expression.at);
}

Value Lowering::evaluate_index(const Expression& expression) {
  const auto place = place_of(expression);
  return load(*place);
}

Value Lowering::load(const Place& place) {
  Line& line = builder_.emit(accesses(place.memory).load);
  set_access_mods(line, place);
  line.a = place.base;
  line.offset = place.offset;
  const Register d = line.d = builder_.new_register(width(place.type));
  return make_value(place.type, operand(d), Dependence::data);
}

void Lowering::store(const Place& place, const Value& value) {
  const Operand data = in_register(value);
  Line& line = builder_.emit(accesses(place.memory).store);
  set_access_mods(line, place);
  line.a = place.base;
  line.offset = place.offset;
  line.b = data;
}

// --- assignment ---

Symbol& Lowering::assignable(const Expression& expression) {
  if (expression.kind != Kind::name)
    fail(expression.at, "expected a variable, an element of an array or *pointer to assign to");
  Symbol* symbol = find(expression.text);
  if (symbol == nullptr) fail(expression.at, fmt::format("'{}' is not declared", expression.text));
  if (symbol->is_array || symbol->is_constant || symbol->read_only)
    fail(expression.at, fmt::format("'{}' cannot be assigned to", expression.text));
  return *symbol;
}

void Lowering::assign(Symbol& symbol, const Value& value, Position at) {
  const Value converted = convert_to(value, symbol.type, at);
  symbol.dependence = std::max({symbol.dependence, converted.dependence, control_});
  const unsigned parts = width(symbol.type);
  if (converted.is_constant()) {
    for (std::uint8_t part = 0; part < parts; ++part)
      builder_.move(symbol.reg, immediate(static_cast<std::uint32_t>(converted.bits >> 32 * part)),
                    part);
    return;
  }
  if (parts == 1) {
    builder_.move(symbol.reg, as_operand(converted));
    return;
  }
  const Operand from = in_register(converted);
  for (std::uint8_t part = 0; part < parts; ++part)
    builder_.move(symbol.reg, operand(from.reg, part), part);
}

Value Lowering::evaluate_assignment(const Expression& expression) {
  const Expression& target = *expression.operands[0];
  const std::string_view op = expression.text.substr(0, expression.text.size() - 1);
  if (const auto place = place_of(target)) {
    Value value;
    if (op.empty()) {
      value = evaluate(*expression.operands[1]);
    } else {
      const Value old = load(*place);
      value = arithmetic(op, old, evaluate(*expression.operands[1]), expression.at);
    }
    builder_.at = expression.at;
    value = convert(value, place->type.scalar, expression.at);
    store(*place, value);
    return value;
  }
  Symbol& symbol = assignable(target);
  Value value = evaluate(*expression.operands[1]);
  builder_.at = expression.at;
  if (!op.empty())
    value = arithmetic(op, make_value(symbol.type, operand(symbol.reg), symbol.dependence), value,
                       expression.at);
  assign(symbol, value, expression.at);
  return make_value(symbol.type, operand(symbol.reg), symbol.dependence);
}

Value Lowering::evaluate_step(const Expression& expression) {
  const Expression& target = *expression.operands[0];
  const std::string_view op = expression.text.substr(0, 1);
  if (const auto place = place_of(target)) {
    const Value old = load(*place);
    const Value changed =
        convert(arithmetic(op, old, make_int(1), expression.at), place->type.scalar, expression.at);
    store(*place, changed);
    return expression.postfix ? old : changed;
  }
  Symbol& symbol = assignable(target);
  const Value now = make_value(symbol.type, operand(symbol.reg), symbol.dependence);
  // The old value is kept in a register of its own where it may be asked for.
  const Value old =
      expression.postfix ? make_value(symbol.type, operand(copied(now)), symbol.dependence) : now;
  assign(symbol, arithmetic(op, now, make_int(1), expression.at), expression.at);
  return expression.postfix ? old : now;
}

// --- operators ---

Value Lowering::evaluate_unary(const Expression& expression) {
  const Expression& inner = *expression.operands[0];
  const std::string_view op = expression.text;
  if (op == "*") return load(*place_of(expression));
  if (op == "&") {
    const auto place = place_of(inner);
    if (!place) fail(expression.at, "'&': expected an element of an array after it");
    Type type = place->type;
    type.pointer = true;
    type.memory = place->memory;
    if (place->offset == 0 && place->base.reg != 0)
      return make_value(type, place->base, place->dependence);
    const Operand offset = immediate(static_cast<std::uint32_t>(place->offset));
    if (place->memory != Memory::global)
      return make_value(type, operand(builder_.add(place->base, offset)), place->dependence);
    const Register one = builder_.moved(immediate(1));
    return make_value(type,
                      operand(builder_.multiply_wide(operand(one), offset, place->base, true)),
                      place->dependence);
  }
  const Value value = evaluate(inner);
  builder_.at = expression.at;
  if (value.type.pointer)
    fail(expression.at, fmt::format("'{}': expected a number, found {}", op, name(value.type)));
  if (op == "!") {
    Value result = truth(value, expression.at);
    if (result.is_constant()) return make_constant(Scalar::boolean, result.bits == 0 ? 1 : 0);
    result.predicate.negated = !result.predicate.negated;
    return result;
  }
  if (op == "-") return negated(value, expression.at);
  const Scalar promoted = value.type.scalar == Scalar::boolean ? Scalar::int32 : value.type.scalar;
  const Value number = convert(value, promoted, expression.at);
  if (op == "+") return number;
  if (is_floating(promoted)) fail(expression.at, "'~': expected an integer");
  if (number.is_constant())
    return make_constant(promoted, static_cast<std::uint32_t>(~number.bits));
  return make_value(promoted, builder_.logic(zero(), as_operand(number), zero(), kNotB),
                    number.dependence);
}

Value Lowering::evaluate_binary(const Expression& expression) {
  if (expression.text == "&&" || expression.text == "||") return evaluate_logical(expression);
  Value left = evaluate(*expression.operands[0]);
  if (expression.text == ",") return evaluate(*expression.operands[1]);
  // A variable may be assigned to on the right: its value is taken now where that could be seen.
  const Expression& second = *expression.operands[1];
  const bool plain = second.kind == Kind::name || second.kind == Kind::integer ||
                     second.kind == Kind::floating || second.kind == Kind::member;
  if (!plain && expression.operands[0]->kind == Kind::name && left.form == Value::Form::operand &&
      left.operand.kind == Source::Kind::reg && second.depth > 1 && has_assignment(second))
    left = make_value(left.type, operand(copied(left)), left.dependence);
  const Value right = evaluate(second);
  builder_.at = expression.at;
  return arithmetic(expression.text, left, right, expression.at);
}

bool Lowering::has_assignment(const Expression& expression) {
  if (expression.kind == Kind::assignment || expression.kind == Kind::step) return true;
  return std::ranges::any_of(expression.operands,
                             [](const ExpressionPtr& each) { return has_assignment(*each); });
}

// The right side runs only where the left one does not decide: a branch, as nvcc -G has it.
Value Lowering::evaluate_logical(const Expression& expression) {
  const bool is_and = expression.text == "&&";
  const Value left = truth(evaluate(*expression.operands[0]), expression.operands[0]->at);
  if (left.is_constant()) {
    if ((left.bits != 0) != is_and) return make_constant(Scalar::boolean, is_and ? 0 : 1);
    return truth(evaluate(*expression.operands[1]), expression.operands[1]->at);
  }
  builder_.at = expression.at;
  const Register result = builder_.moved(immediate(is_and ? 0 : 1));
  Value runs = left;
  if (!is_and) runs.predicate.negated = !runs.predicate.negated;
  Dependence dependence = left.dependence;
  two_sided(runs,
            [&] {
              const Value right = evaluate(*expression.operands[1]);
              dependence = std::max(dependence, right.dependence);
              builder_.move(result, as_operand(convert(truth(right, expression.operands[1]->at),
                                                       Scalar::int32, expression.at)));
            },
            {});
  return make_predicate(
      {builder_.compare(Compare::not_equal, true, operand(result), immediate(0)), false},
      dependence);
}

Value Lowering::evaluate_ternary(const Expression& expression) {
  const Value condition = truth(evaluate(*expression.operands[0]), expression.operands[0]->at);
  if (condition.is_constant()) return evaluate(*expression.operands[condition.bits != 0 ? 1 : 2]);
  // The type is known once both sides are: they are compiled, and then converted.
  Value one, other;
  std::vector<Line> first, second;
  const Dependence outer = control_;
  control_ = std::max(control_, condition.dependence);
  const std::uint8_t barrier = open_barrier(expression.at);
  first = builder_.capture([&] { one = evaluate(*expression.operands[1]); });
  second = builder_.capture([&] { other = evaluate(*expression.operands[2]); });
  Type type = one.type;
  if (one.type.pointer || other.type.pointer) {
    if (one.type != other.type)
      fail(expression.at, fmt::format("'? :': expected two values of one type, found {} and {}",
                                      name(one.type), name(other.type)));
  } else {
    type.scalar = std::max({one.type.scalar, other.type.scalar,
                            one.type == other.type ? one.type.scalar : Scalar::int32});
  }
  Symbol result;
  result.type = type;
  result.reg = builder_.new_register(width(type));
  const auto finish = [&](std::vector<Line>& lines, const Value& value) {
    auto rest = builder_.capture([&] { assign(result, value, expression.at); });
    lines.insert(lines.end(), rest.begin(), rest.end());
  };
  finish(first, one);
  finish(second, other);
  control_ = outer;
  close_barrier();
  builder_.at = expression.at;
  if (!predicated(condition.predicate, condition.dependence, kAmpleRoom, first, second)) {
    const Label otherwise = builder_.new_label(), join = builder_.new_label(),
                end = builder_.new_label();
    builder_.open(barrier, end);
    builder_.branch(otherwise, {condition.predicate.index, !condition.predicate.negated});
    builder_.append(std::move(first));
    builder_.branch(join);
    builder_.place(otherwise);
    builder_.append(std::move(second));
    builder_.at = expression.at;
    builder_.place(join);
    builder_.close(barrier);
    builder_.place(end);
  }
  return make_value(type, operand(result.reg),
                    std::max({condition.dependence, one.dependence, other.dependence}));
}

}  // namespace heddle::isa::sketch
