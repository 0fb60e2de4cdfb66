// heddle run --advice of a sketch: other predication rules and block sizes, simulated.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "simulator/launch/launch_settings.hpp"

namespace heddle::cli {

// One line for each variant that takes two per cent less (time; on GPUs whose model has none, warp
// instructions), best first; empty where none does, or the sketch is too long to run so often.
std::string sketch_what_if(const std::string& file, const Arguments& arguments,
                           const simulator::LaunchSettings& settings);

}  // namespace heddle::cli
