#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/sketch/lowering.hpp"
#include "traces/sketch/room.hpp"

namespace heddle::isa::sketch {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kBarriers = 16;
constexpr std::size_t kMostInstructions = 200000;
// sm_90 keeps the first KiB of a block's shared memory (docs/hardware/cubins.md).
constexpr std::int32_t kFirstSharedByte = 0x400;
constexpr std::uint32_t kMostShared = 227 * 1024, kMostLocal = 512 * 1024;
constexpr std::uint32_t kParameterBase = 0x210;

// Whether the statement after this one can be reached from it.
bool falls_through(const Statement& statement) {
  switch (statement.kind) {
    case Kind::break_:
    case Kind::continue_:
    case Kind::return_:
    case Kind::goto_:
      return false;
    case Kind::block: {
      bool reached = true;
      for (const StatementPtr& each : statement.body)
        reached = each->kind == Kind::label_ || (reached && falls_through(*each));
      return reached;
    }
    case Kind::if_:
      return falls_through(*statement.body[0]) || statement.otherwise == nullptr ||
             falls_through(*statement.otherwise);
    default:
      return true;
  }
}

// Whether a `continue` of the loop around it is in this statement.
bool continues(const Statement& statement) {
  switch (statement.kind) {
    case Kind::continue_:
      return true;
    case Kind::block:
    case Kind::switch_:
      return std::ranges::any_of(statement.body,
                                 [](const StatementPtr& each) { return continues(*each); });
    case Kind::if_:
      return continues(*statement.body[0]) ||
             (statement.otherwise != nullptr && continues(*statement.otherwise));
    default:
      return false;
  }
}

// Notes for the labels that a statement goes to that it is statement `number`, where none before
// it goes there.
void note_gotos(const Statement& statement, std::size_t number,
                std::map<std::string_view, std::size_t>& first) {
  if (statement.kind == Kind::goto_) first.emplace(statement.label, number);
  for (const StatementPtr& each : statement.body) note_gotos(*each, number, first);
  if (statement.otherwise != nullptr) note_gotos(*statement.otherwise, number, first);
}

// asm("exit;"), which becomes an EXIT with the predicate of the if before it: no branch.
bool is_exit(const Statement& statement) {
  return statement.kind == Kind::expression &&
         statement.condition->kind == Expression::Kind::call && statement.condition->text == "asm";
}

std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

LoweredKernel Lowering::run(const Kernel& kernel) {
  scopes_.emplace_back();
  std::uint32_t offset = 0;
  for (const Variable& variable : kernel.parameters) {
    builder_.at = variable.at;
    CompiledParameter parameter;
    parameter.name = variable.name;
    parameter.type = variable.type;
    parameter.bytes = variable.type.pointer ? 8 : bytes(variable.type.scalar);
    offset = aligned(offset, parameter.bytes);
    parameter.offset = offset;
    offset += parameter.bytes;
    Symbol symbol;
    symbol.type = variable.type;
    symbol.reg = builder_.new_register(width(variable.type));
    if (!variable.type.pointer && variable.type.scalar == Scalar::boolean) {
      Line& line = builder_.emit(Op::LDC, {{Mod::size, 0}});
      line.d = symbol.reg;
      line.a = zero();
      line.b = constant(0, kParameterBase + parameter.offset);
    } else {
      for (std::uint8_t part = 0; part < width(variable.type); ++part)
        builder_.move(symbol.reg, constant(0, kParameterBase + parameter.offset + 4u * part), part);
    }
    declare(variable.at, variable.name, symbol);
    kernel_.parameters.push_back(std::move(parameter));
  }
  if (offset > 4000) fail(kernel.at, "more than 4,000 bytes of parameters");
  if (!kernel.body->body.empty()) last_ = kernel.body->body.back().get();
  statement(*kernel.body);
  builder_.exit();
  kernel_.code = builder_.take();
  return std::move(kernel_);
}

void Lowering::statements(const std::vector<StatementPtr>& list) {
  scopes_.emplace_back();
  const Following outer = following_;
  const bool ends_loop = std::exchange(next_block_ends_loop_, false);
  const std::vector<LabelRegion> regions = label_regions(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const LabelRegion& region : regions)
      if (region.first == i) open_target(*list[region.label]);
    following_ = {std::span(list).subspan(i + 1), ends_loop};
    if (list[i]->kind != Kind::label_)
      statement(*list[i]);
    else if (std::ranges::find(regions, i, &LabelRegion::label) != regions.end())
      close_target();
  }
  following_ = outer;
  scopes_.pop_back();
}

