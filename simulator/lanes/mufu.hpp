// MUFU, the table-driven special functions (SASS-FACTS 3.7).
#pragma once

#include "simulator/lanes/float64.hpp"
#include "simulator/lanes/half.hpp"
#include "simulator/lanes/mufu_tables.hpp"

extern "C" {
double log2(double);
double sin(double);
double cos(double);
double tanh(double);
}

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

enum MufuFunction : u32 { kCos, kSin, kEx2, kLg2, kRcp, kRsq, kRcp64h, kRsq64h, kSqrt, kTanh };

// The hardware's truncated square of a 17-bit offset, in units of 2^19: the low partial products
// of each row are dropped before the rest is summed.
inline u32 truncated_square(u32 u) {
  u32 dropped = (u & 1023) * (u & 1023);
  for (u32 b = 0; b < 7; ++b) {
    const u32 low = u & ((1u << (8 - b)) - 1);
    dropped += (u >> (10 + b) & 1) != 0 ? low << (b + 11) : 0;
  }
  return static_cast<u32>(u64{u} * u >> 19) - (dropped >> 19);
}

// 2^(j / 2^23), j < 2^23, as a float's bits: a quadratic in each of 64 segments.
inline u32 exp2_of_fraction(u32 j) {
  const u32 segment = j >> 17, u = j & 0x1ffff;
  const u64 sum = (u64{kExp2Coefficients[0][segment]} << 14) + 12228 +
                  2 * u64{kExp2Coefficients[1][segment]} * u +
                  2 * u64{kExp2Coefficients[2][segment]} * truncated_square(u);
  return 0x3f000000u + static_cast<u32>(sum >> 16);
}

// EX2 flushes its input and its output. A negative argument uses the ones' complement of its
// fraction.
inline u32 mufu_ex2(u32 x) {
  const u32 exponent = x >> 23 & 0xff, significand = (x & 0x7fffff) | 0x800000;
  const bool negative = (x & kSign32) != 0;
  if (is_nan32(x)) return kNan32;
  if (exponent >= 127 + 8) return negative ? 0 : 0x7f800000u;
  // |x| in units of 2^-23, truncated; at most 31 bits.
  const u32 right = exponent < 127 ? 127 - exponent : 0, left = exponent < 127 ? 0 : exponent - 127;
  const u32 fixed = exponent == 0 || right > 23 ? 0 : significand >> right << left;
  const u32 whole = fixed >> 23, fraction = fixed & 0x7fffff;
  const bool borrow = negative && fraction != 0;
  const u32 result = exp2_of_fraction(borrow ? 0x7fffff - fraction : fraction);
  const i32 scale =
      negative ? -static_cast<i32>(whole) - (borrow ? 1 : 0) : static_cast<i32>(whole);
  const i32 biased = static_cast<i32>(result >> 23) + scale;
  return biased > 254 ? 0x7f800000u : biased < 1 ? 0 : result + (static_cast<u32>(scale) << 23);
}

// The functions without a proven table: rounded from double precision.
template <u32 kFunction>
inline double special_function(double x) {
  constexpr double kTwoPi = 6.283185307179586;
  if constexpr (kFunction == kCos) return cos(x * kTwoPi);
  if constexpr (kFunction == kSin) return sin(x * kTwoPi);
  if constexpr (kFunction == kLg2) return log2(x);
  if constexpr (kFunction == kRcp || kFunction == kRcp64h) return 1 / x;
  if constexpr (kFunction == kRsq || kFunction == kRsq64h) return 1 / __builtin_sqrt(x);
  if constexpr (kFunction == kSqrt) return __builtin_sqrt(x);
  return tanh(x);
}

template <u32 kFunction>
inline u32 mufu(u32 x) {
  if constexpr (kFunction == kEx2) return mufu_ex2(x);
  const double result = special_function<kFunction>(as_float(x));
  return float_result<false, false>(static_cast<float>(result));
}

template <u32 kFunction>
struct Mufu {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) { return mufu<kFunction>(x.b); }
};

// The high word of a double in, the high word of the result out.
template <u32 kFunction>
struct Mufu64h {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    const double result = special_function<kFunction>(as_double(u64{x.b} << 32));
    return static_cast<u32>(double_result(result) >> 32);
  }
};

// A half is widened, and the result rounded toward zero. k[0]: 16 selects the high half.
template <u32 kFunction>
struct MufuHalf {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 wide = widened<Half::fp16>(x.b >> k[0] & 0xffff);
    return narrowed<Half::fp16, kZero>(mufu<kFunction>(wide));
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
