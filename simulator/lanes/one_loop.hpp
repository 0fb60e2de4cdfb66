// Lifts instruction structs of which there are hundreds, each of much work: what one loop for full
// and for partial masks costs is small beside that, and two would take twice as long to compile.
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// As lift.
template <class Op>
[[gnu::flatten]] void lift_as_one(WarpState& warp, const MicroOp& op, Mask on) {
  lane_loop<Op, false>(warp, op, on);
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