void Lowering::statement(const Statement& statement) {
  builder_.at = statement.at;
  if (builder_.made() > kMostInstructions)
    fail(statement.at, fmt::format("a kernel of more than {} instructions", kMostInstructions));
  switch (statement.kind) {
    case Kind::empty:
      return;
    case Kind::block:
      return statements(statement.body);
    case Kind::declaration:
      for (const Variable& variable : statement.variables) declaration(variable);
      return;
    case Kind::expression:
      evaluate(*statement.condition);
      return;
    case Kind::if_:
      return if_statement(statement, std::nullopt);
    case Kind::for_:
      return for_statement(statement);
    case Kind::times:
      return times_statement(statement);
    case Kind::while_:
      return while_statement(statement);
    case Kind::do_:
      return do_statement(statement);
    case Kind::switch_:
      return switch_statement(statement);
    case Kind::break_:
    case Kind::continue_:
    case Kind::return_:
      return jump(statement);
    case Kind::goto_:
      return go_to(statement);
    case Kind::label_:  // statements() has those of a block
      fail(statement.at, "expected a label only between the statements of a block");
    case Kind::case_:
    case Kind::default_:
      return;  // placed by switch_statement
  }
}

// --- names ---

Symbol& Lowering::declare(Position at, std::string_view name, Symbol symbol) {
  symbol.at = at;
  const auto [place, is_new] = scopes_.back().emplace(name, std::move(symbol));
  if (!is_new)
    fail(at, fmt::format("'{}' is declared twice; the first is at line {}", name,
                         place->second.at.line));
  return place->second;
}

Symbol* Lowering::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  const auto found = unit_.constants.find(name);
  return found == unit_.constants.end() ? nullptr : &found->second;
}

Value Lowering::constant_value(const Expression& expression, std::string_view what) {
  const Value value = evaluate(expression);
  if (!value.is_constant() || value.type.pointer)
    fail(expression.at, fmt::format("{}: expected a value known while compiling", what));
  return value;
}

void Lowering::declare_constant(const Variable& variable, Scope& scope) {
  builder_.at = variable.at;
  if (!variable.initial || !variable.dimensions.empty() || variable.type.pointer)
    fail(variable.at, "outside of kernels, expected 'const int name = value;'");
  Symbol symbol;
  symbol.at = variable.at;
  symbol.type = variable.type;
  symbol.is_constant = true;
  symbol.value = convert(constant_value(*variable.initial, variable.name), variable.type.scalar,
                         variable.initial->at);
  if (!scope.emplace(variable.name, symbol).second)
    fail(variable.at, fmt::format("'{}' is declared twice", variable.name));
}

void Lowering::declare_array(const Variable& variable, Symbol& symbol) {
  symbol.is_array = true;
  symbol.memory = variable.shared ? Memory::shared : Memory::local;
  if (variable.type.pointer) fail(variable.at, "arrays of pointers are not part of the language");
  if (variable.initial) fail(variable.at, "an array is not initialised; assign to its elements");
  std::uint64_t count = 1;
  if (variable.unsized) {
    if (!variable.shared)
      fail(variable.at, "expected 'extern __shared__' before an array without size");
    symbol.dimensions.push_back(0);
  }
  for (const ExpressionPtr& each : variable.dimensions) {
    const Value size = convert(constant_value(*each, "an array's size"), Scalar::int32, each->at);
    if (size.as_int() <= 0) fail(each->at, "an array's size: expected more than 0");
    symbol.dimensions.push_back(static_cast<std::uint32_t>(size.as_int()));
    count *= symbol.dimensions.back();
    if (count > kMostLocal) fail(each->at, "an array far larger than the memory for it");
  }
  const std::uint32_t element = bytes(variable.type.scalar);
  std::uint32_t& used = variable.shared ? kernel_.shared_bytes : kernel_.local_bytes;
  used = aligned(used, variable.unsized ? 16 : element);
  symbol.offset = static_cast<std::int32_t>(used) + (variable.shared ? kFirstSharedByte : 0);
  if (variable.unsized) {
    dynamic_shared_ = true;
    return;
  }
  if (variable.shared && dynamic_shared_)
    fail(variable.at, "expected arrays with a size before 'extern __shared__'");
  used += static_cast<std::uint32_t>(count) * element;
  if (!variable.shared) {  // below the top of the stack
    used = aligned(used, 16);
    symbol.offset = -static_cast<std::int32_t>(used);
  }
  if (used > (variable.shared ? kMostShared : kMostLocal))
    fail(variable.at, fmt::format("{} bytes of {} memory; there are at most {}", used,
                                  variable.shared ? "shared" : "local",
                                  variable.shared ? kMostShared : kMostLocal));
}

