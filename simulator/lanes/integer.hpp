// Integer instructions, one lane at a time (docs/hardware/arithmetic.md).
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

inline i64 sign_extended(u32 value) { return static_cast<i32>(value); }
inline u32 truth(u32 predicate) { return predicate != 0 ? 1 : 0; }

// k[0]: how many sources are negated. A negated source is counted as ~x + 1 without wrapping, so
// "-0" contributes a carry; in the .X form it is ~x and the predicates supply the ones. The carries
// are a thermometer of the whole sum, not those of two adders (docs/hardware/arithmetic.md).
template <bool kExtended>
struct Iadd3 {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x, const Params& k) {
    return x.a + x.b + x.c + (kExtended ? truth(x.p) + truth(x.q) : k[0]);
  }
};

template <bool kExtended>
struct Iadd3Carry {
  using Sources = sources::Inverted;
  static WithFlags<u32> eval(const Lane& x, const Params& k) {
    const u32 ones = kExtended ? truth(x.p) + truth(x.q) : k[0];
    // Carries out of each 32-bit step; at most 3 in all.
    const u32 ab = x.a + x.b;
    const u32 abc = ab + x.c;
    const u32 sum = abc + ones;
    const u32 carries = (ab < x.a ? 1u : 0u) + (abc < x.c ? 1u : 0u) + (sum < ones ? 1u : 0u);
    return {sum, carries >= 1, carries >= 2};
  }
};

// UIADD3.64: the same over 64 bits.
template <bool kExtended>
struct Iadd3Wide {
  using Sources = sources::Inverted;
  static WithFlags<u64> eval(const Lane& x, const Params& k) {
    const u64 ones = kExtended ? truth(x.p) + truth(x.q) : k[0];
    const u64 ab = x.a64() + x.b64();
    const u64 abc = ab + x.c64();
    const u64 sum = abc + ones;
    const u32 carries =
        (ab < x.a64() ? 1u : 0u) + (abc < x.c64() ? 1u : 0u) + (sum < ones ? 1u : 0u);
    return {sum, carries >= 1, carries >= 2};
  }
};

// k[0]: the number of negated sources.
template <bool kExtended>
struct Iadd64 {
  using Sources = sources::Inverted;
  static WithFlags<u64> eval(const Lane& x, const Params& k) {
    const u64 ones = kExtended ? truth(x.p) : k[0];
    const u64 ab = x.a64() + x.b64(), sum = ab + ones;
    const u32 carries = u32{ab < x.a64()} + u32{sum < ones};
    return {sum, carries != 0, false};
  }
};

// k[0]: 1 if C is negated.
template <bool kExtended>
struct Imad {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x, const Params& k) {
    return x.a * x.b + x.c + (kExtended ? truth(x.p) : k[0]);
  }
};

template <bool kSigned>
inline u64 wide_product(u32 a, u32 b) {
  if constexpr (kSigned) {
    return static_cast<u64>(sign_extended(a) * sign_extended(b));
  } else {
    return u64{a} * b;
  }
}

template <bool kSigned, bool kExtended>
struct ImadWide {
  using Sources = sources::Inverted;
  static u64 eval(const Lane& x, const Params& k) {
    return wide_product<kSigned>(x.a, x.b) + x.c64() + (kExtended ? truth(x.p) : k[0]);
  }
};

// IMAD.WIDE with a carry out, of the 64-bit addition.
template <bool kSigned, bool kExtended>
struct ImadWideCarry {
  using Sources = sources::Inverted;
  static WithFlags<u64> eval(const Lane& x, const Params& k) {
    const u64 product = wide_product<kSigned>(x.a, x.b);
    const u64 ones = kExtended ? truth(x.p) : k[0];
    const u64 partial = product + x.c64();
    const u64 sum = partial + ones;
    const u32 carries = (partial < product ? 1u : 0u) + (sum < ones ? 1u : 0u);
    return {sum, carries != 0, false};
  }
};

template <bool kSigned, bool kExtended>
struct ImadHigh {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x, const Params& k) {
    return static_cast<u32>(ImadWide<kSigned, kExtended>::eval(x, k) >> 32);
  }
};

template <bool kSigned, bool kExtended>
struct ImadHighCarry {
  using Sources = sources::Inverted;
  static WithFlags<u32> eval(const Lane& x, const Params& k) {
    const auto wide = ImadWideCarry<kSigned, kExtended>::eval(x, k);
    return {static_cast<u32>(wide.value >> 32), wide.u, false};
  }
};

