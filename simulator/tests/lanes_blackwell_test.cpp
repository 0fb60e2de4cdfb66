// The forms that came with sm_100 and sm_120, against plain arithmetic. No such GPU was at hand:
// what they compute is what the PTX instructions they are compiled from do.

#include <algorithm>
#include <bit>
#include <cmath>

#include "simulator/tests/lanes_exact.hpp"
#include "simulator/tests/lanes_harness.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;
__extension__ using Wide = unsigned __int128;

using i64 = std::int64_t;
using i32 = std::int32_t;

TEST(LanesBlackwell, AddsNumbersOf64BitsWithACarry) {
  for (const char* negated : {"", "a", "b"})
    LaneCase(Op::IADD_64)
        .negate(negated)
        .inputs(edgy_integer64)
        .rows_written(2)
        .expect([&](const Inputs& in) -> Outputs {
          const auto term = [&](char slot, u64 value) {
            return *negated == slot ? Wide{~value} + 1 : Wide{value};
          };
          const Wide sum = term('a', in.a) + term('b', in.b);
          return {static_cast<u64>(sum), sum >> 64 != 0, {}};
        });
  LaneCase(Op::IADD_64, {{Mod::x, 1}})
      .negate("b")
      .inputs(edgy_integer64)
      .rows_written(2)
      .expect([](const Inputs& in) -> Outputs {
        const Wide sum = Wide{in.a} + ~in.b + in.p;
        return {static_cast<u64>(sum), sum >> 64 != 0, {}};
      });
}

TEST(LanesBlackwell, ComparesNumbersOf64Bits) {
  const auto compare = [](u32 number, auto a, auto b) {
    const bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
    return results[number];
  };
  for (const Op op : {Op::ISETP_64, Op::UISETP_64})
    for (u32 cmp = 0; cmp < 8; ++cmp)
      for (const bool is_signed : {false, true})
        LaneCase(op, {{Mod::cmp, cmp}, {Mod::is_signed, is_signed}, {Mod::bop, 1}})
            .inputs(edgy_integer64)
            .rounds(20)
            .expect([&](const Inputs& in) -> Outputs {
              const bool result = is_signed
                                      ? compare(cmp, static_cast<i64>(in.a), static_cast<i64>(in.b))
                                      : compare(cmp, in.a, in.b);
              return {{}, result || in.p, !result || in.p};
            });
}

TEST(LanesBlackwell, MinimaSelectionsAndMovesOf64Bits) {
  for (const bool is_signed : {false, true}) {
    LaneCase minimum(Op::IMNMX_64, {{Mod::is_signed, is_signed}});
    minimum.instruction().pq = {.index = isa::kPT, .negated = true};
    minimum.inputs(edgy_integer64)
        .rows_written(2)
        .without_predicate_outputs()
        .expect([&](const Inputs& in) -> Outputs {
          const bool less =
              is_signed ? static_cast<i64>(in.a) < static_cast<i64>(in.b) : in.a < in.b;
          return {less == in.p ? in.a : in.b, {}, {}};
        });
  }
  LaneCase(Op::SEL_64)
      .inputs(edgy_integer64)
      .rows_written(2)
      .expect([](const Inputs& in) -> Outputs {
        return {in.p ? in.a : in.b, {}, {}};
      });
  LaneCase(Op::MOV_64)
      .inputs(edgy_integer64)
      .rows_written(2)
      .expect([](const Inputs& in) -> Outputs {
        return {in.b, {}, {}};
      });
}

template <class T>
u64 in_each_byte(const Inputs& in, int (*f)(int, int, bool)) {
  u64 result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const T a = static_cast<T>(in.a32() >> shift), b = static_cast<T>(in.b32() >> shift);
    result |= u64{static_cast<std::uint8_t>(f(a, b, in.p))} << shift;
  }
  return result;
}

