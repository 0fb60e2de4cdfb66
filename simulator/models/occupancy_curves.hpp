// How occupancy changes with one resource of a kernel while the others stay.
#pragma once

#include <string>
#include <vector>

#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {

struct OccupancyCurve {
  std::string resource;  // "threads per block", "registers per thread", "shared bytes per block"
  std::uint32_t at = 0;  // where the kernel stands
  struct Point {
    std::uint32_t value;
    std::uint32_t warps;  // on an SM
  };
  std::string limited_by;     // what limits the kernel there: "warps", "registers and warps"
  std::vector<Point> points;  // from the smallest to the most the SM allows, in its own steps
};

// Over block size (in warps), registers (one by one) and shared memory (in steps of 1 KiB).
std::vector<OccupancyCurve> occupancy_curves(const SmLimits& sm, const KernelResources& kernel);

// As a picture: the curves side by side, with the kernel's own place marked. SVG, one element.
std::string draw(const std::vector<OccupancyCurve>& curves, const SmLimits& sm);

}  // namespace heddle::simulator