// k[0], k[1]: all ones when A, B are complemented; k[2]: ones to add (a negated source is ~x + 1);
// k[3]: the shift. The complement of A acts on the shifted value.
enum class LeaPart { low, high, high_sign_extended };
template <LeaPart kPart, bool kExtended>
struct Lea {
  using Sources = sources::Plain;
  static WithFlags<u32> eval(const Lane& x, const Params& k) {
    u32 shifted;
    if constexpr (kPart == LeaPart::low) {
      shifted = x.a << k[3];
    } else {
      const u32 high = kPart == LeaPart::high ? x.c : 0u - (x.a >> 31);
      shifted = static_cast<u32>(((u64{high} << 32 | x.a) << k[3]) >> 32);
    }
    const u32 ones = kExtended ? truth(x.p) : k[2];
    const u32 partial = (shifted ^ k[0]) + (x.b ^ k[1]);
    const u32 sum = partial + ones;
    const u32 carries = (partial < (x.b ^ k[1]) ? 1u : 0u) + (sum < ones ? 1u : 0u);
    return {sum, carries != 0, false};
  }
};

// Comparison numbers of ISETP: 0 F, 1 LT, 2 EQ, 3 LE, 4 GT, 5 NE, 6 GE, 7 T.
template <u32 kCompare, class T>
inline bool compare_integers(T a, T b) {
  if constexpr (kCompare == 0) return false;
  if constexpr (kCompare == 1) return a < b;
  if constexpr (kCompare == 2) return a == b;
  if constexpr (kCompare == 3) return a <= b;
  if constexpr (kCompare == 4) return a > b;
  if constexpr (kCompare == 5) return a != b;
  if constexpr (kCompare == 6) return a >= b;
  if constexpr (kCompare == 7) return true;
}

// Pu = bop(compare, Pp), Pv = bop(!compare, Pp), with bop 0 AND, 1 OR, 2 XOR in param[0].
struct CompareResult {
  static void finish(WarpState& warp, const MicroOp& op, Mask compare, Mask on) {
    const Mask p = warp.predicate(op.pp);
    const auto combine = [&](Mask m) {
      return op.param[0] == 0 ? m & p : op.param[0] == 1 ? m | p : m ^ p;
    };
    const Mask u = combine(compare);
    const Mask v = combine(~compare);
    warp.set_predicate(op.pu, u, on);
    warp.set_predicate(op.pv, v, on);
  }
};

// .EX compares high words; where they are equal the answer is that of the low words, Pr.
template <u32 kCompare, class T, bool kExtended>
struct Isetp : CompareResult {
  using Sources = sources::Plain;
  static bool eval(const Lane& x) {
    const bool words = compare_integers<kCompare>(static_cast<T>(x.a), static_cast<T>(x.b));
    if constexpr (kExtended && kCompare != 0 && kCompare != 7) {
      return x.a == x.b ? x.r != 0 : words;
    } else {
      return words;
    }
  }
};

template <u32 kCompare, class T>
struct Isetp64 : CompareResult {
  using Sources = sources::Plain;
  static bool eval(const Lane& x) {
    return compare_integers<kCompare>(static_cast<T>(x.a64()), static_cast<T>(x.b64()));
  }
};

template <class T>
struct Imnmx64 {
  using Sources = sources::Plain;
  static u64 eval(const Lane& x) {
    const bool a_less = static_cast<T>(x.a64()) < static_cast<T>(x.b64());
    return a_less == (x.p != 0) ? x.a64() : x.b64();
  }
};

// Four bytes as four values.
template <class T>
struct Vimnmx8x4 {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 8) {
      const T a = static_cast<T>(x.a >> shift), b = static_cast<T>(x.b >> shift);
      result |= u32{static_cast<u8>((a < b) == (x.p != 0) ? a : b)} << shift;
    }
    return result;
  }
};

template <class T>
inline u32 select_minimum(u32 a, u32 b, bool minimum) {
  const bool a_less = static_cast<T>(a) < static_cast<T>(b);
  return a_less == minimum ? a : b;
}

// Pp true: minimum.
template <class T>
struct Imnmx {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return select_minimum<T>(x.a, x.b, x.p != 0); }
};

// Two halfwords as two values.
template <class T>
inline u32 select_minimum_16x2(u32 a, u32 b, bool minimum) {
  const auto half = [&](u32 shift) {
    const T ha = static_cast<T>(a >> shift), hb = static_cast<T>(b >> shift);
    return u32{static_cast<u16>((ha < hb) == minimum ? ha : hb)} << shift;
  };
  return half(16) | half(0);
}

