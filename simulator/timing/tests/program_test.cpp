#include "simulator/timing/program.hpp"

#include <gtest/gtest.h>

#include "isa/decoder.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator::timing {
namespace {

Timed timed(std::uint64_t lo, std::uint64_t hi) {
  isa::Program program;
  program.arch = isa::Arch::sm_90;
  isa::Word word;
  word.lo = lo;
  word.hi = hi;
  program.instructions = {isa::decode(isa::Arch::sm_90, word)};
  EXPECT_TRUE(program.instructions[0].has_value());
  return time_program(program, *gpu_model("h200").timing).instructions[0];
}

// As the H200 answered: gpu/kernels/micro/timing/products.cu.
TEST(TimedProgram, MatrixProductsTakeTheUnitAsLongAsColumnsAre) {
  constexpr std::uint64_t kNoCounters = 0x000fe20000000000;
  const auto interval = [&](std::uint64_t lo, std::uint64_t form) {
    return timed(lo, kNoCounters | form).interval;
  };
  constexpr std::uint64_t kHmma = 0x000000242010723c, kImma = 0x0000002420107237,
                          kSparse = 0x00000e0000000000;
  EXPECT_EQ(interval(kHmma, 0x1010), 4);                // HMMA.1688.F32
  EXPECT_EQ(interval(kHmma, 0x85010), 4);               // HMMA.1684.F32.TF32
  EXPECT_EQ(interval(kHmma, 0x1810), 6);                // HMMA.16816.F32
  EXPECT_EQ(interval(kHmma, 0x81010), 6);               // HMMA.1688.F32.TF32
  EXPECT_EQ(interval(kHmma | kSparse, 0x1a10), 6);      // HMMA.SP.16816.F32
  EXPECT_EQ(interval(kHmma | kSparse, 0x5a10), 8);      // HMMA.SP.16832.F32
  EXPECT_EQ(interval(kImma, 0x5410), 4);                // IMMA.8816.S8.S8
  EXPECT_EQ(interval(kImma, 0x405410), 4);              // IMMA.16816.S8.S8
  EXPECT_EQ(interval(kImma, 0x405c10), 6);              // IMMA.16832.S8.S8
  EXPECT_EQ(interval(kImma | kSparse, 0x605510), 8);    // IMMA.SP.16864.S8.S8
  EXPECT_EQ(interval(0x000000242010723d, 0x15410), 6);  // BMMA.168256.AND.POPC
}

TEST(TimedProgram, DoubleMatrixProductsTakeLongerTheDeeperTheyAre) {
  constexpr std::uint64_t kWrite = 0x000e220000000000;  // sets counter 0
  const auto dmma = [&](std::uint64_t form) { return timed(0x000000242010723f, kWrite | form); };
  EXPECT_EQ(dmma(0x0010).interval, 16);  // 8x8x4
  EXPECT_EQ(dmma(0x0010).latency, 26);
  EXPECT_EQ(dmma(0x1010).interval, 16);  // 16x8x4
  EXPECT_EQ(dmma(0x1010).latency, 34);
  EXPECT_EQ(dmma(0x2010).interval, 32);  // 16x8x8
  EXPECT_EQ(dmma(0x2010).latency, 50);
  EXPECT_EQ(dmma(0x3010).interval, 64);  // 16x8x16
}

// Registers that all lanes find the same in do not come by the memory unit.
TEST(TimedProgram, SpecialRegistersOfABlockComeByTheAddressDivergenceUnit) {
  constexpr std::uint64_t kWrite = 0x000e220000000000, kS2r = 0x0000000000007919;
  const auto s2r = [&](std::uint64_t number) { return timed(kS2r, kWrite | number << 8); };
  constexpr std::uint64_t kTidX = 33, kCtaIdX = 37, kLaneId = 0, kLtMask = 57, kCgaCtaId = 136;
  for (const std::uint64_t number : {kTidX, kLaneId, kLtMask})
    EXPECT_EQ(s2r(number).gate, kQueueGate) << number;
  for (const std::uint64_t number : {kCtaIdX, kCgaCtaId}) {
    EXPECT_EQ(s2r(number).gate, kAduGate) << number;
    EXPECT_EQ(s2r(number).latency, 25) << number;
  }
  EXPECT_EQ(timed(0x00000a00ff017b82, kWrite | 0x800).gate, kAduGate);  // LDC R1, c[0x0][0x28]
}

TEST(TimedProgram, CopiesPastL1AreTold) {
  constexpr std::uint64_t kNoCounters = 0x000fe20000000000, kCopy = 0x00000000080a7fae;
  EXPECT_FALSE(timed(kCopy, kNoCounters | 0x0b921c44).is_past_l1);
  EXPECT_TRUE(timed(kCopy, kNoCounters | 0x0b901c44).is_past_l1);
}

}  // namespace
}  // namespace heddle::simulator::timing
