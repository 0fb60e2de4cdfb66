#include "simulator/timing/memory_pipe.hpp"

#include <algorithm>
#include <utility>

namespace heddle::simulator::timing {

MemoryPipe::MemoryPipe(const Constants& constants)
    : constants_(constants), times_(constants.sub_cores), sub_cores_(constants.sub_cores) {
  for (SubCore& sub : sub_cores_) {
    sub.leaves.assign(std::max(1u, constants.mio_queue_entries), 0);
    sub.is_other.assign(sub.leaves.size(), 0);
  }
}

void MemoryPipe::prefetch() const {
  __builtin_prefetch(times_.data());
  for (const SubCore& sub : sub_cores_) {
    __builtin_prefetch(&sub);
    __builtin_prefetch(sub.leaves.data());
    __builtin_prefetch(sub.waiting.place());
  }
}

std::optional<Cycle> MemoryPipe::enter(unsigned sub_core, const PipeWork& work) {
  SubCore& sub = sub_cores_[sub_core];
  const std::size_t place = sub.next;
  sub.next = sub.next + 1 == sub.leaves.size() ? 0 : sub.next + 1;
  sub.others -= sub.is_other[place];
  sub.is_other[place] = work.is_global ? 0 : 1;
  sub.others += sub.is_other[place];
  // What issues later is ready later: nothing can come before an instruction that need not wait.
  if (waiting_ == 0 && work.special_busy == 0 &&
      std::max({sub.address_free, port_free_, sub.own_free, shared_free_}) <= work.ready) {
    sub.leaves[place] = work.ready;
    times_[sub_core].room = sub.leaves[sub.next];
    sub.address_free = work.ready + work.address_busy;
    port_free_ = work.ready + constants_.lsu_shared_interval;
    sub.own_free = work.ready + work.own_busy;
    shared_free_ = work.ready + std::max<Cycle>(work.shared_busy, constants_.lsu_shared_interval);
    return work.ready;
  }
  sub.leaves[place] = kNever;
  times_[sub_core].room = sub.leaves[sub.next];
  sub.waiting.push({work, kNever, place});
  ++waiting_;
  if (sub.waiting.size() - sub.behind != 1) return std::nullopt;  // it waits for those before it
  look_at_address(sub_core);
  next_event_ = std::min(next_event_, std::max(times_[sub_core].address, port_free_));
  return std::nullopt;
}

void MemoryPipe::Waitings::grow() {
  constexpr std::size_t kLeast = 16;
  std::vector<Waiting> larger(std::max(kLeast, 2 * places_));
  for (std::size_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
  ring_ = std::move(larger);
  places_ = ring_.size();
  first_ = 0;
}

inline void MemoryPipe::look_at_address(unsigned sub_core) {
  const SubCore& sub = sub_cores_[sub_core];
  Times& times = times_[sub_core];
  times.address = kNever;
  times.common_places = 0;
  if (sub.behind == sub.waiting.size()) return;
  const PipeWork& next = sub.waiting[sub.behind].work;
  times.common_places = next.common_places;
  if (has_place(sub, next)) times.address = std::max(next.ready, sub.address_free);
}

inline void MemoryPipe::look_at_begin(unsigned sub_core) {
  const SubCore& sub = sub_cores_[sub_core];
  Times& times = times_[sub_core];
  times.begin = times.addressed = kNever;
  if (sub.behind == 0) return;
  const Waiting& first = sub.waiting[0];
  times.addressed = first.addressed;
  times.begin = std::max(
      {first.addressed, sub.own_free, first.work.special_busy != 0 ? special_free_ : Cycle{0}});
}

// Behind the address unit (steps.* of gpu/kernels/micro/timing/memory_turns.cu).
inline bool MemoryPipe::has_place(const SubCore& sub, const PipeWork& work) const {
  return sub.behind < std::max(1u, work.places) || common_ < work.common_places;
}

void MemoryPipe::find_next_event() {
  next_event_ = kNever;
  if (waiting_ == 0) return;
  Cycle address = kNever, begin = kNever;
  for (const Times& times : times_) {
    address = std::min(address, times.address);
    begin = std::min(begin, times.begin);
  }
  next_event_ = std::min(std::max(address, port_free_), std::max(begin, shared_free_));
}

// The address unit takes the sub-core's next instruction.
void MemoryPipe::address(unsigned sub_core, Cycle time) {
  SubCore& sub = sub_cores_[sub_core];
  const std::size_t common = common_ - in_common(sub);
  Waiting& waiting = sub.waiting[sub.behind++];
  waiting.addressed = time;
  sub.address_free = time + waiting.work.address_busy;
  port_free_ = time + constants_.lsu_shared_interval;
  sub.leaves[waiting.place] = time;
  times_[sub_core].room = sub.leaves[sub.next];
  addressed_.push_back({waiting.work.token, time});
  made_room_ |= std::uint64_t{1} << sub_core;
  last_addressed_ = sub_core;
  if (sub.behind == 1) look_at_begin(sub_core);
  count_common(common + in_common(sub));
  look_at_address(sub_core);
}

// The shared unit takes the sub-core's first one.
void MemoryPipe::begin(unsigned sub_core, Cycle time) {
  SubCore& sub = sub_cores_[sub_core];
  const std::size_t common = common_ - in_common(sub);
  const PipeWork& work = sub.waiting[0].work;
  sub.own_free = time + work.own_busy;
  shared_free_ = time + std::max<Cycle>(work.shared_busy, constants_.lsu_shared_interval);
  taken_.push_back({work.token, time});
  const Cycle special_busy = work.special_busy;
  sub.waiting.pop();
  --sub.behind;
  --waiting_;
  look_at_begin(sub_core);
  if (special_busy != 0) {
    special_free_ = time + special_busy;
    for (unsigned i = 0; i < sub_cores_.size(); ++i) look_at_begin(i);
  }
  count_common(common + in_common(sub));
  look_at_address(sub_core);
}

// There may be room for the next instruction of another sub-core now, or no more.
void MemoryPipe::count_common(std::size_t common) {
  const std::size_t before = std::exchange(common_, common);
  if (before == common) return;
  for (unsigned i = 0; i < times_.size(); ++i) {
    const std::uint32_t limit = times_[i].common_places;
    if ((before < limit) != (common < limit)) look_at_address(i);
  }
}

// Of the sub-cores whose first instruction could begin, that of the one which left its address unit
// first: what comes later waits for all before it, whosever they are (beside.* of
// gpu/kernels/micro/timing/memory_turns.cu).
unsigned MemoryPipe::first_addressed(Cycle time) const {
  const auto count = static_cast<unsigned>(sub_cores_.size());
  unsigned found = count;
  Cycle earliest = kNever;
  for (unsigned i = 0; i < count; ++i) {
    const bool sooner = times_[i].begin <= time && times_[i].addressed < earliest;
    earliest = sooner ? times_[i].addressed : earliest;
    found = sooner ? i : found;
  }
  return found;
}

std::span<const MemoryPipe::Taken> MemoryPipe::advance(Cycle now) {
  taken_.clear();
  addressed_.clear();
  made_room_ = 0;
  const auto count = static_cast<unsigned>(sub_cores_.size());
  // Among those that could go now the sub-core after the one served last.
  const auto first_after = [count](unsigned last, auto&& could_go) {
    for (unsigned i = 0; i < count; ++i) {
      last = last + 1 == count ? 0 : last + 1;
      if (could_go(last)) return last;
    }
    return count;
  };
  for (; next_event_ <= now; find_next_event()) {
    const Cycle time = next_event_;
    if (port_free_ <= time)
      if (const unsigned sub_core =
              first_after(last_addressed_, [&](unsigned i) { return times_[i].address <= time; });
          sub_core != count)
        address(sub_core, time);
    if (shared_free_ <= time)
      if (const unsigned sub_core = first_addressed(time); sub_core != count) begin(sub_core, time);
  }
  return taken_;
}

void MemoryPipe::hold_until(Cycle time) {
  held_until_ = std::max(held_until_, time);
  shared_free_ = std::max(shared_free_, time);
  find_next_event();
}

void MemoryPipe::leave_at(unsigned sub_core, Cycle time) {
  if (shared_free_ <= time) return;
  SubCore& sub = sub_cores_[sub_core];
  shared_free_ = std::max(time, held_until_);
  sub.own_free = std::min(sub.own_free, time);
  look_at_begin(sub_core);
  find_next_event();
}

}  // namespace heddle::simulator::timing
