#include "simulator/convergence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <span>
#include <utility>

#include "simulator/reconvergence_policy.hpp"

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
  last_leader_ = kWarpSize;  // none yet
  patched_ = patched;
  patches_show_ = false;
  has_next_ = false;
  groups_.push_back({.lanes = lanes, .pc = pc});
}

// A barrier can have lanes already: of a group that went through the same code before, or whose
// function has left it the register. Lanes that wait at a WARPSYNC are not among them any more
// (docs/experiments/divergence-order.md, 12).
void Convergence::join_barrier(unsigned index, Mask lanes) {
  for (const Group& group : groups_)
    if (group.wait == Wait::warp_sync) barriers_[index] &= ~group.lanes;
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

// Whether two groups that wait their turn stand where they become one.
bool Convergence::same_place(const Group& one, const Group& other) {
  if (one.pc != other.pc || one.again != other.again) return false;
  if (!patched_ || one.behind == other.behind) return true;
  patches_show_ = true;
  return false;
}

// The group that is next in turn joins the rest: a group among these that stands at the same
// instruction becomes one with it. Returns whether there was one.
bool Convergence::displace_next() {
  const auto is_ready = [](const Group& other) { return other.wait == Wait::none; };
  const auto next = std::find_if(groups_.rbegin() + 1, groups_.rend(), is_ready);
  if (next == groups_.rend()) return false;
  const auto same = std::find_if(next + 1, groups_.rend(), [&](const Group& other) {
    return is_ready(other) && same_place(other, *next);
  });
  if (same == groups_.rend()) return false;
  next->lanes |= same->lanes;
  groups_.erase((same + 1).base());
  return true;
}

// Puts a ready group below the current one: its turn is next.
void Convergence::push_next(const Group& group) {
  displace_next();
  groups_.insert(groups_.end() - 1, group);
  has_next_ = true;
}

// A ready group becomes the current one, and the one that was running, if any, next in turn.
void Convergence::push_current(const Group& group, bool running) {
  if (running) {
    displace_next();
    groups_.back().behind = true;
    has_next_ = true;
  }
  groups_.push_back(group);
}

// Where no group is running: the last ready one becomes the current one, at the back; where all
// that are ready have yielded, they take turns.
void Convergence::choose() {
  if (only_yielded_ready()) return choose_by_lane();
  const auto ready = std::find_if(groups_.rbegin(), groups_.rend(), [](const Group& group) {
    return group.wait == Wait::none && !group.yielded;
  });
  if (ready == groups_.rend()) return;
  ready->gathers_at = has_next_ ? Group::kNowhere : ready->pc;
  has_next_ = false;
  std::rotate(ready.base() - 1, ready.base(), groups_.end());
}

// Whether all groups that could run have yielded.
bool Convergence::only_yielded_ready() const {
  bool any = false;
  for (const Group& group : groups_) {
    if (group.wait != Wait::none) continue;
    if (!group.yielded) return false;
    any = true;
  }
  return any;
}

// The lanes that wait at the BSYNC that the current group is executing, if it stood there when it
// was chosen: it takes them along. (Groups behind an instruction stand at the next.) In patched
// code they wait in the patch, where no group stands that is chosen.
Mask Convergence::gather_waiting() {
  Mask lanes = 0;
  const std::uint32_t pc = current().pc;  // behind the BSYNC, as that of groups that wait at it
  if (current().gathers_at == Group::kNowhere || current().gathers_at + 1 != pc) return lanes;
  const auto waits_here = [&](const Group& group) {
    return group.wait == Wait::convergence_barrier && group.pc == pc;
  };
  if (patched_) {
    patches_show_ |= std::ranges::any_of(groups_, waits_here);
    return lanes;
  }
  std::erase_if(groups_, [&](const Group& group) {
    if (!waits_here(group)) return false;
    lanes |= group.lanes;
    return true;
  });
  return lanes;
}

Mask Convergence::waiting_at(unsigned index) const {
  Mask lanes = 0;
  for (const Group& group : groups_)
    if (group.wait == Wait::convergence_barrier && group.index == index) lanes |= group.lanes;
  return lanes;
}

unsigned Convergence::wait_convergence_barrier(unsigned index) {
  joined_ = gather_waiting();
  Group& group = current();
  group.lanes |= joined_;
  group.gathers_at = Group::kNowhere;
  const Mask missing = barriers_[index] & live_ & ~group.lanes;
  if (missing == 0) {
    barriers_[index] = 0;
    return joined_ != 0 ? 2 : 1;
  }
  // Lanes outside the barrier pass it: at once, or with those that the last awaited ones let go.
  const Mask outside = group.lanes & ~barriers_[index];
  if (outside == group.lanes) return 0;
  if (outside != 0 && joined_ == 0 && (missing & ~waiting_at(index)) != 0) {
    groups_.insert(groups_.end() - 1, {.lanes = group.lanes & ~outside, .pc = group.pc});
    Group& inside = *(groups_.end() - 2);
    inside.wait = Wait::convergence_barrier;
    inside.index = static_cast<std::uint8_t>(index);
    groups_.back().lanes = outside;
    return static_cast<unsigned>(release_met(true));
  }
  group.wait = Wait::convergence_barrier;
  group.index = static_cast<std::uint8_t>(index);
  if (only_yielded_ready()) return open_barrier(index);
  return static_cast<unsigned>(release_met(false));
}

// Lets go who waits at a barrier without the lanes that are awaited there. It has no lanes then, so
// those will not wait for the ones that pass now either.
unsigned Convergence::open_barrier(unsigned index) {
  barriers_[index] = 0;
  return static_cast<unsigned>(release(false, [&](const Group& group) {
    return group.wait == Wait::convergence_barrier && group.index == index;
  }));
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
  open_a_barrier_if_all_wait(false);
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
  const std::size_t waited = std::erase_if(groups_, [&](const Group& group) {
    if (!is_released(group)) return false;
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
      group.behind = true;
    }
  if (policy_ != nullptr) return policy_->settle(*this);
  if (!running) choose();
}

// Lets go every group whose barrier is met: all lanes it waits for that are alive are there too.
// Returns how many. A convergence barrier concerns the lanes in its mask alone: lanes that wait at
// a barrier whose register a callee uses meanwhile (BMOV saves and restores it) stay.
std::size_t Convergence::release_met(bool running, bool at_exit) {
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
  open_a_barrier_if_all_wait(at_exit);
  return released;
}

// Where a function calls itself, a barrier that BMOV restores can name lanes that wait for those
// that wait at it. On an H200 such code goes on: through the barrier reached last, or, where the
// group that ran has ended, the one of the lowest number (docs/experiments/divergence-order.md,
// 13). It also goes on where the lanes awaited are at a block barrier already
// (gpu/kernels/micro/depths_at_barrier); for those a barrier waits that BMOV has not touched, and
// one in patched code, which PreparedLaunch then gives up.
void Convergence::open_a_barrier_if_all_wait(bool at_exit) {
  const bool at_block_barrier = std::ranges::any_of(
      groups_, [](const Group& group) { return group.wait == Wait::block_barrier; });
  const auto may_open = [&](const Group& group) {
    if (!at_block_barrier) return true;
    return !patched_ && (restored(group.index) || (barriers_[group.index] & group.lanes) == 0);
  };
  const Group* chosen = nullptr;
  for (const Group& group : groups_) {
    if (group.wait == Wait::warp_sync || group.wait == Wait::block_barrier) continue;
    if (group.wait != Wait::convergence_barrier) return;
    if (!may_open(group)) continue;
    if (!at_exit || chosen == nullptr || group.index < chosen->index) chosen = &group;
  }
  if (chosen != nullptr) open_barrier(chosen->index);
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
  release_met(running, true);
}

bool Convergence::others_ready() const {
  return std::count_if(groups_.begin(), groups_.end(),
                       [](const Group& group) { return group.wait == Wait::none; }) > 1;
}

Mask Convergence::awaited_by(const Group& group) const {
  const auto join = std::find_if(joins_.rbegin(), joins_.rend(), [&](const Join& each) {
    return (group.lanes & ~each.lanes) == 0;
  });
  return join == joins_.rend() ? 0 : join->lanes & live_ & ~group.lanes;
}

namespace {

// The lane to be chosen next is the first behind `leader` that another group than the yielding one
// has; where none was chosen before, behind that group's lowest. Leaves `leader` just before it.
void aim_beyond(const Group& yielding, std::span<const Group> groups, unsigned& leader) {
  if (leader == kWarpSize) leader = static_cast<unsigned>(std::countr_zero(yielding.lanes));
  Mask others = 0;
  for (const Group& group : groups)
    if (group.wait == Wait::none) others |= group.lanes & ~yielding.lanes;
  while ((others >> (leader + 1) % kWarpSize & 1) == 0) leader = (leader + 1) % kWarpSize;
}

}  // namespace

bool Convergence::yield() {
  const auto at_barrier = [](const Group& group) {
    return group.wait == Wait::convergence_barrier;
  };
  current().yielded = true;
  current().behind = true;
  if (!others_ready()) {
    if (std::ranges::none_of(groups_, at_barrier)) {
      current().yielded = false;
      return false;
    }
    for (const Group& group : groups_)
      if (at_barrier(group)) barriers_[group.index] &= ~group.lanes;
    release(true, at_barrier);
    return true;
  }
  if (only_yielded_ready()) {
    aim_beyond(current(), groups_, last_leader_);
    choose_by_lane();
  } else {
    choose();
  }
  return true;
}

// The ready group with the next lane after the one by which this was done before, together with
// all that stand where it does.
void Convergence::choose_by_lane() {
  Mask ready = 0;
  for (const Group& group : groups_)
    if (group.wait == Wait::none) ready |= group.lanes;
  if (last_leader_ == kWarpSize) last_leader_ = kWarpSize - 1;
  do last_leader_ = (last_leader_ + 1) % kWarpSize;
  while ((ready >> last_leader_ & 1) == 0);
  Group chosen = *std::ranges::find_if(groups_, [&](const Group& group) {
    return group.wait == Wait::none && (group.lanes >> last_leader_ & 1) != 0;
  });
  std::erase_if(groups_, [&](const Group& group) {
    if (group.wait != Wait::none || !same_place(group, chosen)) return false;
    chosen.lanes |= group.lanes;
    return true;
  });
  chosen.yielded = false;
  groups_.push_back(chosen);
  has_next_ = false;
}

}  // namespace heddle::simulator
