// A sketch as a tree, as it was written. Nothing here is checked beyond its grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sketch/source.hpp"

namespace heddle::isa::sketch {

enum class Scalar : std::uint8_t { nothing, boolean, int32, uint32, float32, float64 };
enum class Memory : std::uint8_t { global, shared, local };

// A scalar, or a pointer to scalars in one memory.
struct Type {
  Scalar scalar = Scalar::int32;
  bool pointer = false;
  Memory memory = Memory::global;

  friend bool operator==(const Type&, const Type&) = default;
};

std::string name(const Type& type);
// Of one element; a pointer's own size is pointer_bytes().
constexpr std::uint32_t bytes(Scalar scalar) {
  return scalar == Scalar::float64 ? 8 : scalar == Scalar::boolean ? 1 : 4;
}

struct Expression {
  enum class Kind : std::uint8_t {
    integer,   // value; uint32 or int32 by `type`
    floating,  // value: bits of the double; float32 or float64 by `type`
    string,
    name,
    member,      // text of operands[0], as in threadIdx.x
    unary,       // text: + - ! ~ * &
    binary,      // text: the operator, && and || too
    assignment,  // text: = += …; operands[0] is what is assigned to
    step,        // text: ++ --; `postfix`
    ternary,
    index,
    call,  // text(operands…)
    cast,  // to `type`
  };
  Kind kind{};
  Position at;
  std::string_view text;
  std::uint64_t value = 0;
  Type type;
  bool postfix = false;
  std::uint32_t depth = 1;  // of the tree below
  std::vector<std::unique_ptr<Expression>> operands;
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct Variable {
  Position at;
  std::string_view name;
  Type type;
  bool shared = false, constant = false;
  bool unsized = false;                   // extern __shared__ float a[]
  std::vector<ExpressionPtr> dimensions;  // empty: no array
  ExpressionPtr initial;                  // may be null
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;

struct Statement {
  enum class Kind : std::uint8_t {
    empty,
    block,
    declaration,
    expression,
    if_,
    for_,   // first, condition, step, body[0]
    times,  // for (n) body[0]: the condition says how often
    while_,
    do_,
    switch_,  // body: statements with `case` and `default` among them
    case_,    // condition
    default_,
    break_,
    continue_,
    return_,
    goto_,   // to `label`
    label_,  // `label`:
  };
  Kind kind{};
  Position at;
  std::string_view label;
  std::vector<Variable> variables;
  StatementPtr first;
  ExpressionPtr condition, step;
  std::vector<StatementPtr> body;
  StatementPtr otherwise;
};

struct Kernel {
  Position at;
  std::string_view name;
  std::vector<Variable> parameters;  // `initial`: a default value
  StatementPtr body;
};

// name<<<grid, block, shared>>>(arguments): what the host would write.
struct Launch {
  Position at;
  std::string_view kernel;
  std::vector<ExpressionPtr> shape;  // two or three
  std::vector<ExpressionPtr> arguments;
};

struct Sketch {
  std::vector<Variable> constants;
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;
};

// Deeper trees are refused, so that nothing that walks them can run out of stack.
inline constexpr std::uint32_t kDeepestExpression = 200;
inline constexpr std::uint32_t kDeepestStatement = 100;

}  // namespace heddle::isa::sketch