TEST(LanesBlackwell, FourBytesAreFourNumbers) {
  const auto minimum = [](int a, int b, bool p) { return p ? std::min(a, b) : std::max(a, b); };
  LaneCase(Op::VIMNMX, {{Mod::type, 4}})
      .without_predicate_outputs()
      .expect([&](const Inputs& in) -> Outputs {
        return {in_each_byte<std::uint8_t>(in, minimum), {}, {}};
      });
  LaneCase(Op::VIMNMX, {{Mod::type, 5}})
      .without_predicate_outputs()
      .expect([&](const Inputs& in) -> Outputs {
        return {in_each_byte<std::int8_t>(in, minimum), {}, {}};
      });
  LaneCase(Op::VIADD, {{Mod::type, 4}}).expect([](const Inputs& in) -> Outputs {
    return {in_each_byte<std::uint8_t>(in, [](int a, int b, bool) { return a + b; }), {}, {}};
  });
  LaneCase(Op::VIADD, {{Mod::type, 5}}).negate("b").expect([](const Inputs& in) -> Outputs {
    return {in_each_byte<std::int8_t>(in, [](int a, int b, bool) { return a - b; }), {}, {}};
  });
}

TEST(LanesBlackwell, SaturatedSumsStopAtTheEnds) {
  for (const bool negated : {false, true})
    LaneCase(Op::VIADD, {{Mod::type, 2}, {Mod::sat, 1}})
        .negate(negated ? "b" : "")
        .expect([&](const Inputs& in) -> Outputs {
          const i64 a = static_cast<i32>(in.a32()), b = static_cast<i32>(in.b32());
          const i64 sum = negated ? a - b : a + b;
          return {static_cast<u32>(std::clamp<i64>(sum, INT32_MIN, INT32_MAX)), {}, {}};
        });
}

TEST(LanesBlackwell, TheLeastAndTheGreatestOfThreeFloats) {
  for (const bool propagates : {false, true})
    LaneCase(Op::FMNMX3, {{Mod::nan, propagates}})
        .inputs(edgy_float32)
        .expect([&](const Inputs& in) -> Outputs {
          const auto two = [&](u32 x, u32 y) -> u32 {
            const float a = std::bit_cast<float>(x), b = std::bit_cast<float>(y);
            if (std::isnan(a) || std::isnan(b))
              return propagates || (std::isnan(a) && std::isnan(b)) ? 0x7fffffff
                     : std::isnan(a)                                ? y
                                                                    : x;
            const bool a_less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
            return a_less == in.p ? x : y;
          };
          return {two(two(in.a32(), in.b32()), in.c32()), {}, {}};
        });
}

// Each half of a pair by itself.
template <class F>
Reference two_floats(F f) {
  return [f](const Inputs& in) -> Outputs {
    const u32 low = f(in.a32(), in.b32(), in.c32());
    const u32 high =
        f(static_cast<u32>(in.a >> 32), static_cast<u32>(in.b >> 32), static_cast<u32>(in.c >> 32));
    return {u64{high} << 32 | low, {}, {}};
  };
}

u64 two_edgy_floats(std::mt19937_64& random) {
  const u64 low = edgy_float32(random) & 0xffffffff;
  return edgy_float32(random) << 32 | low;
}

TEST(LanesBlackwell, TwoFloatsAreAddedMultipliedAndBoth) {
  for (u32 rnd = 0; rnd < 4; ++rnd) {
    constexpr Round kRounds[] = {Round::nearest, Round::down, Round::up, Round::zero};
    const Round round = kRounds[rnd];
    const auto a_case = [&](Op op, const Reference& reference) {
      LaneCase(op, {{Mod::rnd, rnd}})
          .inputs(two_edgy_floats)
          .rows_written(2)
          .rounds(6)
          .expect(reference);
    };
    a_case(Op::FADD2, two_floats([&](u32 a, u32 b, u32) {
             return static_cast<u32>(exact_add(kBinary32, a, b, round));
           }));
    a_case(Op::FMUL2, two_floats([&](u32 a, u32 b, u32) {
             return static_cast<u32>(exact_multiply(kBinary32, a, b, round));
           }));
    a_case(Op::FFMA2, two_floats([&](u32 a, u32 b, u32 c) {
             return static_cast<u32>(exact_fma(kBinary32, a, b, c, round));
           }));
  }
}

