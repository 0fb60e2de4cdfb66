// Runs the blocks of a grid, on one host thread or on several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/machine.hpp"

namespace heddle::simulator {

// Warp instructions a block may issue before another gets the core.
inline constexpr std::uint64_t kBlockQuantum = 1 << 20;

struct BlockRun {
  std::vector<InstructionCounts> counts;
  std::optional<Fault> fault;
  bool uncounted_reunions = false;  // as in Core
  bool printed = false;             // device code called vprintf
  bool unordered_reads = false;     // UnorderedReads found one
  std::string note;                 // why it ran on one thread although more were asked for
  bool used_heap = false;           // device code called malloc or free
};

// `resident`: how many blocks the GPU holds at once.
BlockRun run_grid(const LaunchContext& context, std::uint64_t resident);

}  // namespace heddle::simulator
