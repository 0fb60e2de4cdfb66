#include "simulator/timing/memory_pipe.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

MemoryPipe::MemoryPipe(const Constants& constants)
    : constants_(constants), sub_cores_(constants.sub_cores) {
  for (SubCore& sub : sub_cores_) sub.leaves.assign(std::max(1u, constants.mio_queue_entries), 0);
}

void MemoryPipe::prefetch() const {
  for (const SubCore& sub : sub_cores_) {
    __builtin_prefetch(&sub);
    __builtin_prefetch(sub.leaves.data());
    __builtin_prefetch(sub.waiting.data());
  }
}

bool MemoryPipe::has_room(unsigned sub_core, Cycle now, Cycle& until) const {
  const SubCore& sub = sub_cores_[sub_core];
  until = sub.leaves[sub.next];
  return until <= now;
}

std::optional<Cycle> MemoryPipe::enter(unsigned sub_core, const PipeWork& work) {
  SubCore& sub = sub_cores_[sub_core];
  const std::size_t place = sub.next;
  sub.next = sub.next + 1 == sub.leaves.size() ? 0 : sub.next + 1;
  // What issues later is ready later: nothing can come before an instruction that need not wait.
  if (waiting_ == 0 &&
      std::max({sub.address_free, port_free_, sub.own_free, shared_free_}) <= work.ready) {
    sub.leaves[place] = work.ready;
    sub.address_free = work.ready + work.address_busy;
    port_free_ = work.ready + constants_.lsu_shared_interval;
    sub.own_free = work.ready + work.own_busy;
    shared_free_ = work.ready + std::max<Cycle>(work.shared_busy, constants_.lsu_shared_interval);
    last_ = sub_core;
    return work.ready;
  }
  sub.leaves[place] = kNever;
  sub.waiting.push_back({work, kNever, place});
  ++waiting_;
  find_next_event();
  return std::nullopt;
}

// When the address unit takes the next instruction; kNever: none, or there is no place behind it.
Cycle MemoryPipe::address_time(const SubCore& sub) const {
  if (sub.behind == sub.waiting.size()) return kNever;
  const PipeWork& work = sub.waiting[sub.behind].work;
  if (sub.behind >= std::max(1u, work.places)) return kNever;
  return std::max({work.ready, sub.address_free, port_free_});
}

Cycle MemoryPipe::begin_time(const SubCore& sub) const {
  if (sub.behind == 0) return kNever;
  return std::max({sub.waiting.front().addressed, sub.own_free, shared_free_});
}

void MemoryPipe::find_next_event() {
  next_event_ = kNever;
  if (waiting_ == 0) return;
  for (const SubCore& sub : sub_cores_)
    next_event_ = std::min({next_event_, address_time(sub), begin_time(sub)});
}

std::span<const MemoryPipe::Taken> MemoryPipe::advance(Cycle now) {
  taken_.clear();
  for (SubCore& sub : sub_cores_) sub.made_room = false;
  const auto count = static_cast<unsigned>(sub_cores_.size());
  for (; next_event_ <= now; find_next_event()) {
    const Cycle time = next_event_;
    for (unsigned i = 1; i <= count; ++i) {
      const unsigned sub_core = (last_addressed_ + i) % count;
      SubCore& sub = sub_cores_[sub_core];
      if (address_time(sub) > time) continue;
      Waiting& waiting = sub.waiting[sub.behind++];
      waiting.addressed = time;
      sub.address_free = time + waiting.work.address_busy;
      port_free_ = time + constants_.lsu_shared_interval;
      sub.leaves[waiting.place] = time;
      sub.made_room = true;
      last_addressed_ = sub_core;
      break;
    }
    // Among those that could begin now the sub-core after the one served last.
    for (unsigned i = 1; i <= count; ++i) {
      const unsigned sub_core = (last_ + i) % count;
      SubCore& sub = sub_cores_[sub_core];
      if (begin_time(sub) > time) continue;
      const PipeWork work = sub.waiting.front().work;
      sub.waiting.erase(sub.waiting.begin());
      --sub.behind;
      --waiting_;
      sub.own_free = time + work.own_busy;
      shared_free_ = time + std::max<Cycle>(work.shared_busy, constants_.lsu_shared_interval);
      taken_.push_back({work.token, time});
      last_ = sub_core;
      break;
    }
  }
  return taken_;
}

void MemoryPipe::hold_until(Cycle time) {
  shared_free_ = std::max(shared_free_, time);
  find_next_event();
}

}  // namespace heddle::simulator::timing
