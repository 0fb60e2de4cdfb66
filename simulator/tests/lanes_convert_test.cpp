// Conversions against exact arithmetic with one rounding, and MUFU against its published table.

#include <nettle/sha2.h>

#include <array>
#include <cmath>
#include <string>

#include "simulator/tests/lanes_exact.hpp"
#include "simulator/tests/lanes_harness.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;

constexpr Round kRounds[] = {Round::nearest, Round::down, Round::up, Round::zero};
// Float formats as I2F and F2I number them.
const FloatFormat& format_of(u32 number) {
  return number == 1 ? kBinary16 : number == 2 ? kBinary32 : kBinary64;
}

u64 source_bits(const Inputs& in, u32 format, bool high_half) {
  if (format == 3) return in.b;
  return format == 2 ? in.b32() : in.b32() >> (high_half ? 16 : 0) & 0xffff;
}

Generator generator_of(u32 format) {
  return format == 1 ? edgy_half2 : format == 2 ? edgy_float32 : edgy_float64;
}

TEST(LanesF2i, SaturatesAndRoundsInEveryFormat) {
  for (u32 source = 1; source <= 3; ++source) {
    for (u32 target = 0; target < 8; ++target) {
      for (u32 rnd = 0; rnd < 4; ++rnd) {
        const bool high = source == 1 && rnd % 2 == 1, is_signed = target % 2 == 1;
        const bool ntz = rnd % 2 == 1;  // NaN to zero
        const unsigned bits = 8u << target / 2;
        LaneCase(Op::F2I, {{Mod::src_fmt, source},
                           {Mod::dst_fmt, target},
                           {Mod::rnd, rnd},
                           {Mod::ntz, ntz},
                           {Mod::half_sel, high}})
            .inputs(generator_of(source))
            .rows_written(bits == 64 ? 2 : 1)
            .rounds(4)
            .expect([&](const Inputs& in) -> Outputs {
              const FloatFormat& format = format_of(source);
              const u64 value = source_bits(in, source, high);
              if (is_nan(format, value)) return {ntz ? 0 : u64{1} << (bits - 1), {}, {}};
              const bool negative = (value & format.sign()) != 0;
              const Wide limit = is_signed  ? (Wide{1} << (bits - 1)) - !negative
                                 : negative ? 0
                                            : (Wide{1} << bits) - 1;
              const Wide exact = is_infinity(format, value)
                                     ? ~Wide{0}
                                     : Exact::of(format, value).magnitude_as_integer(kRounds[rnd]);
              const Wide magnitude = exact < limit ? exact : limit;
              const u64 integer = static_cast<u64>(negative ? -magnitude : magnitude);
              return {bits == 64 ? integer : u64{static_cast<u32>(integer)}, {}, {}};
            });
      }
    }
  }
}

TEST(LanesF2i, FlushedSubnormalsDoNotRoundUp) {
  LaneCase(Op::F2I, {{Mod::src_fmt, 2}, {Mod::dst_fmt, 5}, {Mod::rnd, 2}, {Mod::ftz, 1}})
      .inputs([](std::mt19937_64& random) { return random() & 0x7fffff; })
      .expect([](const Inputs&) -> Outputs {
        return {0, {}, {}};
      });
}

TEST(LanesI2f, RoundsOnceFromEveryInteger) {
  for (u32 source = 0; source < 8; ++source) {
    for (u32 target = 1; target <= 3; ++target) {
      for (u32 rnd = 0; rnd < 4; ++rnd) {
        const unsigned bits = 8u << source / 2;
        const u32 part = bits == 8 ? rnd : bits == 16 ? rnd % 2 : 0;
        LaneCase(Op::I2F, {{Mod::src_fmt, source},
                           {Mod::dst_fmt, target},
                           {Mod::rnd, rnd},
                           {bits == 8 ? Mod::byte_sel : Mod::half_sel, part}})
            .inputs(edgy_integer64)
            .rows_written(target == 3 ? 2 : 1)
            .rounds(4)
            .expect([&](const Inputs& in) -> Outputs {
              const u64 raw = bits == 64 ? in.b : u64{in.b32()} >> (bits * part);
              const u64 sign = u64{1} << (bits - 1), mask = sign | (sign - 1);
              const bool negative = source % 2 == 1 && (raw & sign) != 0;
              const u64 magnitude = (negative ? 0 - raw : raw) & mask;
              return {Exact::integer(magnitude, negative).rounded(format_of(target), kRounds[rnd]),
                      {},
                      {}};
            });
      }
    }
  }
}

