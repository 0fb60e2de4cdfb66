#include "simulator/checks/race_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/attributes.hpp"
#include "simulator/checks/emulated_atomics.hpp"
#include "simulator/execute/block_barrier.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Op;

bool is_atomic(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::store; }

Use use_of(const Step& step, const Access& access) {
  if (access.kind == AccessKind::compare_and_swap || access.kind == AccessKind::cast_spin)
    return Use::swap;
  if (is_atomic(access.kind)) return Use::atomic;
  const Op op = step.instruction->op;
  return op == Op::SYNCS || isa::is_strong(*step.instruction) ? Use::strong : Use::plain;
}

// What lies where a lane has just written.
const std::byte* bytes_at(const Core& core, const Warp& warp, const Access& access, unsigned lane) {
  const std::uint64_t address = access.address[lane];
  if (access.space == Window::shared) return shared_view(core, *warp.block, address, access.width);
  return core.launch.memory->view(address, access.width);
}

Mask lanes_waiting(const Warp& warp, Wait wait) {
  Mask lanes = 0;
  for (const Group& group : warp.convergence.groups())
    if (group.wait == wait) lanes |= group.lanes;
  return lanes;
}

}  // namespace

void RaceCheck::begin(const LaunchRequest& request) {
  knowledge_.clear();
  blocks_.clear();
  linear_.clear();
  global_ = {};
  told_at_.clear();
  told_in_.clear();
  if (scanned_ != request.module) emulates_ = loads_of_emulated_atomics(request.module->lowered());
  scanned_ = request.module;
  for_debugging_ = is_for_debugging(*request.module);
}

void RaceCheck::block_started(const Core&, const Block& block) {
  BlockTrack& track = blocks_[block.linear];
  track.number = static_cast<std::uint32_t>(linear_.size());
  linear_.push_back(block.linear);
  track.warps.resize(block.warps.size());
  for (std::size_t i = 0; i < block.warps.size(); ++i)
    track.warps[i].lanes.start(block.warps[i].convergence.live());
  knowledge_.start_block(track.number, static_cast<std::uint32_t>(block.warps.size()));
}

void RaceCheck::block_ended(const Core&, const Block& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  knowledge_.end_block(found->second.number);
  blocks_.erase(found);
}

RaceCheck::BlockTrack& RaceCheck::track_of(const Block& block) { return blocks_.at(block.linear); }

// A barrier has let go once those who came to it no longer wait there.
void RaceCheck::look_at_barriers(const Block& block, BlockTrack& track) {
  if (block.barriers_completed == track.barriers_completed) return;
  track.barriers_completed = block.barriers_completed;
  std::erase_if(track.arrivals, [&](auto& each) {
    auto& [number, arrivals] = each;
    if (arrivals.waiting_warps == 0) return false;
    for (const Warp& warp : block.warps)
      if ((warp.convergence.waiting_at_block_barrier(number) & arrivals.waiting[warp.index]) != 0)
        return false;
    knowledge_.meet(track.number, arrivals.waiting_warps, arrivals.arrived_warps);
    for (const Warp& warp : block.warps)
      track.warps[warp.index].lanes.meet(arrivals.waiting[warp.index]);
    return true;
  });
}

void RaceCheck::look_at_warp_sync(const Warp& warp, WarpTrack& track) {
  if (track.at_warp_sync == 0) return;
  const Mask waiting = lanes_waiting(warp, Wait::warp_sync);
  track.lanes.meet(track.at_warp_sync & ~waiting);
  track.at_warp_sync &= waiting;
}

void RaceCheck::issuing(const Core& core, const Warp& warp, const Issue& next) {
  const Block& block = *warp.block;
  BlockTrack& track = track_of(block);
  WarpTrack& of_warp = track.warps[warp.index];
  const WarpId id{track.number, warp.index};
  look_at_barriers(block, track);
  look_at_warp_sync(warp, of_warp);
  of_warp.lanes.issue(next.active);
  if (of_warp.at_cluster_wait) {
    of_warp.at_cluster_wait = false;
    knowledge_.learn(id, std::make_shared<const Knowledge::Told>(told_in_[block.cluster.get()]));
  }
  const Step& step = core.launch.program->steps[next.pc];
  if (next.on == 0 || step.instruction == nullptr) return;
  switch (step.instruction->op) {
    case Op::BAR: {
      const BarrierRequest request = barrier_request(warp, step, next.on);
      Arrivals& arrivals = track.arrivals[request.number];
      constexpr std::uint8_t kArrive = 1;
      if (step.selector == kArrive) {
        arrivals.arrived_warps |= 1u << warp.index;
      } else {
        arrivals.waiting_warps |= 1u << warp.index;
        arrivals.waiting[warp.index] |= next.on;
      }
      break;
    }
    case Op::WARPSYNC:
      of_warp.at_warp_sync |= next.on;
      break;
    case Op::MEMBAR:
    case Op::SYNCS:  // mbarrier operations order what is before them, and after
      knowledge_.fence(id);
      break;
    case Op::UCGABAR_ARV:
      knowledge_.fence(id);
      Knowledge::join(told_in_[block.cluster.get()], *knowledge_.told_by(id));
      break;
    case Op::UCGABAR_WAIT:
      of_warp.at_cluster_wait = true;
      break;
    default:
      break;
  }
}

