// Conversions between number formats, one lane at a time (docs/hardware/arithmetic.md).
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
struct FormatSources<kBf16> {
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
  constexpr Half kHalf = kFormat == kBf16 ? Half::bf16 : Half::fp16;
  return as_float(widened<kHalf>(flushed_half<kHalf, kFlush>(x.b >> shift & 0xffff)));
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

// Exact. In halves, so that zero is +0 in every rounding mode.
inline double double_of(u32 value) {
  return static_cast<double>(static_cast<i32>(value >> 16)) * 65536.0 +
         static_cast<double>(static_cast<i32>(value & 0xffff));
}

// Rounded once, when the halves are added; zero is +0 in every rounding mode here too.
inline double double_of(u64 value) {
  return static_cast<double>(static_cast<i64>(value >> 32)) * 0x1p32 +
         static_cast<double>(static_cast<i64>(value & 0xffffffff));
}

// Integer formats: 0 U8, 1 S8, 2 U16, 3 S16, 4 U32, 5 S32, 6 U64, 7 S64. Those of up to 32 bits
// differ by their parameters alone.
enum class Integers : u32 { unsigned_32, signed_32, unsigned_64, signed_64 };
inline Integers integers_of(u32 format) {
  return static_cast<Integers>((format & 1) | (format >= 6 ? 2u : 0u));
}

// Saturating; k[0]: 16 selects the high half of a half source. To 64 bits k[1] and k[2] are what a
// NaN becomes; to fewer k[1] is that, k[2] the highest number, k[3] the lowest one without its
// sign.
template <u32 kSource, Integers kTo, u32 kMode, bool kFlush>
struct F2i {
  using Sources = typename FormatSources<kSource>::type;
  static auto eval(const Lane& x, const Params& k) {
    const double exact = source_value<kSource, kFlush>(x, k[0]);
    const double value = integral<kMode>(exact);
    if constexpr (kTo < Integers::unsigned_64) {
      const double lowest = -double_of(k[3]), highest = double_of(k[2]);
      const double low = value > lowest ? value : lowest;
      const double clamped = low < highest ? low : highest;
      // The low 32 bits of an integer plus 1.5 * 2^52 are the integer's.
      const u32 integer = static_cast<u32>(bits_of(clamped + 0x1.8p52));
      return exact != exact ? k[1] : integer;
    } else {
      constexpr bool kSigned = kTo == Integers::signed_64;
      constexpr double kLowest = kSigned ? -0x1p63 : 0, kBeyond = kSigned ? 0x1p63 : 0x1p64;
      const bool low = value <= kLowest, high = value >= kBeyond;
      const double inside = (low | high | (value != value)) ? 0 : value;
      const u64 integer =
          kSigned ? static_cast<u64>(static_cast<i64>(inside)) : static_cast<u64>(inside);
      const u64 lowest = kSigned ? u64{1} << 63 : 0;
      const u64 highest = kSigned ? ~u64{0} >> 1 : ~u64{0};
      const u64 saturated = low ? lowest : high ? highest : integer;
      return exact != exact ? u64{k[2]} << 32 | k[1] : saturated;
    }
  }
};

// kPart: of a word k[0] are the bits to shift the source down by (byte or half select), k[1] those
// above it. k[3]: rounding, in force while this runs except for halves, which round by kRounding.
template <Integers kFrom, u32 kTarget, u32 kRounding, bool kPart>
struct I2f {
  using Sources = sources::Plain;
  static auto eval(const Lane& x, const Params& k) {
    const u32 unused = kPart ? k[1] & 31 : 0;
    const u32 raised = kPart ? x.b >> (k[0] & 31) << unused : x.b;
    if constexpr (kFrom == Integers::signed_64) return convert(static_cast<i64>(x.b64()));
    if constexpr (kFrom == Integers::unsigned_64) return convert(x.b64());
    if constexpr (kFrom == Integers::signed_32) return convert(static_cast<i32>(raised) >> unused);
    if constexpr (kFrom == Integers::unsigned_32) return convert(raised >> unused);
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
  static float nearly_of_64(T value) {
    const bool negative = static_cast<T>(-1) < 0 && value < T{0};
    const u64 size = negative ? u64{0} - static_cast<u64>(value) : static_cast<u64>(value);
    // 24 bits, the last of which stands for all below it.
    const u32 shift = size >> 24 == 0 ? 0 : 40 - static_cast<u32>(__builtin_clzll(size | 1));
    const u64 cut = size & ((u64{1} << shift) - 1);
    const u32 kept = static_cast<u32>(size >> shift) | (cut != 0 ? 1u : 0);
    const float scale = as_float((127 + shift) << 23);
    const float magnitude = static_cast<float>(static_cast<i32>(kept)) * scale;
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
    } else if constexpr (kTarget == kBf16 && sizeof(T) == 8) {
      return narrowed<Half::bf16, kRounding>(bits_of(nearly_of_64(value)));
    } else if constexpr (kTarget == kBf16) {
      return narrowed<Half::bf16, kRounding>(bits_of(nearly(value)));
    } else if constexpr (kTarget == kF32) {
      if constexpr (sizeof(T) == 4 && static_cast<T>(-1) > 0) {
        return bits_of(static_cast<float>(double_of(value)));
      } else {
        return bits_of(static_cast<float>(value));
      }
    } else {
      if constexpr (sizeof(T) >= 4 && static_cast<T>(-1) > 0) {
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
    wide = u64{half & 0x8000} << 48 | u64{half & 0x7fff} << (kSource == kBf16 ? 45 : 42);
  }
  wide |= u64{0x7ff8} << 48;
  const u64 sign = wide >> 63;
  if constexpr (kTarget == kF64) return wide;
  if constexpr (kTarget == kF32) return sign << 31 | (wide >> 29 & 0x7fffffff);
  return sign << 15 | (wide >> (kTarget == kBf16 ? 45 : 42) & 0x7fff);
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
      constexpr Half kHalf = kFormat == kBf16 ? Half::bf16 : Half::fp16;
      return narrowed<kHalf, kNearest>(bits_of(static_cast<float>(value)));
    }
  }
};

// What F2FP does to a half: .SATFINITE makes infinities the largest number, .RELU negative numbers
// and -0 +0.
template <Half kFormat, u32 kRounding, bool kRelu, bool kFinite>
inline u32 packed_half(u32 bits) {
  const u32 half = narrowed<kFormat, kRounding>(bits);
  const bool infinite = kFinite && (half & 0x7fff) == kExponentMask<kFormat>;
  const u32 finite = infinite ? half - 1 : half;
  return kRelu && (finite & 0x8000) != 0 ? 0 : finite;
}

// Two floats to a pair of halves: A above, B below.
template <Half kFormat, u32 kRounding, bool kRelu, bool kFinite>
struct F2fp {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    return packed_half<kFormat, kRounding, kRelu, kFinite>(x.a) << 16 |
           packed_half<kFormat, kRounding, kRelu, kFinite>(x.b);
  }
};

