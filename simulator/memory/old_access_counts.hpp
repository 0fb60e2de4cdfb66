// How GPUs before Maxwell count a warp's access, after NVIDIA's guides of their time. Pure
// functions. Nobody has checked them against the chips.
//
// What is counted has the names of simulator/memory/access_counts.hpp: `tags` are transactions,
// `sectors` the 32-byte pieces they move, `wavefronts` the steps in which shared memory serves the
// threads.
#pragma once

#include "simulator/memory/access_counts.hpp"
#include "simulator/memory/access_rules.hpp"

namespace heddle::simulator {

// Widths, addresses and lanes as count_global takes them; `rules` other than sectors.
AccessCounts count_global_before(AccessRules rules, AccessKind kind, unsigned width,
                                 LaneAddresses address, Mask lanes);
inline AccessCounts count_global_by(AccessRules rules, AccessKind kind, unsigned width,
                                    LaneAddresses address, Mask lanes) {
  return rules == AccessRules::sectors ? count_global(kind, width, address, lanes)
                                       : count_global_before(rules, kind, width, address, lanes);
}

// 1.x: 16 threads at a time on 16 banks. A step serves one thread in each bank, and every thread
// that reads one word, the step's broadcast word (which of them is the step's is not specified;
// here that of the lowest thread left).
AccessCounts count_shared_half_warps(AccessKind kind, unsigned width, LaneAddresses address,
                                     Mask lanes);

}  // namespace heddle::simulator
