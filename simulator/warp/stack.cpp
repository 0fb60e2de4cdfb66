#include "simulator/warp/stack.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "simulator/warp/divergence_order.hpp"

namespace heddle::simulator {
namespace {

static_assert(kNowhere == ReconvergencePoints::kNone);

}  // namespace

Stack::Stack(std::shared_ptr<ReconvergencePoints> points) : points_(std::move(points)) {
  whole_warp_arrives_ = true;
}

std::unique_ptr<Reconvergence> Stack::clone() const { return std::make_unique<Stack>(*this); }

bool Stack::equals(const Reconvergence& other) const {
  return *this == static_cast<const Stack&>(other);
}

Mask Stack::awaited_by(const Group& group) const {
  const auto join = std::find_if(joins_.rbegin(), joins_.rend(),
                                 [&](const Join& each) { return group.lanes.within(each.lanes); });
  return join == joins_.rend() ? Mask() : join->lanes & live_ & ~group.lanes;
}

Flow Stack::branch(const Branch& branch) {
  if (std::ranges::find(branch.parts, kNowhere, &Part::pc) != branch.parts.end()) return Flow::stop;
  const Mask lanes = current().lanes;
  groups_.pop_back();
  const bool calls = branch.kind == Branch::Kind::call;
  const bool returns = branch.kind == Branch::Kind::ret && leave_function(lanes);
  if (calls)
    joins_.push_back({lanes, kNowhere, branch.at});
  else if (!returns)
    await(lanes, branch.at, branch.parts.size());
  for (std::size_t i = branch.parts.size(); i-- > 0;) {
    const Part& part = branch.parts[i];
    const bool waits = returns || (calls && part.pc == branch.at + 1);
    groups_.push_back(
        {.lanes = part.lanes, .pc = part.pc, .wait = waits ? Wait::reconvergence : Wait::none});
  }
  settle();
  return Flow::reschedule;
}

// Lanes that diverge at an instruction are awaited where it says.
void Stack::await(Mask lanes, Pc at, std::size_t parts) {
  if (parts < 2) return;
  const Pc pc(points_->after(at));
  if (pc != kNowhere && (joins_.empty() || joins_.back().pc != pc))
    joins_.push_back({lanes, pc, at});
}

// The lanes come no more to where the function has them meet. False: they are in none.
bool Stack::leave_function(Mask lanes) {
  const auto call = std::find_if(joins_.rbegin(), joins_.rend(), [&](const Join& join) {
    return join.pc == kNowhere && lanes.within(join.lanes);
  });
  if (call == joins_.rend()) return false;
  for (auto join = joins_.rbegin(); join != call; ++join) join->lanes &= ~lanes;
  return true;
}

void Stack::settle() {
  while (!joins_.empty() && meet(joins_.back())) {
  }
  halt_ = {};
  if (!joins_.empty() && joins_.back().pc != kNowhere) halt_ = {joins_.back().pc, 1};
  choose();
}

// Whether all have come to the innermost join: then they go on, as one where they are at one place.
bool Stack::meet(Join innermost) {
  Mask come;
  for (Group& group : groups_) {
    if (!group.lanes.within(innermost.lanes)) continue;
    if (group.ready() && group.pc == innermost.pc) group.wait = Wait::reconvergence;
    if (group.wait == Wait::reconvergence) come |= group.lanes;
  }
  if (come != (innermost.lanes & live_)) return false;
  joins_.pop_back();
  Groups together;
  groups_.erase_if([&](const Group& group) {
    if (!group.lanes.within(come)) return false;
    Group* const same = std::ranges::find(together, group.pc, &Group::pc);
    if (same == together.end())
      together.push_back({.lanes = group.lanes, .pc = group.pc});
    else
      same->lanes |= group.lanes;
    return true;
  });
  await(come, innermost.at, together.size());
  for (const Group& group : together) groups_.push_back(group);
  return true;
}

// The top of the stack is the last group that does not wait to reconverge.
void Stack::choose() {
  for (std::size_t i = groups_.size(); i-- > 0;)
    if (groups_[i].wait != Wait::reconvergence) return groups_.move_to_back(&groups_[i]);
}

// The lanes of one mask after the other; the plain form waits for all lanes that are named.
Warpsynced Stack::warpsync(const Warpsync& sync) {
  Mask named = sync.masks == nullptr ? kFullMask : Mask(), active = sync.active;
  bool diverges = false;
  if (sync.masks != nullptr) {
    const LaneParts parts(active, sync.masks);
    diverges = parts.count() > 1 && sync.form != Warpsync::Form::plain;
    for (const LaneParts::Part& part : parts.all()) {
      named |= Mask(static_cast<std::uint32_t>(part.value));
      if (diverges) break;
    }
    if (diverges) {
      const Mask first = parts.first().lanes;
      const std::array ways{Part{first, sync.at + 1}, Part{active & ~first, sync.at}};
      branch({sync.at, ways});
      active = first;
    }
  }
  Warpsynced result{diverges ? Flow::reschedule : Flow::next};
  if (current().lanes != active) {
    result.flow = Flow::reschedule;  // they reconverge already
  } else if (!((named | active) & live_).within(active)) {
    current().wait = Wait::warp_sync;
    current().partners = named | active;
    result.flow = Flow::reschedule;
  }
  return result;
}

Released Stack::exit(Mask lanes) {
  end_lanes(lanes);
  settle();
  return {};
}

void Stack::wait_at_block_barrier(unsigned number) {
  wait_for(Wait::block_barrier, number);
  settle();
}

void Stack::release_block_barrier(unsigned number) {
  released_by_block_ = true;
  for (Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) group.wait = Wait::none;
  settle();
}

}  // namespace heddle::simulator
