// Floating-point building blocks: bit views, flushing, canonical NaNs, directed rounding.
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline float as_float(u32 bits) { return __builtin_bit_cast(float, bits); }
inline u32 bits_of(float value) { return __builtin_bit_cast(u32, value); }
inline double as_double(u64 bits) { return __builtin_bit_cast(double, bits); }
inline u64 bits_of(double value) { return __builtin_bit_cast(u64, value); }

inline constexpr u32 kSign32 = 0x80000000u;
inline constexpr u32 kNan32 = 0x7fffffffu;  // every FP32 result that is not a number
inline constexpr u32 kNan16 = 0x7fffu;      // FP16 and BF16 likewise

inline bool is_nan32(u32 bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// Subnormals become a zero of their sign (.FTZ).
template <bool kFlush>
inline u32 flushed(u32 bits) {
  return kFlush && (bits & 0x7f800000u) == 0 ? bits & kSign32 : bits;
}

// A float result as the register gets it: canonical NaN, flushed, and with .SAT clamped to [0, 1],
// where NaN and -0 become +0. `twice` is the same result for twice the exact value. .FTZ flushes
// what is below 2^-126 when rounded without a limit to the exponent (measured), which `twice` still
// shows where `value` itself has been rounded up to 2^-126.
template <bool kFlush, bool kSaturate>
inline u32 float_result(float value, float twice) {
  const bool tiny = kFlush && __builtin_fabsf(twice) < 0x1p-125f;
  const u32 bits = tiny ? bits_of(value) & kSign32 : bits_of(value);
  if constexpr (kSaturate) {
    return value >= 1.0f ? 0x3f800000u : value > 0.0f ? bits : 0u;
  } else {
    return value != value ? kNan32 : bits;
  }
}

// Where nothing is flushed, or whatever is tiny is exact.
template <bool kFlush, bool kSaturate>
inline u32 float_result(float value) {
  return float_result<kFlush, kSaturate>(value, value + value);
}

// Rounding numbers of arithmetic: 0 to nearest even, 1 down, 2 up, 3 to zero.
enum Rounding : u32 { kNearest, kDown, kUp, kZero };

// The lane function of Op with the rounding mode of param[3], set around the whole loop. The loop
// is reached through a pointer the compiler cannot see through, so no operation moves out of it.
void with_rounding(WarpState& warp, const MicroOp& op, Mask on, LaneFunction loop);

template <class Op>
void lift_rounded(WarpState& warp, const MicroOp& op, Mask on) {
  with_rounding(warp, op, on, lift<Op>);
}

template <class Op>
inline LaneFunction lift_with(u32 rounding, MicroOp& op) {
  op.param[3] = rounding;
  return rounding == kNearest ? lift_sources<Op>(op) : lift_rounded<Op>;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