TEST(LanesF2f, RoundsOnceBetweenFormats) {
  struct Pair {
    u32 code;
    const FloatFormat& from;
    const FloatFormat& to;
    u32 source;
  };
  const Pair pairs[] = {{10, kBinary16, kBinary32, 1}, {17, kBinary32, kBinary16, 2},
                        {19, kBinary32, kBinary64, 2}, {20, kBinary32, kBfloat16, 2},
                        {11, kBinary16, kBinary64, 1}, {25, kBinary64, kBinary16, 3},
                        {26, kBinary64, kBinary32, 3}};
  for (const Pair& pair : pairs) {
    for (u32 rnd = 0; rnd < 4; ++rnd) {
      SCOPED_TRACE(pair.code);
      LaneCase(Op::F2F, {{Mod::dst_fmt, pair.code}, {Mod::rnd, rnd}, {Mod::half_sel, rnd & 1}})
          .inputs(generator_of(pair.source))
          .rows_written(&pair.to == &kBinary64 ? 2 : 1)
          .rounds(8)
          .expect([&](const Inputs& in) -> Outputs {
            const u64 value = source_bits(in, pair.source, (rnd & 1) != 0);
            const bool with_double = &pair.from == &kBinary64 || &pair.to == &kBinary64;
            if (with_double && is_nan(pair.from, value))
              return {quiet_nan(pair.from, value, pair.to), {}, {}};
            return {exact_convert(pair.from, value, pair.to, kRounds[rnd]), {}, {}};
          });
    }
  }
}

TEST(LanesF2fp, PacksTwoHalvesAboveAndBelow) {
  for (u32 form = 0; form < 8; ++form) {
    const bool bf16 = form & 1, relu = form & 2;
    const u32 rnd = form & 4 ? 3 : 0;
    LaneCase(Op::F2FP, {{Mod::bf16, bf16}, {Mod::relu, relu}, {Mod::rnd, rnd}})
        .inputs(edgy_float32)
        .rounds(12)
        .expect([&](const Inputs& in) -> Outputs {
          const auto half = [&](u32 bits) {
            const u64 value =
                exact_convert(kBinary32, bits, bf16 ? kBfloat16 : kBinary16, kRounds[rnd]);
            return relu && (value & 0x8000) != 0 ? 0 : value;
          };
          return {half(in.a32()) << 16 | half(in.b32()), {}, {}};
        });
  }
}

TEST(LanesFrnd, RoundsToIntegralValuesAndKeepsTheSignOfZero) {
  static constexpr u32 kCodes[] = {0, 5, 10, 15};
  for (u32 source = 1; source <= 3; ++source) {
    for (u32 rnd = 0; rnd < 4; ++rnd) {
      LaneCase(Op::FRND, {{Mod::dst_fmt, kCodes[source]}, {Mod::rnd, rnd}})
          .inputs(generator_of(source))
          .rows_written(source == 3 ? 2 : 1)
          .rounds(8)
          .expect([&](const Inputs& in) -> Outputs {
            const FloatFormat& format = format_of(source);
            const u64 value = source_bits(in, source, false);
            if (is_nan(format, value))
              return {source == 3 ? quiet_nan(format, value, format) : format.nan, {}, {}};
            const Wide magnitude =
                is_infinity(format, value)
                    ? Wide{1} << 65
                    : Exact::of(format, value).magnitude_as_integer(kRounds[rnd]);
            if (magnitude >> 62 != 0) return {value, {}, {}};  // has no fraction
            const bool negative = (value & format.sign()) != 0;
            return {Exact::integer(static_cast<u64>(magnitude), negative)
                        .rounded(format, Round::nearest),
                    {},
                    {}};
          });
    }
  }
}

// One function of MUFU over consecutive words, warp by warp.
class MufuTable {
 public:
  explicit MufuTable(u32 function) : rows_(3 * kWarpSize) {
    instruction_.op = Op::MUFU;
    Request request{&instruction_};
    request.mod(Mod::mufu_op) = function;
    op_.b = kWarpSize;
    for (const Variant& variant : variants()) {
      if (variant.supported) {
        EXPECT_TRUE(variant.select(request, op_));
      }
    }
    warp_.rows = rows_.data();
  }
  // 32 values from `first` on.
  const u32* values(u32 first) {
    for (u32 i = 0; i < kWarpSize; ++i) rows_[kWarpSize + i] = first + i;
    op_.lane(warp_, op_, kFullMask);
    return rows_.data();
  }
  // Of the same word in the lanes that are on, and another in the others, whose results are 7.
  const u32* same(u32 word, Mask on) {
    for (u32 i = 0; i < kWarpSize; ++i) {
      rows_[kWarpSize + i] = on.has(i) ? word : ~word;
      rows_[i] = 7;
    }
    op_.lane(warp_, op_, on);
    return rows_.data();
  }

 private:
  isa::Instruction instruction_;
  std::vector<u32> rows_;
  WarpState warp_;
  MicroOp op_;
};

