#include "simulator/timing/memory_pipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::simulator::timing {
namespace {

using ::testing::ElementsAre;

Constants constants() {
  Constants c;
  c.sub_cores = 4;
  c.mio_queue_entries = 2;
  c.lsu_shared_interval = 1;
  return c;
}

// Sixteen passes of the shared unit; the sub-core itself needs twice as long.
PipeWork conflict(Cycle ready, std::uint32_t token) {
  return {.ready = ready,
          .address_busy = 2,
          .shared_busy = 16,
          .own_busy = 32,
          .places = 4,
          .token = token};
}

std::vector<Cycle> begins(MemoryPipe& pipe) {
  std::vector<Cycle> times;
  while (pipe.next_event() != kNever)
    for (const MemoryPipe::Taken& taken : pipe.advance(pipe.next_event()))
      times.push_back(taken.begin);
  return times;
}

TEST(MemoryPipe, TakesAnInstructionAtOnceWhenNothingIsInTheWay) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  EXPECT_EQ(pipe.enter(0, conflict(4, 0)), 4u);
  EXPECT_EQ(pipe.enter(1, conflict(20, 1)), 20u);
  EXPECT_EQ(pipe.next_event(), kNever);
}

TEST(MemoryPipe, ASubCoreAloneIsHalfAsFastAsTheSharedUnit) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  EXPECT_EQ(pipe.enter(0, conflict(4, 0)), 4u);
  EXPECT_EQ(pipe.enter(0, conflict(5, 1)), std::nullopt);
  EXPECT_EQ(pipe.enter(0, conflict(6, 2)), std::nullopt);
  EXPECT_THAT(begins(pipe), ElementsAre(36, 68));
}

TEST(MemoryPipe, TellsWhetherAFullQueueHoldsOnlyGlobalMemorys) {
  const Constants c = constants();  // two places
  MemoryPipe pipe(c);
  const auto enter = [&](bool global) {
    PipeWork work = conflict(4, 0);
    work.is_global = global;
    pipe.enter(0, work);
  };
  enter(true);
  enter(true);
  EXPECT_TRUE(pipe.holds_only_global(0));
  enter(false);
  EXPECT_FALSE(pipe.holds_only_global(0));
  enter(true);
  EXPECT_FALSE(pipe.holds_only_global(0));
  enter(true);
  EXPECT_TRUE(pipe.holds_only_global(0));
}

// A load that finds nothing in L1 needs the unit for its lines alone.
TEST(MemoryPipe, AnInstructionCanLeaveTheSharedUnitSooner) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  EXPECT_EQ(pipe.enter(0, conflict(4, 0)), 4u);
  pipe.leave_at(0, 6);
  EXPECT_EQ(pipe.enter(0, conflict(6, 1)), 6u);
  pipe.hold_until(30);
  pipe.leave_at(0, 8);  // what it is held for stays
  EXPECT_EQ(pipe.enter(0, conflict(9, 2)), std::nullopt);
  EXPECT_THAT(begins(pipe), ElementsAre(30));
}

TEST(MemoryPipe, TimeThatOneSubCoreCannotUseIsAnothers) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  EXPECT_EQ(pipe.enter(0, conflict(4, 0)), 4u);
  EXPECT_EQ(pipe.enter(0, conflict(5, 1)), std::nullopt);
  EXPECT_EQ(pipe.enter(1, conflict(6, 2)), std::nullopt);
  EXPECT_THAT(begins(pipe), ElementsAre(20, 36));  // the later one first: sub-core 0 is not ready
}

TEST(MemoryPipe, AFullQueueHasRoomWhenTheAddressUnitHasTakenFromIt) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  PipeWork work = conflict(4, 0);
  work.places = 1;
  for (work.token = 0; work.token < 4; ++work.token) pipe.enter(0, work);
  // One is served, one stands behind the address unit, two are in the queue.
  Cycle until = 0;
  pipe.advance(6);
  EXPECT_EQ(pipe.made_room(), 1u);
  EXPECT_FALSE(pipe.has_room(0, 6, until));
  EXPECT_EQ(until, kNever);
  pipe.advance(36);
  EXPECT_EQ(pipe.made_room(), 1u);
  EXPECT_TRUE(pipe.has_room(0, 36, until));
}

TEST(MemoryPipe, KeepsTheOrderOfASubCoreHoweverManyHaveGone) {
  Constants c = constants();
  c.mio_queue_entries = 128;
  MemoryPipe pipe(c);
  std::vector<std::uint32_t> entered, taken;
  for (std::uint32_t token = 0; token < 100; ++token) {
    if (!pipe.enter(0, conflict(4 + token, token))) entered.push_back(token);
    if (token % 3 == 2)  // some go while others come, and the queue is never empty
      for (const MemoryPipe::Taken& each : pipe.advance(pipe.next_event()))
        taken.push_back(each.token);
  }
  while (pipe.next_event() != kNever)
    for (const MemoryPipe::Taken& each : pipe.advance(pipe.next_event()))
      taken.push_back(each.token);
  EXPECT_EQ(taken, entered);
  EXPECT_EQ(taken.size(), 99u);
}

// One of a sub-core's instructions is served, one has its own place behind the address unit; the
// others go there as long as all sub-cores together leave room.
TEST(MemoryPipe, SubCoresSharePlacesBehindTheAddressUnits) {
  Constants c = constants();
  c.lsu_own_entries = 1;
  c.mio_queue_entries = 8;
  const auto in_queue = [&](std::uint32_t common, unsigned sub_cores) {
    MemoryPipe pipe(c);
    PipeWork work = conflict(4, 0);
    work.places = 1;
    work.common_places = common;
    for (unsigned sub = 0; sub < sub_cores; ++sub)
      for (work.token = 0; work.token < 6; ++work.token) pipe.enter(sub, work);
    std::size_t addressed = 0;
    pipe.advance(19);
    addressed += pipe.addressed().size();
    return 6 * sub_cores - 1 - addressed;
  };
  EXPECT_EQ(in_queue(0, 1), 4u);
  EXPECT_EQ(in_queue(3, 1), 1u);
  EXPECT_EQ(in_queue(3, 2), 6u);
}

TEST(MemoryPipe, ARoomThatOneSubCoreLeavesIsAnothers) {
  Constants c = constants();
  c.lsu_own_entries = 1;
  MemoryPipe pipe(c);
  PipeWork work = conflict(4, 0);
  work.places = 1;
  work.common_places = 1;
  for (unsigned sub = 0; sub < 2; ++sub)
    for (work.token = 0; work.token < 4; ++work.token) pipe.enter(sub, work);
  EXPECT_EQ(begins(pipe).size(), 7u);  // the first began at once
}

TEST(MemoryPipe, NothingBeginsBeforeItIsLetGo) {
  const Constants c = constants();
  MemoryPipe pipe(c);
  pipe.hold_until(50);
  EXPECT_EQ(pipe.enter(2, conflict(4, 0)), std::nullopt);
  EXPECT_THAT(begins(pipe), ElementsAre(50));
}

}  // namespace
}  // namespace heddle::simulator::timing
