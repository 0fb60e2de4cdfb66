// HMMA, eight columns of a row at a time: the sums that FloatDot makes, of factors and addends that
// floats hold with room to spare. What is not of that kind (infinities, NaNs, numbers far from one)
// is left to FloatDot itself.
//
// A product of two factors is exact in a float, and so is that product times a power of two: cut
// off towards zero, it is the integer that FloatDot shifts into place.
#pragma once

#include "simulator/lanes/matrix.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Of the eight columns: first the even ones, then the odd ones, as registers of C hold them.
using Floats = float __attribute__((vector_size(32)));
using Words = i32 __attribute__((vector_size(32)));
using Pairs = i16 __attribute__((vector_size(32)));  // two exponents to a column

constexpr u32 place_of_column(u32 column) { return column / 2 + 4 * (column % 2); }

// Exponents between which products and sums stay normal floats.
inline constexpr i32 kLeastOfFactor = -40, kMostOfFactor = 40, kLeastOfAddend = -60;
// Below it FloatDot's cut is at a place that no float has.
inline constexpr i32 kLeastTop = -100;

// A number as a float, and its exponent as FloatDot has it. `strange`: not 0 where it cannot be
// treated here.
struct Taken {
  u32 value;
  i32 exponent;
  u32 strange;
};

inline Taken take_float(u32 bits, i32 least, i32 most) {
  const u32 magnitude = bits & 0x7fffffffu;
  const i32 exponent = static_cast<i32>(magnitude >> 23) - 127;
  const bool zero = magnitude == 0;
  return {bits, zero ? kExponentOfZero : exponent,
          u32{!zero} & (u32{exponent < least} | u32{exponent > most})};
}

inline Taken take_half(u32 half) {
  const u32 magnitude = half & 0x7fff, sign = (half & 0x8000) << 16;
  const bool subnormal = magnitude < 0x400;
  const u32 small = bits_of(static_cast<float>(static_cast<i32>(magnitude)) * 0x1p-24f);
  const i32 exponent = static_cast<i32>(magnitude >> 10) - 15;
  return {sign | pick(subnormal, small, (magnitude << 13) + (112u << 23)),
          magnitude == 0 ? kExponentOfZero
          : subnormal    ? -14
                         : exponent,
          u32{magnitude >= 0x7c00}};
}

template <class Format>
Taken take_factor(u32 word, u32 e) {
  if constexpr (Format::kElements == 1)
    return take_float(word & ~0x1fffu, kLeastOfFactor, kMostOfFactor);
  const u32 half = word >> 16 * e & 0xffff;
  if constexpr (Format::kFraction == 10) return take_half(half);
  return take_float(half << 16, kLeastOfFactor, kMostOfFactor);
}

template <bool kHalf>
Taken take_addend(u32 bits) {
  if constexpr (kHalf) return take_half(bits);
  return take_float(bits, kLeastOfAddend, 127);
}

// The elements of a register of all lanes: values[e][lane], and pairs of exponents.
template <class Format>
struct TakenRow {
  u32 value[Format::kElements][kWarpSize];
  u32 exponents[kWarpSize];
  u32 strange = 0;

  TakenRow(const u32* row, u32 sign) {
    for (u32 i = 0; i < kWarpSize; ++i) {
      const Taken low = take_factor<Format>(row[i], 0);
      const Taken high =
          Format::kElements == 2 ? take_factor<Format>(row[i], 1) : Taken{0, kExponentOfZero, 0};
      value[0][i] = low.value ^ sign;
      if (Format::kElements == 2) value[Format::kElements - 1][i] = high.value ^ sign;
      exponents[i] = (static_cast<u32>(low.exponent) & 0xffff) | static_cast<u32>(high.exponent)
                                                                     << 16;
      strange |= low.strange | high.strange;
    }
  }
};

// A row of sums, column by column.
struct RowOfSums {
  u32 bits[kColumns];   // of C, then of D
  u32 value[kColumns];  // the same as floats
  i32 exponent[kColumns];
  u32 strange = 0;

  template <bool kHalf>
  void take() {
    for (u32 j = 0; j < kColumns; ++j) {
      const Taken taken = take_addend<kHalf>(bits[j]);
      value[j] = taken.value;
      exponent[j] = taken.exponent;
      strange |= taken.strange;
    }
  }
};

// sum[0] + sum[1] + sum[2], which are exact in a double, times 2^-shift.
template <bool kHalf>
inline void round_sums(const i32 (&sum)[3][kColumns], const i32* shift, u32* bits) {
  for (u32 j = 0; j < kColumns; ++j) {
    if constexpr (kHalf) {
      bits[j] = rounded_to_half(i64{sum[0][j]} + sum[1][j] + sum[2][j], -shift[j]);
    } else {
      constexpr u64 kCut = (u64{1} << 29) - 1;  // of a double's fraction, below a float's
      const double total = static_cast<double>(sum[0][j]) + static_cast<double>(sum[1][j]) +
                           static_cast<double>(sum[2][j]);
      const double scaled = total * as_double(static_cast<u64>(i64{1023} - shift[j]) << 52);
      bits[j] = bits_of(static_cast<float>(as_double(bits_of(scaled) & ~kCut)));
    }
  }
}

// The factors of a product: A row by row, B column by column, in an order of k that is the same for
// both within each of FloatDot's groups.
template <class Format, u32 kSteps>
struct Factors {
  using Shape = Fragments<Format::kElements, 2, kSteps>;
  static constexpr u32 kDepth = Shape::kDepth, kPairs = 4 * kSteps;
  alignas(64) float a[Shape::kRows][kDepth];
  alignas(64) u32 a_exponents[Shape::kRows][kPairs];
  alignas(64) u32 b[kDepth][kColumns];
  alignas(64) u32 b_exponents[kPairs][kColumns];
  u32 strange = 0;