// Element types of VIMNMX and its relatives: 0 U32, 1 S32, 2 U16x2, 3 S16x2.
template <u32 kType>
inline u32 minimum_of_type(u32 a, u32 b, bool minimum) {
  if constexpr (kType == 0) return select_minimum<u32>(a, b, minimum);
  if constexpr (kType == 1) return select_minimum<i32>(a, b, minimum);
  if constexpr (kType == 2) return select_minimum_16x2<u16>(a, b, minimum);
  if constexpr (kType == 3) return select_minimum_16x2<i16>(a, b, minimum);
}

inline u32 add_16x2(u32 a, u32 b) {
  return ((a & 0xffff0000u) + (b & 0xffff0000u)) | ((a + b) & 0xffffu);
}

// .RELU: nothing below zero.
template <u32 kType, bool kRelu>
inline u32 rectified(u32 value) {
  return kRelu ? minimum_of_type<kType>(value, 0, false) : value;
}

template <u32 kType, bool kRelu>
struct Vimnmx {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    return rectified<kType, kRelu>(minimum_of_type<kType>(x.a, x.b, x.p != 0));
  }
};

template <u32 kType, bool kRelu>
struct Vimnmx3 {  // its second predicate source has no effect (measured)
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    const u32 ab = minimum_of_type<kType>(x.a, x.b, x.p != 0);
    return rectified<kType, kRelu>(minimum_of_type<kType>(ab, x.c, x.p != 0));
  }
};

// k[0]: all ones if B is complemented, k[1]: what to add then (1, or 0x00010001 for halfwords).
template <u32 kType, bool kRelu>
struct Viaddmnmx {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 b = x.b ^ k[0];
    const u32 sum = kType < 2 ? x.a + b + k[1] : add_16x2(x.a, add_16x2(b, k[1]));
    return rectified<kType, kRelu>(minimum_of_type<kType>(sum, x.c, x.p != 0));
  }
};

template <bool kHalves>
struct Viadd {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 b = x.b ^ k[0];
    return kHalves ? add_16x2(x.a, add_16x2(b, k[1])) : x.a + b + k[1];
  }
};

// .ISAT: what does not fit becomes the nearest number that does. k[0]: 1 if B is negated.
struct ViaddSaturated {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const i64 b = sign_extended(x.b), sum = sign_extended(x.a) + (k[0] != 0 ? -b : b);
    const i64 least = -i64{0x80000000}, most = 0x7fffffff;
    return static_cast<u32>(sum < least ? least : sum > most ? most : sum);
  }
};

// Byte by byte; k[0]: 1 if B is negated.
struct Viadd8x4 {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 8) {
      const u32 b = x.b >> shift;
      result |= (((x.a >> shift) + (k[0] != 0 ? 0u - b : b)) & 0xff) << shift;
    }
    return result;
  }
};

// A 64-bit value {C:A} shifted by B. Types: 0 S64, 1 U64, 2 S32, 3 U32; they set the range of the
// count and the sign of a right shift. A is the low word (docs/hardware/arithmetic.md).
template <bool kRight, bool kSigned, bool kHigh>
struct Shf {
  using Sources = sources::Plain;
  // k[0]: mask of a wrapped count (or all ones), k[1]: largest count.
  static u32 eval(const Lane& x, const Params& k) {
    const u32 masked = x.b & k[0];
    const u32 count = masked < k[1] ? masked : k[1];  // 0 … 64
    const u64 value = u64{x.c} << 32 | x.a;
    // In two steps, because a shift by 64 is not defined.
    const u32 first = count >> 1, second = count - first;
    u64 shifted;
    if constexpr (!kRight) {
      shifted = value << first << second;
    } else if constexpr (kSigned) {
      shifted = static_cast<u64>(static_cast<i64>(value) >> first >> second);
    } else {
      shifted = value >> first >> second;
    }
    return static_cast<u32>(kHigh ? shifted >> 32 : shifted);
  }
};

// The two shapes most code uses, as plain 32-bit shifts by at most 32: C or A is RZ.
struct ShiftLeft {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 count = x.b & k[0];
    return count > 31 ? 0 : x.a << (count & 31);
  }
};
template <class T>
struct ShiftRight {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 masked = x.b & k[0];
    const u32 count = masked > 31 ? 31 : masked;
    const u32 shifted = static_cast<u32>(static_cast<T>(x.c) >> count);
    return static_cast<T>(-1) > 0 && masked > 31 ? 0 : shifted;
  }
};

