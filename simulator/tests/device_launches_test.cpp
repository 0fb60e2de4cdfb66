#include "simulator/launch/device_launches.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kCapacity = std::uint64_t{1} << 30;
constexpr DeviceLaunch kSmall{.kernel = 0x1000,
                              .grid = {2, 3, 4},
                              .block = {32, 1, 1},
                              .dynamic_shared_bytes = 0,
                              .parameter_bytes = 100};

constexpr DeviceLaunches::Thread kThread{.block = 0, .thread = 0};

class DeviceLaunchesTest : public testing::Test {
 protected:
  DeviceLaunchesTest() { DeviceLaunches::create(memory_); }
  DeviceMemory memory_{kCapacity};
};

TEST_F(DeviceLaunchesTest, GivesRoomForParametersThatNothingElseHas) {
  DeviceLaunches launches(memory_);
  const std::uint64_t first = launches.prepare(kSmall, kThread),
                      second = launches.prepare(kSmall, kThread);
  ASSERT_NE(first, 0u);
  ASSERT_NE(second, 0u);
  EXPECT_EQ(first % 64, 0u);
  EXPECT_GE(second, first + kSmall.parameter_bytes);
  EXPECT_NE(memory_.view(second, kSmall.parameter_bytes), nullptr);
}

TEST_F(DeviceLaunchesTest, LaunchesOnceWhatWasPrepared) {
  DeviceLaunches launches(memory_);
  const std::uint64_t parameters = launches.prepare(kSmall, kThread);
  EXPECT_FALSE(DeviceLaunches::any(memory_));
  EXPECT_EQ(launches.prepared(parameters)->grid, kSmall.grid);
  EXPECT_FALSE(launches.prepared(parameters + 64));
  EXPECT_FALSE(launches.launch(parameters + 64, 0, kThread));
  EXPECT_FALSE(launches.launch(0, 0, kThread));
  EXPECT_FALSE(launches.launch(~std::uint64_t{0}, 0, kThread));
  EXPECT_TRUE(launches.launch(parameters, 0, kThread));
  EXPECT_FALSE(launches.launch(parameters, 0, kThread));
  EXPECT_TRUE(DeviceLaunches::any(memory_));
}

TEST_F(DeviceLaunchesTest, ConfiguresWhatWasPreparedForItsParametersAlone) {
  DeviceLaunches launches(memory_);
  const std::uint64_t parameters = launches.prepare_bytes(kSmall.parameter_bytes, kThread),
                      few = launches.prepare_bytes(kSmall.parameter_bytes - 1, kThread);
  EXPECT_TRUE(launches.configure(parameters, kSmall));
  EXPECT_EQ(launches.prepared(parameters)->grid, kSmall.grid);
  EXPECT_FALSE(launches.configure(few, kSmall));
  EXPECT_FALSE(launches.configure(parameters + 64, kSmall));
  EXPECT_TRUE(launches.launch(parameters, 0, kThread));
  EXPECT_FALSE(launches.configure(parameters, kSmall));
}

TEST_F(DeviceLaunchesTest, KnowsHowDeepTheGridIsUntilItsLaunchesAreTaken) {
  DeviceLaunches launches(memory_);
  EXPECT_EQ(launches.nesting(), 0u);
  DeviceLaunches::set_nesting(memory_, 24);
  EXPECT_EQ(launches.nesting(), 24u);
}

TEST_F(DeviceLaunchesTest, SaysWhenThereIsNoRoomLeft) {
  DeviceLaunches launches(memory_);
  DeviceLaunch large = kSmall;
  large.parameter_bytes = 1 << 20;
  int given = 0;
  while (launches.prepare(large, kThread) != 0) ++given;
  EXPECT_EQ(given, 7);  // of 8 MiB
}

TEST_F(DeviceLaunchesTest, LimitsHowManyThreadsHaveLaunchesPending) {
  DeviceLaunches::limit_pending(memory_, 3);
  DeviceLaunches launches(memory_);
  const auto launch = [&](std::uint32_t thread, std::uint64_t stream) {
    const std::uint64_t parameters = launches.prepare(kSmall, {.block = 0, .thread = thread});
    return parameters != 0 && launches.launch(parameters, stream, {.block = 0, .thread = thread});
  };
  for (std::uint32_t thread : {0u, 0u, 1u, 1u, 1u, 2u}) EXPECT_TRUE(launch(thread, 0));
  EXPECT_FALSE(launch(3, 0));
  EXPECT_TRUE(launch(2, 0));  // what it launched before counts as begun
}

TEST_F(DeviceLaunchesTest, LimitsTailLaunchesWhoeverMakesThem) {
  DeviceLaunches::limit_pending(memory_, 2);
  DeviceLaunches launches(memory_);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(launches.launch(launches.prepare(kSmall, kThread), kTailLaunchStream, kThread));
  EXPECT_EQ(launches.prepare(kSmall, kThread), 0u);
}

TEST_F(DeviceLaunchesTest, KeepsALastErrorForEachThread) {
  DeviceLaunches launches(memory_);
  launches.set_last_error({.block = 1, .thread = 2}, 9);
  launches.set_last_error({.block = 2, .thread = 1}, 701);
  DeviceLaunches later(memory_);  // all is in memory
  EXPECT_EQ(later.last_error({.block = 1, .thread = 2}), 9u);
  EXPECT_EQ(later.last_error({.block = 2, .thread = 1}), 701u);
  EXPECT_EQ(later.last_error({.block = 1, .thread = 1}), 0u);
  later.set_last_error({.block = 1, .thread = 2}, 0);
  EXPECT_EQ(later.last_error({.block = 1, .thread = 2}), 0u);
}

TEST_F(DeviceLaunchesTest, GivesHandlesThatDiffer) {
  DeviceLaunches launches(memory_);
  const std::uint64_t first = launches.new_handle(), second = launches.new_handle();
  EXPECT_NE(first, second);
  EXPECT_TRUE(launches.is_handle(first));
  EXPECT_TRUE(launches.is_handle(second));
  EXPECT_FALSE(launches.is_handle(second + 1));
  EXPECT_FALSE(launches.is_handle(0x1234));
}

// Device code may have written over anything.
TEST_F(DeviceLaunchesTest, DamageEndsIt) {
  DeviceLaunches launches(memory_);
  const std::uint64_t parameters = launches.prepare(kSmall, kThread);
  launches.set_last_error({.block = 0, .thread = 0}, 9);
  const Allocation* room = memory_.find(parameters);
  ASSERT_NE(room, nullptr);
  std::memset(room->data, 0xff, 4096);
  DeviceLaunches damaged(memory_);
  EXPECT_EQ(damaged.last_error({.block = 0, .thread = 0}), 0u);
  EXPECT_EQ(damaged.prepare(kSmall, kThread), 0u);
  damaged.launch(parameters, 0, kThread);
  damaged.set_last_error({.block = 5, .thread = 0}, 1);
}

// A capsule may have one by this name: to walk its lists would take as long as it is large.
TEST(DeviceLaunches, InRoomOfAnotherSizeThanOursAreNone) {
  DeviceMemory memory(std::uint64_t{1} << 40);
  const auto address =
      memory.allocate(std::uint64_t{1} << 36, ".nv.device_launches", DeviceMemory::Pool::apart);
  ASSERT_TRUE(address);
  std::memset(memory.view(*address, 64), 1, 64);
  DeviceLaunches::create(memory);
  EXPECT_FALSE(DeviceLaunches::any(memory));
  EXPECT_EQ(DeviceLaunches(memory).prepare(kSmall, kThread), 0u);
}

}  // namespace
}  // namespace heddle::simulator
