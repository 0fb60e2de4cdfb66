#include "simulator/checks/sync_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/attributes.hpp"
#include "simulator/execute/block_barrier.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Effect;

bool anybody_waits_at(const Block& block, unsigned number) {
  return block.barriers[number].arrived_only != 0 ||
         std::ranges::any_of(block.warps, [number](const Warp& warp) {
           return warp.convergence->waiting_at_block_barrier(number).any();
         });
}

std::string warps_missing_at(const Block& block, unsigned number) {
  std::string text;
  for (const Warp& warp : block.warps) {
    const Mask live = warp.convergence->live();
    const Mask missing = live & ~warp.convergence->waiting_at_block_barrier(number);
    if (missing.empty()) continue;
    text += text.empty() ? "" : "; ";
    text += missing == live ? fmt::format("warp {}", warp.index)
                            : fmt::format("warp {} lanes {}", warp.index, lane_list(missing));
  }
  return text;
}

std::string at_block_barrier(const Block& block, unsigned number) {
  if (number >= block.barriers.size()) return "waits at the cluster's barrier";
  std::string text = fmt::format("waits at block barrier {}", number);
  if (const std::uint32_t expected = block.barriers[number].expected; expected != 0)
    text += fmt::format(", which expects {} threads", expected);
  if (const std::string missing = warps_missing_at(block, number); !missing.empty())
    text += fmt::format("; not there: {}", missing);
  return text;
}

std::string waits_for(const Block& block, const Warp& warp, const Group& group) {
  const auto absent = [&](Mask wanted) {
    return lane_list(wanted & warp.convergence->live() & ~group.lanes);
  };
  switch (group.wait) {
    case Wait::none:
      return "could run";
    case Wait::convergence_barrier:
      return fmt::format("waits to reconverge with lanes {}",
                         absent(warp.convergence->barrier(group.index)));
    case Wait::warp_sync:
      return fmt::format("waits at a _sync call for lanes {}", absent(group.partners));
    case Wait::block_barrier:
      return at_block_barrier(block, group.index);
    case Wait::reconvergence:
      return fmt::format("waits to reconverge with lanes {}",
                         absent(warp.convergence->awaited_by(group)));
  }
  return {};
}

// In code compiled with -G a kernel's returns meet in front of its EXIT. By pc: the instructions
// that lead there, from which it is told by which way a thread ended.
std::vector<bool> ways_to_exits(const isa::Program& program) {
  const auto& code = program.instructions;
  const auto always = [](const isa::Instruction& in) { return in.guard.index == isa::kPT; };
  std::vector<bool> is_end(code.size());
  const auto target = [&](std::size_t pc) -> std::size_t {  // of a branch; none: past the end
    const isa::Instruction& in = *code[pc];
    if (isa::effect(in) != Effect::branch) return code.size();
    return static_cast<std::size_t>(static_cast<std::int64_t>(pc + 1) + in.offset / 16);
  };
  const auto is_epilogue = [&](std::size_t pc) {
    switch (isa::effect(*code[pc])) {
      case Effect::exit:
        return always(*code[pc]);
      case Effect::branch:
        return always(*code[pc]) && target(pc) < code.size() && is_end[target(pc)];
      case Effect::fence:
      case Effect::error_barrier:
      case Effect::cluster_error_barrier:
      case Effect::sync:
      case Effect::no_operation:
        return pc + 1 < code.size() && is_end[pc + 1];
      default:
        return false;
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t pc = code.size(); pc-- > 0;)
      if (code[pc] && !is_end[pc] && is_epilogue(pc)) is_end[pc] = changed = true;
  }
  std::vector<bool> leads(code.size());
  for (std::size_t pc = 0; pc < code.size(); ++pc)
    if (code[pc] && !is_end[pc])
      leads[pc] = (pc + 1 < code.size() && is_end[pc + 1]) ||
                  (target(pc) < code.size() && is_end[target(pc)]) ||
                  (isa::effect(*code[pc]) == Effect::exit && !always(*code[pc]));
  return leads;
}

}  // namespace

void SyncCheck::begin(const LaunchRequest& request) {
  blocks_.clear();
  for_debugging_ = is_for_debugging(*request.module);
  leads_to_end_ = for_debugging_ ? ways_to_exits(request.module->program()) : std::vector<bool>{};
}

void SyncCheck::block_started(const Core&, const Block& block) {
  BlockState& state = blocks_[block.linear];
  state.threads.assign(block.warps.size() * kWarpSize, {});
  state.calls.resize(block.warps.size());
}

bool SyncCheck::looks_before(const Step& step) const {
  const Effect effect = isa::effect(*step.instruction);
  return for_debugging_ || effect == Effect::block_barrier || effect == Effect::warp_sync ||
         effect == Effect::exit;
}

