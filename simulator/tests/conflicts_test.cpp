#include "simulator/launch/conflicts.hpp"

#include <gtest/gtest.h>

#include <cstring>

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
  EXPECT_FALSE(two.second.write(two.at, 128));
  EXPECT_TRUE(two.second.read(two.at, 32));
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
