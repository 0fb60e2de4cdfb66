// Packed half-precision instructions, one lane at a time (docs/hardware/arithmetic.md).
#pragma once

#include "simulator/lanes/float32.hpp"
#include "simulator/lanes/half.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Which halves of a source the two elements take, packed: bits 4:0 the shift of the low element,
// bits 12:8 that of the high one.
inline u32 element(u32 word, u32 shifts, bool high) {
  return word >> (shifts >> (high ? 8 : 0) & 31) & 0xffff;
}

// sum = a + b, and what it lost to rounding: then sum is moved to the odd one of its two
// neighbours (float or double, B its bits), after which any rounding to fewer bits is right.
template <class B, class T>
inline T add_to_odd(T a, T b) {
  const T sum = a + b;
  const T b_part = sum - a;
  const T error = (a - (sum - b_part)) + (b - b_part);
  const B bits = bits_of(sum);
  const B inexact = ((error < 0) | (error > 0)) ? 1 : 0;  // not so for infinities and NaNs
  const B step = ((error > 0) == (sum > 0)) ? B{1} : ~B{0};
  return __builtin_bit_cast(T, bits + (step & (B{0} - (inexact & ~bits & 1))));
}

// a * b + c as a float rounded to odd. The product is exact: of FP16 in a float, of BF16 in a
// double.
template <Half kFormat>
inline float fused_to_odd(u32 a, u32 b, u32 c) {
  if constexpr (kFormat == Half::fp16) {
    const float product = as_float(widened<kFormat>(a)) * as_float(widened<kFormat>(b));
    return add_to_odd<u32>(product, as_float(widened<kFormat>(c)));
  } else {
    const double product = static_cast<double>(as_float(widened<kFormat>(a))) *
                           static_cast<double>(as_float(widened<kFormat>(b)));
    const double addend = as_float(widened<kFormat>(c));
    return as_float(float_bits_odd(add_to_odd<u64>(product, addend)));
  }
}

// Rounds a sum to a half. What is tiny is judged as for FP32, see float_result. .SAT clamps to
// [0, 1], NaN and -0 to +0; .RELU, where its predicate holds (measured), takes negative numbers and
// -0 to +0.
template <Half kFormat, bool kFlush, bool kSaturate, bool kRelu>
inline u32 half_result(float sum, bool rectify) {
  constexpr u32 kOne = kFormat == Half::fp16 ? 0x3c00 : 0x3f80;
  constexpr u32 kTwiceSmallestNormal = kFormat == Half::fp16 ? 0x0800 : 0x0100;
  u32 result = narrowed<kFormat, kNearest>(bits_of(sum));
  if constexpr (kFlush) {
    const u32 twice = narrowed<kFormat, kNearest>(bits_of(sum + sum)) & 0x7fff;
    result = pick(twice < kTwiceSmallestNormal, result & 0x8000, result);
  }
  if constexpr (kSaturate) {
    const u32 limited = pick(result > kOne, kOne, result);
    return pick(((result & 0x8000) != 0) | ((result & 0x7fff) > kExponentMask<kFormat>), 0,
                limited);
  }
  if constexpr (kRelu) return pick(((result & 0x8000) != 0) & rectify, 0, result);
  return result;
}

enum class HalfOperation { add, multiply, fused };

// A mode beside 0, which keeps subnormals, 1, FMZ, and 2, FTZ: .OOB makes the result 0 where a
// factor is the NaN that stands for an element outside of a tensor, of either sign. FP16 and BF16
// have the same one (found among all NaNs as the only one that gives the H200's answers to
// fma.rn.oob, 32,768 products).
inline constexpr u32 kOutOfBounds = 3, kOutsideNan = 0x7ff7;

// k[0…2]: element shifts of A, B, C; k[3]: bits of B that are flipped.
template <HalfOperation kOperation, Half kFormat, u32 kMode, bool kSaturate, bool kRelu>
struct Half2 {
  using Sources = sources::Half2;

  static u32 compute(u32 raw_a, u32 raw_b, u32 raw_c, bool rectify) {
    constexpr bool kFlush = kMode == 1 || kMode == 2;
    constexpr u32 kOne = kFormat == Half::fp16 ? 0x3c00 : 0x3f80;
    const u32 a = flushed_half<kFormat, kFlush>(raw_a), b = flushed_half<kFormat, kFlush>(raw_b);
    float sum;
    if constexpr (kOperation == HalfOperation::add) {
      sum = fused_to_odd<kFormat>(a, kOne, b);
    } else {
      const bool zero = kMode == 1 && (((a & 0x7fff) == 0) | ((b & 0x7fff) == 0));
      const u32 c =
          kOperation == HalfOperation::multiply ? 0x8000u : flushed_half<kFormat, kFlush>(raw_c);
      sum = fused_to_odd<kFormat>(zero ? 0 : a, zero ? 0 : b, c);
    }
    const u32 result = half_result<kFormat, kFlush, kSaturate, kRelu>(sum, rectify);
    if constexpr (kMode == kOutOfBounds)
      return pick(((a & 0x7fff) == kOutsideNan) | ((b & 0x7fff) == kOutsideNan), 0, result);
    return result;
  }

  static u32 eval(const Lane& x, const Params& k) {
    const u32 b = x.b ^ k[3];
    const auto of = [&](bool high) {
      return compute(element(x.a, k[0], high), element(b, k[1], high), element(x.c, k[2], high),
                     x.p != 0);
    };
    return of(true) << 16 | of(false);
  }
};

