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

// Numbers of blocks, or of clusters where the launch has those.
struct BlockRange {
  std::uint64_t first = 0, end = 0;
};

// `resident`: how many blocks the GPU holds at once.
BlockRun run_grid(const LaunchContext& context, std::uint64_t resident);
// Some of the grid's blocks.
BlockRun run_part(const LaunchContext& context, std::uint64_t resident, BlockRange blocks);

}  // namespace heddle::simulator
