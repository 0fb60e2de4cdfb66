// The numbers that warp-group products take: as parts, and how their words are taken apart at once.
#pragma once

#include "simulator/lanes/matrix_at_once.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT::group {

// A number of eight bits as parts: E4M3 has no infinity, and one NaN of either sign.
template <u32 kExponentBits, u32 kFractionBits>
constexpr Parts eight_bit_parts(u32 bits) {
  constexpr u32 kTop = (1u << kExponentBits) - 1;
  constexpr i32 kBias = static_cast<i32>(kTop >> 1);
  const u32 field = bits >> kFractionBits & kTop, fraction = bits & ((1u << kFractionBits) - 1);
  const bool negative = (bits >> 7 & 1) != 0;
  const i32 magnitude = static_cast<i32>(fraction | (field != 0 ? 1u << kFractionBits : 0));
  const i32 signed_magnitude = negative ? -magnitude : magnitude;
  const bool special = field == kTop && (kExponentBits == 5 || fraction == 7);
  if (special) return {signed_magnitude, kExponentOfSpecial};
  if (magnitude == 0) return {0, kExponentOfZero};
  return {signed_magnitude, static_cast<i32>(field == 0 ? 1 : field) - kBias};
}

template <u32 kExponentBits, u32 kFractionBits>
struct EightBits {
  static constexpr u32 kBytes = 1, kFraction = kFractionBits;
  static Parts parts(u32 bits) { return eight_bit_parts<kExponentBits, kFractionBits>(bits); }
  using Taken = EightBitWords<kExponentBits>;
  // An infinity's significand; others with its exponent are NaNs.
  static constexpr i32 kInfinity = kExponentBits == 5 ? 1 << kFractionBits : 0;
};
using E4m3 = EightBits<4, 3>;
using E5m2 = EightBits<5, 2>;

struct Fp16 {
  static constexpr u32 kBytes = 2, kFraction = 10;
  static constexpr i32 kInfinity = 1 << 10;
  static Parts parts(u32 bits) { return parts_of<5, 10>(bits); }
  using Taken = Fp16Words;
};
struct Bf16 {
  static constexpr u32 kBytes = 2, kFraction = 7;
  static constexpr i32 kInfinity = 1 << 7;
  static Parts parts(u32 bits) { return parts_of<8, 7>(bits); }
  using Taken = Bf16Words;
};
struct Tf32 {  // the low 13 bits of a float are not looked at
  static constexpr u32 kBytes = 4, kFraction = 10;
  static constexpr i32 kInfinity = 1 << 10;
  static Parts parts(u32 bits) { return parts_of<8, 10>(bits >> 13); }
  using Taken = Tf32Words;
};

template <class Format>
u32 element(const std::uint8_t* row, u32 k) {
  if constexpr (Format::kBytes == 1) {
    return row[k];
  } else if constexpr (Format::kBytes == 2) {
    u16 value;
    __builtin_memcpy(&value, row + 2 * k, 2);
    return value;
  } else {
    u32 value;
    __builtin_memcpy(&value, row + 4 * k, 4);
    return value;
  }
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT::group
