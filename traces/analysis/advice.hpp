// What makes a launch slow, where it comes from and what is known to help, in plain sentences with
// the run's own numbers: divergence, memory accesses, and the shape of the launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"
#include "traces/analysis/divergence_watch.hpp"

namespace heddle::traces {

// Who goes which way at a branch that splits warps.
enum class SplitKind : std::uint8_t {
  lanes,  // decided by the lane's number: the same lanes each time, or every n-th, or the first n
  trips,  // lanes leave a loop at different times
  data,   // neither
};
SplitKind kind_of(const SplitSite& site);

// "lanes 0-15", "every 4th lane", "the even lanes"; "the lanes 0x80c10000" for a set without a
// rule.
std::string describe_lanes(simulator::Mask lanes);

struct Advice {
  std::string title;     // what costs, where
  std::string text;      // how warps split, what helps, what it would save
  std::int64_t pc = -1;  // index in the program, or -1
};

// Cycles that the launch keeps SMs busy (traces/analysis/launch_cost.hpp).
double launch_cost(const DivergenceWatch& watch);

// Costliest first; nothing below two per cent of the launch's cost. `gpu`: with advice about blocks
// and waves there; null: without.
std::vector<Advice> advise(const simulator::LaunchRequest& request, const DivergenceWatch& watch,
                           const simulator::GpuModel* gpu = nullptr);

}  // namespace heddle::traces
