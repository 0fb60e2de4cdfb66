// Integer lane functions against wide-integer arithmetic.

#include <algorithm>
#include <bit>
#include <random>
#include <string>

#include "simulator/tests/lanes_harness.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

u32 low(Wide value) { return static_cast<u32>(value); }

TEST(LanesIadd3, AddsThreeWordsWithThermometerCarries) {
  for (const char* negated : {"", "a", "b", "c", "ac", "bc"}) {
    SCOPED_TRACE(negated);
    const std::string slots = negated;
    LaneCase(Op::IADD3).negate(negated).expect([&](const Inputs& in) -> Outputs {
      const auto term = [&](char slot, u32 word) -> Wide {
        return slots.find(slot) == slots.npos ? Wide{word} : Wide{static_cast<u32>(~word)} + 1;
      };
      const Wide sum = term('a', in.a32()) + term('b', in.b32()) + term('c', in.c32());
      return {low(sum), sum >= Wide{1} << 32, sum >= Wide{1} << 33};
    });
  }
}

TEST(LanesIadd3, WithoutCarryOutputsTheSumIsTheSame) {
  LaneCase(Op::IADD3).negate("b").without_predicate_outputs().expect(
      [](const Inputs& in) -> Outputs {
        return {u64{in.a32() - in.b32() + in.c32()}, {}, {}};
      });
}

TEST(LanesIadd3, ExtendedFormInvertsAndAddsBothCarriesIn) {
  LaneCase(Op::IADD3, {{Mod::x, 1}}).negate("c").expect([](const Inputs& in) -> Outputs {
    const Wide sum = Wide{in.a32()} + in.b32() + static_cast<u32>(~in.c32()) + in.p + in.q;
    return {low(sum), sum >= Wide{1} << 32, sum >= Wide{1} << 33};
  });
}

TEST(LanesIadd3, SixtyFourBitUniformAddCarriesOutOfBit63) {
  LaneCase(Op::UIADD3_64)
      .inputs(edgy_integer64)
      .rows_written(2)
      .expect([](const Inputs& in) -> Outputs {
        const Wide sum = Wide{in.a} + in.b + in.c;
        return {static_cast<u64>(sum), sum >> 64 >= 1, sum >> 64 >= 2};
      });
}

TEST(LanesImad, KeepsTheLowWord) {
  LaneCase(Op::IMAD).negate("c").expect([](const Inputs& in) -> Outputs {
    return {low(Wide{in.a32()} * in.b32() - in.c32()), {}, {}};
  });
  LaneCase(Op::IMAD, {{Mod::x, 1}}).negate("c").expect([](const Inputs& in) -> Outputs {
    return {low(Wide{in.a32()} * in.b32() + static_cast<u32>(~in.c32()) + in.p), {}, {}};
  });
}

Wide product(const Inputs& in, bool is_signed) {
  if (!is_signed) return Wide{in.a32()} * in.b32();
  const SignedWide value =
      SignedWide{static_cast<std::int32_t>(in.a32())} * static_cast<std::int32_t>(in.b32());
  return static_cast<u64>(value);
}

TEST(LanesImad, WideAddsA64BitPairAndCarries) {
  for (const bool is_signed : {false, true}) {
    for (const bool extended : {false, true}) {
      LaneCase(Op::IMAD_WIDE, {{Mod::is_signed, is_signed}, {Mod::x, extended}})
          .inputs(edgy_integer64)
          .rows_written(2)
          .expect([&](const Inputs& in) -> Outputs {
            const Wide sum = product(in, is_signed) + in.c + (extended && in.p);
            return {static_cast<u64>(sum), sum >> 64 != 0, {}};
          });
    }
  }
}

TEST(LanesImad, HighIsTheUpperWordOfTheWideSum) {
  for (const bool is_signed : {false, true}) {
    LaneCase(Op::IMAD_HI, {{Mod::is_signed, is_signed}})
        .inputs(edgy_integer64)
        .expect([&](const Inputs& in) -> Outputs {
          return {low((product(in, is_signed) + in.c) >> 32), {}, {}};
        });
  }
}

TEST(LanesLea, ShiftsThenAddsWithCarry) {
  for (const u32 shift : {0u, 1u, 2u, 13u, 31u}) {
    for (const char* negated : {"", "a", "b"}) {
      LaneCase(Op::LEA, {{Mod::shift, shift}})
          .negate(negated)
          .expect([&](const Inputs& in) -> Outputs {
            const u32 scaled = low(Wide{in.a32()} << shift);
            const auto term = [&](char slot, u32 word) {
              return *negated == slot ? Wide{static_cast<u32>(~word)} + 1 : Wide{word};
            };
            const Wide sum = term('a', scaled) + term('b', in.b32());
            return {low(sum), sum >> 32 != 0, {}};
          });
    }
  }
}

