// Products of matrix fragments on the tensor cores (docs/hardware/arithmetic.md; fragments as PTX
// mma.sync describes them).
//
// A warp holds A (16 or 8 rows), B (8 columns) and C. Of each quad of lanes, lane / 4 gives the row
// of A and of C and the column of B; lane % 4 and the register give the place in the row.
#pragma once

#include "simulator/lanes/half.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline constexpr u32 kColumns = 8;

// How registers make up a fragment: `kElements` to a 32-bit register (or to a pair of them),
// `kRowGroups` eights of rows, `kSteps` registers of B.
template <u32 kElements, u32 kRowGroups, u32 kSteps>
struct Fragments {
  static constexpr u32 kRows = 8 * kRowGroups;
  static constexpr u32 kDepth = 4 * kElements * kSteps;
  static constexpr u32 kRegistersOfA = kRowGroups * kSteps;
  static constexpr u32 kRegistersOfC = 2 * kRowGroups;

  // Calls f(row, k, lane, register, element) for every element of A; B is the same with one group.
  template <class F>
  static void for_each_of_a(F&& f) {
    for (u32 r = 0; r < kRegistersOfA; ++r)
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        for (u32 e = 0; e < kElements; ++e)
          f(lane / 4 + 8 * (r % kRowGroups), kElements * (4 * (r / kRowGroups) + lane % 4) + e,
            lane, r, e);
  }
  template <class F>
  static void for_each_of_b(F&& f) {
    for (u32 r = 0; r < kSteps; ++r)
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        for (u32 e = 0; e < kElements; ++e)
          f(lane / 4, kElements * (4 * r + lane % 4) + e, lane, r, e);
  }
  // Calls f(row, column, lane, register) for every element of C.
  template <class F>
  static void for_each_of_c(F&& f) {
    for (u32 r = 0; r < kRegistersOfC; ++r)
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        f(lane / 4 + 8 * (r / 2), 2 * (lane % 4) + r % 2, lane, r);
  }
};

// A float taken apart: value = significand * 2^(exponent - fraction bits). A zero has an exponent
// below any other's.
struct Parts {
  i32 significand, exponent;
};
inline constexpr i32 kExponentOfZero = -0x1000;
inline constexpr i32 kExponentOfSpecial = 0x1000;  // infinities and NaNs

template <u32 kExponentBits, u32 kFractionBits>
inline Parts parts_of(u32 bits) {
  constexpr u32 kTop = (1u << kExponentBits) - 1, kBias = kTop >> 1;
  const u32 field = bits >> kFractionBits & kTop, fraction = bits & ((1u << kFractionBits) - 1);
  const bool negative = (bits >> (kExponentBits + kFractionBits) & 1) != 0;
  const u32 magnitude = fraction | (field != 0 ? 1u << kFractionBits : 0);
  const i32 signed_magnitude = static_cast<i32>(magnitude);
  if (field == kTop) return {negative ? -signed_magnitude : signed_magnitude, kExponentOfSpecial};
  if (magnitude == 0) return {0, kExponentOfZero};
  return {negative ? -signed_magnitude : signed_magnitude,
          static_cast<i32>(field == 0 ? 1 : field) - static_cast<i32>(kBias)};
}

// The formats whose products are added up: how a register is taken apart.
struct Fp16Elements {
  static constexpr u32 kElements = 2, kFraction = 10;
  static Parts parts(u32 word, u32 e) { return parts_of<5, 10>(word >> 16 * e & 0xffff); }
};
struct Bf16Elements {
  static constexpr u32 kElements = 2, kFraction = 7;
  static Parts parts(u32 word, u32 e) { return parts_of<8, 7>(word >> 16 * e & 0xffff); }
};
struct Tf32Elements {  // the low 13 bits of a float are not looked at
  static constexpr u32 kElements = 1, kFraction = 10;
  static Parts parts(u32 word, u32) { return parts_of<8, 10>(word >> 13); }
};

inline u64 shifted_down(u64 value, i32 by) { return by > 63 ? 0 : value >> by; }

