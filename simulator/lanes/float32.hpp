// FP32 instructions, one lane at a time (docs/hardware/arithmetic.md).
#pragma once

#include "simulator/lanes/half.hpp"
#include "simulator/lanes/integer.hpp"
#include "simulator/lanes/rounding.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

template <bool kFlush, bool kSaturate>
struct Fadd {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    const float a = as_float(flushed<kFlush>(x.a)), b = as_float(flushed<kFlush>(x.b));
    return float_result<kFlush, kSaturate>(a + b);
  }
};

// The four lanes of a quad add, subtract either number from the other, or add the second to 0: two
// bits each, those of the first lane highest (docs/experiments/instruction-probe.md, "Forms that no
// compiler emits").
template <bool kFlush>
struct Fswzadd {
  static u32 eval(u32 left, u32 right, u32 operation) {
    const float a = as_float(flushed<kFlush>(left)), b = as_float(flushed<kFlush>(right));
    const float first = operation == 3 ? 0.0f : operation == 2 ? -a : a;
    return float_result<kFlush, false>(first + (operation == 1 ? -b : b));
  }
};

// Multiplication modes: 0 keeps subnormals, 1 FMZ (flushes, and 0 times anything is +0), 2 FTZ.
template <u32 kMode, bool kSaturate>
struct Fmul {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    constexpr bool kFlush = kMode != 0;
    const float a = as_float(flushed<kFlush>(x.a)), b = as_float(flushed<kFlush>(x.b));
    const bool zero = kMode == 1 && ((a == 0.0f) | (b == 0.0f));
    return float_result<kFlush, kSaturate>(zero ? 0.0f : a * b, (a + a) * b);
  }
};

// The product is scaled by a power of two before its one rounding; k[0], k[1]: that power as a
// double's bits.
template <u32 kMode, bool kSaturate>
struct FmulScaled {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x, const Params& k) {
    constexpr bool kFlush = kMode != 0;
    const double a = as_float(flushed<kFlush>(x.a)), b = as_float(flushed<kFlush>(x.b));
    const double scale = as_double(u64{k[1]} << 32 | k[0]);
    const bool zero = kMode == 1 && ((a == 0.0) | (b == 0.0));
    const double product = zero ? 0.0 : a * b * scale;
    return float_result<kFlush, kSaturate>(static_cast<float>(product),
                                           static_cast<float>(product + product));
  }
};

template <u32 kMode, bool kSaturate>
struct Ffma {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    constexpr bool kFlush = kMode != 0;
    const float a = as_float(flushed<kFlush>(x.a)), b = as_float(flushed<kFlush>(x.b));
    const float c = as_float(flushed<kFlush>(x.c));
    const bool zero = kMode == 1 && ((a == 0.0f) | (b == 0.0f));
    const float factor = zero ? 0.0f : a, other = zero ? 0.0f : b;
    const float sum = __builtin_fmaf(factor, other, c);
    const float twice = kFlush ? __builtin_fmaf(factor + factor, other, c + c) : sum;
    return float_result<kFlush, kSaturate>(sum, twice);
  }
};

// Two floats, in a pair of registers each. k[0]: how those of A, B and C are taken, two bits each.
enum PairOrder : u32 { kInOrder, kSwapped, kLowTwice };

template <class Op>
struct TwoFloats {
  using Sources = sources::TwoFloats;
  static u32 lower(u32 low, u32 high, u32 order) { return pick(order == kSwapped, high, low); }
  static u32 upper(u32 low, u32 high, u32 order) { return pick(order == kInOrder, high, low); }
  static u64 eval(const Lane& x, const Params& k) {
    const u32 a = k[0] & 3, b = k[0] >> 2 & 3, c = k[0] >> 4 & 3;
    Lane low = x, high = x;
    low.a = lower(x.a, x.a_high, a);
    low.b = lower(x.b, x.b_high, b);
    low.c = lower(x.c, x.c_high, c);
    high.a = upper(x.a, x.a_high, a);
    high.b = upper(x.b, x.b_high, b);
    high.c = upper(x.c, x.c_high, c);
    return u64{Op::eval(high)} << 32 | Op::eval(low);
  }
};

// A half and a float; k[0]: bits to shift A down by, k[1]: flips its sign.
template <Half kFormat, bool kSaturate>
struct Fhadd {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 half = (x.raw_a >> k[0] & 0xffff) ^ k[1];
    return float_result<false, kSaturate>(as_float(widened<kFormat>(half)) + as_float(x.b));
  }
};

