// Calls of the driver's functions, which have no code: what they cost.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/launch/builtins.hpp"
#include "simulator/timing/resident_warp.hpp"
#include "simulator/timing/sm_context.hpp"

namespace heddle::simulator::timing {

struct DriverCall {
  Builtin callee;
  std::uint64_t argument = 0;  // the first, of the lowest lane
};

// That which the call about to issue makes, if its target is one of the driver's functions.
std::optional<DriverCall> driver_call(const SmContext& context, const ResidentWarp& warp,
                                      const Timed& timed);
// What a call takes, by what the warp does meanwhile: of functions that were measured; none: of the
// others. Once the call has been executed.
StallCycles driver_call_time(SmContext& context, const DriverCall& call, const Issue& issued,
                             Cycle now);

}  // namespace heddle::simulator::timing
