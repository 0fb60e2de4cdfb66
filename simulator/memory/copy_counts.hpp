// How the memory unit counts LDGSTS, a copy from global to shared memory, from both addresses of
// its lanes. Measured on an H200, instruction by instruction (docs/experiments/l1-counting.md).
#pragma once

#include "simulator/memory/access_counts.hpp"

namespace heddle::simulator {

// Which way the data takes: .BYPASS leaves none of it in L1.
enum class CopyPath : std::uint8_t { bypass, through_l1 };

// `width`: bytes each lane copies: 4, 8 or 16. Addresses of lanes in `lanes` are multiples of it;
// `to` counts from any multiple of 128 bytes in shared memory. Sectors and tags are of global
// memory, wavefronts of shared memory. `lanes` may be empty: nothing is counted. `zeros`: lanes
// that read nothing and write zeros; through L1 they go with the others.
AccessCounts count_copy(CopyPath path, unsigned width, LaneAddresses from, LaneAddresses to,
                        Mask lanes, Mask zeros = Mask());

}  // namespace heddle::simulator
