// Which of a warp's groups goes on when one waits, ends or yields: how the turns of groups follow
// one another (docs/experiments/divergence-order.md, 3, 5 and 9).
//
// Lanes that a branch parts wait on a stack. The group put there last is kept as it is; when
// another is put before it, it becomes one place among the others, and all lanes that stand there
// when its turn comes go on with it. Where nobody waits on the stack, lanes are looked for in turn,
// from the one behind the group that was chosen last: a lane that can run, has yielded or waits at
// BSYNC, and all that stand where it does.
#include <algorithm>
#include <utility>

#include "simulator/warp/convergence.hpp"

namespace heddle::simulator {

// Whether two groups that wait their turn stand where they become one.
bool Convergence::same_place(const Group& one, const Group& other) {
  if (one.pc != other.pc || one.again != other.again || one.let_go != other.let_go ||
      one.body != other.body)
    return false;
  if (!patched_ || one.behind == other.behind) return true;
  patches_show_ = true;
  return false;
}

bool Convergence::any_stacked() const { return std::ranges::any_of(groups_, &Group::stacked); }

// The group that is next in turn becomes one with those that wait behind it at the same place.
// Returns whether there were any.
bool Convergence::displace_next() {
  has_next_ = false;
  const auto next = std::find_if(groups_.rbegin(), groups_.rend(),
                                 [](const Group& group) { return group.stacked; });
  if (next == groups_.rend()) return false;
  const auto same = std::find_if(next + 1, groups_.rend(), [&](const Group& other) {
    return other.stacked && same_place(other, *next);
  });
  if (same == groups_.rend()) return false;
  next->lanes |= same->lanes;
  groups_.erase((same + 1).base());
  return true;
}

void Convergence::displace_by_access() { patches_show_ |= displace_next(); }

// Puts a ready group below the current one: its turn is next.
void Convergence::push_next(const Group& group) {
  displace_next();
  groups_.insert(groups_.end() - 1, group);
  (groups_.end() - 2)->stacked = true;
  has_next_ = true;
}

// A ready group becomes the current one, and the one that was running, if any, next in turn.
void Convergence::push_current(const Group& group, bool running) {
  if (running) {
    displace_next();
    groups_.back().behind = groups_.back().stacked = true;
    has_next_ = true;
  }
  groups_.push_back(group);
  start_turn(0);
}

// The group at the back has its turn, with lanes that wait where it stands: the search for others
// goes on behind their lanes.
void Convergence::start_turn(Mask along) {
  current().stacked = current().yielded = false;
  current().body = Group::kNowhere;
  const Mask passed = current().lanes | along | ~live_;
  for (unsigned i = 0; i < kWarpSize && (passed >> next_lane_ & 1) != 0; ++i)
    next_lane_ = (next_lane_ + 1) % kWarpSize;
}

// Where no group is running: who waits on the stack, else whose lane is next.
void Convergence::choose() {
  const auto top = std::find_if(groups_.rbegin(), groups_.rend(),
                                [](const Group& group) { return group.stacked; });
  if (top == groups_.rend()) return choose_by_lane();
  if (!std::exchange(has_next_, false)) return go_on(*top);
  std::rotate(top.base() - 1, top.base(), groups_.end());
  start_turn(0);
}

// Whether all groups that could run have yielded.
bool Convergence::only_yielded_ready() const {
  return std::ranges::none_of(
      groups_, [](const Group& group) { return group.wait == Wait::none && !group.yielded; });
}

// Lanes that wait at BSYNC are chosen too: where nobody else is left, as where barriers wait for
// one another, they go on. Where lanes have come to a block barrier that others wait for, those go
// on whose barrier BMOV has restored (gpu/kernels/micro/depths_at_barrier); not those of a barrier
// that BMOV has not touched, and none in patched code, which PreparedLaunch then gives up.
bool Convergence::may_be_chosen(const Group& group) const {
  if (group.wait == Wait::none) return true;
  if (group.wait != Wait::convergence_barrier) return false;
  if (std::ranges::none_of(groups_,
                           [](const Group& other) { return other.wait == Wait::block_barrier; }))
    return true;
  return !patched_ && (restored(group.index) || (barriers_[group.index] & group.lanes) == 0);
}

void Convergence::choose_by_lane() {
  Mask lanes = 0;
  for (const Group& group : groups_)
    if (may_be_chosen(group)) lanes |= group.lanes;
  if (lanes == 0) return;
  while ((lanes >> next_lane_ & 1) == 0) next_lane_ = (next_lane_ + 1) % kWarpSize;
  go_on(*std::ranges::find_if(
      groups_, [&](const Group& group) { return (group.lanes >> next_lane_ & 1) != 0; }));
}

namespace {

// Whether the group has been at the BSYNC at `pc` and stands there still.
bool has_been_at(const Group& group, std::uint32_t pc) {
  return group.wait == Wait::convergence_barrier ? group.pc - 1 == pc
                                                 : group.let_go && group.pc == pc;
}

}  // namespace

// A group goes on together with all lanes that stand where it does. At a BSYNC these are also lanes
// that have been there before; in patched code they stand in the patch, where nobody is who only
// comes there.
void Convergence::go_on(Group chosen) {
  const bool waits = chosen.wait == Wait::convergence_barrier;
  const bool has_been = waits || chosen.let_go;
  const std::uint32_t pc = waits ? chosen.pc - 1 : chosen.pc;
  if (has_been) chosen = {.pc = pc};
  chosen.lanes = 0;
  if (!has_been || !patched_)
    std::erase_if(groups_, [&](const Group& group) {
      if (group.wait != Wait::none || !same_place(group, chosen)) return false;
      chosen.lanes |= group.lanes;
      return true;
    });
  Mask before = 0;
  bool waiting = false;
  for (const Group& group : groups_) {
    if (!has_been_at(group, pc)) continue;
    before |= group.lanes;
    waiting |= group.wait == Wait::convergence_barrier;
  }
  if (patched_ && !has_been) {
    patches_show_ |= before != 0;
    before = 0;
  } else if (chosen.lanes != 0) {
    if (before != 0) chosen.gathers_at = pc;
  } else {
    std::erase_if(groups_, [&](const Group& group) { return has_been_at(group, pc); });
    chosen.lanes = before;
    chosen.again = chosen.let_go = true;
    chosen.with_waiting = waiting;
  }
  groups_.push_back(chosen);
  start_turn(before);
}

// The lanes that have been before at the BSYNC that the current group is executing, if it was
// chosen there.
Mask Convergence::gather_waiting() {
  Mask lanes = 0;
  const std::uint32_t pc = current().pc - 1;
  if (current().gathers_at != pc) return lanes;
  bool waiting = false;
  std::erase_if(groups_, [&](const Group& group) {
    if (!has_been_at(group, pc)) return false;
    lanes |= group.lanes;
    waiting |= group.wait == Wait::convergence_barrier;
    return true;
  });
  current().with_waiting = waiting;
  return lanes;
}

bool Convergence::others_ready() const {
  return std::count_if(groups_.begin(), groups_.end(),
                       [](const Group& group) { return group.wait == Wait::none; }) > 1;
}

bool Convergence::yield() {
  if (std::ranges::count_if(groups_, [&](const Group& group) { return may_be_chosen(group); }) < 2)
    return false;
  current().yielded = current().behind = true;
  choose();
  return true;
}

}  // namespace heddle::simulator
