// FP64 instructions, one lane at a time (docs/hardware/arithmetic.md). Subnormals are always kept.
#pragma once

#include "simulator/lanes/float32.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline constexpr u64 kInvalid64 = 0xfff8000000000000u;  // of 0 * inf and the like
inline constexpr u64 kQuiet64 = 0x0008000000000000u;

// A source as it is computed with, and as it lies in the register.
struct Operand64 {
  double value;
  u64 raw;

  Operand64(u64 bits, u32 raw_high)
      : value(as_double(bits)), raw(u64{raw_high} << 32 | (bits & 0xffffffff)) {}
};

// An FP64 result: a source that is a NaN comes through quieted, its sign as in the register. Of
// several, the second goes before the third before the first (measured).
inline u64 double_result(double value, const Operand64& first, const Operand64& second,
                         const Operand64& third) {
  u64 nan = kInvalid64;
  nan = first.value != first.value ? first.raw | kQuiet64 : nan;
  nan = third.value != third.value ? third.raw | kQuiet64 : nan;
  nan = second.value != second.value ? second.raw | kQuiet64 : nan;
  return value != value ? nan : bits_of(value);
}

struct Dadd {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    const Operand64 a(x.a64(), x.raw_a_high), b(x.b64(), x.raw_b_high);
    return double_result(a.value + b.value, a, b, b);
  }
};

struct Dmul {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    const Operand64 a(x.a64(), x.raw_a_high), b(x.b64(), x.raw_b_high);
    return double_result(a.value * b.value, a, b, b);
  }
};

struct Dfma {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    const Operand64 a(x.a64(), x.raw_a_high), b(x.b64(), x.raw_b_high), c(x.c64(), x.raw_c_high);
    return double_result(__builtin_fma(a.value, b.value, c.value), a, b, c);
  }
};

template <u32 kCompare>
struct Dsetp : CompareResult {
  using Sources = sources::Float64;
  static bool eval(const Lane& x) {
    return compare_floats<kCompare>(as_double(x.a64()), as_double(x.b64()));
  }
};

// What min and max of doubles start with: Pu says whether to take A (which a NaN in B asks for
// too), Pv that neither is a number. +0 is above -0 (measured).
template <bool kMinimum>
struct DsetpMinMax {
  using Sources = sources::Float64;
  static WithFlags<Nothing> eval(const Lane& x, const Params& k) {
    const double a = as_double(x.a64()), b = as_double(x.b64());
    const bool zeros = (a == 0) & (b == 0), a_below = (x.a_high >> 31) > (x.b_high >> 31);
    const bool better = kMinimum ? (a < b) | (zeros & a_below)
                                 : (a > b) | (zeros & ((x.a_high >> 31) < (x.b_high >> 31)));
    const bool only_b_nan = (b != b) & (a == a);
    const bool neither = (a != a) & (b != b);
    return {{}, combine_flag(better | only_b_nan, x.p != 0, k[0]), neither};
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
