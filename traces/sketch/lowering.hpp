// From the tree to a kernel's lines: checks types and names on the way. Internal to the compiler.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sketch/ast.hpp"
#include "traces/sketch/builder.hpp"
#include "traces/sketch/compile.hpp"
#include "traces/sketch/value.hpp"

namespace heddle::isa::sketch {

struct Symbol {
  Position at;
  Type type;  // of an array: of its elements
  Register reg = 0;
  bool is_constant = false;  // `value` is known while compiling
  bool read_only = false;
  Value value;
  bool is_array = false;
  std::vector<std::uint32_t> dimensions;  // with a leading 0 for extern __shared__ float a[]
  Memory memory = Memory::shared;
  std::int32_t offset = 0;
  Dependence dependence = Dependence::uniform;  // of what it was given so far
};

using Scope = std::map<std::string_view, Symbol>;

// What all kernels of a sketch share.
struct Unit {
  std::string file;
  CompileOptions options;
  Scope constants;
  std::vector<std::byte> table;  // constant bank 3
};

struct LoweredKernel {
  Code code;
  std::vector<CompiledParameter> parameters;
  std::uint32_t shared_bytes = 0, local_bytes = 0;
  bool uses_barrier = false, random = false;
};

class Lowering {
 public:
  explicit Lowering(Unit& unit) : unit_(unit) {}

  LoweredKernel run(const Kernel& kernel);

  // For what stands outside of kernels: a value known while compiling.
  Value constant_value(const Expression& expression, std::string_view what);
  Value constant_converted(const Expression& expression, Scalar scalar) {
    return convert(constant_value(expression, "here"), scalar, expression.at);
  }
  void declare_constant(const Variable& variable, Scope& scope);

 private:
  // A loop or switch: where break and continue go, and how many barriers stay open there.
  struct Jump {
    Label break_label = 0, continue_label = 0;
    std::size_t break_depth = 0, continue_depth = 0;
    bool is_loop = false;
  };

  // A label whose block is being compiled, from the first statement that goes to it on: they meet
  // there. `depth`: barriers that stay open until it.
  struct Target {
    std::string_view name;
    Label join = 0, end = 0;
    std::uint8_t barrier = 0;
    std::size_t depth = 0;
  };
  // Where in a list of statements the threads that go to a label begin to go apart, and the label.
  struct LabelRegion {
    std::size_t first = 0, label = 0;
  };

  // What stands behind a statement in its block, and whether the block is a loop's body.
  struct Following {
    std::span<const StatementPtr> statements;
    bool ends_loop = false;
  };

  [[noreturn]] void fail(Position at, std::string_view message) const {
    throw SketchError(unit_.file, at, message);
  }

  // lower_statements.cpp
  void statement(const Statement& statement);
  void statements(const std::vector<StatementPtr>& list);
  void declaration(const Variable& variable);
  void declare_array(const Variable& variable, Symbol& symbol);
  void if_statement(const Statement& statement, std::optional<Label> outer_join);
  void for_statement(const Statement& statement);
  void times_statement(const Statement& statement);
  void while_statement(const Statement& statement);
  void do_statement(const Statement& statement);
  void switch_statement(const Statement& statement);
  void jump(const Statement& statement);
  std::vector<LabelRegion> label_regions(const std::vector<StatementPtr>& list);
  void open_target(const Statement& label);
  void close_target();
  void go_to(const Statement& statement);
  void leave_unless(const Expression* condition, Label exit);
  void loop(const std::function<void(Label)>& leave, const std::function<void()>& step,
            const Statement& body);
  void loop_body(const Statement& body, Label break_label, std::size_t break_depth);
  std::uint8_t open_barrier(Position at);
  void close_barrier() { --open_barriers_; }
  void leave_barriers(std::size_t down_to);
  Symbol& declare(Position at, std::string_view name, Symbol symbol);
  Symbol* find(std::string_view name);
  // A branch around `then` and `otherwise`, or both under a predicate.
  void two_sided(const Value& condition, const std::function<void()>& then,
                 const std::function<void()>& otherwise);
  // Of the branches of operators: what follows in their expression is not known yet.
  static constexpr unsigned kAmpleRoom = 16;
  bool predicated(PredicateUse condition, Dependence dependence, unsigned room,
                  std::vector<Line>& then, std::vector<Line>& otherwise);

