// Runs the blocks of a grid, on one host thread or on several.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/machine.hpp"

namespace heddle::simulator {

// Warp instructions a block may issue before another gets the core. Blocks of a cooperative launch
// wait for one another in loops, all of them at each synchronization of the grid: they give way
// sooner.
inline constexpr std::uint64_t kBlockQuantum = 1 << 20, kCooperativeQuantum = 1 << 11;
inline std::uint64_t block_quantum(const LaunchRequest& request) {
  return request.cooperative ? kCooperativeQuantum : kBlockQuantum;
}
// … and a warp of it, before another of the block does.
inline std::uint64_t warp_turn(std::uint64_t quantum) { return std::min(kWarpTurn, quantum / 32); }

struct BlockRun {
  std::vector<InstructionCounts> counts;
  std::optional<Fault> fault;
  bool uncounted_reunions = false;  // as in Core
  bool printed = false;             // device code called vprintf
  bool unordered_reads = false;     // UnorderedReads found one
  std::string note;                 // why it ran on one thread although more were asked for
  bool used_heap = false;           // device code called malloc or free
  bool patches_show = false;        // as in Core
};

// Numbers of blocks, or of clusters where the launch has those.
struct BlockRange {
  std::uint64_t first = 0, end = 0;
};

// `resident`: how many blocks the GPU holds at once.
BlockRun run_grid(const LaunchContext& context, std::uint64_t resident);
// As run_grid; nothing, with memory as it was and nothing printed, where the launch comes to a
// deadlock. Nobody may look on. What the device prints comes when it has ended.
std::optional<BlockRun> run_grid_unless_deadlock(const LaunchContext& launch,
                                                 std::uint64_t resident);
// Some of the grid's blocks.
BlockRun run_part(const LaunchContext& context, std::uint64_t resident, BlockRange blocks);

// Where a launch by a policy (not by convergence barriers) would deadlock, and after how many warp
// instructions that is seen; nothing where it does not. The launch is executed, on one host thread,
// and its writes to global memory are put back.
struct Deadlock {
  Fault fault;
  std::uint64_t issued = 0;
};
std::optional<Deadlock> find_deadlock(const LaunchContext& launch, std::uint64_t resident);

// Whether the launch would deadlock, as it stands. As find_deadlock.
bool deadlocks(const LaunchContext& launch, std::uint64_t resident);

}  // namespace heddle::simulator