// B alone.
template <Half kFormat, u32 kRounding, bool kRelu, bool kFinite>
struct F2fpSingle {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) { return packed_half<kFormat, kRounding, kRelu, kFinite>(x.b); }
};

// Two floats to a pair of BF16s, each rounded by 16 random bits: they are added to the bits that
// are cut off, and what is carried counts (PTX ISA, cvt.rs).
template <bool kRelu, bool kFinite>
struct F2fpRandom {
  using Sources = sources::Float32;
  static u32 rounded(u32 bits, u32 random) {
    const u32 summed = is_nan32(bits) ? bits : (bits + (random & 0xffff)) & 0xffff0000;
    return packed_half<Half::bf16, kZero, kRelu, kFinite>(summed);
  }
  static u32 eval(const Lane& x) { return rounded(x.a, x.c >> 16) << 16 | rounded(x.b, x.c); }
};

// TF32: a float whose low 13 bits are zero.
template <bool kToZero, bool kRelu, bool kFinite>
struct F2fpTf32 {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    constexpr u32 kLow = 0x1fff;
    const u32 odd = x.b >> 13 & 1;
    const u32 rounded = (kToZero ? x.b : x.b + (kLow >> 1) + odd) & ~kLow;
    const bool infinite = kFinite && (rounded & ~kSign32) == 0x7f800000u;
    const u32 finite = infinite ? rounded - (kLow + 1) : rounded;
    const u32 number = kRelu && (x.b & kSign32) != 0 ? 0 : finite;
    return is_nan32(x.b) ? kNan32 & ~kLow : number;
  }
};

