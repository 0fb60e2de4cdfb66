// Conversions between number formats, one lane at a time (SASS-FACTS 3.3).
#pragma once

#include "simulator/lanes/float64.hpp"
#include "simulator/lanes/half.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Float formats as conversions number them.
enum FloatFormat : u32 { kF16 = 1, kF32 = 2, kF64 = 3, kBf16 = 4 };

template <u32 kFormat>
struct FormatSources {
  using type = sources::Float32;
};
template <>
struct FormatSources<kF16> {
  using type = sources::Half2;
};
template <>
struct FormatSources<kF64> {
  using type = sources::Float64;
};

template <bool kFlush>
inline u64 flushed64(u64 bits) {
  return kFlush && (bits >> 52 & 0x7ff) == 0 ? bits & u64{1} << 63 : bits;
}

// B in its format, as a double. shift: 16 selects the high half.
template <u32 kFormat, bool kFlush>
inline double source_value(const Lane& x, u32 shift) {
  if constexpr (kFormat == kF64) return as_double(flushed64<kFlush>(x.b64()));
  if constexpr (kFormat == kF32) return as_float(flushed<kFlush>(x.b));
  return as_float(widened<Half::fp16>(flushed_half<Half::fp16, kFlush>(x.b >> shift & 0xffff)));
}

// To an integral value; modes 0 to nearest even, 1 floor, 2 ceiling, 3 truncate. The sign of a zero
// is kept. Adding 2^52 leaves no fraction bits, in the mode of the environment: to nearest.
template <u32 kMode>
inline double integral(double value) {
  const double magnitude = __builtin_fabs(value);
  double rounded = (magnitude + 0x1p52) - 0x1p52;
  if constexpr (kMode == 3) rounded = rounded > magnitude ? rounded - 1 : rounded;
  rounded = __builtin_copysign(rounded, value);
  if constexpr (kMode == 1) rounded = rounded > value ? rounded - 1 : rounded;
  if constexpr (kMode == 2) rounded = rounded < value ? rounded + 1 : rounded;
  return magnitude < 0x1p52 ? __builtin_copysign(rounded, value) : value;
}

// Integer formats: 0 U8, 1 S8, 2 U16, 3 S16, 4 U32, 5 S32, 6 U64, 7 S64.
template <u32 kFormat>
inline constexpr u32 kIntegerBits = 8u << (kFormat / 2);

// Saturating; k[0]: 16 selects the high half of a half source; k[1], k[2]: what a NaN becomes.
template <u32 kSource, u32 kInteger, u32 kMode, bool kFlush>
struct F2i {
  using Sources = typename FormatSources<kSource>::type;
  static auto eval(const Lane& x, const Params& k) {
    constexpr bool kSigned = kInteger % 2 == 1;
    const double exact = source_value<kSource, kFlush>(x, k[0]);
    const double value = integral<kMode>(exact);
    if constexpr (kInteger < 6) {
      constexpr u32 kBits = kIntegerBits<kInteger>;
      constexpr double kLowest = kSigned ? -static_cast<double>(u64{1} << (kBits - 1)) : 0;
      constexpr double kHighest = static_cast<double>((u64{1} << (kBits - kSigned)) - 1);
      const double low = value > kLowest ? value : kLowest;
      const double clamped = low < kHighest ? low : kHighest;
      // The low 32 bits of an integer plus 1.5 * 2^52 are the integer's.
      const u32 integer = static_cast<u32>(bits_of(clamped + 0x1.8p52));
      return exact != exact ? k[1] : integer;
    } else {
      constexpr double kLowest = kSigned ? -0x1p63 : 0, kBeyond = kSigned ? 0x1p63 : 0x1p64;
      const bool low = value <= kLowest, high = value >= kBeyond;
      const double inside = low | high | (value != value) ? 0 : value;
      const u64 integer =
          kSigned ? static_cast<u64>(static_cast<i64>(inside)) : static_cast<u64>(inside);
      const u64 lowest = kSigned ? u64{1} << 63 : 0;
      const u64 highest = kSigned ? ~u64{0} >> 1 : ~u64{0};
      const u64 saturated = low ? lowest : high ? highest : integer;
      return exact != exact ? u64{k[2]} << 32 | k[1] : saturated;
    }
  }
};

// Exact. In halves, so that zero is +0 in every rounding mode.
inline double double_of(u32 value) {
  return static_cast<double>(static_cast<i32>(value >> 16)) * 65536.0 +
         static_cast<double>(static_cast<i32>(value & 0xffff));
}

// k[0]: bits to shift the source down by (byte or half select), k[3]: rounding, in force while this
// runs except for halves, which round by kRounding.
template <u32 kInteger, u32 kTarget, u32 kRounding>
struct I2f {
  using Sources = sources::Plain;
  static auto eval(const Lane& x, const Params& k) {
    constexpr bool kSigned = kInteger % 2 == 1;
    if constexpr (kInteger >= 6) {
      if constexpr (kSigned) {
        return convert(static_cast<i64>(x.b64()));
      } else {
        return convert(x.b64());
      }
    } else {
      constexpr u32 kUnused = 32 - kIntegerBits<kInteger>;
      const u32 raised = x.b >> k[0] << kUnused;
      if constexpr (kSigned) {
        return convert(static_cast<i32>(raised) >> kUnused);
      } else {
        return convert(raised >> kUnused);
      }
    }
  }

