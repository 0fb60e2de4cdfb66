#include "simulator/timing/shared_accesses.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "simulator/launch/timing_options.hpp"

namespace heddle::simulator::timing {
namespace {

// A state: the quantum's number, and below it a Use.
constexpr unsigned kUsedShift = 0, kWrittenShift = 8, kOperationShift = 16, kSmShift = 21,
                   kByShift = 32, kQuantumShift = 34;
constexpr std::uint64_t kByte = 0xff, kOperationMask = 0x1f, kSmMask = 0x7ff, kByMask = 3;
static_assert(kMostSms <= kSmMask + 1);

// Of a piece, beside the number of the launch: somebody is about to save it; it is saved.
constexpr std::uint32_t kBeingSaved = 1, kSaved = 2, kLaunchShift = 2;

template <typename T>
auto zeroed(std::uint64_t count) {
  std::unique_ptr<T[], void (*)(void*)> all(static_cast<T*>(std::calloc(count, sizeof(T))),
                                            std::free);
  if (all == nullptr) throw std::bad_alloc();
  return all;
}

}  // namespace

std::uint64_t SharedAccesses::pack(std::uint32_t quantum, const Use& use) {
  return std::uint64_t{quantum} << kQuantumShift |
         std::uint64_t{static_cast<std::uint8_t>(use.by)} << kByShift |
         std::uint64_t{use.sm} << kSmShift | std::uint64_t{use.operation} << kOperationShift |
         std::uint64_t{use.written} << kWrittenShift | std::uint64_t{use.used} << kUsedShift;
}

SharedAccesses::Use SharedAccesses::unpack(std::uint64_t state) {
  return {static_cast<By>(state >> kByShift & kByMask),
          static_cast<std::uint32_t>(state >> kSmShift & kSmMask),
          static_cast<Words>(state >> kUsedShift & kByte),
          static_cast<Words>(state >> kWrittenShift & kByte),
          static_cast<std::uint8_t>(state >> kOperationShift & kOperationMask)};
}

SharedAccesses::Details SharedAccesses::detail(const Use& use) {
  Details words{};
  for (unsigned i = 0; i < kWordsPerSector; ++i) {
    const bool written = (use.written >> i & 1) != 0, used = (use.used >> i & 1) != 0;
    if (!written && !used) continue;
    words[i] = {static_cast<std::uint16_t>(use.sm), true, use.by != By::one, written,
                used ? std::uint8_t{0} : use.operation};
  }
  return words;
}

void SharedAccesses::begin_launch(const DeviceMemory& memory, bool all_reads) {
  ++launch_;
  lacks_reads_ = false;
  const auto& allocations = memory.allocations();
  std::erase_if(shadows_, [&](const auto& each) {
    const auto found = allocations.find(each.first);
    const Shadow& shadow = each.second;
    return found == allocations.end() || found->second.ordinal != shadow.ordinal ||
           found->second.bytes != shadow.bytes || found->second.data != shadow.data;
  });
  for (const auto& [address, allocation] : allocations) {
    Shadow& shadow = shadows_[address];
    if (shadow.saved == nullptr) {
      shadow.start = address;
      shadow.bytes = allocation.bytes;
      shadow.data = allocation.data;
      shadow.ordinal = allocation.ordinal;
      shadow.saved = zeroed<std::uint32_t>(allocation.bytes / kPieceBytes + 1);
    }
    shadow.host_mapped = allocation.host_mapped;
    shadow.read_as_whole = shadow.written = false;
    shadow.noted = all_reads;
    shadow.noted_from = 0;
  }
}

void SharedAccesses::share() {
  for (auto& [address, shadow] : shadows_)
    if (shadow.sectors == nullptr)
      shadow.sectors = zeroed<std::uint64_t>(shadow.bytes / kSectorBytes + 1);
}

void SharedAccesses::begin_quantum(const SmThreads* threads) {
  threads_ = threads;
  ++quantum_;
}

bool SharedAccesses::Log::find(std::uint64_t address) {
  if (last_ != nullptr && address - last_->start < last_->bytes) return true;
  auto next = all_.shadows_.upper_bound(address);
  if (next == all_.shadows_.begin()) return false;
  Shadow& found = std::prev(next)->second;
  if (address - found.start >= found.bytes) return false;
  last_ = &found;
  return true;
}

bool SharedAccesses::Log::read(std::uint64_t address, unsigned bytes) {
  return use(address, bytes, false, 0);
}

bool SharedAccesses::Log::write(std::uint64_t address, unsigned bytes) {
  return use(address, bytes, true, 0);
}

bool SharedAccesses::Log::reduce(std::uint64_t address, unsigned bytes, unsigned operation) {
  return use(address, bytes, true, static_cast<std::uint8_t>(operation + 1));
}

// One of the two that read an allocation as a whole and write to it comes second, and sees it.
bool SharedAccesses::Log::read_all(std::uint64_t address, std::uint64_t) {
  if (!find(address)) return true;
  if (!last_->read_as_whole.load(std::memory_order_relaxed)) last_->read_as_whole.store(true);
  return !last_->written.load();
}

// Notes that the SM has read the allocation; false: reads are noted by word by now. Of the two,
// this and `begin_writing`, the later one sees what the other has left.
bool SharedAccesses::Log::read_unnoted() {
  if (all_.threads_ == nullptr) return true;
  const std::uint64_t mine = std::uint64_t{all_.quantum_} << kQuantumShift | sm_;
  std::uint64_t last = last_->last_reader.load();
  while (last < mine && !last_->last_reader.compare_exchange_weak(last, mine)) {
  }
  return !last_->noted.load();
}

// In the quantum in which reads begin to be noted, who has read before is known by the highest
// number alone.
bool SharedAccesses::Log::begin_writing() {
  Shadow& shadow = *last_;
  if (!shadow.written.load(std::memory_order_relaxed)) shadow.written.store(true);
  if (shadow.read_as_whole.load()) return false;
  if (shadow.noted.load() && shadow.noted_from.load() != all_.quantum_) return true;
  shadow.noted_from.store(all_.quantum_);
  shadow.noted.store(true);
  if (all_.threads_ == nullptr) return true;
  const std::uint64_t last = shadow.last_reader.load();
  if (last >> kQuantumShift != all_.quantum_) return true;
  if ((last & kSmMask) > sm_) {
    all_.lacks_reads_.store(true);
    return false;
  }
  wait();
  return true;
}

void SharedAccesses::Log::wait() {
  if (all_.threads_->await_below(sm_)) ++waits_;
}

// Who speaks with the host program must not begin anew.
bool SharedAccesses::Log::communicate(std::uint64_t address) {
  if (!find(address) || last_->host_mapped) return false;
  if (all_.threads_ != nullptr) wait();
  return true;
}

bool SharedAccesses::Log::use(std::uint64_t address, std::uint64_t bytes, bool writes,
                              std::uint8_t operation) {
  const Noted noted{address, bytes, all_.quantum_, sm_, writes, operation};
  if (noted == noted_) return true;
  if (!find(address)) return false;
  Shadow& shadow = *last_;
  const std::uint64_t begin = address - shadow.start, end = begin + bytes;
  if (!writes && !shadow.noted.load() && read_unnoted()) return true;
  if (writes && !begin_writing()) return false;
  if (all_.threads_ != nullptr)
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t sector = at / kSectorBytes;
      const std::uint64_t next = std::min(end, (sector + 1) * kSectorBytes);
      const std::uint64_t first = at % kSectorBytes / 4;
      const std::uint64_t last = (next - 1) % kSectorBytes / 4;
      const auto words = static_cast<Words>(((2u << last) - 1) & ~((1u << first) - 1));
      if (!use_sector(sector, words, writes, operation)) return false;
      at = next;
    }
  if (writes) save(begin, end);
  noted_ = noted;
  return true;
}

