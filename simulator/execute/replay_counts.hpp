// What only the hardware's own counters see of branches and barriers: lanes that execute an
// instruction once more, because it left or held them there (H200: gpu/cupti/README.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

inline void count_replay(InstructionCounts& counts, Mask lanes) {
  ++counts.extra_executed;
  counts.extra_threads += lanes.count();
}

// An instruction sent its lanes to `places` places, two at a time: every place but the last is a
// divergent branch.
inline void count_branch(InstructionCounts& counts, std::size_t places) {
  if (places == 1)
    ++counts.branch_uniform;
  else
    counts.branch_divergent += places - 1;
}

// Groups that were released from their BSYNC otherwise than by a lane they wait for coming there
// too: as it left the barrier by BREAK or ended. They execute the BSYNC once more, one execution
// for each BSYNC.
inline void count_released(Core& core, std::span<const Group> groups) {
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    InstructionCounts& counts = core.counts[group->pc - 1];
    counts.extra_threads += group->lanes.count();
    const bool counted = std::any_of(groups.begin(), group,
                                     [&](const Group& other) { return other.pc == group->pc; });
    if (!counted) ++counts.extra_executed;
  }
}

}  // namespace heddle::simulator