 private:
  // A float that rounds to a bfloat as the value does: where 24 bits do not hold it, the last one
  // stands for all below it.
  template <class T>
  static float nearly(T value) {
    const bool negative = static_cast<T>(-1) < 0 && value < T{0};
    const u32 size = negative ? 0 - static_cast<u32>(value) : static_cast<u32>(value);
    const u32 kept = size >> 24 == 0 ? size : (size & ~0xffu) | ((size & 0xff) != 0 ? 0x100u : 0);
    const auto magnitude = static_cast<float>(double_of(kept));
    return negative ? -magnitude : magnitude;
  }
  template <class T>
  static auto convert(T value) {
    if constexpr (kTarget == kF16) {
      // Anything this large overflows; below, the float is exact.
      constexpr T kBeyond = 0x20000;
      const T high = value > kBeyond ? kBeyond : value;
      const T clamped = static_cast<T>(-1) < 0 && high < static_cast<T>(0 - kBeyond)
                            ? static_cast<T>(0 - kBeyond)
                            : high;
      const float exact = static_cast<float>(static_cast<i32>(clamped));
      return narrowed<Half::fp16, kRounding>(bits_of(exact));
    } else if constexpr (kTarget == kBf16) {
      static_assert(sizeof(T) == 4);
      return narrowed<Half::bf16, kRounding>(bits_of(nearly(value)));
    } else if constexpr (kTarget == kF32) {
      if constexpr (sizeof(T) == 4 && static_cast<T>(-1) > 0) {
        return bits_of(static_cast<float>(double_of(value)));
      } else {
        return bits_of(static_cast<float>(value));
      }
    } else {
      if constexpr (sizeof(T) == 4 && static_cast<T>(-1) > 0) {
        return bits_of(double_of(value));
      } else {
        return bits_of(static_cast<double>(value));
      }
    }
  }
};

// A NaN's bits in another format: quiet, sign and upper payload kept (conversions with FP64 do
// that, by the register's sign; the others give the canonical NaN. Measured.)
template <u32 kSource, u32 kTarget>
inline u64 converted_nan(const Lane& x, u32 shift) {
  u64 wide;
  if constexpr (kSource == kF64) {
    wide = u64{x.raw_b_high} << 32 | x.b;
  } else if constexpr (kSource == kF32) {
    wide = u64{x.raw_b & kSign32} << 32 | u64{x.raw_b & 0x7fffffff} << 29;
  } else {
    const u32 half = x.raw_b >> shift & 0xffff;
    wide = u64{half & 0x8000} << 48 | u64{half & 0x7fff} << 42;
  }
  wide |= u64{0x7ff8} << 48;
  const u64 sign = wide >> 63;
  if constexpr (kTarget == kF64) return wide;
  if constexpr (kTarget == kF32) return sign << 31 | (wide >> 29 & 0x7fffffff);
  return sign << 15 | (wide >> 42 & 0x7fff);
}

// Float to float. Rounding to a half is by kRounding, to FP32 by the mode in force. .FTZ flushes
// sources and results of FP32 and FP16.
template <u32 kSource, u32 kTarget, u32 kRounding, bool kFlush>
struct F2f {
  using Sources = typename FormatSources<kSource>::type;
  static auto eval(const Lane& x, const Params& k) {
    const double value = source_value<kSource, kFlush>(x, k[0]);
    const bool keeps_nan = (kSource == kF64 || kTarget == kF64) && value != value;
    if constexpr (kTarget == kF64) {
      return keeps_nan ? converted_nan<kSource, kTarget>(x, k[0]) : bits_of(value);
    } else if constexpr (kTarget == kF32) {
      const u32 result =
          float_result<kFlush, false>(static_cast<float>(value), static_cast<float>(value + value));
      return keeps_nan ? static_cast<u32>(converted_nan<kSource, kTarget>(x, k[0])) : result;
    } else {
      constexpr Half kHalf = kTarget == kBf16 ? Half::bf16 : Half::fp16;
      const u32 single =
          kSource == kF64 ? float_bits_odd(value) : bits_of(static_cast<float>(value));
      const u32 result = flushed_half<kHalf, kFlush>(narrowed<kHalf, kRounding>(single));
      return keeps_nan ? static_cast<u32>(converted_nan<kSource, kTarget>(x, k[0])) : result;
    }
  }
};

// To an integral value of the same format.
template <u32 kFormat, u32 kMode, bool kFlush>
struct Frnd {
  using Sources = typename FormatSources<kFormat>::type;
  static auto eval(const Lane& x, const Params& k) {
    const double value = integral<kMode>(source_value<kFormat, kFlush>(x, k[0]));
    if constexpr (kFormat == kF64) {
      return value != value ? converted_nan<kF64, kF64>(x, 0) : bits_of(value);
    } else if constexpr (kFormat == kF32) {
      return float_result<false, false>(static_cast<float>(value));
    } else {
      return narrowed<Half::fp16, kNearest>(bits_of(static_cast<float>(value)));
    }
  }
};

// Two floats to a pair of halves: A above, B below. .RELU: negative numbers become +0.
template <Half kFormat, u32 kRounding, bool kRelu>
struct F2fp {
  using Sources = sources::Float32;
  static u32 half_of(u32 bits) {
    const u32 half = narrowed<kFormat, kRounding>(bits);
    return kRelu && (half & 0x8000) != 0 ? 0 : half;
  }
  static u32 eval(const Lane& x) { return half_of(x.a) << 16 | half_of(x.b); }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
