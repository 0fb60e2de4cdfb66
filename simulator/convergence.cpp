#include "simulator/convergence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <span>

namespace heddle::simulator {

void Convergence::start(Mask lanes, std::uint32_t pc) {
  live_ = lanes;
  barriers_.fill(0);
  restored_ = 0;
  groups_.clear();
  groups_.reserve(kWarpSize + 1);
  collected_.clear();
  groups_.push_back({.lanes = lanes, .pc = pc});
}

void Convergence::set_barrier(unsigned index, Mask lanes) {
  barriers_[index] = lanes;
  restored_ &= ~(1u << index);
  release_met();
}

void Convergence::restore_barrier(unsigned index, Mask lanes) {
  barriers_[index] = lanes;
  restored_ |= 1u << index;
  release_met();
}

void Convergence::split_off(Mask lanes, std::uint32_t pc) {
  Group& group = current();
  assert((lanes & ~group.lanes) == 0 && lanes != 0 && lanes != group.lanes);
  group.lanes &= ~lanes;
  push_next({.lanes = lanes, .pc = pc});
}

void Convergence::leave_behind(Mask lanes, std::uint32_t pc) {
  current().lanes &= ~lanes;
  push_next({.lanes = lanes, .pc = pc, .again = true});
}

void Convergence::split_off_first(Mask lanes, std::uint32_t pc) {
  assert((lanes & ~current().lanes) == 0 && lanes != 0 && lanes != current().lanes);
  Group rest = current();
  rest.lanes &= ~lanes;
  groups_.back() = {.lanes = lanes, .pc = pc};
  push_next(rest);
}

// The group that is next in turn joins those behind it: a group among them that stands at the same
// instruction becomes one with it.
void Convergence::displace_next() {
  const auto is_ready = [](const Group& other) { return other.wait == Wait::none; };
  const auto next = std::find_if(groups_.rbegin() + 1, groups_.rend(), is_ready);
  if (next == groups_.rend()) return;
  const auto same = std::find_if(next + 1, groups_.rend(), [&](const Group& other) {
    return is_ready(other) && other.pc == next->pc && other.again == next->again;
  });
  if (same == groups_.rend()) return;
  next->lanes |= same->lanes;
  groups_.erase((same + 1).base());
}

// Puts a ready group below the current one: its turn is next.
void Convergence::push_next(const Group& group) {
  displace_next();
  groups_.insert(groups_.end() - 1, group);
}

// A ready group becomes the current one, and the one that was, if any, next in turn.
void Convergence::push_current(const Group& group) {
  if (has_current()) displace_next();
  groups_.push_back(group);
}

// Moves the last ready group to the back, where the current one stands.
void Convergence::choose() {
  const auto ready = std::find_if(groups_.rbegin(), groups_.rend(),
                                  [](const Group& group) { return group.wait == Wait::none; });
  if (ready == groups_.rend()) return;
  const auto position = ready.base() - 1;
  std::rotate(position, position + 1, groups_.end());
}

unsigned Convergence::wait_convergence_barrier(unsigned index) {
  Group& group = current();
  group.wait = Wait::convergence_barrier;
  group.index = static_cast<std::uint8_t>(index);
  // A lane that is not in the barrier has nothing to wait for.
  const Mask outside = group.lanes & ~barriers_[index];
  if (outside != 0 && outside != group.lanes) {
    const Group rest{.lanes = outside, .pc = group.pc};
    group.lanes &= ~outside;
    push_current(rest);
  } else if (outside != 0) {
    group.wait = Wait::none;
    return 0;
  }
  return static_cast<unsigned>(release_met());
}

unsigned Convergence::wait_warp_sync(Mask partners) {
  Group& group = current();
  group.wait = Wait::warp_sync;
  group.partners = partners;
  return static_cast<unsigned>(release_met());
}

unsigned Convergence::wait_collective(Mask partners, std::uint32_t behind) {
  const Group last = current();
  current().pc = behind;
  const unsigned met = wait_warp_sync(partners);
  if (met == 0) return 0;
  // Released, the groups stand at the back, those that came last on top.
  const auto is_collected = [&](const Group& group) {
    return group.wait == Wait::none && (group.lanes & partners) != 0;
  };
  Mask all = 0;
  while (!groups_.empty() && is_collected(groups_.back())) {
    Group group = groups_.back();
    groups_.pop_back();
    all |= group.lanes;
    group.lanes &= ~last.lanes;
    if (group.lanes != 0) collected_.push_back(group);
  }
  std::ranges::sort(collected_, std::ranges::greater(),
                    [](const Group& group) { return std::countr_zero(group.lanes); });
  groups_.push_back({.lanes = all, .pc = last.pc});
  return met;
}

void Convergence::end_collective() {
  Group group = current();
  groups_.pop_back();
  for (const Group& other : collected_) {
    group.lanes &= ~other.lanes;
    groups_.push_back(other);
  }
  collected_.clear();
  groups_.push_back(group);
}

void Convergence::wait_block_barrier(unsigned number) {
  Group& group = current();
  group.wait = Wait::block_barrier;
  group.index = static_cast<std::uint8_t>(number);
  choose();
}

Mask Convergence::waiting_at_block_barrier(unsigned number) const {
  Mask lanes = 0;
  for (const Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) lanes |= group.lanes;
  return lanes;
}

// Lets groups go on, lanes that stand at the same instruction as one; returns how many groups
// waited.
template <typename Released>
std::size_t Convergence::release(Released&& is_released) {
  std::array<Group, kWarpSize> released;
  std::size_t count = 0;
  const std::size_t waited = std::erase_if(groups_, [&](const Group& group) {
    if (!is_released(group)) return false;
    const auto end = released.begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(released.begin(), end,
                                   [&](const Group& other) { return other.pc == group.pc; });
    if (same == end) {
      released[count++] = {.lanes = group.lanes, .pc = group.pc};
    } else {
      same->lanes |= group.lanes;
    }
    return true;
  });
  // Those that came last go on first, the others by their lowest lanes
  // (docs/experiments/divergence-order.md, 7).
  if (count > 2)
    std::ranges::sort(std::span(released).first(count - 1), std::ranges::greater(),
                      [](const Group& group) { return std::countr_zero(group.lanes); });
  for (std::size_t i = 0; i < count; ++i) push_current(released[i]);
  return waited;
}

// A block barrier merges nothing (docs/experiments/divergence-order.md, 5).
void Convergence::release_block_barrier(unsigned number) {
  for (Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) group.wait = Wait::none;
  choose();
}

// Lets go every group whose barrier is met: all lanes it waits for that are alive are there too.
// Returns how many. A convergence barrier concerns the lanes in its mask alone: lanes that wait at
// a barrier whose register a callee uses meanwhile (BMOV saves and restores it) stay.
std::size_t Convergence::release_met() {
  std::size_t released = 0;
  // Barriers found not to be met: what holds for one group of a barrier's lanes holds for all.
  std::uint32_t not_met = 0;
  for (std::size_t i = 0; i < groups_.size();) {
    const Group waiting = groups_[i++];
    const bool at_barrier = waiting.wait == Wait::convergence_barrier;
    if (!at_barrier && waiting.wait != Wait::warp_sync) continue;
    if (at_barrier && (not_met >> waiting.index & 1) != 0) continue;
    const Mask expected = (at_barrier ? barriers_[waiting.index] : waiting.partners) & live_;
    const auto is_partner = [&](const Group& group) {
      return group.wait == waiting.wait && (group.lanes & expected) != 0 &&
             (at_barrier ? group.index == waiting.index : group.partners == waiting.partners);
    };
    if (!is_partner(waiting)) continue;
    Mask present = 0;
    for (const Group& group : groups_)
      if (is_partner(group)) present |= group.lanes;
    if ((expected & ~present) != 0) {
      if (at_barrier) not_met |= 1u << waiting.index;
      continue;
    }
    released += release(is_partner);
    i = 0;
    not_met = 0;
  }
  choose();
  return released;
}

void Convergence::leave_barrier(unsigned index, Mask lanes) {
  barriers_[index] &= ~lanes;
  release_met();
}

void Convergence::exit(Mask lanes) {
  live_ &= ~lanes;
  current().lanes &= ~lanes;
  if (current().lanes == 0) groups_.pop_back();
  for (Mask& barrier : barriers_) barrier &= live_;
  release_met();
}

bool Convergence::others_ready() const {
  return std::count_if(groups_.begin(), groups_.end(),
                       [](const Group& group) { return group.wait == Wait::none; }) > 1;
}

bool Convergence::yield() {
  const auto at_barrier = [](const Group& group) {
    return group.wait == Wait::convergence_barrier;
  };
  const bool ready = others_ready();
  if (!ready && std::ranges::none_of(groups_, at_barrier)) return false;
  std::rotate(groups_.begin(), groups_.end() - 1, groups_.end());
  if (!ready) {
    for (const Group& group : groups_)
      if (at_barrier(group)) barriers_[group.index] &= ~group.lanes;
    release(at_barrier);
  }
  choose();
  return true;
}

}  // namespace heddle::simulator
