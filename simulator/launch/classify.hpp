// Whether a launch's results may depend on the order in which warps ran, judged by what it
// executed.
#pragma once

#include <string>
#include <vector>

#include "isa/program.hpp"
#include "simulator/launch/kernel_code.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {

// `warps`: of the launch; `warps_per_block`.
LaunchClass classify(const isa::Program& program, const LaunchCounts& counts, std::uint64_t warps,
                     std::uint64_t warps_per_block);

// Not empty when some instruction of the module can see how blocks interleave; its own text says
// which.
std::string sees_order(const isa::Program& program);

// Whether a kernel's code reads what tells time or place: a clock counts what its core has
// executed.
bool tells_time(const isa::Program& program, const std::vector<InstructionRange>& code);

// Whether a kernel's code has instructions that UnorderedReads judges: strong loads, or both loads
// and reductions of global memory.
bool may_read_unordered(const isa::Program& program, const std::vector<InstructionRange>& code);

// Whether it has branches that can lead the lanes of a warp to different places.
bool may_part_lanes(const isa::Program& program, const std::vector<InstructionRange>& code);

}  // namespace heddle::simulator
