#include "simulator/execute/unordered_reads.hpp"

#include <gtest/gtest.h>

#include <random>

namespace heddle::simulator {
namespace {

using Who = UnorderedReads::Who;
constexpr std::uint64_t kAt = 0x1000;
constexpr bool kStrong = true, kWeak = false, kReduction = true, kStore = false;
constexpr Who kWarp0{.block = 3, .barriers = 0, .warp = 0};
constexpr Who kWarp1{.block = 3, .barriers = 0, .warp = 1};
constexpr Who kOtherBlock{.block = 4, .barriers = 0, .warp = 0};

Who behind_a_barrier(Who who) {
  ++who.barriers;
  return who;
}

TEST(UnorderedReads, AStrongReadOfAnotherWarpsStoreIsOneInEitherOrder) {
  UnorderedReads written_first;
  written_first.write(kAt, 4, kWarp0, kStore);
  written_first.read(kAt, 4, kWarp1, kStrong);
  EXPECT_TRUE(written_first.found());
  UnorderedReads read_first;
  read_first.read(kAt, 4, kWarp1, kStrong);
  read_first.write(kAt, 4, kWarp0, kStore);
  EXPECT_TRUE(read_first.found());
}

TEST(UnorderedReads, AReadOfAnotherBlocksReductionIsOne) {
  UnorderedReads reads;
  reads.write(kAt, 4, kWarp0, kReduction);
  reads.read(kAt, 4, kOtherBlock, kWeak);
  EXPECT_TRUE(reads.found());
}

// A megabyte apart, say, where loops stride over a grid.
TEST(UnorderedReads, PlacesFarApartAreToldFromOneAnother) {
  for (std::uint64_t apart = 4096; apart <= 1 << 24; apart *= 2) {
    UnorderedReads reads;
    reads.write(kAt, 4, kWarp0, kReduction);
    reads.read(kAt + apart, 4, kOtherBlock, kWeak);
    EXPECT_FALSE(reads.found()) << apart;
    reads.read(kAt, 4, kOtherBlock, kWeak);
    EXPECT_TRUE(reads.found()) << apart;
  }
}

// Of a row that one warp has read as a whole.
TEST(UnorderedReads, WordsOfARowAreApart) {
  UnorderedReads reads;
  reads.read(kAt, 128, kWarp0, kWeak);
  reads.write(kAt + 8, 4, kWarp0, kReduction);
  reads.write(kAt + 16, 4, kWarp0, kStore);
  reads.read(kAt + 4, 4, kOtherBlock, kWeak);
  reads.read(kAt + 12, 8, kOtherBlock, kWeak);
  EXPECT_FALSE(reads.found());
  UnorderedReads joined(&reads);
  joined.read(kAt, 128, kOtherBlock, kWeak);
  EXPECT_TRUE(joined.found());
  EXPECT_FALSE(reads.found());
  reads.write(kAt + 4, 4, kWarp0, kReduction);
  EXPECT_TRUE(reads.found());
}

TEST(UnorderedReads, WhoWroteARowWroteEachOfItsWords) {
  UnorderedReads reads;
  reads.write(kAt, 128, kWarp0, kReduction);
  reads.read(kAt + 8, 4, kWarp0, kWeak);
  EXPECT_FALSE(reads.found());
  reads.read(kAt + 16, 4, kOtherBlock, kWeak);
  EXPECT_TRUE(reads.found());
}

// What a thread that has joined does is its own.
TEST(UnorderedReads, WhatOthersDoLaterIsNotKnown) {
  UnorderedReads before;
  before.read(kAt, 4, kWarp0, kWeak);
  UnorderedReads one(&before), other(&before);
  one.write(kAt, 4, kWarp0, kReduction);
  other.read(kAt, 4, kOtherBlock, kWeak);
  before.read(kAt, 4, kOtherBlock, kWeak);
  EXPECT_FALSE(one.found() || other.found() || before.found());
}

// As of a thread that joins a launch.
TEST(UnorderedReads, WhatCameBeforeIsKnown) {
  UnorderedReads before;
  before.write(kAt, 4, kWarp0, kReduction);
  UnorderedReads one(&before), other(&before);
  one.read(kAt, 4, kOtherBlock, kWeak);
  other.read(kAt, 4, kWarp0, kWeak);
  EXPECT_TRUE(one.found());
  EXPECT_FALSE(other.found());
  EXPECT_FALSE(before.found());
  EXPECT_TRUE(UnorderedReads(&one).found());
}

TEST(UnorderedReads, AWarpsOwnStoresAreOrdered) {
  UnorderedReads reads;
  reads.write(kAt, 16, kWarp0, kStore);
  reads.read(kAt + 8, 4, kWarp0, kStrong);
  EXPECT_FALSE(reads.found());
}

TEST(UnorderedReads, ABlockBarrierOrdersAllWritesBeforeIt) {
  UnorderedReads reads;
  reads.write(kAt, 4, kWarp0, kStore);
  reads.write(kAt, 4, kWarp1, kStore);
  reads.write(kAt, 4, behind_a_barrier(kWarp0), kStore);
  reads.read(kAt, 4, behind_a_barrier(kWarp0), kStrong);
  EXPECT_FALSE(reads.found());
  reads.read(kAt, 4, behind_a_barrier(kWarp1), kStrong);
  EXPECT_TRUE(reads.found());
}

TEST(UnorderedReads, ABlockBarrierOrdersItsBlockAlone) {
  UnorderedReads same_block;
  same_block.write(kAt, 4, kWarp0, kReduction);
  same_block.write(kAt, 4, kWarp1, kReduction);
  same_block.read(kAt, 4, behind_a_barrier(kWarp0), kStrong);
  EXPECT_FALSE(same_block.found());
  UnorderedReads other_block;
  other_block.write(kAt, 4, kWarp0, kStore);
  other_block.read(kAt, 4, behind_a_barrier(kOtherBlock), kStrong);
  EXPECT_TRUE(other_block.found());
}

TEST(UnorderedReads, OneOfSeveralWritersThatIsNotOrderedIsEnough) {
  UnorderedReads reads;
  reads.write(kAt, 4, kWarp1, kReduction);
  reads.write(kAt, 4, kWarp0, kReduction);
  reads.read(kAt, 4, kWarp0, kWeak);
  EXPECT_TRUE(reads.found());
}

TEST(UnorderedReads, PlainReadsAndStoresAreNotJudged) {
  UnorderedReads reads;
  reads.write(kAt, 4, kWarp0, kStore);
  reads.read(kAt, 4, kOtherBlock, kWeak);
  EXPECT_FALSE(reads.found());
}

TEST(UnorderedReads, NeighbouringWordsAreApartAndAnAccessCoversAllItsBytes) {
  UnorderedReads reads;
  reads.write(kAt + 0xff8, 8, kWarp0, kStore);
  reads.read(kAt + 0x1000, 4, kWarp1, kStrong);
  EXPECT_FALSE(reads.found());
  reads.read(kAt + 0xff4, 16, kWarp1, kStrong);
  EXPECT_TRUE(reads.found());
}

// Words whose users are alike are gone through as one; it must come to what each by itself does.
TEST(UnorderedReads, AWideAccessIsOneOfEachOfItsWords) {
  std::mt19937 random(1);
  unsigned found = 0;
  for (int round = 0; round < 300; ++round) {
    UnorderedReads wide, by_words;
    for (int i = 0; i < 30 && !by_words.found(); ++i) {
      const Who who{.block = random() % 2,
                    .barriers = random() % 2,
                    .warp = static_cast<std::uint32_t>(random() % 2)};
      const std::uint64_t at = kAt + 0xfc0 + random() % 32 * 4;
      const auto words = static_cast<unsigned>(random() % 16 + 1);
      const bool writes = random() % 3 == 0, mark = random() % 8 == 0;
      writes ? wide.write(at, 4 * words, who, mark) : wide.read(at, 4 * words, who, mark);
      for (unsigned word = 0; word < words; ++word)
        writes ? by_words.write(at + 4 * word, 4, who, mark)
               : by_words.read(at + 4 * word, 4, who, mark);
      ASSERT_EQ(wide.found(), by_words.found()) << round << ' ' << i;
    }
    found += by_words.found();
  }
  EXPECT_GT(found, 50u);
  EXPECT_LT(found, 300u);
}

}  // namespace
}  // namespace heddle::simulator
