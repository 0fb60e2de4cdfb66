// Which words of an allocation a host thread has used, as its core may note them by itself.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "simulator/base/row_storage.hpp"

namespace heddle::simulator {

struct ReducedApart;

// Only the thread itself changes these; others may read them. Native code notes as this does
// (simulator/native/region_notes.cpp).
struct WordNotes {
  static constexpr unsigned kWordShift = 2, kRowShift = 7, kPieceShift = 10;
  static constexpr std::uint64_t kRowWords = 1 << (kRowShift - kWordShift);
  // By row: a bit for each word that was read, and above these one for each that was reduced; both
  // for one that was written. Null: the core is to tell of each use.
  std::uint64_t* uses = nullptr;
  // By piece: of which uses it need not tell, as all else has been done.
  enum Ready : std::uint8_t { kForNothing, kForReads, kForWrites };
  std::uint8_t* ready = nullptr;
  const std::unique_ptr<ReducedApart>* aparts = nullptr;  // by piece; null: there are none

  // Of words of one row, from `first` to `last`.
  static std::uint32_t words_between(std::uint64_t first, std::uint64_t last) {
    return ~std::uint32_t{0} >> (kRowWords - 1 - last + first) << first;
  }
  // Where the thread reduces by the operation what lies that far from the start; null: in memory,
  // or it does not yet.
  std::byte* apart(std::uint64_t offset, unsigned bytes, unsigned operation) const;
  std::byte* apart_word(std::uint64_t offset, unsigned operation) const;  // of an aligned word
  // Notes the use of a word, or of a part of it. Returns as `note`.
  bool note_word(std::uint64_t offset, Ready needed) const {
    if (ready[offset >> kPieceShift] < needed) return false;
    constexpr std::uint64_t kRead = 1, kWritten = kRead | kRead << kRowWords;
    add(offset >> kRowShift, (needed == kForWrites ? kWritten : kRead)
                                 << (offset >> kWordShift) % kRowWords);
    return true;
  }
  // Notes the use of at most a piece's bytes, that far from the allocation's start. False: the core
  // is to tell of it.
  bool note(std::uint64_t offset, std::uint64_t bytes, Ready needed) const {
    if (bytes > 1 << kPieceShift) return false;
    const std::uint64_t end = offset + bytes - 1;
    if (ready[offset >> kPieceShift] < needed || ready[end >> kPieceShift] < needed) return false;
    std::uint64_t first = offset >> kWordShift;
    const std::uint64_t last = end >> kWordShift;
    while (first <= last) {
      const std::uint64_t row = first / kRowWords;
      const std::uint64_t here = std::min(last, row * kRowWords + kRowWords - 1);
      const std::uint64_t words = words_between(first % kRowWords, here % kRowWords);
      add(row, needed == kForWrites ? words | words << kRowWords : words);
      first = here + 1;
    }
    return true;
  }

 private:
  void add(std::uint64_t row, std::uint64_t words) const {
    const std::atomic_ref<std::uint64_t> of_row(uses[row]);
    of_row.store(of_row.load(std::memory_order_relaxed) | words, std::memory_order_relaxed);
  }
};

// What a thread reduces in a piece by one operation, so that no line of the host's cache goes from
// thread to thread at each reduction.
struct alignas(kCacheLine) ReducedApart {
  explicit ReducedApart(unsigned the_operation) : operation(the_operation) {}
  std::array<std::byte, 1 << WordNotes::kPieceShift> values;
  const unsigned operation;
  // Of each row those that lie here.
  std::array<std::uint32_t, 1 << (WordNotes::kPieceShift - WordNotes::kRowShift)> words{};
};

inline std::byte* WordNotes::apart(std::uint64_t offset, unsigned bytes, unsigned operation) const {
  if (aparts == nullptr) return nullptr;
  ReducedApart* const in = aparts[offset >> kPieceShift].get();
  constexpr std::uint64_t kRowBytes = 1 << kRowShift, kPieceBytes = 1 << kPieceShift;
  const std::uint64_t first = offset % kRowBytes, last = first + bytes - 1;
  if (in == nullptr || in->operation != operation || last >= kRowBytes) return nullptr;
  const std::uint32_t words = words_between(first >> kWordShift, last >> kWordShift);
  const std::uint32_t there = in->words[offset % kPieceBytes / kRowBytes];
  return (words & ~there) == 0 ? in->values.data() + offset % kPieceBytes : nullptr;
}

inline std::byte* WordNotes::apart_word(std::uint64_t offset, unsigned operation) const {
  if (aparts == nullptr) return nullptr;
  ReducedApart* const in = aparts[offset >> kPieceShift].get();
  if (in == nullptr || in->operation != operation) return nullptr;
  const std::uint64_t within = offset % (1 << kPieceShift);
  const std::uint32_t there = in->words[within >> kRowShift];
  return (there >> (within >> kWordShift) % kRowWords & 1) != 0 ? in->values.data() + within
                                                                : nullptr;
}

}  // namespace heddle::simulator
