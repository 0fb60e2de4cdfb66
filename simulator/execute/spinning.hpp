// Warps that spin for ever: they go round in a loop whose every pass finds what the one before
// found and changes nothing, so that only another warp could end it.
//
// Where lanes of a warp wait for one another (simulator/warp/reconvergence_policies.hpp) a lock
// deadlocks: those that spin keep the one that has the lock from running. When every warp that
// could run is found spinning, nobody is left to end it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

enum class Spinning : std::uint8_t {
  no,       // not that could be seen in a few thousand instructions
  yes,      // two passes in a row were the same to the last bit, memory included
  stopped,  // the launch stops (Core::fault is set)
};

// Executes instructions of the warp's turn, as ever, and looks whether it spins. It must have a
// current group. Of one that does, the global memory that it reads goes into Core::awaited.
Spinning look_for_spinning(Core& core, Warp& warp);

// The most places noted in Core::awaited.
inline constexpr std::size_t kMostAwaited = 1 << 16;

// Whether the memory is not as the warp read it, or is gone.
bool has_changed(Core& core, const AwaitedPlace& place);

}  // namespace heddle::simulator
