#include "simulator/launch/conflicts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kWordBytes = 1 << WordNotes::kWordShift;
constexpr unsigned kRowWords = WordNotes::kRowWords;
constexpr unsigned kPieceRows = ConflictTracker::kPieceBytes / ConflictTracker::kRowBytes;

// What a thread has done to the words of a row: nothing, read them (the lower half's bits), reduced
// them by one operation (the upper half's), or more than that (both).
static_assert(kRowWords == 32);
constexpr std::uint64_t as_read(std::uint32_t words) { return words; }
constexpr std::uint64_t as_reduced(std::uint32_t words) { return std::uint64_t{words} << 32; }
constexpr std::uint64_t as_written(std::uint32_t words) {
  return as_read(words) | as_reduced(words);
}
constexpr auto read_of(std::uint64_t uses) { return static_cast<std::uint32_t>(uses); }
constexpr auto reduced_of(std::uint64_t uses) { return static_cast<std::uint32_t>(uses >> 32); }
constexpr std::uint32_t any_of(std::uint64_t uses) { return read_of(uses) | reduced_of(uses); }

// What two threads have done to the words of a row, if both have used one and not both read it, or
// reduced it. (That its reductions are of one operation is seen when they are noted.)
constexpr bool conflict(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t both = one | other;
  return (any_of(one) & any_of(other) & read_of(both) & reduced_of(both)) != 0;
}

template <typename T>
T* take(std::uint64_t count, Fresh holds = Fresh::zeroed) {
  return static_cast<T*>(take_from_big_pages(count * sizeof(T), holds));
}

// Of elements of two words that share words with these: all words.
constexpr std::uint32_t both_halves(std::uint32_t words) {
  constexpr std::uint32_t kEven = 0x5555'5555;
  return words | (words & kEven) << 1 | (words >> 1 & kEven);
}

std::uint64_t seen_in(std::uint64_t& cell) {
  return std::atomic_ref(cell).load(std::memory_order_acquire);
}

}  // namespace

ConflictTracker::ConflictTracker(const DeviceMemory& memory, bool notes_reads) {
  for (const auto& [address, allocation] : memory.allocations()) {
    Shadow& shadow = shadows_[address];
    shadow.bytes = allocation.bytes;
    shadow.data = allocation.data;
    shadow.host_mapped = allocation.host_mapped;
    if (notes_reads) shadow.use = Use::noted;
  }
}

bool ConflictTracker::conflicts() {
  const std::lock_guard lock(beginning_notes_);
  for (auto& [address, shadow] : shadows_) {
    if (shadow.users == nullptr) continue;
    for (std::uint64_t piece = 0; piece < shadow.pieces(); ++piece)
      if (std::popcount(seen_in(shadow.users[piece])) > 1 && shadow.conflicts_in(piece))
        return true;
  }
  return false;
}

bool ConflictTracker::Shadow::conflicts_in(std::uint64_t piece) const {
  const std::uint64_t first = piece * kPieceRows;
  const std::uint64_t count = std::min<std::uint64_t>(rows() - first, kPieceRows);
  std::array<std::uint64_t, kPieceRows> sums{};
  bool any = false;
  for (std::uint64_t left = seen_in(users[piece]); left != 0; left &= left - 1) {
    std::uint64_t* const of_one =
        threads[static_cast<unsigned>(std::countr_zero(left))].uses.get() + first;
    for (std::uint64_t row = 0; row < count; ++row) {
      const std::uint64_t next = seen_in(of_one[row]);
      any |= conflict(sums[row], next);
      sums[row] |= next;
    }
  }
  return any;
}

// Whether another thread's uses of a row conflict with these.
bool ConflictTracker::Shadow::conflicts_with(std::uint64_t others, std::uint64_t row,
                                             std::uint64_t own) const {
  for (; others != 0; others &= others - 1)
    if (conflict(seen_in(threads[static_cast<unsigned>(std::countr_zero(others))].uses[row]), own))
      return true;
  return false;
}

ConflictTracker::Log::Log(ConflictTracker& tracker, unsigned thread)
    : tracker_(tracker), thread_(thread) {
  assert(thread < kMaxThreads);
}

// Null: there is no allocation.
ConflictTracker::Log::Known* ConflictTracker::Log::find(std::uint64_t address) {
  Known& last = known_[last_];
  return address - last.start < last.bytes ? &last : find_slowly(address);
}

