#include "traces/sketch/compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/sketch/assembler.hpp"
#include "traces/sketch/cubin_writer.hpp"
#include "traces/sketch/lexer.hpp"
#include "traces/sketch/lowering.hpp"
#include "traces/sketch/parser.hpp"

namespace heddle::isa::sketch {
namespace {

using Kind = Expression::Kind;

class Compiler {
 public:
  Compiler(const std::string& file, const CompileOptions& options) {
    unit_.file = file;
    unit_.options = options;
  }

  Compiled run(const Sketch& sketch) {
    if (sketch.kernels.empty())
      fail({}, "there is no kernel; expected '__global__ void name(…) { … }'");
    for (const Variable& constant : sketch.constants)
      Lowering(unit_).declare_constant(constant, unit_.constants);
    std::vector<WrittenKernel> written;
    for (const Kernel& kernel : sketch.kernels) {
      if (std::ranges::find(compiled_.kernels, kernel.name, &CompiledKernel::name) !=
          compiled_.kernels.end())
        fail(kernel.at, fmt::format("a second kernel '{}'", kernel.name));
      written.push_back(compile(kernel));
    }
    for (const Launch& each : sketch.launches) compiled_.launches.push_back(launch(each));
    compiled_.cubin = write_cubin(written, unit_.table, unit_.file);
    return std::move(compiled_);
  }

  Argument argument(const Expression& expression, const Type& type) {
    Argument result;
    if (type.pointer) {
      result.is_array = true;
      result.array = contents(expression);
    } else {
      result.bits = value(expression, type.scalar).bits;
    }
    return result;
  }

 private:
  [[noreturn]] void fail(Position at, std::string_view message) const {
    throw SketchError(unit_.file, at, message);
  }

  WrittenKernel compile(const Kernel& kernel) {
    LoweredKernel lowered = Lowering(unit_).run(kernel);
    const Assembled assembled = assemble(lowered.code, unit_.file);
    WrittenKernel result;
    result.name = kernel.name;
    result.words = assembled.words;
    for (const Position& at : assembled.positions) result.lines.push_back(at.line);
    result.registers = assembled.registers;
    result.shared_bytes = lowered.shared_bytes;
    result.local_bytes = lowered.local_bytes;
    result.uses_barrier = lowered.uses_barrier;
    CompiledKernel facts;
    facts.name = kernel.name;
    facts.random = lowered.random;
    facts.operations = assembled.operations;
    for (std::size_t i = 0; i < lowered.parameters.size(); ++i) {
      CompiledParameter& parameter = lowered.parameters[i];
      result.parameters.push_back(parameter.bytes);
      if (i < kernel.parameters.size() && kernel.parameters[i].initial)
        parameter.standard = argument(*kernel.parameters[i].initial, parameter.type);
    }
    facts.parameters = std::move(lowered.parameters);
    compiled_.kernels.push_back(std::move(facts));
    return result;
  }

  Value value(const Expression& expression, Scalar scalar) {
    Lowering lowering(unit_);
    return lowering.constant_converted(expression, scalar);
  }
  double number(const Expression& expression) {
    return std::bit_cast<double>(value(expression, Scalar::float64).bits);
  }

  ArrayContents contents(const Expression& expression) {
    constexpr std::string_view kForms =
        "zeros(n), counting(n), random(n, low, high) or file(\"name\")";
    constexpr double kMost = 4294967296.0;
    ArrayContents result;
    const auto& operands = expression.operands;
    if (expression.kind != Kind::call)
      fail(expression.at, fmt::format("an array: expected {}", kForms));
    if (expression.text == "file" && operands.size() == 1 && operands[0]->kind == Kind::string) {
      result.kind = ArrayContents::Kind::file;
      result.file = operands[0]->text;
      return result;
    }
    if (expression.text == "zeros" && operands.size() == 1) {
      result.kind = ArrayContents::Kind::zeros;
    } else if (expression.text == "counting" && operands.size() == 1) {
      result.kind = ArrayContents::Kind::counting;
    } else if (expression.text == "random" && operands.size() == 3) {
      result.kind = ArrayContents::Kind::random;
      result.low = number(*operands[1]);
      result.high = number(*operands[2]);
      if (!(result.low < result.high))
        fail(operands[2]->at, "random: expected the second bound above the first");
    } else {
      fail(expression.at, fmt::format("an array: expected {}", kForms));
    }
    const double elements = number(*operands[0]);
    if (!(elements >= 1 && elements <= kMost))
      fail(operands[0]->at, "an array: expected at least one element");
    result.elements = static_cast<std::uint64_t>(elements);
    return result;
  }

