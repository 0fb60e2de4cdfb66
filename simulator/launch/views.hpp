// What an observer sees of a launch that executes: a narrow, read-only view of the core, of a block
// and of a warp. The machine's own state (simulator/execute/machine.hpp) converts to it. A view is
// valid during the call that it is given to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/warp/groups.hpp"
#include "simulator/warp/micro_op.hpp"
#include "simulator/warp/warp.hpp"

namespace heddle::simulator {

class BlockView;
class DeviceMemory;
struct Block;
struct Core;
struct LaunchRequest;
struct Warp;

// The lanes' values of one register.
using RowView = std::span<const std::uint32_t, kWarpSize>;

class WarpView {
 public:
  WarpView(const Warp& warp) : warp_(&warp) {}  // NOLINT(google-explicit-constructor)

  std::uint32_t index() const;  // in its block
  BlockView block() const;

  // Lanes that have not ended, and how they are grouped. The current group is the last one.
  Mask live() const;
  bool finished() const { return live().empty(); }
  const Groups& groups() const;
  const Group* current() const;  // that executes next; null: every group waits
  // The lanes of a convergence barrier, below kConvergenceBarriers.
  Mask barrier(unsigned index) const;
  // The lanes that a group waits for which is to reconverge (Wait::reconvergence).
  Mask awaited_by(const Group& group) const;

  // Registers by row (simulator/warp/warp.hpp).
  RowView row(std::size_t row) const;
  // Of predicates by their indices in WarpState::predicates: the lanes in which they hold.
  Mask predicate(unsigned index) const;
  Mask predicate(const PredicateRef& reference) const;
  const std::array<Mask, 17>& predicates() const;

  const Warp& machine() const { return *warp_; }  // for the rooms that include machine.hpp

 private:
  const Warp* warp_;
};

class BlockView {
 public:
  BlockView(const Block& block) : block_(&block) {}  // NOLINT(google-explicit-constructor)

  std::uint64_t linear() const;  // its number in the grid
  Dim3 index() const;            // blockIdx
  std::uint32_t sm() const;      // %smid
  std::size_t warps() const;
  WarpView warp(std::size_t index) const;
  std::uint64_t barriers_completed() const;
  std::span<const std::byte> shared() const;

  const Block& machine() const { return *block_; }  // for the rooms that include machine.hpp

 private:
  const Block* block_;
};

class CoreView {
 public:
  CoreView(const Core& core) : core_(&core) {}  // NOLINT(google-explicit-constructor)

  std::uint64_t issued() const;                // warp instructions
  std::optional<std::uint64_t> cycle() const;  // nothing: the launch is not timed
  const LaunchRequest& request() const;
  const DeviceMemory& memory() const;
  std::uint32_t entry() const;  // of the kernel, as the PCs below

  // The instruction at a PC (an index in Program::instructions), made ready to execute.
  const MicroOp& instruction(std::uint32_t pc) const;
  std::uint32_t branch_target(std::uint32_t pc) const;  // a PC
  unsigned access_bytes(std::uint32_t pc) const;        // of each thread, of an access to memory
  Mask writes_besides(std::uint32_t pc) const;  // lanes that it writes though they are not active
  // Local memory of a lane; null: it has none there.
  const std::byte* local(const WarpView& warp, unsigned lane, std::uint64_t address,
                         std::uint64_t bytes) const;

  const Core& machine() const { return *core_; }  // for the rooms that include machine.hpp

 private:
  const Core* core_;
};

}  // namespace heddle::simulator