ConflictTracker::Log::Known* ConflictTracker::Log::find_slowly(std::uint64_t address) {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (address - known_[i].start >= known_[i].bytes) continue;
    last_ = i;
    return &known_[i];
  }
  const auto next = tracker_.shadows_.upper_bound(address);
  if (next == tracker_.shadows_.begin()) return nullptr;
  auto& [start, shadow] = *std::prev(next);
  if (address - start >= shadow.bytes) return nullptr;
  last_ = next_;
  next_ = (next_ + 1) % known_.size();
  const auto apart = aparts_.find(&shadow);
  known_[last_] = {
      start, shadow.bytes, &shadow, {}, apart == aparts_.end() ? nullptr : &apart->second};
  if (apart != aparts_.end()) known_[last_].notes.aparts = apart->second.data();
  return &known_[last_];
}

// False: there is no memory for it.
bool ConflictTracker::Log::begin_notes(Known& in) try {
  const std::lock_guard lock(tracker_.beginning_notes_);
  Shadow& shadow = *in.shadow;
  if (shadow.users == nullptr) {
    shadow.operations.reset(
        static_cast<std::uint8_t*>(std::calloc(shadow.rows() * kRowWords, sizeof(std::uint8_t))));
    if (shadow.operations == nullptr) return false;
    shadow.saved.reset(take<std::uint8_t>(shadow.pieces()));
    shadow.frames.reset(take<std::uint8_t>(shadow.frame_count()));
    shadow.users.reset(take<std::uint64_t>(shadow.pieces()));
  }
  Shadow::OfThread& own = shadow.threads[thread_];
  if (own.ready == nullptr) own.ready.reset(take<std::uint8_t>(shadow.pieces()));
  if (own.uses == nullptr)
    own.uses.reset(take<std::uint64_t>(shadow.pieces() * kPieceRows, Fresh::anything));
  in.notes.uses = own.uses.get();
  in.notes.ready = own.ready.get();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool ConflictTracker::Log::reads_unnoted(const Known& in) {
  std::atomic<Use>& cell = in.shadow->use;
  Use use = cell.load(std::memory_order_acquire);
  if (use == Use::none) cell.compare_exchange_strong(use, Use::unnoted_reads);
  return use != Use::noted;
}

// Whether it may be written to.
bool ConflictTracker::Log::begins_writing(const Known& in) {
  std::atomic<Use>& cell = in.shadow->use;
  Use use = cell.load(std::memory_order_acquire);
  if (use == Use::none) cell.compare_exchange_strong(use, Use::noted);
  if (use == Use::unnoted_reads) {
    tracker_.lacks_reads_.store(true, std::memory_order_relaxed);
    return false;
  }
  if (in.shadow->host_mapped) wrote_host_memory_ = true;
  return true;
}

// Of the words, those whose reductions are of another operation.
std::uint32_t ConflictTracker::Log::reduced_otherwise(const Known& in, std::uint64_t row,
                                                      std::uint32_t words, unsigned operation) {
  std::uint32_t otherwise = 0;
  for (std::uint32_t left = words; left != 0; left &= left - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(left));
    const std::atomic_ref<std::uint8_t> cell(in.shadow->operations[row * kRowWords + word]);
    std::uint8_t seen = cell.load(std::memory_order_relaxed);
    const auto wanted = static_cast<std::uint8_t>(operation + 1);
    if (seen == wanted || (seen == 0 && cell.compare_exchange_strong(seen, wanted))) continue;
    if (seen != wanted) otherwise |= std::uint32_t{1} << word;
  }
  return otherwise;
}