  void dimensions(const Expression& expression, std::uint32_t (&into)[3]) {
    const bool several = expression.kind == Kind::call && expression.text == "dim3";
    const std::size_t count = several ? expression.operands.size() : 1;
    if (count < 1 || count > 3)
      fail(expression.at, "expected dim3(x), dim3(x, y) or dim3(x, y, z)");
    for (std::size_t i = 0; i < count; ++i) {
      const Expression& each = several ? *expression.operands[i] : expression;
      const Value size = value(each, Scalar::int32);
      if (size.as_int() <= 0) fail(each.at, "a launch's shape: expected more than 0");
      into[i] = static_cast<std::uint32_t>(size.as_int());
    }
  }

  // As in k(int * out, int n).
  static std::string form(const CompiledKernel& kernel,
                          const std::vector<const CompiledParameter*>& parameters) {
    std::string text;
    for (const CompiledParameter* each : parameters)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(each->type), each->name);
    return fmt::format("{}({})", kernel.name, text);
  }

  CompiledLaunch launch(const Launch& launch) {
    const auto kernel = std::ranges::find(compiled_.kernels, launch.kernel, &CompiledKernel::name);
    if (kernel == compiled_.kernels.end())
      fail(launch.at, fmt::format("there is no kernel '{}' before this launch", launch.kernel));
    CompiledLaunch result;
    result.kernel = static_cast<std::size_t>(kernel - compiled_.kernels.begin());
    dimensions(*launch.shape[0], result.grid);
    dimensions(*launch.shape[1], result.block);
    if (launch.shape.size() == 3) {
      const Value shared = value(*launch.shape[2], Scalar::int32);
      if (shared.as_int() < 0)
        fail(launch.shape[2]->at, "bytes of shared memory: expected 0 or more");
      result.dynamic_shared_bytes = static_cast<std::uint32_t>(shared.as_int());
    }
    std::vector<const CompiledParameter*> parameters;
    for (const CompiledParameter& each : kernel->parameters)
      if (each.use == CompiledParameter::Use::sketch) parameters.push_back(&each);
    const auto given = [&](std::size_t i) {  // by the launch, or by a default value
      return i < launch.arguments.size() || parameters[i]->standard.has_value();
    };
    bool complete = launch.arguments.size() <= parameters.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) complete = complete && given(i);
    if (!complete)
      fail(launch.at,
           fmt::format("expected {}, found {} argument{}", form(*kernel, parameters),
                       launch.arguments.size(), launch.arguments.size() == 1 ? "" : "s"));
    for (std::size_t i = 0; i < parameters.size(); ++i)
      result.arguments.push_back(i < launch.arguments.size()
                                     ? argument(*launch.arguments[i], parameters[i]->type)
                                     : *parameters[i]->standard);
    return result;
  }

  Unit unit_;
  Compiled compiled_;
};

}  // namespace

Compiled compile(std::string_view text, const std::string& file, const CompileOptions& options) {
  return Compiler(file, options).run(parse(tokens(text, file), file));
}

Argument parse_argument(std::string_view text, const Type& type, const std::string& what) {
  const ExpressionPtr expression = parse_expression(tokens(text, what), what);
  return Compiler(what, {}).argument(*expression, type);
}

}  // namespace heddle::isa::sketch