TEST(LanesLea, HighTakesTheBitsShiftedOutOfThePair) {
  for (const u32 shift : {0u, 1u, 2u, 13u, 31u}) {
    LaneCase(Op::LEA_HI, {{Mod::shift, shift}}).expect([&](const Inputs& in) -> Outputs {
      const Wide pair = Wide{in.c32()} << 32 | in.a32();
      const Wide sum = Wide{low(pair << shift >> 32)} + in.b32();
      return {low(sum), sum >> 32 != 0, {}};
    });
    LaneCase(Op::LEA_HI, {{Mod::shift, shift}, {Mod::sx32, 1}, {Mod::x, 1}})
        .expect([&](const Inputs& in) -> Outputs {
          const SignedWide pair = static_cast<std::int32_t>(in.a32());
          const Wide sum =
              Wide{static_cast<u32>(pair * (SignedWide{1} << shift) >> 32)} + in.b32() + in.p;
          return {low(sum), sum >> 32 != 0, {}};
        });
  }
}

bool compare(u32 number, SignedWide a, SignedWide b) {
  const bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
  return results[number];
}

bool combine(u32 bop, bool a, bool b) { return bop == 0 ? a && b : bop == 1 ? a || b : a != b; }

TEST(LanesIsetp, ComparesAndCombinesWithThePredicate) {
  for (u32 cmp = 0; cmp < 8; ++cmp) {
    for (const bool is_signed : {false, true}) {
      for (u32 bop = 0; bop < 3; ++bop) {
        LaneCase(Op::ISETP, {{Mod::cmp, cmp}, {Mod::is_signed, is_signed}, {Mod::bop, bop}})
            .rounds(20)
            .expect([&](const Inputs& in) -> Outputs {
              const auto value = [&](u32 word) -> SignedWide {
                return is_signed ? SignedWide{static_cast<std::int32_t>(word)} : SignedWide{word};
              };
              const bool result = compare(cmp, value(in.a32()), value(in.b32()));
              return {{}, combine(bop, result, in.p), combine(bop, !result, in.p)};
            });
      }
    }
  }
}

TEST(LanesIsetp, ExtendedCompareFallsBackToTheLowWordsWhereHighWordsAreEqual) {
  for (u32 cmp = 0; cmp < 8; ++cmp) {
    LaneCase(Op::ISETP, {{Mod::cmp, cmp}, {Mod::is_signed, 1}, {Mod::ex, 1}})
        .inputs([](std::mt19937_64& random) { return random() % 3 - 1; })
        .expect([&](const Inputs& in) -> Outputs {
          const auto a = static_cast<std::int32_t>(in.a32()),
                     b = static_cast<std::int32_t>(in.b32());
          const bool result = a == b && cmp % 7 != 0 ? in.r : compare(cmp, a, b);
          return {{}, result && in.p, !result && in.p};
        });
  }
}

TEST(LanesMinMax, PredicateTrueMeansMinimum) {
  for (const bool is_signed : {false, true}) {
    const Reference reference = [&](const Inputs& in) -> Outputs {
      const bool less =
          is_signed ? static_cast<std::int32_t>(in.a32()) < static_cast<std::int32_t>(in.b32())
                    : in.a32() < in.b32();
      return {less == in.p ? in.a32() : in.b32(), {}, {}};
    };
    LaneCase(Op::IMNMX, {{Mod::is_signed, is_signed}}).expect(reference);
    LaneCase(Op::VIMNMX, {{Mod::type, is_signed}}).without_predicate_outputs().expect(reference);
  }
}

TEST(LanesMinMax, AddThenClampCompilesToOneInstruction) {
  LaneCase(Op::VIADDMNMX, {{Mod::type, 1}, {Mod::relu, 1}})
      .negate("b")
      .without_predicate_outputs()
      .expect([](const Inputs& in) -> Outputs {
        const auto sum = static_cast<std::int32_t>(in.a32() - in.b32());
        const auto c = static_cast<std::int32_t>(in.c32());
        const auto picked = in.p ? std::min(sum, c) : std::max(sum, c);
        return {static_cast<u32>(std::max(picked, 0)), {}, {}};
      });
}

