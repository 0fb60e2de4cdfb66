// Code for a trace that comes without any, as those of Accel-Sim's own tracer do: the instructions
// its warps executed, as far as a line tells them, with control bits as a compiler would set them.
//
// A line has an opcode with its suffixes, registers and one immediate; predicates, uniform
// registers and constants are missing. So guards are found from lanes, and what a result takes to
// come from the opcode alone.
#pragma once

#include <cstddef>
#include <vector>

#include "isa/instruction.hpp"
#include "traces/formats/accelsim_replay.hpp"

namespace heddle::traces {

// A cubin with the trace's kernel. Throws std::runtime_error with file, line and what is wrong: an
// opcode that the architecture does not have, or two instructions at one place (the code of
// functions that were called, which the tracer does not tell apart).
std::vector<std::byte> code_from_trace(const AccelsimText& trace, isa::Arch arch);

// Stall counts, scoreboards and what waits for them. `joins`: instructions that control may reach
// from elsewhere than from the one before.
void set_likely_control_bits(std::vector<isa::Instruction>& instructions,
                             const std::vector<bool>& joins);

}  // namespace heddle::traces
