// A launch whose instructions were executed before: timed, and nothing computed.
#pragma once

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/timing/launch.hpp"

namespace heddle::simulator::timing {

// `options.settings.timing` must be set. What memory holds is neither read nor written. Throws
// std::invalid_argument as constants_for does, and what `source` throws.
LaunchOutcome time_instructions(InstructionSource& source, const LaunchRequest& request,
                                const LaunchOptions& options, const Device& device,
                                DeviceMemory& memory, DeviceTime& time);

}  // namespace heddle::simulator::timing
