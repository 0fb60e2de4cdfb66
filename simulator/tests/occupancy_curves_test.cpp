#include "simulator/models/occupancy_curves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulator/models/littles_law.hpp"

namespace heddle::simulator {
namespace {

using ::testing::HasSubstr;

TEST(OccupancyCurves, SayOfEachValueWhatOccupancyIsThere) {
  const SmLimits& sm = *find_compute_capability("9.0");
  const KernelResources kernel{.threads_per_block = 256, .registers_per_thread = 40};
  const auto curves = occupancy_curves(sm, kernel);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].points.size(), 32u);
  EXPECT_EQ(curves[1].points.size(), 255u);
  EXPECT_EQ(curves[2].points.back().value, 227u * 1024);
  EXPECT_EQ(curves[0].at, 256u);
  EXPECT_EQ(curves[1].points[39].warps, occupancy(sm, kernel).warps_per_sm);
  EXPECT_EQ(curves[1].points[31].warps, 64u);
  EXPECT_EQ(curves[1].points[254].warps, 8u);
  EXPECT_EQ(curves[2].points.back().warps, 8u);
  const std::string svg = draw(curves, sm);
  EXPECT_THAT(svg, HasSubstr("registers per thread"));
  EXPECT_THAT(svg, HasSubstr("<circle"));
  EXPECT_THAT(svg, HasSubstr("the kernel: 40, 75 %, limited by registers"));
  EXPECT_THAT(svg, HasSubstr("48 (75 %)"));
  EXPECT_THAT(svg, HasSubstr("class='grid'"));
}

// The worked examples of the programming books of Fermi's time.
TEST(LittlesLaw, GivesTheBooksNumbers) {
  const InFlight fermi = to_hide_arithmetic(20, 32);
  EXPECT_EQ(fermi.operations, 640);
  EXPECT_EQ(fermi.warps, 20);
  EXPECT_EQ(to_hide_arithmetic(5, 6 * 32).warps, 30);
  const double c2070 = bytes_per_cycle(144, 1.566);
  EXPECT_NEAR(c2070, 92, 0.1);
  const InFlight memory = to_hide_memory(800, 92, 4);
  EXPECT_NEAR(memory.bytes, 74000, 500);
  EXPECT_NEAR(memory.operations, 18500, 100);
  EXPECT_NEAR(memory.warps, 579, 5);
  // They round 92 bytes times 800 cycles, 73,600, up to 74 KB first.
  const InFlight rounded = to_hide_memory(1, 74000, 4);
  EXPECT_EQ(rounded.operations, 18500);
  EXPECT_EQ(std::ceil(rounded.warps), 579);
}

}  // namespace
}  // namespace heddle::simulator
