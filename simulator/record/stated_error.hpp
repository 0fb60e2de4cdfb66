// How far the modelled cycles of a launch may be from a GPU's.
#pragma once

#include "isa/op.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/time_bounds.hpp"

namespace heddle::simulator {

// What most of the launch's cycles were spent on: the largest group of its stall reasons.
TimeBound time_bound(const timing::Result& timing);

// Instructions whose time no microbenchmark has given the model yet: products of warp groups and
// copies of tensors' boxes (docs/deviations/timing.md). Of launches with them no error is stated.
bool is_timed_roughly(isa::Op op);

}  // namespace heddle::simulator
