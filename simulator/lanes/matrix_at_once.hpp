// Products of matrices, a vector of elements of D at a time: the sums that FloatDot makes, of
// factors and addends that floats hold with room to spare. What is not of that kind (infinities,
// NaNs, numbers far from one) is left to FloatDot itself.
//
// A product of two factors is exact in a float, and so is that product times a power of two: cut
// off towards zero, it is the integer that FloatDot shifts into place.
//
// Registers stay as fragments have them (matrix.hpp). A quad of lanes of a register of C is a row
// and every other column. An element of A is needed by all lanes of its quad, an element of B in
// each quad by the lane of its column.
#pragma once

#include <utility>

#include "simulator/lanes/matrix_words.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline constexpr u32 kQuadLanes = 4;
inline constexpr u32 kRowsAtOnce = kVectorLanes / kQuadLanes, kParts = 16 / kRowsAtOnce;
inline constexpr u32 kVectorsOfRegister = kWarpSize / kVectorLanes;

template <class Vector>
inline void load(Vector& vector, const void* from) {
  __builtin_memcpy(&vector, from, sizeof vector);
}

inline bool any(const Words& words) {
  i32 each[kVectorLanes], all = 0;
  __builtin_memcpy(each, &words, sizeof each);
  for (u32 i = 0; i < kVectorLanes; ++i) all |= each[i];
  return all != 0;
}

// Lane kPlace of each quad, in all of its lanes.
template <u32 kPlace, class Vector>
inline void take_place(const Vector& from, Vector& to) {
  Words words;
  reinterpret(from, words);
  [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
    reinterpret(__builtin_shufflevector(words, words, (kLane / 4 * 4 + int{kPlace})...), to);
  }
  (std::make_integer_sequence<int, int{kVectorLanes}>());
}

using QuadOfWords = i32 __attribute__((vector_size(4 * kQuadLanes)));

// The same four words in each quad.
inline void repeat(const QuadOfWords& quad, Words& to) {
  [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
    to = __builtin_shufflevector(quad, quad, (kLane % 4)...);
  }
  (std::make_integer_sequence<int, int{kVectorLanes}>());
}

// From lanes that hold four numbers of a column each to quads that hold one number of four columns:
// of the even columns, or of the odd ones.
inline void turn(const u32* lanes, u32 odd, QuadOfWords (&turned)[kQuadLanes]) {
  QuadOfWords column[kQuadLanes];
  for (u32 i = 0; i < kQuadLanes; ++i) load(column[i], lanes + (2 * i + odd) * kQuadLanes);
  const QuadOfWords low_ab = __builtin_shufflevector(column[0], column[1], 0, 4, 1, 5);
  const QuadOfWords low_cd = __builtin_shufflevector(column[2], column[3], 0, 4, 1, 5);
  const QuadOfWords high_ab = __builtin_shufflevector(column[0], column[1], 2, 6, 3, 7);
  const QuadOfWords high_cd = __builtin_shufflevector(column[2], column[3], 2, 6, 3, 7);
  turned[0] = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
  turned[1] = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
  turned[2] = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
  turned[3] = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
}

// Where the number of a step (a register of B) is in a product that has several.
template <class F>
inline void for_each_place(F&& f) {
  f.template operator()<0>();
  f.template operator()<1>();
  f.template operator()<2>();
  f.template operator()<3>();
}

// Where the rows of a part are: in the registers of which eight of them, from which lane on.
struct Place {
  u32 eight, lane;
  explicit Place(u32 part)
      : eight(part / kVectorsOfRegister), lane(part % kVectorsOfRegister * kVectorLanes) {}
};

// A as 2 * kSteps registers, of step after step first the upper eight rows, then the lower.
template <class Taken, u32 kSteps>
struct TakenA {
  static constexpr u32 kElements = Taken::kElements;
  using Exponents = typename Taken::Exponents;
  Floats value[kParts][kSteps][kElements];
  Exponents exponent[kParts][kSteps];
  Words strange = {};

  TakenA(const u32* rows, bool negate) {
    const auto signs = static_cast<i32>(negate ? Taken::kSigns : 0);
    for (u32 part = 0; part < kParts; ++part)
      for (u32 step = 0; step < kSteps; ++step) {
        const Place at(part);
        Words words;
        load(words, rows + (2 * step + at.eight) * kWarpSize + at.lane);
        words ^= signs;
        Taken::values(words, value[part][step]);
        Taken::exponents(words, exponent[part][step], strange);
      }
  }
};

