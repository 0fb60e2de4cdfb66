// MUFU, the special-function unit (docs/hardware/arithmetic.md), bit for bit.
//
// Every function reduces its argument to a table of segments, evaluates
//   base + slope * u + curve * Q(u)
// in integers, u being 17 bits of the argument and Q a truncated square, and cuts the sum to 24
// bits. Subnormal arguments and results are flushed to zeros of their sign.
#pragma once

#include "simulator/lanes/half.hpp"
#include "simulator/lanes/mufu_tables.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

enum MufuFunction : u32 { kCos, kSin, kEx2, kLg2, kRcp, kRsq, kRcp64h, kRsq64h, kSqrt, kTanh };

// The square of a 17-bit offset in units of 2^19. The low partial products of each row are dropped
// before the rest is summed.
inline i64 truncated_square(u32 u) {
  u32 dropped = (u & 1023) * (u & 1023);
  for (u32 b = 0; b < 7; ++b) {
    const u32 row = (u & ((1u << (8 - b)) - 1)) << (b + 11);
    dropped += row & (0u - (u >> (10 + b) & 1));
  }
  return static_cast<i64>((u64{u} * u >> 19) - (dropped >> 19));
}

template <unsigned kSegments>
inline i64 interpolated(const mufu_tables::Table<kSegments>& table, u32 segment, u32 u) {
  const u64 index = segment;  // wide, so that gcc makes gathers
  const i64 both = table.slope_and_curve[index];
  return table.base[index] + i64{static_cast<i32>(both)} * static_cast<i64>(u) +
         (both >> 32) * truncated_square(u);
}

// sum * 2^-unit (0 < sum < 2^52) as a float's bits, cut to 24 bits.
inline u32 cut_to_float(i64 sum, u32 unit) {
  // Below 2^52 this subtraction is exact, and the double's leading bits are what is wanted.
  const double exact = as_double(u64{0x433} << 52 | static_cast<u64>(sum)) - 0x1p52;
  return static_cast<u32>((bits_of(exact) >> 29) - (u64{1023 - 127 + unit} << 23));
}

// A float's bits times 2^power; what leaves the range of normal numbers becomes 0 or infinity.
inline u32 scaled(u32 bits, i32 power) {
  const i32 exponent = static_cast<i32>(bits >> 23) + power;
  const u32 small = pick(exponent < 1, 0, bits + (static_cast<u32>(power) << 23));
  return pick(exponent > 254, 0x7f800000, small);
}

struct FloatParts {
  u32 sign, exponent, fraction;
  bool zero, infinite, nan;

  explicit FloatParts(u32 bits)
      : sign(bits & kSign32),
        exponent(bits >> 23 & 0xff),
        fraction(bits & 0x7fffff),
        zero(exponent == 0),
        infinite((bits & 0x7fffffff) == 0x7f800000),
        nan((bits & 0x7fffffff) > 0x7f800000) {}
};

// |x| in units of 2^-bits, cut, its low 32 bits.
inline u32 fixed_point(const FloatParts& x, u32 bits) {
  const u32 significand = pick(x.zero, 0, x.fraction | 0x800000);
  const i32 shift = static_cast<i32>(x.exponent + bits) - 150;
  const u32 left = pick(shift > 31, 0, significand << (shift & 31));
  const u32 right = pick(shift < -31, 0, significand >> (-shift & 31));
  return pick(shift >= 0, left, right);
}

// EX2: the ones' complement of a negative argument's fraction is looked up.
inline u32 mufu_ex2(u32 bits) {
  const FloatParts x(bits);
  const u32 fixed = fixed_point(x, 23);
  const u32 negative = x.sign >> 31, borrow = (fixed & 0x7fffff) != 0 ? negative : 0;
  const u32 fraction = (fixed ^ (0u - borrow)) & 0x7fffff;
  const u32 whole = ((fixed >> 23) ^ (0u - negative)) + negative - borrow;
  const i64 sum = interpolated(mufu_tables::kEx2, fraction >> 17, fraction & 0x1ffff);
  const u32 result = scaled(cut_to_float(sum, mufu_tables::kEx2.unit), static_cast<i32>(whole));
  const u32 beyond = 0x7f800000u & (negative - 1);
  return pick(x.nan, kNan32, pick(x.exponent >= 127 + 8, beyond, result));
}

