// What is known about a launch without running it.
#pragma once

#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {

struct LaunchFacts {
  Occupancy occupancy;
  double waves = 0;                           // how many times the grid fills the GPU
  double blocks = 0, warps = 0, threads = 0;  // of the grid
};

}  // namespace heddle::simulator