// B as kSteps registers: each of its numbers for the even columns and for the odd ones, in every
// quad.
template <class Taken, u32 kSteps>
struct TakenB {
  static constexpr u32 kElements = Taken::kElements;
  Floats value[kSteps][2][kQuadLanes][kElements];
  typename Taken::Exponents exponent[kSteps][2][kQuadLanes];
  Words strange = {};

  TakenB(const u32* rows, bool negate) {
    const auto signs = static_cast<i32>(negate ? Taken::kSigns : 0);
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 odd = 0; odd < 2; ++odd) {
        QuadOfWords turned[kQuadLanes];
        turn(rows + step * kWarpSize, odd, turned);
        for (u32 place = 0; place < kQuadLanes; ++place) {
          Words words;
          repeat(turned[place], words);
          words ^= signs;
          Taken::values(words, value[step][odd][place]);
          Taken::exponents(words, exponent[step][odd][place], strange);
        }
      }
  }
};

// How sums are rounded: kKept bits below the largest exponent are added up, and an FP32 sum has
// kFraction bits of fraction; or FP16, to nearest.
template <bool kIsHalf, i32 kKeptBits, i32 kFractionBits>
struct SumRule {
  static constexpr bool kHalf = kIsHalf;
  static constexpr i32 kKept = kKeptBits, kFraction = kFractionBits;
};

// Elements of C, which are added to.
struct Addends {
  Floats value;
  Words exponent;

  template <bool kHalf>
  void take(const Words& bits, Words& strange) {
    constexpr i32 kLeast = 127 - 60;
    constexpr i32 kBias = kHalf ? 15 : 127;
    if constexpr (kHalf) {
      scaled(bits << 16 >> 3 & static_cast<i32>(0x8fffe000u), 0x1p112f, value);
    } else {
      reinterpret(bits, value);
    }
    const Words magnitude = bits & (kHalf ? 0x7fff : 0x7fffffff);
    take_exponents(magnitude >> (kHalf ? 10 : 23), magnitude, kExponentOfZero, exponent);
    if constexpr (kHalf) {
      note_above(exponent, 30, strange);
    } else {
      note_above(exponent, 254, strange);
      strange |= (exponent < kLeast) & (exponent > 0);
    }
    exponent -= kBias;
  }
};

// The largest exponents of products, and those of C where they are larger still.
template <class Exponents>
inline void largest_of(const Exponents& sums, i32 bias, Words& top) {
  constexpr i32 kBits = 8 * static_cast<i32>(sizeof sums[0]);
  Words words, best;
  reinterpret(sums, words);
  best = words >> (32 - kBits);
  for (i32 above = kBits; above < 32; above += kBits) {
    const Words other = words << above >> (32 - kBits);
    best = other > best ? other : best;
  }
  const Words product = best < 0 ? Words{} + kExponentOfZero : best - bias;
  top = product > top ? product : top;
}

// (product + addend) * 2^-shift, exact but for the one rounding.
template <class Rule>
[[gnu::always_inline]] inline void round_sums(const Words& products, const Words& addends,
                                              const Words& shifts, Words& bits) {
  i32 product[kVectorLanes], addend[kVectorLanes], shift[kVectorLanes];
  u32 rounded[kVectorLanes];
  __builtin_memcpy(product, &products, sizeof product);
  __builtin_memcpy(addend, &addends, sizeof addend);
  __builtin_memcpy(shift, &shifts, sizeof shift);
  for (u32 j = 0; j < kVectorLanes; ++j) {
    const double total = static_cast<double>(product[j]) + static_cast<double>(addend[j]);
    const double value = total * as_double(static_cast<u64>(i64{1023} - shift[j]) << 52);
    if constexpr (Rule::kHalf) {
      constexpr i64 kExponent = i64{0x7ff} << 52, kLeast = i64{1023 - 14} << 52;
      const double magnitude = __builtin_fabs(value);
      const i64 exponent = static_cast<i64>(bits_of(magnitude)) & kExponent;
      // Added, it leaves ten bits of fraction, or units of 2^-24.
      const double large =
          as_double(static_cast<u64>((exponent > kLeast ? exponent : kLeast) + (i64{42} << 52)));
      const auto nearest = static_cast<float>((magnitude + large) - large);
      const float finite = nearest < 0x1p16f ? nearest : 0x1p16f;  // that is infinity
      rounded[j] =
          bits_of(finite * 0x1p-112f) >> 13 | (static_cast<u32>(bits_of(value) >> 48) & 0x8000u);
    } else {
      constexpr u64 kCut = (u64{1} << (52 - Rule::kFraction)) - 1;
      rounded[j] = bits_of(static_cast<float>(as_double(bits_of(value) & ~kCut)));
    }
  }
  __builtin_memcpy(&bits, rounded, sizeof rounded);
}

