// The one lane loop: lifts a scalar function of one lane to a warp.
//
// This header is compiled several times, for several vector units, each time in a namespace of its
// own (HEDDLE_LANES_VARIANT). Whatever it and the files beside it call must be a macro, a builtin
// or in that namespace, so that the linker can never hand AVX-512 code to the baseline (a test
// looks at the objects' symbols).
#pragma once

#include <cstdint>
#include <type_traits>

#include "simulator/warp/micro_op.hpp"

#ifndef HEDDLE_LANES_VARIANT
#error "HEDDLE_LANES_VARIANT names the vector unit this file is compiled for"
#endif

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// What one lane sees of an instruction, source modifiers applied. p, q and r are zero when the
// lane's predicate is false, and some non-zero number when it is true.
struct Lane {
  u32 a, b, c;
  u32 a_high, b_high, c_high;  // of 64-bit sources
  u32 p, q, r;
  // Registers before modifiers: the signs of NaNs and of .XORSIGN come from these.
  u32 raw_a, raw_b, raw_a_high, raw_b_high, raw_c_high;

  u64 a64() const { return u64{a_high} << 32 | a; }
  u64 b64() const { return u64{b_high} << 32 | b; }
  u64 c64() const { return u64{c_high} << 32 | c; }
};

// MicroOp::param, copied so that stores to rows cannot change it.
struct Params {
  u32 value[4];
  u32 operator[](unsigned i) const { return value[i]; }
};

// How a source's negate and absolute act. An instruction struct names one as `using Sources = …`.
namespace sources {

// Ignored: the instruction has none, or looks at them itself.
struct Plain {
  static constexpr u32 and_low = ~0u, and_high = ~0u, xor_low = 0, xor_high = 0;
};
// Negate is a bitwise NOT (integer adds add the 1 themselves: docs/hardware/arithmetic.md, IADD3).
struct Inverted {
  static constexpr u32 and_low = ~0u, and_high = ~0u, xor_low = ~0u, xor_high = ~0u;
};
struct Float32 {
  static constexpr u32 and_low = 0x7fffffffu, and_high = ~0u, xor_low = 0x80000000u, xor_high = 0;
};
struct Float64 {
  static constexpr u32 and_low = ~0u, and_high = 0x7fffffffu, xor_low = 0, xor_high = 0x80000000u;
};
struct TwoFloats {
  static constexpr u32 and_low = 0x7fffffffu, and_high = 0x7fffffffu;
  static constexpr u32 xor_low = 0x80000000u, xor_high = 0x80000000u;
};
// Two halves (or the one half a conversion selects from either).
struct Half2 {
  static constexpr u32 and_low = 0x7fff7fffu, and_high = ~0u, xor_low = 0x80008000u, xor_high = 0;
};

}  // namespace sources

// What an instruction struct's eval may return: a word, 64 bits (two rows), a predicate (bool), or
// one of these.
struct Nothing {};
template <class Value>
struct WithFlags {  // a value and up to two predicates
  Value value;
  bool u, v;
};

inline constexpr struct LaneBits {
  u32 bit[kWarpSize];
  constexpr LaneBits() : bit() {
    for (unsigned i = 0; i < kWarpSize; ++i) bit[i] = 1u << i;
  }
} kLaneBits;

// What vector units look at together with one instruction.
#if defined(__AVX512DQ__)
inline constexpr u32 kWordsAtOnce = 16;
#elif defined(__AVX2__)
inline constexpr u32 kWordsAtOnce = 8;
#else
inline constexpr u32 kWordsAtOnce = 4;
#endif
using WordVector = i32 __attribute__((vector_size(kWordsAtOnce * sizeof(i32))));

// The words' signs, a bit each.
inline u32 signs(const WordVector& words) {
  using Floats [[maybe_unused]] = float __attribute__((vector_size(sizeof words)));
#if defined(__AVX512DQ__)
  return __builtin_ia32_cvtd2mask512(words);
#elif defined(__AVX2__)
  return static_cast<u32>(__builtin_ia32_movmskps256(__builtin_bit_cast(Floats, words)));
#else
  return static_cast<u32>(__builtin_ia32_movmskps(__builtin_bit_cast(Floats, words)));
#endif
}

inline bool any_set(const u32 (&words)[kWarpSize]) {
  WordVector all{};
  for (u32 i = 0; i < kWarpSize; i += kWordsAtOnce) {
    WordVector some;
    __builtin_memcpy(&some, words + i, sizeof some);
    all |= some;
  }
  return signs(all != WordVector{}) != 0;
}

// A flag of each lane: as a word of ones or zeros until all are there, which is how vector units
// compare.
struct LaneFlags {
  u32 word[kWarpSize];

  void set(unsigned i, bool flag) { word[i] = 0u - u32{flag}; }
  // Bit i is lane i's.
  u32 gather() const {
    u32 bits = 0;
    for (u32 i = 0; i < kWarpSize; i += kWordsAtOnce) {
      WordVector words;
      __builtin_memcpy(&words, word + i, sizeof words);
      bits |= signs(words) << i;
    }
    return bits;
  }
};

// condition ? yes : no, both always computed: gcc moves work under a conditional expression into a
// branch, and a loop with branches stays scalar.
inline u32 pick(bool condition, u32 yes, u32 no) {
  const u32 mask = 0u - u32{condition};
  return (yes & mask) | (no & ~mask);
}

// One source: its rows and what its modifiers do to the words.
template <class Sources>
struct SourceView {
  const u32* row;
  u32 and_low, and_high, xor_low, xor_high;

