#include "simulator/warp/min_pc.hpp"

#include <algorithm>
#include <utility>

#include "simulator/warp/divergence_order.hpp"

namespace heddle::simulator {

std::unique_ptr<Reconvergence> MinPc::clone() const { return std::make_unique<MinPc>(*this); }

bool MinPc::equals(const Reconvergence& other) const {
  return *this == static_cast<const MinPc&>(other);
}

void MinPc::begin() {
  depth_.fill(0);
  collected_.clear();
}

std::uint16_t MinPc::depth_of(const Group& group) const { return depth_[group.lanes.first()]; }

void MinPc::set_depth(Mask lanes, std::uint16_t depth) {
  for (const unsigned lane : lanes) depth_[lane] = depth;
}

bool MinPc::runs_before(const Group& one, const Group& other) const {
  const std::uint16_t depth = depth_of(one), others = depth_of(other);
  return depth != others ? depth > others : one.pc < other.pc;
}

bool MinPc::meet(const Group& one, const Group& other) const {
  return one.ready() && other.ready() && one.pc == other.pc && depth_of(one) == depth_of(other);
}

Flow MinPc::branch(const Branch& branch) {
  if (std::ranges::find(branch.parts, kNowhere, &Part::pc) != branch.parts.end()) return Flow::stop;
  groups_.pop_back();
  for (const Part& part : branch.parts) {
    groups_.push_back({.lanes = part.lanes, .pc = part.pc});
    const bool calls = branch.kind == Branch::Kind::call && part.pc != branch.at + 1;
    const bool returns = branch.kind == Branch::Kind::ret && depth_of(groups_.back()) != 0;
    const int deeper = (calls ? 1 : 0) - (returns ? 1 : 0);
    set_depth(part.lanes, static_cast<std::uint16_t>(depth_of(groups_.back()) + deeper));
  }
  settle();
  return Flow::reschedule;
}

void MinPc::settle() {
  release_met();
  merge();
  halt_ = {};
  Group* const ready =
      std::stable_partition(groups_.begin(), groups_.end(), std::not_fn(&Group::ready));
  if (ready == groups_.end()) return;
  std::sort(ready, groups_.end(),
            [this](const Group& one, const Group& other) { return runs_before(other, one); });
  if (groups_.end() - ready < 2) return;
  const Group& second = *(groups_.end() - 2);
  if (depth_of(second) == depth_of(groups_.back())) halt_ = {second.pc, ~second.pc};
}

void MinPc::merge() {
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (std::size_t j = groups_.size() - 1; j > i; --j)
      if (meet(groups_[i], groups_[j])) {
        groups_[i].lanes |= groups_[j].lanes;
        groups_.erase(&groups_[j]);
      }
}

// By their program counters alone the lanes of several masks are one group again at once.
Warpsynced MinPc::warpsync(const Warpsync& sync) {
  Mask named = sync.active;
  if (sync.masks == nullptr) {
    named = kFullMask;
  } else {
    const LaneParts parts(sync.active, sync.masks);
    if (parts.count() > 1 && sync.form != Warpsync::Form::plain)
      return {.flow = Flow::stop, .refused = true};
    for (const LaneParts::Part& part : parts.all())
      named |= Mask(static_cast<std::uint32_t>(part.value));
  }
  const Mask missing = named & live_ & ~current().lanes;
  if (missing.empty()) return {};
  if (sync.form == Warpsync::Form::collective) {
    if (missing.within(waiting_with(named))) {
      begin_body(named);
      return {Flow::reschedule};
    }
    current().body = std::exchange(current().pc, sync.behind);
  }
  current().wait = Wait::warp_sync;
  current().partners = named;
  settle();
  return {Flow::reschedule};
}

Mask MinPc::waiting_with(Mask named) const {
  Mask lanes;
  for (const Group& group : groups_)
    if (group.wait == Wait::warp_sync && group.partners == named) lanes |= group.lanes;
  return lanes;
}

// The current group came last to a collective: it executes the body together with those that wait.
void MinPc::begin_body(Mask named) {
  Mask together = current().lanes;
  groups_.erase_if([&](const Group& group) {
    if (group.wait != Wait::warp_sync || group.partners != named) return false;
    together |= group.lanes;
    collected_.push_back({group, depth_of(group)});
    collected_.back().group.wait = Wait::none;
    return true;
  });
  set_depth(together, depth_of(current()));
  current().lanes = together;
  settle();
}

// Lanes of the group that came to the collective's beginning elsewhere go on where they were to.
Flow MinPc::end_collective() {
  Group group = current();
  Groups leaving;
  for (auto& [other, depth] : collected_) {
    Group part = other;
    part.lanes &= group.lanes;
    other.lanes &= ~part.lanes;
    group.lanes &= ~part.lanes;
    if (part.lanes.empty()) continue;
    set_depth(part.lanes, depth);
    leaving.push_back(part);
  }
  std::erase_if(collected_, [](const Collected& other) { return other.group.lanes.empty(); });
  if (leaving.empty()) return Flow::next;
  groups_.pop_back();
  if (group.lanes.any()) groups_.push_back(group);
  for (const Group& each : leaving) groups_.push_back(each);
  settle();
  return Flow::reschedule;
}

// Releases groups that wait at WARPSYNC for lanes that are all there, or have ended.
void MinPc::release_met() {
  for (const Group& group : groups_) {
    if (group.wait != Wait::warp_sync) continue;
    const Mask named = group.partners;
    if (!(named & live_).within(waiting_with(named))) continue;
    Mask together;
    Group* last = nullptr;
    for (Group& other : groups_) {
      if (other.wait != Wait::warp_sync || other.partners != named) continue;
      other.wait = Wait::none;
      together |= other.lanes;
      if (other.body != kNowhere) last = &other;
    }
    if (last != nullptr) return run_body(*last, together);
  }
}

// Lanes that came to a collective execute its body, as those they waited for have ended.
void MinPc::run_body(Group& last, Mask together) {
  for (Group& other : groups_) {
    if (&other == &last || (other.lanes & together).empty()) continue;
    collected_.push_back({other, depth_of(other)});
    other.lanes = Mask();
  }
  set_depth(together, depth_of(last));
  last.pc = std::exchange(last.body, kNowhere);
  last.lanes = together;
  groups_.erase_if([](const Group& other) { return other.lanes.empty(); });
}

Released MinPc::exit(Mask lanes) {
  end_lanes(lanes);
  settle();
  return {};
}

void MinPc::wait_at_block_barrier(unsigned number) {
  wait_for(Wait::block_barrier, number);
  settle();
}

void MinPc::release_block_barrier(unsigned number) {
  released_by_block_ = true;
  for (Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) group.wait = Wait::none;
  settle();
}

}  // namespace heddle::simulator
