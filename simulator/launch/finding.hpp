// What a check found: a mistake of the program, with both sides of a conflict.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"

namespace heddle::simulator::checks {

// What some lanes of a warp did or wait for.
struct Side {
  std::string what;  // "writes 4 bytes"
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;  // in the block
  Mask lanes{};
  Dim3 thread{0, 0, 0};            // threadIdx of the lowest of them
  std::string function;            // mangled
  std::uint64_t pc = 0;            // byte offset in it
  std::string line;                // "file.cu:12"; empty when unknown
  std::string text;                // the instruction
  std::vector<std::string> calls;  // the lines that `line` is inlined at, the innermost first
};

// "called at file.cu:30", a line for each call, after `indent`; of many, the middle ones are
// counted.
std::string calls_text(std::span<const std::string> calls, std::string_view indent);

// "0-7, 12": the lanes of a mask.
std::string lane_list(Mask lanes);

struct Finding {
  std::string check;          // "memory", "races" …
  std::string kind;           // "out_of_bounds", "write_after_read" …
  std::string message;        // one sentence
  std::uint64_t address = 0;  // of findings about memory
  std::uint64_t times = 1;    // it happened at these instructions; the rest is of the first time
  std::vector<Side> sides;    // first: what was executing when it was noticed
  std::string details;        // the allocation; what each lane waits for; what to try
};

}  // namespace heddle::simulator::checks
