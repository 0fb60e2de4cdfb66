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

TEST(TensorUnit, AProductIsCompleteBehindThoseIssuedBeforeIt) {
  const Constants c = constants();
  TensorUnit unit(c);
  EXPECT_EQ(unit.issue(product(), 100), 100 + kBegins + kInUnit + kDone);
  EXPECT_EQ(unit.issue(product(), 104), 100 + kBegins + 2 * kInUnit + kDone);
  EXPECT_EQ(unit.issue(product(), 1000), 1000 + kBegins + kInUnit + kDone);
}

TEST(TensorUnit, WhatFetchesOperandsForLongerDelaysTheNextProductNotItsOwnEnd) {
  const Constants c = constants();
  TensorUnit unit(c);
  Timed narrow = product();
  narrow.columns_time = 4;
  narrow.interval = 18;
  EXPECT_EQ(unit.issue(narrow, 0), kBegins + 4 + kDone);
  EXPECT_EQ(unit.issue(narrow, 4), kBegins + 18 + 4 + kDone);
}

TEST(TensorUnit, ItsQueueTakesAnotherProductWhenTheOneSixBeforeHasBegun) {
  const Constants c = constants();
  TensorUnit unit(c);
  for (Cycle i = 0; i < 6; ++i) {
    EXPECT_LE(unit.room(), i);
    unit.issue(product(), i);
  }
  EXPECT_EQ(unit.room(), kBegins);
  unit.issue(product(), unit.room());
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

TEST(GroupTimes, AnotherBlockInTheSamePlaceBeginsAnew) {
  GroupTimes times;
  times.complete(3, 0, 1, 90);
  times.forget(3);
  EXPECT_EQ(times.completed(3, 0, 1), 0u);
}

}  // namespace
}  // namespace heddle::simulator::timing
