#include "simulator/launch/finding.hpp"

#include <fmt/format.h>

#include <bit>

namespace heddle::simulator::checks {

std::string lane_list(Mask lanes) {
  std::string text;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    unsigned last = lane;
    while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last != lane) text += fmt::format("-{}", last);
    lane = last;
  }
  return text;
}

}  // namespace heddle::simulator::checks
