// Runs of instructions executed by native code and by lane functions, from the same state.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/native/vector_unit.hpp"

namespace heddle::simulator {

// The words of registers and of constants, and the bits of predicates: each call gives the next.
using NextWord = std::function<std::uint32_t()>;

// The pool of a program whose constants are unknown.
std::vector<std::uint32_t> any_pool(const LoweredProgram& program, const NextWord& next);

// Executes `length` instructions from `first` on, each of which has a lane function, for a warp of
// which `active` lanes are, with native code for a vector unit. Says where registers, predicates or
// counted threads differ; nothing where they do not.
std::string difference(native::VectorUnit unit, const LoweredProgram& program,
                       const std::vector<std::uint32_t>& pool, std::uint32_t first,
                       std::uint32_t length, Mask active, const NextWord& next);

}  // namespace heddle::simulator
