// A cubin: everything the reader says about it, and the line table of every function.
#include "isa/fuzz/target.hpp"

HEDDLE_FUZZ_TARGET(bytes) {
  const heddle::isa::Cubin cubin = heddle::isa::parse_cubin(bytes, "fuzz");
  for (const heddle::isa::Function& function : cubin.functions)
    if (const auto table = heddle::isa::read_line_table(cubin, function.section);
        !table.entries.empty())
      table.find(table.entries.back().offset);
}
