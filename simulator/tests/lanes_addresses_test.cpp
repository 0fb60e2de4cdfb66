// All lanes' addresses at once, in every vector unit this processor has, beside plain arithmetic.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {
namespace {

using Row = std::array<std::uint32_t, kWarpSize>;
using Addresses = std::array<std::uint64_t, kWarpSize>;

std::vector<AddressFunctions> functions() {
  std::vector<AddressFunctions> all;
  for (const Variant& variant : variants())
    if (variant.supported) all.push_back(variant.addresses);
  return all;
}

Row random_row(std::mt19937_64& random) {
  Row row;
  for (std::uint32_t& word : row) word = static_cast<std::uint32_t>(random());
  return row;
}

TEST(LaneAddresses, AreTheBaseAndTheScaledWord) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Row low = random_row(random);
    const std::uint64_t base = random();
    const auto shift = static_cast<std::uint32_t>(i % 5);
    for (const AddressFunctions& function : functions()) {
      Addresses address;
      EXPECT_FALSE(
          function.from_words(address.data(), base, low.data(), shift, 4, kFullMask).adjoining());
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        EXPECT_EQ(address[lane], base + (std::uint64_t{low[lane]} << shift));
    }
  }
}

TEST(LaneAddresses, OfPairsAreTheBaseAndBothWords) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Row low = random_row(random), high = random_row(random);
    const std::uint64_t base = random();
    for (const AddressFunctions& function : functions()) {
      Addresses address;
      EXPECT_FALSE(function.from_pairs(address.data(), base, low.data(), high.data(), 4, kFullMask)
                       .adjoining());
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        EXPECT_EQ(address[lane], base + (std::uint64_t{high[lane]} << 32 | low[lane]));
    }
  }
}

TEST(LaneAddresses, AdjoinWhereEachBeginsAtTheEndOfTheOneBefore) {
  // Across a border of 4 GiB too, where the high words change.
  const std::uint64_t first = 0x7'ffff'ffc0;
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u})
    for (unsigned moved = 0; moved <= kWarpSize; ++moved) {  // kWarpSize: none is
      Row low, high;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t at = first + lane * width + (lane == moved ? width : 0);
        low[lane] = static_cast<std::uint32_t>(at);
        high[lane] = static_cast<std::uint32_t>(at >> 32);
      }
      for (const AddressFunctions& function : functions()) {
        Addresses address;
        const auto adjoin = [&](Mask lanes) {
          return function.from_pairs(address.data(), 0, low.data(), high.data(), width, lanes)
              .adjoining();
        };
        EXPECT_EQ(adjoin(kFullMask), moved == kWarpSize) << width << ' ' << moved;
        EXPECT_TRUE(moved == kWarpSize || adjoin(~Mask::of(moved))) << width << ' ' << moved;
      }
    }
}

TEST(LaneAddresses, SpreadAsFarAsThoseOfTheLanesThatAreThere) {
  std::mt19937_64 random(3);
  for (unsigned bits = 1; bits < 32; ++bits) {
    Row low = random_row(random), high = random_row(random);
    const Mask lanes = Mask(static_cast<std::uint32_t>(random())) | Mask::of(bits);
    for (const unsigned lane : lanes) {
      low[lane] &= (1u << bits) - 1;
      high[lane] = 7;
    }
    std::uint64_t spread = 0;
    for (const unsigned lane : lanes) spread |= low[lane] ^ low[lanes.first()];
    for (const AddressFunctions& function : functions()) {
      Addresses address;
      const auto words = function.from_words(address.data(), 0, low.data(), 2, 4, lanes);
      EXPECT_EQ(words.spread, spread << 2);
      const auto pairs = function.from_pairs(address.data(), 0, low.data(), high.data(), 4, lanes);
      EXPECT_EQ(pairs.spread, spread);
    }
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