// The numbers of a pair in order (0), exchanged (1), or the lower one twice (2).
TEST(LanesBlackwell, PairsOfFloatsAreTakenInEitherOrder) {
  for (u32 orders = 0; orders < 9; ++orders) {
    const u32 order_a = orders % 3, order_b = orders / 3;
    const auto taken = [](u64 pair, u32 order, bool upper) {
      const bool high = order == 0 ? upper : order == 1 ? !upper : false;
      return static_cast<u32>(high ? pair >> 32 : pair);
    };
    LaneCase(Op::FADD2, {{Mod::swz_a, order_a}, {Mod::swz_b, order_b}})
        .negate("b")
        .inputs(two_edgy_floats)
        .rows_written(2)
        .rounds(6)
        .expect([&](const Inputs& in) -> Outputs {
          const auto sum = [&](bool upper) {
            return static_cast<u32>(exact_add(kBinary32, taken(in.a, order_a, upper),
                                              taken(in.b, order_b, upper) ^ 0x80000000,
                                              Round::nearest));
          };
          return {u64{sum(true)} << 32 | sum(false), {}, {}};
        });
  }
}

TEST(LanesBlackwell, HalvesAreAddedToFloatsAndMultiplied) {
  for (u32 form = 0; form < 16; ++form) {
    const bool bf16 = (form & 1) != 0;
    const u32 high_a = form >> 1 & 1, high_b = form >> 2 & 1;
    const char* const negated = (form & 8) != 0 ? "a" : "";
    const auto half = [&](u32 word, u32 high, u32 sign) {
      const u32 bits = (word >> 16 * high & 0xffff) ^ sign;
      return exact_convert(bf16 ? kBfloat16 : kBinary16, bits, kBinary32, Round::nearest);
    };
    const u32 sign = (form & 8) != 0 ? 0x8000 : 0;
    LaneCase(Op::FHADD, {{Mod::bf16, bf16}, {Mod::swz_a, high_a}})
        .negate(negated)
        .inputs(edgy_float32)
        .rounds(6)
        .expect([&](const Inputs& in) -> Outputs {
          return {
              exact_add(kBinary32, half(in.a32(), high_a, sign), in.b32(), Round::nearest), {}, {}};
        });
    LaneCase fma(Op::FHFMA, {{Mod::bf16, bf16}, {Mod::swz_a, high_a}, {Mod::swz_b, high_b}});
    fma.instruction().c.kind = isa::Source::Kind::reg;
    fma.negate(negated).inputs(edgy_float32).rounds(6).expect([&](const Inputs& in) -> Outputs {
      return {exact_fma(kBinary32, half(in.a32(), high_a, sign), half(in.b32(), high_b, 0),
                        in.c32(), Round::nearest),
              {},
              {}};
    });
  }
}

// A format of few bits: what its numbers are worth, and to which of them a number is rounded. By
// trying all of them.
struct Few {
  int exponent_bits, fraction_bits;

  int bits() const { return 1 + exponent_bits + fraction_bits; }
  double value(u32 number) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const u32 magnitude = number & ((1u << (bits() - 1)) - 1);
    const int field = static_cast<int>(magnitude >> fraction_bits);
    const u32 fraction = magnitude & ((1u << fraction_bits) - 1);
    const double significand = (field != 0 ? 1 << fraction_bits : 0) + static_cast<int>(fraction);
    const double size = std::ldexp(significand, std::max(field, 1) - bias - fraction_bits);
    return (number >> (bits() - 1) & 1) != 0 ? -size : size;
  }
  u32 nearest(float number) const {
    const u32 largest = (1u << (bits() - 1)) - 1;
    if (std::isnan(number)) return largest;
    const double size = std::fabs(static_cast<double>(number));
    u32 best = 0;
    for (u32 i = 1; i <= largest; ++i) {
      const double to_best = std::fabs(size - value(best)), to_this = std::fabs(size - value(i));
      if (to_this < to_best || (to_this == to_best && i % 2 == 0)) best = i;
    }
    if (size > value(largest)) best = largest;
    return best | (std::signbit(number) ? largest + 1 : 0);
  }
};

