#include "simulator/memory/memory.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "simulator/memory/mapped_around.hpp"
#include "simulator/memory/touched_pages.hpp"

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

// What is remembered of places that are taken changes no address: each allocation has the offset of
// the lowest multiple of 512 where its bytes fit, in the first piece of 2 MiB that has such a
// place; no two are within one stretch of 2 MiB.
TEST(DeviceMemory, EveryAllocationTakesTheFirstPlaceThatFits) {
  constexpr std::uint64_t kUnit = 512, kPiece = 2 << 20;
  DeviceMemory memory(1 << 30);
  std::vector<std::map<std::uint64_t, std::uint64_t>> pieces;  // end by offset
  const auto take = [&](std::uint64_t bytes) {
    for (std::size_t piece = 0;; ++piece) {
      if (piece == pieces.size()) pieces.emplace_back();
      std::uint64_t offset = 0;
      for (const auto& [begin, end] : pieces[piece]) {
        if (offset + bytes <= begin) break;
        offset = (end + kUnit - 1) / kUnit * kUnit;
      }
      if (offset + bytes > kPiece) continue;
      pieces[piece][offset] = offset + bytes;
      return std::pair(piece, offset);
    }
  };
  std::map<std::uint64_t, std::pair<std::size_t, std::uint64_t>> taken;  // place by address
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    if (random() % 3 == 0 && !taken.empty()) {
      const auto chosen = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      ASSERT_TRUE(memory.free(chosen->first));
      pieces[chosen->second.first].erase(chosen->second.second);
      taken.erase(chosen);
      continue;
    }
    const std::uint64_t bytes = 1 + random() % (random() % 4 == 0 ? 20'000 : 1500);
    const auto place = take(bytes);
    const std::uint64_t address = *memory.allocate(bytes, "a");
    ASSERT_EQ(address % kPiece, place.second) << i;
    const auto next = taken.emplace(address, place).first;
    if (next != taken.begin()) {
      ASSERT_LT(std::prev(next)->first / kPiece, address / kPiece) << i;
    }
    if (std::next(next) != taken.end()) {
      ASSERT_GT(std::next(next)->first / kPiece, address / kPiece) << i;
    }
  }
  EXPECT_GT(pieces.size(), 1u);
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

// Every launch asks for them: however much else there is, none of it is looked at.
TEST(DeviceMemory, MemoryThatNoProgramAskedForIsFoundByItsName) {
  DeviceMemory memory(1 << 20);
  memory.allocate(100, "cudaMalloc");
  EXPECT_EQ(memory.find_named(".nv.textures"), nullptr);
  const auto first = *memory.allocate(100, ".nv.textures", DeviceMemory::Pool::apart);
  const auto second = *memory.allocate(100, ".nv.textures", DeviceMemory::Pool::apart);
  memory.allocate(100, ".nv.textures2");
  ASSERT_NE(memory.find_named(".nv.textures"), nullptr);
  EXPECT_EQ(memory.find_named(".nv.textures")->address, first);
  memory.free(first);
  EXPECT_EQ(memory.find_named(".nv.textures")->address, second);
  memory.free(second);
  EXPECT_EQ(memory.find_named(".nv.textures"), nullptr);
}

TEST(DeviceMemory, AnAllocationCanHaveAnAddressThatIsFree) {
  DeviceMemory memory(1 << 30);
  const std::uint64_t frame = 2 << 20, first = *memory.allocate(100, "first");
  const std::uint64_t wanted = first / frame * frame + 64 * frame;
  EXPECT_EQ(memory.allocate_at(wanted, 2 * frame, "there"), wanted);
  EXPECT_EQ(memory.find(wanted + frame)->label, "there");
  EXPECT_FALSE(memory.allocate_at(wanted + frame, frame, "taken"));
  EXPECT_FALSE(memory.allocate_at(wanted + 8 * frame + 512, frame, "not at a frame"));
  EXPECT_FALSE(memory.allocate_at(0, frame, "nowhere"));
  // Others lie elsewhere from now on.
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(memory.allocate(frame, "other"));
}

// docs/experiments/allocations.md
TEST(DeviceMemory, FreedMemoryIsReachedWhileItsNeighbourLives) {
  constexpr std::uint64_t kSizes[] = {1, 512, 4096, 1 << 20, (2 << 20) - 512};
  for (const std::uint64_t bytes : kSizes) {
    DeviceMemory memory(1 << 30);
    const std::uint64_t freed = *memory.allocate(bytes, "a"),
                        neighbour = *memory.allocate(512, "b");
    *memory.view(freed, 1) = std::byte{7};
    ASSERT_TRUE(memory.free(freed));
    EXPECT_EQ(memory.used(), 512u);
    EXPECT_EQ(memory.find(freed), nullptr);
    EXPECT_FALSE(memory.free(freed));
    for (const std::uint64_t address : {freed, freed + bytes - 1, freed + bytes + 4}) {
      const auto reached = reached_memory(memory, address);
      ASSERT_TRUE(reached) << bytes;
      EXPECT_EQ(reached->allocated, 0u);
    }
    EXPECT_EQ(*reached_memory(memory, freed)->data, std::byte{7});
    memory.free(neighbour);
    EXPECT_FALSE(reached_memory(memory, freed)) << bytes;
  }
}

TEST(DeviceMemory, FreedMemoryIsGoneThatHadFramesOfItsOwn) {
  for (const std::uint64_t bytes : {2 << 20, (2 << 20) + 4, 3 << 20, 33 << 20}) {
    DeviceMemory memory(1 << 30);
    const std::uint64_t freed = *memory.allocate(bytes, "a");
    ASSERT_TRUE(memory.allocate(512, "b"));
    memory.free(freed);
    EXPECT_FALSE(reached_memory(memory, freed)) << bytes;
  }
}

// The same bytes of the driver's frame are another allocation's then.
TEST(DeviceMemory, FreedMemoryIsGoneWhenItsPlaceIsTakenAgain) {
  DeviceMemory memory(1 << 30);
  const std::uint64_t first = *memory.allocate(4096, "a"), second = *memory.allocate(4096, "b"),
                      third = *memory.allocate(4096, "c");
  ASSERT_TRUE(memory.allocate(512, "d"));
  for (const std::uint64_t address : {first, second, third}) memory.free(address);
  const std::uint64_t over_two = *memory.allocate(4608, "e");
  EXPECT_EQ(over_two % (2 << 20), first % (2 << 20));
  EXPECT_FALSE(reached_memory(memory, second));
  EXPECT_TRUE(reached_memory(memory, third));
}

TEST(DeviceMemory, FreedMemoryIsGoneWhenItsAddressIsAskedFor) {
  DeviceMemory memory(1 << 30);
  const std::uint64_t freed = *memory.allocate(4096, "a");
  ASSERT_TRUE(memory.allocate(512, "b"));
  memory.free(freed);
  ASSERT_TRUE(reached_memory(memory, freed));
  ASSERT_EQ(memory.allocate_at(freed, 4096, "c"), freed);
  EXPECT_EQ(reached_memory(memory, freed)->allocated, 4096u);
  EXPECT_TRUE(memory.free(freed));
  EXPECT_FALSE(reached_memory(memory, freed));
}

TEST(DeviceMemory, HostVisibleMemoryIsReachedToTheEndOfItsPage) {
  DeviceMemory memory(1 << 30);
  const std::uint64_t address = *memory.allocate_host_visible(1, "pinned");
  const auto reached = reached_memory(memory, address + 4);
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->allocated, 1u);
  EXPECT_EQ(reached->bytes, 4096u);
  EXPECT_FALSE(reached_memory(memory, address + 4096));
}

