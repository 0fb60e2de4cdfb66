// Whether a launch's results may depend on the order in which warps ran, judged by what it
// executed.
#pragma once

#include <vector>

#include "isa/program.hpp"
#include "simulator/counts.hpp"
#include "simulator/launch.hpp"

namespace heddle::simulator {

LaunchClass classify(const isa::Program& program, const std::vector<InstructionCounts>& counts);

// Not empty when some instruction of the module can see how blocks interleave (its own text says
// which): such a module's launches run on one host thread from the start.
std::string needs_one_thread(const isa::Program& program);

}  // namespace heddle::simulator
