// HGMMA, QGMMA, IGMMA and BGMMA, sixteen rows at a time.
//
// Floats: all products of an instruction and C are cut off at a common place below the largest
// exponent and added exactly, as mma.sync does it on this machine (docs/hardware/arithmetic.md).
// Eight-bit floats keep 13 bits below it instead of 25, and an FP32 sum of them 13 bits of
// fraction. Held against an H200's answers (docs/experiments/warpgroup-probe.md).
#include "simulator/lanes/warpgroup.hpp"

#include "simulator/lanes/families.hpp"
#include "simulator/lanes/integers_at_once.hpp"
#include "simulator/lanes/warpgroup_formats.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

using namespace group;

// Of D where FP32 numbers are added: bits below the largest exponent that terms keep, and bits of
// the sum's fraction.
template <class A, class B, bool kHalfSum, bool kWide>
struct Sum {
  static constexpr bool kHalf = kHalfSum, kFew = A::kBytes == 1 && !kWide;
  static constexpr i32 kKept = kFew ? 13 : 25;
  static constexpr i32 kFraction = kFew ? 13 : 23;
  static constexpr i32 kProductFraction = static_cast<i32>(A::kFraction + B::kFraction);
};

constexpr u32 kMostDepth = 64;
constexpr i32 kMostShift = 62;

// value * 2^shift, what falls out cut off towards zero.
i64 cut(i64 value, i32 shift) {
  const u64 sign = static_cast<u64>(value >> 63);
  const u64 magnitude = (static_cast<u64>(value) ^ sign) - sign;
  const u64 kept = shift >= 0 ? magnitude << shift : shifted_down(magnitude, -shift);
  return static_cast<i64>((kept ^ sign) - sign);
}

// sum * 2^exponent as a float with kFraction bits of fraction, the rest cut off.
template <i32 kFraction>
u32 float_of(i64 sum, i32 exponent) {
  const u32 sign = sum < 0 ? kSign32 : 0;
  const u64 magnitude = sum < 0 ? u64{0} - static_cast<u64>(sum) : static_cast<u64>(sum);
  if (magnitude == 0) return 0;
  const i32 top = exponent + 63 - __builtin_clzll(magnitude);
  if (top > 127) return sign | 0x7f800000u;
  const i32 unit = (top < -126 ? -126 : top) - kFraction;
  const u64 fraction =
      unit >= exponent ? shifted_down(magnitude, unit - exponent) : magnitude << (exponent - unit);
  const u32 field = top < -126 ? 0 : static_cast<u32>(top + 127);
  return sign | field << 23 | (static_cast<u32>(fraction << (23 - kFraction)) & 0x7fffffu);
}

// One element of D, whatever its numbers are.
template <class A, class B, class Dot>
u32 one_by_one(const GroupFactors& factors, u32 row, u32 column, u32 c) {
  const u32 depth = factors.bytes / A::kBytes;
  const Parts addend = Dot::kHalf ? parts_of<5, 10>(c) : parts_of<8, 23>(c);
  constexpr i32 kFractionOfC = Dot::kHalf ? 10 : 23;
  i64 product[kMostDepth];
  i32 exponent[kMostDepth], top = addend.exponent;
  SpecialSum special;
  u32 count = 0;
  for (u32 k = 0; k < depth; ++k) {
    if ((factors.there[row] >> k & 1) == 0) continue;
    const Parts x = A::parts(element<A>(factors.a[row], k));
    const Parts y = B::parts(element<B>(factors.b[column], k));
    const bool of_x = x.exponent == kExponentOfSpecial, of_y = y.exponent == kExponentOfSpecial;
    const i64 both = i64{x.significand} * y.significand;
    if (of_x || of_y) {
      const bool nan = (of_x && x.significand != A::kInfinity && x.significand != -A::kInfinity) ||
                       (of_y && y.significand != B::kInfinity && y.significand != -B::kInfinity) ||
                       both == 0;
      special.note(nan, !nan, (both < 0) != factors.negate);
      continue;
    }
    product[count] = factors.negate ? -both : both;
    exponent[count] = x.exponent + y.exponent;
    top = exponent[count] > top ? exponent[count] : top;
    ++count;
  }
  if (addend.exponent == kExponentOfSpecial) {
    const i32 infinity = 1 << kFractionOfC;
    const bool nan = addend.significand != infinity && addend.significand != -infinity;
    special.note(nan, !nan, addend.significand < 0);
  }
  if (special.any()) {
    constexpr u32 kInfinity = Dot::kHalf ? 0x7c00u : 0x7f800000u;
    constexpr u32 kSign = Dot::kHalf ? 0x8000u : kSign32;
    if (special.nan || (special.positive && special.negative)) return Dot::kHalf ? kNan16 : kNan32;
    return special.negative ? kSign | kInfinity : kInfinity;
  }
  const auto shift = [&](i32 fraction, i32 of) {
    const i32 by = Dot::kKept - fraction - (top - of);
    return by < -kMostShift ? -kMostShift : by;
  };
  i64 sum = cut(addend.significand, shift(kFractionOfC, addend.exponent));
  for (u32 i = 0; i < count; ++i) sum += cut(product[i], shift(Dot::kProductFraction, exponent[i]));
  if constexpr (Dot::kHalf) return rounded_to_half(sum, top - Dot::kKept);
  return float_of<Dot::kFraction>(sum, top - Dot::kKept);
}

