#include "simulator/launch/conflicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "simulator/memory/touched_pages.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kBytes = 128 + 66;  // a row and a part of one

struct Two {
  explicit Two(bool notes_reads = true) : tracker(memory, notes_reads) {}
  DeviceMemory memory{1 << 20};
  std::uint64_t at = *memory.allocate(kBytes, "a"), other = *memory.allocate(64, "b");
  ConflictTracker tracker;
  ConflictTracker::Log first{tracker, 0}, second{tracker, 1};

  void put(std::uint64_t offset, std::uint32_t value) {
    std::memcpy(memory.view(at + offset, 4), &value, 4);
  }
  std::uint32_t get(std::uint64_t offset) {
    std::uint32_t value;
    std::memcpy(&value, memory.view(at + offset, 4), 4);
    return value;
  }
};

TEST(Conflicts, ReadingTheSameWordIsNone) {
  Two two;
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_TRUE(two.second.read(two.at, 4));
  EXPECT_TRUE(two.first.read(two.at, 4));
}

TEST(Conflicts, WritingNeighbouringWordsIsNone) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at, 4));
  EXPECT_TRUE(two.second.write(two.at + 4, 4));
  EXPECT_TRUE(two.first.read(two.at, 4));
}

TEST(Conflicts, OnesReadAndAnothersWriteIsOneInEitherOrder) {
  Two read_first;
  EXPECT_TRUE(read_first.first.read(read_first.at, 4));
  EXPECT_FALSE(read_first.second.write(read_first.at, 4));
  Two write_first;
  EXPECT_TRUE(write_first.first.write(write_first.at, 4));
  EXPECT_FALSE(write_first.second.read(write_first.at, 4));
}

TEST(Conflicts, WhatIsRefusedIsRefusedAgain) {
  Two two;
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_FALSE(two.second.write(two.at, 4));
  EXPECT_FALSE(two.second.write(two.at, 4));
  Two other;
  EXPECT_TRUE(other.first.write(other.at, 4));
  EXPECT_FALSE(other.second.read(other.at, 4));
  EXPECT_FALSE(other.second.read(other.at, 4));
}

TEST(Conflicts, BytesOfOneWordCount) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at, 1));
  EXPECT_FALSE(two.second.write(two.at + 3, 1));
}

TEST(Conflicts, WhatIsReadAsAWholeIsReadToItsEnd) {
  Two two;
  EXPECT_TRUE(two.first.read_all(two.at + 8, 1 << 20));  // more than the allocation has
  EXPECT_TRUE(two.first.read_all(two.at + 8, 1 << 20));
  EXPECT_TRUE(two.second.write(two.at + 4, 4));
  EXPECT_FALSE(two.second.write(two.at + kBytes - 4, 4));
  EXPECT_TRUE(two.first.read_all(0, 64));
}

// Rows of 128 bytes have one state as long as they are used as a whole.
TEST(Conflicts, ARowIsTakenBackWithWhatWasWrittenToAPartOfIt) {
  Two two;
  for (std::uint32_t i = 0; i < 48; ++i) two.put(4 * i, 100 + i);
  EXPECT_TRUE(two.first.write(two.at + 20, 4));
  two.put(20, 1);
  EXPECT_TRUE(two.first.read(two.at, 128));
  EXPECT_TRUE(two.first.write(two.at, kBytes));
  for (std::uint32_t i = 0; i < 48; ++i) two.put(4 * i, 7);
  EXPECT_FALSE(two.second.read(two.at + 32, 32));
  two.first.undo();
  for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(two.get(4 * i), 100 + i);
}

TEST(Conflicts, AWholeRowIsTakenBack) {
  Two two;
  for (std::uint32_t i = 0; i < 32; ++i) two.put(4 * i, 100 + i);
  EXPECT_TRUE(two.first.read(two.at, 128));
  EXPECT_TRUE(two.first.write(two.at, 128));
  EXPECT_TRUE(two.first.write(two.at + 4, 4));
  for (std::uint32_t i = 0; i < 32; ++i) two.put(4 * i, 7);
  two.first.undo();
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(two.get(4 * i), 100 + i);
}