// Bytes of {C:A} chosen by the nibbles of B; bit 3 of a nibble spreads the byte's sign.
inline u32 permuted_byte(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) != 0 ? ((byte & 0x80) != 0 ? 0xffu : 0u) : byte;
}

// Modes: 0 IDX, 1 F4E, 2 B4E, 3 RC8, 4 ECL, 5 ECR, 6 RC16 (PTX prmt); all but IDX take two bits of
// B and become a selector of their own.
template <u32 kMode>
inline u32 prmt_selector(u32 b) {
  const u32 n = b & 3;
  if constexpr (kMode == 1) return 0x3210u + 0x1111u * n;
  if constexpr (kMode == 2) return ((0x5670u + 0x1111u * n) & 0x7777u);
  if constexpr (kMode == 3) return 0x1111u * n;
  if constexpr (kMode == 4) return n == 0 ? 0x3210u : n == 1 ? 0x3211u : n == 2 ? 0x3222u : 0x3333u;
  if constexpr (kMode == 5) return n == 0 ? 0x0000u : n == 1 ? 0x1110u : n == 2 ? 0x2210u : 0x3210u;
  if constexpr (kMode == 6) return (n & 1) != 0 ? 0x3232u : 0x1010u;
  return b;
}

template <u32 kMode>
struct Prmt {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    const u64 bytes = u64{x.c} << 32 | x.a;
    const u32 s = prmt_selector<kMode>(x.b);
    return permuted_byte(bytes, s) | permuted_byte(bytes, s >> 4) << 8 |
           permuted_byte(bytes, s >> 8) << 16 | permuted_byte(bytes, s >> 12) << 24;
  }
};

// A selector that all lanes have, which spreads no signs: what is the same for all is found once.
// k[n]: the nibble that chooses byte n.
struct PrmtOfOneSelector {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    u32 result = 0;
    for (u32 n = 0; n < 4; ++n) {
      const u32 of_c = 0u - (k[n] >> 2 & 1), turn = 8 * (k[n] - n) & 31;
      const u32 word = (x.a & ~of_c) | (x.c & of_c);
      result |= (word >> turn | word << (-turn & 31)) & (0xffu << 8 * n);
    }
    return result;
  }
};

template <bool kWrap>
inline u32 bit_count(u32 b) {
  return kWrap ? b & 31 : (b > 32 ? 32 : b);
}
inline u32 low_bits(u32 count) { return count > 31 ? ~0u : (1u << (count & 31)) - 1; }

// The low B bits of A, sign- or zero-extended.
template <bool kSigned, bool kWrap>
struct Sgxt {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    const u32 count = bit_count<kWrap>(x.b);
    const u32 mask = low_bits(count);
    const u32 sign = count == 0 ? 0 : x.a >> ((count - 1) & 31) & 1;
    return (x.a & mask) | (kSigned && sign != 0 ? ~mask : 0);
  }
};

// B ones from bit A up.
template <bool kWrap>
struct Bmsk {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    const u32 position = kWrap ? x.a & 31 : x.a;
    const u32 mask = low_bits(bit_count<kWrap>(x.b));
    return position > 31 ? 0 : mask << (position & 31);
  }
};

struct Sel {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return x.p != 0 ? x.a : x.b; }
};

struct Sel64 {
  using Sources = sources::Plain;
  static u64 eval(const Lane& x) { return x.p != 0 ? x.a64() : x.b64(); }
};

struct Mov64 {
  using Sources = sources::Plain;
  static u64 eval(const Lane& x) { return x.b64(); }
};

struct Mov {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return x.b; }
};

struct Iabs {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return static_cast<i32>(x.b) < 0 ? 0u - x.b : x.b; }
};

// By sums of ever more bits. Of a product at the end gcc makes one lane's POPCNT after the other's.
inline u32 population(u32 v) {
  v = v - (v >> 1 & 0x55555555u);
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  v += v >> 8;
  return (v + (v >> 16)) & 63;
}

struct Popc {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x) { return population(x.b); }
};

// Ignores the bit that inverts POPC's and FLO's source (measured).
struct Brev {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    u32 v = x.b;
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
  }
};

// Index of the highest set bit (signed: of the highest bit unlike the sign), or all ones; with .SH
// the shift that would bring it to bit 31.
template <bool kSigned, bool kShift>
struct Flo {
  using Sources = sources::Inverted;
  static WithFlags<u32> eval(const Lane& x) {
    const u32 value = kSigned ? x.b ^ (0u - (x.b >> 31)) : x.b;
    // The index's bits from the top, by halves.
    u32 rest = value, index = 0;
    const auto halve = [&](u32 bits) {
      const u32 upper = rest >> bits != 0 ? bits : 0;
      index += upper;
      rest >>= upper;
    };
    halve(16), halve(8), halve(4), halve(2), halve(1);
    const u32 none = 0u - u32{value == 0};
    return {(kShift ? 31 - index : index) | none, value != 0, false};
  }
};

