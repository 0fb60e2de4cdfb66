// A launch that was executed and can be taken back.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/execute/printf_fifo.hpp"
#include "simulator/run/run_blocks.hpp"
#include "simulator/run/threaded_run.hpp"
#include "simulator/run/undoable_launch.hpp"

namespace heddle::simulator {

// Nobody may look on. What the device prints comes when it is kept.
class RevocableRun {
 public:
  // Executes the grid. `launch` must outlive it.
  RevocableRun(const LaunchContext& launch, std::uint64_t resident);
  RevocableRun(const RevocableRun&) = delete;
  RevocableRun& operator=(const RevocableRun&) = delete;

  const BlockRun& run() const { return run_; }
  bool deadlocked() const { return run_.fault && run_.fault->kind == Fault::Kind::deadlock; }
  // Whether it wrote to memory that the host program uses too, and may have looked at meanwhile;
  // the allocation at `own` is the launch's own.
  bool wrote_host_memory(std::uint64_t own) const;
  // Global memory becomes what it was.
  void revoke();
  BlockRun keep();

 private:
  const LaunchContext& launch_;
  PrintfFifo printed_;
  Trial trial_;
  ThreadedRun threads_;
  BlockRun run_;
};

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
