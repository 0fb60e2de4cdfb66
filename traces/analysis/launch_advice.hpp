// Advice about a launch's shape: what limits its occupancy, blocks that do not fill the GPU evenly.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "traces/analysis/access_watch.hpp"
#include "traces/analysis/advice.hpp"

namespace heddle::traces {

// "1024 blocks are 0.97 waves of 132 SMs; occupancy 75 %, limited by registers …": one line, and
// what one register less would change.
std::string shape_text(const simulator::LaunchRequest& request, const simulator::GpuModel& gpu);

// With the share of the launch's time that it would save, from the warp instructions of its blocks.
std::vector<std::pair<double, Advice>> launch_advice(const simulator::LaunchRequest& request,
                                                     const AccessWatch& accesses,
                                                     const simulator::GpuModel& gpu);

}  // namespace heddle::traces
