// What the core executes, asked of one instruction; docs/coverage.md is made from it.
#pragma once

#include "isa/instruction.hpp"

namespace heddle::simulator {

// Whether a launch goes on past this instruction: the opcode, its operands and every modifier it
// has are implemented. False: the launch stops there with Fault::Kind::unsupported_instruction.
bool executes(const isa::Instruction& instruction);

}  // namespace heddle::simulator
