// Which group of a warp runs when one waits, ends or yields (rules 3, 5 and 9).
//
// Lanes that diverge wait on a stack. The group put there last is the front: it is kept as it is.
// When another is put before it, it becomes one place among the others, and all lanes that stand
// there when its turn comes go on with it. If nobody waits on the stack, lanes are searched in
// turn, from the one behind the group that was chosen last: a lane that can run, has yielded or
// waits at BSYNC, and all that stand where it does.
#include <algorithm>
#include <utility>

#include "simulator/warp/barriers.hpp"

namespace heddle::simulator {

Barriers::Place Barriers::place_of(const Group& group) const {
  if (in(left_collective_, group)) return {.pc = group.body, .left_collective = true};
  return {.pc = group.pc, .replaying = in(replaying_, group), .released = in(released_, group)};
}

// The stack holds the groups marked as stacked, in their order: the last one is its top.
Group* Barriers::top_of_stack() {
  if (stacked_.empty()) return nullptr;
  for (std::size_t i = groups_.size(); i-- > 0;)
    if (stacked(groups_[i])) return &groups_[i];
  return nullptr;
}

// Rule 5: the front joins the rest. It becomes one with those that wait behind it at the same
// place, in its own place. Returns whether there were any.
bool Barriers::displace_front() {
  has_front_ = false;
  Group* const front = top_of_stack();
  if (front == nullptr) return false;
  for (Group* other = front; other-- != groups_.begin();) {
    if (!stacked(*other) || place_of(*other) != place_of(*front) ||
        !at_one_place(other->lanes, front->lanes))
      continue;
    if (in(left_collective_, *front)) {
      stacked_ &= ~other->lanes;
    } else {
      front->lanes |= other->lanes;
      groups_.erase(other);
    }
    return true;
  }
  return false;
}

// Rule 3: a ready group waits its turn, which is the next one.
void Barriers::stack(const Group& group) {
  displace_front();
  groups_.insert_below_last(group);
  stacked_ |= group.lanes;
  has_front_ = true;
}

// The group that was running waits its turn.
void Barriers::set_aside_current() {
  displace_front();
  stacked_ |= current().lanes;
  has_front_ = true;
}

// A ready group becomes the current one. The one that was running, if any, waits its turn.
void Barriers::run_before_current(const Group& group, bool running) {
  if (running) set_aside_current();
  groups_.push_back(group);
  start_turn(Mask());
}

// The group at the back has its turn, with lanes that wait where it stands. Rule 9: the search for
// others continues behind their lanes.
void Barriers::start_turn(Mask along) {
  const Mask lanes = current().lanes;
  stacked_ &= ~lanes;
  yielded_ &= ~lanes;
  left_collective_ &= ~lanes;
  chosen_at_bsync_ = kNowhere;
  waited_at_bsync_ = false;
  turn_started(lanes);
  const Mask passed = lanes | along | ~live_;
  if (passed != kFullMask)  // else it stays
    search_lane_ = (~passed).first_from(search_lane_);
}

// Rules 3 and 9, where no group is running: a group that waits on the stack, else whose lane is
// next.
void Barriers::choose() {
  Group* const top = top_of_stack();
  searched_.happened = true;
  if (top == nullptr) return search();
  if (!std::exchange(has_front_, false) || in(left_collective_, *top)) return run_all_at(top);
  searched_.happened = false;
  groups_.move_to_back(top);
  start_turn(Mask());
}

// Rule 9. Where lanes that have left a collective stand, lanes that wait at it are found for them.
void Barriers::search() {
  Mask found;
  for (const Group& group : groups_)
    if (may_be_found(group) || left_collective_at(group) != nullptr) found |= group.lanes;
  if (found.empty()) return;
  search_lane_ = found.first_from(search_lane_);
  Group* const chosen = std::ranges::find_if(
      groups_, [&](const Group& group) { return group.lanes.has(search_lane_); });
  Group* const left = left_collective_at(*chosen);
  run_all_at(left != nullptr ? left : chosen);
}

// Lanes that wait at BSYNC are found too: where nobody else is left, as where barriers wait for one
// another, they go on (rule 13).
bool Barriers::may_be_found(const Group& group) const {
  if (group.ready()) return true;
  if (group.wait != Wait::convergence_barrier) return false;
  return std::ranges::none_of(
             groups_, [](const Group& other) { return other.wait == Wait::block_barrier; }) ||
         searched_beside_block_barrier(group);
}

// Those go on whose barrier BMOV has restored (gpu/kernels/micro/depths_at_barrier); not those of a
// barrier that BMOV has not touched.
bool Barriers::searched_beside_block_barrier(const Group& group) const {
  return restored(group.index) || (barriers_[group.index] & group.lanes).empty();
}

// Whether the group has been at the BSYNC at `pc` and stands there still.
bool Barriers::has_been_at_bsync(const Group& group, Pc pc) const {
  return group.wait == Wait::convergence_barrier ? group.pc - 1 == pc
                                                 : group.pc == pc && in(released_, group);
}

// Rule 5: a group goes on together with all lanes that stand where it does. At a BSYNC these are
// also lanes that have been there before; they replay it.
void Barriers::run_all_at(Group* chosen) {
  if (in(left_collective_, *chosen)) return run_from_collective(chosen);
  const bool waits = chosen->wait == Wait::convergence_barrier;
  const bool has_been = waits || in(released_, *chosen);
  const Pc pc = waits ? chosen->pc - 1 : chosen->pc;
  Group together{.pc = pc};
  if (!has_been)
    together.lanes = join_ready(place_of(*chosen), chosen->lanes);
  else if (meets_at_bsync())
    together.lanes = join_ready({.pc = pc}, Mask());
  Mask before;
  bool waiting = false;
  for (const Group& group : groups_) {
    if (!has_been_at_bsync(group, pc)) continue;
    before |= group.lanes;
    waiting |= group.wait == Wait::convergence_barrier;
  }
  const bool replay = together.lanes.empty();
  if (replay) {
    groups_.erase_if([&](const Group& group) { return has_been_at_bsync(group, pc); });
    together.lanes = before;
    replaying_ |= before;
    released_ |= before;
  } else if (before.any() && !meets_at_bsync()) {
    passed_over();
    before = Mask();
  }
  groups_.push_back(together);
  start_turn(before);
  if (replay)
    waited_at_bsync_ = waiting;
  else if (before.any())
    chosen_at_bsync_ = pc;
}

// Takes the ready groups that stand at a place out of the others; returns their lanes. `chosen` are
// lanes of one of them.
Mask Barriers::join_ready(const Place& place, Mask chosen) {
  Mask lanes;
  groups_.erase_if([&](const Group& group) {
    if (!group.ready() || place_of(group) != place) return false;
    if (chosen.any() && (group.lanes & chosen).empty() && !at_one_place(group.lanes, chosen))
      return false;
    lanes |= group.lanes;
    return true;
  });
  return lanes;
}

// Rule 5: the lanes that have been before at the BSYNC that the current group is executing, if it
// was chosen there.
Mask Barriers::take_along() {
  Mask lanes;
  const Pc pc = current().pc - 1;
  bool waiting = false;
  groups_.erase_if([&](const Group& group) {
    if (!has_been_at_bsync(group, pc)) return false;
    lanes |= group.lanes;
    waiting |= group.wait == Wait::convergence_barrier;
    return true;
  });
  waited_at_bsync_ = waiting;
  return lanes;
}

// Rule 9: the current group lets the others run first, those too that wait at BSYNC, perhaps for
// what it spins on. If none can run the search finds it again.
Flow Barriers::yield() {
  if (groups_.size() < 2) return Flow::next;
  yielded_ |= current().lanes;
  choose();
  return Flow::reschedule;
}

}  // namespace heddle::simulator
