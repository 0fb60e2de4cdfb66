// Time in the timing model.
#pragma once

#include <cstdint>

namespace heddle::simulator::timing {

// SM clock cycles since the launch began.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~Cycle{0};

// A server with bandwidth and no latency of its own: work is done in the order it is given, each
// piece once the one before has left. Counts in 1/256 of a cycle, so that servers of several pieces
// a cycle add up exactly.
class Server {
 public:
  static constexpr std::uint64_t kTicks = 256;
  // Cycles that work given at `now`, which takes `ticks`, waits before it begins.
  Cycle wait(Cycle now, std::uint64_t ticks) {
    const std::uint64_t begin = free_ > now * kTicks ? free_ : now * kTicks;
    free_ = begin + ticks;
    return (begin - now * kTicks) / kTicks;
  }
  // Cycles from `now` until new work could begin.
  Cycle backlog(Cycle now) const { return free_ > now * kTicks ? free_ / kTicks - now : 0; }

 private:
  std::uint64_t free_ = 0;
};

}  // namespace heddle::simulator::timing
