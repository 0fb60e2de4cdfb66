#include "traces/analysis/divergence.hpp"

#include <algorithm>

namespace heddle::traces {

using simulator::Group;
using simulator::Issue;
using simulator::kWarpSize;
using simulator::Mask;
using simulator::WarpView;

namespace {

std::uint64_t count(Mask lanes) { return lanes.count(); }

}  // namespace

void Divergence::block_started(const simulator::BlockView& block) {
  std::vector<WarpPaths>& warps = blocks_[block.linear()];
  warps.assign(block.warps(), {});
  for (std::size_t i = 0; i < warps.size(); ++i) {
    warps[i].taken.push_back({.path = kRootPath, .parent = 0, .lanes = block.warp(i).live()});
    ++paths_[kRootPath].entered;
  }
}

void Divergence::block_ended(const simulator::BlockView& block) { blocks_.erase(block.linear()); }

Divergence::WarpPaths& Divergence::of(const WarpView& warp) {
  return blocks_.at(warp.block().linear())[warp.index()];
}

std::uint32_t Divergence::issuing(const WarpView& warp, const Issue& next) {
  WarpPaths& paths = of(warp);
  meet(paths, next);
  account(paths, warp, next);
  return paths.taken[paths.of_lane[next.active.first()]].path;
}

// Lanes of several paths execute together: they go on on the innermost path all of them are on.
void Divergence::meet(WarpPaths& paths, const Issue& next) {
  const std::uint32_t first = paths.of_lane[next.active.first()];
  bool together = true;
  for (const unsigned lane : next.active) together &= paths.of_lane[lane] == first;
  if (together) return;
  std::uint32_t common = first;
  while (common != 0 && (next.active & ~paths.taken[common].lanes).any())
    common = paths.taken[common].parent;
  // Each split that ends here counts once.
  std::vector<std::uint32_t> ended;
  for (const unsigned lane : next.active) {
    for (std::uint32_t at = paths.of_lane[lane]; at != common && at != 0;
         at = paths.taken[at].parent)
      ended.push_back(paths_[paths.taken[at].path].branch);
    paths.of_lane[lane] = common;
  }
  std::ranges::sort(ended);
  ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
  const std::uint32_t where = next.pc == 0 ? 0 : next.pc - 1;  // the instruction they waited at
  for (const std::uint32_t branch : ended) ++sites_[branch].met[where];
  forget_left_paths(paths);
}

// A warp that never meets again as a whole must not gather paths without end.
void Divergence::forget_left_paths(WarpPaths& paths) {
  constexpr std::size_t kFew = 64;
  if (paths.taken.size() < kFew) return;
  std::vector<std::uint32_t> moved(paths.taken.size(), 0);
  for (std::uint32_t at : paths.of_lane)
    for (; at != 0 && moved[at] == 0; at = paths.taken[at].parent) moved[at] = 1;
  std::vector<Taken> kept = {paths.taken[0]};
  for (std::size_t i = 1; i < moved.size(); ++i) {  // parents come before children
    if (moved[i] == 0) continue;
    moved[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(paths.taken[i]);
    kept.back().parent = moved[kept.back().parent];
  }
  for (std::uint32_t& at : paths.of_lane) at = moved[at];
  paths.taken = std::move(kept);
}

void Divergence::account(const WarpPaths& paths, const WarpView& warp, const Issue& next) {
  const Mask live = warp.live();
  const std::uint32_t mine = paths.of_lane[next.active.first()];
  ++steps_;
  slots_.used += count(next.on);
  slots_.predicated += count(next.active) - count(next.on);
  slots_.never_started += kWarpSize - count(paths.taken[0].lanes);
  slots_.ended += count(paths.taken[0].lanes) - count(live);
  slots_.held += count(paths.taken[mine].lanes & live) - count(next.active);
  Path& path = paths_[paths.taken[mine].path];
  ++path.steps;
  path.threads += count(next.active);
  for (std::uint32_t at = mine; at != 0; at = paths.taken[at].parent) {
    const Taken& taken = paths.taken[at];
    const std::uint64_t lost =
        count(paths.taken[taken.parent].lanes & live) - count(taken.lanes & live);
    SplitSite& site = sites_[paths_[taken.path].branch];
    ++site.steps;
    site.lost += lost;
    paths_[taken.path].lost += lost;
    slots_.split += lost;
  }
}

void Divergence::issued(const WarpView& warp, const Issue& issue) {
  if (issue.flow != simulator::Flow::reschedule) return;
  std::uint32_t parts = 0;
  for (const Group& group : warp.groups())
    if ((group.lanes & issue.active).any()) ++parts;
  if (parts > 1) split(of(warp), warp, issue);
}

void Divergence::split(WarpPaths& paths, const WarpView& warp, const Issue& issue) {
  const std::uint32_t mine = paths.of_lane[issue.active.first()];
  SplitSite& site = sites_[issue.pc];
  ++site.splits;
  // A loop's branch splits those that stayed once more: beside the earlier ones, not below them.
  std::uint32_t base = mine;
  for (std::uint32_t at = mine; at != 0; at = paths.taken[at].parent)
    if (paths_[paths.taken[at].path].branch == issue.pc) base = paths.taken[at].parent;
  if (base != mine) ++site.again;
  Mask jumped;
  for (const Group& group : warp.groups()) {
    const Mask lanes = group.lanes & issue.active;
    if (lanes.empty()) continue;
    if (group.pc != issue.pc + 1) jumped |= lanes;
    const std::uint32_t path = child(paths.taken[base].path, issue.pc, group.pc);
    ++paths_[path].entered;
    const auto index = static_cast<std::uint32_t>(paths.taken.size());
    paths.taken.push_back({.path = path, .parent = base, .lanes = lanes});
    for (const unsigned lane : lanes) paths.of_lane[lane] = index;
  }
  forget_left_paths(paths);
  const auto pattern = std::pair(issue.active, jumped);
  if (site.patterns.contains(pattern) || site.patterns.size() < kMostPatterns)
    ++site.patterns[pattern];
  else
    ++site.other_patterns;
}

std::uint32_t Divergence::child(std::uint32_t parent, std::uint32_t branch, std::uint32_t target) {
  const auto [found, added] =
      children_.try_emplace({parent, branch, target}, static_cast<std::uint32_t>(paths_.size()));
  if (added) paths_.push_back({.parent = parent, .branch = branch, .target = target});
  return found->second;
}

}  // namespace heddle::traces