TEST(Conflicts, APartOfARowThatAnotherWroteIsNot) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at, 128));
  EXPECT_FALSE(two.second.read(two.at + 64, 4));
  EXPECT_FALSE(two.second.write(two.at + 124, 4));
  EXPECT_TRUE(two.second.write(two.at + 128, 4));
}

TEST(Conflicts, ARowThatTwoHaveReadIsNobodysToWrite) {
  Two two;
  EXPECT_TRUE(two.first.read(two.at, 128));
  EXPECT_TRUE(two.second.read(two.at, 32));
  EXPECT_TRUE(two.first.write(two.at + 32, 32));
  EXPECT_FALSE(two.first.write(two.at, 32));
  EXPECT_TRUE(two.second.read(two.at, 32));
  EXPECT_FALSE(two.second.write(two.at, 128));
}

TEST(Conflicts, TheLastPartOfARowEndsWithTheAllocation) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at + 128, kBytes - 128));
  EXPECT_FALSE(two.second.read(two.at + kBytes - 2, 2));
  two.first.undo();
}

TEST(Conflicts, AWideAccessTouchesAllItsWords) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at + 12, 4));
  EXPECT_FALSE(two.second.read(two.at, 16));
}

TEST(Conflicts, ReductionsOfOneKindCommuteAndOthersDoNot) {
  Two two;
  EXPECT_TRUE(two.first.reduce(two.at, 4, 3));
  EXPECT_TRUE(two.second.reduce(two.at, 4, 3));
  EXPECT_FALSE(two.second.reduce(two.at, 4, 4));
  EXPECT_FALSE(two.first.read(two.at, 4)) << "a partial sum depends on the order";
}

// What it has read depends on whether the other's reduction came before.
TEST(Conflicts, AWordThatOneHasReadAndReducesIsNobodyElsesToReduce) {
  for (const unsigned bytes : {4u, 32u}) {  // by itself, and eight words together
    Two two;
    EXPECT_TRUE(two.first.read(two.at, bytes));
    EXPECT_TRUE(two.first.reduce(two.at, bytes, 3));
    EXPECT_TRUE(two.first.reduce(two.at, bytes, 3));
    EXPECT_TRUE(two.first.read(two.at, bytes));
    EXPECT_FALSE(two.second.reduce(two.at, bytes, 3)) << bytes;
  }
}

TEST(Conflicts, AThreadMayWriteThenReduceItsOwn) {
  Two two;
  two.put(0, 7);
  EXPECT_TRUE(two.first.write(two.at, 4));
  two.put(0, 70);
  EXPECT_TRUE(two.first.reduce(two.at, 4, 3));
  EXPECT_FALSE(two.second.reduce(two.at, 4, 3));
  two.first.undo();
  EXPECT_EQ(two.get(0), 7u);
}

TEST(Conflicts, AThreadMayReadThenWriteItsOwn) {
  Two two;
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_TRUE(two.first.write(two.at, 4));
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_FALSE(two.second.read(two.at, 4));
}

struct TwoWithoutNotes : Two {
  TwoWithoutNotes() : Two(false) {}
};

TEST(Conflicts, ReadsOfWhatNobodyWritesNeedNoNotes) {
  TwoWithoutNotes two;
  EXPECT_TRUE(two.first.may_read_within(two.at, two.at + kBytes));
  EXPECT_TRUE(two.second.read(two.at, 4));
  EXPECT_FALSE(two.first.may_read_within(two.at, two.at + kBytes + 1));  // beyond the allocation
  EXPECT_FALSE(two.tracker.lacks_reads());
}

TEST(Conflicts, AWriteBehindReadsWithoutNotesIsRefused) {
  TwoWithoutNotes two;
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_FALSE(two.first.write(two.at + 32, 4));
  EXPECT_TRUE(two.tracker.lacks_reads());
}

