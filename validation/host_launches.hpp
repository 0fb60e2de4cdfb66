// Launches as profilers of a GPU count them: by the program's own.
#pragma once

#include <vector>

#include "simulator/record/record.hpp"

namespace heddle::validation {

// The program's launches, numbered from 0, each with the counts of all that device code launched on
// its behalf, and with the memory as it is when all that has ended. Metrics of a launch that are
// neither sums nor made of sums are those of the program's launch itself. Blocks and warps that
// were launched are left out where device code launched some: hardware counts the driver's own
// besides.
std::vector<simulator::LaunchRecord> host_launches(const simulator::Record& record);

}  // namespace heddle::validation
