#pragma once

#include <cstdint>

namespace heddle::simulator {

// What an instruction did to the flow of its group.
enum class Flow : std::uint8_t {
  next,        // go on with the next instruction
  jump,        // same lanes, the group's pc was set
  reschedule,  // groups diverged, reconverged, ended or wait: look at the warp again
  stop,        // the launch ends (Core::fault is set)
};

}  // namespace heddle::simulator
