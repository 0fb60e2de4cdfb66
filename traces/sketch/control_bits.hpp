// The control bits of straight code: what each instruction waits for, and for how long.
#pragma once

#include <vector>

#include "isa/instruction.hpp"

namespace heddle::isa::sketch {

// Safe on the machine, and plain: a fixed stall where a result comes after a fixed time, a
// scoreboard where it does not, and all scoreboards waited for where paths meet or part.
void set_control_bits(std::vector<Instruction>& instructions);

}  // namespace heddle::isa::sketch
