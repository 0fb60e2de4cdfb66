// A warp's 32 lanes as 32 characters, told apart without colour.
#pragma once

#include <string>
#include <string_view>

#include "simulator/launch/observer.hpp"

namespace heddle::traces {

using simulator::Mask;

// What the characters mean, one line each.
inline constexpr std::string_view kLaneLegend[] = {
    "#    executes it                -    in the group that executes, but its predicate is off",
    ".    in another group, waiting its turn",
    "0-9, a-f   waits at convergence barrier B0-B15 for the lanes it was split from",
    "A-P  waits at block barrier 0-15 (A: __syncthreads)    w    waits at WARPSYNC",
    "r    waits to reconverge (--reconvergence stack)",
    "x    has ended                  (blank)  the block has no such thread",
};

// The lanes the warp was launched with.
Mask launched_lanes(const simulator::CoreView& core, const simulator::WarpView& warp);

// Lane 0 at the left; `active` and `on` as in simulator::Issue, before it executes.
std::string lane_bar(const simulator::CoreView& core, const simulator::WarpView& warp, Mask active,
                     Mask on);

// Why a group that waits does so: "waits at B0 for 16-31"; empty for one that does not.
std::string wait_text(const simulator::WarpView& warp, const simulator::Group& group);

}  // namespace heddle::traces
