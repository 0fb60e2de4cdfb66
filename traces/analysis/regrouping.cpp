#include "traces/analysis/regrouping.hpp"

#include <algorithm>

#include "isa/attributes.hpp"

namespace heddle::traces {
namespace {

using simulator::kWarpSize;
using simulator::Mask;

constexpr std::uint32_t kMostTimes = 1 << 14;

std::uint32_t count(Mask lanes) { return lanes.count(); }

bool can_go_two_ways(const simulator::MicroOp& step) {
  if (step.instruction == nullptr || isa::effect(*step.instruction) != isa::Effect::branch)
    return false;
  const auto always = [](const simulator::PredicateRef& predicate) {
    return predicate.index == simulator::kPT && predicate.invert.empty();
  };
  return !always(step.guard) || !always(step.pp);
}

Mask jumped(const simulator::WarpView& warp, const simulator::Issue& issue) {
  if (issue.flow == simulator::Flow::next) return {};
  if (issue.flow == simulator::Flow::jump) return issue.active;
  Mask lanes;
  for (const simulator::Group& group : warp.groups())
    if (group.pc != issue.pc + 1) lanes |= group.lanes & issue.active;
  return lanes;
}

void add(Regrouped::Runs& runs, std::uint64_t now, std::uint32_t threads) {
  runs.now += now;
  runs.best += std::min<std::uint64_t>(now, (threads + kWarpSize - 1) / kWarpSize);
}

}  // namespace

void Regrouping::issued(const simulator::CoreView& core, const simulator::WarpView& warp,
                        const simulator::Issue& issue) {
  Block& block = blocks_[warp.block().linear()];
  block.steps.resize(warp.block().warps());
  const std::uint64_t step = block.steps[warp.index()]++;
  if (!can_go_two_ways(core.instruction(issue.pc))) return;
  Branch& branch = block.branches[issue.pc];
  branch.visits.resize(warp.block().warps());
  auto& visits = branch.visits[warp.index()];
  const Visits before = visits[issue.active.first()];
  const std::uint32_t time = before.times;
  const Mask jumping = jumped(warp, issue);
  const Mask around = core.branch_target(issue.pc) <= issue.pc ? jumping : issue.active & ~jumping;
  for (const unsigned lane : issue.active) {
    visits[lane] = {visits[lane].times + 1, around.has(lane), step};
  }
  if (before.around) {
    branch.trip_steps += step - before.last;
    ++branch.trips;
  }
  branch.too_often = branch.too_often || time >= kMostTimes;
  if (branch.too_often) return;
  if (branch.at.size() <= time) branch.at.resize(time + 1);
  Time& at = branch.at[time];
  at.threads += count(issue.active);
  at.jumping += count(jumping);
  ++at.runs;
  if (jumping.any()) ++at.jumps;
  if (jumping != issue.active) ++at.goes_on;
}

void Regrouping::block_ended(const simulator::BlockView& block) {
  const auto found = blocks_.find(block.linear());
  if (found == blocks_.end()) return;
  for (const auto& [pc, branch] : found->second.branches) {
    if (branch.too_often) continue;
    Regrouped& sums = branches_[pc];
    sums.trip_steps += branch.trip_steps;
    sums.trips += branch.trips;
    for (const Time& at : branch.at) {
      add(sums.branch, at.runs, at.threads);
      add(sums.jumps, at.jumps, at.jumping);
      add(sums.goes_on, at.goes_on, at.threads - at.jumping);
    }
  }
  blocks_.erase(found);
}

}  // namespace heddle::traces