void Lowering::declaration(const Variable& variable) {
  builder_.at = variable.at;
  Symbol symbol;
  symbol.type = variable.type;
  if (!variable.dimensions.empty() || variable.unsized) {
    declare_array(variable, symbol);
    declare(variable.at, variable.name, symbol);
    return;
  }
  if (variable.shared) {  // one value for the block: an array of one
    symbol.is_array = true;
    symbol.memory = Memory::shared;
    if (variable.initial) fail(variable.at, "a __shared__ variable is not initialised");
    const std::uint32_t element = bytes(variable.type.scalar);
    kernel_.shared_bytes = aligned(kernel_.shared_bytes, element);
    symbol.offset = static_cast<std::int32_t>(kernel_.shared_bytes) + kFirstSharedByte;
    kernel_.shared_bytes += element;
    declare(variable.at, variable.name, symbol);
    return;
  }
  if (!variable.initial) {
    if (variable.constant) fail(variable.at, "expected '= value' after a const variable");
    if (variable.type.pointer) fail(variable.at, "expected '= address' after a pointer");
    symbol.reg = builder_.new_register(width(symbol.type));
    builder_.alive(symbol.reg);
    declare(variable.at, variable.name, symbol);
    return;
  }
  Value value = evaluate(*variable.initial);
  if (variable.type.pointer && value.type.pointer) symbol.type.memory = value.type.memory;
  value = convert_to(value, symbol.type, variable.initial->at);
  symbol.dependence = std::max(value.dependence, control_);
  if (variable.constant && value.is_constant()) {
    symbol.is_constant = true;
    symbol.value = value;
  } else {
    symbol.read_only = variable.constant && !variable.type.pointer;
    symbol.reg = copied(value);
  }
  declare(variable.at, variable.name, symbol);
}

// --- barriers ---

std::uint8_t Lowering::open_barrier(Position at) {
  if (open_barriers_ == kBarriers)
    fail(at, fmt::format("branches nested more than {} deep: a warp has no more convergence "
                         "barriers; expected a flatter kernel",
                         kBarriers));
  return static_cast<std::uint8_t>(open_barriers_++);
}

void Lowering::leave_barriers(std::size_t down_to) {
  for (std::size_t i = open_barriers_; i > down_to; --i)
    builder_.leave(static_cast<std::uint8_t>(i - 1));
}

// --- branches ---

// Both sides under the predicate, where the rule says so. `room`: BranchShape::room.
bool Lowering::predicated(PredicateUse condition, Dependence dependence, unsigned room,
                          std::vector<Line>& then, std::vector<Line>& otherwise) {
  const PredicationRule* rule = unit_.options.predication;
  if (rule == nullptr) return false;
  std::optional<BranchShape> shape = shape_of(then, otherwise);
  if (!shape) return false;
  shape->condition = dependence;
  shape->room = room;
  if (!rule->predicates(*shape)) return false;
  for (Line& line : then) line.guard = condition;
  for (Line& line : otherwise) line.guard = {condition.index, !condition.negated};
  builder_.append(std::move(then));
  builder_.append(std::move(otherwise));
  return true;
}

// As the debug build of nvcc 13.0 lays out a branch: a convergence barrier around it, the condition
// negated, the first side behind it.
void Lowering::two_sided(const Value& condition, const std::function<void()>& then,
                         const std::function<void()>& otherwise) {
  const Position at = builder_.at;
  const std::uint8_t barrier = open_barrier(at);
  const Dependence outer = control_;
  control_ = std::max(control_, condition.dependence);
  std::vector<Line> first = builder_.capture(then);
  std::vector<Line> second;
  if (otherwise) second = builder_.capture(otherwise);
  control_ = outer;
  close_barrier();
  builder_.at = at;
  if (predicated(condition.predicate, condition.dependence, kAmpleRoom, first, second)) return;
  const Label join = builder_.new_label(), end = builder_.new_label();
  const Label other = otherwise ? builder_.new_label() : join;
  builder_.open(barrier, end);
  builder_.branch(other, {condition.predicate.index, !condition.predicate.negated});
  builder_.append(std::move(first));
  if (otherwise) {
    builder_.branch(join);
    builder_.place(other);
    builder_.append(std::move(second));
  }
  builder_.at = at;
  builder_.place(join);
  builder_.close(barrier);
  builder_.place(end);
}

