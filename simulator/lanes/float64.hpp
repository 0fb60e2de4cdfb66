// FP64 instructions, one lane at a time (SASS-FACTS 3.3). Subnormals are always kept.
#pragma once

#include "simulator/lanes/float32.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline constexpr u64 kInvalid64 = 0xfff8000000000000u;  // of 0 * inf and the like
inline constexpr u64 kQuiet64 = 0x0008000000000000u;

inline bool is_nan64(u64 bits) { return (bits << 1) > (u64{0x7ff} << 53); }

// An FP64 result: a source that is a NaN comes through quieted, its sign as in the register. Of
// several, the second goes before the third before the first (measured).
inline u64 double_result(double value, u64 a, u64 b, u64 c) {
  const u64 nan = is_nan64(b)   ? b | kQuiet64
                  : is_nan64(c) ? c | kQuiet64
                  : is_nan64(a) ? a | kQuiet64
                                : kInvalid64;
  return value != value ? nan : bits_of(value);
}

inline u64 raw64(u32 high, u32 low) { return u64{high} << 32 | low; }

// A sum is 1 * a + b: its second source has the rank of an addend.
struct Dadd {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    return double_result(as_double(x.a64()) + as_double(x.b64()), raw64(x.raw_a_high, x.a), 0,
                         raw64(x.raw_b_high, x.b));
  }
};

struct Dmul {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    return double_result(as_double(x.a64()) * as_double(x.b64()), raw64(x.raw_a_high, x.a),
                         raw64(x.raw_b_high, x.b), 0);
  }
};

struct Dfma {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    const double sum = __builtin_fma(as_double(x.a64()), as_double(x.b64()), as_double(x.c64()));
    return double_result(sum, raw64(x.raw_a_high, x.a), raw64(x.raw_b_high, x.b),
                         raw64(x.raw_c_high, x.c));
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
// too), Pv that neither is a number.
template <bool kMinimum>
struct DsetpMinMax {
  using Sources = sources::Float64;
  static WithFlags<Nothing> eval(const Lane& x, const Params& k) {
    const double a = as_double(x.a64()), b = as_double(x.b64());
    const bool better = kMinimum ? a < b : a > b;
    const bool only_b_nan = (b != b) & (a == a);
    const bool neither = (a != a) & (b != b);
    return {{}, combine_flag(better | only_b_nan, x.p != 0, k[0]), neither};
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
