// heddle run on traces that Accel-Sim replays.
#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"
#include "simulator/launch/launch_settings.hpp"
#include "simulator/record/record.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::cli {

bool is_accelsim(const std::string& word);  // a kernelslist.g or a NAME.traceg

// Times the kernels of the traces that are named, one after the other on one GPU. `trace`: null or
// sees every launch. `go_on`: asked now and then; false ends the launch. Throws std::runtime_error.
simulator::Record run_accelsim(const Arguments& arguments, traces::Trace* trace,
                               const simulator::LaunchSettings& settings,
                               const std::function<bool()>& go_on);

}  // namespace heddle::cli