  SourceView(const WarpState& warp, RowOffset offset, bool negate, bool absolute)
      : row(source_row(warp, offset)),
        and_low(absolute ? Sources::and_low : ~0u),
        and_high(absolute ? Sources::and_high : ~0u),
        xor_low(negate ? Sources::xor_low : 0),
        xor_high(negate ? Sources::xor_high : 0) {}

  u32 low(unsigned i) const { return (row[i] & and_low) ^ xor_low; }
  u32 high(unsigned i) const { return (row[kWarpSize + i] & and_high) ^ xor_high; }
};

template <bool kFull>
inline void put(u32* row, unsigned i, u32 value, Mask on) {
  row[i] = kFull || (on.bits() & kLaneBits.bit[i]) != 0 ? value : row[i];
}

template <bool kFull>
inline void put(u32* row, unsigned i, u64 value, Mask on) {
  put<kFull>(row, i, static_cast<u32>(value), on);
  put<kFull>(row + kWarpSize, i, static_cast<u32>(value >> 32), on);
}

// Stores a lane's result and notes its flags.
struct Flags {
  LaneFlags u, v;

  template <bool kFull>
  void take(u32*, unsigned, Nothing, Mask) {}
  template <bool kFull>
  void take(u32* d, unsigned i, u32 value, Mask on) {
    put<kFull>(d, i, value, on);
  }
  template <bool kFull>
  void take(u32* d, unsigned i, u64 value, Mask on) {
    put<kFull>(d, i, value, on);
  }
  template <bool kFull>
  void take(u32*, unsigned i, bool flag, Mask) {
    u.set(i, flag);
  }
  template <bool kFull, class Value>
  void take(u32* d, unsigned i, const WithFlags<Value>& result, Mask on) {
    take<kFull>(d, i, result.value, on);
    u.set(i, result.u);
    v.set(i, result.v);
  }
};

template <class Result>
inline constexpr bool kHasFlags = false;
template <>
inline constexpr bool kHasFlags<bool> = true;
template <class Value>
inline constexpr bool kHasFlags<WithFlags<Value>> = true;
template <class Result>
inline constexpr bool kHasBothFlags = kHasFlags<Result> && !std::is_same_v<Result, bool>;

template <class Op>
inline auto evaluate(const Lane& x, const Params& k) {
  if constexpr (requires { Op::eval(x, k); }) {
    return Op::eval(x, k);
  } else {
    return Op::eval(x);
  }
}

// Lane i reads words i of its source rows before it writes words i of its destination rows, and
// rows overlap only as wholes; so no lane sees another's result even where a destination is also a
// source, which is what ivdep says. Loads that eval does not use are never made.
template <class Op, bool kFull>
inline void lane_loop(WarpState& warp, const MicroOp& op, Mask on) {
  using Sources = typename Op::Sources;
  const SourceView<Sources> a(warp, op.a, op.a_negate, op.a_absolute);
  const SourceView<Sources> b(warp, op.b, op.b_negate, op.b_absolute);
  const SourceView<Sources> c(warp, op.c, op.c_negate, op.c_absolute);
  const u32 p = warp.predicate(op.pp).bits();
  const u32 q = warp.predicate(op.pq).bits();
  const u32 r = warp.predicate(op.pr).bits();
  const Params k{{op.param[0], op.param[1], op.param[2], op.param[3]}};
  u32* const d = destination_row(warp, op.d);
  Flags flags;
#pragma GCC ivdep
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const u32 bit = kLaneBits.bit[i];
    const Lane x{a.low(i),
                 b.low(i),
                 c.low(i),
                 a.high(i),
                 b.high(i),
                 c.high(i),
                 p & bit,
                 q & bit,
                 r & bit,
                 a.row[i],
                 b.row[i],
                 a.row[kWarpSize + i],
                 b.row[kWarpSize + i],
                 c.row[kWarpSize + i]};
    flags.take<kFull>(d, i, evaluate<Op>(x, k), on);
  }
  using Result = decltype(evaluate<Op>(Lane{}, Params{}));
  if constexpr (requires { Op::finish(warp, op, Mask(), on); }) {
    Op::finish(warp, op, Mask(flags.u.gather()), on);
  } else if constexpr (kHasFlags<Result>) {
    warp.set_predicate(op.pu, Mask(flags.u.gather()), on);
    warp.set_predicate(op.pv, kHasBothFlags<Result> ? Mask(flags.v.gather()) : Mask(), on);
  }
}

// An instruction whose sources have no modifiers.
template <class Op>
struct Unmodified : Op {
  using Sources = sources::Plain;
};

// The lane function of an instruction struct. Everything below it is inlined, whatever the compiler
// thinks of the size: a call in the loop would keep it scalar.
template <class Op>
[[gnu::flatten]] void lift(WarpState& warp, const MicroOp& op, Mask on) {
  if (on == kFullMask) {
    lane_loop<Op, true>(warp, op, on);
  } else {
    lane_loop<Op, false>(warp, op, on);
  }
}

inline bool is_modified(const MicroOp& op) {
  return op.a_negate || op.a_absolute || op.b_negate || op.b_absolute || op.c_negate ||
         op.c_absolute;
}

// As lift, for these sources: most have no modifiers, and need not go through what those would do.
template <class Op>
inline LaneFunction lift_sources(const MicroOp& op) {
  return is_modified(op) ? lift<Op> : lift<Unmodified<Op>>;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