// With `outer_join`, an `else if`: both meet where the `if` before it does.
void Lowering::if_statement(const Statement& statement, std::optional<Label> outer_join) {
  const Position at = statement.at;
  const Value condition = truth(evaluate(*statement.condition), statement.condition->at);
  const Statement& then = *statement.body[0];
  const Statement* otherwise = statement.otherwise.get();
  if (condition.is_constant()) {
    if (condition.bits != 0) {
      this->statement(then);
    } else if (otherwise != nullptr) {
      this->statement(*otherwise);
    }
    return;
  }
  if (is_exit(then) && otherwise == nullptr) {
    const std::size_t before = builder_.lines().size();
    this->statement(then);
    for (std::size_t i = before; i < builder_.lines().size(); ++i)
      builder_.lines()[i].guard = condition.predicate;
    return;
  }
  const PredicationRule* rule = unit_.options.predication;
  if (&statement == last_ && otherwise == nullptr && rule != nullptr && rule->exits) {
    Line& line = builder_.emit(Op::EXIT);
    line.guard = {condition.predicate.index, !condition.predicate.negated};
    this->statement(then);
    return;
  }
  const bool chained = otherwise != nullptr && otherwise->kind == Kind::if_;
  const bool meets = falls_through(then) && (otherwise == nullptr || falls_through(*otherwise));
  const bool own_barrier = !outer_join && meets;
  const Label join = outer_join ? *outer_join : builder_.new_label();
  const Label other = otherwise != nullptr ? builder_.new_label() : join;
  const std::uint8_t barrier = own_barrier ? open_barrier(at) : std::uint8_t{0};
  const Dependence outer = control_;
  const unsigned room =
      rule == nullptr ? 0 : room_behind(statement, following_.statements, following_.ends_loop);
  control_ = std::max(control_, condition.dependence);
  std::vector<Line> first = builder_.capture([&] {
    scopes_.emplace_back();
    this->statement(then);
    scopes_.pop_back();
  });
  std::vector<Line> second;
  if (otherwise != nullptr)
    second = builder_.capture([&] {
      scopes_.emplace_back();
      if (chained)
        if_statement(*otherwise, join);
      else
        this->statement(*otherwise);
      scopes_.pop_back();
    });
  control_ = outer;
  if (own_barrier) close_barrier();
  builder_.at = at;
  if (predicated(condition.predicate, condition.dependence, room, first, second)) {
    if (!outer_join) builder_.place(join);
    return;
  }
  const Label end = builder_.new_label();
  if (own_barrier) builder_.open(barrier, end);
  builder_.branch(other, {condition.predicate.index, !condition.predicate.negated});
  builder_.append(std::move(first));
  builder_.at = at;
  if (otherwise != nullptr) {
    if (falls_through(then)) builder_.branch(join);
    builder_.place(other);
    builder_.append(std::move(second));
  }
  builder_.at = at;
  if (!outer_join) builder_.place(join);
  if (own_barrier) builder_.close(barrier);
  builder_.place(end);
}

