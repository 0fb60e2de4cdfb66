// What native code for a run of instructions is called with.
#pragma once

#include <cstdint>

#include "simulator/base/mask.hpp"
#include "simulator/warp/warp.hpp"

namespace heddle::simulator::native {

// Executes a run: instructions one after the other that touch only registers and predicates.
// `active` are the lanes of the warp's current group. `counted` is where lanes that a guard
// switches off are taken off (Tally::pages). The calling thread holds a lanes::FloatEnvironment.
using Function = void (*)(WarpState* warp, std::uint32_t active, const void* counted);

}  // namespace heddle::simulator::native
