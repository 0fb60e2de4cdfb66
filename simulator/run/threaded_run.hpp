// A launch's blocks on one host thread or on several, which does not change what comes out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/launch/conflicts.hpp"
#include "simulator/run/block_turns.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

// A launch begins on one thread. Where it goes on for long, the blocks that have not begun are
// executed on several. Where those blocks turn out to use the same memory, what they wrote is put
// back, and the one thread goes on.
class ThreadedRun {
 public:
  // `revocable`: undo() and wrote_host_memory() tell of all that was executed. `alone`: warp
  // instructions that the first core executes before others join it; nothing: kAlone, or what the
  // launch's settings say where they name a number of threads.
  explicit ThreadedRun(bool revocable = false, std::optional<std::uint64_t> alone = {})
      : revocable_(revocable), alone_(alone) {}
  // Launches of fewer, some ten milliseconds, are over before threads would pay.
  static constexpr std::uint64_t kAlone = 1 << 20;

  // Executes blocks of the launch that `first` is a core of.
  BlockRun execute(Core& first, std::uint64_t resident, BlockRange blocks);
  // Global memory becomes what it was when others joined the first core.
  void undo();
  // Whether others than the first core wrote to memory that the host program uses too.
  bool wrote_host_memory() const;

 private:
  enum class Joined : std::uint8_t { done, to_be_repeated, failed };
  Joined join(Core& first, std::uint64_t resident, BlockTurns& turns, BlockRange& blocks,
              unsigned count, Watch& watch);
  bool make_cores(const Core& first, unsigned count);
  Joined outcome(const Core& first, const Watch& watch);
  std::uint64_t issued() const;
  void take();

  const bool revocable_;
  const std::optional<std::uint64_t> alone_;
  BlockRun others_;  // what others than the first core did
  std::optional<ConflictTracker> tracker_;
  std::deque<ConflictTracker::Log> logs_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace heddle::simulator
