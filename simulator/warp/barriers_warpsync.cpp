// WARPSYNC: lanes wait for those that their masks name. Rule 7: the body of a collective executes
// once, with all lanes; at its ENDCOLLECTIVE they go back to the places they came from.
//
// The lanes that came last go on first. The others have left the collective, but stand at its
// ENDCOLLECTIVE until they have their turn. There they are one place, as they are at an indirect
// branch: each turn takes those that go on at one PC.
#include <algorithm>
#include <utility>

#include "simulator/warp/barriers.hpp"
#include "simulator/warp/divergence_order.hpp"

namespace heddle::simulator {

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
  const bool collective = sync.form == Warpsync::Form::collective;
  replaying_ &= ~sync.active;
  const bool after_others = (other_masks_ & sync.active).any();
  other_masks_ &= ~sync.active;
  if (!after_others) left_before_others_ = false;
  Warpsynced result{Flow::reschedule, 0, 0, kFullMask, false};
  Mask active = sync.active;
  if (sync.masks != nullptr) {
    const LaneParts parts(active, sync.masks);
    const Mask complete = plain && parts.count() > 1 ? complete_lanes(sync) : Mask();
    if (complete.any()) {
      if (complete != active) leave_at(sync.at, active & ~complete);
      return result;
    }
    if (parts.count() > 1) {
      if (collective) other_masks_ |= active & ~parts.first().lanes;
      leave_at(sync.at, active & ~parts.first().lanes);
    }
    active = parts.first().lanes;
    result.masks = parts.count();
    result.partners = Mask(static_cast<std::uint32_t>(parts.first().value));
  }
  result.partners |= active;
  Group& group = current();
  if (collective) group.body = std::exchange(group.pc, sync.behind);
  group.wait = Wait::warp_sync;
  group.partners = result.partners;
  if (after_others && !all_have_come(group)) forget_left_collective();
  result.met = static_cast<unsigned>(release_met(false));
  return result;
}

// Whether all lanes that a group waits for at WARPSYNC wait there.
bool Barriers::all_have_come(const Group& waiting) const {
  const Meeting meeting{waiting, waiting.partners & live_};
  Mask present;
  for (const Group& group : groups_)
    if (meeting.includes(group)) present |= group.lanes;
  return meeting.expected.within(present);
}

// The groups become one, which executes the body that the last of them has. Returns how many
// waited.
std::size_t Barriers::collect(const Meeting& meeting, bool running) {
  if (running) set_aside_current();
  Group last;
  Mask all;
  const std::size_t waited = groups_.erase_if([&](const Group& group) {
    if (!meeting.includes(group)) return false;
    all |= group.lanes;
    if (group.body != kNowhere) last = group;
    collected_.push_back(group);
    return true;
  });
  std::erase_if(collected_, [&](const Group& group) { return group.lanes == last.lanes; });
  groups_.push_back({.lanes = all, .pc = last.body});
  collecting_ = true;
  return waited;
}

Flow Barriers::end_collective() {
  const Pc end = current().pc;
  for (const Group& group : collected_) {
    current().lanes &= ~group.lanes;
    left_collective_ |= group.lanes;
    groups_.insert_below_last({.lanes = group.lanes, .pc = group.pc, .body = end});
  }
  collected_.clear();
  collecting_ = false;
  stack_left_collective(end);
  start_turn(Mask());
  if (std::exchange(more_to_collect_, false)) release_met(true);
  return Flow::reschedule;
}

// Lanes that have left a collective have their turn: those that go on where the chosen ones do. The
// others are next; but if lanes wait at the collective before that very place, these are, and
// replay it.
void Barriers::run_from_collective(Group* chosen) {
  const Place place = place_of(*chosen);
  Group first{.pc = chosen->pc};
  Group waiting{.pc = kNowhere};
  groups_.erase_if([&](const Group& group) {
    if (group.pc != first.pc) return false;
    if (group.ready() && place_of(group) == place) {
      first.lanes |= group.lanes;
      return true;
    }
    if (!waits_for_collective(group)) return false;
    waiting.lanes |= group.lanes;
    waiting.pc = group.body - 1;
    return true;
  });
  for (const Group& group : groups_)
    if (group.ready() && place_of(group) == place) stacked_ &= ~group.lanes;
  groups_.push_back(first);
  if (waiting.lanes.any()) {
    replaying_ |= waiting.lanes;
    stack(waiting);
  } else {
    stack_left_collective(place.pc);
  }
  start_turn(waiting.lanes);
}

// The lanes at an ENDCOLLECTIVE, if there are any, have one entry on the stack, with the lowest of
// them; below that of lanes that are still to come to its WARPSYNC with another mask.
void Barriers::stack_left_collective(Pc end) {
  Group* lowest = nullptr;
  for (Group& group : groups_) {
    if (!in(left_collective_, group) || group.body != end) continue;
    if (stacked(group)) return;
    if (lowest == nullptr || group.lanes.first() < lowest->lanes.first()) lowest = &group;
  }
  if (lowest == nullptr) return;
  const Group left = *lowest;
  groups_.erase(lowest);
  Group* const top = top_of_stack();
  left_before_others_ = top != nullptr && in(other_masks_, *top);
  if (!left_before_others_) return stack(left);
  const Group others = *top;
  groups_.erase(top);
  stack(left);
  stack(others);
}

// Where the last of several masks has to wait, the lanes that left the collective before lose their
// entry on the stack; the search finds them (rule 9).
void Barriers::forget_left_collective() {
  Group* const top = top_of_stack();
  if (!left_before_others_ || top == nullptr || !in(left_collective_, *top)) return;
  left_before_others_ = false;
  stacked_ &= ~top->lanes;
  has_front_ = false;
}

bool Barriers::waits_for_collective(const Group& group) const {
  return group.wait == Wait::warp_sync && group.body != kNowhere;
}

// Lanes that have left a collective and go on where those do that wait at it, if there are any.
Group* Barriers::left_collective_at(const Group& waiting) {
  if (!waits_for_collective(waiting)) return nullptr;
  Group* const left = std::ranges::find_if(groups_, [&](const Group& group) {
    return in(left_collective_, group) && group.pc == waiting.pc;
  });
  return left == groups_.end() ? nullptr : left;
}

}  // namespace heddle::simulator
