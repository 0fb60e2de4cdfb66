// Shared memory of a block between two barriers that all its threads wait at. What was written
// before the last one is known to every thread that still runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulator/checks/check.hpp"
#include "simulator/checks/shadow.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/launch/observer.hpp"

namespace heddle::simulator::checks {

class SharedPhases {
 public:
  void start(std::uint32_t shared_bytes) {
    written_in_.assign((shared_bytes + Shadow::kLine - 1) / Shadow::kLine, 0);
  }
  // Lanes of a warp access shared memory.
  void touch(std::uint32_t warp, Mask lanes) { touched_[warp] |= lanes; }
  void write(const Access& access) { mark(access, phase_); }
  // By a copy that no barrier of the block makes known.
  void write_apart(const Access& access) { mark(access, kNever); }

  // Whether all writes to the lines of an access came before this phase.
  bool knows_writes(const Access& access) const {
    for (const unsigned lane : access.lanes) {
      const std::size_t line = line_of(access.address[lane]);
      if (line >= written_in_.size() || written_in_[line] >= phase_) return false;
    }
    return true;
  }
  // A barrier has released these lanes of each warp. True: a phase begins.
  bool released(const Block& block, const std::array<Mask, kWarpSize>& waited) {
    for (const Warp& warp : block.warps)
      if (((touched_[warp.index] | warp.convergence->live()) & ~waited[warp.index]).any())
        return false;
    touched_.fill(Mask());
    ++phase_;
    return true;
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  static std::size_t line_of(std::uint64_t address) {
    return (address & kSharedOffset) / Shadow::kLine;
  }
  void mark(const Access& access, std::uint32_t phase) {
    for (const unsigned lane : access.lanes) {
      const std::size_t last = line_of(access.address[lane] + access.width - 1);
      for (std::size_t line = line_of(access.address[lane]); line <= last; ++line)
        if (line < written_in_.size()) written_in_[line] = std::max(written_in_[line], phase);
    }
  }

  std::uint32_t phase_ = 1;
  std::vector<std::uint32_t> written_in_;  // by line: the phase of the last write; 0: none
  std::array<Mask, kWarpSize> touched_{};  // in this phase, by warp
};

}  // namespace heddle::simulator::checks
