// Groups that are let go from their BSYNC otherwise than by a lane they wait for coming there too:
// as it left the barrier by BREAK or ended. They go through the BSYNC again, which only
// the hardware's own counters see: one execution for each BSYNC (H200: gpu/cupti/README.md).
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <vector>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

inline void count_let_go(Core& core, std::span<const Group> groups) {
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    InstructionCounts& counts = core.counts[group->pc - 1];
    counts.extra_threads += static_cast<unsigned>(std::popcount(group->lanes));
    const bool counted = std::any_of(groups.begin(), group,
                                     [&](const Group& other) { return other.pc == group->pc; });
    if (!counted) ++counts.extra_executed;
  }
}

inline std::vector<Group> waiting_at_bsync(const Convergence& convergence) {
  std::vector<Group> result;
  std::ranges::copy_if(convergence.groups(), std::back_inserter(result),
                       [](const Group& group) { return group.wait == Wait::convergence_barrier; });
  return result;
}

// `leave` takes lanes from barriers.
template <typename Leave>
void leave_counted(Core& core, const Convergence& convergence, Leave leave) {
  std::vector<Group> let_go = waiting_at_bsync(convergence);
  leave();
  if (let_go.empty()) return;
  const std::vector<Group> still = waiting_at_bsync(convergence);
  std::erase_if(let_go, [&](const Group& group) {
    return std::ranges::any_of(
        still, [&](const Group& other) { return (other.lanes & group.lanes) != 0; });
  });
  count_let_go(core, let_go);
}

}  // namespace heddle::simulator