// A compare for each case, in their order: nvcc does so where there are few.
void Lowering::switch_statement(const Statement& statement) {
  const Position at = statement.at;
  const Value value =
      convert(evaluate(*statement.condition), Scalar::int32, statement.condition->at);
  const Operand number = in_register(value);
  const std::uint8_t barrier = open_barrier(at);
  const Label join = builder_.new_label(), end = builder_.new_label();
  builder_.open(barrier, end);

  std::vector<Label> labels;  // of the cases, in order
  std::map<std::int32_t, Position> seen;
  std::optional<Label> fallback;
  for (const StatementPtr& each : statement.body) {
    if (each->kind != Kind::case_ && each->kind != Kind::default_) continue;
    builder_.at = each->at;
    labels.push_back(builder_.new_label());
    if (each->kind == Kind::default_) {
      if (fallback) fail(each->at, "a second 'default' in this switch");
      fallback = labels.back();
      continue;
    }
    const Value chosen =
        convert(constant_value(*each->condition, "a case"), Scalar::int32, each->condition->at);
    if (!seen.emplace(chosen.as_int(), each->at).second)
      fail(each->at, fmt::format("a second 'case {}' in this switch", chosen.as_int()));
    const std::uint32_t equal = builder_.compare(Compare::equal, true, number, as_operand(chosen));
    builder_.branch(labels.back(), {equal, false});
  }
  builder_.at = at;
  builder_.branch(fallback.value_or(join));

  const Dependence outer = control_;
  control_ = std::max(control_, value.dependence);
  Jump mine;
  mine.break_label = join;
  mine.break_depth = open_barriers_;
  if (!jumps_.empty()) {
    mine.continue_label = jumps_.back().continue_label;
    mine.continue_depth = jumps_.back().continue_depth;
    mine.is_loop = jumps_.back().is_loop;
  }
  jumps_.push_back(mine);
  scopes_.emplace_back();
  std::size_t next = 0;
  for (const StatementPtr& each : statement.body) {
    builder_.at = each->at;
    if (each->kind == Kind::case_ || each->kind == Kind::default_)
      builder_.place(labels[next++]);
    else
      this->statement(*each);
  }
  scopes_.pop_back();
  jumps_.pop_back();
  control_ = outer;
  builder_.at = at;
  builder_.place(join);
  builder_.close(barrier);
  close_barrier();
  builder_.place(end);
}

// --- loops ---

// Where a body has a `continue`, its threads reconverge before the step.
void Lowering::loop_body(const Statement& body, Label break_label, std::size_t break_depth) {
  const bool meets = continues(body);
  const Position at = builder_.at;
  Jump mine;
  mine.is_loop = true;
  mine.break_label = break_label;
  mine.break_depth = break_depth;
  mine.continue_label = builder_.new_label();
  const Label end = builder_.new_label();
  std::uint8_t barrier = 0;
  if (meets) {
    barrier = open_barrier(at);
    builder_.open(barrier, end);
  }
  mine.continue_depth = open_barriers_;
  jumps_.push_back(mine);
  scopes_.emplace_back();
  const Following outer = std::exchange(following_, {{}, true});
  next_block_ends_loop_ = body.kind == Kind::block;
  statement(body);
  following_ = outer;
  scopes_.pop_back();
  jumps_.pop_back();
  builder_.at = at;
  builder_.place(mine.continue_label);
  if (meets) {
    builder_.close(barrier);
    close_barrier();
  }
  builder_.place(end);
}

// Leaves for `exit` where the condition does not hold; a null one always holds.
void Lowering::leave_unless(const Expression* condition, Label exit) {
  if (condition == nullptr) return;
  const Value holds = truth(evaluate(*condition), condition->at);
  control_ = std::max(control_, holds.dependence);
  if (!holds.is_constant())
    builder_.branch(exit, {holds.predicate.index, !holds.predicate.negated});
  else if (holds.bits == 0)
    builder_.branch(exit);
}

// `leave` comes before each round and goes to the label when there is none, `step` after each.
void Lowering::loop(const std::function<void(Label)>& leave, const std::function<void()>& step,
                    const Statement& body) {
  const Position at = builder_.at;
  const std::uint8_t barrier = open_barrier(at);
  const Label head = builder_.new_label(), exit = builder_.new_label(), end = builder_.new_label();
  const Dependence outer = control_;
  builder_.open(barrier, end);
  builder_.place(head);
  ++loops_;
  leave(exit);
  loop_body(body, exit, open_barriers_);
  builder_.at = at;
  step();
  builder_.at = at;
  builder_.branch(head);
  --loops_;
  control_ = outer;
  builder_.place(exit);
  builder_.close(barrier);
  close_barrier();
  builder_.place(end);
}

void Lowering::for_statement(const Statement& statement) {
  scopes_.emplace_back();
  if (statement.first != nullptr) this->statement(*statement.first);
  builder_.at = statement.at;
  const auto leave = [&](Label exit) { leave_unless(statement.condition.get(), exit); };
  const auto step = [&] {
    if (statement.step != nullptr) evaluate(*statement.step);
  };
  loop(leave, step, *statement.body[0]);
  scopes_.pop_back();
}

