// What a sketch's launch costs by a GPU's published costs of instructions.
#pragma once

#include <cstdint>
#include <string>

#include "traces/sketch/run_sketch.hpp"

namespace heddle::cli {

// One table: the classes of instructions that were executed, and their sum. The GPU must have
// costs.
std::string cost_text(const simulator::SketchProgram& program, std::size_t kernel,
                      const simulator::SketchProgram::Ran& ran, std::uint64_t launch);

}  // namespace heddle::cli
