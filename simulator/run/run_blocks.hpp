// Runs the blocks of a grid, on one host thread or on several.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "simulator/execute/machine.hpp"

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

// What was executed.
struct BlockRun {
  LaunchCounts counts;
  std::optional<Fault> fault;
  Seen seen;
  std::string note;  // why it ran on one thread although more were asked for
};
// What a core has counted and seen; leaves nothing behind.
BlockRun take_run(Core& core);

// Numbers of blocks, or of clusters where the launch has those.
struct BlockRange {
  std::uint64_t first = 0, end = 0;
};
BlockRange whole_grid(const LaunchContext& context);

// `resident`: how many blocks the GPU holds at once.
BlockRun run_grid(const LaunchContext& context, std::uint64_t resident);
// Some of the grid's blocks.
BlockRun run_part(const LaunchContext& context, std::uint64_t resident, BlockRange blocks);

// Asks the launch's owner now and then whether to go on, and tells how far it is. The first of the
// launch's cores does that; what the others have issued is taken to be as much.
class Watch {
 public:
  Watch(const LaunchContext& launch, std::uint64_t ended, unsigned cores = 1)
      : launch_(launch), cores_(cores), ended_(ended) {}
  void block_ended() { ended_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t not_ended() const {
    return launch_.request->grid.count() - ended_.load(std::memory_order_relaxed);
  }
  // False: the launch is to stop.
  bool go_on(const Core& core);

 private:
  const LaunchContext& launch_;
  unsigned cores_;
  std::atomic<std::uint64_t> ended_;
  std::uint64_t due_ = kBlockQuantum;  // of the first core's instructions
};

// Runs blocks, or clusters of them, on one core until `next` has none left. A block that cannot go
// on alone gives way to another one, as far as the GPU could hold them at once.
using NextBlock = std::function<std::optional<std::uint64_t>()>;
void run_blocks(Core& core, bool is_first, std::uint64_t resident, Watch& watch,
                const NextBlock& next);
// All of these, one after another.
void run_blocks(Core& core, std::uint64_t resident, BlockRange blocks);

}  // namespace heddle::simulator
