// Registers whose value at the beginning of a kernel matters.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

#include "isa/instruction.hpp"
#include "isa/program.hpp"
#include "simulator/launch/kernel_code.hpp"

namespace heddle::simulator {

struct RegisterSet {
  std::bitset<isa::kRZ> vector;
  std::bitset<isa::kUniformRegisters> uniform;

  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;
};

// Those that a thread may read before it has written to them, and those that may be read of other
// threads, which may not have: of a kernel whose instructions are in `code`, from its `entry` (an
// index in Program::instructions) on. Nothing: it is not known, as of a kernel that calls, or that
// goes where a register says.
std::optional<RegisterSet> registers_read_first(const isa::Program& program, InstructionRange code,
                                                std::uint32_t entry);

}  // namespace heddle::simulator
