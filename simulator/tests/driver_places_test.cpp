#include "simulator/memory/driver_places.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "simulator/memory/memory.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kPiece = 2 << 20;

// Each as an H200 answered the same calls (gpu/runtime/tests/answers/places.cu): pieces and offsets
// of those that do not have a piece of their own.
class Places : public testing::Test {
 protected:
  std::pair<std::uint64_t, std::uint64_t> take(std::uint64_t bytes) {
    taken_.push_back(places_.take(bytes));
    return {taken_.back().piece, taken_.back().offset};
  }
  void give_back(std::size_t which) { places_.give_back(taken_[which]); }
  using At = std::pair<std::uint64_t, std::uint64_t>;
  DriverPlaces places_{kPiece, 512};
  std::vector<DriverPlaces::Place> taken_;
};

TEST_F(Places, SmallOnesLieSideBySide) {
  EXPECT_EQ(take(4), At(0, 0u));
  EXPECT_EQ(take(4), At(0, 0x200u));
  EXPECT_EQ(take(512), At(0, 0x400u));
  EXPECT_EQ(take(513), At(0, 0x600u));
  EXPECT_EQ(take(1000), At(0, 0xa00u));
  EXPECT_EQ(take(4096), At(0, 0xe00u));
  EXPECT_EQ(take(1), At(0, 0x1e00u));
}

TEST_F(Places, WhatDoesNotFitBeginsAnotherPieceAndTheRestIsFilled) {
  EXPECT_EQ(take(1048575), At(0, 0u));
  EXPECT_EQ(take(1048576), At(0, 0x100000u));
  EXPECT_EQ(take(1048577), At(1, 0u));
  EXPECT_EQ(take(1000), At(1, 0x100200u));
  EXPECT_EQ(take(1048576), At(2, 0u));
  EXPECT_EQ(take(1000), At(1, 0x100600u));
  EXPECT_EQ(take(2097152), At(3, 0u));
  EXPECT_EQ(take(2097664).first, DriverPlaces::kAlone);
  EXPECT_EQ(take(1000), At(1, 0x100a00u));
}

TEST_F(Places, TheFirstGapThatIsLargeEnoughIsTaken) {
  for (int i = 0; i < 12; ++i) {
    constexpr std::uint64_t kOffsets[] = {0, 0x61c00, 0xc3800, 0x125400, 0x187000};
    EXPECT_EQ(take(400000), At(i / 5, kOffsets[i % 5]));
  }
  give_back(1);
  give_back(2);
  EXPECT_EQ(take(500000), At(0, 0x61c00u));
  EXPECT_EQ(take(200000), At(0, 0xdbe00u));
  EXPECT_EQ(take(900000), At(2, 0xc3800u));
  EXPECT_EQ(take(100000), At(0, 0x10cc00u));
  give_back(5);
  EXPECT_EQ(take(400000), At(1, 0u));
  EXPECT_EQ(take(1000), At(0, 0x1e8c00u));
}

TEST(DeviceMemoryPlaces, AreTheDriversModuloAPieceAndNoTwoShareOne) {
  DeviceMemory memory(1 << 30);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;  // address and bytes
  constexpr std::uint64_t kSizes[] = {4, 512, 1000, 1048577, 3 << 20, 1000, 2097152, 2097100};
  constexpr std::uint64_t kOffsets[] = {0, 0x200, 0x400, 0x800, 0, 0x100a00, 0, 0};
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    all.emplace_back(*memory.allocate(kSizes[i], "test"), kSizes[i]);
    EXPECT_EQ(all.back().first % kPiece, kOffsets[i]) << i;
  }
  for (const auto& [address, bytes] : all)
    for (const std::uint64_t past : {bytes, bytes + 511, bytes + 512, bytes + 1023}) {
      const Allocation* other = memory.find(address + past);
      EXPECT_EQ(other, nullptr) << bytes << " and " << past;
    }
}

TEST(DeviceMemoryPlaces, OfPoolsDoNotMoveThoseOfOthers) {
  DeviceMemory memory(1 << 30);
  const auto offset = [&](std::uint64_t bytes, DeviceMemory::Pool pool) {
    return *memory.allocate(bytes, "test", pool) % kPiece;
  };
  EXPECT_EQ(offset(1000, DeviceMemory::Pool::plain), 0u);
  EXPECT_EQ(offset(1000, DeviceMemory::Pool::ordered), 0u);
  EXPECT_EQ(offset(100000, DeviceMemory::Pool::ordered), 0x400u);
  EXPECT_EQ(offset(5 << 20, DeviceMemory::Pool::ordered), 0x18c00u);
  EXPECT_EQ(offset(1000, DeviceMemory::Pool::ordered), 0x118c00u);
  EXPECT_EQ(offset(1000, DeviceMemory::Pool::apart), 0u);
  EXPECT_EQ(offset(1000, DeviceMemory::Pool::plain), 0x400u);
}

TEST(DeviceMemoryPlaces, AreMultiplesOfTheAlignmentAskedFor) {
  DeviceMemory memory(1 << 30);
  for (const auto pool : {DeviceMemory::Pool::plain, DeviceMemory::Pool::apart})
    for (const std::uint64_t alignment : {1ULL << 10, 1ULL << 21, 1ULL << 24, 1ULL << 33})
      EXPECT_EQ(*memory.allocate(700, "test", pool, alignment) % alignment, 0u);
  EXPECT_FALSE(memory.allocate(700, "test", DeviceMemory::Pool::apart, 1ULL << 60));
  EXPECT_EQ(memory.used(), 8 * 700u);
}

TEST(DeviceMemoryPlaces, OfWhatWasFreedAreGivenOutAgain) {
  DeviceMemory memory(1 << 30);
  const std::uint64_t first = *memory.allocate(4096, "test");
  const std::uint64_t second = *memory.allocate(4096, "test");
  EXPECT_TRUE(memory.free(first));
  EXPECT_EQ(*memory.allocate(4096, "test"), first);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace heddle::simulator