// Where an element of a row of eight columns is among the registers of D.
struct Place {
  u32 reg, lane;
  Place(u32 row, u32 column)
      : reg(4 * (column / 8) + 2 * (row / 8) + column % 2), lane(4 * (row % 8) + column % 8 / 2) {}
};

template <bool kHalf>
u32 read(const u32 (*rows)[kWarpSize], const Place& at) {
  if constexpr (kHalf) return rows[at.reg / 2][at.lane] >> 16 * (at.reg % 2) & 0xffff;
  return rows[at.reg][at.lane];
}
template <bool kHalf>
void write(u32 (*rows)[kWarpSize], const Place& at, u32 value) {
  if constexpr (kHalf) {
    u32& word = rows[at.reg / 2][at.lane];
    word = at.reg % 2 == 0 ? (word & 0xffff0000u) | value : (word & 0xffffu) | value << 16;
  } else {
    rows[at.reg][at.lane] = value;
  }
}

// The registers that a fragment would have of eight rows of A, or of eight columns of B.
void registers_of(const std::uint8_t (*rows)[kGroupRowBytes], u32 steps, u32 stride,
                  u32 (*registers)[kWarpSize]) {
  for (u32 step = 0; step < steps; ++step)
    for (u32 row = 0; row < 8; ++row)
      __builtin_memcpy(registers[step * stride] + 4 * row, rows[row] + 16 * step, 16);
}

template <class A, class B, class Dot, u32 kSteps>
void multiply_steps(const GroupFactors& factors, GroupSums& sums) {
  constexpr u32 kRegisters = Dot::kHalf ? 2 : 4;  // of sixteen rows and eight columns of D
  using Rule = SumRule<Dot::kHalf, Dot::kKept, Dot::kFraction>;
  alignas(64) u32 registers[2 * kSteps][kWarpSize];
  for (u32 eight = 0; eight < 2; ++eight)
    registers_of(factors.a + 8 * eight, kSteps, 2, registers + eight);
  const TakenA<typename A::Taken, kSteps> rows(registers[0], factors.negate);
  const bool strange_rows = factors.one_by_one || any(rows.strange);
  for (u32 first = 0; first < factors.columns; first += kColumns) {
    registers_of(factors.b + first, kSteps, 1, registers);
    const TakenB<typename B::Taken, kSteps> columns(registers[0], false);
    const u32 at = first / kColumns * kRegisters;
    u32 left = multiply_at_once<Rule, kSteps, kSteps>(rows, columns, sums.c + at, sums.d + at);
    if (strange_rows || any(columns.strange)) left = 0xffff;
    for (u32 row = 0; left != 0 && row < kGroupRows; ++row)
      for (u32 column = first; (left >> row & 1) != 0 && column < first + kColumns; ++column)
        write<Dot::kHalf>(
            sums.d, {row, column},
            one_by_one<A, B, Dot>(factors, row, column, read<Dot::kHalf>(sums.c, {row, column})));
  }
}

template <class A, class B, bool kHalf, bool kWide = false>
void multiply_floats(const GroupFactors& factors, GroupSums& sums) {
  using Dot = Sum<A, B, kHalf, kWide>;
  return factors.bytes == kGroupRowBytes ? multiply_steps<A, B, Dot, 4>(factors, sums)
                                         : multiply_steps<A, B, Dot, 2>(factors, sums);
}

template <u32 kSteps>
void multiply_steps_of_bytes(const GroupFactors& factors, bool signed_a, bool signed_b,
                             bool saturates, GroupSums& sums) {
  alignas(64) u32 registers[2 * kSteps][kWarpSize];
  for (u32 eight = 0; eight < 2; ++eight)
    registers_of(factors.a + 8 * eight, kSteps, 2, registers + eight);
  const PairsOfA<4, 2, kSteps> rows(registers[0], signed_a);
  for (u32 first = 0; first < factors.columns; first += kColumns) {
    registers_of(factors.b + first, kSteps, 1, registers);
    const PairsOfB<4, kSteps> columns(registers[0], signed_b);
    multiply_integers(rows, columns, saturates, sums.c + first / 2, sums.d + first / 2);
  }
}