// Who looks at it holds its lock.
SharedAccesses::Detailed& SharedAccesses::Log::part_of(const std::uint64_t* sector) const {
  return all_.detailed_[reinterpret_cast<std::uintptr_t>(sector) / sizeof *sector % kParts];
}

// From now on the sector is looked at word by word, unless its state is another one than `seen`.
void SharedAccesses::Log::begin_details(std::uint64_t sector, std::uint64_t seen, const Use& use) {
  std::uint64_t& place = last_->sectors[sector];
  std::atomic_ref<std::uint64_t> state(place);
  Detailed& part = part_of(&place);
  const std::lock_guard lock(part.using_it);
  if (state.load(std::memory_order_acquire) != seen) return;
  if (part.quantum != all_.quantum_) part.sectors.clear();
  part.quantum = all_.quantum_;
  part.sectors[&place] = detail(use);
  if (!state.compare_exchange_strong(seen, pack(all_.quantum_, {.by = By::details}),
                                     std::memory_order_acq_rel))
    part.sectors.erase(&place);
}

// Moves the sector to its next state; false: it is too late for that.
bool SharedAccesses::Log::use_sector(std::uint64_t sector, Words words, bool writes,
                                     std::uint8_t operation) {
  std::atomic_ref<std::uint64_t> state(last_->sectors[sector]);
  std::uint64_t seen = state.load(std::memory_order_acquire);
  for (;;) {
    Use next = unpack(seen);
    const bool fresh = seen >> kQuantumShift != all_.quantum_;
    if (fresh) next = {.by = By::one, .sm = sm_};
    const bool reduces = operation != 0;
    const bool alone = next.by == By::one && next.sm == sm_;
    if (next.by == By::details) return use_detailed(sector, words, writes, operation);
    if (!alone && !writes && next.written == 0 && next.used == words) {
      next.by = By::readers;
      next.sm = std::max(next.sm, sm_);
    } else if (!alone && reduces && next.used == 0 && next.operation == operation) {
      next.by = By::reducers;
      next.sm = std::max(next.sm, sm_);
    } else if (!alone) {
      begin_details(sector, seen, next);
      seen = state.load(std::memory_order_acquire);
      continue;
    }
    if (reduces && next.operation != 0 && next.operation != operation)
      next.used |= next.written;  // by several operations, so that order matters
    if (reduces) next.operation = operation;
    if (!reduces) next.used |= words;
    if (writes) next.written |= words;
    const std::uint64_t wanted = pack(all_.quantum_, next);
    if (wanted == seen || state.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel))
      return true;
  }
}