// Of words that are or are to be only reduced: those that are so apart from memory.
std::uint32_t ConflictTracker::Log::take_apart(Known& in, std::uint64_t row, std::uint32_t words,
                                               unsigned operation) {
  constexpr std::size_t kMost = 1024;   // else what is reduced far and wide takes the host's caches
  constexpr std::uint64_t kWidest = 8;  // elements begin at multiples of their size, as rows do
  if (words == 0 || in.start % kWidest != 0) return 0;
  const std::uint64_t piece = row / kPieceRows;
  if (in.aparts == nullptr) {
    in.aparts = &aparts_[in.shadow];
    in.aparts->resize(in.shadow->pieces());
    in.notes.aparts = in.aparts->data();
  }
  auto& apart = (*in.aparts)[piece];
  if (apart == nullptr) {
    if (apart_count_ == kMost) return 0;
    apart = std::make_unique<Apart>(operation);
    ++apart_count_;
    in.notes.ready[piece] = WordNotes::kForNothing;
  }
  if (apart->operation != operation) return 0;
  std::uint32_t& there = apart->words[row % kPieceRows];
  const std::uint64_t neutral = neutral_element(operation);
  const unsigned element = element_bytes(operation) / kWordBytes;
  for (std::uint32_t left = words & ~there; left != 0; left &= left - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(left));
    const auto value = static_cast<std::uint32_t>(neutral >> 32 * (word % element));
    std::memcpy(apart->values.data() + (row % kPieceRows * kRowWords + word) * kWordBytes, &value,
                kWordBytes);
  }
  there |= words;
  return words;
}

// Words of a row that nobody reduces apart any more. Memory has been saved.
void ConflictTracker::Log::put_together(const Shadow& shadow, std::uint64_t row, Apart& from,
                                        std::uint32_t words) {
  from.words[row % kPieceRows] &= ~words;
  while (words != 0) {
    const auto word = static_cast<unsigned>(std::countr_zero(words));
    combine_elements(from.operation, shadow.data + row * kRowBytes + word * kWordBytes,
                     from.values.data() + (row % kPieceRows * kRowWords + word) * kWordBytes);
    words &= ~WordNotes::words_between(word, word + element_bytes(from.operation) / kWordBytes - 1);
  }
}

void ConflictTracker::Log::clear_notes(const Known& in, std::uint64_t piece) {
  for (std::uint64_t row = piece * kPieceRows; row < (piece + 1) * kPieceRows; ++row)
    std::atomic_ref(in.notes.uses[row]).store(0, std::memory_order_relaxed);
}

template <ConflictTracker::Log::Kind kKind>
bool ConflictTracker::Log::claim_words(Known& in, std::uint64_t row, std::uint32_t words,
                                       unsigned operation) {
  const std::uint64_t piece = row / kPieceRows, own = std::uint64_t{1} << thread_;
  const std::atomic_ref<std::uint64_t> users(in.shadow->users[piece]);
  const std::uint64_t seen = users.load(std::memory_order_acquire);
  if ((seen & own) == 0) clear_notes(in, piece);
  const std::atomic_ref<std::uint64_t> uses(in.notes.uses[row]);
  const std::uint64_t before = uses.load(std::memory_order_relaxed);
  constexpr bool kReduces = kKind == Kind::reduction || kKind == Kind::reduction_apart;
  std::uint64_t now = before;
  if constexpr (kKind == Kind::read) now |= as_read(words);
  if constexpr (kKind == Kind::write) now |= as_written(words);
  if constexpr (kReduces) {
    now |= as_reduced(words);
    const std::uint32_t shared = words & ~read_of(before);  // or to be
    if (shared != 0) now |= as_read(reduced_otherwise(in, row, shared, operation));
    if (element_bytes(operation) > kWordBytes) now |= as_read(both_halves(read_of(now) & words));
  }
  if (!kReduces && now == before) return !refused_;
  Apart* const apart = apart_at(in, piece);
  std::uint32_t together = 0;  // what was only reduced, and is to be used otherwise now
  if (apart != nullptr) {
    together = apart->words[row % kPieceRows] & read_of(now);
    if (element_bytes(apart->operation) > kWordBytes) together = both_halves(together);
    now |= as_read(together);
  }
  std::uint32_t taken = 0;
  if constexpr (kKind == Kind::reduction_apart)
    taken = take_apart(in, row, words & ~read_of(now), operation);
  const std::uint32_t changes = (kReduces ? words & ~taken : 0) | (reduced_of(now) & read_of(now));
  const bool unsaved =
      changes != 0 &&
      std::atomic_ref(in.shadow->saved[piece]).load(std::memory_order_acquire) != Shadow::kSaved;
  if (now == before && !unsaved) return !refused_;
  // Where others are, they are to see it before it is looked what they have done.
  if ((seen & ~own) == 0)
    uses.store(now, std::memory_order_release);
  else
    uses.exchange(now);
  const std::uint64_t others =
      ~own & ((seen & own) != 0 ? users.load(std::memory_order_acquire) : users.fetch_or(own));
  if (others != 0 && in.shadow->conflicts_with(others, row, now)) {
    refused_ = true;
    return false;
  }
  if (unsaved) save(*in.shadow, piece);
  if (together != 0) put_together(*in.shadow, row, *apart, together);
  if (!kReduces && apart == nullptr)
    in.notes.ready[piece] = std::max<std::uint8_t>(
        in.notes.ready[piece], kKind == Kind::write ? WordNotes::kForWrites : WordNotes::kForReads);
  return true;
}