TEST(LanesMinMax, HalfwordsAreComparedApart) {
  LaneCase(Op::VIMNMX, {{Mod::type, 3}})
      .without_predicate_outputs()
      .expect([](const Inputs& in) -> Outputs {
        u64 result = 0;
        for (const unsigned shift : {0u, 16u}) {
          const auto a = static_cast<std::int16_t>(in.a32() >> shift);
          const auto b = static_cast<std::int16_t>(in.b32() >> shift);
          const auto picked = in.p ? std::min(a, b) : std::max(a, b);
          result |= u64{static_cast<std::uint16_t>(picked)} << shift;
        }
        return {result, {}, {}};
      });
}

TEST(LanesImad, WithAFactorOfZeroOrOneMovesOrAdds) {
  LaneCase zero_first(Op::IMAD), zero_second(Op::IMAD), one(Op::IMAD);
  zero_first.instruction().a = zero_second.instruction().b = {isa::Source::Kind::reg, isa::kRZ};
  one.instruction().b.kind = isa::Source::Kind::imm;
  one.instruction().b.value = 1;
  for (LaneCase* const each : {&zero_first, &zero_second})
    each->expect([](const Inputs& in) -> Outputs { return {in.c32(), {}, {}}; });
  one.expect([](const Inputs& in) -> Outputs { return {in.a32() + in.c32(), {}, {}}; });
}

TEST(LanesViadd, NegatesTheSecondSource) {
  LaneCase(Op::VIADD).negate("b").expect([](const Inputs& in) -> Outputs {
    return {in.a32() - in.b32(), {}, {}};
  });
}

TEST(LanesShf, ShiftsTheFunnelInAllForms) {
  for (u32 form = 0; form < 32; ++form) {
    const bool right = form & 1, wrap = form & 2, high = form & 4;
    const u32 type = form >> 3;
    LaneCase(Op::SHF, {{Mod::dir, right}, {Mod::wrap, wrap}, {Mod::hi, high}, {Mod::type, type}})
        .rounds(20)
        .expect([&](const Inputs& in) -> Outputs {
          const u32 bits = type < 2 ? 64 : 32;
          const u32 count = wrap ? in.b32() % bits : std::min(in.b32(), bits);
          const bool is_signed = type == 0 || type == 2;
          const u64 pair = u64{in.c32()} << 32 | in.a32();
          const SignedWide value =
              is_signed ? SignedWide{static_cast<std::int64_t>(pair)} : SignedWide{pair};
          const u64 shifted = static_cast<u64>(right ? value >> count : value << count);
          // A left shift in 32-bit types moves bits of A into the high word too.
          return {static_cast<u32>(high ? shifted >> 32 : shifted), {}, {}};
        });
  }
}

TEST(LanesShf, ShortFormsWithZeroRegisterAgreeWithTheFunnel) {
  for (const u32 type : {2u, 3u}) {
    LaneCase test(Op::SHF, {{Mod::dir, 1}, {Mod::hi, 1}, {Mod::type, type}});
    test.instruction().a = {isa::Source::Kind::reg, isa::kRZ};
    test.expect([&](const Inputs& in) -> Outputs {
      const SignedWide value =
          type == 2 ? SignedWide{static_cast<std::int32_t>(in.c32())} : SignedWide{in.c32()};
      return {static_cast<u32>(value >> std::min(in.b32(), 32u)), {}, {}};
    });
  }
}

u32 byte_of_pair(const Inputs& in, u32 index) {
  return static_cast<u32>((u64{in.c32()} << 32 | in.a32()) >> (8 * index)) & 0xff;
}

TEST(LanesPrmt, PicksBytesAndSpreadsSigns) {
  LaneCase(Op::PRMT).expect([](const Inputs& in) -> Outputs {
    u64 result = 0;
    for (u32 i = 0; i < 4; ++i) {
      const u32 nibble = in.b32() >> (4 * i) & 15;
      const u32 byte = byte_of_pair(in, nibble & 7);
      result |= u64{nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte} << (8 * i);
    }
    return {result, {}, {}};
  });
}

TEST(LanesPrmt, TakesTheBytesThatAnImmediateChooses) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) {
    const u32 selector = static_cast<u32>(random()) & 0x7777;
    LaneCase one(Op::PRMT);
    one.instruction().b.kind = isa::Source::Kind::imm;
    one.instruction().b.value = selector;
    one.zero("b").rounds(4);
    one.expect([&](const Inputs& in) -> Outputs {
      u64 result = 0;
      for (u32 byte = 0; byte < 4; ++byte)
        result |= u64{byte_of_pair(in, selector >> 4 * byte & 7)} << 8 * byte;
      return {result, {}, {}};
    });
  }
}

