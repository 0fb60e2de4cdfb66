#include "simulator/execute/row_layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle::simulator {
namespace {

LoweredProgram naming(unsigned registers, unsigned uniform_registers) {
  LoweredProgram program;
  program.rows_to_clear = registers;
  program.uniform_rows_to_clear = uniform_registers;
  return program;
}

// Rows that warps at that distance can touch, by their places in memory; false where two share one.
bool share_no_row(const LoweredProgram& program, std::size_t distance) {
  constexpr std::size_t kWarps = 32;
  std::set<std::size_t> taken;
  bool apart = true;
  const auto take = [&](std::size_t place) { apart = taken.insert(place).second && apart; };
  for (std::size_t warp = 0; warp < kWarps; ++warp) {
    for (std::size_t row = 0; row <= program.rows_to_clear && row < kDiscardRow; ++row)
      take(warp * distance + row);
    for (std::size_t row = kDiscardRow; row < kUniformRow; ++row) take(warp * distance + row);
    for (std::size_t row = 0; row <= program.uniform_rows_to_clear && row < isa::kUniformRegisters;
         ++row)
      take(warp * distance + kUniformRow + row);
    for (std::size_t row = kUniformRow + isa::kUniformRegisters; row < kRowsPerWarp; ++row)
      take(warp * distance + row);
  }
  return apart;
}

TEST(RowLayout, WarpsShareNoRowThatTheProgramTouches) {
  for (const unsigned registers : {1u, 16u, 40u, 100u, 168u, 254u})
    for (const unsigned uniform : {1u, 16u, 30u, 62u}) {
      const LoweredProgram program = naming(registers, uniform);
      EXPECT_TRUE(share_no_row(program, interleaved_rows(program))) << registers << ' ' << uniform;
    }
}

TEST(RowLayout, ProgramsThatNameFewRowsTakeAFractionOfTheRoom) {
  EXPECT_LE(interleaved_rows(naming(32, 20)), kRowsPerWarp / 3);
  EXPECT_EQ(interleaved_rows(naming(254, 79)), kRowsPerWarp);
}

TEST(RowLayout, TheLastWarpsRowsAreAllThere) {
  EXPECT_EQ(words_of_rows(1, 10), kRowsPerWarp * kWarpSize);
  EXPECT_EQ(words_of_rows(3, 10), (kRowsPerWarp + 20) * kWarpSize);
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
