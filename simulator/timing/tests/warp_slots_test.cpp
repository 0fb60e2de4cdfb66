#include "simulator/timing/warp_slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace heddle::simulator::timing {
namespace {

// What is due, and when the next is, as a list of times has it.
class Times {
 public:
  Times() { times_.fill(kNever); }
  void sleep(unsigned slot, Cycle until) { times_[slot] = until; }
  Cycle next() const { return *std::ranges::min_element(times_); }
  SlotMask due(Cycle now) const {
    SlotMask due = 0;
    for (unsigned slot = 0; slot < kSlots; ++slot)
      if (times_[slot] <= now) due |= slot_bit(slot);
    return due;
  }

 private:
  std::array<Cycle, kSlots> times_{};
};

TEST(WarpSlots, TimeMayPassWithoutAWarpThatIsDue) {
  WarpSlots slots;
  slots.sleep(0, 40);
  slots.sleep(1, 200);
  slots.pass(39);
  slots.sleep(2, 100);  // near now, and before the one that was far
  EXPECT_EQ(slots.next(), 40u);
  EXPECT_EQ(slots.take_due(40), slot_bit(0));
  EXPECT_EQ(slots.take_due(100), slot_bit(2));
  EXPECT_EQ(slots.take_due(200), slot_bit(1));
}

TEST(WarpSlots, WarpsAreDueAtTheTimesUntilWhichTheySleep) {
  std::mt19937_64 random(1);
  WarpSlots slots;
  Times expected;
  const auto sleep = [&](unsigned slot, Cycle until) {
    slots.sleep(slot, until);
    expected.sleep(slot, until);
  };
  const auto some_time = [&](Cycle now) {
    constexpr std::array<Cycle, 4> kAhead{4, 40, 300, 2000};
    return random() % 8 == 0 ? kNever : now + 1 + random() % kAhead[random() % kAhead.size()];
  };
  for (unsigned i = 0; i < kSlots; ++i) sleep(slots.add(0), some_time(0));
  constexpr int kTurns = 20'000;
  Cycle now = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    // One that sleeps is told of another time.
    sleep(static_cast<unsigned>(random() % kSlots), some_time(now));
    const Cycle next = expected.next();
    ASSERT_LE(slots.next(), next);
    if (next == kNever) continue;
    now = random() % 4 == 0 ? next + random() % 100 : next;
    const SlotMask due = expected.due(now);
    if (const SlotMask known = slots.due_at(now); known != 0) {
      ASSERT_EQ(known, due);
      slots.take_next(now);
    } else {
      ASSERT_EQ(slots.take_due(now), due);
    }
    for_each_slot(due, [&](unsigned slot) { sleep(slot, some_time(now)); });
  }
}

TEST(WarpSlots, ItIsKnownWhoIsDueWhereNobodySleepsLong) {
  WarpSlots slots;
  for (unsigned i = 0; i < 2; ++i) slots.sleep(slots.add(0), 5 + i);
  EXPECT_EQ(slots.next(), 5u);
  EXPECT_EQ(slots.due_at(4), 0u);
  EXPECT_EQ(slots.due_at(5), slot_bit(0));
  EXPECT_EQ(slots.take_due(5), slot_bit(0));
  EXPECT_EQ(slots.next(), 6u);
  EXPECT_EQ(slots.due_at(6), slot_bit(1));
}

}  // namespace
}  // namespace heddle::simulator::timing
