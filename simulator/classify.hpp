// Whether a launch's results may depend on the order in which warps ran, judged by what it
// executed.
#pragma once

#include <vector>

#include "isa/program.hpp"
#include "simulator/counts.hpp"
#include "simulator/launch.hpp"

namespace heddle::simulator {

LaunchClass classify(const isa::Program& program, const std::vector<InstructionCounts>& counts);

// One line for each kind of executed instruction whose result only approximates the hardware's.
std::vector<std::string> approximations(const isa::Program& program,
                                        const std::vector<InstructionCounts>& counts);

}  // namespace heddle::simulator
