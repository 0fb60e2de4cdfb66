// What bulk copies and prefetches want of L2, beside the memory that they touch: nobody but the
// timing model asks.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

struct MemoryRun {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

// What L2 is to bring for a prefetch of the warp: UBLKPF or, of a box, UTMAPF. It may name what is
// not there; of a tensor map that is wrong it brings nothing.
MemoryRun prefetched_run(const Warp& warp, const Step& step);
std::vector<MemoryRun> prefetched_box(Core& core, const Warp& warp, const Step& step);

// Of the tensor map that a UTMALDG names (simulator/memory/tensor_map.hpp).
unsigned promotion_of_map(Core& core, const Warp& warp, const Step& step);

}  // namespace heddle::simulator
