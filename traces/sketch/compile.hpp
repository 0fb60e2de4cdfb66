// A kernel sketch (docs/sketches.md) compiled to a cubin for sm_90, which everything else then
// treats like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/models/operation.hpp"
#include "traces/sketch/ast.hpp"
#include "traces/sketch/predication.hpp"
#include "traces/sketch/source.hpp"

namespace heddle::isa::sketch {

// How an array that a kernel gets is filled.
struct ArrayContents {
  enum class Kind : std::uint8_t { zeros, counting, random, file };
  Kind kind = Kind::zeros;
  std::uint64_t elements = 0;
  double low = 0, high = 0;  // random: within [low, high)
  std::string file;          // numbers as text
};

// What a launch gives to a parameter.
struct Argument {
  bool is_array = false;
  std::uint64_t bits = 0;  // a scalar, as its type has it
  ArrayContents array;
};

struct CompiledParameter {
  // Those that follow the sketch's own are the compiler's.
  enum class Use : std::uint8_t { sketch, seed, scratch };
  Use use = Use::sketch;
  std::string name;
  Type type;
  std::uint32_t bytes = 0, offset = 0;
  std::optional<Argument> standard;  // the default value
};

struct CompiledKernel {
  std::string name;
  std::vector<CompiledParameter> parameters;
  bool random = false;                // uses chance() or trips(): differs from seed to seed
  std::vector<Operation> operations;  // of each instruction
};

struct CompiledLaunch {
  std::size_t kernel = 0;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

struct Compiled {
  std::vector<std::byte> cubin;
  std::vector<CompiledKernel> kernels;
  std::vector<CompiledLaunch> launches;
};

struct CompileOptions {
  const PredicationRule* predication = nullptr;  // null: off
  // The text of a file that trips(file, "…") names; throws std::runtime_error where there is none.
  // Null: no files.
  std::function<std::string(const std::string& name)> read_file;
};

// Bytes of the array that memory(…) reads from.
inline constexpr std::uint32_t kScratchBytes = 1 << 22;

// `file` names the text in messages and in the line table. Throws SketchError.
Compiled compile(std::string_view text, const std::string& file,
                 const CompileOptions& options = {});

// What `text` gives to a parameter of this type: a number, or the contents of an array, as in a
// launch. `what` names it in messages. Throws SketchError.
Argument parse_argument(std::string_view text, const Type& type, const std::string& what);

}  // namespace heddle::isa::sketch