// sum * 2^exponent as a float, what does not fit cut off.
inline u32 truncated_to_float(i64 sum, i32 exponent) {
  const u32 sign = sum < 0 ? kSign32 : 0;
  const u64 magnitude = sum < 0 ? u64{0} - static_cast<u64>(sum) : static_cast<u64>(sum);
  if (magnitude == 0) return 0;
  const i32 highest = 63 - __builtin_clzll(magnitude), top = exponent + highest;
  if (top > 127) return sign | 0x7f800000u;
  // The value's unit in the last place: 2^-149 at the least.
  const i32 unit = (top < -126 ? -126 : top) - 23;
  const u64 fraction =
      unit >= exponent ? shifted_down(magnitude, unit - exponent) : magnitude << (exponent - unit);
  const u32 field = top < -126 ? 0 : static_cast<u32>(top + 127);
  return sign | (field << 23) | (static_cast<u32>(fraction) & 0x7fffffu);
}

// The same as an FP16, rounded to nearest even.
inline u32 rounded_to_half(i64 sum, i32 exponent) {
  const u32 sign = sum < 0 ? 0x8000u : 0;
  const u64 magnitude = sum < 0 ? u64{0} - static_cast<u64>(sum) : static_cast<u64>(sum);
  if (magnitude == 0) return 0;
  const i32 highest = 63 - __builtin_clzll(magnitude), top = exponent + highest;
  if (top > 15) return sign | 0x7c00u;
  const i32 lowest = top < -14 ? -14 : top, unit = lowest - 10, cut = unit - exponent;
  u64 fraction = cut <= 0 ? magnitude << -cut : shifted_down(magnitude, cut);
  if (cut > 0 && cut <= 63) {
    const u64 rest = magnitude & ((u64{1} << cut) - 1), half = u64{1} << (cut - 1);
    if (rest > half || (rest == half && (fraction & 1) != 0)) ++fraction;
  }
  const u32 field = top < -14 ? 0 : static_cast<u32>(lowest + 14);  // the hidden bit adds one
  return sign | ((field << 10) + static_cast<u32>(fraction));
}

// Products and C are cut off at a common place below the largest exponent, and added exactly.
// Published models of these units (docs/hardware/arithmetic.md), held against an H200's answers.
// kFormat of the factors; kHalf: C and D are FP16; kGroup products are added at a time, cut off
// kKept bits below the largest exponent.
template <class Format, u32 kGroup, u32 kKept, bool kHalf>
struct FloatDot {
  static constexpr i32 kProductFraction = 2 * static_cast<i32>(Format::kFraction);
  static constexpr i32 kCFraction = kHalf ? 10 : 23;
  static constexpr i32 kBits = static_cast<i32>(kKept);
  static constexpr u32 kTerms = kGroup;

  static Parts parts_of_c(u32 bits) {
    if constexpr (kHalf) return parts_of<5, 10>(bits);
    return parts_of<8, 23>(bits);
  }

  // One group. None of the numbers is special.
  static u32 add(const i32* a, const i32* a_exponent, const i32* b, const i32* b_exponent, u32 c) {
    const Parts addend = parts_of_c(c);
    i32 product[kGroup], exponent[kGroup];
    i32 top = addend.exponent;
    for (u32 k = 0; k < kGroup; ++k) {
      product[k] = a[k] * b[k];
      exponent[k] = a_exponent[k] + b_exponent[k];
      top = exponent[k] > top ? exponent[k] : top;
    }
    i64 sum = 0;
    for (u32 k = 0; k < kGroup; ++k) {
      const i32 away = top - exponent[k];
      const i32 sign = product[k] >> 31;
      const i32 magnitude = (product[k] ^ sign) - sign;
      const i32 kept = magnitude << (kBits - kProductFraction) >> (away > 31 ? 31 : away);
      sum += (kept ^ sign) - sign;
    }
    const i32 away = top - addend.exponent;
    const i64 sign = addend.significand >> 31;
    const i64 magnitude = (addend.significand ^ sign) - sign;
    const i64 kept = magnitude << (kBits - kCFraction) >> (away > 63 ? 63 : away);
    sum += (kept ^ sign) - sign;
    return kHalf ? rounded_to_half(sum, top - kBits) : truncated_to_float(sum, top - kBits);
  }
};

// The sum where an infinity or a NaN is among the numbers; nothing when it is finite after all.
struct SpecialSum {
  bool nan = false, positive = false, negative = false;

  void note(bool is_nan, bool is_infinite, bool is_negative) {
    nan |= is_nan;
    positive |= is_infinite & !is_negative;
    negative |= is_infinite & is_negative;
  }
  bool any() const { return nan | positive | negative; }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
