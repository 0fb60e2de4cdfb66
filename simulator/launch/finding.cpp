#include "simulator/launch/finding.hpp"

#include <fmt/format.h>

namespace heddle::simulator::checks {

std::string lane_list(Mask lanes) {
  std::string text;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!lanes.has(lane)) continue;
    unsigned last = lane;
    while (last + 1 < kWarpSize && lanes.has(last + 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last != lane) text += fmt::format("-{}", last);
    lane = last;
  }
  return text;
}

}  // namespace heddle::simulator::checks
