#include "simulator/memory/device_heap.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kHeap = 4096;

TEST(DeviceHeap, GivesBlocksThatDoNotOverlap) {
  DeviceMemory memory(1 << 20);
  DeviceHeap::create(memory, kHeap);
  DeviceHeap heap(memory);
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t at = heap.allocate(40);
    ASSERT_NE(at, 0u);
    EXPECT_EQ(at % 16, 0u);
    EXPECT_TRUE(last == 0 || at >= last + 40);
    last = at;
  }
}

TEST(DeviceHeap, IsWholeAgainWhenAllIsFreed) {
  DeviceMemory memory(1 << 20);
  DeviceHeap::create(memory, kHeap);
  DeviceHeap heap(memory);
  std::vector<std::uint64_t> blocks;
  while (const std::uint64_t at = heap.allocate(100)) blocks.push_back(at);
  EXPECT_EQ(heap.allocate(100), 0u);
  for (std::size_t i = 0; i < blocks.size(); i += 2) EXPECT_TRUE(heap.free(blocks[i]));
  for (std::size_t i = 1; i < blocks.size(); i += 2) EXPECT_TRUE(heap.free(blocks[i]));
  EXPECT_FALSE(heap.free(blocks[0]));
  EXPECT_FALSE(heap.free(blocks[0] + 16));
  EXPECT_NE(heap.allocate(kHeap - 16), 0u);
}

TEST(DeviceHeap, LiesInMemory) {
  DeviceMemory memory(1 << 20);
  DeviceHeap::create(memory, kHeap);
  const std::uint64_t first = DeviceHeap(memory).allocate(64);
  DeviceHeap later(memory);
  EXPECT_NE(later.allocate(64), first);
  EXPECT_TRUE(later.free(first));
}

// Device code may have written over anything.
TEST(DeviceHeap, DamageEndsIt) {
  DeviceMemory memory(1 << 20);
  DeviceHeap::create(memory, kHeap);
  const std::uint64_t first = DeviceHeap(memory).allocate(64);
  std::memset(memory.view(first, 96), 0xff, 96);
  DeviceHeap heap(memory);
  EXPECT_TRUE(heap.free(first));
  EXPECT_EQ(heap.allocate(1000), 0u);
}

// A heap of zeros would be a block every 16 bytes.
TEST(DeviceHeap, ABlockWithoutBytesIsDamage) {
  DeviceMemory memory(1 << 20);
  DeviceHeap::create(memory, kHeap);
  const std::uint64_t first = DeviceHeap(memory).allocate(64),
                      second = DeviceHeap(memory).allocate(64);
  std::memset(memory.view(first - 16, 16), 0, 16);  // its header
  DeviceHeap heap(memory);
  EXPECT_FALSE(heap.free(second));
  EXPECT_EQ(heap.allocate(16), 0u);
}

}  // namespace
}  // namespace heddle::simulator
