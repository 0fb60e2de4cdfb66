#include "simulator/execute/row_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "simulator/base/big_pages.hpp"
#include "simulator/device/device.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

// Rows that warps at that distance can touch, by their places in memory; false where two share one.
bool share_no_row(const NamedRows& named, std::size_t distance) {
  constexpr std::size_t kWarps = 32;
  std::set<std::size_t> taken;
  bool apart = true;
  const auto take = [&](std::size_t place) { apart = taken.insert(place).second && apart; };
  for (std::size_t warp = 0; warp < kWarps; ++warp) {
    for (std::size_t row = 0; row <= named.registers && row < kDiscardRow; ++row)
      take(warp * distance + row);
    for (std::size_t row = kDiscardRow; row < kUniformRow; ++row) take(warp * distance + row);
    for (std::size_t row = 0; row <= named.uniform_registers && row < isa::kUniformRegisters; ++row)
      take(warp * distance + kUniformRow + row);
    for (std::size_t row = kUniformRow + isa::kUniformRegisters; row < kRowsPerWarp; ++row)
      take(warp * distance + row);
  }
  return apart;
}

TEST(RowLayout, WarpsShareNoRowThatTheKernelTouches) {
  for (const unsigned registers : {1u, 16u, 40u, 100u, 168u, 254u})
    for (const unsigned uniform : {1u, 16u, 30u, 62u}) {
      const NamedRows named{registers, uniform};
      EXPECT_TRUE(share_no_row(named, interleaved_rows(named))) << registers << ' ' << uniform;
    }
}

TEST(RowLayout, KernelsThatNameFewRowsTakeAFractionOfTheRoom) {
  EXPECT_LE(interleaved_rows({32, 20}), kRowsPerWarp / 3);
  EXPECT_EQ(interleaved_rows({254, 79}), kRowsPerWarp);
}

TEST(RowLayout, TheLastWarpsRowsAreAllThere) {
  EXPECT_EQ(words_of_rows(1, 10), kRowsPerWarp * kWarpSize);
  EXPECT_EQ(words_of_rows(3, 10), (kRowsPerWarp + 20) * kWarpSize);
}

// A launch in memory that held something.
class UsedMemory : public testing::Test {
 protected:
  UsedMemory() {
    constexpr std::size_t kBytes = 12 << 20;
    void* const piece = take_from_big_pages(kBytes, Fresh::anything);
    std::memset(piece, 0xff, kBytes);
    give_back_to_big_pages(piece);
    request_.module = &module_;
    request_.kernel = module_.cubin().find_kernel("stream");
    request_.grid = {1, 1, 1};
    request_.block = {256, 1, 1};
    request_.parameters.resize(4 * sizeof(std::uint64_t));
  }
  const LaunchContext& prepare(bool timed) {
    if (timed) options_.settings.timing.emplace();
    prepared_.emplace(device_.model(), device_.memory(), PreparedLaunch::Limits{1 << 10, 1 << 20},
                      request_, options_);
    return prepared_->context();
  }
  static bool is_zero(const Warp& warp, std::size_t first, std::size_t end) {
    return std::all_of(warp.rows + first * kWarpSize, warp.rows + end * kWarpSize,
                       [](std::uint32_t word) { return word == 0; });
  }

  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/benchmarks/kernels/kernels.sm_90.cubin"),
                 "kernels.cubin", device_.memory()};
  LaunchRequest request_;
  LaunchOptions options_;
  std::optional<PreparedLaunch> prepared_;
  Block block_;
};