// LG2: exponent and fraction are added in units of 2^-36, and a negative sum's magnitude is its
// ones' complement.
inline u32 mufu_lg2(u32 bits) {
  constexpr u32 kUnit = 36, kDropped = mufu_tables::kLg2.unit - kUnit;
  const FloatParts x(bits);
  const i64 fraction = interpolated(mufu_tables::kLg2, x.fraction >> 17, x.fraction & 0x1ffff);
  const i64 whole = static_cast<i64>(x.exponent) - 127;
  const i64 sum = whole * (i64{1} << kUnit) + (fraction >> kDropped);
  const u32 magnitude = cut_to_float(sum < 0 ? ~sum : sum, kUnit);
  const u32 result = pick(bits == 0x3f800000, 0, magnitude | (sum < 0 ? kSign32 : 0));
  const u32 positive = pick(x.infinite, 0x7f800000, result);
  const u32 number = pick(x.sign != 0, kNan32, positive);
  return pick(x.zero, kSign32 | 0x7f800000, pick(x.nan, kNan32, number));
}

// 1 / 1.fraction as a float's bits.
inline u32 reciprocal_of(u32 fraction) {
  return cut_to_float(interpolated(mufu_tables::kRcp, fraction >> 16, (fraction & 0xffff) << 1),
                      mufu_tables::kRcp.unit);
}

inline u32 mufu_rcp(u32 bits) {
  const FloatParts x(bits);
  const u32 result = scaled(reciprocal_of(x.fraction), 127 - static_cast<i32>(x.exponent));
  const u32 magnitude = pick(x.zero, 0x7f800000, pick(x.infinite, 0, result));
  return pick(x.nan, kNan32, x.sign | magnitude);
}

// The argument's exponent is `power` (its half is taken); an odd one leaves [2, 4).
template <unsigned kSegments>
inline u32 root_of(const mufu_tables::Table<kSegments>& table, i32 power, u32 fraction) {
  const u32 segment = (static_cast<u32>(power) & 1) << 6 | fraction >> 17;
  return cut_to_float(interpolated(table, segment, fraction & 0x1ffff), table.unit);
}

// The table's first value would be one unit short of 1.
inline u32 reciprocal_root_of(i32 power, u32 fraction) {
  const bool one = ((static_cast<u32>(power) & 1) | fraction) == 0;
  return pick(one, 0x3f800000, root_of(mufu_tables::kRsq, power, fraction));
}

inline u32 mufu_rsq(u32 bits) {
  const FloatParts x(bits);
  const i32 power = static_cast<i32>(x.exponent) - 127;
  const u32 result = scaled(reciprocal_root_of(power, x.fraction), -(power >> 1));
  const u32 number = pick(x.sign != 0, kNan32, pick(x.infinite, 0, result));
  return pick(x.nan, kNan32, pick(x.zero, x.sign | 0x7f800000, number));
}

inline u32 mufu_sqrt(u32 bits) {
  const FloatParts x(bits);
  const i32 power = static_cast<i32>(x.exponent) - 127;
  const u32 result = scaled(root_of(mufu_tables::kSqrt, power, x.fraction), power >> 1);
  const u32 number = pick(x.sign != 0, kNan32, pick(x.infinite, 0x7f800000, result));
  return pick(x.nan, kNan32, pick(x.zero, x.sign, number));
}

// Arguments are in turns, cut to 2^-25. A cosine is the sine a quarter on; the falling quarters
// look up the ones' complement.
template <bool kCosine>
inline u32 mufu_sin(u32 bits) {
  const FloatParts x(bits);
  const u32 turn = fixed_point(x, 25) + (kCosine ? 1u << 23 : 0);
  const u32 quarter = turn >> 23 & 3;
  const u32 offset = (turn ^ (0u - (quarter & 1))) & 0x7fffff;
  const i64 sum = interpolated(mufu_tables::kSin, offset >> 17, offset & 0x1ffff);
  const u32 magnitude = pick(offset == 0, 0, cut_to_float(sum, mufu_tables::kSin.unit));
  const u32 sign = (quarter >> 1 << 31) ^ (kCosine ? 0 : x.sign);
  return pick(x.exponent == 255, kNan32, magnitude | sign);
}

