// Runs the blocks of a grid, on one host thread or on several.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "simulator/base/row_storage.hpp"
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

// What the cores of a launch have in common: asks the launch's owner now and then whether to go on,
// and tells how far it is.
class Watch {
 public:
  // `ended` blocks and `issued` instructions came before. `is_over` is asked now and then, ever
  // more seldom: whether the cores need not go on.
  explicit Watch(const LaunchContext& launch, std::uint64_t ended, std::uint64_t issued = 0,
                 std::function<bool()> is_over = nullptr)
      : launch_(launch),
        is_over_(std::move(is_over)),
        before_(issued),
        ended_(ended),
        issued_(issued),
        look_due_(is_over_ ? issued + kFirstLook : ~std::uint64_t{0}),
        due_(issued + kBlockQuantum) {}
  // One of the cores has ended more blocks and issued more instructions: how many.
  void add(std::uint64_t ended, std::uint64_t issued) {
    ended_.fetch_add(ended, std::memory_order_relaxed);
    issued_.fetch_add(issued, std::memory_order_relaxed);
  }
  std::uint64_t ended() const { return ended_.load(std::memory_order_relaxed); }
  std::uint64_t not_ended() const { return launch_.request->grid.count() - ended(); }
  // False: the launch is to stop.
  bool go_on();
  // The launch is where the others, which took it over, have brought it.
  void follow(const Watch& others) {
    ended_ = others.ended_.load();
    issued_ = others.issued_.load();
  }
  // One of the cores cannot go on: the others need not.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  // Warp instructions before `is_over` is asked first, and how many times as many before the next.
  static constexpr std::uint64_t kFirstLook = 1 << 14, kLooksApart = 4;

  const LaunchContext& launch_;
  const std::function<bool()> is_over_;
  const std::uint64_t before_;
  std::atomic<bool> stopped_{false};  // which all read all the time
  alignas(kCacheLine) std::atomic<std::uint64_t> ended_;
  std::atomic<std::uint64_t> issued_;
  std::mutex asking_;
  std::atomic<std::uint64_t> look_due_, due_;  // of `issued_`; changed by who asks
};

// All of these, one after another.
void run_blocks(Core& core, std::uint64_t resident, BlockRange blocks);

}  // namespace heddle::simulator