struct NarrowFormat {
  Few few;
  u32 to, from;  // Mod::dst_fmt, Mod::src_fmt
  int stride;    // bits from one to the next
};
constexpr NarrowFormat kNarrowFormats[] = {{{2, 1}, 3, 1, 4}, {{2, 3}, 6, 2, 8}, {{3, 2}, 7, 3, 8}};

// Numbers near those that the format has, and any others.
u64 near_narrow(std::mt19937_64& random) {
  if (random() % 4 == 0) return edgy_float32(random);
  const float number =
      static_cast<float>(random() % 257) / 8.0f * std::ldexp(1.0f, -static_cast<int>(random() % 6));
  const u32 sign = random() % 2 != 0 ? 0x80000000u : 0;
  return (std::bit_cast<u32>(number) ^ sign) + static_cast<u32>(random() % 3) - 1;
}

TEST(LanesBlackwell, FloatsBecomeNarrowOnes) {
  for (const NarrowFormat& format : kNarrowFormats)
    for (const bool relu : {false, true}) {
      const auto narrow = [&](float number) {
        const u32 bits = format.few.nearest(number);
        return relu && (bits >> (format.few.bits() - 1)) != 0 ? 0 : bits;
      };
      LaneCase(Op::F2FP,
               {{Mod::dst_fmt, format.to}, {Mod::pack, 4}, {Mod::sat, 1}, {Mod::relu, relu}})
          .inputs(near_narrow)
          .rounds(40)
          .expect([&](const Inputs& in) -> Outputs {
            const u32 pair = narrow(std::bit_cast<float>(in.a32())) << format.stride |
                             narrow(std::bit_cast<float>(in.b32()));
            return {static_cast<u32>(in.c32() << 2 * format.stride | pair), {}, {}};
          });
    }
}

TEST(LanesBlackwell, NarrowFloatsBecomeHalves) {
  for (const NarrowFormat& format : kNarrowFormats)
    for (u32 place = 0; place < (format.stride == 4 ? 4u : 2u); ++place)
      LaneCase(Op::F2FP, {{Mod::src_fmt, format.from},
                          {Mod::pack, 5},
                          {Mod::byte_sel, format.stride == 4 ? place : 0},
                          {Mod::half_sel, format.stride == 4 ? 0 : place}})
          .rounds(20)
          .expect([&](const Inputs& in) -> Outputs {
            const u32 pair = in.b32() >> static_cast<u32>(2 * format.stride) * place;
            const auto half = [&](u32 number) {
              const u32 bits = number & ((1u << format.few.bits()) - 1);
              const auto value = static_cast<float>(format.few.value(bits));
              const u32 zero = (bits >> (format.few.bits() - 1)) << 15;  // -0 stays
              return value == 0 ? zero
                                : exact_convert(kBinary32, std::bit_cast<u32>(value), kBinary16,
                                                Round::nearest);
            };
            return {half(pair >> format.stride) << 16 | half(pair), {}, {}};
          });
}

