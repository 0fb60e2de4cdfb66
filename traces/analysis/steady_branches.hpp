// Branches in loops whose condition the loop does not change: each could be tested once, before its
// loop. Read from the code alone.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/launch/module.hpp"

namespace heddle::traces {

// Instructions by their index in Program::instructions.
struct SteadyBranch {
  std::uint32_t branch = 0;
  // The outermost loop that does not change the condition: its first instruction, and the last one
  // of the block that always comes before it.
  std::uint32_t loop = 0, before = 0;
  std::vector<std::uint32_t> tests;  // in the loop, for this branch alone
};

// Of one function, by address. What is not known for certain (behind calls, say) is left out.
std::vector<SteadyBranch> steady_branches(const simulator::Module& module,
                                          const isa::CodeRange& range);

}  // namespace heddle::traces