// Adds the products of kCount steps from `first` on: to the even columns of a part, and to the odd
// ones.
template <class Rule, u32 kCount, class OfA, class OfB>
[[gnu::always_inline]] inline void add_steps(const OfA& a, u32 part, const OfB& b, u32 first,
                                             i32 bias, Words& strange, Words (&bits)[2]) {
  using Exponents = typename OfA::Exponents;
  Addends addend[2];
  Exponents largest[2];
  for (u32 odd = 0; odd < 2; ++odd) {
    addend[odd].template take<Rule::kHalf>(bits[odd], strange);
    fill(-128, largest[odd]);
  }
  for (u32 step = first; step < first + kCount; ++step)
    for_each_place([&]<u32 kPlace>() {
      Exponents of_a, of_b;
      take_place<kPlace>(a.exponent[part][step], of_a);
      for (u32 odd = 0; odd < 2; ++odd) {
        of_b = b.exponent[step][odd][kPlace] + of_a;
        largest[odd] = of_b > largest[odd] ? of_b : largest[odd];
      }
    });
  Words shift[2], sum[2] = {};
  Floats scale[2];
  for (u32 odd = 0; odd < 2; ++odd) {
    Words top = addend[odd].exponent;
    largest_of(largest[odd], bias, top);
    const Words of_top = Rule::kKept - top, most = Words{} + 126;
    shift[odd] = of_top < most ? of_top : most;
    reinterpret((shift[odd] + 127) << 23, scale[odd]);
  }
  for (u32 step = first; step < first + kCount; ++step)
    for_each_place([&]<u32 kPlace>() {
      for (u32 e = 0; e < OfA::kElements; ++e) {
        Floats of_a, of_b;
        take_place<kPlace>(a.value[part][step][e], of_a);
        for (u32 odd = 0; odd < 2; ++odd) {
          of_b = b.value[step][odd][kPlace][e] * of_a;
          // Sums of strange numbers wrap, and are not used.
          sum[odd] =
              Words(Bits(sum[odd]) + Bits(__builtin_convertvector(of_b * scale[odd], Words)));
        }
      }
    });
  for (u32 odd = 0; odd < 2; ++odd)
    round_sums<Rule>(sum[odd], __builtin_convertvector(addend[odd].value * scale[odd], Words),
                     shift[odd], bits[odd]);
}

// A part of C and of D, where these are registers of an eight of columns: the even columns, the odd
// ones. Of FP16 a register has both.
template <bool kHalf>
inline void read_columns(const u32 (*c)[kWarpSize], const Place& at, Words (&bits)[2]) {
  if constexpr (kHalf) {
    Words both;
    load(both, c[at.eight] + at.lane);
    bits[0] = both & 0xffff;
    bits[1] = both >> 16 & 0xffff;
  } else {
    load(bits[0], c[2 * at.eight] + at.lane);
    load(bits[1], c[2 * at.eight + 1] + at.lane);
  }
}
template <bool kHalf>
inline void write_columns(const Words (&bits)[2], const Place& at, u32 (*d)[kWarpSize]) {
  if constexpr (kHalf) {
    const Words both = bits[0] | bits[1] << 16;
    __builtin_memcpy(d[at.eight] + at.lane, &both, sizeof both);
  } else {
    __builtin_memcpy(d[2 * at.eight] + at.lane, &bits[0], sizeof bits[0]);
    __builtin_memcpy(d[2 * at.eight + 1] + at.lane, &bits[1], sizeof bits[1]);
  }
}

// D of sixteen rows and eight columns, kGroup steps after kGroup steps. As bits: which rows'
// numbers cannot all be treated here; what D has of them is wrong.
template <class Rule, u32 kSteps, u32 kGroup, class TakenOfA, class TakenOfB>
inline u32 multiply_at_once(const TakenA<TakenOfA, kSteps>& a, const TakenB<TakenOfB, kSteps>& b,
                            const u32 (*c)[kWarpSize], u32 (*d)[kWarpSize]) {
  constexpr u32 kRows = (1u << kRowsAtOnce) - 1;
  u32 left = 0;
  for (u32 part = 0; part < kParts; ++part) {
    const Place at(part);
    Words bits[2], strange = {};
    read_columns<Rule::kHalf>(c, at, bits);
    for (u32 first = 0; first < kSteps; first += kGroup)
      add_steps<Rule, kGroup>(a, part, b, first, i32{TakenOfA::kBias + TakenOfB::kBias}, strange,
                              bits);
    write_columns<Rule::kHalf>(bits, at, d);
    if (any(strange)) left |= kRows << part * kRowsAtOnce;
  }
  return left;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
