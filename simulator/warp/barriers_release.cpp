// Lanes that wait for one another, at BSYNC or at WARPSYNC, go on.
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "simulator/warp/barriers.hpp"
#include "simulator/warp/divergence_order.hpp"

namespace heddle::simulator {
namespace {

unsigned lowest_lane(const Group& group) { return group.lanes.first(); }

}  // namespace

bool Barriers::Meeting::includes(const Group& group) const {
  if (group.wait != waiting.wait || (group.lanes & expected).empty()) return false;
  return group.wait == Wait::convergence_barrier ? group.index == waiting.index
                                                 : group.partners == waiting.partners;
}

// Releases every group whose barrier is met: all lanes it waits for that are alive are there too.
// Returns how many. A convergence barrier concerns the lanes in its mask alone: lanes that wait at
// a barrier whose register a callee uses meanwhile (BMOV saves and restores it) stay.
std::size_t Barriers::release_met(bool running) {
  std::size_t released = 0;
  // Barriers found not to be met: what holds for one group of a barrier's lanes holds for all.
  std::uint32_t not_met = 0;
  for (std::size_t i = 0; i < groups_.size();) {
    const Group& waiting = groups_[i++];
    const bool at_barrier = waiting.wait == Wait::convergence_barrier;
    if (!at_barrier && waiting.wait != Wait::warp_sync) continue;
    if (at_barrier && (not_met >> waiting.index & 1) != 0) continue;
    const Meeting meeting{waiting,
                          (at_barrier ? barriers_[waiting.index] : waiting.partners) & live_};
    if (!meeting.includes(waiting)) continue;
    Mask present;
    bool collects = false;
    for (const Group& group : groups_) {
      if (!meeting.includes(group)) continue;
      present |= group.lanes;
      collects |= group.body != kNowhere;
    }
    if (!meeting.expected.within(present)) {
      if (at_barrier) not_met |= 1u << waiting.index;
      continue;
    }
    if (collects && collecting_) {
      more_to_collect_ = true;
      continue;
    }
    if (at_barrier) barriers_[waiting.index] = Mask();
    released += collects ? collect(meeting, running) : release(meeting, running);
    running = true;
    i = 0;
    not_met = 0;
  }
  if (!running) choose();
  return released;
}

// The groups go on, lanes that stand at the same instruction as one (rules 6 and 7): those that
// came last first, the others by their lowest lanes. Returns how many waited.
std::size_t Barriers::release(const Meeting& meeting, bool running) {
  Groups released;
  const std::size_t waited = groups_.erase_if([&](const Group& group) {
    if (!meeting.includes(group)) return false;
    Group* const same = std::ranges::find(released, group.pc, &Group::pc);
    if (same == released.end())
      released.push_back({.lanes = group.lanes, .pc = group.pc});
    else
      same->lanes |= group.lanes;
    return true;
  });
  if (released.size() > 2)
    std::ranges::sort(released.begin(), released.end() - 1, std::ranges::greater(), lowest_lane);
  if (running && released.size() == 1 && current_runs_first(meeting, released.front().lanes)) {
    stack(released.front());
    return waited;
  }
  for (const Group& group : released) {
    run_before_current(group, running);
    running = true;
  }
  return waited;
}

// Rule 4: BREAK parts the lanes that run and those it releases as a branch does; of equal numbers
// those that executed it run first.
bool Barriers::current_runs_first(const Meeting& meeting, Mask released) const {
  return meeting.waiting.wait == Wait::convergence_barrier &&
         current().lanes.count() <= released.count();
}

// Rule 7: the body of the collective executes once, with all lanes, as the group that came last has
// it; the groups wait in the order in which they came.
std::size_t Barriers::collect(const Meeting& meeting, bool running) {
  Group last;
  Mask all;
  for (const Group& group : groups_) {
    if (!meeting.includes(group)) continue;
    all |= group.lanes;
    if (group.body != kNowhere) last = group;
  }
  const std::size_t waited = release(meeting, running);
  // Released, the groups stand at the back, those that came last on top.
  while (!groups_.empty() && (groups_.back().lanes & all).any()) {
    Group group = groups_.back();
    groups_.pop_back();
    stacked_ &= ~group.lanes;
    group.lanes &= ~last.lanes;
    if (group.lanes.any()) collected_.push_back(group);
  }
  std::ranges::sort(collected_, std::ranges::greater(), lowest_lane);
  groups_.push_back({.lanes = all, .pc = last.body});
  collecting_ = true;
  return waited;
}

// Rule 7: the lanes that came last go on; the others, one group for each place, wait their turn.
Flow Barriers::end_collective() {
  Group group = current();
  groups_.pop_back();
  for (const Group& other : collected_) {
    group.lanes &= ~other.lanes;
    groups_.push_back(other);
    stacked_ |= other.lanes;
    left_collective_ |= other.lanes;
  }
  collected_.clear();
  groups_.push_back(group);
  collecting_ = false;
  if (std::exchange(more_to_collect_, false)) release_met(true);
  return Flow::reschedule;
}

// The lanes whose own mask names nobody who is still to come.
Mask Barriers::complete_lanes(const Warpsync& sync) const {
  Mask complete;
  for (const unsigned lane : sync.active) {
    if ((Mask(sync.masks[lane]) & live_).within(sync.active)) complete |= Mask::of(lane);
  }
  return complete;
}

// Lanes wait for those their mask names. .EXCLUSIVE and .COLLECTIVE let the lanes of one mask go on
// alone: where masks differ the lanes of each go on by themselves, one part at a time. The plain
// form only waits ("WARPSYNC with several masks").
Warpsynced Barriers::warpsync(const Warpsync& sync) {
  const bool plain = sync.form == Warpsync::Form::plain;
  replaying_ &= ~sync.active;
  Warpsynced result{Flow::reschedule, 0, 0, kFullMask, false};
  Mask active = sync.active;
  if (sync.masks != nullptr) {
    const LaneParts parts(active, sync.masks);
    const Mask complete = plain && parts.count() > 1 ? complete_lanes(sync) : Mask();
    if (complete.any()) {
      if (complete != active) leave_at(sync.at, active & ~complete);
      return result;
    }
    if (parts.count() > 1) leave_at(sync.at, active & ~parts.first().lanes);
    active = parts.first().lanes;
    result.masks = parts.count();
    result.partners = Mask(static_cast<std::uint32_t>(parts.first().value));
  }
  result.partners |= active;
  Group& group = current();
  if (sync.form == Warpsync::Form::collective) group.body = std::exchange(group.pc, sync.behind);
  group.wait = Wait::warp_sync;
  group.partners = result.partners;
  result.met = static_cast<unsigned>(release_met(false));
  return result;
}

}  // namespace heddle::simulator
