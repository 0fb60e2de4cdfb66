#include "simulator/timing/copy_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/execute/machine.hpp"
#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {
namespace {

using ::testing::ElementsAre, ::testing::Field;

constexpr Cycle kHit = 250, kTold = 240, kFirstMap = 70, kSlow = 1000;
constexpr std::uint32_t kRow = 128;

constexpr CopyEngine::Box kRows{kRow};

Constants constants() {
  Constants c;
  c.sub_cores = 4;
  c.interval_box_request = 200;
  c.interval_box_line = 200;
  c.interval_stored_line = 400;
  c.latency_l2_hit = kHit;
  c.latency_box = kTold;
  c.latency_box_cluster = 43;
  c.latency_bulk_store = 38;
  c.latency_first_map = kFirstMap;
  c.latency_membar_copies = 350;
  return c;
}

// Rows of a box, by chunks of 16 bytes.
std::vector<Access> rows(AccessKind kind, std::size_t count, std::uint32_t bytes = kRow) {
  constexpr unsigned kChunk = 16;
  std::vector<Access> accesses;
  for (std::uint64_t at = 0; at < count * bytes; at += kChunk) {
    Access access;
    access.kind = kind;
    access.space = Window::global;
    access.width = kChunk;
    access.lanes = Mask::of(0);
    access.address[0] = 4096 + at;
    accesses.push_back(access);
  }
  return accesses;
}

class CopyEngineTest : public testing::Test {
 protected:
  CopyEngine::Receiver receiver() { return {&engine_, &arrivals_, {.block = &block_}}; }
  // All that it asks for, and L2's answers, `latency` after each request.
  std::vector<Cycle> answer(Cycle latency) {
    while (engine_.next_event() != kNever) engine_.advance(engine_.next_event(), memory_);
    std::vector<Cycle> times;
    for (Request& request : memory_.requests()) {
      times.push_back(request.time);
      request.done = request.time + latency;
    }
    engine_.collect(memory_.requests(), 0);
    memory_.requests().clear();
    return times;
  }

  static constexpr auto read = Request::Kind::read, prefetch = Request::Kind::prefetch;
  struct Asked {
    Request::Kind kind = read;
    LineNumber line = 0;
    SectorMask sectors = 0, brings = 0;
    bool operator==(const Asked&) const = default;
  };
  std::vector<Asked> asked() {
    while (engine_.next_event() != kNever) engine_.advance(engine_.next_event(), memory_);
    std::vector<Asked> all;
    for (const Request& each : memory_.requests())
      all.push_back({each.kind, each.line, each.sectors, each.brings});
    return all;
  }

  const Constants constants_ = constants();
  Block block_;
  LoadStoreUnit memory_{constants_, 0};
  CopyEngine engine_{constants_};
  LateArrivals arrivals_;
  Timed run_of_bytes_, box_;

