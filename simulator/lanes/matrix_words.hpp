// Words of factors taken apart, a vector of them at a time: their numbers as floats, and their
// exponents.
//
// An exponent is the field of a number's bits, 1 at least, so that the exponents of two factors add
// up to what FloatDot gives their product, and a constant. That of a zero is so small that such a
// sum is negative. `strange` becomes other than zero by what cannot be treated so: infinities,
// NaNs, and numbers so far from one that products would not be normal floats.
#pragma once

#include <type_traits>

#include "simulator/lanes/matrix.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Not wider than the vector unit: such vectors go through memory piece by piece. Those of 64 bytes
// took twice as long as those of 32 (lanes_benchmark, on Zen 4).
#if defined(__AVX2__)
inline constexpr u32 kVectorBytes = 32;
#else
inline constexpr u32 kVectorBytes = 16;
#endif
inline constexpr u32 kVectorLanes = kVectorBytes / 4;

// By reference: a vector as a value would be passed otherwise by each vector unit.
using Floats = float __attribute__((vector_size(kVectorBytes)));
using Words = i32 __attribute__((vector_size(kVectorBytes)));
using Bits = u32 __attribute__((vector_size(kVectorBytes)));
using Pairs = i16 __attribute__((vector_size(kVectorBytes)));  // two to a word
using Bytes = i8 __attribute__((vector_size(kVectorBytes)));   // four to a word

template <class From, class To>
inline void reinterpret(const From& from, To& to) {
  static_assert(sizeof from == sizeof to);
  __builtin_memcpy(&to, &from, sizeof to);
}

template <class Vector>
inline void fill(i32 value, Vector& vector) {
  using Element = std::remove_reference_t<decltype(vector[0])>;
  vector = Vector{} + static_cast<Element>(value);
}

// Zeros of a format get an exponent of `none`.
template <class Exponents>
inline void take_exponents(const Words& fields, const Words& magnitudes, i32 none,
                           Exponents& exponents) {
  Exponents field, magnitude, zero, no_number;
  reinterpret(fields, field);
  reinterpret(magnitudes, magnitude);
  const Exponents one = Exponents{} + 1;
  reinterpret(magnitude == Exponents{}, zero);
  fill(none, no_number);
  exponents = (field > one ? field : one) + (zero & no_number);
}

inline constexpr i32 kNoNumber = -0x1000;

template <class Exponents>
inline void note_above(const Exponents& exponent, i32 most, Words& strange) {
  Exponents limit;
  fill(most, limit);
  Words above;
  reinterpret(exponent > limit, above);
  strange |= above;
}

// `scale` brings the format's exponents to a float's; exact, of subnormal numbers too.
inline void scaled(const Words& bits, float scale, Floats& value) {
  reinterpret(bits, value);
  value *= scale;
}

struct Fp16Words {
  static constexpr u32 kElements = 2, kSigns = 0x80008000u, kBias = 15;
  using Exponents = Pairs;

  static void values(const Words& words, Floats (&value)[kElements]) {
    constexpr i32 kOfFloat = static_cast<i32>(0x8fffe000u);
    scaled(words << 16 >> 3 & kOfFloat, 0x1p112f, value[0]);
    scaled(words >> 3 & kOfFloat, 0x1p112f, value[1]);
  }
  static void exponents(const Words& words, Pairs& exponent, Words& strange) {
    const Words magnitude = words & 0x7fff7fff;
    take_exponents(magnitude >> 10 & 0x001f001f, magnitude, kNoNumber, exponent);
    note_above(exponent, 30, strange);
  }
};

// Factors of eight bits of exponent: which are taken.
inline constexpr i32 kLeastOfFactor = 127 - 40, kMostOfFactor = 127 + 40;

template <class Exponents>
inline void note_far(const Exponents& exponent, Words& strange) {
  note_above(exponent, kMostOfFactor, strange);
  Exponents least;
  fill(kLeastOfFactor, least);
  Words below;
  reinterpret((exponent < least) & (exponent > Exponents{}), below);  // and no zero
  strange |= below;
}

struct Bf16Words {
  static constexpr u32 kElements = 2, kSigns = 0x80008000u, kBias = 127;
  using Exponents = Pairs;

  static void values(const Words& words, Floats (&value)[kElements]) {
    reinterpret(words << 16, value[0]);
    reinterpret(words & static_cast<i32>(0xffff0000u), value[1]);
  }
  static void exponents(const Words& words, Pairs& exponent, Words& strange) {
    const Words magnitude = words & 0x7fff7fff;
    take_exponents(magnitude >> 7 & 0x00ff00ff, magnitude, kNoNumber, exponent);
    note_far(exponent, strange);
  }
};

struct Tf32Words {  // the low 13 bits of a float are not looked at
  static constexpr u32 kElements = 1, kSigns = kSign32, kBias = 127;
  static constexpr i32 kLookedAt = ~0x1fff;
  using Exponents = Words;

  static void values(const Words& words, Floats (&value)[kElements]) {
    reinterpret(words & kLookedAt, value[0]);
  }
  static void exponents(const Words& words, Words& exponent, Words& strange) {
    const Words magnitude = words & kLookedAt & 0x7fffffff;
    take_exponents(magnitude >> 23, magnitude, kNoNumber, exponent);
    note_far(exponent, strange);
  }
};

// Sums of two such exponents stay within eight bits.
inline constexpr i32 kNoByte = -64;

template <u32 kExponentBits>
struct EightBitWords {
  static constexpr u32 kElements = 4, kSigns = 0x80808080u;
  static constexpr u32 kFraction = 7 - kExponentBits, kBias = (1u << (kExponentBits - 1)) - 1;
  using Exponents = Bytes;

  static void values(const Words& words, Floats (&value)[kElements]) {
    constexpr u32 kShift = 8 - kExponentBits;
    constexpr i32 kOfFloat = static_cast<i32>(kSign32 | 0x7fu << (24 - kShift));
    constexpr float kScale = kExponentBits == 5 ? 0x1p112f : 0x1p120f;
    for (u32 e = 0; e < kElements; ++e)
      scaled(words << (24 - 8 * e) >> kShift & kOfFloat, kScale, value[e]);
  }
  static void exponents(const Words& words, Bytes& exponent, Words& strange) {
    const Words magnitude = words & 0x7f7f7f7f;
    constexpr u32 kTop = (1u << kExponentBits) - 1;
    take_exponents(magnitude >> kFraction & static_cast<i32>(kTop * 0x01010101u), magnitude,
                   kNoByte, exponent);
    if constexpr (kExponentBits == 5) {
      note_above(exponent, 30, strange);
    } else {  // one NaN, and no infinity
      Bytes all;
      reinterpret(magnitude, all);
      note_above(all, 0x7e, strange);
    }
  }
};
using E4m3Words = EightBitWords<4>;
using E5m2Words = EightBitWords<5>;

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
