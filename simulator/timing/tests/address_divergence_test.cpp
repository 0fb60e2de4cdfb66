#include "simulator/timing/address_divergence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "simulator/timing/launch.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr Cycle kFirst = 2, kEach = 2;

// When the n-th instruction of each sub-core issues, of as many as want to issue one in each cycle.
std::vector<Cycle> issues(unsigned sub_cores, unsigned n) {
  const Constants constants = constants_for(gpu_model("h200"), {});
  AddressDivergenceUnit unit(constants);
  std::vector<Cycle> last(sub_cores, kFirst - 1);
  std::vector<unsigned> issued(sub_cores);
  for (Cycle now = kFirst; *std::ranges::min_element(issued) < n; ++now)
    for (unsigned i = 0; i < sub_cores; ++i)
      if (issued[i] < n && unit.room(i) <= now) {
        unit.take(i, now, kEach);
        last[i] = now;
        ++issued[i];
      }
  return last;
}

double mean(const std::vector<Cycle>& times) {
  return static_cast<double>(std::accumulate(times.begin(), times.end(), Cycle{0})) /
         static_cast<double>(times.size());
}

// issue.ldc.* of validation/records/h200/micro/machine_code.txt.
TEST(AddressDivergenceUnit, TakesFourOfASubCoreInEightCycles) {
  for (const auto& [n, time] : {std::pair{4u, 5u}, {5u, 10u}, {8u, 13u}, {9u, 18u}, {24u, 45u}})
    EXPECT_EQ(issues(1, n)[0], time) << n;
}

TEST(AddressDivergenceUnit, TakesOneOfAllSubCoresInTwoCyclesOnceItsPlacesAreTaken) {
  for (const auto& [n, time] :
       {std::pair{5u, 11.5}, {6u, 15.5}, {7u, 20.25}, {8u, 28.0}, {24u, 156.0}})
    EXPECT_EQ(mean(issues(4, n)), time) << n;
  for (const auto& [n, time] : {std::pair{9u, 18.5}, {10u, 22.0}, {24u, 78.0}})
    EXPECT_EQ(mean(issues(2, n)), time) << n;
}

TEST(AddressDivergenceUnit, BeginsOneBehindTheOther) {
  const Constants constants = constants_for(gpu_model("h200"), {});
  AddressDivergenceUnit unit(constants);
  EXPECT_EQ(unit.take(0, 10, kEach), 0u);
  EXPECT_EQ(unit.take(1, 10, kEach), kEach);
  EXPECT_EQ(unit.take(2, 100, kEach), 0u);
}

}  // namespace
}  // namespace heddle::simulator::timing
