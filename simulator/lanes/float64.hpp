// FP64 instructions, one lane at a time (SASS-FACTS 3.3). Subnormals are always kept.
#pragma once

#include "simulator/lanes/float32.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Every FP64 result that is not a number. The one place to change when payloads turn out to matter.
inline constexpr u64 kNan64 = 0xfff8000000000000u;

inline u64 double_result(double value) { return value != value ? kNan64 : bits_of(value); }

struct Dadd {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) { return double_result(as_double(x.a64()) + as_double(x.b64())); }
};

struct Dmul {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) { return double_result(as_double(x.a64()) * as_double(x.b64())); }
};

struct Dfma {
  using Sources = sources::Float64;
  static u64 eval(const Lane& x) {
    return double_result(__builtin_fma(as_double(x.a64()), as_double(x.b64()), as_double(x.c64())));
  }
};

template <u32 kCompare>
struct Dsetp : CompareResult {
  using Sources = sources::Float64;
  static bool eval(const Lane& x) {
    return compare_floats<kCompare>(as_double(x.a64()), as_double(x.b64()));
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
