// Which accesses of SMs that run side by side come too late. No SM has to be waited for here.
#include "simulator/timing/shared_accesses.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::simulator::timing {
namespace {

constexpr unsigned kAdd = 0, kMax = 1;

class SharedAccessesTest : public testing::Test {
 protected:
  void begin(bool all_reads) {
    accesses_.begin_launch(memory_, all_reads);
    accesses_.share();
    accesses_.begin_quantum(&threads_);
  }
  SharedAccesses::Log& sm(std::uint32_t number) {
    log_.follow(number);
    return log_;
  }
  DeviceMemory memory_{1 << 20};
  const std::uint64_t words_ = *memory_.allocate(1024, "words");
  SmThreads threads_{1, 16, [](unsigned, std::size_t, std::size_t) {}};
  SharedAccesses accesses_;
  SharedAccesses::Log log_{accesses_};
};

TEST_F(SharedAccessesTest, WhoWritesAfterAHigherSmHasReadIsTooLate) {
  begin(true);
  EXPECT_TRUE(sm(5).read(words_, 4));
  EXPECT_TRUE(sm(7).write(words_, 4));
  EXPECT_FALSE(sm(6).write(words_, 4));
  EXPECT_FALSE(sm(3).read(words_, 4));
  EXPECT_TRUE(sm(9).read(words_, 4));
}

TEST_F(SharedAccessesTest, WordsOfASectorAreApart) {
  begin(true);
  for (const std::uint32_t number : {7u, 3u, 5u, 1u}) {
    EXPECT_TRUE(sm(number).read(words_ + 4 * number, 4));
    EXPECT_TRUE(sm(number).write(words_ + 4 * number, 4));
    EXPECT_TRUE(sm(number).read(words_ + 4 * number, 4));
  }
  EXPECT_FALSE(sm(1).read(words_ + 4 * 3, 2));
}

TEST_F(SharedAccessesTest, ReadersMayComeInAnyOrder) {
  begin(true);
  for (const std::uint32_t number : {7u, 3u, 5u}) EXPECT_TRUE(sm(number).read(words_, 32));
  EXPECT_FALSE(sm(6).write(words_, 4));
  EXPECT_TRUE(sm(8).write(words_, 4));
}

TEST_F(SharedAccessesTest, ReductionsOfOneKindCommute) {
  begin(true);
  for (const std::uint32_t number : {7u, 3u, 5u}) EXPECT_TRUE(sm(number).reduce(words_, 4, kAdd));
  EXPECT_FALSE(sm(4).reduce(words_, 4, kMax));
  EXPECT_TRUE(sm(4).reduce(words_ + 8, 4, kMax));
  EXPECT_FALSE(sm(2).read(words_, 4));
  EXPECT_TRUE(sm(8).read(words_, 4));
}

TEST_F(SharedAccessesTest, AnotherQuantumIsAnotherMatter) {
  begin(true);
  EXPECT_TRUE(sm(7).write(words_, 4));
  accesses_.begin_quantum(&threads_);
  EXPECT_TRUE(sm(3).write(words_, 4));
}

// The first write to what is read: by number alone, as reads were not noted by word.
TEST_F(SharedAccessesTest, TheFirstWriterAfterAHigherReaderAsksForNotesOfReads) {
  begin(false);
  EXPECT_TRUE(sm(2).read(words_, 4));
  EXPECT_TRUE(sm(5).read(words_ + 512, 4));
  EXPECT_TRUE(sm(6).write(words_ + 256, 4));
  EXPECT_FALSE(accesses_.lacks_reads());
  EXPECT_FALSE(sm(4).write(words_ + 128, 4));
  EXPECT_TRUE(accesses_.lacks_reads());
  begin(true);
  EXPECT_TRUE(sm(5).read(words_ + 512, 4));
  EXPECT_TRUE(sm(4).write(words_ + 128, 4));
  EXPECT_FALSE(accesses_.lacks_reads());
}

TEST_F(SharedAccessesTest, WhatIsReadAsAWholeIsNotWritten) {
  begin(false);
  EXPECT_TRUE(sm(3).read_all(words_, 1024));
  EXPECT_FALSE(sm(9).write(words_ + 512, 4));
  begin(false);
  EXPECT_TRUE(sm(9).write(words_ + 512, 4));
  EXPECT_FALSE(sm(3).read_all(words_, 1024));
}

TEST_F(SharedAccessesTest, WhatWasThereBeforeTheLaunchIsPutBack) {
  std::uint32_t* const view = reinterpret_cast<std::uint32_t*>(memory_.view(words_, 1024));
  for (const bool again : {false, true}) {
    view[40] = again ? 8 : 7;
    begin(false);
    for (const std::uint32_t value : {1u, 2u}) {
      EXPECT_TRUE(sm(3).write(words_ + 160, 4));
      view[40] = value;
      accesses_.begin_quantum(&threads_);
    }
    log_.undo();
    EXPECT_EQ(view[40], again ? 8u : 7u);
  }
}

}  // namespace
}  // namespace heddle::simulator::timing
