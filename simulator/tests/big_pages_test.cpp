#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator {
namespace {

using Bytes = BigArray<unsigned char>;

bool all_zero(const Bytes& bytes, std::size_t count) {
  return std::all_of(bytes.data(), bytes.data() + count, [](unsigned char c) { return c == 0; });
}

// All of what a launch takes is given back before the next one, which gets the same memory.
TEST(BigPages, WhatWasUsedBeforeIsZeroForWhoWantsThat) {
  constexpr std::size_t kPieces = 24, kBytes = (1 << 20) + 3;
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<Bytes> pieces;
    for (std::size_t i = 0; i < kPieces; ++i) {
      pieces.emplace_back(kBytes, i % 2 == 0 ? Fresh::zeroed : Fresh::anything);
      if (i % 2 == 0) {
        EXPECT_TRUE(all_zero(pieces.back(), kBytes)) << launch << " " << i;
      }
      std::fill_n(pieces.back().data(), kBytes, static_cast<unsigned char>(0xff));
    }
  }
}

// As much as the warps of all SMs take; new memory would be zero.
TEST(BigPages, MemoryOfAnEndedLaunchIsTakenAgain) {
  constexpr std::size_t kPieces = 10, kBytes = 15 << 20;  // nearly a chunk each
  constexpr unsigned char kWritten = 0x5a;
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<Bytes> pieces;
    for (std::size_t i = 0; i < kPieces; ++i) {
      pieces.emplace_back(kBytes, Fresh::anything);
      if (launch > 0) {
        EXPECT_EQ(pieces.back()[0], kWritten) << i;
      }
      pieces.back()[0] = kWritten;
    }
  }
}

}  // namespace
}  // namespace heddle::simulator
