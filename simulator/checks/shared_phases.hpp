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
    return for_each_line(access, [this](std::size_t line) {
      return line < written_in_.size() && written_in_[line] < phase_;
    });
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
  // Calls f(line) for the lines that an access touches, until one gives false. Most lanes touch the
  // line of the lane before.
  template <typename F>
  static bool for_each_line(const Access& access, F&& f) {
    const auto all_of = [&](std::size_t line, std::size_t last) {
      for (; line <= last; ++line)
        if (!f(line)) return false;
      return true;
    };
    if (access.adjoining)
      return all_of(line_of(access.address[0]),
                    line_of(access.address[0] + std::uint64_t{access.width} * kWarpSize - 1));
    std::size_t known = ~std::size_t{0};
    for (const unsigned lane : access.lanes) {
      const std::size_t first = line_of(access.address[lane]);
      const std::size_t last = line_of(access.address[lane] + access.width - 1);
      if (first == known && last == known) continue;
      if (!all_of(first, last)) return false;
      known = last;
    }
    return true;
  }
  void mark(const Access& access, std::uint32_t phase) {
    for_each_line(access, [&](std::size_t line) {
      if (line < written_in_.size()) written_in_[line] = std::max(written_in_[line], phase);
      return true;
    });
  }

  std::uint32_t phase_ = 1;
  std::vector<std::uint32_t> written_in_;  // by line: the phase of the last write; 0: none
  std::array<Mask, kWarpSize> touched_{};  // in this phase, by warp
};

}  // namespace heddle::simulator::checks
