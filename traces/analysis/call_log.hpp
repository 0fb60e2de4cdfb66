// Who called whom: calls and returns as they were executed, so that the call stack of a lane is
// known at any step, also after going back.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simulator/launch/observer.hpp"

namespace heddle::traces {

using simulator::Mask;

// Must see every instruction from the first on; those it has seen already it knows again.
class CallLog : public simulator::Observer {
 public:
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override;
  // The calls a lane is in before `step`, the outermost first: indices of the call instructions.
  std::vector<std::uint32_t> stack(std::uint64_t block, std::uint32_t warp, unsigned lane,
                                   std::uint64_t step) const;

 private:
  struct Event {
    std::uint64_t step;
    Mask lanes;
    std::uint32_t pc;
    bool is_call;
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Event>> events_;
  std::uint64_t seen_ = 0;  // instructions
};

}  // namespace heddle::traces