// Dot product of four bytes, or of two halfwords of A with two bytes of B (.LO: bytes 0 and 1,
// .HI: bytes 2 and 3), plus C. k[0]: 1 if C is negated.
template <bool kSigned>
inline u32 byte_of(u32 word, u32 i) {
  const u32 byte = word >> (8 * i) & 0xff;
  return kSigned ? static_cast<u32>(static_cast<i32>(byte ^ 0x80) - 0x80) : byte;
}
template <bool kSigned>
inline u32 halfword_of(u32 word, u32 i) {
  const u32 half = word >> (16 * i) & 0xffff;
  return kSigned ? static_cast<u32>(static_cast<i32>(half ^ 0x8000) - 0x8000) : half;
}

template <bool kSignedA, bool kSignedB>
struct Idp4 {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x, const Params& k) {
    u32 sum = x.c + k[0];
    for (u32 i = 0; i < 4; ++i) sum += byte_of<kSignedA>(x.a, i) * byte_of<kSignedB>(x.b, i);
    return sum;
  }
};

template <bool kSignedA, bool kSignedB, u32 kFirstByte>
struct Idp2 {
  using Sources = sources::Inverted;
  static u32 eval(const Lane& x, const Params& k) {
    u32 sum = x.c + k[0];
    for (u32 i = 0; i < 2; ++i)
      sum += halfword_of<kSignedA>(x.a, i) * byte_of<kSignedB>(x.b, kFirstByte + i);
    return sum;
  }
};

// |A - B| + C, Pu the carry of the addition (measured).
template <class T>
struct Vabsdiff {
  using Sources = sources::Plain;
  static WithFlags<u32> eval(const Lane& x) {
    const bool a_less = static_cast<T>(x.a) < static_cast<T>(x.b);
    const u32 sum = (a_less ? x.b - x.a : x.a - x.b) + x.c;
    return {sum, sum < x.c, false};
  }
};

// Absolute differences of bytes: each in its byte, or all added to C (.ACC) with Pu the carry.
template <bool kSigned, bool kAccumulate>
struct Vabsdiff4 {
  using Sources = sources::Plain;
  static WithFlags<u32> eval(const Lane& x) {
    u32 sum = 0, bytes = 0;
    for (u32 i = 0; i < 4; ++i) {
      const i32 difference = static_cast<i32>(byte_of<kSigned>(x.a, i) - byte_of<kSigned>(x.b, i));
      const u32 magnitude = static_cast<u32>(difference < 0 ? -difference : difference);
      sum += magnitude;
      bytes |= magnitude << (8 * i);
    }
    const u32 total = sum + x.c;
    return {kAccumulate ? total : bytes, kAccumulate && total < sum, false};
  }
};

// Saturating conversion of a 32-bit signed integer to 0 U8, 1 S8, 2 U16, 3 S16.
template <u32 kType>
struct I2i {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) {
    constexpr i32 lowest = kType == 1 ? -0x80 : kType == 3 ? -0x8000 : 0;
    constexpr i32 highest = kType == 0 ? 0xff : kType == 1 ? 0x7f : kType == 2 ? 0xffff : 0x7fff;
    const i32 value = static_cast<i32>(x.b);
    return static_cast<u32>(value < lowest ? lowest : value > highest ? highest : value);
  }
};

// Two signed numbers, clamped to kBits bits, side by side; C above them, or its upper half: k[0]
// says how far it is shifted first.
template <u32 kBits, bool kSigned>
struct I2ip {
  using Sources = sources::Plain;
  static u32 clamped(u32 word) {
    constexpr i32 kLowest = kSigned ? -(1 << (kBits - 1)) : 0;
    constexpr i32 kHighest = (1 << (kBits - kSigned)) - 1;
    const i32 value = static_cast<i32>(word);
    const i32 low = value > kLowest ? value : kLowest;
    return static_cast<u32>(low < kHighest ? low : kHighest) & ((1u << kBits) - 1);
  }
  static u32 eval(const Lane& x, const Params& k) {
    const u32 above = kBits == 16 ? 0 : x.c >> (k[0] & 31) << 2 * kBits % 32;
    return above | clamped(x.a) << kBits | clamped(x.b);
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
