#include "simulator/warp/convergence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <span>
#include <utility>

#include "simulator/warp/reconvergence_policy.hpp"

namespace heddle::simulator {

void Convergence::start(Mask lanes, std::uint32_t pc, const ReconvergencePolicy* policy,
                        bool patched) {
  assert(policy == nullptr || !patched);
  policy_ = policy;
  joins_.clear();
  halt_ = {};
  live_ = lanes;
  barriers_.fill(0);
  restored_ = 0;
  groups_.clear();
  groups_.reserve(kWarpSize + 1);
  collected_.clear();
  collecting_ = more_to_collect_ = false;
  joined_ = 0;
  next_lane_ = 0;
  patched_ = patched;
  patches_show_ = false;
  has_next_ = false;
  groups_.push_back({.lanes = lanes, .pc = pc});
}

// A barrier can have lanes already: of a group that went through the same code before, or whose
// function has left it the register.
void Convergence::join_barrier(unsigned index, Mask lanes) {
  barriers_[index] |= lanes;
  restored_ &= ~(1u << index);
  release_met(true);
}

void Convergence::clear_barrier(unsigned index) {
  barriers_[index] = 0;
  restored_ &= ~(1u << index);
  release_met(true);
}

void Convergence::restore_barrier(unsigned index, Mask lanes) {
  barriers_[index] = lanes;
  restored_ |= 1u << index;
  release_met(true);
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
  rest.behind = true;
  groups_.back() = {.lanes = lanes, .pc = pc};
  push_next(rest);
}

// Lanes that wait at BSYNC, of any barrier, or at WARPSYNC.
Mask Convergence::waiting_at_barriers() const {
  Mask lanes = 0;
  for (const Group& group : groups_)
    if (group.wait == Wait::convergence_barrier || group.wait == Wait::warp_sync)
      lanes |= group.lanes;
  return lanes;
}

// docs/experiments/divergence-order.md, 4, 5, 10, 12 and 13.
unsigned Convergence::wait_convergence_barrier(unsigned index) {
  joined_ = gather_waiting();
  Group& group = current();
  group.lanes |= joined_;
  group.gathers_at = Group::kNowhere;
  group.again = group.let_go = false;
  const bool waited = std::exchange(group.with_waiting, false);
  const Mask missing = barriers_[index] & live_ & ~group.lanes;
  if (missing == 0 || (waited && !any_stacked())) {
    barriers_[index] = 0;
    return joined_ != 0 ? 2 : 1;
  }
  const Mask outside = group.lanes & ~barriers_[index];
  if (outside == group.lanes) return 0;
  if ((missing & ~waiting_at_barriers()) == 0) return open_barrier(index);
  if (outside != 0 && joined_ == 0) {
    groups_.insert(groups_.end() - 1, {.lanes = group.lanes & ~outside, .pc = group.pc});
    Group& inside = *(groups_.end() - 2);
    inside.wait = Wait::convergence_barrier;
    inside.index = static_cast<std::uint8_t>(index);
    groups_.back().lanes = outside;
    return 0;
  }
  group.wait = Wait::convergence_barrier;
  group.index = static_cast<std::uint8_t>(index);
  if (only_yielded_ready() && may_be_chosen(group)) return open_barrier(index);
  choose();
  return 0;
}

// The current group goes on through a BSYNC, with those that wait at the same one, though lanes
// are missing. The barrier has no lanes then, and none of those it had has yielded or waits any
// more: the others of them that wait at a BSYNC go through it again when they are chosen.
unsigned Convergence::open_barrier(unsigned index) {
  const Mask lanes = std::exchange(barriers_[index], 0) & live_;
  Group last = current();
  groups_.pop_back();
  unsigned met = 1;
  std::array<Group, kWarpSize> let_go;
  std::size_t count = 0;
  for (Group& group : groups_) {
    const Mask freed = group.lanes & lanes;
    const bool waits = group.wait == Wait::convergence_barrier;
    if (freed == 0 || (!waits && !group.yielded)) continue;
    group.lanes &= ~freed;
    if (waits && group.index == index && group.pc == last.pc) {
      last.lanes |= freed;
      ++met;
    } else {
      Group& other = let_go[count++] = group;
      other.lanes = freed;
      other.yielded = false;
      if (!waits) continue;
      other.wait = Wait::none;
      other.again = other.let_go = true;
      --other.pc;
    }
  }
  std::erase_if(groups_, [](const Group& group) { return group.lanes == 0; });
  groups_.insert(groups_.end(), let_go.begin(),
                 let_go.begin() + static_cast<std::ptrdiff_t>(count));
  last.wait = Wait::none;
  last.behind = true;
  groups_.push_back(last);
  start_turn(0);
  return met;
}

unsigned Convergence::wait_warp_sync(Mask partners) {
  Group& group = current();
  group.wait = Wait::warp_sync;
  group.partners = partners;
  return static_cast<unsigned>(release_met(false));
}

unsigned Convergence::wait_collective(Mask partners, std::uint32_t behind) {
  current().body = current().pc;
  current().pc = behind;
  return wait_warp_sync(partners);
}

template <typename Collected>
std::size_t Convergence::collect(bool running, Collected&& is_collected) {
  Group last;  // the groups that wait stand in the order in which they came
  Mask all = 0;
  for (const Group& group : groups_) {
    if (!is_collected(group)) continue;
    all |= group.lanes;
    if (group.body != Group::kNowhere) last = group;
  }
  const std::size_t waited = release(running, is_collected);
  // Released, the groups stand at the back, those that came last on top.
  while (!groups_.empty() && (groups_.back().lanes & all) != 0) {
    Group group = groups_.back();
    groups_.pop_back();
    group.lanes &= ~last.lanes;
    if (group.lanes != 0) collected_.push_back(group);
  }
  std::ranges::sort(collected_, std::ranges::greater(),
                    [](const Group& group) { return std::countr_zero(group.lanes); });
  groups_.push_back({.lanes = all, .pc = last.body});
  collecting_ = true;
  return waited;
}

void Convergence::end_collective() {
  Group group = current();
  groups_.pop_back();
  for (const Group& other : collected_) {
    group.lanes &= ~other.lanes;
    groups_.push_back(other);
    groups_.back().stacked = true;
    groups_.back().body = group.pc;  // nobody goes on with it
  }
  collected_.clear();
  groups_.push_back(group);
  collecting_ = false;
  if (std::exchange(more_to_collect_, false)) release_met(true);
}

void Convergence::wait_block_barrier(unsigned number) {
  Group& group = current();
  group.wait = Wait::block_barrier;
  group.index = static_cast<std::uint8_t>(number);
  if (policy_ != nullptr) return policy_->settle(*this);
  choose();
}

Mask Convergence::waiting_at_block_barrier(unsigned number) const {
  Mask lanes = 0;
  for (const Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) lanes |= group.lanes;
  return lanes != 0 && policy_ != nullptr && policy_->barriers_take_warps() ? live_ : lanes;
}

// Lets groups go on, lanes that stand at the same instruction as one; returns how many groups
// waited.
template <typename Released>
std::size_t Convergence::release(bool running, Released&& is_released) {
  std::array<Group, kWarpSize> released;
  std::size_t count = 0;
  bool at_bsync = false;
  const std::size_t waited = std::erase_if(groups_, [&](const Group& group) {
    if (!is_released(group)) return false;
    at_bsync |= group.wait == Wait::convergence_barrier;
    const auto end = released.begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(released.begin(), end,
                                   [&](const Group& other) { return other.pc == group.pc; });
    if (same == end) {
      released[count++] = {.lanes = group.lanes, .pc = group.pc, .behind = true};
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
  // BREAK parts the lanes that run and those it lets go as a branch does: the fewer go first.
  if (running && at_bsync && count == 1 &&
      std::popcount(released[0].lanes) >= std::popcount(current().lanes)) {
    push_next(released[0]);
    return waited;
  }
  for (std::size_t i = 0; i < count; ++i) push_current(released[i], running || i != 0);
  return waited;
}

// A block barrier merges nothing (docs/experiments/divergence-order.md, 5).
void Convergence::release_block_barrier(unsigned number) {
  const bool running = has_current();
  let_go_ = true;
  for (Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) {
      group.wait = Wait::none;
      group.behind = group.stacked = true;
    }
  if (policy_ != nullptr) return policy_->settle(*this);
  has_next_ |= !running;
  if (!running) choose();
}

// Lets go every group whose barrier is met: all lanes it waits for that are alive are there too.
// Returns how many. A convergence barrier concerns the lanes in its mask alone: lanes that wait at
// a barrier whose register a callee uses meanwhile (BMOV saves and restores it) stay.
std::size_t Convergence::release_met(bool running) {
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
    const bool collects = std::ranges::any_of(groups_, [&](const Group& group) {
      return is_partner(group) && group.body != Group::kNowhere;
    });
    if (collects && collecting_) {
      more_to_collect_ = true;
      continue;
    }
    released += collects ? collect(running, is_partner) : release(running, is_partner);
    if (at_barrier) barriers_[waiting.index] = 0;
    running = true;
    i = 0;
    not_met = 0;
  }
  if (!running) choose();
  return released;
}

void Convergence::leave_barrier(unsigned index, Mask lanes) {
  barriers_[index] &= ~lanes;
  release_met(true);
}

void Convergence::exit(Mask lanes) {
  live_ &= ~lanes;
  current().lanes &= ~lanes;
  const bool running = current().lanes != 0;
  if (!running) groups_.pop_back();
  if (policy_ != nullptr) return policy_->settle(*this);
  for (Mask& barrier : barriers_) barrier &= live_;
  release_met(running);
}

Mask Convergence::awaited_by(const Group& group) const {
  const auto join = std::find_if(joins_.rbegin(), joins_.rend(), [&](const Join& each) {
    return (group.lanes & ~each.lanes) == 0;
  });
  return join == joins_.rend() ? 0 : join->lanes & live_ & ~group.lanes;
}

}  // namespace heddle::simulator