TEST(Conflicts, BehindAWriteReadsAreNoted) {
  TwoWithoutNotes two;
  EXPECT_TRUE(two.first.write(two.at, 4));
  EXPECT_FALSE(two.second.may_read_within(two.at + 4, two.at + 8));
  EXPECT_TRUE(two.second.read(two.at + 4, 4));
  EXPECT_FALSE(two.first.write(two.at + 4, 4));
  EXPECT_FALSE(two.tracker.lacks_reads());
}

TEST(Conflicts, AllocationsAreLookedAtOneByOne) {
  TwoWithoutNotes two;
  EXPECT_TRUE(two.first.read(two.at, 4));
  EXPECT_TRUE(two.first.write(two.other, 4));
  EXPECT_TRUE(two.first.may_read_within(two.at, two.at + 64));
}

TEST(Conflicts, UndoRestoresWhatWasThereBefore) {
  Two two;
  two.put(0, 7);
  two.put(4, 8);
  ASSERT_TRUE(two.first.write(two.at, 4));
  two.put(0, 70);
  ASSERT_TRUE(two.first.write(two.at, 4));
  two.put(0, 700);
  ASSERT_TRUE(two.second.reduce(two.at + 4, 4, 0));
  two.put(4, 80);
  ASSERT_TRUE(two.first.reduce(two.at + 4, 4, 0));
  two.put(4, 800);
  two.first.undo();
  two.second.undo();
  EXPECT_EQ(two.get(0), 7u);
  EXPECT_EQ(two.get(4), 8u);
}

TEST(Conflicts, AreSeenAfterwardsToo) {
  Two two;
  EXPECT_TRUE(two.first.write(two.at, 4));
  EXPECT_TRUE(two.second.read(two.at + 4, 4));
  EXPECT_TRUE(two.first.reduce(two.at + 8, 4, 3));
  EXPECT_TRUE(two.second.reduce(two.at + 8, 4, 3));
  EXPECT_FALSE(two.tracker.conflicts());
  EXPECT_FALSE(two.second.read(two.at, 4));
  EXPECT_TRUE(two.tracker.conflicts());
}

// Once the log has been told of a use of the piece, and but for what it has to do before a write.
TEST(Conflicts, AThreadNotesByItselfWhatIsReady) {
  constexpr std::uint64_t kPiece = ConflictTracker::kPieceBytes;
  DeviceMemory memory(1 << 20);
  const std::uint64_t at = *memory.allocate(3 * kPiece, "a");
  ConflictTracker tracker(memory, true);
  ConflictTracker::Log log(tracker, 0);
  EXPECT_EQ(log.notes_of(at).uses, nullptr);
  ASSERT_TRUE(log.read(at, 4));
  const WordNotes notes = log.notes_of(at);
  EXPECT_TRUE(notes.note(8, 4, WordNotes::kForReads));
  EXPECT_FALSE(notes.note(8, 4, WordNotes::kForWrites));
  ASSERT_TRUE(log.write(at + 12, 4));
  EXPECT_TRUE(notes.note(kPiece - 4, 4, WordNotes::kForWrites));
  EXPECT_FALSE(notes.note(kPiece - 4, 8, WordNotes::kForReads));
  EXPECT_FALSE(notes.note(kPiece, 4, WordNotes::kForReads));
  EXPECT_FALSE(notes.note(0, 2 * kPiece, WordNotes::kForReads));
  ASSERT_TRUE(log.reduce_apart(at + 40, 4, 0));
  EXPECT_FALSE(notes.note(40, 4, WordNotes::kForReads)) << "its value lies elsewhere";
}

