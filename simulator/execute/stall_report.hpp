// Faults of launches that do not end: what every warp was doing.
#pragma once

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

void report_deadlock(Core& core, const Block& block);
void report_instruction_limit(Core& core, const Block& block);
void report_interrupt(Core& core, const Block& block);

}  // namespace heddle::simulator
