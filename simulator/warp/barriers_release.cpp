// Lanes that wait for one another, at BSYNC or at WARPSYNC, go on.
#include <algorithm>
#include <functional>
#include <utility>

#include "simulator/warp/barriers.hpp"

namespace heddle::simulator {
namespace {

unsigned lowest_lane(const Group& group) { return group.lanes.first(); }

}  // namespace

bool Barriers::Meeting::includes(const Group& group) const {
  if (group.wait != waiting.wait || (group.lanes & expected).empty()) return false;
  return group.wait == Wait::convergence_barrier ? group.index == waiting.index
                                                 : group.partners == waiting.partners;
}

// The lanes that wait for no others of their warp: whoever waits for one of them goes on waiting.
Mask Barriers::lanes_elsewhere() const {
  Mask lanes;
  for (const Group& group : groups_)
    if (group.wait != Wait::convergence_barrier && group.wait != Wait::warp_sync)
      lanes |= group.lanes;
  return lanes;
}

// Releases every group whose barrier is met: all lanes it waits for that are alive are there too.
// Returns how many. A convergence barrier concerns the lanes in its mask alone: lanes that wait at
// a barrier whose register a callee uses meanwhile (BMOV saves and restores it) stay.
std::size_t Barriers::release_met(bool running) {
  if (running && groups_.size() == 1) return 0;
  std::size_t released = 0;
  Mask elsewhere = lanes_elsewhere();
  for (std::size_t i = 0; elsewhere != live_ && i < groups_.size();) {
    const Group& waiting = groups_[i++];
    const bool at_barrier = waiting.wait == Wait::convergence_barrier;
    if (!at_barrier && waiting.wait != Wait::warp_sync) continue;
    const Meeting meeting{waiting,
                          (at_barrier ? barriers_[waiting.index] : waiting.partners) & live_};
    if ((meeting.expected & elsewhere).any() || !meeting.includes(waiting)) continue;
    Mask present;
    Pc body = kNowhere;  // of a collective: as the group that came last has it
    for (const Group& group : groups_) {
      if (!meeting.includes(group)) continue;
      present |= group.lanes;
      if (group.body != kNowhere) body = group.body;
    }
    if (!meeting.expected.within(present)) continue;
    const bool collects = body != kNowhere;
    if (collects && collecting_) {
      more_to_collect_ = true;
      continue;
    }
    if (at_barrier) barriers_[waiting.index] = Mask();
    released += collects ? collect(meeting, running) : release(meeting, running);
    running = true;
    i = 0;
    elsewhere = lanes_elsewhere();
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

}  // namespace heddle::simulator
