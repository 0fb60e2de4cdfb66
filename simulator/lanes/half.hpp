// 16-bit floats: FP16 and BF16 to and from FP32.
#pragma once

#include "simulator/lanes/rounding.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

enum class Half { fp16, bf16 };

// Exact; NaNs keep their payload.
template <Half kFormat>
inline u32 widened(u32 half) {
  if constexpr (kFormat == Half::bf16) return half << 16;
  // As a float with the half's exponent field, the value is 2^112 too small, subnormals included.
  const u32 magnitude = half & 0x7fff;
  const u32 scaled = bits_of(as_float(magnitude << 13) * 0x1p112f);
  return (half & 0x8000) << 16 | scaled | (magnitude >= 0x7c00 ? 0x7f800000u : 0);
}

template <Half kFormat>
inline constexpr u32 kExponentMask = kFormat == Half::fp16 ? 0x7c00u : 0x7f80u;

template <Half kFormat, bool kFlush>
inline u32 flushed_half(u32 half) {
  return kFlush && (half & kExponentMask<kFormat>) == 0 ? half & 0x8000 : half;
}

// 1 if what was cut off a magnitude rounds it up. An odd quotient also rounds up at exactly half a
// unit.
template <u32 kRounding>
inline u32 rounds_up(u32 sign, u32 remainder, u32 half_unit, u32 quotient) {
  if constexpr (kRounding == kNearest) return remainder + (quotient & 1) > half_unit ? 1 : 0;
  const u32 away = kRounding == kDown ? sign : kRounding == kUp ? sign ^ 1 : 0;
  return remainder != 0 ? away : 0;
}

// What a finite value beyond the largest becomes: infinity, or the largest where the rounding
// points back.
template <u32 kRounding>
inline u32 overflowed(u32 sign, u32 infinity) {
  if constexpr (kRounding == kNearest) return infinity;
  if constexpr (kRounding == kDown) return infinity - (sign ^ 1);
  if constexpr (kRounding == kUp) return infinity - sign;
  return infinity - 1;
}

// One rounding of a float's bits to a half's.
template <Half kFormat, u32 kRounding>
inline u32 narrowed(u32 bits) {
  const u32 sign = bits >> 31, magnitude = bits & 0x7fffffff;
  constexpr u32 kInfinity = kExponentMask<kFormat>;
  u32 rounded;
  if constexpr (kFormat == Half::bf16) {
    const u32 quotient = magnitude >> 16;
    rounded = quotient + rounds_up<kRounding>(sign, magnitude & 0xffff, 0x8000, quotient);
  } else {
    const u32 exponent = magnitude >> 23;
    const u32 significand = (magnitude & 0x7fffff) | (exponent != 0 ? 0x800000u : 0);
    // Below 2^-14 (exponent 113) the unit stays 2^-24.
    const u32 below = exponent < 113 ? 113 - exponent : 0;
    const u32 shift = 13 + (below < 18 ? below : 18);
    const u32 quotient = significand >> shift, unit = 1u << shift;
    const u32 base = exponent < 113 ? 0 : (exponent - 113) << 10;
    rounded =
        base + quotient + rounds_up<kRounding>(sign, significand & (unit - 1), unit >> 1, quotient);
  }
  const u32 finite = pick(rounded >= kInfinity, overflowed<kRounding>(sign, kInfinity), rounded);
  const u32 result = pick(magnitude == 0x7f800000, kInfinity, finite);
  return pick(magnitude > 0x7f800000, kNan16, sign << 15 | result);
}

// A double rounded to odd as a float: a later rounding to fewer bits is then as good as one.
inline u32 float_bits_odd(double value) {
  const float nearest = static_cast<float>(value);
  const u32 bits = bits_of(nearest);
  const double back = nearest;
  const u32 toward_zero = bits - (__builtin_fabs(back) > __builtin_fabs(value) ? 1 : 0);
  const bool inexact = (back < value) | (back > value);
  return pick(inexact, toward_zero | 1, bits);
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
