// A cubin: everything the reader says about it, and the line table and variables of every function.
#include "isa/fuzz/target.hpp"
#include "isa/variables.hpp"

HEDDLE_FUZZ_TARGET(bytes) {
  const heddle::isa::Cubin cubin = heddle::isa::parse_cubin(bytes, "fuzz");
  for (const heddle::isa::Function& function : cubin.functions)
    if (const auto table = heddle::isa::read_line_table(cubin, function.section);
        !table.entries.empty())
      table.find(table.entries.back().offset);
  const heddle::isa::VariableTable variables(cubin);
  for (const heddle::isa::Function& function : cubin.functions)
    for (const heddle::isa::Variable& variable : variables.of(function.name))
      variables.place(function.name, variable, (variable.begin + variable.end) / 2);
}
