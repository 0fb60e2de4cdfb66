// States of warps: the same number for whatever lanes, and a track that goes on as the one before.
#include "simulator/checks/hazard_states.hpp"

#include <gtest/gtest.h>

namespace heddle::simulator::checks {
namespace {

constexpr std::uint8_t kLoads = 2;  // a scoreboard
constexpr Pc kHere{7};

// A load into `place` by these lanes, and an addition into the one behind it.
void load(HazardTrack& track, unsigned place, Mask lanes) {
  ++track.sequence;
  track.counted[kLoads].push_back(track.sequence);
  track.last_count[kLoads] = track.now;
  track.results.lanes[place] = lanes;
  track.results.of[place].set(track, kHere, kLoads, false);
  track.now += 2;
  ++track.sequence;
  track.results.lanes[place + 1] = lanes;
  track.results.of[place + 1].set(track, kHere, timing::kNoScoreboard, true);
  track.now += 4;
}

TEST(HazardStates, DoNotDependOnWhichLanesOrWhenTheyAre) {
  HazardStates states;
  HazardTrack low, high;
  load(low, 4, Mask(0xffff));
  load(low, 8, Mask(0xff));
  high.now = 1000;
  high.sequence = 200;
  load(high, 4, Mask(0xffff0000));
  load(high, 8, Mask(0x0f0f0000));
  const HazardState a = states.find(low, kHere), b = states.find(high, kHere);
  ASSERT_TRUE(a.is_known());
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.group_count, 2u);
  EXPECT_EQ(b.groups[0], Mask(0x0f0f0000));
  EXPECT_EQ(b.groups[1], Mask(0xf0f00000));
  EXPECT_NE(states.find(low, Pc(8)).number, a.number);
  load(high, 12, Mask(1));
  EXPECT_NE(states.find(high, kHere).number, a.number);
}

TEST(HazardStates, ForgetWhatIsDoneOrLongAgo) {
  HazardStates states;
  HazardTrack track;
  const std::uint32_t start = states.find(track, kHere).number;
  load(track, 4, Mask(0xff));
  EXPECT_NE(states.find(track, kHere).number, start);
  track.wait(kLoads, 0);
  track.now += 16;
  EXPECT_EQ(states.find(track, kHere).number, start);
}

TEST(HazardStates, RestoreATrackThatGoesOnAsTheOneBefore) {
  HazardStates states;
  HazardTrack track, restored;
  for (unsigned i = 0; i < 5; ++i) load(track, 4 + 4 * i, Mask(0xffu << i));
  track.wait(kLoads, 3);
  restored.now = 99;
  states.restore(states.find(track, kHere), restored);
  for (const std::size_t left : {2, 1, 0}) {
    EXPECT_EQ(states.find(track, kHere).number, states.find(restored, kHere).number) << left;
    EXPECT_EQ(states.find(track, kHere).groups, states.find(restored, kHere).groups) << left;
    for (HazardTrack* each : {&track, &restored}) {
      load(*each, 40, Mask(1));
      each->wait(kLoads, left);
    }
  }
}

TEST(HazardStates, FollowALearnedEventByOtherLanes) {
  HazardStates states;
  HazardTrack track;
  HazardState low = states.find(track, Pc(~0u)), high = low;
  ASSERT_EQ(low.number, HazardState::kStart);
  const HazardEvent event{kHere, kHere, Mask(0xff), Mask(0x0f)};
  EXPECT_FALSE(states.advance(low, event));
  load(track, 4, Mask(0x0f));
  const HazardState learned = states.learn(low, event, track);
  ASSERT_TRUE(states.advance(low, event));
  EXPECT_EQ(low.number, learned.number);
  EXPECT_EQ(low.groups, learned.groups);
  ASSERT_TRUE(states.advance(high, {kHere, kHere, Mask(0xff00), Mask(0xa500)}));
  EXPECT_EQ(high.number, learned.number);
  EXPECT_EQ(high.groups[0], Mask(0xa500));
  // Where all active lanes are on something else happens.
  HazardState all;
  EXPECT_FALSE(states.advance(all, {kHere, kHere, Mask(0xff), Mask(0xff)}));
}

TEST(HazardStates, HaveNoNumberForTooManyGroups) {
  HazardStates states;
  HazardTrack track;
  for (unsigned i = 0; i <= HazardState::kMostGroups; ++i) load(track, 4 + 2 * i, Mask(1u << i));
  EXPECT_FALSE(states.find(track, kHere).is_known());
}

}  // namespace
}  // namespace heddle::simulator::checks
