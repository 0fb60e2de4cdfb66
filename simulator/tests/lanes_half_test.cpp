// Packed half precision against exact arithmetic with one rounding.

#include "simulator/tests/lanes_exact.hpp"
#include "simulator/tests/lanes_harness.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;

constexpr u32 kSwizzles[] = {0, 2, 3};  // H1_H0, H0_H0, H1_H1

u32 element(u32 word, u32 swizzle, bool high) {
  const bool upper = swizzle == 3 || (swizzle == 0 && high);
  return upper ? word >> 16 : word & 0xffff;
}

u32 finished(const FloatFormat& format, u64 bits, bool ftz, bool sat, bool relu) {
  const auto result = static_cast<u32>(ftz ? flush(format, bits) : bits);
  const u32 one = static_cast<u32>(format.bias()) << format.fraction_bits;
  if (sat) {
    if (is_nan(format, result) || (result & 0x8000) != 0) return 0;
    return result > one ? one : result;
  }
  return relu && (result & 0x8000) != 0 ? 0 : result;
}

TEST(LanesHalf, FusedMultiplyAddRoundsOncePerElement) {
  for (u32 form = 0; form < 24; ++form) {
    const bool bf16 = form & 1, sat = form & 2, relu = form & 4;
    const u32 mode = form / 8;
    const FloatFormat& format = bf16 ? kBfloat16 : kBinary16;
    if ((bf16 && (sat || mode != 0)) || (sat && relu)) continue;  // the GPU has no such form
    for (const u32 swizzle : kSwizzles) {
      LaneCase(Op::HFMA2, {{Mod::bf16, bf16},
                           {Mod::sat, sat},
                           {Mod::relu, relu},
                           {Mod::fmz, mode},
                           {Mod::swz_b, swizzle}})
          .inputs(edgy_half2)
          .negate("c")
          .rounds(4)
          .expect([&](const Inputs& in) -> Outputs {
            u64 result = 0;
            for (const bool high : {false, true}) {
              const auto source = [&](u64 bits) { return mode != 0 ? flush(format, bits) : bits; };
              u64 a = source(element(in.a32(), 0, high));
              u64 b = source(element(in.b32(), swizzle, high));
              const u64 c = source(element(in.c32() ^ 0x80008000, 0, high));
              if (mode == 1 && ((a & 0x7fff) == 0 || (b & 0x7fff) == 0)) a = b = 0;
              const u64 sum = exact_fma(format, a, b, c, Round::nearest);
              result |= u64{finished(format, sum, mode != 0, sat, relu && in.p)} << (high ? 16 : 0);
            }
            return {result, {}, {}};
          });
    }
  }
}

TEST(LanesHalf, AddAndMultiplyRoundOnce) {
  for (const bool multiply : {false, true}) {
    LaneCase(multiply ? Op::HMUL2 : Op::HADD2)
        .inputs(edgy_half2)
        .rounds(12)
        .expect([&](const Inputs& in) -> Outputs {
          u64 result = 0;
          for (const bool high : {false, true}) {
            const u32 a = element(in.a32(), 0, high), b = element(in.b32(), 0, high);
            const u64 value = multiply ? exact_multiply(kBinary16, a, b, Round::nearest)
                                       : exact_add(kBinary16, a, b, Round::nearest);
            result |= value << (high ? 16 : 0);
          }
          return {result, {}, {}};
        });
  }
}

TEST(LanesHalf, SingleOutputRoundsToFp32) {
  LaneCase(Op::HADD2, {{Mod::out_fmt, 1}, {Mod::swz_b, 3}})
      .inputs(edgy_half2)
      .rounds(12)
      .expect([](const Inputs& in) -> Outputs {
        const auto wide = [](u32 half) {
          return exact_convert(kBinary16, half, kBinary32, Round::nearest);
        };
        return {exact_add(kBinary32, wide(in.a32() & 0xffff), wide(in.b32() >> 16), Round::nearest),
                {},
                {}};
      });
}

TEST(LanesHalf, AFloatAsTheSecondSourceOfASumIsRoundedWithIt) {
  // HADD2 R, -RZ.H0_H0, c[…].F32 is how compilers up to sm_89 convert a constant.
  for (const bool negate : {false, true}) {
    LaneCase(Op::HADD2, {{Mod::swz_a, 2}, {Mod::swz_b, 1}})
        .zero("a")
        .negate(negate ? "ab" : "a")
        .rounds(12)
        .expect([&](const Inputs& in) -> Outputs {
          const u32 source = in.b32() ^ (negate ? 0x80000000u : 0);
          const u64 half = exact_convert(kBinary32, source, kBinary16, Round::nearest);
          return {is_nan(kBinary16, half) ? u64{0x7fff7fff} : half << 16 | half, {}, {}};
        });
  }
}

TEST(LanesHalf, MultiplyAddOfZerosMovesAnyTwoHalves) {
  // HFMA2.MMA R, -RZ, RZ, h1, h0 is how compilers write a constant: (-0 * 0) + h.
  LaneCase(Op::HFMA2_MMA)
      .zero("ab")
      .negate("a")
      .inputs(edgy_half2)
      .expect([](const Inputs& in) -> Outputs {
        u64 result = 0;
        for (const u32 shift : {0u, 16u}) {
          const u32 half = in.c32() >> shift & 0xffff;
          result |= u64{is_nan(kBinary16, half) ? 0x7fff : half} << shift;
        }
        return {result, {}, {}};
      });
}

TEST(LanesHalf, ComparesSetBothElements) {
  for (u32 cmp = 0; cmp < 16; ++cmp) {
    const auto compare = [&](u32 a, u32 b) {
      u32 relation = 8;
      if (!is_nan(kBinary16, a) && !is_nan(kBinary16, b)) {
        const auto rank = [](u32 bits) {
          const int magnitude = static_cast<int>(bits & 0x7fff);
          return (bits & 0x8000) != 0 ? -magnitude : magnitude;
        };
        relation = rank(a) < rank(b) ? 1 : rank(a) == rank(b) ? 2 : 4;
      }
      return (cmp & relation) != 0;
    };
    for (const bool both : {false, true}) {
      LaneCase(Op::HSETP2, {{Mod::cmp, cmp}, {Mod::h_and, both}})
          .inputs(edgy_half2)
          .rounds(10)
          .expect([&](const Inputs& in) -> Outputs {
            const bool low = compare(in.a32() & 0xffff, in.b32() & 0xffff);
            const bool high = compare(in.a32() >> 16, in.b32() >> 16);
            if (both) return {{}, low && high && in.p, !(low && high) && in.p};
            return {{}, low && in.p, high && in.p};
          });
    }
    LaneCase(Op::HSET2, {{Mod::cmp, cmp}, {Mod::bf, 1}, {Mod::bop, 1}})
        .inputs(edgy_half2)
        .rounds(10)
        .expect([&](const Inputs& in) -> Outputs {
          const bool low = compare(in.a32() & 0xffff, in.b32() & 0xffff) || in.p;
          const bool high = compare(in.a32() >> 16, in.b32() >> 16) || in.p;
          return {(high ? 0x3c000000u : 0u) | (low ? 0x3c00u : 0u), {}, {}};
        });
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