SharedAccesses::Log::Answer SharedAccesses::Log::ask(const WordUse& word, bool writes,
                                                     std::uint8_t operation) const {
  if (!word.used || (!word.several && word.sm == sm_)) return Answer::go_on;
  if (!writes && !word.written) return Answer::go_on;
  if (operation != 0 && word.operation == operation) return Answer::go_on;
  return word.sm > sm_ ? Answer::too_late : Answer::wait;
}

void SharedAccesses::Log::note(WordUse& word, bool writes, std::uint8_t operation) const {
  word.operation = !word.used || word.operation == operation ? operation : std::uint8_t{0};
  word.several = word.used && (word.several || word.sm != sm_);
  word.sm = static_cast<std::uint16_t>(word.used ? std::max<std::uint32_t>(word.sm, sm_) : sm_);
  word.written |= writes;
  word.used = true;
}

bool SharedAccesses::Log::use_detailed(std::uint64_t sector, Words words, bool writes,
                                       std::uint8_t operation) {
  for (bool waited = false;; waited = true) {
    Answer answer = Answer::go_on;
    {
      const std::uint64_t* const place = &last_->sectors[sector];
      Detailed& part = part_of(place);
      const std::lock_guard lock(part.using_it);
      Details& details = part.sectors.at(place);
      for (unsigned i = 0; i < kWordsPerSector; ++i)
        if ((words >> i & 1) != 0) answer = std::max(answer, ask(details[i], writes, operation));
      for (unsigned i = 0; i < kWordsPerSector; ++i)
        if ((words >> i & 1) != 0 && (answer == Answer::go_on || waited))
          note(details[i], writes, operation);
    }
    if (answer == Answer::too_late) return false;
    if (answer == Answer::go_on || waited) return true;
    wait();
  }
}

void SharedAccesses::Log::save(std::uint64_t first_byte, std::uint64_t end_byte) {
  for (std::uint64_t piece = first_byte / kPieceBytes; piece * kPieceBytes < end_byte; ++piece)
    save_piece(piece);
}

void SharedAccesses::Log::save_piece(std::uint64_t number) {
  const std::uint32_t launch = all_.launch_ << kLaunchShift, saved = launch | kSaved;
  std::atomic_ref<std::uint32_t> state(last_->saved[number]);
  std::uint32_t seen = state.load(std::memory_order_acquire);
  if (seen == saved) return;
  if (seen < launch &&
      state.compare_exchange_strong(seen, launch | kBeingSaved, std::memory_order_acq_rel)) {
    const std::uint64_t offset = number * kPieceBytes;
    before_.save(last_->data + offset, std::min<std::uint64_t>(kPieceBytes, last_->bytes - offset));
    state.store(saved, std::memory_order_release);
    return;
  }
  while (state.load(std::memory_order_acquire) != saved) std::this_thread::yield();
}

}  // namespace heddle::simulator::timing
