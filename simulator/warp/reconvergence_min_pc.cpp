// Minimum PC: of a warp's groups the one with the lowest program counter runs, and groups that come
// to one instruction go on as one (Collange, Stack-less SIMT Reconvergence at Low Cost, 2011). As
// compilers put the code behind a branch below its arms, who is behind catches up.
//
// A called function lies anywhere, so a group that is in more calls goes first, whatever its
// program counter; groups meet at the same depth alone. (Collange compares stack pointers; the
// depth of calls is counted here, as not every function moves the stack's.)
#include <algorithm>
#include <utility>

#include "simulator/warp/reconvergence_policy.hpp"

namespace heddle::simulator {
namespace {

bool is_ready(const Group& group) { return group.wait == Wait::none; }

// Whether `a` runs before `b`.
bool goes_first(const Group& a, const Group& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.pc < b.pc;
}

class MinPcPolicy final : public ReconvergencePolicy {
 public:
  void part(Convergence& warp, std::uint32_t at, std::span<const Part> parts,
            Way way) const override {
    const unsigned depth = warp.current().depth;
    groups(warp).pop_back();
    for (const Part& part : parts) {
      unsigned deep = depth;
      if (way == Way::call && part.pc != at + 1) ++deep;
      if (way == Way::ret && deep != 0) --deep;
      groups(warp).push_back(
          {.lanes = part.lanes, .pc = part.pc, .depth = static_cast<std::uint16_t>(deep)});
    }
    settle(warp);
  }

  void settle(Convergence& warp) const override {
    release_met(warp);
    merge(warp);
    auto& all = groups(warp);
    const auto ready = std::stable_partition(all.begin(), all.end(),
                                             [](const Group& group) { return !is_ready(group); });
    halt_at(warp, 0, 0);
    if (ready == all.end()) return;
    std::sort(ready, all.end(), [](const Group& a, const Group& b) { return goes_first(b, a); });
    if (all.end() - ready < 2) return;
    const Group& second = *(all.end() - 2);
    if (second.depth == all.back().depth) halt_at(warp, second.pc, ~second.pc);
  }

  bool wait_warp_sync(Convergence& warp, Mask named) const override {
    Group& group = warp.current();
    if ((named & warp.live() & ~group.lanes) == 0) return false;
    group.wait = Wait::warp_sync;
    group.partners = named;
    settle(warp);
    return true;
  }

  bool wait_collective(Convergence& warp, Mask named, std::uint32_t behind) const override {
    const Group last = warp.current();
    if ((named & warp.live() & ~last.lanes) == 0) return false;
    if (!all_others_wait(warp, named)) {
      warp.current().body = last.pc;
      warp.current().pc = behind;
      return wait_warp_sync(warp, named);
    }
    Mask together = last.lanes;
    auto& all = groups(warp);
    for (const Group& group : all)
      if (group.wait == Wait::warp_sync && group.partners == named) {
        together |= group.lanes;
        collected(warp).push_back(group);
        collected(warp).back().wait = Wait::none;
      }
    all.back().lanes = together;
    std::erase_if(all, [&](const Group& group) {
      return group.wait == Wait::warp_sync && group.partners == named;
    });
    settle(warp);
    return true;
  }

  // Lanes of the group that came to the collective's beginning elsewhere go on where they were to.
  bool end_collective(Convergence& warp) const override {
    Group group = warp.current();
    std::vector<Group> leaving;
    for (Group& other : collected(warp)) {
      Group part = other;
      part.lanes &= group.lanes;
      other.lanes &= ~part.lanes;
      group.lanes &= ~part.lanes;
      if (part.lanes != 0) leaving.push_back(part);
    }
    std::erase_if(collected(warp), [](const Group& other) { return other.lanes == 0; });
    if (leaving.empty()) return false;
    auto& all = groups(warp);
    all.pop_back();
    if (group.lanes != 0) all.push_back(group);
    all.insert(all.end(), leaving.begin(), leaving.end());
    settle(warp);
    return true;
  }

  bool barriers_take_warps() const override { return false; }

 private:
  static Mask waiting_with(const Convergence& warp, Mask named) {
    Mask lanes = 0;
    for (const Group& group : warp.groups())
      if (group.wait == Wait::warp_sync && group.partners == named) lanes |= group.lanes;
    return lanes;
  }

  static bool all_others_wait(const Convergence& warp, Mask named) {
    return (named & warp.live() & ~warp.current().lanes & ~waiting_with(warp, named)) == 0;
  }

  // Lets go who waits at WARPSYNC for lanes that are all there, or have ended.
  static void release_met(Convergence& warp) {
    for (Group& group : groups(warp)) {
      if (group.wait != Wait::warp_sync) continue;
      const Mask named = group.partners;
      if ((named & warp.live() & ~waiting_with(warp, named)) != 0) continue;
      Mask together = 0;
      Group* last = nullptr;
      for (Group& other : groups(warp)) {
        if (other.wait != Wait::warp_sync || other.partners != named) continue;
        other.wait = Wait::none;
        together |= other.lanes;
        if (other.body != Group::kNowhere) last = &other;
      }
      if (last != nullptr) return run_body(warp, *last, together);
    }
  }

  // Lanes that came to a collective execute its body, as those they waited for have ended.
  static void run_body(Convergence& warp, Group& last, Mask together) {
    for (Group& other : groups(warp)) {
      if (&other == &last || (other.lanes & together) == 0) continue;
      collected(warp).push_back(other);
      other.lanes = 0;
    }
    last.pc = std::exchange(last.body, Group::kNowhere);
    last.lanes = together;
    std::erase_if(groups(warp), [](const Group& other) { return other.lanes == 0; });
  }

  static void merge(Convergence& warp) {
    auto& all = groups(warp);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_ready(all[i])) continue;
      for (std::size_t j = all.size() - 1; j > i; --j)
        if (is_ready(all[j]) && all[j].pc == all[i].pc && all[j].depth == all[i].depth) {
          all[i].lanes |= all[j].lanes;
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        }
    }
  }
};

}  // namespace

std::unique_ptr<ReconvergencePolicy> make_min_pc_policy() {
  return std::make_unique<MinPcPolicy>();
}

}  // namespace heddle::simulator