  // lower_expressions.cpp
  Value evaluate(const Expression& expression);
  Value evaluate_name(const Expression& expression);
  Value evaluate_member(const Expression& expression);
  Value evaluate_unary(const Expression& expression);
  Value evaluate_binary(const Expression& expression);
  static bool has_assignment(const Expression& expression);
  Value evaluate_logical(const Expression& expression);
  Value evaluate_ternary(const Expression& expression);
  Value evaluate_assignment(const Expression& expression);
  Value evaluate_step(const Expression& expression);
  Value evaluate_index(const Expression& expression);
  Value special_dimension(std::string_view whole, std::string_view part, Position at);
  std::optional<Place> place_of(const Expression& expression);  // in memory; or nothing
  Place element(const Value& pointer, const Value& index, Position at);
  Place array_element(const Symbol& symbol, const Expression& expression, Position at);
  Value decayed(const Symbol& symbol);
  Value load(const Place& place);
  void store(const Place& place, const Value& value);
  Symbol& assignable(const Expression& expression);
  void assign(Symbol& symbol, const Value& value, Position at);

  // lower_arithmetic.cpp
  Value arithmetic(std::string_view op, Value left, Value right, Position at);
  Value fold(std::string_view op, const Value& left, const Value& right, Scalar scalar,
             Position at);
  Value integer_arithmetic(std::string_view op, const Value& left, const Value& right,
                           Scalar scalar, Position at);
  Value floating_arithmetic(std::string_view op, const Value& left, const Value& right,
                            Scalar scalar, Position at);
  Value pointer_arithmetic(std::string_view op, const Value& left, const Value& right, Position at);
  Value comparison(std::string_view op, const Value& left, const Value& right, Scalar scalar);
  Value division(const Value& left, const Value& right, bool remainder);
  Register divide_unsigned(Register n, Register d, bool remainder);
  Register divide_float(const Operand& a, const Operand& b);
  Register divide_double(const Operand& a, const Operand& b);
  Value negated(const Value& value, Position at);
  Value convert(const Value& value, Scalar to, Position at);
  Value convert_to(const Value& value, const Type& to, Position at);
  Value truth(const Value& value, Position at);  // as a predicate or a constant
  Operand in_register(const Value& value);       // an `a` operand
  Operand as_operand(const Value& value);        // a `b` operand
  Operand double_operand(const Value& value);
  Register copied(const Value& value);  // in a register of its own

  // lower_builtins.cpp
  Value call(const Expression& expression);
  Value shuffle(const Expression& expression);
  Value vote(const Expression& expression);
  Value atomic_add(const Expression& expression);
  void assembly(const Expression& expression);
  void synchronise_threads(const Expression& expression);
  void synchronise_warp(const Expression& expression);
  void expect_arguments(const Expression& expression, std::size_t least, std::size_t most,
                        std::string_view form);
  Operand cached(std::string_view name, const std::function<Register()>& make);

  // lower_math.cpp: of a call; nothing: no such function. Its arguments as numbers, by their place
  std::optional<Value> math(const Expression& expression);
  Value number(const Expression& call, std::size_t argument);
  Value float_number(const Expression& call, std::size_t argument);
  Value least_or_greatest(const Expression& expression);
  Value absolute_value(const Expression& expression);
  Value population_count(const Expression& expression);
  Value multiply_add(const Expression& expression);
  Value division(const Expression& expression);
  Value multiply24(const Expression& expression);
  std::optional<Value> special_function(const Expression& expression);

  // lower_random.cpp
  Value chance(const Expression& expression);
  Value trips(const Expression& expression);
  Value draw_from(const std::vector<double>& weights, std::int32_t first, bool per_warp,
                  Position at);
  std::vector<double> listed_weights(const Expression& text, bool is_file, std::int32_t& first);
  Register draw(bool per_warp);
  Register mixed(const Operand& value, std::uint32_t factor);
  Operand stream_key(bool per_warp);
  Operand thread_number();
  Operand hidden(CompiledParameter::Use use, unsigned word);
  void work(const Expression& expression);
  void memory(const Expression& expression);
  void shared_memory(std::int32_t count, const Value& stride, Position at);
  double number(const Expression& expression, std::string_view what);

  Unit& unit_;
  Builder builder_;
  LoweredKernel kernel_;
  std::vector<Scope> scopes_;
  std::vector<Jump> jumps_;
  std::vector<Target> targets_;
  std::set<std::string_view> labels_;  // of the kernel
  std::size_t open_barriers_ = 0;
  std::size_t loops_ = 0;  // loops around what is being compiled
  Following following_;    // the statement that is being compiled
  bool next_block_ends_loop_ = false;
  const Statement* last_ = nullptr;  // of the kernel
  std::uint32_t sites_ = 0;
  Dependence control_ = Dependence::uniform;  // of the conditions around it
  std::map<std::string, Register, std::less<>> cache_;
  bool dynamic_shared_ = false;
  std::optional<std::uint32_t> shared_scratch_;  // where memory(n, shared) reads
};

}  // namespace heddle::isa::sketch
