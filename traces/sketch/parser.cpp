#include "traces/sketch/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace heddle::isa::sketch {

std::string name(const Type& type) {
  static constexpr std::string_view kNames[] = {"void",     "bool",  "int",
                                                "unsigned", "float", "double"};
  const std::string_view scalar = kNames[static_cast<std::size_t>(type.scalar)];
  if (!type.pointer) return std::string(scalar);
  const std::string_view memory = type.memory == Memory::shared  ? "shared "
                                  : type.memory == Memory::local ? "local "
                                                                 : "";
  return fmt::format("{}{} *", memory, scalar);
}

namespace {

using Kind = Expression::Kind;

struct Operator {
  std::string_view text;
  int level;
};
// The higher the tighter.
constexpr Operator kBinary[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};
constexpr std::string_view kAssignments[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

constexpr std::string_view kTypes = "a type: int, unsigned, float, double or bool";

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, std::string_view file) : tokens_(tokens), file_(file) {}

  Sketch run() {
    Sketch sketch;
    while (now().kind != Token::Kind::end) {
      if (now().is_name("__global__") || ahead(1).is_name("__global__")) {
        sketch.kernels.push_back(kernel());
      } else if (now().kind == Token::Kind::name && ahead(1).is("<<<")) {
        sketch.launches.push_back(launch());
      } else if (now().is_name("const") || now().is_name("constexpr")) {
        declare(sketch.constants, false);
      } else if (begins_function()) {
        fail(now().at,
             "functions other than kernels are not part of the language; expected '__global__ void "
             "name(…)', or a launch");
      } else {
        expected(
            "'__global__ void name(…) { … }', 'const int name = value;' or a launch "
            "'name<<<grid, block>>>(…);'");
      }
    }
    return sketch;
  }

  // __device__ int f(…), void f(…), int main(…): not a kernel.
  bool begins_function() const {
    if (now().is_name("__device__") || now().is_name("__host__")) return true;
    const bool typed = now().is_name("void") || scalar_named(now()).has_value();
    return typed && ahead(1).kind == Token::Kind::name && ahead(2).is("(");
  }

  ExpressionPtr lone_expression() {
    ExpressionPtr result = assignment();
    if (now().kind != Token::Kind::end) expected("the end of the value");
    return result;
  }