void RaceCheck::issued(const Core& core, const Warp& warp, const Issue& issue) {
  BlockTrack& track = track_of(*warp.block);
  for (const Access& access : issue.accesses)
    if (access.space != Window::local && access.lanes != 0)
      look_at(core, warp, track, issue, access);
  look_at_barriers(*warp.block, track);
}

void RaceCheck::look_at(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue,
                        const Access& access) {
  const Step& step = core.launch.program->steps[issue.pc];
  const Use use = use_of(step, access);
  if (use != Use::plain) synchronize(warp, track, access);
  if (access.kind == AccessKind::store) look_at_lanes_of_one_store(core, warp, issue, access);
  const WarpId id{track.number, warp.index};
  const std::uint32_t clock = knowledge_.clock(id), tick = track.warps[warp.index].lanes.tick();
  const bool reads = access.kind != AccessKind::store, writes = access.kind != AccessKind::load;
  if (!writes && emulates_[issue.pc]) return;
  for_each_lane(access.lanes, [&](unsigned lane) {
    std::uint64_t address = access.address[lane];
    Shadow* shadow = &global_;
    if (access.space == Window::shared) {
      const Block* const owner = shared_owner(*warp.block, address);
      if (owner == nullptr) return;
      shadow = &track_of(*owner).shared;
      address &= kSharedOffset;
    }
    const Trace now{id, clock, tick, issue.pc, 0, static_cast<std::uint8_t>(lane), use};
    const std::byte* const data = bytes_at(core, warp, access, lane);
    shadow->for_each(address, access.width, [&](Cell& cell, std::uint64_t at, std::uint32_t bytes) {
      Trace trace = now;
      if (writes && data != nullptr) std::memcpy(&trace.value, data + (at - address), bytes);
      look_at_cell({core, warp, track, issue, access, at}, cell, trace, reads, writes);
    });
  });
}

// A release is a fence, then an atomic operation or a strong store; an acquire is an atomic
// operation or a strong load that sees it. (That a fence follows is not asked for.)
void RaceCheck::synchronize(const Warp& warp, BlockTrack& track, const Access& access) {
  const WarpId id{track.number, warp.index};
  const Told mine = knowledge_.told_by(id);
  std::uint64_t last = ~std::uint64_t{0};
  for_each_lane(access.lanes, [&](unsigned lane) {
    std::uint64_t place = access.address[lane];
    if (access.space == Window::shared) {
      const Block* const owner = shared_owner(*warp.block, place);
      if (owner == nullptr) return;
      place = (place & kSharedOffset) | std::uint64_t{track_of(*owner).number} << 32;
      place |= std::uint64_t{1} << 63;
    }
    Told& told = told_at_[place];
    if (access.kind != AccessKind::store && told != nullptr) {
      knowledge_.learn(id, told);
      if (const auto own = told->find(id.block); own != told->end()) {
        std::uint32_t& known = track.warps[warp.index].told[lane];
        known = std::max(known, (*own->second)[id.warp]);
      }
    }
    if (access.kind == AccessKind::load || place == last) return;
    last = place;
    if (access.kind == AccessKind::store || told == nullptr) {
      told = mine;
    } else if (mine != nullptr && told != mine) {
      auto both = std::make_shared<Knowledge::Told>(*told);
      Knowledge::join(*both, *mine);
      told = std::move(both);
    }
  });
}

// Code compiled with -G hides which loads belong to loops around a compare-and-swap.
bool RaceCheck::may_meet(Use one, Use other) const {
  if (for_debugging_ && (one == Use::swap || other == Use::swap)) return true;
  return one != Use::plain && other != Use::plain;
}

bool RaceCheck::ordered(const Part& part, const Trace& before, const Trace& now) const {
  if (before.clock == 0) return true;
  if (before.who != now.who) return knowledge_.knows(now.who, before.who, before.clock);
  const WarpTrack& track = part.track.warps[now.who.warp];
  return track.lanes.ordered(before.lane, before.tick, now.lane) ||
         track.told[now.lane] >= before.clock;
}

