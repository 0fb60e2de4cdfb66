// A launch made ready to execute: its constants, its code, and what its blocks meet in.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/machine.hpp"
#include "simulator/run_blocks.hpp"

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

class PreparedLaunch {
 public:
  // All that is given must outlive it. `stack_bytes`: Device::stack_bytes. Throws std::bad_alloc.
  PreparedLaunch(const GpuModel& model, DeviceMemory& memory, std::uint64_t stack_bytes,
                 const LaunchRequest& request, const LaunchOptions& options);

  const LaunchContext& context() const { return context_; }
  std::uint64_t resident_blocks() const { return resident_; }  // on the GPU at a time; at least 1
  // Executes the grid, untimed.
  BlockRun run();
  // Finds out, by executing the launch and putting back what it wrote, whether patches are to be
  // given up. For those who execute it themselves.
  void try_patches();
  // Whether groups are to meet as in code without a profiler's patches because the patches, as far
  // as their rules are known, would keep lanes apart for good.
  bool patches_given_up() const { return patches_given_up_; }

 private:
  GridBarrier barrier_;
  LaunchContext context_;
  void give_up_patches();
  bool patches_may_deadlock_ = false, patches_given_up_ = false;
  std::uint64_t resident_ = 1;
};

// Blocks of a launch that are on the GPU at a time; 0 where none fits.
std::uint64_t resident_blocks(const GpuModel& gpu, const LaunchRequest& request);

}  // namespace heddle::simulator
