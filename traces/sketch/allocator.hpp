// Which register and predicate each number of a Code becomes: linear scan over the ranges of lines
// in which they are alive.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "traces/sketch/code.hpp"

namespace heddle::isa::sketch {

struct Allocation {
  std::vector<std::uint8_t> registers;   // by number; a pair's first is even
  std::vector<std::uint8_t> predicates;  // by number
  std::uint32_t count = 0;               // registers used
};

// Throws SketchError where they do not suffice.
Allocation allocate(const Code& code, std::string_view file);

}  // namespace heddle::isa::sketch
