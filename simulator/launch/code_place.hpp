// Where an instruction stands, as a report says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/launch/launch.hpp"

namespace heddle::simulator {

struct CodePlace {
  std::string function;            // mangled; empty where no code lies
  std::uint64_t pc = 0;            // byte offset in it; where no code lies, the code address
  std::string line;                // "file.cu:12"; empty when unknown
  std::vector<std::string> calls;  // the lines it is inlined at, the innermost first
  std::string instruction;         // its text
};

// `index`: of Program::instructions.
CodePlace code_place(const Module& module, std::uint32_t index);

}  // namespace heddle::simulator