// The warps of a launch that is timed lie close together.
TEST_F(UsedMemory, WhatAKernelCanTouchIsZeroWhereItIsShown) {
  Core core(prepare(true));
  core.shows_registers = true;
  ASSERT_LT(core.rows_per_warp, kRowsPerWarp);
  core.start_block(block_, 0);
  const NamedRows named{core.launch.kernel->registers, core.launch.kernel->uniform_registers};
  for (const Warp& warp : block_.warps) {
    EXPECT_TRUE(is_zero(warp, 0, named.registers + 1)) << warp.index;
    EXPECT_TRUE(is_zero(warp, kUniformRow, kUniformRow + named.uniform_registers + 1));
    EXPECT_TRUE(is_zero(warp, kUniformRow + isa::kUniformRegisters, kRowsPerWarp)) << warp.index;
  }
}

TEST_F(UsedMemory, AllUniformRegistersAreZeroWhereTheyAreShown) {
  Core core(prepare(false));
  core.shows_registers = true;
  core.start_block(block_, 0);
  for (const Warp& warp : block_.warps)
    EXPECT_TRUE(is_zero(warp, kUniformRow, kRowsPerWarp)) << warp.index;
}

TEST_F(UsedMemory, WhatAKernelMayReadFirstIsZeroAndOtherRegistersAreLeft) {
  for (const bool timed : {true, false}) {
    LaunchContext context = prepare(timed);
    KernelFacts facts = *context.kernel;
    ASSERT_GT(facts.registers, 4u);
    EXPECT_TRUE(facts.rows_read_first.empty());  // compilers see to that
    facts.rows_read_first = {{2, 2}, {kUniformRow + 1, 1}};
    context.kernel = &facts;
    const Core core(context);
    Block block;
    core.start_block(block, 0);
    for (const Warp& warp : block.warps) {
      EXPECT_TRUE(is_zero(warp, 2, 4)) << warp.index;
      EXPECT_TRUE(is_zero(warp, kUniformRow + 1, kUniformRow + 2)) << warp.index;
      EXPECT_TRUE(is_zero(warp, kUniformRow + isa::kUniformRegisters, kRowsPerWarp)) << warp.index;
      EXPECT_FALSE(is_zero(warp, 1, 2)) << warp.index;
      EXPECT_FALSE(is_zero(warp, 4, 5)) << warp.index;
      EXPECT_FALSE(is_zero(warp, kUniformRow + 2, kUniformRow + 3)) << warp.index;
    }
  }
}

// Sixteen at the most share a piece of memory, to the end of which each has all its words.
TEST(RowsAmongOthers, BlocksBeginAtTheirDistanceAndOwnTheirMemory) {
  constexpr std::size_t kWords = 100 * kWarpSize, kApart = 10 * kWarpSize;
  std::vector<RowStorage> blocks(17);
  {
    RowsAmongOthers rows;
    for (RowStorage& block : blocks) rows.give(block, kWords, kApart, 1000);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(blocks[i].size(), kWords);
    EXPECT_EQ(blocks[i].data(), blocks[0].data() + i * kApart);
  }
  EXPECT_NE(blocks[16].data(), blocks[0].data() + 16 * kApart);
  std::ranges::fill(blocks[15], 7u);
  blocks.erase(blocks.begin(), blocks.begin() + 15);
  EXPECT_EQ(blocks[0].data()[kWords - 1], 7u);
}

TEST(RowsAmongOthers, FewBlocksTakeNoMoreThanTheyNeed) {
  RowsAmongOthers rows;
  RowStorage first, second;
  rows.give(first, 100, 10, 1);
  rows.give(second, 100, 10, 1);
  EXPECT_TRUE(second.data() >= first.data() + 100 || first.data() >= second.data() + 100);
}

TEST(LocalStorage, IsZeroWheneverABlockBegins) {
  LocalStorage local;
  local.reset(100);
  EXPECT_EQ(local.bytes(), std::vector<std::byte>(100));
  local.bytes()[7] = std::byte{1};
  EXPECT_EQ(local.bytes()[7], std::byte{1});
  local.reset(50);
  EXPECT_EQ(local.bytes(), std::vector<std::byte>(50));
}

}  // namespace
}  // namespace heddle::simulator