// Bytes as whole numbers; the sum wraps, or is clamped as a whole.
template <bool kSignedA, bool kSignedB, bool kSaturates>
void multiply_bytes(const GroupFactors& factors, GroupSums& sums) {
  if (!factors.one_by_one)
    return factors.bytes == kGroupRowBytes
               ? multiply_steps_of_bytes<4>(factors, kSignedA, kSignedB, kSaturates, sums)
               : multiply_steps_of_bytes<2>(factors, kSignedA, kSignedB, kSaturates, sums);
  const auto widen = [](std::uint8_t byte, bool is_signed) {
    return static_cast<i16>(is_signed ? static_cast<std::int8_t>(byte) : i32{byte});
  };
  const u32 depth = factors.bytes;
  i16 a[kGroupRows][kMostDepth], b[kMostDepth];
  for (u32 row = 0; row < kGroupRows; ++row)
    for (u32 k = 0; k < depth; ++k) a[row][k] = widen(factors.a[row][k], kSignedA);
  for (u32 column = 0; column < factors.columns; ++column) {
    for (u32 k = 0; k < depth; ++k) b[k] = widen(factors.b[column][k], kSignedB);
    for (u32 row = 0; row < kGroupRows; ++row) {
      i32 sum = 0;
      for (u32 k = 0; k < depth; ++k) sum += i32{a[row][k]} * i32{b[k]};
      const Place at(row, column);
      const i64 total = i64{static_cast<i32>(sums.c[at.reg][at.lane])} + sum;
      const i64 clamped = total > 0x7fffffff      ? 0x7fffffff
                          : total < -0x80000000ll ? -0x80000000ll
                                                  : total;
      sums.d[at.reg][at.lane] = static_cast<u32>(kSaturates ? clamped : total);
    }
  }
}

void multiply_bits_at_once(const GroupFactors& factors, GroupSums& sums) {
  constexpr u32 kSteps = 2;
  alignas(64) u32 rows[2 * kSteps][kWarpSize], columns[kSteps][kWarpSize];
  for (u32 eight = 0; eight < 2; ++eight)
    registers_of(factors.a + 8 * eight, kSteps, 2, rows + eight);
  for (u32 first = 0; first < factors.columns; first += kColumns) {
    registers_of(factors.b + first, kSteps, 1, columns);
    multiply_bits<2>(rows[0], BitsOfB<kSteps>(columns[0]), true, sums.c + first / 2,
                     sums.d + first / 2);
  }
}

// Counts of common bits.
void multiply_bits(const GroupFactors& factors, GroupSums& sums) {
  if (!factors.one_by_one) return multiply_bits_at_once(factors, sums);
  for (u32 column = 0; column < factors.columns; ++column)
    for (u32 row = 0; row < kGroupRows; ++row) {
      const Place at(row, column);
      u32 sum = sums.c[at.reg][at.lane];
      for (u32 byte = 0; byte < 32; byte += 8) {
        u64 a, b;
        __builtin_memcpy(&a, factors.a[row] + byte, 8);
        __builtin_memcpy(&b, factors.b[column] + byte, 8);
        sum += static_cast<u32>(__builtin_popcountll(a & b));
      }
      sums.d[at.reg][at.lane] = sum;
    }
}

}  // namespace

GroupFunctions group_functions();
GroupFunctions group_functions() {
  return {multiply_floats<Fp16, Fp16, true>,
          multiply_floats<Fp16, Fp16, false>,
          multiply_floats<Bf16, Bf16, false>,
          multiply_floats<Tf32, Tf32, false>,
          {{{multiply_floats<E4m3, E4m3, true>, multiply_floats<E4m3, E5m2, true>},
            {multiply_floats<E5m2, E4m3, true>, multiply_floats<E5m2, E5m2, true>}},
           {{multiply_floats<E4m3, E4m3, false>, multiply_floats<E4m3, E5m2, false>},
            {multiply_floats<E5m2, E4m3, false>, multiply_floats<E5m2, E5m2, false>}}},
          {{{multiply_floats<E4m3, E4m3, true, true>, multiply_floats<E4m3, E5m2, true, true>},
            {multiply_floats<E5m2, E4m3, true, true>, multiply_floats<E5m2, E5m2, true, true>}},
           {{multiply_floats<E4m3, E4m3, false, true>, multiply_floats<E4m3, E5m2, false, true>},
            {multiply_floats<E5m2, E4m3, false, true>, multiply_floats<E5m2, E5m2, false, true>}}},
          {{multiply_bytes<false, false, false>, multiply_bytes<false, true, false>},
           {multiply_bytes<true, false, false>, multiply_bytes<true, true, false>}},
          {{multiply_bytes<false, false, true>, multiply_bytes<false, true, true>},
           {multiply_bytes<true, false, true>, multiply_bytes<true, true, true>}},
          multiply_bits};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