void SyncCheck::issuing(const Core& core, const Warp& warp, const Issue& next) {
  const Step& step = core.launch.program->steps[next.pc];
  if (step.instruction == nullptr) return;
  const isa::Effect effect = isa::effect(*step.instruction);
  if (effect == isa::Effect::block_barrier && next.on.any()) at_barrier(core, warp, next, step);
  if (effect == isa::Effect::warp_sync && next.on.any()) at_warp_sync(core, warp, next, step);
  if (for_debugging_ ? leads_to_end_[next.pc] : effect == isa::Effect::exit) {
    Thread* const threads = &blocks_[warp.block->linear].threads[warp.index * kWarpSize];
    for (const unsigned lane : for_debugging_ ? next.active : next.on) threads[lane].end = next.pc;
  }
}

void SyncCheck::at_barrier(const Core&, const Warp& warp, const Issue& next, const Step& step) {
  const BarrierRequest request = barrier_request(warp, step, next.on);
  BlockState& state = blocks_[warp.block->linear];
  if (request.threads == 0) {
    Thread* const threads = &state.threads[warp.index * kWarpSize];
    for (const unsigned lane : next.on) {
      ++threads[lane].barriers;
      threads[lane].last_barrier = next.pc;
    }
  }
  const Actor here = actor(warp, next.pc, next.on);
  const std::uint32_t earlier = warp.block->barriers[request.number].expected;
  if (request.threads % kWarpSize != 0) {
    if (Finding* const finding = findings_.note("sync", "barrier_count", next.pc)) {
      finding->message =
          fmt::format("block barrier {} expects {} threads, which is not a multiple of {}",
                      request.number, request.threads, kWarpSize);
      finding->sides.push_back(side_of(findings_.request(), here, "arrives at the barrier"));
    }
  } else if (earlier != request.threads && anybody_waits_at(*warp.block, request.number)) {
    const Actor& other = state.last_arrival[request.number];
    if (Finding* const finding =
            findings_.note("sync", "barrier_counts_differ", next.pc, other.pc)) {
      const auto text = [&](std::uint32_t threads) {
        return threads == 0 ? std::string("expects the whole block")
                            : fmt::format("expects {} threads", threads);
      };
      finding->message = fmt::format(
          "warps at block barrier {} expect different numbers of threads", request.number);
      finding->sides.push_back(side_of(findings_.request(), here, text(request.threads)));
      finding->sides.push_back(side_of(findings_.request(), other, text(earlier)));
    }
  }
  state.last_arrival[request.number] = here;
}

// Lanes that execute a _sync call must be in the mask that they give it. Which of the forms stand
// for such calls: where code was optimized .EXCLUSIVE and .COLLECTIVE are the compiler's own, and
// so is what stands before a block barrier.
void SyncCheck::at_warp_sync(const Core& core, const Warp& warp, const Issue& next,
                             const Step& step) {
  constexpr std::uint8_t kPlain = 0, kCollective = 2;
  if (step.selector != kPlain && !(for_debugging_ && step.selector == kCollective)) return;
  const isa::Instruction* const behind = core.launch.program->steps[next.pc + 1].instruction;
  if (behind != nullptr && isa::effect(*behind) == Effect::block_barrier) return;
  if (step.data_type != 0) return note_calls(warp, next, nullptr);
  const std::uint32_t* const masks = source_row(warp, step.b);
  note_calls(warp, next, masks);
  Mask unnamed;
  for (const unsigned lane : next.on)
    if (!Mask(masks[lane]).has(lane)) unnamed |= Mask::of(lane);
  if (unnamed.empty()) return;
  Finding* const finding = findings_.note("sync", "mask_without_caller", next.pc);
  if (finding == nullptr) return;
  const Mask mask(masks[unnamed.first()]);
  finding->message =
      fmt::format("lanes {} make a _sync call whose mask {:#010x} does not name them",
                  lane_list(unnamed), mask.bits());
  finding->sides.push_back(
      side_of(findings_.request(), actor(warp, next.pc, unnamed), "make the call"));
  finding->details = fmt::format("the mask names lanes {}", lane_list(mask));
}

// `masks`: by lane; null: all lanes.
void SyncCheck::note_calls(const Warp& warp, const Issue& next, const std::uint32_t* masks) {
  std::vector<Calls>& calls = blocks_[warp.block->linear].calls[warp.index];
  for (const unsigned lane : next.on) {
    const Mask mask = masks == nullptr ? kFullMask : Mask(masks[lane]);
    auto found = std::ranges::find(calls, mask, &Calls::mask);
    if (found == calls.end()) {
      calls.emplace_back().mask = mask;
      found = std::prev(calls.end());
    }
    ++found->of_lane[lane];
    found->last_pc[lane] = next.pc;
  }
}

