// From lines to machine words: registers, encodings, branch offsets and control bits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/word.hpp"
#include "traces/sketch/code.hpp"

namespace heddle::isa::sketch {

struct Assembled {
  std::vector<Word> words;
  std::vector<Position> positions;    // of each word
  std::vector<Operation> operations;  // of each word
  std::uint32_t registers = 0;        // per thread
};

// Throws SketchError where more registers are alive at a time than a thread can have.
Assembled assemble(const Code& code, std::string_view file);

}  // namespace heddle::isa::sketch
