// How far the modelled cycles of a launch may be from a GPU's.
#pragma once

#include "simulator/launch/timing_result.hpp"
#include "simulator/models/time_bounds.hpp"

namespace heddle::simulator {

// What most of the launch's cycles were spent on: the largest group of its stall reasons.
TimeBound time_bound(const timing::Result& timing);

}  // namespace heddle::simulator