// All whom a mask names must make the same calls with it, but those that ended before, by a way of
// their own.
void SyncCheck::look_at_masks(const BlockState& state, const Block& block, std::uint32_t warp) {
  const Thread* const threads = &state.threads[warp * kWarpSize];
  const std::uint64_t left = findings_.request().block.count() - std::uint64_t{warp} * kWarpSize;
  const Mask born = Mask::below(left);
  for (const Calls& calls : state.calls[warp]) {
    unsigned most = kWarpSize;
    for (const unsigned lane : calls.mask& born) {
      if (most == kWarpSize || calls.of_lane[lane] > calls.of_lane[most]) most = lane;
    }
    if (most == kWarpSize) continue;
    Mask came, absent;
    for (const unsigned lane : calls.mask& born) {
      const Mask bit = Mask::of(lane);
      if (calls.of_lane[lane] == calls.of_lane[most])
        came |= bit;
      else if (threads[lane].end == threads[most].end)
        absent |= bit;
    }
    if (absent.empty()) continue;
    const std::uint32_t pc = calls.last_pc[most], end = threads[most].end;
    Finding* const finding = findings_.note("sync", "mask_names_absent", pc, end);
    if (finding == nullptr) continue;
    finding->message = fmt::format(
        "lanes {} make a _sync call whose mask {:#010x} names lanes {}, "
        "which do not reach it",
        lane_list(came), calls.mask.bits(), lane_list(absent));
    finding->sides.push_back(
        side_of(findings_.request(), {block.linear, warp, came, pc}, "make the call"));
    finding->sides.push_back(
        side_of(findings_.request(), {block.linear, warp, absent, end}, "end here without it"));
    finding->details =
        "all lanes that a mask names must make the call: make it where the warp has not diverged, "
        "or give it the lanes that are there (__ballot_sync before the branch)";
  }
}

void SyncCheck::stuck(const Core&, const Block& block) {
  constexpr std::size_t kMostSides = 64;
  Finding* const finding = findings_.note("sync", "deadlock", 0);
  if (finding == nullptr) return;
  finding->message = "deadlock: no warp of the block can make progress";
  std::string ended;
  for (const Warp& warp : block.warps) {
    if (warp.convergence->finished()) ended += fmt::format(" {}", warp.index);
    for (const Group& group : warp.convergence->groups()) {
      if (finding->sides.size() == kMostSides) break;
      // A waiting group's pc is already past the instruction that it waits at.
      const Pc at = group.wait == Wait::none || group.pc == 0 ? group.pc : group.pc - 1;
      finding->sides.push_back(side_of(findings_.request(), actor(warp, at, group.lanes),
                                       waits_for(block, warp, group)));
    }
  }
  if (!ended.empty()) finding->details = "warps that have ended:" + ended;
}

// Threads that end at the same EXIT took different ways there if they came to different numbers of
// barriers. Those that ended elsewhere, by an early return, are not waited for and do no harm. (In
// code compiled with -G all ways end at one place: there it is from where they came to it.)
void SyncCheck::block_ended(const Core&, const Block& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  struct Extremes {
    std::size_t most, fewest;
  };
  const std::vector<Thread>& threads = found->second.threads;
  const std::uint64_t count = findings_.request().block.count();
  std::map<std::uint32_t, Extremes> at_end;
  for (std::size_t i = 0; i < count; ++i) {
    Extremes& extremes = at_end.try_emplace(threads[i].end, Extremes{i, i}).first->second;
    if (threads[i].barriers > threads[extremes.most].barriers) extremes.most = i;
    if (threads[i].barriers < threads[extremes.fewest].barriers) extremes.fewest = i;
  }
  for (const auto& [end, extremes] : at_end)
    if (threads[extremes.most].barriers != threads[extremes.fewest].barriers)
      report_passed_by(found->second, block, extremes.most, extremes.fewest);
  for (std::uint32_t warp = 0; warp < block.warps.size(); ++warp)
    look_at_masks(found->second, block, warp);
  blocks_.erase(found);
}

void SyncCheck::report_passed_by(const BlockState& state, const Block& block, std::size_t most,
                                 std::size_t fewest) {
  const Thread& came = state.threads[most];
  const Thread& passed = state.threads[fewest];
  Finding* const finding =
      findings_.note("sync", "barrier_passed_by", came.last_barrier, passed.end);
  if (finding == nullptr) return;
  const auto same = [&](std::size_t one) {  // the lanes of its warp that did as it did
    Actor actor{block.linear, static_cast<std::uint32_t>(one / kWarpSize), {}, 0};
    const Thread* const warp = &state.threads[actor.warp * kWarpSize];
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if (warp[lane].end == state.threads[one].end &&
          warp[lane].barriers == state.threads[one].barriers &&
          actor.warp * kWarpSize + lane < findings_.request().block.count())
        actor.lanes |= Mask::of(lane);
    return actor;
  };
  Actor who_came = same(most), who_passed = same(fewest);
  who_came.pc = came.last_barrier;
  who_passed.pc = passed.end;
  finding->message = "a block barrier that not all threads of the block reach";
  finding->sides.push_back(side_of(findings_.request(), who_came,
                                   fmt::format("reach {} barrier{}, the last one here",
                                               came.barriers, came.barriers == 1 ? "" : "s")));
  finding->sides.push_back(side_of(findings_.request(), who_passed,
                                   fmt::format("end here after {} of them", passed.barriers)));
  finding->details =
      "the barrier releases them when the others have ended; __syncthreads() belongs where all "
      "threads of the block pass";
}

}  // namespace heddle::simulator::checks