void RaceCheck::look_at_cell(const Part& part, Cell& cell, const Trace& now, bool reads,
                             bool writes) {
  const bool changes = writes && (cell.write.clock == 0 || cell.write.value != now.value);
  if (!may_meet(cell.write.use, now.use) && !ordered(part, cell.write, now) && (reads || changes))
    report(part, cell.write, now, true, writes && !reads);
  if (changes)
    for (const Trace* before : {&cell.read, &cell.other_read})
      if (!may_meet(before->use, now.use) && !ordered(part, *before, now)) {
        report(part, *before, now, false, true);
        break;
      }
  if (writes) cell.write = now;
  if (!reads || writes) return;
  if (cell.read.clock != 0 && cell.read.who != now.who) cell.other_read = cell.read;
  cell.read = now;
}

// Where lanes of one store write different values to one place, which one stays is not defined.
void RaceCheck::look_at_lanes_of_one_store(const Core& core, const Warp& warp, const Issue& issue,
                                           const Access& access) {
  const Step& step = core.launch.program->steps[issue.pc];
  if (step.instruction->op == Op::LDGSTS || step.instruction->op == Op::STSM) return;
  const std::uint32_t* const data = source_row(warp, step.b);
  const auto differs = [&](unsigned one, unsigned other) {
    const std::uint32_t mask = access.width < 4 ? (1u << 8 * access.width) - 1 : ~0u;
    for (unsigned word = 0; word < std::max(1u, access.width / 4); ++word)
      if (((data[word * kWarpSize + one] ^ data[word * kWarpSize + other]) & mask) != 0)
        return true;
    return false;
  };
  std::array<std::uint8_t, kWarpSize> lanes{};
  unsigned count = 0;
  for_each_lane(access.lanes,
                [&](unsigned lane) { lanes[count++] = static_cast<std::uint8_t>(lane); });
  std::sort(lanes.begin(), lanes.begin() + count, [&](unsigned one, unsigned other) {
    return access.address[one] < access.address[other];
  });
  for (unsigned i = 1; i < count; ++i) {
    const unsigned one = lanes[i - 1], other = lanes[i];
    if (access.address[one] != access.address[other] || !differs(one, other)) continue;
    Finding* const finding = findings_.note("races", "same_instruction", issue.pc);
    if (finding == nullptr) return;
    const Mask both = Mask{1} << one | Mask{1} << other;
    finding->address = access.address[one];
    finding->message = fmt::format(
        "lanes {} of one instruction write different values to one place, {:#x}: which stays is "
        "not defined",
        lane_list(both), access.address[one]);
    finding->sides.push_back(side_of(findings_.request(), actor(warp, issue.pc, both),
                                     access_text(access.kind, access.width, access.space)));
    return;
  }
}

void RaceCheck::report(const Part& part, const Trace& before, const Trace& now, bool wrote_before,
                       bool writes_now) {
  const char* const kind = !wrote_before ? "write_after_read"
                           : writes_now  ? "write_after_write"
                                         : "read_after_write";
  Finding* const finding = findings_.note("races", kind, now.pc, before.pc);
  if (finding == nullptr) return;
  const bool same_block = before.who.block == now.who.block;
  const Window space = part.access.space;
  finding->address = part.address;
  finding->message = fmt::format("race in {} memory, at {:#x}: nothing orders these two accesses",
                                 space == Window::shared ? "shared" : "global", part.address);
  const auto side = [&](const Trace& trace, std::string what) {
    const Actor who{linear_[trace.who.block], trace.who.warp, Mask{1} << trace.lane, trace.pc};
    finding->sides.push_back(side_of(findings_.request(), who, std::move(what)));
  };
  side(now, access_text(part.access.kind, part.access.width, space));
  const char* const earlier = before.use >= Use::atomic ? "changed it, by an atomic operation"
                              : wrote_before            ? "wrote it"
                                                        : "read it";
  side(before, earlier);
  finding->details =
      before.who == now.who ? "lanes of one warp that had parted; __syncwarp() orders them"
      : same_block          ? "warps of one block; __syncthreads() between the two orders them"
      : space == Window::shared
          ? "blocks of one cluster; cluster.sync() between the two orders them"
          : "different blocks; atomic operations, a fence before a flag, a grid's barrier or two "
            "launches order them";
  if (space == Window::global)
    if (const Allocation* const allocation = part.core.launch.memory->find(part.address))
      finding->details +=
          fmt::format("\nbyte {} of {}", part.address - allocation->address, describe(*allocation));
}

}  // namespace heddle::simulator::checks