TEST(LanesPrmt, NamedModesFollowPtx) {
  // Byte indices, most significant first, for selector values 0 to 3.
  static constexpr u32 kTables[7][4] = {
      {},
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  for (u32 mode = 1; mode < 7; ++mode) {
    LaneCase(Op::PRMT, {{Mod::prmt_mode, mode}}).expect([&](const Inputs& in) -> Outputs {
      const u32 indices = kTables[mode][in.b32() & 3];
      u64 result = 0;
      for (u32 i = 0; i < 4; ++i)
        result |= u64{byte_of_pair(in, indices >> (4 * i) & 7)} << (8 * i);
      return {result, {}, {}};
    });
  }
}

TEST(LanesBits, SgxtExtendsFromABit) {
  for (u32 form = 0; form < 4; ++form) {
    const bool is_signed = form & 1, wrap = form & 2;
    LaneCase(Op::SGXT, {{Mod::is_signed, is_signed}, {Mod::wrap, wrap}})
        .expect([&](const Inputs& in) -> Outputs {
          const u32 count = wrap ? in.b32() % 32 : std::min(in.b32(), 32u);
          if (count == 0) return {0, {}, {}};
          const SignedWide raised = static_cast<std::int64_t>(u64{in.a32()} << (64 - count));
          const u64 unsigned_raised = u64{in.a32()} << (64 - count);
          return {static_cast<u32>(is_signed ? static_cast<u64>(raised >> (64 - count))
                                             : unsigned_raised >> (64 - count)),
                  {},
                  {}};
        });
  }
}

TEST(LanesBits, BmskMakesARunOfOnes) {
  for (const bool wrap : {false, true}) {
    LaneCase(Op::BMSK, {{Mod::wrap, wrap}}).expect([&](const Inputs& in) -> Outputs {
      const u32 first = wrap ? in.a32() % 32 : std::min(in.a32(), 32u);
      const u32 count = wrap ? in.b32() % 32 : std::min(in.b32(), 32u);
      return {low(((Wide{1} << count) - 1) << first), {}, {}};
    });
  }
}

TEST(LanesBits, CountsReversesAndFindsTheLeadingBit) {
  LaneCase(Op::POPC).expect([](const Inputs& in) -> Outputs {
    return {static_cast<u32>(std::popcount(in.b32())), {}, {}};
  });
  LaneCase(Op::POPC).negate("b").expect([](const Inputs& in) -> Outputs {
    return {static_cast<u32>(32 - std::popcount(in.b32())), {}, {}};
  });
  LaneCase(Op::BREV).expect([](const Inputs& in) -> Outputs {
    u64 result = 0;
    for (unsigned i = 0; i < 32; ++i) result |= u64{in.b32() >> i & 1} << (31 - i);
    return {result, {}, {}};
  });
  for (u32 form = 0; form < 4; ++form) {
    const bool is_signed = form & 1, shift = form & 2;
    LaneCase(Op::FLO, {{Mod::is_signed, is_signed}, {Mod::sh, shift}})
        .expect([&](const Inputs& in) -> Outputs {
          const bool negative = is_signed && in.b32() >> 31 != 0;
          const int zeros = std::countl_zero(negative ? ~in.b32() : in.b32());
          if (zeros == 32) return {0xffffffff, false, {}};
          return {static_cast<u32>(shift ? zeros : 31 - zeros), true, {}};
        });
  }
}

TEST(LanesMove, SelectsMovesAndTakesMagnitudes) {
  LaneCase(Op::SEL).expect([](const Inputs& in) -> Outputs {
    return {in.p ? in.a32() : in.b32(), {}, {}};
  });
  LaneCase(Op::MOV).expect([](const Inputs& in) -> Outputs { return {in.b32(), {}, {}}; });
  LaneCase(Op::IABS).expect([](const Inputs& in) -> Outputs {
    const std::int64_t value = static_cast<std::int32_t>(in.b32());
    return {static_cast<u32>(value < 0 ? -value : value), {}, {}};
  });
}

TEST(LanesDot, SumsProductsOfBytes) {
  for (u32 form = 0; form < 4; ++form) {
    const bool signed_a = form & 1, signed_b = form & 2;
    const auto part = [](u32 word, u32 bits, u32 index, bool is_signed) -> std::int64_t {
      const std::int64_t value = word >> (bits * index) & ((1u << bits) - 1);
      return is_signed && value >> (bits - 1) != 0 ? value - (std::int64_t{1} << bits) : value;
    };
    LaneCase(Op::IDP, {{Mod::signed_a, signed_a}, {Mod::signed_b, signed_b}})
        .expect([&](const Inputs& in) -> Outputs {
          std::int64_t sum = in.c32();
          for (u32 i = 0; i < 4; ++i)
            sum += part(in.a32(), 8, i, signed_a) * part(in.b32(), 8, i, signed_b);
          return {static_cast<u32>(sum), {}, {}};
        });
    LaneCase(Op::IDP, {{Mod::idp_mode, 3}, {Mod::signed_a, signed_a}, {Mod::signed_b, signed_b}})
        .negate("c")
        .expect([&](const Inputs& in) -> Outputs {
          std::int64_t sum = -static_cast<std::int64_t>(in.c32());
          for (u32 i = 0; i < 2; ++i)
            sum += part(in.a32(), 16, i, signed_a) * part(in.b32(), 8, 2 + i, signed_b);
          return {static_cast<u32>(sum), {}, {}};
        });
  }
}

TEST(LanesI2i, SaturatesToTheNarrowType) {
  static constexpr std::int64_t kLimits[4][2] = {
      {0, 255}, {-128, 127}, {0, 65535}, {-32768, 32767}};
  for (u32 type = 0; type < 4; ++type) {
    LaneCase(Op::I2I, {{Mod::dst_fmt, type}}).expect([&](const Inputs& in) -> Outputs {
      const std::int64_t value = static_cast<std::int32_t>(in.b32());
      return {static_cast<u32>(std::clamp(value, kLimits[type][0], kLimits[type][1])), {}, {}};
    });
  }
}

TEST(LanesLop3, EveryTableGivesItsTruthTable) {
  for (u32 lut = 0; lut < 256; ++lut) {
    const auto lookup = [&](const Inputs& in) {
      u32 result = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const u32 index = (in.a32() >> i & 1) * 4 + (in.b32() >> i & 1) * 2 + (in.c32() >> i & 1);
        result |= (lut >> index & 1) << i;
      }
      return result;
    };
    LaneCase(Op::LOP3, {{Mod::lut, lut}})
        .rounds(3)
        .without_predicate_outputs()
        .expect([&](const Inputs& in) -> Outputs {
          return {lookup(in), {}, {}};
        });
    for (const bool pand : {false, true}) {
      LaneCase(Op::LOP3, {{Mod::lut, lut}, {Mod::pop, pand}})
          .rounds(2)
          .expect([&](const Inputs& in) -> Outputs {
            const bool any = lookup(in) != 0;
            return {lookup(in), pand ? any && in.p : any || in.p, {}};
          });
    }
  }
}