// Two halves, whose product is exact, and a float; k[0] and k[2]: bits to shift A and B down by.
template <Half kFormat, bool kSaturate>
struct Fhfma {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 a = (x.raw_a >> k[0] & 0xffff) ^ k[1], b = x.raw_b >> k[2] & 0xffff;
    const float sum =
        __builtin_fmaf(as_float(widened<kFormat>(a)), as_float(widened<kFormat>(b)), as_float(x.c));
    return float_result<false, kSaturate>(sum);
  }
};

// Orders floats that are numbers as integers, -0 before +0.
inline i32 order_key(u32 bits) { return static_cast<i32>(bits ^ ((0u - (bits >> 31)) >> 1)); }

// Pp true: minimum. A NaN loses to a number unless .NAN asks for it. .XORSIGN replaces the sign by
// that of the unmodified sources' product (measured: negate and absolute do not count).
template <bool kFlush, bool kPropagateNan, bool kXorSign>
struct Fmnmx {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    const u32 a = flushed<kFlush>(x.a), b = flushed<kFlush>(x.b);
    const u32 picked = (order_key(a) < order_key(b)) == (x.p != 0) ? a : b;
    const u32 number = is_nan32(a) ? (is_nan32(b) ? kNan32 : b) : is_nan32(b) ? a : picked;
    const u32 result = kPropagateNan && (is_nan32(a) | is_nan32(b)) ? kNan32 : number;
    const u32 sign = (x.raw_a ^ x.raw_b) & kSign32;
    return kXorSign && !is_nan32(result) ? (result & ~kSign32) | sign : result;
  }
};

template <bool kFlush, bool kPropagateNan>
struct Fmnmx3 {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) {
    Lane rest = x;
    rest.a = Fmnmx<kFlush, kPropagateNan, false>::eval(x);
    rest.b = x.c;
    return Fmnmx<kFlush, kPropagateNan, false>::eval(rest);
  }
};

// Comparison numbers of floats are sets: 1 less, 2 equal, 4 greater, 8 unordered.
template <u32 kCompare, class T>
inline bool compare_floats(T a, T b) {
  if constexpr (kCompare >= 8) return !compare_floats<15 - kCompare>(a, b);
  if constexpr (kCompare == 0) return false;
  if constexpr (kCompare == 1) return a < b;
  if constexpr (kCompare == 2) return a == b;
  if constexpr (kCompare == 3) return a <= b;
  if constexpr (kCompare == 4) return a > b;
  if constexpr (kCompare == 5) return (a < b) | (a > b);
  if constexpr (kCompare == 6) return a >= b;
  if constexpr (kCompare == 7) return (a == a) & (b == b);
}

// The same for a set that is known only at run time. Instructions that few programs execute need
// one function this way, not one for each of sixteen sets.
inline bool compare_floats(float a, float b, u32 set) {
  const u32 relation = (a < b ? 1u : 0u) | (a == b ? 2u : 0u) | (a > b ? 4u : 0u);
  return (set & (relation == 0 ? 8u : relation)) != 0;
}

template <u32 kCompare, bool kFlush>
struct Fsetp : CompareResult {
  using Sources = sources::Float32;
  static bool eval(const Lane& x) {
    return compare_floats<kCompare>(as_float(flushed<kFlush>(x.a)), as_float(flushed<kFlush>(x.b)));
  }
};

// 1.0 or 0.0 from the comparison combined with Pp; k[0]: 0 AND, 1 OR, 2 XOR; k[1]: the comparison.
inline bool combine_flag(bool compare, bool p, u32 bop) {
  return bop == 0 ? compare & p : bop == 1 ? compare | p : compare != p;
}

template <bool kFlush>
struct Fset {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x, const Params& k) {
    const bool compare =
        compare_floats(as_float(flushed<kFlush>(x.a)), as_float(flushed<kFlush>(x.b)), k[1]);
    return combine_flag(compare, x.p != 0, k[0]) ? 0x3f800000u : 0;
  }
};

template <bool kFlush>
struct Fsel {
  using Sources = sources::Float32;
  static u32 eval(const Lane& x) { return flushed<kFlush>(x.p != 0 ? x.a : x.b); }
};

// Whether a / b needs the slow path. Only the exponents count; the limits are those of a measured
// table of all pairs (gpu/kernels/micro/lane_probe; H200).
struct Fchk {
  using Sources = sources::Float32;
  static bool eval(const Lane& x) {
    const u32 a = x.a >> 23 & 0xff, b = x.b >> 23 & 0xff;
    // Unsigned differences put each range's two limits into one comparison.
    const bool a_fits = a - 25 <= 254 - 25, b_fits = b - 2 <= 251 - 2;
    const bool quotient_fits = a - b + 124 <= 126 + 124;
    return !(a_fits & b_fits & quotient_fits);
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
