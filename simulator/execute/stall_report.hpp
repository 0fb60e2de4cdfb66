// Faults of launches that do not end: what every warp was doing.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Blocks of the launch: on the GPU at the moment, and not begun.
struct BlockCounts {
  std::uint64_t resident = 0, not_begun = 0;
};
// Which blocks wait for memory to change, and for which: Core::awaited. Several lines.
std::string describe_standstill(const Core& core, const BlockCounts& blocks);

// `why`: what is known besides; nothing, or several lines.
void report_deadlock(Core& core, const Block& block, const std::string& why = {});
void report_instruction_limit(Core& core, const Block& block);
void report_interrupt(Core& core, const Block& block);

}  // namespace heddle::simulator
