// Loops that make up an atomic operation from a load and a compare-and-swap.
#pragma once

#include <vector>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator::checks {

// By instruction: whether it loads what a compare-and-swap shortly behind it compares with. Such a
// load may be late: the swap then fails.
std::vector<bool> loads_of_emulated_atomics(const LoweredProgram& program);

}  // namespace heddle::simulator::checks