// Pages that launches take one after the other hold what one before has noted.
TEST(Conflicts, WhatAThreadNotesByItselfIsSeenAfterwards) {
  for (const auto needed : {WordNotes::kForReads, WordNotes::kForWrites})
    for (const std::uint64_t other : {96u, 100u, 128u, 160u, 164u}) {
      Two two;
      ASSERT_TRUE(two.first.write(two.at, 4));
      ASSERT_TRUE(two.second.write(two.at + 4, 4));
      ASSERT_TRUE(two.second.write(two.at + other, 4));
      EXPECT_TRUE(two.first.notes_of(two.at).note(100, 64, needed));
      EXPECT_EQ(two.tracker.conflicts(), other >= 100 && other < 164) << other;
    }
}

constexpr unsigned kAdd = 0, kMax = 8, kAddWide = 2;  // numbers of `commutative`: 32 bits, and 64

void add(std::byte* place, std::uint32_t value) {
  std::uint32_t sum;
  std::memcpy(&sum, place, 4);
  sum += value;
  std::memcpy(place, &sum, 4);
}

TEST(Conflicts, WhatThreadsReduceApartComesTogether) {
  Two two;
  two.put(4, 7);
  for (ConflictTracker::Log* const log : {&two.first, &two.second}) {
    ASSERT_TRUE(log->reduce_apart(two.at + 4, 4, kAdd));
    ASSERT_NE(log->apart(two.at + 4), nullptr);
    EXPECT_EQ(log->apart(two.at), nullptr);
    add(log->apart(two.at + 4), 100);
    EXPECT_TRUE(log->reduce_apart(two.at + 4, 4, kAdd));
    add(log->apart(two.at + 4), 1);
  }
  EXPECT_EQ(two.get(4), 7u);
  two.first.merge();
  two.second.merge();
  EXPECT_EQ(two.get(4), 209u);
  two.first.undo();
  two.second.undo();
  EXPECT_EQ(two.get(4), 7u);
}

TEST(Conflicts, AThreadReadsWhatItHasReducedApart) {
  Two two;
  two.put(4, 7);
  ASSERT_TRUE(two.first.reduce_apart(two.at + 4, 4, kAdd));
  add(two.first.apart(two.at + 4), 100);
  EXPECT_TRUE(two.first.read(two.at, 8));
  EXPECT_EQ(two.get(4), 107u);
  EXPECT_EQ(two.first.apart(two.at + 4), nullptr);
  EXPECT_TRUE(two.first.reduce_apart(two.at + 4, 4, kAdd));
  EXPECT_EQ(two.first.apart(two.at + 4), nullptr);
  EXPECT_FALSE(two.second.reduce_apart(two.at + 4, 4, kAdd));
  two.first.merge();
  EXPECT_EQ(two.get(4), 107u);
  two.first.undo();
  EXPECT_EQ(two.get(4), 7u);
}

// Of an element of two words that was reduced apart, and of one that was not.
TEST(Conflicts, AWideElementIsInOnePlace) {
  Two two;
  ASSERT_TRUE(two.first.reduce_apart(two.at + 8, 8, kAddWide));
  const std::uint64_t sum = (std::uint64_t{3} << 32) + 2;
  std::memcpy(two.first.apart(two.at + 8), &sum, 8);
  EXPECT_TRUE(two.first.read(two.at + 12, 4));
  EXPECT_EQ(two.get(8), 2u);
  EXPECT_EQ(two.get(12), 3u);
  EXPECT_EQ(two.first.apart(two.at + 8), nullptr);
  EXPECT_TRUE(two.first.read(two.at + 20, 4));
  EXPECT_TRUE(two.first.reduce_apart(two.at + 16, 8, kAddWide));
  EXPECT_EQ(two.first.apart(two.at + 16), nullptr);
}

