#include "simulator/launch/conflicts.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

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
// Of rows alone: their granules' states tell; a thread is changing it.
constexpr std::uint8_t kWrittenByGranule = 254, kReadByGranule = 253, kBusy = 252;
constexpr unsigned kGranule = 4;
constexpr unsigned kRow = ConflictTracker::kRowBytes / kGranule;  // granules

// Granules whose states are looked at together.
constexpr unsigned kTogether = sizeof(std::uint64_t);

constexpr std::uint64_t all_of(std::uint8_t state) { return 0x0101'0101'0101'0101u * state; }

std::unique_ptr<std::uint8_t[], void (*)(void*)> zeros(std::uint64_t count) {
  std::unique_ptr<std::uint8_t[], void (*)(void*)> states(
      static_cast<std::uint8_t*>(std::calloc(count, 1)), std::free);
  if (states == nullptr) throw std::bad_alloc();
  return states;
}

bool is_reader(std::uint8_t state) { return state >= kFirstReader && state <= kReadByMany; }

}  // namespace

ConflictTracker::ConflictTracker(const DeviceMemory& memory, bool notes_reads) {
  for (const auto& [address, allocation] : memory.allocations()) {
    Shadow& shadow = shadows_[address];
    shadow.bytes = allocation.bytes;
    shadow.data = allocation.data;
    shadow.host_mapped = allocation.host_mapped;
    if (notes_reads) shadow.use = Use::noted;
    shadow.states = zeros(allocation.bytes / kGranule + 1);
    shadow.row_states = zeros(allocation.bytes / kRowBytes + 1);
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
  granules_ = (bytes_ + kGranule - 1) / kGranule;
  data_ = shadow.data;
  states_ = shadow.states.get();
  row_states_ = shadow.row_states.get();
  use_ = &shadow.use;
  is_host_memory_ = shadow.host_mapped;
  return true;
}

// Of the allocation last used: whether reads of it need no notes.
bool ConflictTracker::Log::reads_unnoted() {
  Use use = use_->load(std::memory_order_acquire);
  if (use == Use::none) use_->compare_exchange_strong(use, Use::unnoted_reads);
  return use != Use::noted;
}

// The same: whether it may be written to.
bool ConflictTracker::Log::begins_writing() {
  Use use = use_->load(std::memory_order_acquire);
  if (use == Use::none) use_->compare_exchange_strong(use, Use::noted);
  if (use != Use::unnoted_reads) return true;
  tracker_.lacks_reads_.store(true, std::memory_order_relaxed);
  return false;
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

// Those of one row. As long as nothing but the whole row is used, its granules have no states. What
// the row held is saved before the first write to any of it: no earlier state allows a change.
bool ConflictTracker::Log::claim_row(std::uint64_t row, const Granules& used, std::uint8_t state,
                                     bool writes) {
  const bool whole = used.last - used.first + 1 == kRow && (row + 1) * kRowBytes <= bytes_;
  std::atomic_ref<std::uint8_t> cell(row_states_[row]);
  std::uint8_t seen = cell.load(std::memory_order_acquire);
  while (seen != kWrittenByGranule && (seen != kReadByGranule || writes)) {
    if (seen == kBusy) {
      std::this_thread::yield();
      seen = cell.load(std::memory_order_acquire);
      continue;
    }
    std::uint8_t next = writes ? kWrittenByGranule : kReadByGranule;
    if (seen != kReadByGranule) {
      const std::uint8_t wanted = next_state(seen, state);
      if (wanted == seen) return true;
      if (wanted == kConflict) return false;
      if (whole) next = wanted;
    }
    if (!cell.compare_exchange_weak(seen, kBusy, std::memory_order_acq_rel)) continue;
    if (writes) save_row(row);
    if (!whole && seen != kReadByGranule)
      std::memset(states_ + row * kRow, seen,
                  std::min<std::uint64_t>(kRow, granules_ - row * kRow));
    cell.store(next, std::memory_order_release);
    if (next < kBusy) return true;
    break;
  }
  return claim_granules(used, state);
}

bool ConflictTracker::Log::claim_granules(const Granules& used, std::uint8_t state) {
  for (std::uint64_t granule = used.first; granule <= used.last; ++granule) {
    if (granule % kTogether == 0 && granule + kTogether <= used.last + 1 &&
        claim_together(granule, state)) {
      granule += kTogether - 1;
      continue;
    }
    std::atomic_ref<std::uint8_t> cell(states_[granule]);
    std::uint8_t seen = cell.load(std::memory_order_acquire);
    for (;;) {
      const std::uint8_t next = next_state(seen, state);
      if (next == kConflict) return false;
      if (next == seen) break;
      if (cell.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) break;
    }
  }
  return true;
}

// The same of granules whose states are alike; false: they are to be looked at one by one.
bool ConflictTracker::Log::claim_together(std::uint64_t granule, std::uint8_t state) {
  std::atomic_ref<std::uint64_t> cells(*reinterpret_cast<std::uint64_t*>(states_ + granule));
  std::uint64_t seen = cells.load(std::memory_order_acquire);
  const auto each = static_cast<std::uint8_t>(seen);
  if (seen != all_of(each)) return false;
  const std::uint8_t next = next_state(each, state);
  if (next == kConflict) return false;
  return next == each ||
         cells.compare_exchange_strong(seen, all_of(next), std::memory_order_acq_rel);
}

void ConflictTracker::Log::save_row(std::uint64_t row) {
  if (rows_before_.empty() || rows_before_.back()[0].count == BeforeRows::kRows) {
    rows_before_.emplace_back(1, Fresh::anything);
    rows_before_.back()[0].count = 0;
  }
  BeforeRows& before = rows_before_.back()[0];
  std::byte* const at = data_ + row * kRowBytes;
  // A page that nobody has touched would come twice, to be read and to be written.
  constexpr unsigned kPageShift = 12;
  const std::uint64_t page = reinterpret_cast<std::uintptr_t>(at) >> kPageShift;
  if (std::exchange(last_page_, page) != page)
    std::atomic_ref<std::uint8_t>(*reinterpret_cast<std::uint8_t*>(at)).fetch_or(0);
  const std::size_t bytes = std::min<std::uint64_t>(kRowBytes, bytes_ - row * kRowBytes);
  before.at[before.count] = at;
  before.bytes[before.count] = static_cast<std::uint8_t>(bytes);
  std::memcpy(before.contents[before.count++].data(), at, bytes);
}

// Whether the granule has the state, or that of this thread's writes: the access changes nothing.
bool ConflictTracker::Log::has_claimed(std::uint64_t granule, std::uint8_t state, bool writes) {
  const std::uint8_t row =
      std::atomic_ref<std::uint8_t>(row_states_[granule / kRow]).load(std::memory_order_acquire);
  if (row != kWrittenByGranule && (row != kReadByGranule || writes)) return false;
  const std::uint8_t seen =
      std::atomic_ref<std::uint8_t>(states_[granule]).load(std::memory_order_acquire);
  return seen == state || seen == write_state_;
}

// Moves the granules of an access to `state`, or finds that another thread's use forbids it.
bool ConflictTracker::Log::claim(std::uint64_t address, unsigned bytes, std::uint8_t state,
                                 bool writes) {
  if (address - start_ >= bytes_ && !find(address)) return false;
  if (!writes && reads_unnoted()) return true;
  if (writes && !begins_writing()) return false;
  wrote_host_memory_ |= writes && is_host_memory_;
  std::uint64_t first = (address - start_) / kGranule;
  const std::uint64_t last = (address - start_ + bytes - 1) / kGranule;
  if (first == last && has_claimed(first, state, writes)) return true;
  while (first <= last) {
    const std::uint64_t row = first / kRow;
    const Granules used{first, std::min(last, row * kRow + kRow - 1)};
    if (!claim_row(row, used, state, writes)) return false;
    first = used.last + 1;
  }
  return true;
}

bool ConflictTracker::Log::read(std::uint64_t address, unsigned bytes) {
  return claim(address, bytes, read_state_, false);
}

bool ConflictTracker::Log::may_read_within(std::uint64_t first, std::uint64_t end) {
  if (first - start_ >= bytes_ && !find(first)) return false;
  return end - start_ <= bytes_ && reads_unnoted();
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

// Every row is saved once, by who first changed it: the order is all one.
void ConflictTracker::Log::undo() {
  for (const BigArray<BeforeRows>& each : rows_before_) {
    const BeforeRows& rows = each[0];
    for (std::size_t i = 0; i < rows.count; ++i)
      std::memcpy(rows.at[i], rows.contents[i].data(), rows.bytes[i]);
  }
  rows_before_.clear();
}

}  // namespace heddle::simulator
