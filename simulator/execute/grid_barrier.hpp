// The barrier of a whole grid that the driver's functions offer (libcudadevrt's cudaCGSynchronize,
// which Numba calls). grid.sync() of CUDA C++ is code of the program's own.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Of the 8 bytes through which the blocks meet; 0: the launch is not cooperative.
std::uint64_t grid_barrier(const Core& core);

enum class Meeting : std::uint8_t { goes_on, complete, no_such_barrier };
// `lanes` of the warp arrive at the barrier, or ask again, having arrived, whether every living
// thread of the grid has. `handle`: what grid_barrier gave.
Meeting meet_grid(Core& core, Warp& warp, Mask lanes, std::uint64_t handle);

}  // namespace heddle::simulator
