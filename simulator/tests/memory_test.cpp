#include "simulator/memory.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace heddle::simulator {
namespace {

TEST(DeviceMemory, AddressesFollowFromTheSequenceOfCallsAlone) {
  const auto run = [] {
    DeviceMemory memory(1 << 20);
    std::vector<std::uint64_t> addresses;
    addresses.push_back(*memory.allocate(100, "a"));
    addresses.push_back(*memory.allocate(5000, "b"));
    memory.free(addresses[0]);
    addresses.push_back(*memory.allocate(50, "c"));
    return addresses;
  };
  EXPECT_EQ(run(), run());
  EXPECT_EQ(run()[0], run()[2]) << "freed space is used again";
}

// What is remembered of places that are taken changes no address: each allocation lies at the
// lowest multiple of 512 where its bytes, and one more, are free.
TEST(DeviceMemory, EveryAllocationTakesTheFirstPlaceThatFits) {
  constexpr std::uint64_t kAlignment = 512;
  DeviceMemory memory(1 << 30);
  const std::uint64_t first = *memory.allocate(1, "first");
  memory.free(first);
  std::map<std::uint64_t, std::uint64_t> taken;  // end by address
  const auto lowest_fit = [&](std::uint64_t bytes) {
    std::uint64_t address = first;
    for (const auto& [start, end] : taken) {
      if (address + bytes < start) break;
      address = (end + 1 + kAlignment - 1) / kAlignment * kAlignment;
    }
    return address;
  };
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    if (random() % 3 == 0 && !taken.empty()) {
      const auto chosen = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      ASSERT_TRUE(memory.free(chosen->first));
      taken.erase(chosen);
      continue;
    }
    const std::uint64_t bytes = 1 + random() % (random() % 4 == 0 ? 20'000 : 1500);
    const std::uint64_t expected = lowest_fit(bytes);
    ASSERT_EQ(*memory.allocate(bytes, "a"), expected) << i;
    taken[expected] = expected + bytes;
  }
}

TEST(DeviceMemory, NewMemoryIsZero) {
  DeviceMemory memory(1 << 20);
  const auto address = *memory.allocate(4096, "a");
  const std::byte* view = memory.view(address, 4096);
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(view[i], std::byte{0});
}

TEST(DeviceMemory, ViewEndsWhereTheAllocationEnds) {
  DeviceMemory memory(1 << 20);
  const auto address = *memory.allocate(100, "a");
  EXPECT_NE(memory.view(address + 96, 4), nullptr);
  EXPECT_EQ(memory.view(address + 97, 4), nullptr);
  EXPECT_EQ(memory.view(address - 1, 1), nullptr);
  EXPECT_EQ(memory.view(address, ~std::uint64_t{0}), nullptr);
}

TEST(DeviceMemory, NeighboursNeverTouch) {
  DeviceMemory memory(1 << 20);
  const auto first = *memory.allocate(512, "a");
  memory.allocate(512, "b");
  EXPECT_EQ(memory.find(first + 512), nullptr);
}

TEST(DeviceMemory, CapacityIsALimit) {
  DeviceMemory memory(1000);
  EXPECT_TRUE(memory.allocate(600, "a"));
  EXPECT_FALSE(memory.allocate(600, "b"));
}

TEST(DeviceMemory, NearestNamesTheAllocationAnOverrunLeft) {
  DeviceMemory memory(1 << 20);
  const auto first = *memory.allocate(100, "first");
  const auto second = *memory.allocate(100, "second");
  EXPECT_EQ(memory.nearest(first + 104)->label, "first");
  EXPECT_EQ(memory.nearest(second - 4)->label, "second");
}

TEST(DeviceMemory, HostMemoryIsSeenAtItsOwnAddress) {
  DeviceMemory memory(1 << 20);
  std::vector<std::byte> host(64);
  const auto address = memory.map_host(host.data(), host.size(), "pinned");
  EXPECT_EQ(address, reinterpret_cast<std::uint64_t>(host.data()));
  EXPECT_EQ(memory.view(address + 8, 8), host.data() + 8);
  EXPECT_THROW(memory.map_host(host.data(), host.size(), "again"), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::simulator
