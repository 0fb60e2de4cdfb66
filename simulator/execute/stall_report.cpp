#include "simulator/execute/stall_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "isa/attributes.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/launch/code_place.hpp"

namespace heddle::simulator {
namespace {

std::string place_of(const Core& core, std::uint32_t index) {
  const CodePlace place = code_place(*core.launch.request->module, index);
  if (place.function.empty())
    return fmt::format("code address {:#x}", code_address_of_index(index));
  std::string text = fmt::format("{}+{:#x}", display_name(place.function), place.pc);
  std::string line = place.line;
  for (const std::string& call : place.calls) line += ", called at " + call;
  if (!line.empty()) text += fmt::format(" ({})", line);
  return text;
}

// What holds the warp's current group; nothing: it is not held, or it is not known.
std::string held_by(const Core& core, const Warp& warp, const Group& group) {
  if (!warp.held_since || !warp.convergence->has_current() ||
      warp.convergence->current().pc != group.pc)
    return {};
  const Step& step = core.launch.program->steps[group.pc];
  if (step.instruction == nullptr) return {};
  if (step.instruction->op == isa::Op::SYNCS) return held_by_mbarrier(core, warp, step);
  const bool is_of_group =
      step.instruction->op == isa::Op::WARPGROUP || step.instruction->op == isa::Op::USETMAXREG;
  return is_of_group ? held_by_group(warp, step) : std::string{};
}

std::string waits_for(const Core& core, ReconvergencePolicy policy, const Warp& warp,
                      const Group& group) {
  if (group.wait == Wait::none)
    if (std::string held = held_by(core, warp, group); !held.empty()) return held;
  switch (group.wait) {
    case Wait::none:
      if (info(policy).progress) return "running";
      return warp.convergence->has_current() && &group == &warp.convergence->groups().back()
                 ? "spins without changing anything,"
                 : "waits its turn";
    case Wait::convergence_barrier: {
      const Mask absent =
          warp.convergence->barrier(group.index) & warp.convergence->live() & ~group.lanes;
      return fmt::format("waits at BSYNC B{} for lanes {:08x}", group.index, absent.bits());
    }
    case Wait::warp_sync: {
      const Mask absent = group.partners & warp.convergence->live() & ~group.lanes;
      return fmt::format("waits at WARPSYNC for lanes {:08x}", absent.bits());
    }
    case Wait::block_barrier:
      return group.index < 16 ? fmt::format("waits at block barrier {}", group.index)
                              : std::string("waits at the cluster's barrier");
    case Wait::reconvergence:
      return fmt::format("waits to reconverge with lanes {:08x}",
                         warp.convergence->awaited_by(group).bits());
  }
  return {};
}

std::string describe_warps(const Core& core, const Block& block) {
  std::string text;
  const ReconvergenceInfo& policy = info(core.launch.reconvergence);
  if (!policy.progress)
    text = fmt::format(
        "lanes reconverge by the {} (--reconvergence {}); another policy might not deadlock here\n",
        policy.meaning, policy.name);
  text += fmt::format("block ({},{},{}):", block.index.x, block.index.y, block.index.z);
  for (const Warp& warp : block.warps) {
    if (warp.convergence->finished()) {
      text += fmt::format("\n  warp {}: ended", warp.index);
      continue;
    }
    for (const Group& group : warp.convergence->groups()) {
      // A waiting group's pc is already past the instruction that it waits at.
      const bool is_next = group.wait == Wait::none || group.wait == Wait::reconvergence;
      const std::uint32_t at = is_next || group.pc == 0 ? group.pc : group.pc - 1;
      text += fmt::format("\n  warp {} lanes {:08x}: {} at {}", warp.index, group.lanes.bits(),
                          waits_for(core, policy.policy, warp, group), place_of(core, at));
    }
  }
  return text;
}

// An address with the allocation that it lies in.
std::string describe_address(const Core& core, std::uint64_t address) {
  const Allocation* in = core.launch.memory->find(address);
  if (in == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{:#x} (byte {} of the {} bytes of {})", address, address - in->address,
                     in->bytes, in->label);
}

std::string plural(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void report(Core& core, const Block& block, Fault::Kind kind, const std::string& why) {
  for (const Warp& warp : block.warps) {
    if (warp.convergence->groups().empty()) continue;
    const Group& group = warp.convergence->groups().back();
    const std::uint32_t at = group.wait == Wait::none || group.pc == 0 ? group.pc : group.pc - 1;
    core.raise(kind, warp, core.launch.program->steps[at], group.lanes, 0,
               why + describe_warps(core, block));
    return;
  }
}

}  // namespace

std::string describe_standstill(const Core& core, const BlockCounts& blocks) {
  constexpr std::size_t kMost = 8;  // places that are told apart
  struct Waiting {
    std::set<std::uint64_t> blocks;
    const AwaitedPlace* place = nullptr;
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Waiting> by_place;
  for (const AwaitedPlace& each : core.awaited) {
    Waiting& waiting = by_place[{each.address, each.pc}];
    waiting.blocks.insert(each.block);
    waiting.place = &each;
  }
  std::string text = by_place.empty() ? "" : "waiting:\n";
  std::size_t left = by_place.size();
  for (const auto& [key, waiting] : by_place) {
    if (by_place.size() - left == kMost) break;
    --left;
    const AwaitedPlace& place = *waiting.place;
    std::uint64_t value = 0;
    std::memcpy(&value, place.value.data(), std::min<std::size_t>(place.bytes, sizeof value));
    text += fmt::format("{} at {} for a change of {}, which holds {}\n",
                        plural(waiting.blocks.size(), "block"), place_of(core, place.pc),
                        describe_address(core, place.address), value);
  }
  if (left != 0) text += fmt::format("and {} more\n", plural(left, "place"));
  text += fmt::format("resident: {}", plural(blocks.resident, "block"));
  if (blocks.not_begun != 0)
    text += fmt::format(
        ", {} not begun: those begin when others end, so a barrier of the whole grid is never "
        "complete. Launch at most {} blocks, or use a cooperative launch",
        blocks.not_begun, blocks.resident);
  return text + "\n";
}

void report_deadlock(Core& core, const Block& block, const std::string& why) {
  report(core, block, Fault::Kind::deadlock, why);
}
void report_instruction_limit(Core& core, const Block& block) {
  report(core, block, Fault::Kind::instruction_limit, {});
}
void report_interrupt(Core& core, const Block& block) {
  report(core, block, Fault::Kind::interrupted, {});
}

}  // namespace heddle::simulator