// The second source as one FP32 (its swizzle .F32): both elements take it, the sum is rounded once.
// How ptxas converts a constant to a half up to sm_89; no such GPU was at hand.
template <bool kFlush, bool kSaturate>
struct HalfPlusFloat {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    const float b =
        as_float((x.b & ~0x8000u) | (x.raw_b & 0x8000u));  // its sign is in bit 31 alone
    const auto of = [&](bool high) {
      const u32 a = flushed_half<Half::fp16, kFlush>(element(x.a, k[0], high));
      const float sum = add_to_odd<u32>(as_float(widened<Half::fp16>(a)), b);
      return half_result<Half::fp16, kFlush, kSaturate, false>(sum, false);
    };
    return of(true) << 16 | of(false);
  }
};

// The low element alone, exact sources, rounded to FP32 (.F32).
template <HalfOperation kOperation, u32 kMode, bool kSaturate>
struct HalfToFloat {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    constexpr bool kFlush = kMode != 0;
    const auto value = [&](u32 word, u32 shifts) {
      return as_float(
          widened<Half::fp16>(flushed_half<Half::fp16, kFlush>(element(word, shifts, false))));
    };
    const float a = value(x.a, k[0]), b = value(x.b, k[1]);
    if constexpr (kOperation == HalfOperation::add) return float_result<false, kSaturate>(a + b);
    const bool zero = kMode == 1 && ((a == 0.0f) | (b == 0.0f));
    const float product = zero ? 0.0f : a * b;  // exact
    if constexpr (kOperation == HalfOperation::multiply)
      return float_result<false, kSaturate>(product);
    return float_result<false, kSaturate>(product + value(x.c, k[2]));
  }
};

// How two elements compare, combined with Pp: bits 7:0 of k[2] are 0 AND, 1 OR, 2 XOR, those above
// the comparison.
template <Half kFormat, bool kFlush>
inline bool compare_elements(const Lane& x, const Params& k, bool high) {
  const auto value = [&](u32 word, u32 shifts) {
    return as_float(widened<kFormat>(flushed_half<kFormat, kFlush>(element(word, shifts, high))));
  };
  return compare_floats(value(x.a, k[0]), value(x.b, k[1]), k[2] >> 8);
}

// k[3]: what a true element becomes (1.0, or all ones).
template <Half kFormat, bool kFlush>
struct Hset2 {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    const auto holds = [&](bool high) {
      return combine_flag(compare_elements<kFormat, kFlush>(x, k, high), x.p != 0, k[2] & 0xff);
    };
    return (holds(true) ? k[3] << 16 : 0) | (holds(false) ? k[3] : 0);
  }
};

// Pu from the low elements, Pv from the high ones; with .H_AND Pu from both and Pv from its
// opposite.
template <Half kFormat, bool kFlush, bool kBoth>
struct Hsetp2 {
  using Sources = sources::Half2;
  static WithFlags<Nothing> eval(const Lane& x, const Params& k) {
    const bool p = x.p != 0;
    const u32 bop = k[2] & 0xff;
    const bool low = compare_elements<kFormat, kFlush>(x, k, false);
    const bool high = compare_elements<kFormat, kFlush>(x, k, true);
    if constexpr (kBoth)
      return {{}, combine_flag(low & high, p, bop), combine_flag(!(low & high), p, bop)};
    return {{}, combine_flag(low, p, bop), combine_flag(high, p, bop)};
  }
};

// As FMNMX, on each element.
template <Half kFormat, bool kFlush, bool kPropagateNan, bool kXorSign>
struct Hmnmx2 {
  using Sources = sources::Half2;
  static u32 pick(u32 modified_a, u32 modified_b, u32 signs, bool minimum) {
    const u32 a = flushed_half<kFormat, kFlush>(modified_a);
    const u32 b = flushed_half<kFormat, kFlush>(modified_b);
    const auto is_nan = [](u32 half) { return (half & 0x7fff) > kExponentMask<kFormat>; };
    const u32 picked = (order_key(a << 16) < order_key(b << 16)) == minimum ? a : b;
    const u32 number = is_nan(a) ? (is_nan(b) ? kNan16 : b) : is_nan(b) ? a : picked;
    const u32 result = kPropagateNan && (is_nan(a) | is_nan(b)) ? kNan16 : number;
    return kXorSign && !is_nan(result) ? (result & 0x7fff) | (signs & 0x8000) : result;
  }
  static u32 eval(const Lane& x, const Params& k) {
    const auto of = [&](bool high) {
      const u32 signs = element(x.raw_a, k[0], high) ^ element(x.raw_b, k[1], high);
      return pick(element(x.a, k[0], high), element(x.b, k[1], high), signs, x.p != 0);
    };
    return of(true) << 16 | of(false);
  }
};

// The smallest or the largest of three: of the first two, then of that and the third
// (`three.*` of the instruction probe, on an H200).
template <Half kFormat, bool kFlush, bool kPropagateNan>
struct Vhmnmx {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    const auto pick = Hmnmx2<kFormat, kFlush, kPropagateNan, false>::pick;
    const bool minimum = x.p != 0;
    const auto of = [&](bool high) {
      const u32 of_two = pick(element(x.a, k[0], high), element(x.b, k[1], high), 0, minimum);
      return pick(of_two, element(x.c, k[2], high), 0, minimum);
    };
    return of(true) << 16 | of(false);
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