// The bits of a float's magnitude in a narrow format, to nearest even: `kSmallest` is a float's
// exponent of its least normal number. What is too large becomes the largest number (.SATFINITE).
template <u32 kFraction, u32 kSmallest, u32 kLargest>
inline u32 narrow_magnitude(u32 bits) {
  const u32 magnitude = bits & 0x7fffffff, exponent = magnitude >> 23;
  const u32 significand = (magnitude & 0x7fffff) | (exponent != 0 ? 0x800000u : 0);
  const u32 below = exponent < kSmallest ? kSmallest - exponent : 0;
  const u32 shift = 23 - kFraction + (below < 8 + kFraction ? below : 8 + kFraction);
  const u32 quotient = significand >> shift, unit = 1u << shift;
  const u32 base = exponent < kSmallest ? 0 : (exponent - kSmallest) << kFraction;
  const u32 rounded =
      base + quotient +
      rounds_up<kNearest>(bits >> 31, significand & (unit - 1), unit >> 1, quotient);
  return rounded > kLargest ? kLargest : rounded;
}

// Eight-bit floats: E4M3 has no infinity and one NaN; E5M2 is the upper half of an FP16.
template <bool kE4m3>
struct Eight {
  static constexpr u32 kNan = 0x7f, kLargest = kE4m3 ? 0x7e : 0x7b;
  static constexpr u32 kFraction = kE4m3 ? 3 : 2;
  static constexpr u32 kSmallest = kE4m3 ? 121 : 113;  // a float's exponent of the least normal

  template <bool kRelu>
  static u32 from(u32 bits) {
    const u32 sign = bits >> 31;
    const u32 finite = narrow_magnitude<kFraction, kSmallest, kLargest>(bits);
    const u32 number = kRelu && sign != 0 ? 0 : sign << 7 | finite;
    return is_nan32(bits) ? kNan : number;
  }

  // As FP16, exactly.
  template <bool kRelu>
  static u32 to_half(u32 byte) {
    const u32 sign = (byte & 0x80) << 8, magnitude = byte & 0x7f;
    // As a float with E4M3's exponent field, the value is 2^120 too small, subnormals included.
    const u32 half =
        kE4m3 ? narrowed<Half::fp16, kNearest>(bits_of(as_float(magnitude << 20) * 0x1p120f))
              : magnitude << 8;
    const bool nan = kE4m3 ? magnitude == kNan : half > 0x7c00;
    const u32 number = kRelu && sign != 0 ? 0 : sign | half;
    return nan ? kNan16 : number;
  }
};

// Two floats to a pair of eight-bit ones, below another pair (H200: __nv_fp8x4_e4m3 of a float4).
template <bool kE4m3, bool kRelu>
struct F2fpEight {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    using Format = Eight<kE4m3>;
    return x.c << 16 | Format::template from<kRelu>(x.a) << 8 | Format::template from<kRelu>(x.b);
  }
};

// The two halves of B.
template <bool kE4m3, bool kRelu>
struct F2fpEightOfHalves {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    using Format = Eight<kE4m3>;
    return Format::template from<kRelu>(widened<Half::fp16>(x.b >> 16)) << 8 |
           Format::template from<kRelu>(widened<Half::fp16>(x.b & 0xffff));
  }
};

// k[0]: bits to shift B down by. Its lower two bytes as halves.
template <bool kE4m3, bool kRelu>
struct F2fpHalvesOfEight {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    using Format = Eight<kE4m3>;
    const u32 bytes = x.b >> k[0];
    return Format::template to_half<kRelu>(bytes >> 8 & 0xff) << 16 |
           Format::template to_half<kRelu>(bytes & 0xff);
  }
};

// Floats of six and four bits have neither infinities nor NaNs; a NaN becomes the largest number
// (CUDA math API, FP4 and FP6 conversions).
template <u32 kExponentBits, u32 kFractionBits>
struct Narrow {
  static constexpr u32 kBits = 1 + kExponentBits + kFractionBits;
  static constexpr u32 kStride = kBits == 4 ? 4 : 8;  // six bits have a byte
  static constexpr u32 kBias = (1u << (kExponentBits - 1)) - 1;
  static constexpr u32 kSign = 1u << (kBits - 1), kLargest = kSign - 1;

  template <bool kRelu>
  static u32 from(u32 bits) {
    const u32 sign = (bits >> 31) << (kBits - 1);
    const u32 finite = narrow_magnitude<kFractionBits, 128 - kBias, kLargest>(bits);
    const u32 number = kRelu && sign != 0 ? 0 : sign | finite;
    return is_nan32(bits) ? kLargest : number;
  }