// False: another thread's use forbids it.
template <ConflictTracker::Log::Kind kKind>
bool ConflictTracker::Log::claim(std::uint64_t address, unsigned bytes, unsigned operation) {
  Known* const in = find(address);
  if (in == nullptr) return false;
  if (kKind == Kind::read && reads_unnoted(*in)) return true;
  if (kKind != Kind::read && !begins_writing(*in)) return false;
  if (in->notes.uses == nullptr && !begin_notes(*in)) return false;
  std::uint64_t first = (address - in->start) / kWordBytes;
  const std::uint64_t last = (address - in->start + bytes - 1) / kWordBytes;
  while (first <= last) {
    const std::uint64_t row = first / kRowWords;
    const std::uint64_t end = std::min(last, row * kRowWords + kRowWords - 1);
    const std::uint32_t words = WordNotes::words_between(first % kRowWords, end % kRowWords);
    if (!claim_words<kKind>(*in, row, words, operation)) return false;
    first = end + 1;
  }
  return true;
}

bool ConflictTracker::Log::read(std::uint64_t address, unsigned bytes) {
  return claim<Kind::read>(address, bytes);
}

bool ConflictTracker::Log::may_read_within(std::uint64_t first, std::uint64_t end) {
  const Known* const in = find(first);
  return in != nullptr && end - in->start <= in->bytes && reads_unnoted(*in);
}

WordNotes ConflictTracker::Log::notes_of(std::uint64_t address) {
  const Known* const in = find(address);
  return in != nullptr && in->start == address ? in->notes : WordNotes{};
}

bool ConflictTracker::Log::read_all(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kAtOnce = 1 << 30;
  const Known* const in = find(address);
  if (in == nullptr || !all_read_.emplace(address, bytes).second) return true;
  const std::uint64_t end = address + std::min(bytes, in->start + in->bytes - address);
  for (std::uint64_t at = address; at < end; at += kAtOnce)
    if (!read(at, static_cast<unsigned>(std::min(kAtOnce, end - at)))) return false;
  return true;
}

bool ConflictTracker::Log::write(std::uint64_t address, unsigned bytes) {
  return claim<Kind::write>(address, bytes);
}

bool ConflictTracker::Log::reduce(std::uint64_t address, unsigned bytes, unsigned operation) {
  return claim<Kind::reduction>(address, bytes, operation);
}

bool ConflictTracker::Log::reduce_apart(std::uint64_t address, unsigned bytes, unsigned operation) {
  const Known* const in = find(address);
  if (in != nullptr && in->notes.apart(address - in->start, bytes, operation) != nullptr)
    return true;
  return claim<Kind::reduction_apart>(address, bytes, operation);
}

std::byte* ConflictTracker::Log::apart(std::uint64_t address) {
  const Known* const in = find(address);
  if (in == nullptr) return nullptr;
  const std::uint64_t at = address - in->start;
  Apart* const apart = apart_at(*in, at / kPieceBytes);
  const std::uint32_t there = apart == nullptr ? 0 : apart->words[at / kRowBytes % kPieceRows];
  return (there >> at / kWordBytes % kRowWords & 1) != 0 ? apart->values.data() + at % kPieceBytes
                                                         : nullptr;
}

void ConflictTracker::Log::merge() {
  for (auto& [shadow, aparts] : aparts_)
    for (std::uint64_t piece = 0; piece < aparts.size(); ++piece) {
      if (aparts[piece] == nullptr) continue;
      save(*shadow, piece);
      for (unsigned row = 0; row < kPieceRows; ++row)
        put_together(*shadow, piece * kPieceRows + row, *aparts[piece], aparts[piece]->words[row]);
    }
  aparts_.clear();
  known_ = {};
}

bool ConflictTracker::Log::communicate(std::uint64_t address) {
  const Known* const in = find(address);
  return in != nullptr && !in->shadow->host_mapped;
}

}  // namespace heddle::simulator
