#include "simulator/launch/conflicts.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>

namespace heddle::simulator {
namespace {

// States of a granule: untouched; read by one thread; read by several; reduced by one operation;
// written by one thread, or reduced by that which has read it.
constexpr std::uint8_t kUntouched = 0;
constexpr std::uint8_t kFirstReader = 1;  // + thread
constexpr std::uint8_t kReadByMany = 100;
constexpr std::uint8_t kFirstReduction = 101;  // + operation
constexpr std::uint8_t kFirstWriter = 128;     // + thread
constexpr std::uint8_t kConflict = 255;        // of no granule
constexpr unsigned kGranule = 4;

constexpr std::uint64_t all_of(std::uint8_t state) { return 0x0101'0101'0101'0101u * state; }

bool is_reader(std::uint8_t state) { return state >= kFirstReader && state <= kReadByMany; }

}  // namespace

ConflictTracker::ConflictTracker(const DeviceMemory& memory) {
  for (const auto& [address, allocation] : memory.allocations()) {
    Shadow& shadow = shadows_[address];
    shadow.bytes = allocation.bytes;
    shadow.data = allocation.data;
    shadow.host_mapped = allocation.host_mapped;
    shadow.states.reset(
        static_cast<std::uint8_t*>(std::calloc(allocation.bytes / kGranule + 1, 1)));
    if (shadow.states == nullptr) throw std::bad_alloc();
  }
}

ConflictTracker::Log::Log(ConflictTracker& tracker, unsigned thread)
    : tracker_(tracker),
      read_state_(static_cast<std::uint8_t>(kFirstReader + thread)),
      write_state_(static_cast<std::uint8_t>(kFirstWriter + thread)) {
  assert(thread < kMaxThreads);
}

bool ConflictTracker::Log::find(std::uint64_t address) {
  auto next = tracker_.shadows_.upper_bound(address);
  if (next == tracker_.shadows_.begin()) return false;
  auto& [start, shadow] = *std::prev(next);
  if (address - start >= shadow.bytes) return false;
  start_ = start;
  bytes_ = shadow.bytes;
  data_ = shadow.data;
  states_ = shadow.states.get();
  is_host_memory_ = shadow.host_mapped;
  return true;
}

// What an access that wants a granule in state `wanted` makes of its state; kConflict: another
// thread's use forbids it.
std::uint8_t ConflictTracker::Log::next_state(std::uint8_t seen, std::uint8_t wanted) const {
  if (seen == wanted || seen == write_state_) return seen;
  if (seen == kUntouched) return wanted;
  if (wanted == read_state_) return is_reader(seen) ? kReadByMany : kConflict;
  // What it has read others may not change any more, by a reduction of the same kind either.
  return seen == read_state_ ? write_state_ : kConflict;
}

// The same of granules whose states are alike; false: they are to be looked at one by one.
bool ConflictTracker::Log::claim_together(std::uint64_t granule, std::uint8_t state, bool writes) {
  static_assert(kTogether == sizeof(std::uint64_t));
  std::atomic_ref<std::uint64_t> cells(*reinterpret_cast<std::uint64_t*>(states_ + granule));
  std::uint64_t seen = cells.load(std::memory_order_acquire);
  const auto each = static_cast<std::uint8_t>(seen);
  if (seen != all_of(each)) return false;
  const std::uint8_t next = next_state(each, state);
  if (next == each) return true;
  if (next == kConflict) return false;
  BeforeRow before{data_ + granule * kGranule, {}};
  if (writes) std::memcpy(before.values.data(), before.at, sizeof before.values);
  if (!cells.compare_exchange_strong(seen, all_of(next), std::memory_order_acq_rel)) return false;
  if (writes) rows_before_.push_back(before);
  return true;
}

// Moves the granules of an access to `state`, or finds that another thread's use forbids it.
bool ConflictTracker::Log::claim(std::uint64_t address, unsigned bytes, std::uint8_t state,
                                 bool writes) {
  if (address - start_ >= bytes_ && !find(address)) return false;
  wrote_host_memory_ |= writes && is_host_memory_;
  const std::uint64_t first = (address - start_) / kGranule;
  const std::uint64_t last = (address - start_ + bytes - 1) / kGranule;
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    const std::uint64_t behind = granule + kTogether;
    if (granule % kTogether == 0 && behind <= last + 1 && behind * kGranule <= bytes_ &&
        claim_together(granule, state, writes)) {
      granule = behind - 1;
      continue;
    }
    std::atomic_ref<std::uint8_t> cell(states_[granule]);
    std::uint8_t seen = cell.load(std::memory_order_acquire);
    if (next_state(seen, state) == seen) continue;
    // The contents are still those from before the launch: no earlier state allows a change.
    Before before{
        data_ + granule * kGranule, 0,
        static_cast<std::uint8_t>(std::min<std::uint64_t>(kGranule, bytes_ - granule * kGranule))};
    std::memcpy(&before.value, before.at, before.bytes);
    for (;;) {
      const std::uint8_t next = next_state(seen, state);
      if (next == kConflict) return false;
      if (next == seen) break;
      if (cell.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) {
        if (writes) before_.push_back(before);
        break;
      }
    }
  }
  return true;
}

bool ConflictTracker::Log::read(std::uint64_t address, unsigned bytes) {
  return claim(address, bytes, read_state_, false);
}

bool ConflictTracker::Log::read_all(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kAtOnce = 1 << 30;
  if (!find(address) || !all_read_.emplace(address, bytes).second) return true;
  const std::uint64_t end = address + std::min(bytes, start_ + bytes_ - address);
  for (std::uint64_t at = address; at < end; at += kAtOnce)
    if (!read(at, static_cast<unsigned>(std::min(kAtOnce, end - at)))) return false;
  return true;
}

bool ConflictTracker::Log::write(std::uint64_t address, unsigned bytes) {
  return claim(address, bytes, write_state_, true);
}

bool ConflictTracker::Log::reduce(std::uint64_t address, unsigned bytes, unsigned operation) {
  return claim(address, bytes, static_cast<std::uint8_t>(kFirstReduction + operation), true);
}

// Every granule is noted once, by who first changed it: the order is all one.
void ConflictTracker::Log::undo() {
  for (const Before& before : before_) std::memcpy(before.at, &before.value, before.bytes);
  for (const BeforeRow& row : rows_before_)
    std::memcpy(row.at, row.values.data(), sizeof row.values);
  before_.clear();
  rows_before_.clear();
}

}  // namespace heddle::simulator