std::string digest_of(u32 function, u32 first, u32 count, u32 subtracted = 0) {
  MufuTable table(function);
  const FloatEnvironment environment;
  sha256_ctx context;
  sha256_init(&context);
  std::array<u32, kWarpSize> words{};
  for (u32 j = 0; j < count; j += kWarpSize) {
    const u32* values = table.values(first + j);
    for (u32 i = 0; i < kWarpSize; ++i) words[i] = values[i] - subtracted;
    sha256_update(&context, sizeof words, reinterpret_cast<const std::uint8_t*>(words.data()));
  }
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

constexpr u32 kOneHalf = 0x3f000000, kOne = 0x3f800000, kBinade = 1u << 23;

// docs/hardware/arithmetic.md gives this digest for 2^(j / 2^23), j < 2^23. Those arguments are not
// consecutive words, but 1 + j / 2^23 are, and have twice the result.
TEST(LanesMufu, Ex2TableHasThePublishedDigest) {
  EXPECT_EQ(digest_of(2, kOne, kBinade, 1u << 23),
            "b2a42c4a626469c986e33e43f16f41bde9d84de94347cd9ceaa1bd68d36bcdf0");
}

// Digests that others have published for sm_89, and that an H200's values had too.
TEST(LanesMufu, ReciprocalsAndRootsHaveThePublishedDigests) {
  EXPECT_EQ(digest_of(4, kOne, kBinade),
            "c408381446132e07fa5581e930dc33fb790bea7ec4276ef3621e322df2492a55");
  EXPECT_EQ(digest_of(5, kOne, 2 * kBinade),
            "218fc04d271773269367dedf4cff9ff719081b1218c3d67d248d8d6126040246");
  EXPECT_EQ(digest_of(8, kOne, 2 * kBinade),
            "4e017678de306e0be8bed66193c2ebf09e9c60a9600cad56cd05bb7b6c3f266f");
}

// Digests of what an H200 gave (gpu/kernels/micro/mufu_dump), which answered like this code for
// all 2^32 arguments of all ten functions.
TEST(LanesMufu, OtherTablesHaveTheMeasuredDigests) {
  constexpr u32 kQuarter = 0x3e800000;
  EXPECT_EQ(digest_of(3, kOneHalf, 2 * kBinade),
            "d79971d87764487a27953c2634cb7ae6c146cca8706883c3118f1a17e61c0717");
  EXPECT_EQ(digest_of(1, kQuarter, kBinade),
            "793d57f4007fe2e569ad1397edf26baf281ec74ff3cc89a1dd7e4fd5c86d8470");
  EXPECT_EQ(digest_of(0, kQuarter, kBinade),
            "63acdc51c5a7102146622104376402f8bb5715e3afea6e5b52fb1d38d471dd44");
  EXPECT_EQ(digest_of(9, kOneHalf, 2 * kBinade),
            "5948828e914a2654617cc184e93571f715b388894f134ae86ee72c8abab557a8");
  EXPECT_EQ(digest_of(6, 0x3ff00000, 1u << 20),
            "4b54abfb3f30c97d2f8f049d5ae9a65019f5d8406fa67c7264ce9c4ea601fad2");
  EXPECT_EQ(digest_of(7, 0x3ff00000, 1u << 21),
            "e1a7bbd93c95a0dbf99d372970c65b3c300863b4a624971b899859f3af7013ff");
}

TEST(LanesMufu, OfOneWordInAllLanesIsWhatItIsBesideOthers) {
  const FloatEnvironment environment;
  std::mt19937_64 random(1);
  for (u32 function = 0; function < 10; ++function) {
    MufuTable table(function);
    for (unsigned round = 0; round < 300; ++round) {
      const auto word = static_cast<u32>(edgy_float32(random));
      const u32 expected = table.values(word)[0];
      for (const Mask on : {kFullMask, Mask(0x80000001), Mask(0x00f0ff10), Mask::of(17)}) {
        const u32* const values = table.same(word, on);
        for (u32 i = 0; i < kWarpSize; ++i)
          ASSERT_EQ(values[i], on.has(i) ? expected : 7u) << function << " of " << word;
      }
    }
  }
}

TEST(LanesMufu, AllVariantsAgree) {
  for (u32 function = 0; function < 10; ++function) {
    LaneCase(Op::MUFU, {{Mod::mufu_op, function}})
        .inputs(edgy_float32)
        .expect_same_in_all_variants();
    if (function == 6 || function == 7) continue;
    LaneCase(Op::MUFU, {{Mod::mufu_op, function}, {Mod::width, 1}, {Mod::half_sel, 1}})
        .inputs(edgy_half2)
        .expect_same_in_all_variants();
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