TEST(DeviceMemory, HostMemoryIsSeenAtItsOwnAddress) {
  DeviceMemory memory(1 << 20);
  std::vector<std::byte> host(64);
  const auto address = memory.map_host(host.data(), host.size(), "pinned");
  EXPECT_EQ(address, reinterpret_cast<std::uint64_t>(host.data()));
  EXPECT_EQ(memory.view(address + 8, 8), host.data() + 8);
  EXPECT_THROW(memory.map_host(host.data(), host.size(), "again"), std::invalid_argument);
}

TEST(DeviceMemory, RegisteredMemoryIsAllowedAsFarAsTheProgramAllowsItNow) {
  constexpr std::uint64_t kPage = 4096;
  DeviceMemory memory(1 << 20);
  EXPECT_EQ(memory.registered().bytes, 0u);
  void* const mapped =
      mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const pages = static_cast<std::byte*>(mapped);
  using enum DeviceMemory::Registered;
  const auto address = memory.map_host(pages + 100, 4 * kPage - 100, "registered", yes);
  EXPECT_EQ(memory.registered().address, address);
  const Allocation& all = *memory.find(address);
  EXPECT_EQ(memory.allowed(all, address, true).bytes, 4 * kPage - 100);
  mprotect(pages + kPage, kPage, PROT_READ);
  munmap(pages + 2 * kPage, kPage);
  EXPECT_EQ(memory.allowed(all, address, true).bytes, 4 * kPage - 100);  // as it was
  memory.forget_rights();
  EXPECT_EQ(memory.allowed(all, address, true).bytes, kPage - 100);
  EXPECT_EQ(memory.allowed(all, address, false).bytes, 2 * kPage - 100);
  EXPECT_EQ(memory.allowed(all, address + kPage, true).bytes, 0u);
  EXPECT_EQ(memory.allowed(all, address + 2 * kPage, false).bytes, 0u);
  EXPECT_EQ(memory.allowed(all, address + 3 * kPage, true).data, pages + 3 * kPage);
  std::uint64_t readable = 0;
  for_each_touched(all, [&](std::uint64_t, auto bytes) { readable += bytes.size(); });
  EXPECT_GT(readable, 2 * kPage);
  EXPECT_LT(readable, 3 * kPage);
  memory.free(address);
  EXPECT_EQ(memory.registered().bytes, 0u);
  munmap(mapped, 4 * kPage);
}

