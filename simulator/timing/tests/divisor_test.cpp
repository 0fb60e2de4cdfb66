#include "simulator/timing/divisor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

void expect_division(std::uint64_t number, std::uint64_t by) {
  const Divisor::Parts parts = Divisor(by).divide(number);
  EXPECT_EQ(parts.quotient, number / by) << number << " / " << by;
  EXPECT_EQ(parts.rest, number % by) << number << " / " << by;
}

TEST(Divisor, DividesAsTheHostDoes) {
  std::mt19937_64 random(1);
  for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                 std::uint64_t{48}, std::uint64_t{12'800}, std::uint64_t{1} << 32,
                                 (std::uint64_t{1} << 63) - 1, kMost - 1, kMost}) {
    for (const std::uint64_t number : {std::uint64_t{0}, by - 1, by, by + 1, kMost - 1, kMost})
      expect_division(number, by);
    for (int i = 0; i < 1000; ++i) expect_division(random() >> random() % 64, by);
  }
}

}  // namespace
}  // namespace heddle::simulator::timing
