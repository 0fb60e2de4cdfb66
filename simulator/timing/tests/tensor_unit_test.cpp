#include "simulator/timing/tensor_unit.hpp"

#include <gtest/gtest.h>

namespace heddle::simulator::timing {
namespace {

constexpr Cycle kBegins = 28, kDone = 14, kInUnit = 32;

Constants constants() {
  Constants c;
  c.group_queue_entries = 6;
  c.latency_group_done = kDone;
  return c;
}

Timed product() {
  Timed timed;
  timed.course = Course::group_product;
  timed.latency = kBegins;
  timed.interval = timed.columns_time = kInUnit;
  return timed;
}

// What a warp of a group alone issues, one after the other.
struct Alone {
  const Constants c = constants();
  TensorUnit unit{c};
  GroupTimes times;
  std::uint64_t number = 0;

  Cycle issue(const Timed& timed, Cycle now) {
    return unit.issue(timed, times.begin(0, 0, ++number, now + timed.latency, timed.interval));
  }
};

TEST(TensorUnit, AProductIsCompleteBehindThoseIssuedBeforeIt) {
  Alone alone;
  EXPECT_EQ(alone.issue(product(), 100), 100 + kBegins + kInUnit + kDone);
  EXPECT_EQ(alone.issue(product(), 104), 100 + kBegins + 2 * kInUnit + kDone);
  EXPECT_EQ(alone.issue(product(), 1000), 1000 + kBegins + kInUnit + kDone);
}

TEST(TensorUnit, WhatFetchesOperandsForLongerDelaysTheNextProductNotItsOwnEnd) {
  Alone alone;
  Timed narrow = product();
  narrow.columns_time = 4;
  narrow.interval = 18;
  EXPECT_EQ(alone.issue(narrow, 0), kBegins + 4 + kDone);
  EXPECT_EQ(alone.issue(narrow, 4), kBegins + 18 + 4 + kDone);
}

TEST(TensorUnit, ItsQueueTakesAnotherProductWhenTheOneSixBeforeHasBegun) {
  Alone alone;
  TensorUnit& unit = alone.unit;
  for (Cycle i = 0; i < 6; ++i) {
    EXPECT_LE(unit.room(), i);
    alone.issue(product(), i);
  }
  EXPECT_EQ(unit.room(), kBegins);
  alone.issue(product(), unit.room());
  EXPECT_EQ(unit.room(), kBegins + kInUnit);
}

TEST(GroupTimes, AProductIsCompleteWhenTheLastOfItsWarpsIs) {
  GroupTimes times;
  EXPECT_EQ(times.completed(0, 1, 1), 0u);
  times.complete(0, 1, 1, 90);
  times.complete(0, 1, 1, 70);
  times.complete(0, 1, 2, 120);
  EXPECT_EQ(times.completed(0, 1, 1), 90u);
  EXPECT_EQ(times.completed(0, 1, 2), 120u);
  EXPECT_EQ(times.completed(0, 0, 1), 0u);
  EXPECT_EQ(times.completed(1, 1, 1), 0u);
}

// batch.* of gpu/kernels/micro/timing/warp_groups.cu.
TEST(GroupTimes, TheUnitsTakeAProductTogetherInTheOrderOfTheGroups) {
  GroupTimes times;
  EXPECT_EQ(times.begin(0, 0, 1, 100, kInUnit), 100u);
  EXPECT_EQ(times.begin(0, 1, 1, 101, kInUnit), 100 + kInUnit);  // another group's, in one unit
  EXPECT_EQ(times.begin(0, 0, 1, 103, kInUnit), 103u);           // of the first, in the others
  EXPECT_EQ(times.begin(0, 1, 1, 103, kInUnit), 100 + kInUnit);
  EXPECT_EQ(times.begin(0, 0, 2, 104, kInUnit), 103 + 2 * kInUnit - 3);
}

TEST(GroupTimes, CountsHowOftenEachWarpHasArrived) {
  GroupTimes times;
  times.arrive(0, 5);
  times.arrive(0, 5);
  EXPECT_EQ(times.arrivals(0, 5), 2u);
  EXPECT_EQ(times.arrivals(0, 4), 0u);
  EXPECT_EQ(times.arrivals(1, 5), 0u);
  times.forget(0);
  EXPECT_EQ(times.arrivals(0, 5), 0u);
}

TEST(GroupTimes, AnotherBlockInTheSamePlaceBeginsAnew) {
  GroupTimes times;
  times.complete(3, 0, 1, 90);
  times.forget(3);
  EXPECT_EQ(times.completed(3, 0, 1), 0u);
}

}  // namespace
}  // namespace heddle::simulator::timing
