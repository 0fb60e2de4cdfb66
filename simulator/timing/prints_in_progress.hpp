// Calls of printf that have not come to their end, on all SMs: each waits for the others.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class PrintsInProgress {
 public:
  // What a call waits for those before it, that takes `alone` by itself: for the turn of each, or
  // the part of it that is left of such a call (gpu/kernels/micro/timing/cold_prints.cu).
  Cycle wait(Cycle now, Cycle alone) {
    std::erase_if(calls_, [now](const Call& each) { return each.end <= now; });
    Cycle sum = 0;
    if (alone == 0) return sum;
    for (const Call& each : calls_) sum += each.turn * std::min(each.end - now, alone) / alone;
    return sum;
  }
  void add(Cycle end, Cycle turn) { calls_.push_back({end, turn}); }

 private:
  struct Call {
    Cycle end, turn;
  };
  std::vector<Call> calls_;
};

}  // namespace heddle::simulator::timing
