// A launch's blocks on several host threads, which must not change what comes out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/launch/conflicts.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

class ThreadedRun {
 public:
  explicit ThreadedRun(const LaunchContext& launch) : launch_(launch) {}
  // Nothing, with memory as it was, where one thread was asked for, where the launch is one for one
  // thread, or where its result would depend on how the threads interleave.
  std::optional<BlockRun> execute(std::uint64_t resident, BlockRange blocks);
  // Why it gave nothing although several threads were asked for.
  const std::string& why_not() const { return why_not_; }
  // Global memory becomes what it was.
  void undo();
  bool wrote_host_memory() const;

 private:
  unsigned threads();
  BlockRun take();

  const LaunchContext& launch_;
  std::string why_not_;
  std::optional<ConflictTracker> tracker_;
  std::vector<ConflictTracker::Log> logs_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace heddle::simulator
