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
