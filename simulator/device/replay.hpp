// A launch that can be executed one instruction at a time, forward and back.
//
// Nothing is kept per step. Every few thousand instructions the state of the blocks that have
// begun is kept aside, and of global memory what it held before it was first written since then.
// To go back is to load the last state before the wanted place and to execute from there; the order
// in which warps execute is fixed (that of Device::launch on one thread), so the same step is the
// same state each time. Where this would take too much memory, every other kept state is dropped
// and they are taken half as often.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/execute/saved_block.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/run/prepared_launch.hpp"

namespace heddle::simulator {

struct ReplayOptions {
  std::uint64_t interval = 1 << 12;           // instructions between kept states, at first
  std::uint64_t memory_limit = 256ull << 20;  // bytes for them
  LaunchSettings settings = {};               // nothing is timed or checked, on one thread
};

class Replay {
 public:
  // The device's memory is what the launch begins with; while the replay lives it is as the launch
  // has it at the present step, and nobody else may change it. `device` and what `request` points
  // to must outlive it. Device printf is not shown.
  Replay(Device& device, const LaunchRequest& request, ReplayOptions options = {});
  ~Replay();

  // Instructions executed so far.
  std::uint64_t step() const { return core_.issued; }
  // The warp that executes next; nothing when the launch has ended.
  std::optional<WarpView> next() const;
  bool ended() const { return next_ == nullptr; }
  const std::optional<Fault>& fault() const { return core_.fault; }
  CoreView core() const { return core_; }
  // A block that has begun and not ended, or nothing.
  std::optional<BlockView> block(std::uint64_t linear) const;
  std::vector<BlockView> blocks() const;  // all of them, the one that executes first

  // Executes one instruction; false when the launch has ended.
  bool forward(Observer* observer = nullptr);
  // To where `step` instructions have been executed, or to the end. The observer sees those that
  // are executed on the way, which are not all where the way leads back.
  void go_to(std::uint64_t step, Observer* observer = nullptr);
  // To before the last of the instructions executed so far for which `wanted` says yes, asked after
  // each once `look` has seen it. Where there is none: false, and nothing has changed. `go_on` is
  // asked now and then and may end the search.
  bool back_to(Observer& look, const std::function<bool()>& wanted,
               const std::function<bool()>& go_on = {});

  // A number that differs, but for chance, where blocks, memory or the place do.
  std::uint64_t digest() const;
  std::uint64_t kept_bytes() const;
  std::uint64_t interval() const { return interval_; }

 private:
  // Where the order of execution is.
  struct Place {
    std::uint64_t next_block = 0;
    std::uint64_t block_end = 0, warp_end = 0;  // of their turns, in instructions issued
    std::size_t warp = 0;                       // whose turn it is, in the first block
    bool in_turn = false;                       // the warp has begun its turn
    bool progress = false;                      // a warp of the block has executed in this round
    bool all_wait = true;  // those that have only wait (simulator/execute/polling.hpp)
  };
  struct Resident {
    Block block;
    std::shared_ptr<const SavedBlock> saved;  // null: it has executed since
  };
  struct Kept {
    std::uint64_t step = 0;
    Place place;
    Polling polling;
    std::vector<std::shared_ptr<const SavedBlock>> blocks;  // in the order of their turns
    MemoryJournal::Pieces written;  // until the next kept state; of the last one: in the journal
  };

  void settle();
  bool begin_warp_turn();
  void end_warp_turn();
  void end_block_turn();
  bool start_next_block();
  void begin_block_turn();
  void keep();
  void thin_out();
  void load(std::size_t kept);

  LaunchOptions launch_options_;
  LaunchRequest request_;
  PreparedLaunch prepared_;
  MemoryJournal journal_;
  Core core_;
  Place place_;
  std::deque<std::unique_ptr<Resident>> residents_;  // the first has the core
  const Warp* next_ = nullptr;

  bool deadlocks_ = false;  // where the core's limit of instructions is
  const std::uint64_t memory_limit_;
  std::uint64_t interval_;
  ByteCount block_bytes_ = std::make_shared<std::uint64_t>(0);
  std::uint64_t memory_bytes_ = 0;  // in Kept::written
  std::deque<Kept> kept_;
};

}  // namespace heddle::simulator