TEST(LanesLop3, InvertedSecondSourceLooksUpItsComplement) {
  LaneCase(Op::LOP3, {{Mod::lut, 0xc0}})
      .negate("b")
      .without_predicate_outputs()
      .expect([](const Inputs& in) -> Outputs {
        return {in.a32() & ~in.b32(), {}, {}};
      });
}

TEST(LanesPredicates, Plop3LooksUpTwoTables) {
  for (u32 lut = 0; lut < 256; lut += 5) {
    LaneCase(Op::PLOP3, {{Mod::lut, lut}, {Mod::lut2, 255 - lut}})
        .rounds(3)
        .expect([&](const Inputs& in) -> Outputs {
          const u32 index = in.p * 4u + in.q * 2u + in.r;
          return {{}, (lut >> index & 1) != 0, ((255 - lut) >> index & 1) != 0};
        });
  }
}

TEST(LanesPredicates, PackMergesTheMaskedBitsIntoOneByte) {
  LaneCase(Op::P2R, {{Mod::insert, 2}})
      .inputs([](std::mt19937_64& random) { return random() & 0xffff0007; })
      .expect([](const Inputs& in) -> Outputs {
        const u32 mask = in.b32() & 7;  // the reference knows P0, P1 and P2
        const u32 packed = in.p * 1u + in.q * 2u + in.r * 4u;
        return {(in.a32() & ~(mask << 16)) | (packed & mask) << 16, {}, {}};
      });
}

}  // namespace
}  // namespace heddle::simulator::lanes
