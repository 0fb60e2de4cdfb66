// The least time between an instruction of fixed latency and one that uses its result.
//
// No unit reports these; they are what ptxas 13.0 leaves at least between two such instructions,
// over the programs of gpu/kernels, and what public measurements give (arXiv 2503.20481; Mesa's
// NAK): 4 cycles for integer and floating point, 6 for FP64, 2 into or out of the halves of a wide
// multiply-add and between uniform instructions, 13 (12 on sm_75) from a comparison to the guard of
// an instruction.
#pragma once

#include "isa/instruction.hpp"

namespace heddle::simulator::checks {

// Cycles from the issue of `writer` to that of `reader`, which takes the register or predicate at
// `place` (register_uses.hpp) from it; `as_guard`: it guards the reader. 0: not known.
unsigned least_latency(const isa::Instruction& writer, const isa::Instruction& reader,
                       unsigned place, bool as_guard);
inline constexpr unsigned kMostLatency = 16;         // more than any of them
inline constexpr unsigned kMostRegisterLatency = 8;  // more than any of a register

}  // namespace heddle::simulator::checks
