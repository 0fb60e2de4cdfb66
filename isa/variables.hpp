// The variables and parameters of functions, as the DWARF of a debug build names them (nvcc -G,
// Numba's debug=True), and which registers hold them at an instruction. Optimised builds with
// -lineinfo have none.
//
// Not read: what lies in local or shared memory (arrays, structures, variables whose address is
// taken), and variables of functions that were inlined.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/register_map.hpp"

namespace heddle::isa {

struct VariableType {
  enum class Kind : std::uint8_t { integer, natural, floating, boolean, character, pointer };
  Kind kind = Kind::integer;
  std::uint32_t bytes = 4;  // 1, 2, 4 or 8
  std::string name;         // "unsigned int", "float *"
};

struct Variable {
  std::string name;
  VariableType type;
  bool is_parameter = false;
  std::uint32_t line = 0;            // where it is declared; 0: unknown
  std::uint64_t begin = 0, end = 0;  // its scope: byte offsets in the function
  // PTX registers that hold it, and for which byte offsets in the function.
  struct Held {
    std::uint64_t begin = 0, end = 0;
    std::string ptx;
  };
  std::vector<Held> held;
  std::optional<std::uint32_t> bank0;  // instead: a parameter at this offset of constant bank 0
};

// Where a value is before an instruction executes.
struct VariablePlace {
  std::optional<std::uint32_t> bank0;  // offset in constant bank 0; else registers:
  std::array<RegisterPart, 2> parts;   // the lowest bits first
  std::uint32_t part_count = 0;
  friend bool operator==(const VariablePlace&, const VariablePlace&) = default;
};

class VariableTable {
 public:
  VariableTable() = default;
  // Throws CubinError. The cubin must outlive it.
  explicit VariableTable(const Cubin& cubin);

  // In the order of the debug information; those of an inner scope behind those of the outer.
  // `function`: mangled.
  const std::vector<Variable>& of(const std::string& function) const;
  // Before the instruction at `offset` bytes in the function; nothing outside the variable's scope
  // and where no register holds it.
  std::optional<VariablePlace> place(const std::string& function, const Variable& variable,
                                     std::uint64_t offset) const;

 private:
  std::map<std::string, std::vector<Variable>> functions_;
  RegisterMap registers_;
};

}  // namespace heddle::isa
