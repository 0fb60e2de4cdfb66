#include "traces/analysis/lanes.hpp"

#include <fmt/format.h>

#include "simulator/launch/launch.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {
namespace {

using simulator::Group;
using simulator::kWarpSize;
using simulator::Wait;

char symbol(const Group& group) {
  switch (group.wait) {
    case Wait::none:
      return '.';
    case Wait::convergence_barrier:
      return "0123456789abcdef"[group.index & 15];
    case Wait::warp_sync:
      return 'w';
    case Wait::block_barrier:
      return static_cast<char>('A' + (group.index & 15));
    case Wait::reconvergence:
      return 'r';
  }
  return '?';
}

}  // namespace

Mask launched_lanes(const simulator::CoreView& core, const simulator::WarpView& warp) {
  const std::uint64_t threads = core.request().block.count();
  const std::uint64_t here = threads - std::uint64_t{warp.index()} * kWarpSize;
  return Mask::below(here);
}

std::string lane_bar(const simulator::CoreView& core, const simulator::WarpView& warp, Mask active,
                     Mask on) {
  std::string bar(kWarpSize, ' ');
  const auto put = [&bar](Mask lanes, char c) {
    for (const unsigned lane : lanes) bar[lane] = c;
  };
  put(launched_lanes(core, warp), 'x');
  for (const Group& group : warp.groups()) put(group.lanes, symbol(group));
  put(active, '-');
  put(on, '#');
  return bar;
}

std::string wait_text(const simulator::WarpView& warp, const Group& group) {
  const Mask others = warp.live() & ~group.lanes;
  switch (group.wait) {
    case Wait::none:
      return {};
    case Wait::convergence_barrier:
      return fmt::format("waits at B{} for {}", group.index,
                         lanes_text(warp.barrier(group.index) & others));
    case Wait::warp_sync:
      return fmt::format("waits at WARPSYNC for {}", lanes_text(group.partners & others));
    case Wait::block_barrier:
      return fmt::format("waits at block barrier {}", group.index);
    case Wait::reconvergence:
      return fmt::format("waits to reconverge with {}", lanes_text(warp.awaited_by(group)));
  }
  return {};
}

}  // namespace heddle::traces
