#include "simulator/timing/data_banks.hpp"

#include <gtest/gtest.h>

namespace heddle::simulator::timing {
namespace {

TEST(DataBanks, PassesTakeTheFirstCyclesThatAreFree) {
  DataBanks banks;
  EXPECT_EQ(banks.take(100, 4), 103u);
  EXPECT_EQ(banks.take(98, 4), 105u);  // 98, 99, 104 and 105
  EXPECT_EQ(banks.take(98, 1), 106u);
  EXPECT_EQ(banks.take(200, 1), 200u);
  EXPECT_EQ(banks.take(120, 100), 220u);
}

TEST(DataBanks, LongAgoIsForgotten) {
  constexpr Cycle kFar = 1 << 20;
  DataBanks banks;
  EXPECT_EQ(banks.take(10, 3), 12u);
  EXPECT_EQ(banks.take(kFar + 10, 3), kFar + 12);
  banks.start();
  EXPECT_EQ(banks.take(10, 1), 10u);
}

}  // namespace
}  // namespace heddle::simulator::timing
