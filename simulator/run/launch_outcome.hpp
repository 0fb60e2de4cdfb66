// From what a launch came to, to what is told of it.
#pragma once

#include "simulator/launch/launch.hpp"
#include "simulator/run/prepared_launch.hpp"

namespace heddle::simulator {

// Counts, fault and class of a launch that was executed, and what of it is not as on hardware.
LaunchOutcome launch_outcome(const LaunchContext& context, GridRun executed);

}  // namespace heddle::simulator
