// The post-dominator stack: lanes that a branch parts wait for one another at the branch's
// immediate post-dominator, and of a warp the group on top of the stack alone runs. It is what GPUs
// before sm_70 do in effect (Fung et al., Dynamic Warp Formation and Scheduling for Efficient GPU
// Control Flow, MICRO 2007; NVIDIA's Volta white paper, "Prior NVIDIA GPUs SIMT models").
//
// Classical stacks hold masks that overlap, one below the other. Here the groups stay disjoint, as
// everywhere in the simulator: a Join says which lanes are awaited where, and lanes that have come
// wait in groups of their own until all have, or have ended.
//
// A call opens a Join that has no place: lanes wait there once they have returned, so that what is
// on the stack of a function cannot be met from another one, nor from another level of a recursion.
//
// A group that waits for lanes below it (WARPSYNC, or a flag in memory) waits for ever: the stack
// does not change its order for it. A block barrier counts the whole warp, whoever comes (PTX ISA,
// barrier, for sm_6x and below).
#include <algorithm>

#include "simulator/warp/reconvergence_points.hpp"
#include "simulator/warp/reconvergence_policy.hpp"

namespace heddle::simulator {
namespace {

using Join = Convergence::Join;

constexpr std::uint32_t kNowhere = Convergence::kNowhere;
static_assert(kNowhere == ReconvergencePoints::kNone);

bool within(Mask lanes, Mask all) { return (lanes & ~all) == 0; }

class StackPolicy final : public ReconvergencePolicy {
 public:
  explicit StackPolicy(const Module& module) : points_(module) {}

  void part(Convergence& warp, std::uint32_t at, std::span<const Part> parts,
            Way way) const override {
    const Mask lanes = warp.current().lanes;
    groups(warp).pop_back();
    const bool returns = way == Way::ret && leave_function(warp, lanes);
    if (way == Way::call)
      joins(warp).push_back({lanes, kNowhere, at});
    else if (!returns)
      await(warp, lanes, at, parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) {
      const bool waits = returns || (way == Way::call && parts[i].pc == at + 1);
      groups(warp).push_back({.lanes = parts[i].lanes,
                              .pc = parts[i].pc,
                              .wait = waits ? Wait::reconvergence : Wait::none});
    }
    settle(warp);
  }

  void settle(Convergence& warp) const override {
    auto& stack = joins(warp);
    while (!stack.empty() && meet(warp, stack.back())) {
    }
    if (!stack.empty() && stack.back().pc != kNowhere)
      halt_at(warp, stack.back().pc, 1);
    else
      halt_at(warp, 0, 0);
    choose(warp);
  }

  bool wait_warp_sync(Convergence& warp, Mask named) const override {
    Group& group = warp.current();
    if (within(named & warp.live(), group.lanes)) return false;
    group.wait = Wait::warp_sync;
    group.partners = named;
    return true;
  }
  bool wait_collective(Convergence& warp, Mask named, std::uint32_t) const override {
    return wait_warp_sync(warp, named);
  }
  bool end_collective(Convergence&) const override { return false; }

  bool barriers_take_warps() const override { return true; }

 private:
  // Lanes that part at an instruction are awaited where it says.
  void await(Convergence& warp, Mask lanes, std::uint32_t at, std::size_t parts) const {
    if (parts < 2) return;
    const std::uint32_t pc = points_.after(at);
    auto& stack = joins(warp);
    if (pc != kNowhere && (stack.empty() || stack.back().pc != pc))
      stack.push_back({lanes, pc, at});
  }

  // The lanes come no more to where the function has them meet. False: they are in none.
  static bool leave_function(Convergence& warp, Mask lanes) {
    auto& stack = joins(warp);
    const auto call = std::find_if(stack.rbegin(), stack.rend(), [&](const Join& join) {
      return join.pc == kNowhere && within(lanes, join.lanes);
    });
    if (call == stack.rend()) return false;
    for (auto join = stack.rbegin(); join != call; ++join) join->lanes &= ~lanes;
    return true;
  }

  // Whether all have come to the innermost join: then they go on, as one where they are at one
  // place.
  bool meet(Convergence& warp, const Join innermost) const {
    auto& all = groups(warp);
    Mask come = 0;
    for (Group& group : all) {
      if (!within(group.lanes, innermost.lanes)) continue;
      if (group.wait == Wait::none && group.pc == innermost.pc) group.wait = Wait::reconvergence;
      if (group.wait == Wait::reconvergence) come |= group.lanes;
    }
    if (come != (innermost.lanes & warp.live())) return false;
    joins(warp).pop_back();
    std::vector<Group> together;
    std::erase_if(all, [&](const Group& group) {
      if (!within(group.lanes, come)) return false;
      const auto same = std::ranges::find(together, group.pc, &Group::pc);
      if (same == together.end())
        together.push_back({.lanes = group.lanes, .pc = group.pc});
      else
        same->lanes |= group.lanes;
      return true;
    });
    await(warp, come, innermost.at, together.size());
    all.insert(all.end(), together.begin(), together.end());
    return true;
  }

  // The top of the stack is the last group that does not wait to reconverge.
  static void choose(Convergence& warp) {
    auto& all = groups(warp);
    const auto top = std::find_if(all.rbegin(), all.rend(), [](const Group& group) {
      return group.wait != Wait::reconvergence;
    });
    if (top != all.rend()) std::rotate(top.base() - 1, top.base(), all.end());
  }

  mutable ReconvergencePoints points_;  // remembers what it worked out
};

}  // namespace

std::unique_ptr<ReconvergencePolicy> make_stack_policy(const Module& module) {
  return std::make_unique<StackPolicy>(module);
}

std::unique_ptr<ReconvergencePolicy> make_policy(Reconvergence kind, const Module* module) {
  switch (kind) {
    case Reconvergence::barriers:
      return nullptr;
    case Reconvergence::stack:
      return make_stack_policy(*module);
    case Reconvergence::min_pc:
      return make_min_pc_policy();
  }
  return nullptr;
}

}  // namespace heddle::simulator