  void SetUp() override { box_.names_map = true; }
};

TEST_F(CopyEngineTest, LinesFollowOneAnotherAndTheBarrierIsToldOfTheLast) {
  engine_.add(100, run_of_bytes_, rows(AccessKind::load, 3), kRows, {receiver()});
  EXPECT_EQ(engine_.next_event(), 100u);
  EXPECT_THAT(answer(kHit), ElementsAre(100, 102, 104));
  EXPECT_EQ(arrivals_.next_event(), 104 + kTold);
}

TEST_F(CopyEngineTest, LinesAreAskedForFasterThanTheyAreTaken) {
  Constants faster = constants();
  faster.interval_box_request = 100;
  CopyEngine engine(faster);
  engine.add(100, run_of_bytes_, rows(AccessKind::load, 3), kRows, {receiver()});
  while (engine.next_event() != kNever) engine.advance(engine.next_event(), memory_);
  EXPECT_THAT(memory_.requests(),
              ElementsAre(Field(&Request::time, 100), Field(&Request::time, 101),
                          Field(&Request::time, 102)));
}

TEST_F(CopyEngineTest, ALateLineHoldsNoneBackThatWereAskedForAfterIt) {
  engine_.add(100, run_of_bytes_, rows(AccessKind::load, 3), kRows, {receiver()});
  while (engine_.next_event() != kNever) engine_.advance(engine_.next_event(), memory_);
  for (Request& request : memory_.requests()) request.done = request.time + kHit;
  memory_.requests().front().done += kSlow;
  engine_.collect(memory_.requests(), 0);
  EXPECT_EQ(arrivals_.next_event(), 100 + kTold + kSlow);
}

TEST_F(CopyEngineTest, ALinePasses63ThatWereAskedForBeforeIt) {
  for (const std::size_t before : {63, 64}) {
    CopyEngine engine(constants_);
    LateArrivals arrivals;
    engine.add(0, run_of_bytes_, rows(AccessKind::load, before), kRows, {receiver()});
    engine.add(0, run_of_bytes_, rows(AccessKind::load, 1), kRows,
               {{&engine, &arrivals, {.block = &block_}}});
    while (engine.next_event() != kNever) engine.advance(engine.next_event(), memory_);
    for (Request& request : memory_.requests())
      request.done = request.time + kHit + (request.time == 2 * before ? 0 : kSlow);
    engine.collect(memory_.requests(), 0);
    memory_.requests().clear();
    EXPECT_EQ(arrivals.next_event(), kTold + (before == 63 ? 2 * before : kSlow));
  }
}

TEST_F(CopyEngineTest, ACopyBehindAnotherWaitsForItsLinesToBeAskedFor) {
  engine_.add(100, run_of_bytes_, rows(AccessKind::store, 2), kRows, {});
  engine_.add(100, run_of_bytes_, rows(AccessKind::load, 1), kRows, {receiver()});
  EXPECT_THAT(answer(kHit), ElementsAre(138, 142, 146));
}

TEST_F(CopyEngineTest, ShortRowsTakeAsLongAsLines) {
  engine_.add(0, run_of_bytes_, rows(AccessKind::load, 4, 32), {32, 0}, {receiver()});
  EXPECT_THAT(answer(kHit), ElementsAre(0, 2, 4, 6));
}

TEST_F(CopyEngineTest, L2BringsWhatTheMapPromotes) {
  engine_.add(0, box_, rows(AccessKind::load, 1, 32), {32, 0}, {receiver()});
  engine_.add(0, box_, rows(AccessKind::load, 1, 32), {32, 1}, {receiver()});
  engine_.add(0, box_, rows(AccessKind::load, 1, 32), {32, 2}, {receiver()});
  EXPECT_THAT(asked(),
              ElementsAre(Asked{read, 32, 1, 1}, Asked{read, 32, 1, 3}, Asked{read, 32, 1, 15}));
}

TEST_F(CopyEngineTest, Of256BytesTheOtherLineComesIntoL2) {
  engine_.add(0, box_, rows(AccessKind::load, 3), {kRow, 3}, {receiver()});
  EXPECT_THAT(asked(), ElementsAre(Asked{read, 32, 15, 15}, Asked{read, 33, 15, 15},
                                   Asked{read, 34, 15, 15}, Asked{prefetch, 35, 15, 0}));
}

TEST_F(CopyEngineTest, NobodyWaitsForWhatIsPrefetched) {
  engine_.prefetch(0, box_, std::vector<MemoryRun>{{4096 + 96, 64}, {8192, 128}});
  EXPECT_THAT(asked(), ElementsAre(Asked{prefetch, 32, 8, 0}, Asked{prefetch, 33, 1, 0},
                                   Asked{prefetch, 64, 15, 0}));
  engine_.collect(memory_.requests(), 0);
  EXPECT_EQ(arrivals_.next_event(), kNever);
  EXPECT_EQ(engine_.fence(0), 0u);
}

TEST_F(CopyEngineTest, TheFirstMapTakesTime) {
  engine_.add(0, box_, rows(AccessKind::load, 1), kRows, {receiver()});
  engine_.add(500, box_, rows(AccessKind::load, 1), kRows, {receiver()});
  EXPECT_THAT(answer(kHit), ElementsAre(kFirstMap, 500));
}

TEST_F(CopyEngineTest, SeveralBlocksGetLinesThatAreReadOnce) {
  std::vector<Access> twice = rows(AccessKind::load, 2);
  const std::vector<Access> again = twice;
  twice.insert(twice.end(), again.begin(), again.end());
  CopyEngine other(constants_);
  LateArrivals over_there;
  engine_.add(0, run_of_bytes_, twice, kRows,
              {receiver(), {&other, &over_there, {.block = &block_}}});
  EXPECT_THAT(answer(kHit), ElementsAre(0, 2));
  EXPECT_EQ(arrivals_.next_event(), 2 + kTold + 43);
  EXPECT_EQ(over_there.next_event(), 2 + kTold + 43);
}

TEST_F(CopyEngineTest, AFenceWaitsForLoadsGivenBeforeIt) {
  EXPECT_EQ(engine_.fence(0), 0u);
  engine_.add(100, run_of_bytes_, rows(AccessKind::load, 1), kRows, {receiver()});
  const std::uint64_t before = engine_.loads();
  EXPECT_EQ(engine_.fence(110), 350u);
  EXPECT_EQ(engine_.fence(120), 340u);  // the same copies
  EXPECT_EQ(engine_.fence(600), 0u);
  EXPECT_EQ(engine_.complete(before), kNever);
  answer(kSlow);
  EXPECT_EQ(engine_.complete(before), 100 + kSlow - kHit + kTold);
}

TEST_F(CopyEngineTest, WhatLeavesHasBeenReadWhenItsLinesHave) {
  EXPECT_EQ(engine_.add(0, run_of_bytes_, rows(AccessKind::store, 8), kRows, {}), 38 + 8 * 4u);
}

TEST(LateArrivals, TheEarliestIsNext) {
  LateArrivals arrivals;
  Block block;
  EXPECT_EQ(arrivals.next_event(), kNever);
  for (const Cycle time : {30, 10, 20}) arrivals.add(time, {.block = &block, .linear = 1});
  EXPECT_EQ(arrivals.next_event(), 10u);
  arrivals.advance(20);
  EXPECT_EQ(arrivals.next_event(), 30u);
}

}  // namespace
}  // namespace heddle::simulator::timing
