// What code of a program's regions calls, and where it counts.
#pragma once

#include <cstdint>
#include <functional>

#include "simulator/native/machine.hpp"
#include "simulator/native/run_op.hpp"

namespace heddle::simulator::native {

// Where the edge of stretches at an instruction is: how often it executes, and behind that its
// threads (Tally).
using EdgeOf = std::function<CountPlace(std::uint32_t)>;

struct RegionHelpers {
  EdgeOf edge_of;
  GoesOn goes_on = nullptr;
};

}  // namespace heddle::simulator::native
