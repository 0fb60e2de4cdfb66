#include "simulator/execute/stall_report.hpp"

#include <fmt/format.h>

#include <bit>

#include "simulator/launch/code_place.hpp"

namespace heddle::simulator {
namespace {

std::string place_of(const Core& core, std::uint32_t index) {
  const CodePlace place = code_place(*core.launch.request->module, index);
  if (place.function.empty())
    return fmt::format("code address {:#x}", code_address_of_index(index));
  std::string text = fmt::format("{}+{:#x}", place.function, place.pc);
  if (!place.line.empty()) text += fmt::format(" ({})", place.line);
  return text;
}

std::string waits_for(const Warp& warp, const Group& group) {
  switch (group.wait) {
    case Wait::none:
      if (warp.convergence.policy() == nullptr) return "running";
      return warp.convergence.has_current() && &group == &warp.convergence.groups().back()
                 ? "goes round and round, and changes nothing,"
                 : "waits its turn";
    case Wait::convergence_barrier: {
      const Mask absent =
          warp.convergence.barrier(group.index) & warp.convergence.live() & ~group.lanes;
      return fmt::format("waits at BSYNC B{} for lanes {:08x}", group.index, absent);
    }
    case Wait::warp_sync:
      return fmt::format("waits at WARPSYNC for lanes {:08x}",
                         group.partners & warp.convergence.live() & ~group.lanes);
    case Wait::block_barrier:
      return group.index < 16 ? fmt::format("waits at block barrier {}", group.index)
                              : std::string("waits at the cluster's barrier");
    case Wait::reconvergence:
      return fmt::format("waits to reconverge with lanes {:08x}",
                         warp.convergence.awaited_by(group));
  }
  return {};
}

std::string describe_warps(const Core& core, const Block& block) {
  std::string text;
  if (core.policy != nullptr)
    text = fmt::format(
        "lanes run together by the {} (--reconvergence {}): what waits here might not by another\n",
        info(core.launch.reconvergence).meaning, info(core.launch.reconvergence).name);
  text += fmt::format("block ({},{},{}):", block.index.x, block.index.y, block.index.z);
  for (const Warp& warp : block.warps) {
    if (warp.convergence.finished()) {
      text += fmt::format("\n  warp {}: ended", warp.index);
      continue;
    }
    for (const Group& group : warp.convergence.groups()) {
      // A waiting group's pc is already past the instruction that it waits at.
      const bool is_next = group.wait == Wait::none || group.wait == Wait::reconvergence;
      const std::uint32_t at = is_next || group.pc == 0 ? group.pc : group.pc - 1;
      text += fmt::format("\n  warp {} lanes {:08x}: {} at {}", warp.index, group.lanes,
                          waits_for(warp, group), place_of(core, at));
    }
  }
  return text;
}

void report(Core& core, const Block& block, Fault::Kind kind) {
  for (const Warp& warp : block.warps) {
    if (warp.convergence.groups().empty()) continue;
    const Group& group = warp.convergence.groups().back();
    const std::uint32_t at = group.wait == Wait::none || group.pc == 0 ? group.pc : group.pc - 1;
    core.raise(kind, warp, core.launch.program->steps[at], group.lanes, 0,
               describe_warps(core, block));
    return;
  }
}

}  // namespace

void report_deadlock(Core& core, const Block& block) { report(core, block, Fault::Kind::deadlock); }
void report_instruction_limit(Core& core, const Block& block) {
  report(core, block, Fault::Kind::instruction_limit);
}
void report_interrupt(Core& core, const Block& block) {
  report(core, block, Fault::Kind::interrupted);
}

}  // namespace heddle::simulator
