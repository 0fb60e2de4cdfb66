// A launch made ready to execute: its constants, its code, and what its blocks meet in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/execute/machine.hpp"
#include "simulator/execute/printf_fifo.hpp"
#include "simulator/run/revocable_run.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

// What a cooperative launch's blocks meet at, in memory that lasts as long as the launch.
class GridBarrier {
 public:
  GridBarrier(DeviceMemory& memory, bool wanted);  // throws std::bad_alloc
  ~GridBarrier();
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;
  std::uint64_t address() const { return address_.value_or(0); }

 private:
  DeviceMemory& memory_;
  std::optional<std::uint64_t> address_;
};

// A grid that was executed.
struct GridRun {
  BlockRun run;
  // The counts of code without patches, where they differ and it was executed so too.
  std::optional<LaunchCounts> unpatched;
  std::string why_not_unpatched;  // where they differ, and it was not
  // Groups met as in code without patches, because the patches, as far as their rules are known,
  // would have kept lanes apart for good.
  bool patches_given_up = false;
};

// Warp instructions after which a launch is ended.
std::uint64_t instruction_limit(const LaunchSettings& settings);

class PreparedLaunch {
 public:
  // As the members of Device.
  struct Limits {
    std::uint64_t stack_bytes, printf_bytes;
  };
  // All that is given must outlive it. Throws std::bad_alloc, and std::invalid_argument where the
  // settings contradict one another.
  PreparedLaunch(const GpuModel& model, DeviceMemory& memory, const Limits& limits,
                 const LaunchRequest& request, const LaunchOptions& options);

  const LaunchContext& context() const { return context_; }
  PrintfFifo& printed() { return printed_; }
  std::uint64_t resident_blocks() const { return resident_; }  // on the GPU at a time; at least 1
  // Executes the grid, untimed: by the rules for code that a profiler has patched. Twice where
  // those would keep lanes apart for good, or where what hardware's counters see, of code without
  // patches, is wanted and differs.
  GridRun run();
  // Whether the grid can go on under the rules for patched code is found out by executing it and
  // putting back what it wrote. For those who execute it themselves.
  void try_patches();

 private:
  bool may_deadlock() const;
  bool may_differ() const;
  void give_up_patches();
  std::string why_not_again(const RevocableRun& patched) const;
  GridRun run_again(RevocableRun& patched);

  GridBarrier barrier_;
  PrintfFifo printed_;
  LaunchContext context_;
  bool patches_given_up_ = false;
  std::uint64_t resident_ = 1;
};

}  // namespace heddle::simulator
