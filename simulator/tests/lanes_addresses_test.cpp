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
          function.from_words(address.data(), base, low.data(), shift, 4, kFullMask).is_row);
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
      EXPECT_FALSE(
          function.from_pairs(address.data(), base, low.data(), high.data(), 4, kFullMask).is_row);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        EXPECT_EQ(address[lane], base + (std::uint64_t{high[lane]} << 32 | low[lane]));
    }
  }
}

// The bits in which any address of these lanes differs from the first one's.
std::uint64_t spread_of(const Addresses& address, Mask lanes) {
  std::uint64_t spread = 0;
  for (const unsigned lane : lanes) spread |= address[lane] ^ address[lanes.first()];
  return spread;
}

TEST(LaneAddresses, AreARowWhereEachBeginsAtTheEndOfTheOneBefore) {
  // Across borders of 4 GiB too, where the high words change: of the pairs, and of all addresses.
  for (const std::uint64_t first : {0x7'ffff'ffc0ull, 0x7'ffff'ff81ull, 0x7'0000'0200ull})
    for (const std::uint64_t base : {0ull, 0x40ull, 0x3fff'ffff'e000ull})
      for (const unsigned width : {1u, 2u, 4u, 8u, 16u})
        for (unsigned moved = 0; moved <= kWarpSize; ++moved) {  // kWarpSize: none is
          Row low, high;
          for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const std::uint64_t at = first + lane * width + (lane == moved ? width : 0);
            low[lane] = static_cast<std::uint32_t>(at);
            high[lane] = static_cast<std::uint32_t>(at >> 32);
          }
          for (const AddressFunctions& function : functions())
            for (const Mask lanes : {kFullMask, ~Mask::of(moved % kWarpSize)}) {
              Addresses address;
              const auto pattern =
                  function.from_pairs(address.data(), base, low.data(), high.data(), width, lanes);
              EXPECT_EQ(pattern.is_row, lanes == kFullMask && moved == kWarpSize)
                  << width << ' ' << moved;
              EXPECT_EQ(pattern.spread, spread_of(address, lanes)) << width << ' ' << moved;
              for (unsigned lane = 0; lane < kWarpSize; ++lane)
                EXPECT_EQ(address[lane], base + (std::uint64_t{high[lane]} << 32 | low[lane]));
            }
        }
}

TEST(LaneAddresses, OfWordsAreARowWhereTheirStepsAreAsWideAsAnAccess) {
  for (const unsigned shift : {0u, 1u, 2u, 3u, 4u})
    for (const unsigned width : {1u, 2u, 4u, 8u, 16u})
      for (const unsigned step : {0u, 1u, 2u, 4u, 8u, 16u})
        for (const std::uint32_t first : {0x100u, 0x1f4u, 0xffff'fff8u}) {  // words may wrap
          Row low;
          for (unsigned lane = 0; lane < kWarpSize; ++lane) low[lane] = first + lane * step;
          const bool wraps = low.back() < first;
          for (const AddressFunctions& function : functions()) {
            Addresses address;
            const auto pattern =
                function.from_words(address.data(), 0x30, low.data(), shift, width, kFullMask);
            EXPECT_EQ(pattern.is_row, step << shift == width && !wraps)
                << shift << ' ' << width << ' ' << step;
            EXPECT_EQ(pattern.spread, spread_of(address, kFullMask));
            EXPECT_EQ(address[31], 0x30 + (std::uint64_t{low[31]} << shift));
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
