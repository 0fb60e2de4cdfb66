// Whether a launch's results may depend on the order in which warps ran, judged by what it
// executed.
#pragma once

#include <vector>

#include "isa/cubin.hpp"
#include "isa/program.hpp"
#include "simulator/counts.hpp"
#include "simulator/launch.hpp"

namespace heddle::simulator {

LaunchClass classify(const isa::Program& program, const std::vector<InstructionCounts>& counts);

// Not empty when some instruction of the module can see how blocks interleave (its own text says
// which): such a module's launches run on one host thread from the start.
std::string needs_one_thread(const isa::Program& program);

// Whether the kernel at `entry` (a code address), or a function of its module, has instructions
// that UnorderedReads judges: strong loads, or both loads and reductions of global memory.
bool may_read_unordered(const isa::Program& program, const isa::Cubin& cubin, std::uint64_t entry);

}  // namespace heddle::simulator
