// Advice from a timed launch: the lines where warps wait most, for what, and for which instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/launch/launch.hpp"
#include "traces/analysis/advice.hpp"
#include "traces/analysis/listing.hpp"

namespace heddle::traces {

// The instruction whose result, or whose reading of its operands, this one waits for at a
// scoreboard: the nearest before it, else the last of the function (a loop goes round). `far`: one
// that accesses memory beyond the SM rather than another. Nothing where it waits at no scoreboard.
std::optional<std::uint32_t> waits_for(const isa::Program& program, std::uint32_t pc, bool far);

// Costliest line first, at most three; none below two per cent of all warps' cycles. Empty where
// the launch was not timed.
std::vector<Advice> stall_advice(const simulator::LaunchRequest& request,
                                 const std::optional<simulator::timing::Result>& timing,
                                 Listing& listing);

}  // namespace heddle::traces
