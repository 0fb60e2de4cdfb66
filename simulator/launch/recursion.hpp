// Functions that call themselves.
#pragma once

#include <cstdint>

#include "isa/program.hpp"

namespace heddle::simulator {

// Whether what executes from `entry` (a code address) on may come to a function that calls itself,
// directly or through others that calls name. Where a register says what is called, that may be any
// function of the module.
bool may_recurse(const isa::Program& program, std::uint64_t entry);

}  // namespace heddle::simulator
