// Warps that spin for ever: they go round in a loop whose every pass finds what the one before
// found and changes nothing, so that only somebody else could end it.
//
// Where lanes of a warp wait for one another (simulator/warp/reconvergence_policy.hpp) a lock
// deadlocks: those that spin keep the one that has the lock from running. When every warp that
// could run is found spinning, nobody is left to end it.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

enum class Spinning : std::uint8_t {
  no,       // not that could be seen in a few thousand instructions
  yes,      // two passes in a row were the same to the last bit, memory included
  stopped,  // the launch stops (Core::fault is set)
};

// Executes instructions of the warp's turn, as ever, and looks whether it spins. It must have a
// current group.
Spinning look_for_spinning(Core& core, Warp& warp);

}  // namespace heddle::simulator