 private:
  // Counts how deep statements stand in one another.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kDeepestStatement)
        parser_.fail(parser_.now().at,
                     fmt::format("statements nested more than {} deep", kDeepestStatement));
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  const Token& now() const { return tokens_[at_]; }
  const Token& ahead(std::size_t count) const {
    return tokens_[std::min(at_ + count, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(std::string_view mark) {
    if (!now().is(mark)) return false;
    take();
    return true;
  }
  bool accept_name(std::string_view name) {
    if (!now().is_name(name)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(Position where, std::string_view message) const {
    throw SketchError(file_, where, message);
  }
  [[noreturn]] void expected(std::string_view what) const {
    fail(now().at, fmt::format("expected {}, found {}", what, now().described()));
  }
  void require(std::string_view mark, std::string_view where) {
    if (!accept(mark)) expected(fmt::format("'{}' {}", mark, where));
  }
  const Token& require_name(std::string_view what) {
    if (now().kind != Token::Kind::name) expected(what);
    return take();
  }

  // --- types ---

  static bool is_qualifier(const Token& token) {
    return token.is_name("const") || token.is_name("constexpr") || token.is_name("volatile") ||
           token.is_name("__restrict__") || token.is_name("static") || token.is_name("extern") ||
           token.is_name("__shared__");
  }
  static std::optional<Scalar> scalar_named(const Token& token) {
    if (token.kind != Token::Kind::name) return std::nullopt;
    if (token.text == "int" || token.text == "signed") return Scalar::int32;
    if (token.text == "unsigned" || token.text == "size_t") return Scalar::uint32;
    if (token.text == "float") return Scalar::float32;
    if (token.text == "double") return Scalar::float64;
    if (token.text == "bool") return Scalar::boolean;
    return std::nullopt;
  }
  static bool begins_type(const Token& token) { return is_qualifier(token) || scalar_named(token); }

  // Qualifiers, then the scalar; `into` takes what the qualifiers say.
  void base_type(Variable& into) {
    std::optional<Scalar> scalar;
    for (;; take()) {
      if (is_qualifier(now())) {
        into.shared = into.shared || now().is_name("__shared__");
        into.constant = into.constant || now().is_name("const") || now().is_name("constexpr");
        into.unsized = into.unsized || now().is_name("extern");
      } else if (const auto named = scalar_named(now());
                 named && (!scalar || now().is_name("int"))) {
        if (!scalar) scalar = named;  // "unsigned int" stays unsigned
      } else {
        break;
      }
    }
    if (!scalar) expected(kTypes);
    into.type.scalar = *scalar;
  }

  void pointer(Variable& into) {
    if (accept("*")) into.type.pointer = true;
    while (is_qualifier(now())) take();
    if (now().is("*")) fail(now().at, "pointers to pointers are not part of the language");
  }

  // --- the file ---

  Kernel kernel() {
    while (now().is_name("extern") || now().is_name("static") || now().is_name("__global__"))
      take();
    if (!accept_name("void")) expected("'void' after '__global__'");
    Kernel kernel;
    kernel.at = now().at;
    kernel.name = require_name("the kernel's name").text;
    require("(", "after the kernel's name");
    while (!now().is(")")) {
      if (!kernel.parameters.empty()) require(",", "between parameters");
      kernel.parameters.push_back(parameter());
    }
    take();
    if (!now().is("{")) expected("'{' before the kernel's statements");
    kernel.body = block();
    return kernel;
  }

  Variable parameter() {
    Variable variable;
    variable.at = now().at;
    base_type(variable);
    pointer(variable);
    variable.at = now().at;
    variable.name = require_name("the parameter's name").text;
    if (accept("[")) {
      if (now().kind == Token::Kind::integer) take();
      require("]", "after '['");
      variable.type.pointer = true;
    }
    if (accept("=")) variable.initial = assignment();
    return variable;
  }

  Launch launch() {
    Launch launch;
    launch.at = now().at;
    launch.kernel = take().text;
    take();  // <<<
    launch.shape = list(">>>", "after the launch's shape");
    if (launch.shape.size() < 2 || launch.shape.size() > 3)
      fail(launch.at, "a launch is name<<<grid, block>>>(…) or name<<<grid, block, bytes>>>(…)");
    require("(", "before the launch's arguments");
    launch.arguments = list(")", "after the launch's arguments");
    require(";", "after the launch");
    return launch;
  }

  std::vector<ExpressionPtr> list(std::string_view end, std::string_view where) {
    std::vector<ExpressionPtr> expressions;
    while (!now().is(end)) {
      if (!expressions.empty() && !accept(",")) expected(fmt::format("',' or '{}' {}", end, where));
      expressions.push_back(assignment());
    }
    take();
    return expressions;
  }

  // --- statements ---

  void declare(std::vector<Variable>& into, bool single) {
    Variable first;
    base_type(first);
    do {
      Variable variable;
      variable.type = first.type;
      variable.shared = first.shared;
      variable.constant = first.constant;
      pointer(variable);
      variable.at = now().at;
      variable.name = require_name("a variable's name").text;
      while (accept("[")) {
        if (first.unsized && variable.dimensions.empty() && now().is("]")) {
          variable.unsized = true;
        } else {
          variable.dimensions.push_back(assignment());
        }
        require("]", "after an array's size");
        if (variable.dimensions.size() > 3)
          fail(variable.at, "an array has at most three dimensions");
      }
      if (accept("=")) {
        if (now().is("{")) fail(now().at, "expected a value: arrays are not initialised here");
        variable.initial = assignment();
      } else if (now().is("(") && variable.dimensions.empty() && !variable.unsized) {
        take();
        variable.initial = assignment();
        require(")", "after the initial value");
      }
      into.push_back(std::move(variable));
    } while (accept(","));
    if (!single) require(";", "after a declaration");
  }

  StatementPtr make(Statement::Kind kind) const {
    auto statement = std::make_unique<Statement>();
    statement->kind = kind;
    statement->at = now().at;
    return statement;
  }

  StatementPtr block() {
    const Nesting nesting(*this);
    StatementPtr result = make(Statement::Kind::block);
    const Position start = now().at;
    take();  // {
    while (!now().is("}")) {
      if (now().kind == Token::Kind::end)
        fail(now().at, fmt::format("expected '}}' for the '{{' at line {}", start.line));
      result->body.push_back(statement());
    }
    take();
    return result;
  }

  StatementPtr statement() {
    const Nesting nesting(*this);
    const Token& token = now();
    if (token.is("{")) return block();
    if (token.is(";")) {
      StatementPtr result = make(Statement::Kind::empty);
      take();
      return result;
    }
    if (begins_type(token)) {
      StatementPtr result = make(Statement::Kind::declaration);
      declare(result->variables, false);
      return result;
    }
    if (token.kind == Token::Kind::name)
      if (StatementPtr result = keyword_statement(token.text)) return result;
    if (token.kind == Token::Kind::name && ahead(1).kind == Token::Kind::name) expected(kTypes);
    if (token.kind == Token::Kind::name && ahead(1).is(":")) return label();
    StatementPtr result = make(Statement::Kind::expression);
    result->condition = expression();
    require(";", "after an expression");
    return result;
  }

  StatementPtr keyword_statement(std::string_view word) {
    if (word == "if") return if_statement();
    if (word == "for") return for_statement();
    if (word == "while") return while_statement();
    if (word == "do") return do_statement();
    if (word == "switch") return switch_statement();
    if (word == "break") return jump(Statement::Kind::break_);
    if (word == "continue") return jump(Statement::Kind::continue_);
    if (word == "return") return jump(Statement::Kind::return_);
    if (word == "case" || word == "default") fail(now().at, "expected 'case' only in a switch");
    if (word == "else") fail(now().at, "'else' without an 'if' before it");
    if (word == "goto") return goto_statement();
    return nullptr;
  }

  StatementPtr goto_statement() {
    StatementPtr result = make(Statement::Kind::goto_);
    take();
    result->label = require_name("a label after 'goto'").text;
    require(";", "after a jump");
    return result;
  }

  // Of what follows it in its block.
  StatementPtr label() {
    StatementPtr result = make(Statement::Kind::label_);
    result->label = take().text;
    take();  // :
    return result;
  }

  StatementPtr jump(Statement::Kind kind) {
    StatementPtr result = make(kind);
    take();
    if (kind == Statement::Kind::return_ && !now().is(";"))
      expected("';': a kernel returns nothing");
    require(";", "after a jump");
    return result;
  }

  ExpressionPtr parenthesised(std::string_view where) {
    require("(", where);
    ExpressionPtr result = expression();
    require(")", "after the condition");
    return result;
  }

  StatementPtr if_statement() {
    StatementPtr result = make(Statement::Kind::if_);
    take();
    result->condition = parenthesised("after 'if'");
    result->body.push_back(statement());
    if (accept_name("else")) result->otherwise = statement();
    return result;
  }

  StatementPtr for_statement() {
    StatementPtr result = make(Statement::Kind::for_);
    take();
    require("(", "after 'for'");
    if (begins_type(now())) {
      result->first = make(Statement::Kind::declaration);
      declare(result->first->variables, true);
    } else if (!now().is(";")) {
      result->first = make(Statement::Kind::expression);
      result->first->condition = expression();
    }
    if (now().is(")") && result->first != nullptr &&
        result->first->kind == Statement::Kind::expression) {
      take();
      result->kind = Statement::Kind::times;
      result->condition = std::move(result->first->condition);
      result->first = nullptr;
    } else {
      require(";", "after the loop's first part (or ')' after a number of times)");
      if (!now().is(";")) result->condition = expression();
      require(";", "after the loop's condition");
      if (!now().is(")")) result->step = expression();
      require(")", "after the loop's step");
    }
    result->body.push_back(statement());
    return result;
  }

  StatementPtr while_statement() {
    StatementPtr result = make(Statement::Kind::while_);
    take();
    result->condition = parenthesised("after 'while'");
    result->body.push_back(statement());
    return result;
  }

  StatementPtr do_statement() {
    StatementPtr result = make(Statement::Kind::do_);
    take();
    result->body.push_back(statement());
    if (!accept_name("while")) expected("'while' after the body of 'do'");
    result->condition = parenthesised("after 'while'");
    require(";", "after 'do … while (…)'");
    return result;
  }

  StatementPtr switch_statement() {
    const Nesting nesting(*this);
    StatementPtr result = make(Statement::Kind::switch_);
    take();
    result->condition = parenthesised("after 'switch'");
    require("{", "after 'switch (…)'");
    while (!now().is("}")) {
      if (now().is_name("case")) {
        StatementPtr label = make(Statement::Kind::case_);
        take();
        label->condition = ternary();
        require(":", "after 'case'");
        result->body.push_back(std::move(label));
      } else if (now().is_name("default")) {
        result->body.push_back(make(Statement::Kind::default_));
        take();
        require(":", "after 'default'");
      } else if (now().kind == Token::Kind::end) {
        expected("'}' at the end of the switch");
      } else if (result->body.empty()) {
        expected("'case' or 'default' after 'switch (…) {'");
      } else {
        result->body.push_back(statement());
      }
    }
    take();
    return result;
  }

  // --- expressions ---

  ExpressionPtr node(Kind kind, Position where, std::string_view text,
                     std::vector<ExpressionPtr> operands) const {
    auto result = std::make_unique<Expression>();
    result->kind = kind;
    result->at = where;
    result->text = text;
    for (const ExpressionPtr& operand : operands)
      result->depth = std::max(result->depth, operand->depth + 1);
    if (result->depth > kDeepestExpression)
      fail(where, fmt::format("an expression nested more than {} deep", kDeepestExpression));
    result->operands = std::move(operands);
    return result;
  }
  template <typename... Operands>
  ExpressionPtr node_of(Kind kind, const Token& token, Operands... operands) const {
    std::vector<ExpressionPtr> all;
    (all.push_back(std::move(operands)), ...);
    return node(kind, token.at, token.text, std::move(all));
  }

  ExpressionPtr expression() {
    ExpressionPtr result = assignment();
    while (now().is(",")) {
      const Token& comma = take();
      result = node_of(Kind::binary, comma, std::move(result), assignment());
    }
    return result;
  }

  // Recursion happens here, in unary() and in statements.
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestExpression)
        parser_.fail(parser_.now().at,
                     fmt::format("an expression nested more than {} deep", kDeepestExpression));
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  ExpressionPtr assignment() {
    const Depth depth(*this);
    ExpressionPtr left = ternary();
    for (const std::string_view each : kAssignments)
      if (now().is(each)) {
        const Token& token = take();
        return node_of(Kind::assignment, token, std::move(left), assignment());
      }
    return left;
  }

  ExpressionPtr ternary() {
    const Depth depth(*this);
    ExpressionPtr condition = binary(1);
    if (!now().is("?")) return condition;
    const Token& token = take();
    ExpressionPtr then = assignment();
    require(":", "in 'condition ? one : other'");
    ExpressionPtr otherwise = ternary();
    return node_of(Kind::ternary, token, std::move(condition), std::move(then),
                   std::move(otherwise));
  }

  static int level_of(const Token& token) {
    for (const Operator& each : kBinary)
      if (token.is(each.text)) return each.level;
    return 0;
  }

  ExpressionPtr binary(int level) {
    ExpressionPtr left = unary();
    while (level_of(now()) >= level) {
      const Token& token = take();
      const int own = level_of(token);
      left = node_of(Kind::binary, token, std::move(left), binary(own + 1));
    }
    return left;
  }

  ExpressionPtr unary() {
    const Depth depth(*this);
    const Token& token = now();
    for (const std::string_view each : {"+", "-", "!", "~", "*", "&"})
      if (token.is(each)) {
        take();
        return node_of(Kind::unary, token, unary());
      }
    if (token.is("++") || token.is("--")) {
      take();
      return node_of(Kind::step, token, unary());
    }
    if (token.is("(") && begins_type(ahead(1))) return cast();
    return postfix(primary());
  }

  ExpressionPtr cast() {
    const Token& token = take();
    Variable type;
    base_type(type);
    pointer(type);
    require(")", "after the type of a cast");
    ExpressionPtr result = node_of(Kind::cast, token, unary());
    result->type = type.type;
    return result;
  }

  ExpressionPtr postfix(ExpressionPtr result) {
    for (;;) {
      const Token& token = now();
      if (token.is("[")) {
        take();
        ExpressionPtr index = expression();
        require("]", "after an index");
        result = node_of(Kind::index, token, std::move(result), std::move(index));
      } else if (token.is(".")) {
        take();
        result = node_of(Kind::member, require_name("x, y or z"), std::move(result));
      } else if (token.is("++") || token.is("--")) {
        take();
        result = node_of(Kind::step, token, std::move(result));
        result->postfix = true;
      } else {
        return result;
      }
    }
  }

  ExpressionPtr primary() {
    const Token& token = now();
    switch (token.kind) {
      case Token::Kind::integer:
      case Token::Kind::floating: {
        take();
        const bool integer = token.kind == Token::Kind::integer;
        ExpressionPtr result = node_of(integer ? Kind::integer : Kind::floating, token);
        result->value = token.value;
        result->type.scalar = integer ? (token.suffixed ? Scalar::uint32 : Scalar::int32)
                                      : (token.suffixed ? Scalar::float32 : Scalar::float64);
        return result;
      }
      case Token::Kind::string:
        take();
        return node_of(Kind::string, token);
      case Token::Kind::name:
        return named();
      default:
        break;
    }
    if (!accept("(")) expected("an expression");
    ExpressionPtr result = expression();
    require(")", "to close '('");
    return result;
  }

  ExpressionPtr named() {
    // float(x), as in C++.
    if (const auto scalar = scalar_named(now()); scalar && ahead(1).is("(")) {
      const Token& token = take();
      take();
      ExpressionPtr operand = expression();
      require(")", "after the value to convert");
      ExpressionPtr result = node_of(Kind::cast, token, std::move(operand));
      result->type.scalar = *scalar;
      return result;
    }
    const Token& token = take();
    if (token.text == "true" || token.text == "false") {
      ExpressionPtr result = node_of(Kind::integer, token);
      result->value = token.text == "true" ? 1 : 0;
      result->type.scalar = Scalar::boolean;
      return result;
    }
    if (!accept("(")) return node_of(Kind::name, token);
    return node(Kind::call, token.at, token.text, list(")", "after the arguments"));
  }

  const std::vector<Token>& tokens_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0, depth_ = 0;
};

}  // namespace

Sketch parse(const std::vector<Token>& tokens, std::string_view file) {
  return Parser(tokens, file).run();
}

ExpressionPtr parse_expression(const std::vector<Token>& tokens, std::string_view file) {
  return Parser(tokens, file).lone_expression();
}

}  // namespace heddle::isa::sketch