TEST(Conflicts, OneOperationIsReducedApartInAPiece) {
  Two two;
  EXPECT_TRUE(two.first.reduce_apart(two.at, 4, kAdd));
  EXPECT_TRUE(two.first.reduce_apart(two.at + 4, 4, kMax));
  EXPECT_EQ(two.first.apart(two.at + 4), nullptr);
  add(two.first.apart(two.at), 5);
  EXPECT_TRUE(two.first.reduce_apart(two.at, 4, kMax));  // its order matters from now on
  EXPECT_EQ(two.first.apart(two.at), nullptr);
  EXPECT_EQ(two.get(0), 5u);
  EXPECT_FALSE(two.second.reduce_apart(two.at, 4, kMax));
}

TEST(Conflicts, WhatIsReducedApartBeginsWithWhatChangesNothing) {
  for (unsigned operation = 0; operation < ConflictTracker::kOperations; ++operation)
    for (const std::uint32_t value : {0u, 1u, 0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu}) {
      Two two;
      two.put(8, value);
      two.put(12, ~value);
      ASSERT_TRUE(two.first.reduce_apart(two.at + 8, 8, operation));
      ASSERT_NE(two.first.apart(two.at + 8), nullptr);
      two.first.merge();
      EXPECT_EQ(two.get(8), value) << operation;
      EXPECT_EQ(two.get(12), ~value) << operation;
    }
}

// Of random words, all of them or those of a part of its own, and some that all reduce. Found is
// what a comparison of all uses finds.
TEST(Conflicts, ThreadsThatRunAtTheSameTimeFindAllConflicts) {
  constexpr unsigned kThreads = 3, kUses = 300;
  constexpr std::uint64_t kWords = 1 << 14;
  unsigned conflicts = 0;
  for (unsigned round = 0; round < 60; ++round) {
    DeviceMemory memory(1 << 20);
    const std::uint64_t at = *memory.allocate(4 * kWords, "a");
    ConflictTracker tracker(memory, true);
    std::deque<ConflictTracker::Log> logs;
    for (unsigned i = 0; i < kThreads; ++i) logs.emplace_back(tracker, i);
    struct Uses {
      bool refused = false;
      std::map<std::uint64_t, unsigned> words;  // bits: read, reduced, written
    };
    std::array<Uses, kThreads> all;
    const auto run = [&](unsigned thread) {
      std::mt19937 random(round * kThreads + thread);
      const std::uint64_t own = round % 2 == 0 ? kWords : kWords / 4;  // words of its part
      for (unsigned i = 0; i < kUses && !all[thread].refused; ++i) {
        const auto kind = static_cast<unsigned>(random() % 3);
        const std::uint64_t word =
            kind == 1 ? random() % 64
                      : 64 + (round % 2 == 0 ? 0 : thread * own) + random() % (own - 64);
        const std::uint64_t place = at + 4 * word;
        all[thread].words[word] |= 1u << kind;
        all[thread].refused = !(kind == 0   ? logs[thread].read(place, 4)
                                : kind == 1 ? logs[thread].reduce_apart(place, 4, kAdd)
                                            : logs[thread].write(place, 4));
        if (kind == 1 && !all[thread].refused) add(logs[thread].apart(place), 1);
      }
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
    }
    bool expected = false, refused = false;
    for (const Uses& one : all) {
      refused |= one.refused;
      for (const Uses& other : all)
        for (const auto& [word, kinds] : one.words)
          if (const auto same = other.words.find(word); &one != &other && same != other.words.end())
            expected |= !std::has_single_bit(kinds | same->second) || ((kinds | same->second) == 4);
    }
    EXPECT_EQ(refused || tracker.conflicts(), expected) << round;
    conflicts += expected ? 1 : 0;
  }
  EXPECT_GT(conflicts, 10u);
  EXPECT_LT(conflicts, 50u);
}