  Factors(const u32* rows_a, u32 sign_a, const u32* rows_b, u32 sign_b) {
    constexpr u32 kElements = Format::kElements;
    for (u32 r = 0; r < Shape::kRegistersOfA; ++r) {
      const TakenRow<Format> taken(rows_a + r * kWarpSize, sign_a);
      strange |= taken.strange;
      for (u32 g = 0; g < 8; ++g) {
        const u32 row = g + 8 * (r % 2), step = r / 2;
        __builtin_memcpy(&a_exponents[row][4 * step], taken.exponents + 4 * g, 16);
        for (u32 e = 0; e < kElements; ++e)
          __builtin_memcpy(&a[row][4 * (kElements * step + e)], taken.value[e] + 4 * g, 16);
      }
    }
    for (u32 step = 0; step < kSteps; ++step) {
      const TakenRow<Format> taken(rows_b + step * kWarpSize, sign_b);
      strange |= taken.strange;
      for (u32 column = 0; column < kColumns; ++column)
        for (u32 q = 0; q < 4; ++q) {
          const u32 j = place_of_column(column), lane = 4 * column + q;
          b_exponents[4 * step + q][j] = taken.exponents[lane];
          for (u32 e = 0; e < kElements; ++e)
            b[4 * (kElements * step + e) + q][j] = taken.value[e][lane];
        }
    }
  }
};

// By reference: a vector as a value would be passed otherwise by each vector unit.
template <class T>
inline void load(T& vector, const void* from) {
  __builtin_memcpy(&vector, from, sizeof vector);
}

// Adds kTerms products from the first on to a row of C.
template <class Dot, bool kHalf, u32 kElements, class Of>
inline void add_group(const Of& factors, u32 row, u32 first, RowOfSums& sums) {
  constexpr u32 kTerms = Dot::kTerms;
  const u32 first_pair = first / kElements;
  Pairs tops = {};
  tops -= 0x4000;
  for (u32 k = first_pair; k < first_pair + kTerms / kElements; ++k) {
    const Words both = Words{} + static_cast<i32>(factors.a_exponents[row][k]);
    Pairs of_a, sum;
    load(of_a, &both);
    load(sum, factors.b_exponents[k]);
    sum += of_a;
    tops = sum > tops ? sum : tops;
  }
  Words pair, top;
  load(pair, &tops);
  load(top, sums.exponent);
  const Words low = pair << 16 >> 16, high = pair >> 16;
  top = low > top ? low : top;
  top = high > top ? high : top;
  const Words shift_of_top = Dot::kBits - top, most = Words{} + 126;
  const Words shift = shift_of_top < most ? shift_of_top : most;
  const Words scale_bits = (shift + 127) << 23;
  Floats scale, c;
  load(scale, &scale_bits);
  load(c, sums.value);
  // Sixteen products do not fit 32 bits together: two sums of half of them do.
  Words sum[3] = {};
#pragma GCC unroll 16
  for (u32 k = 0; k < kTerms; ++k) {
    Floats product;
    load(product, factors.b[first + k]);
    product *= factors.a[row][first + k];
    sum[k / ((kTerms + 1) / 2)] += __builtin_convertvector(product * scale, Words);
  }
  sum[2] = __builtin_convertvector(c * scale, Words);
  i32 parts[3][kColumns], shifts[kColumns], tops_of[kColumns];
  __builtin_memcpy(parts, sum, sizeof parts);
  __builtin_memcpy(shifts, &shift, sizeof shifts);
  __builtin_memcpy(tops_of, &top, sizeof tops_of);
  for (u32 j = 0; j < kColumns; ++j)
    sums.strange |= u32{tops_of[j] < kLeastTop} & u32{(sums.value[j] << 1) != 0};
  round_sums<kHalf>(parts, shifts, sums.bits);
}

// Where all numbers are of the usual kind: true, and D is in `d`, register by register.
template <class Format, u32 kSteps, class Dot, bool kHalf>
inline bool hmma_at_once(WarpState& warp, const MicroOp& op, u32 (*d)[kWarpSize]) {
  const Factors<Format, kSteps> factors(source_row(warp, op.a), op.a_negate ? kSign32 : 0,
                                        source_row(warp, op.b), op.b_negate ? kSign32 : 0);
  if (factors.strange != 0) return false;
  const u32* c = source_row(warp, op.c);
  u32 strange = 0;
  for (u32 row = 0; row < 16; ++row) {
    const u32 lane = 4 * (row % 8), eight = row / 8;
    RowOfSums sums;
    for (u32 j = 0; j < kColumns; ++j) {
      if constexpr (kHalf)
        sums.bits[j] = c[eight * kWarpSize + lane + j % 4] >> 16 * (j / 4) & 0xffff;
      else
        sums.bits[j] = c[(2 * eight + j / 4) * kWarpSize + lane + j % 4];
    }
    for (u32 first = 0; first < factors.kDepth; first += Dot::kTerms) {
      sums.template take<kHalf>();
      add_group<Dot, kHalf, Format::kElements>(factors, row, first, sums);
    }
    strange |= sums.strange;
    for (u32 j = 0; j < kColumns; ++j) {
      if constexpr (kHalf)
        d[eight][lane + j % 4] |= sums.bits[j] << 16 * (j / 4);
      else
        d[2 * eight + j / 4][lane + j % 4] = sums.bits[j];
    }
  }
  return strange == 0;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
