#include "simulator/launch/conflicts.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::simulator {
namespace {

struct Two {
  DeviceMemory memory{1 << 20};
  std::uint64_t at = *memory.allocate(64, "a");
  ConflictTracker tracker{memory};
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
  EXPECT_FALSE(two.second.write(two.at + 60, 4));
  EXPECT_TRUE(two.first.read_all(0, 64));
}

// Rows are claimed eight words at a time, where those are in one state.
TEST(Conflicts, ARowIsTakenBackWordByWord) {
  Two two;
  for (std::uint32_t i = 0; i < 16; ++i) two.put(4 * i, 100 + i);
  EXPECT_TRUE(two.first.write(two.at + 20, 4));
  two.put(20, 1);
  EXPECT_TRUE(two.first.read(two.at, 64));
  EXPECT_TRUE(two.first.write(two.at, 64));
  for (std::uint32_t i = 0; i < 16; ++i) two.put(4 * i, 7);
  EXPECT_FALSE(two.second.read(two.at + 32, 32));
  two.first.undo();
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(two.get(4 * i), 100 + i);
}

TEST(Conflicts, ARowThatTwoHaveReadIsNobodysToWrite) {
  Two two;
  EXPECT_TRUE(two.first.read(two.at, 64));
  EXPECT_TRUE(two.second.read(two.at, 32));
  EXPECT_TRUE(two.first.write(two.at + 32, 32));
  EXPECT_FALSE(two.first.write(two.at, 32));
  EXPECT_FALSE(two.second.write(two.at, 64));
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

}  // namespace
}  // namespace heddle::simulator
