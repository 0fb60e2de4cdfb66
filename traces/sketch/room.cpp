#include "traces/sketch/room.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace heddle::isa::sketch {
namespace {

using Names = std::set<std::string_view>;
using Kind = Expression::Kind;

// The variable or array at the bottom of what is assigned to.
std::string_view assigned_name(const Expression& target) {
  const Expression* at = &target;
  while (at->kind != Kind::name && !at->operands.empty()) at = at->operands[0].get();
  return at->kind == Kind::name ? at->text : std::string_view();
}

void collect_assigned(const Expression& expression, Names& names) {
  if (expression.kind == Kind::assignment || expression.kind == Kind::step)
    names.insert(assigned_name(*expression.operands[0]));
  for (const ExpressionPtr& each : expression.operands) collect_assigned(*each, names);
}

void collect_assigned(const Statement& statement, Names& names) {
  if (statement.condition != nullptr) collect_assigned(*statement.condition, names);
  if (statement.step != nullptr) collect_assigned(*statement.step, names);
  if (statement.first != nullptr) collect_assigned(*statement.first, names);
  for (const StatementPtr& each : statement.body) collect_assigned(*each, names);
  if (statement.otherwise != nullptr) collect_assigned(*statement.otherwise, names);
}

bool mentions(const Expression& expression, const Names& names) {
  return (expression.kind == Kind::name && names.contains(expression.text)) ||
         std::ranges::any_of(expression.operands,
                             [&](const ExpressionPtr& each) { return mentions(*each, names); });
}

// An operator, an access or a call is an instruction; a product within a sum is part of it.
unsigned operations(const Expression& expression) {
  unsigned count = 0;
  switch (expression.kind) {
    case Kind::unary:
    case Kind::binary:
    case Kind::step:
    case Kind::index:
    case Kind::call:
    case Kind::ternary:
      count = 1;
      break;
    case Kind::assignment:
      count = expression.text == "=" ? 0 : 1;
      break;
    default:
      break;
  }
  const bool is_sum = expression.text == "+" || expression.text == "-" || expression.text == "+=";
  bool product = false;
  for (const ExpressionPtr& each : expression.operands) {
    count += operations(*each);
    product = product || (each->kind == Kind::binary && each->text == "*");
  }
  return is_sum && product ? count - 1 : count;
}

// Counts an expression unless it needs a tainted name; then what it gives a value is tainted too.
unsigned counted(const Expression& expression, Names& tainted) {
  if (!mentions(expression, tainted)) return operations(expression);
  collect_assigned(expression, tainted);
  return 0;
}

}  // namespace

unsigned room_behind(const Statement& branch, std::span<const StatementPtr> following,
                     bool ends_loop) {
  Names tainted;
  collect_assigned(branch, tainted);
  unsigned room = 0;
  for (const StatementPtr& each : following) {
    switch (each->kind) {
      case Statement::Kind::empty:
        break;
      case Statement::Kind::declaration:
        for (const Variable& variable : each->variables) {
          if (variable.initial == nullptr) continue;
          if (mentions(*variable.initial, tainted)) tainted.insert(variable.name);
          room += counted(*variable.initial, tainted);
        }
        break;
      case Statement::Kind::expression:
        room += counted(*each->condition, tainted);
        break;
      default:  // control: its condition, or what a loop begins with, is the last
        if (each->condition != nullptr) room += counted(*each->condition, tainted);
        return room;
    }
  }
  return room + (ends_loop ? 1 : 0);
}

}  // namespace heddle::isa::sketch