// Small arguments are their own result; from 8 on it is 1. Between, each binade has its own number
// of segments: its logarithm is a nibble of the first constant, where they start a byte of the
// others.
inline u32 mufu_tanh(u32 bits) {
  constexpr u64 kLogSegments = 0x34322211000, kFirstLow = 0x0f0b070503020100;
  constexpr u32 kFirstHigh = 0x2b1b13;
  const FloatParts x(bits);
  const u32 binade = x.exponent < 119 ? 0 : x.exponent > 129 ? 10 : x.exponent - 119;
  const u32 logarithm = static_cast<u32>(kLogSegments >> (4 * binade)) & 15;
  const u32 first = binade < 8 ? static_cast<u32>(kFirstLow >> (8 * binade)) & 0xff
                               : kFirstHigh >> (8 * (binade - 8) & 31) & 0xff;
  const u32 segment = first + (x.fraction >> (23 - logarithm));
  const u32 u = x.fraction >> (6 - logarithm) & 0x1ffff;
  const u32 result =
      cut_to_float(interpolated(mufu_tables::kTanh, segment, u), mufu_tables::kTanh.unit);
  const u32 large = pick(x.exponent > 129, 0x3f800000, result);
  const u32 magnitude = pick(x.exponent < 119, bits & ~kSign32, large);
  return pick(x.nan, kNan32, x.sign | magnitude);
}

template <u32 kFunction>
inline u32 mufu(u32 bits) {
  if constexpr (kFunction == kCos) return mufu_sin<true>(bits);
  if constexpr (kFunction == kSin) return mufu_sin<false>(bits);
  if constexpr (kFunction == kEx2) return mufu_ex2(bits);
  if constexpr (kFunction == kLg2) return mufu_lg2(bits);
  if constexpr (kFunction == kRcp) return mufu_rcp(bits);
  if constexpr (kFunction == kRsq) return mufu_rsq(bits);
  if constexpr (kFunction == kSqrt) return mufu_sqrt(bits);
  if constexpr (kFunction == kTanh) return mufu_tanh(bits);
}

template <u32 kFunction>
struct Mufu {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) { return mufu<kFunction>(x.b); }
};

// A double's high word from the float of the same leading bits, times 2^power.
inline u32 high_word(u32 single, i32 power) {
  const i32 exponent = static_cast<i32>(single >> 23) - 127 + 1023 + power;
  return exponent < 1 ? 0u : static_cast<u32>(exponent) << 20 | (single & 0x7fffff) >> 3;
}

// RCP64H and RSQ64H: high word in, high word out, from the tables of RCP and RSQ.
template <u32 kFunction>
struct Mufu64h {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    const u32 sign = x.b & kSign32, exponent = x.b >> 20 & 0x7ff, fraction = (x.b & 0xfffff) << 3;
    const i32 power = static_cast<i32>(exponent) - 1023;
    const bool nan = exponent == 0x7ff && fraction != 0, infinite = exponent == 0x7ff && !nan;
    u32 result;
    if constexpr (kFunction == kRcp64h) {
      result = high_word(reciprocal_of(fraction), -power);
    } else {
      result = high_word(reciprocal_root_of(power, fraction), -(power >> 1));
    }
    const u32 magnitude = exponent == 0 ? 0x7ff00000u : infinite ? 0u : result;
    const bool invalid = nan || (kFunction == kRsq64h && sign != 0 && exponent != 0);
    return invalid ? 0x7fffffffu : sign | magnitude;
  }
};

// A half is widened, and the result rounded toward zero, but to infinity from 2^16 on (measured).
// k[0]: 16 selects the high half.
template <u32 kFunction, Half kFormat>
struct MufuHalf {
  using Sources = sources::Half2;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 wide = widened<kFormat>(x.b >> k[0] & 0xffff);
    const u32 result = mufu<kFunction>(wide);
    const bool infinite = kFormat == Half::fp16 && (result & 0x7fffffff) >= 0x47800000 &&
                          (result & 0x7fffffff) <= 0x7f800000;
    return infinite ? (result >> 16 & 0x8000) | 0x7c00 : narrowed<kFormat, kZero>(result);
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