// As threads of a program can have it.
TEST(DeviceMemory, WhatWasTouchedIsVisitedOnASmallStack) {
  constexpr std::size_t kStack = 64 << 10, kBytes = 64 << 20;
  DeviceMemory memory(1 << 30);
  const Allocation& all = *memory.find(*memory.allocate(kBytes, "large"));
  all.data[kBytes / 2] = std::byte{1};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  const auto visit = [](void* in) -> void* {
    std::uint64_t visited = 0;
    for_each_touched(*static_cast<const Allocation*>(in),
                     [&](std::uint64_t, auto bytes) { visited += bytes.size(); });
    return reinterpret_cast<void*>(visited);
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, visit, const_cast<Allocation*>(&all)), 0);
  void* visited = nullptr;
  pthread_join(thread, &visited);
  EXPECT_NE(visited, nullptr);
  pthread_attr_destroy(&attributes);
}

// A program can register memory at any address; replayed, it is an allocation there.
TEST(DeviceMemory, ReplayedAllocationsAreAlignedOnTheHostAsTheirAddressesAre) {
  constexpr std::uint64_t kWidest = 16, kBytes = 10'000;
  DeviceMemory memory(std::uint64_t{1} << 40);
  for (const std::uint64_t address : {0x1a5d'b600'0005, 0x1a5d'b800'000b, 0x7000'1234'5678}) {
    memory.place_next({{address, 0}});
    ASSERT_EQ(memory.allocate(kBytes, "registered"), address);
    const auto at = [](const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); };
    EXPECT_EQ(at(memory.view(address, 1)) % kWidest, address % kWidest);
    const auto behind = memory.around(address + 3 * kBytes);
    EXPECT_EQ(behind.has_value(), address < 0x2000'0000'0000);  // those of host memory have none
    if (behind) {
      EXPECT_EQ(at(behind->data) % kWidest, behind->address % kWidest);
    }
    EXPECT_TRUE(memory.free(address));
  }
}

// Replayed, what was memory of the host is an allocation at its address.
TEST(DeviceMemory, HostVisibleMemoryLiesWhereNoReplayedAllocationDoes) {
  constexpr std::uint64_t kBytes = 4 << 20;
  const auto first = [] { return *DeviceMemory(1 << 30).allocate_host_visible(8, "pinned"); };
  const std::uint64_t usual = first();
  ASSERT_EQ(first(), usual);
  DeviceMemory memory(1 << 30);
  memory.place_next({{usual, 0}});
  ASSERT_EQ(memory.allocate(kBytes, "replayed"), usual);
  const std::uint64_t apart = *memory.allocate_host_visible(8, "pinned");
  EXPECT_GE(apart - usual, kBytes);
  EXPECT_NE(memory.view(apart, 8), nullptr);
}

TEST(DeviceMemory, OfAReplayedAllocationAtAnOddAddressWhatWasTouchedIsVisited) {
  constexpr std::uint64_t kPage = 4096, kAddress = 0x1a5d'b600'0005;
  DeviceMemory memory(std::uint64_t{1} << 40);
  memory.place_next({{kAddress, 0}});
  ASSERT_TRUE(memory.allocate(std::uint64_t{1} << 37, "large"));
  const Allocation& large = *memory.find(kAddress);
  const std::uint64_t written = (std::uint64_t{1} << 36) - 1;  // the last byte of a page
  large.data[written] = std::byte{1};
  std::uint64_t visited = 0;
  bool found = false;
  for_each_touched(large, [&](std::uint64_t offset, auto bytes) {
    EXPECT_EQ(offset % kPage, 0u);
    visited += bytes.size();
    found |= written - offset < bytes.size();
  });
  EXPECT_TRUE(found);
  EXPECT_LE(visited, 2 * kPage);
}

}  // namespace
}  // namespace heddle::simulator