  // As FP16, exactly. As a float with this exponent field the value is 2^(127 - bias) too small.
  template <bool kRelu>
  static u32 to_half(u32 number) {
    const u32 sign = (number & kSign) != 0 ? 0x8000u : 0;
    const float small = as_float((number & kLargest) << (23 - kFractionBits));
    const float value = small * as_float((127 + 127 - kBias) << 23);
    return kRelu && sign != 0 ? 0 : sign | narrowed<Half::fp16, kNearest>(bits_of(value));
  }
};

template <u32 kNumber>
struct NarrowFormat;
template <>
struct NarrowFormat<0> {
  using type = Narrow<2, 1>;
};
template <>
struct NarrowFormat<1> {
  using type = Narrow<2, 3>;
};
template <>
struct NarrowFormat<2> {
  using type = Narrow<3, 2>;
};

// Two floats to a pair of narrow ones, below what C has.
template <class Format, bool kRelu>
struct F2fpNarrow {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    return x.c << 2 * Format::kStride | Format::template from<kRelu>(x.a) << Format::kStride |
           Format::template from<kRelu>(x.b);
  }
};

// The two halves of B.
template <class Format, bool kRelu>
struct F2fpNarrowOfHalves {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    return Format::template from<kRelu>(widened<Half::fp16>(x.b >> 16)) << Format::kStride |
           Format::template from<kRelu>(widened<Half::fp16>(x.b & 0xffff));
  }
};

// k[0]: bits to shift B down by. Its lower two narrow numbers as halves.
template <class Format, bool kRelu>
struct F2fpHalvesOfNarrow {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    constexpr u32 kMask = (1u << Format::kBits) - 1;
    const u32 pair = x.b >> k[0];
    return Format::template to_half<kRelu>(pair >> Format::kStride & kMask) << 16 |
           Format::template to_half<kRelu>(pair & kMask);
  }
};

// The exponent alone, of a number's magnitude: 2^(E8 - 127), 255 for a NaN. kRises: of the next
// power of two, where it is none.
template <bool kRises, bool kFinite>
inline u32 exponent_alone(u32 bits) {
  const u32 magnitude = bits & 0x7fffffff;
  constexpr u32 kInfinity = 0x7f800000, kLeast = 0x00400000;  // 2^-127
  const bool rises =
      kRises && (magnitude & 0x7fffff) != 0 && magnitude > kLeast && magnitude < kInfinity;
  const u32 exponent = (magnitude >> 23) + (rises ? 1 : 0);
  return kFinite && magnitude <= kInfinity && exponent == 0xff ? 0xfe : exponent;
}

template <bool kRises, bool kFinite>
struct F2fpExponents {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    return x.c << 16 | exponent_alone<kRises, kFinite>(x.a) << 8 |
           exponent_alone<kRises, kFinite>(x.b);
  }
};

// The two BF16s of B.
template <bool kRises, bool kFinite>
struct F2fpExponentsOfHalves {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    return exponent_alone<kRises, kFinite>(x.b & 0xffff0000u) << 8 |
           exponent_alone<kRises, kFinite>(x.b << 16);
  }
};

// k[0]: bits to shift B down by. Its lower two bytes as BF16s.
struct F2fpHalvesOfExponents {
  using Sources = sources::Plain;
  static u32 number(u32 exponent) {
    constexpr u32 kLeast = 0x0040, kNan = 0x7fff;  // 2^-127
    return exponent == 0 ? kLeast : exponent == 0xff ? kNan : exponent << 7;
  }
  static u32 eval(const Lane& x, const Params& k) {
    const u32 bytes = x.b >> k[0];
    return number(bytes >> 8 & 0xff) << 16 | number(bytes & 0xff);
  }
};

// B to a byte, saturating; NaN is 0.
template <bool kSigned, u32 kMode>
struct F2ip {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    constexpr double kLowest = kSigned ? -128 : 0, kHighest = kSigned ? 127 : 255;
    const double value = integral<kMode>(as_float(x.b));
    const double low = value > kLowest ? value : kLowest;
    const double clamped = low < kHighest ? low : kHighest;
    const u32 byte = static_cast<u32>(bits_of(clamped + 0x1.8p52)) & 0xff;
    return value != value ? 0 : byte;
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