// for (n) …: n is evaluated once, and counted down.
void Lowering::times_statement(const Statement& statement) {
  const Value count =
      convert(evaluate(*statement.condition), Scalar::int32, statement.condition->at);
  const Register left = copied(count);
  builder_.at = statement.at;
  const auto leave = [&](Label exit) {
    control_ = std::max(control_, count.dependence);
    const std::uint32_t more =
        builder_.compare(Compare::greater, true, operand(left), immediate(0));
    builder_.branch(exit, {more, true});
  };
  const auto step = [&] {
    Line& line = builder_.emit(Op::IADD3);
    line.d = left;
    line.a = operand(left);
    line.b = immediate(0xffffffff);
    line.c = zero();
  };
  loop(leave, step, *statement.body[0]);
}

void Lowering::while_statement(const Statement& statement) {
  const auto leave = [&](Label exit) { leave_unless(statement.condition.get(), exit); };
  loop(
      leave, [] {}, *statement.body[0]);
}

void Lowering::do_statement(const Statement& statement) {
  const std::uint8_t barrier = open_barrier(statement.at);
  const Label head = builder_.new_label(), exit = builder_.new_label(), end = builder_.new_label();
  builder_.open(barrier, end);
  builder_.place(head);
  ++loops_;
  loop_body(*statement.body[0], exit, open_barriers_);
  builder_.at = statement.condition->at;
  const Value holds = truth(evaluate(*statement.condition), statement.condition->at);
  if (!holds.is_constant())
    builder_.branch(head, holds.predicate);
  else if (holds.bits != 0)
    builder_.branch(head);
  --loops_;
  builder_.at = statement.at;
  builder_.place(exit);
  builder_.close(barrier);
  close_barrier();
  builder_.place(end);
}

void Lowering::jump(const Statement& statement) {
  if (statement.kind == Kind::return_) {
    builder_.exit();
    return;
  }
  const bool is_break = statement.kind == Kind::break_;
  if (jumps_.empty() || (!is_break && !jumps_.back().is_loop))
    fail(statement.at, is_break ? "expected 'break' only in a loop or a switch"
                                : "expected 'continue' only in a loop");
  const Jump& target = jumps_.back();
  leave_barriers(is_break ? target.break_depth : target.continue_depth);
  builder_.branch(is_break ? target.break_label : target.continue_label);
}

// --- goto ---

// From the first statement that goes to a label until the label. Regions lie in one another: what
// begins within one and ends behind it begins with it. The outer ones come first.
std::vector<Lowering::LabelRegion> Lowering::label_regions(const std::vector<StatementPtr>& list) {
  std::vector<LabelRegion> regions;
  if (std::ranges::find(list, Kind::label_, [](const StatementPtr& each) { return each->kind; }) ==
      list.end())
    return regions;
  std::map<std::string_view, std::size_t> first_goto;
  for (std::size_t i = 0; i < list.size(); ++i) note_gotos(*list[i], i, first_goto);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]->kind != Kind::label_) continue;
    if (!labels_.insert(list[i]->label).second)
      fail(list[i]->at, fmt::format("a second '{}:' in this kernel", list[i]->label));
    const auto found = first_goto.find(list[i]->label);
    if (found == first_goto.end() || found->second >= i) continue;  // nobody comes from before it
    std::size_t first = found->second;
    for (const LabelRegion& inner : regions)
      if (inner.label > first) first = std::min(first, inner.first);
    for (std::size_t between = first; between < i; ++between)
      if (list[between]->kind == Kind::declaration)
        fail(list[between]->at, fmt::format("a declaration that 'goto {}' passes by; expected it "
                                            "before the goto",
                                            list[i]->label));
    regions.push_back({first, i});
  }
  std::ranges::reverse(regions);
  return regions;
}

void Lowering::open_target(const Statement& label) {
  Target target;
  target.name = label.label;
  target.join = builder_.new_label();
  target.end = builder_.new_label();
  target.barrier = open_barrier(label.at);
  target.depth = open_barriers_;
  builder_.at = label.at;
  builder_.open(target.barrier, target.end);
  targets_.push_back(target);
}

void Lowering::close_target() {
  const Target target = targets_.back();
  targets_.pop_back();
  builder_.place(target.join);
  builder_.close(target.barrier);
  close_barrier();
  builder_.place(target.end);
}

void Lowering::go_to(const Statement& statement) {
  const auto target =
      std::ranges::find(targets_.rbegin(), targets_.rend(), statement.label, &Target::name);
  if (target == targets_.rend())
    fail(statement.at,
         fmt::format("goto {}: expected '{}:' further down, in this block or one around it",
                     statement.label, statement.label));
  leave_barriers(target->depth);
  builder_.branch(target->join);
}

}  // namespace heddle::isa::sketch