// Nothing is saved of it: it was zero.
TEST(Conflicts, MemoryThatNobodyHadTouchedBecomesZeroAgain) {
  constexpr std::uint64_t kFrame = 2 << 20, kSize = 3 * kFrame;
  DeviceMemory memory(kSize);
  const std::uint64_t at = *memory.allocate(kSize, "a");
  std::byte* const bytes = memory.view(at, kSize);
  if (!is_untouched(bytes, kSize)) GTEST_SKIP() << "the system does not say what was touched";
  bytes[kFrame + 5] = std::byte(9);
  ConflictTracker tracker(memory, true);
  ConflictTracker::Log log(tracker, 0);
  const auto write = [&](std::uint64_t offset) {
    ASSERT_TRUE(log.write(at + offset, 1));
    bytes[offset] = std::byte(7);
  };
  write(2 * kFrame + 100);
  write(kSize - 1);
  EXPECT_EQ(log.bytes(), 0u);
  write(kFrame + 5);
  EXPECT_NE(log.bytes(), 0u);
  log.undo();
  EXPECT_EQ(bytes[kFrame + 5], std::byte(9));
  EXPECT_EQ(bytes[2 * kFrame + 100], std::byte(0));
  EXPECT_EQ(bytes[kSize - 1], std::byte(0));
}

// What cudaMemset has left, say. Each piece of it as one word, and those side by side together.
TEST(Conflicts, MemoryFilledWithOneWordTakesNoRoom) {
  constexpr std::uint64_t kSize = 64 * ConflictTracker::kPieceBytes, kOther = kSize / 2;
  DeviceMemory memory(1 << 20);
  const std::uint64_t at = *memory.allocate(kSize, "a");
  std::byte* const bytes = memory.view(at, kSize);
  const auto before = [&](std::uint64_t i) { return std::byte(i < kOther ? 0xff : i % 8); };
  for (std::uint64_t i = 0; i < kSize; ++i) bytes[i] = before(i);
  ConflictTracker tracker(memory, true);
  ConflictTracker::Log log(tracker, 0);
  ASSERT_TRUE(log.write(at, kSize));
  EXPECT_LT(log.bytes(), ConflictTracker::kPieceBytes);
  std::ranges::fill_n(bytes, kSize, std::byte(9));
  log.undo();
  EXPECT_EQ(log.bytes(), 0u);
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(bytes[i], before(i)) << i;
}

// Of a piece whose last word alone is another one too.
TEST(Conflicts, MemoryThatIsNearlyFilledIsTakenBack) {
  constexpr std::uint64_t kSize = ConflictTracker::kPieceBytes;
  DeviceMemory memory(1 << 20);
  const std::uint64_t at = *memory.allocate(kSize, "a");
  std::byte* const bytes = memory.view(at, kSize);
  bytes[kSize - 1] = std::byte(5);
  ConflictTracker tracker(memory, true);
  ConflictTracker::Log log(tracker, 0);
  ASSERT_TRUE(log.write(at, kSize));
  std::ranges::fill_n(bytes, kSize, std::byte(9));
  log.undo();
  EXPECT_EQ(bytes[0], std::byte(0));
  EXPECT_EQ(bytes[kSize - 1], std::byte(5));
}

TEST(Conflicts, ThousandsOfRowsAreTakenBack) {
  constexpr std::uint64_t kRows = 3000, kRowBytes = ConflictTracker::kRowBytes;
  DeviceMemory memory(1 << 20);
  const std::uint64_t at = *memory.allocate(kRows * kRowBytes, "a");
  const auto first_of = [&](std::uint64_t row) { return memory.view(at + row * kRowBytes, 1); };
  for (std::uint64_t row = 0; row < kRows; ++row) *first_of(row) = std::byte(row % 251);
  ConflictTracker tracker(memory, true);
  ConflictTracker::Log log(tracker, 0);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    ASSERT_TRUE(log.write(at + row * kRowBytes, kRowBytes));
    *first_of(row) = std::byte(255);
  }
  EXPECT_GE(log.bytes(), kRows * kRowBytes);
  log.undo();
  EXPECT_EQ(log.bytes(), 0u);
  for (std::uint64_t row = 0; row < kRows; ++row)
    ASSERT_EQ(*first_of(row), std::byte(row % 251)) << row;
}

}  // namespace
}  // namespace heddle::simulator