// Of a power of two its exponent, of other numbers that of the one below or above.
TEST(LanesBlackwell, ExponentsAloneAreRoundedDownOrUp) {
  for (const bool up : {false, true})
    for (const bool finite : {false, true}) {
      const auto exponent = [&](u32 bits) -> u32 {
        const float size = std::fabs(std::bit_cast<float>(bits));
        if (std::isnan(size)) return 255;
        if (std::isinf(size)) return finite ? 254 : 255;
        u32 e = 0;
        while (e < 254 && std::ldexp(1.0, static_cast<int>(e) + 1 - 127) <= size) ++e;
        if (up && std::ldexp(1.0, static_cast<int>(e) - 127) < size) ++e;
        return finite ? std::min(e, 254u) : e;
      };
      LaneCase(Op::F2FP,
               {{Mod::dst_fmt, 8}, {Mod::pack, 4}, {Mod::rnd, up ? 2u : 3u}, {Mod::sat, finite}})
          .inputs(edgy_float32)
          .rounds(20)
          .expect([&](const Inputs& in) -> Outputs {
            return {static_cast<u32>(in.c32() << 16) | exponent(in.a32()) << 8 | exponent(in.b32()),
                    {},
                    {}};
          });
      LaneCase of_halves(
          Op::F2FP,
          {{Mod::dst_fmt, 8}, {Mod::pack, 3}, {Mod::rnd, up ? 2u : 3u}, {Mod::sat, finite}});
      of_halves.instruction().c = {.kind = isa::Source::Kind::reg, .index = isa::kRZ};
      of_halves.inputs(edgy_float32).rounds(20).expect([&](const Inputs& in) -> Outputs {
        return {exponent(in.b32() & 0xffff0000) << 8 | exponent(in.b32() << 16), {}, {}};
      });
    }
  LaneCase(Op::F2FP, {{Mod::src_fmt, 8}, {Mod::pack, 5}, {Mod::half_sel, 1}})
      .expect([](const Inputs& in) -> Outputs {
        const auto half = [](u32 byte) -> u32 {
          if (byte == 255) return 0x7fff;
          const auto value = static_cast<float>(std::ldexp(1.0, static_cast<int>(byte) - 127));
          return std::bit_cast<u32>(value) >> 16;
        };
        return {half(in.b32() >> 24) << 16 | half(in.b32() >> 16 & 0xff), {}, {}};
      });
}

// Sixteen random bits decide, of how much is cut off.
TEST(LanesBlackwell, RandomBitsRoundToBfloat16) {
  LaneCase(Op::F2FP, {{Mod::bf16, 1}, {Mod::rnd, 4}})
      .inputs(edgy_float32)
      .rounds(20)
      .expect([](const Inputs& in) -> Outputs {
        const auto half = [](u32 bits, u32 random) -> u32 {
          if (std::isnan(std::bit_cast<float>(bits))) return 0x7fff;
          const bool rises = (bits & 0xffff) + random >= 0x10000;
          return (bits >> 16) + (rises ? 1 : 0);
        };
        return {half(in.a32(), in.c32() >> 16) << 16 | half(in.b32(), in.c32() & 0xffff), {}, {}};
      });
}

// The uniform datapath has the functions of the vector one: of one number each, here.
TEST(LanesBlackwell, UniformFloatsAreThoseOfLanes) {
  LaneCase(Op::UFMUL).inputs(edgy_float32).rounds(6).expect([](const Inputs& in) -> Outputs {
    return {exact_multiply(kBinary32, in.a32(), in.b32(), Round::nearest), {}, {}};
  });
  LaneCase(Op::UFFMA).inputs(edgy_float32).rounds(6).expect([](const Inputs& in) -> Outputs {
    return {exact_fma(kBinary32, in.a32(), in.b32(), in.c32(), Round::nearest), {}, {}};
  });
  LaneCase(Op::UFSETP, {{Mod::cmp, 1}})
      .inputs(edgy_float32)
      .rounds(6)
      .expect([](const Inputs& in) -> Outputs {
        const bool less = std::bit_cast<float>(in.a32()) < std::bit_cast<float>(in.b32());
        return {{}, less && in.p, !less && in.p};
      });
  for (const bool is_signed : {false, true})
    LaneCase(Op::UVIMNMX, {{Mod::type, is_signed}})
        .without_predicate_outputs()
        .expect([&](const Inputs& in) -> Outputs {
          const bool less = is_signed ? static_cast<i32>(in.a32()) < static_cast<i32>(in.b32())
                                      : in.a32() < in.b32();
          return {less == in.p ? in.a32() : in.b32(), {}, {}};
        });
}

}  // namespace
}  // namespace heddle::simulator::lanes
