// BSSY, BSYNC, BREAK, BMOV, EXIT and block barriers, as the hardware has them.
#include "simulator/warp/barriers.hpp"

#include <algorithm>
#include <utility>

namespace heddle::simulator {

std::unique_ptr<Reconvergence> Barriers::clone() const { return std::make_unique<Barriers>(*this); }

bool Barriers::equals(const Reconvergence& other) const {
  return *this == static_cast<const Barriers&>(other);
}

void Barriers::begin() {
  barriers_.fill(Mask());
  restored_ = 0;
  stacked_ = yielded_ = released_ = left_collective_ = other_masks_ = Mask();
  left_before_others_ = false;
  has_front_ = false;
  search_lane_ = 0;
  chosen_at_bsync_ = kNowhere;
  waited_at_bsync_ = false;
  collected_.clear();
  collecting_ = more_to_collect_ = false;
}

// Rules 1 and 2: the first part runs, the other waits its turn on the stack. An indirect branch
// parts lanes in two at a time: those left wait at the branch, and replay it.
Flow Barriers::branch(const Branch& branch) {
  const Part& first = branch.parts.front();
  if (first.pc == kNowhere) return Flow::stop;
  const Mask rest = current().lanes & ~first.lanes;
  current().pc = first.pc;
  if (rest.empty()) return Flow::jump;
  if (branch.indirect) {
    leave_at(branch.at, rest);
  } else {
    current().lanes = first.lanes;
    stack({.lanes = rest, .pc = branch.parts[1].pc});
  }
  return Flow::reschedule;
}

void Barriers::leave_at(Pc pc, Mask lanes) {
  current().lanes &= ~lanes;
  replaying_ |= lanes;
  stack({.lanes = lanes, .pc = pc});
}

// Rule 12: the lanes join those that the barrier has, of a group that executed the same code
// before, or whose function has left it the register.
Flow Barriers::bssy(unsigned index, Mask lanes) {
  barriers_[index] |= lanes;
  restored_ &= ~(1u << index);
  release_met(true);
  return Flow::next;
}

Flow Barriers::bmov_clear(unsigned index) {
  barriers_[index] = Mask();
  restored_ &= ~(1u << index);
  release_met(true);
  return Flow::reschedule;
}

Flow Barriers::bmov_write(unsigned index, Mask lanes) {
  barriers_[index] = lanes;
  restored_ |= 1u << index;
  release_met(true);
  return Flow::reschedule;
}

Bsync Barriers::bsync(unsigned index) {
  const bool chosen_here = std::exchange(chosen_at_bsync_, kNowhere) == current().pc - 1;
  const Mask taken_along = chosen_here ? take_along() : Mask();
  current().lanes |= taken_along;
  released_ &= ~current().lanes;
  replaying_ &= ~current().lanes;
  const bool waited = std::exchange(waited_at_bsync_, false);
  const Mask missing = lanes_missing(index);
  // Rule 9: lanes that waited here and were found by the search, as nobody is on the stack, pass.
  const bool passes = missing.empty() || (waited && stacked_.empty());
  return passes ? pass(index, taken_along) : wait_for_missing(index, missing, taken_along);
}

Bsync Barriers::wait_for_missing(unsigned index, Mask missing, Mask taken_along) {
  Group& group = current();
  // Rule 12: lanes that the barrier does not have do not wait.
  const Mask outside = group.lanes & ~barriers_[index];
  if (outside == group.lanes) return {Flow::reschedule, 0, taken_along};
  // Rules 4 and 13: nobody who is missing can run.
  if (!can_still_come(missing)) return {Flow::reschedule, open(index), taken_along};
  // Rule 12: where others are still missing, lanes outside the barrier go on alone.
  if (outside.any()) {
    leave_waiting(index, group.lanes & ~outside);
    return {Flow::reschedule, 0, taken_along};
  }
  wait_for(Wait::convergence_barrier, index);
  // Rule 10: all that could run has yielded.
  if (only_yielded_ready() && may_be_found(group))
    return {Flow::reschedule, open(index), taken_along};
  // Rule 3: the next one in turn.
  choose();
  return {Flow::reschedule, 0, taken_along};
}

// The barrier's lanes that are not in the current group.
Mask Barriers::lanes_missing(unsigned index) const {
  return barriers_[index] & live_ & ~current().lanes;
}

// Lanes that wait at a barrier, or at WARPSYNC, do not come.
bool Barriers::can_still_come(Mask lanes) const {
  for (const Group& group : groups_)
    if (group.wait == Wait::convergence_barrier || group.wait == Wait::warp_sync)
      lanes &= ~group.lanes;
  return lanes.any();
}

bool Barriers::only_yielded_ready() const {
  return std::ranges::none_of(
      groups_, [&](const Group& group) { return group.ready() && !in(yielded_, group); });
}

// The whole group goes on; the barrier has let its lanes go, and has none. Lanes of its own start
// a turn (rule 9).
Bsync Barriers::pass(unsigned index, Mask taken_along) {
  if ((std::exchange(barriers_[index], Mask()) & current().lanes).any()) start_turn(Mask());
  return {Flow::reschedule, taken_along.any() ? 2u : 1u, taken_along};
}

void Barriers::leave_waiting(unsigned index, Mask lanes) {
  current().lanes &= ~lanes;
  groups_.insert_below_last({.lanes = lanes,
                             .pc = current().pc,
                             .wait = Wait::convergence_barrier,
                             .index = static_cast<std::uint8_t>(index)});
}

// Rule 4: the current group goes on through a BSYNC, with those that wait at the same one. The
// barrier has no lanes then, and none of those it had waits at a BSYNC or has yielded any more: the
// others of them that wait at another BSYNC replay it when they are chosen. Returns how many
// groups go on together.
unsigned Barriers::open(unsigned index) {
  const Mask lanes = std::exchange(barriers_[index], Mask()) & live_;
  Group last = current();
  last.wait = Wait::none;
  groups_.pop_back();
  unsigned met = 1;
  Groups freed;
  for (Group& group : groups_) {
    Group part = group;
    part.lanes &= lanes;
    const bool waits = group.wait == Wait::convergence_barrier;
    if (part.lanes.empty() || (!waits && !in(yielded_, group))) continue;
    group.lanes &= ~lanes;
    yielded_ &= ~part.lanes;
    if (waits && part.index == index && part.pc == last.pc) {
      last.lanes |= part.lanes;
      ++met;
      continue;
    }
    if (waits) {
      part.wait = Wait::none;
      --part.pc;
      replaying_ |= part.lanes;
      released_ |= part.lanes;
    }
    freed.push_back(part);
  }
  groups_.erase_if([](const Group& group) { return group.lanes.empty(); });
  for (const Group& group : freed) groups_.push_back(group);
  groups_.push_back(last);
  start_turn(Mask());
  return met;
}

Released Barriers::leave_barrier(unsigned index, Mask lanes) {
  return {Flow::reschedule, released_by([&] {
            barriers_[index] &= ~lanes;
            release_met(true);
            release_elsewhere(index);
          })};
}

// Where BREAK leaves a barrier no lane that can still come, it opens: its lanes replay the BSYNC at
// which they wait, be it another barrier's. The fewer run first, as behind a branch.
void Barriers::release_elsewhere(unsigned index) {
  const Mask left = barriers_[index] & live_;
  if (left.empty() || can_still_come(left)) return;
  barriers_[index] = Mask();
  Groups released;
  for (Group& group : groups_) {
    const Mask lanes = group.lanes & left;
    if (lanes.empty() || group.wait != Wait::convergence_barrier) continue;
    group.lanes &= ~lanes;
    replaying_ |= lanes;
    released_ |= lanes;
    Group* const same = std::ranges::find(released, group.pc - 1, &Group::pc);
    if (same == released.end())
      released.push_back({.lanes = lanes, .pc = group.pc - 1});
    else
      same->lanes |= lanes;
  }
  groups_.erase_if([](const Group& group) { return group.lanes.empty(); });
  for (const Group& group : released)
    if (current().lanes.count() <= group.lanes.count())
      stack(group);
    else
      run_before_current(group, true);
}

Released Barriers::exit(Mask lanes) {
  return {Flow::reschedule, released_by([&] {
            const bool running = end_lanes(lanes);
            for (Mask& barrier : barriers_) barrier &= live_;
            release_met(running);
          })};
}

// The groups that wait at a BSYNC before the event and no longer after it.
template <typename Event>
Groups Barriers::released_by(Event&& event) {
  const auto waits = [](const Group& group) { return group.wait == Wait::convergence_barrier; };
  Groups released;
  for (const Group& group : groups_)
    if (waits(group)) released.push_back(group);
  event();
  if (released.empty()) return released;
  Mask waiting;
  for (const Group& group : groups_)
    if (waits(group)) waiting |= group.lanes;
  released.erase_if([&](const Group& group) { return (group.lanes & waiting).any(); });
  return released;
}

void Barriers::wait_at_block_barrier(unsigned number) {
  wait_for(Wait::block_barrier, number);
  choose();
}

// Rule 5: a block barrier merges nothing. The groups go on in the order in which they came, those
// that came last first.
void Barriers::release_block_barrier(unsigned number) {
  const bool running = has_current();
  released_by_block_ = true;
  for (Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) {
      group.wait = Wait::none;
      stacked_ |= group.lanes;
    }
  has_front_ |= !running;
  if (!running) choose();
}

}  // namespace heddle::simulator
