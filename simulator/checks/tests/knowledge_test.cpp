// What the race check keeps of blocks that have ended.
#include "simulator/checks/knowledge.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include "simulator/checks/start_order.hpp"

namespace heddle::simulator::checks {
namespace {

TEST(StartOrder, TellsWhichBlockWasStartedWhen) {
  StartOrder order;
  for (const std::uint64_t linear : {0u, 1u, 2u, 7u, 8u, 3u, 4u, 100u}) order.add(linear);
  EXPECT_EQ(order.runs(), 4u);
  EXPECT_EQ(order[0], 0u);
  EXPECT_EQ(order[2], 2u);
  EXPECT_EQ(order[3], 7u);
  EXPECT_EQ(order[4], 8u);
  EXPECT_EQ(order[6], 4u);
  EXPECT_EQ(order[7], 100u);
  order.clear();
  EXPECT_EQ(order.add(5), 0u);
  EXPECT_EQ(order[0], 5u);
}

// The first block stays as long as the others come and go.
TEST(Knowledge, OfAMillionEndedBlocksTakesNoRoom) {
  constexpr std::uint32_t kBlocks = 1'000'000;
  [[maybe_unused]] constexpr std::size_t kMost = 256 << 10;
  Knowledge knowledge;
  StartOrder order;
  knowledge.start_block(order.add(0), 2);
  [[maybe_unused]] const std::size_t before = mallinfo2().uordblks;
  for (std::uint32_t i = 1; i < kBlocks; ++i) {
    const std::uint32_t block = order.add(i);
    knowledge.start_block(block, 2);
    knowledge.meet(block, 3, 3);
    EXPECT_TRUE(knowledge.knows({block, 0}, {block, 1}, 1));
    knowledge.end_block(block);
  }
  EXPECT_EQ(order[kBlocks - 1], kBlocks - 1);
  EXPECT_EQ(knowledge.clock({0, 1}), 1u);
#ifndef HEDDLE_SANITIZED
  EXPECT_LT(mallinfo2().uordblks, before + kMost);
#endif
}

}  // namespace
}  // namespace heddle::simulator::checks
