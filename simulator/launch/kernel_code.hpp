// The code that launches of a kernel can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.hpp"
#include "simulator/launch/call_graph.hpp"

namespace heddle::simulator {

// Indices in Program::instructions.
struct InstructionRange {
  std::uint32_t first = 0, end = 0;
};
// `entry`: the kernel's code address. In order; ranges inside others are left out.
std::vector<InstructionRange> code_of_kernel(const isa::Program& program, const CallGraph& calls,
                                             std::uint64_t entry);

// Calls f(index, instruction) for all that could be decoded.
template <typename F>
void for_each_instruction(const isa::Program& program, const std::vector<InstructionRange>& code,
                          F&& f) {
  for (const InstructionRange& range : code)
    for (std::uint32_t i = range.first; i < range.end; ++i)
      if (program.instructions[i]) f(i, *program.instructions[i]);
}

}  // namespace heddle::simulator
