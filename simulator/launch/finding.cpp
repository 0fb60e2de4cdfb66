#include "simulator/launch/finding.hpp"

#include <fmt/format.h>

namespace heddle::simulator::checks {

std::string calls_text(std::span<const std::string> calls, std::string_view indent) {
  constexpr std::size_t kInnermost = 4, kOutermost = 4;
  std::string text;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (i == kInnermost && calls.size() > kInnermost + kOutermost + 1) {
      const std::size_t left_out = calls.size() - kInnermost - kOutermost;
      text += fmt::format("\n{}({} more calls)", indent, left_out);
      i += left_out - 1;
    } else {
      text += fmt::format("\n{}called at {}", indent, calls[i]);
    }
  return text;
}

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
