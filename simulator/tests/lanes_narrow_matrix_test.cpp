// QMMA and OMMA of sm_120 against sums in double precision, element by element: where each number
// of a product lies, what its format is, and which scale it has, as the PTX ISA says of mma.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using u32 = std::uint32_t;

// What the tables of the PTX ISA call e4m3 and so on, with Mod::mma_src's number.
struct Format {
  u32 number, exponent_bits, fraction_bits, shift;  // shift: of the number in its byte
};
constexpr Format kE4m3{0, 4, 3, 0}, kE5m2{1, 5, 2, 0}, kE3m2{3, 3, 2, 0}, kE2m3{4, 2, 3, 0},
    kE2m1{5, 2, 1, 2};

double value_of(const Format& format, u32 bits) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const u32 width = format.exponent_bits + format.fraction_bits;
  const auto field =
      static_cast<int>(bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1));
  const double fraction =
      (bits & ((1u << format.fraction_bits) - 1)) / double(1u << format.fraction_bits);
  const double magnitude =
      field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
  return (bits >> width & 1) != 0 ? -magnitude : magnitude;
}

// An instruction's rows: A in 0 to 3, B in 4 to 7, C in 8 to 11, metadata in 13, scales in 14 and
// 15, D in 16 to 19.
constexpr unsigned kRowOfB = 4, kRowOfC = 8, kRowOfMetadata = 13, kRowOfScaleA = 14,
                   kRowOfScaleB = 15, kRowOfD = 16;
constexpr unsigned kUniform = 5;

struct Product {
  isa::Op op;
  u32 scale;  // Mod::mma_scale
  Format a, b;
  unsigned depth;  // numbers of a row of A
  bool sparse = false;
  std::vector<u32> rows = std::vector<u32>(kRowsPerWarp * kWarpSize);

  unsigned per_register() const { return op == isa::Op::OMMA ? 8 : 4; }
  unsigned bits() const { return 32 / per_register(); }
  u32& word(unsigned row, unsigned lane) { return rows[row * kWarpSize + lane]; }

  void put(unsigned row, unsigned lane, unsigned element, u32 number, const Format& format) {
    const u32 shift = element * bits() + (bits() == 8 ? format.shift : 0);
    word(row, lane) |= number << shift;
  }
  // The PTX ISA's places: row or column, and k, of element i of a lane.
  void put_a(unsigned row, unsigned k, u32 number) {
    const unsigned n = per_register(), lane = 4 * (row % 8) + k % (4 * n) / n;
    put(row / 8 + 2 * (k / (4 * n)), lane, k % n, number, a);
  }
  void put_b(unsigned k, unsigned column, u32 number) {
    const unsigned n = per_register(), lane = 4 * column + k % (4 * n) / n;
    put(kRowOfB + k / (4 * n), lane, k % n, number, b);
  }
  unsigned depth_of_b() const { return sparse ? 2 * depth : depth; }
  // Of every four numbers, or of every four pairs of numbers of four bits, A has two. Two bits are
  // a place; the first lane of a quad has those of half of a row, the second of the row eight
  // below, the others of the other halves.
  void put_place(unsigned row, unsigned k, unsigned place_of_four) {
    const unsigned to_a_place = per_register() / 4, half = depth / 2;
    word(kRowOfMetadata, 4 * (row % 8) + 2 * (k / half) + row / 8) |=
        place_of_four << 2 * (k % half / to_a_place);
  }
  u32 c(unsigned row, unsigned column) {
    return word(kRowOfC + 2 * (row / 8) + column % 2, 4 * (row % 8) + column / 2);
  }
  float d(unsigned row, unsigned column) {
    return std::bit_cast<float>(
        word(kRowOfD + 2 * (row / 8) + column % 2, 4 * (row % 8) + column / 2));
  }
  void run(const Variant& variant) {
    isa::Instruction instruction;
    instruction.op = op;
    instruction.arch = isa::Arch::sm_120;
    instruction.word.lo = std::uint64_t{sparse ? kRowOfMetadata : kRowOfScaleA} << 40 |
                          std::uint64_t{kRowOfScaleB} << 52;
    instruction.word.hi = std::uint64_t{sparse} << 16;
    instruction.ur = kUniform;
    Request request{&instruction};
    request.mod(Mod::mma_shape) = sparse ? 0 : 1;
    request.mod(Mod::mma_dst) = 1;
    request.mod(Mod::mma_src) = a.number;
    request.mod(Mod::mma_src_b) = b.number;
    request.mod(Mod::mma_scale) = scale;
    MicroOp micro;
    micro.a = 0;
    micro.b = kRowOfB * kWarpSize;
    micro.c = kRowOfC * kWarpSize;
    micro.d = kRowOfD * kWarpSize;
    ASSERT_TRUE(variant.select(request, micro));
    WarpState warp;
    warp.rows = rows.data();
    const FloatEnvironment environment;
    micro.lane(warp, micro, kFullMask);
  }
};

float towards_zero(double exact) {
  const auto nearest = static_cast<float>(exact);
  return std::abs(static_cast<double>(nearest)) > std::abs(exact) ? std::nextafter(nearest, 0.0f)
                                                                  : nearest;
}

double scale_of(u32 scale, u32 byte) {
  if (scale == 0) return 1;
  return scale == 2 ? std::ldexp(1.0, static_cast<int>(byte) - 127) : value_of(kE4m3, byte & 0x7f);
}

template <class F>
void for_each_variant(F&& f) {
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    SCOPED_TRACE(variant.name);
    f(variant);
  }
}

// Where the numbers of a row of A stand: everywhere, or at two random places of every four.
std::vector<unsigned> places_of_a_row(Product& product, unsigned row, std::mt19937_64& random) {
  std::vector<unsigned> places(product.depth);
  std::iota(places.begin(), places.end(), 0u);
  if (!product.sparse) return places;
  const unsigned to_a_place = product.per_register() / 4;
  for (unsigned k = 0; k < product.depth; k += 2 * to_a_place) {
    std::array<unsigned, 4> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), random);
    std::sort(order.begin(), order.begin() + 2);
    for (unsigned i = 0; i < 2; ++i) {
      product.put_place(row, k + i * to_a_place, order[i]);
      for (unsigned n = 0; n < to_a_place; ++n)
        places[k + i * to_a_place + n] = 2 * k + order[i] * to_a_place + n;
    }
  }
  return places;
}

// Random numbers, small enough that nothing is cut off but the end of the sum.
void expect_exact_sums(Product product, unsigned ids) {
  std::mt19937_64 random(7);
  const auto some = [&](const Format& format) {
    for (;;) {
      const auto number =
          static_cast<u32>(random()) & ((2u << (format.exponent_bits + format.fraction_bits)) - 1);
      const double value = std::abs(value_of(format, number));
      if (value == 0 || (value >= 0.125 && value < 8)) return number;
    }
  };
  const unsigned depth = product.depth_of_b();
  std::vector<double> a(16 * depth), b(8 * depth);  // with the zeros between A's numbers
  for (unsigned row = 0; row < 16; ++row) {
    const std::vector<unsigned> places = places_of_a_row(product, row, random);
    for (unsigned k = 0; k < product.depth; ++k) {
      const u32 number = some(product.a);
      product.put_a(row, k, number);
      a[row * depth + places[k]] = value_of(product.a, number);
    }
  }
  for (unsigned column = 0; column < 8; ++column)
    for (unsigned k = 0; k < depth; ++k) {
      const u32 number = some(product.b);
      product.put_b(k, column, number);
      b[column * depth + k] = value_of(product.b, number);
    }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned r = 0; r < 4; ++r)
      product.word(kRowOfC + r, lane) = std::bit_cast<u32>(float(int(random() % 65)) - 32);
    for (const unsigned row : {kRowOfScaleA, kRowOfScaleB})
      for (unsigned byte = 0; byte < 4; ++byte)
        product.word(row, lane) |= (product.scale == 2 ? 126 + static_cast<u32>(random() % 3)
                                                       : 0x30 + static_cast<u32>(random() % 16))
                                   << 8 * byte;
    product.word(kUniformRow + kUniform, lane) = ids;
  }
  const unsigned blocks = product.scale == 1 ? 4 : product.op == isa::Op::OMMA ? 2 : 1;
  const unsigned byte_a = ids & 3, thread_a = ids >> 2 & 1, byte_b = ids >> 3 & 3,
                 thread_b = ids >> 5 & 3;
  for_each_variant([&](const Variant& variant) {
    Product ran = product;
    ran.run(variant);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        const u32 scales_a = product.word(kRowOfScaleA, 4 * (row % 8) + 2 * thread_a + row / 8);
        const u32 scales_b = product.word(kRowOfScaleB, 4 * column + thread_b);
        double sum = std::bit_cast<float>(product.c(row, column));
        for (unsigned k = 0; k < depth; ++k) {
          const unsigned block = k / (depth / blocks);
          sum += a[row * depth + k] * b[column * depth + k] *
                 scale_of(product.scale, scales_a >> 8 * (byte_a + block) & 0xff) *
                 scale_of(product.scale, scales_b >> 8 * (byte_b + block) & 0xff);
        }
        ASSERT_EQ(ran.d(row, column), towards_zero(sum)) << row << ", " << column;
      }
  });
}

TEST(NarrowProducts, OfEveryPairOfFormatsAreExact) {
  for (const Format& a : {kE4m3, kE5m2, kE3m2, kE2m3, kE2m1})
    for (const Format& b : {kE4m3, kE5m2, kE3m2, kE2m3, kE2m1}) {
      SCOPED_TRACE(a.number * 10 + b.number);
      expect_exact_sums({isa::Op::QMMA, 0, a, b, 32}, 0);
    }
}

TEST(NarrowProducts, HaveTheScaleThatTheSelectorNames) {
  for (unsigned ids = 0; ids < 128; ids += 9)
    expect_exact_sums({isa::Op::QMMA, 2, kE4m3, kE2m3, 32}, ids);
}

TEST(NarrowProducts, OfFourBitsHaveTwoOrFourScalesToARow) {
  for (const unsigned ids : {0u, 2u, 4u, 16u, 0x60u})
    expect_exact_sums({isa::Op::OMMA, 2, kE2m1, kE2m1, 64}, ids);
  for (const unsigned ids : {0u, 4u, 0x20u, 0x60u})
    expect_exact_sums({isa::Op::OMMA, 1, kE2m1, kE2m1, 64}, ids);
}

TEST(NarrowProducts, OfASparseMatrixMeetTheRowsThatMetadataName) {
  for (const Format& a : {kE4m3, kE5m2, kE3m2, kE2m3, kE2m1})
    for (const Format& b : {kE4m3, kE2m1}) expect_exact_sums({isa::Op::QMMA, 0, a, b, 32, true}, 0);
  for (unsigned ids = 0; ids < 128; ids += 9)
    expect_exact_sums({isa::Op::QMMA, 2, kE4m3, kE2m3, 32, true}, ids);
}

TEST(NarrowProducts, OfASparseMatrixOfFourBitsMeetPairsOfRows) {
  for (const unsigned ids : {0u, 2u, 4u, 16u, 0x60u})
    expect_exact_sums({isa::Op::OMMA, 2, kE2m1, kE2m1, 64, true}, ids);
  for (const unsigned ids : {0u, 4u, 0x20u, 0x60u})
    expect_exact_sums({isa::Op::OMMA, 1, kE2m1, kE2m1, 64, true}, ids);
}

TEST(NarrowProducts, WithInfinitiesAndNaNs) {
  constexpr u32 kOneE5m2 = 0x3c, kInfinityE5m2 = 0x7c, kNanE4m3 = 0x7f, kOneE4m3 = 0x38;
  for_each_variant([&](const Variant& variant) {
    Product infinite{isa::Op::QMMA, 0, kE5m2, kE5m2, 32};
    infinite.put_a(3, 5, kInfinityE5m2);
    infinite.put_b(5, 2, kOneE5m2 | 0x80);
    infinite.put_a(9, 5, kInfinityE5m2);
    infinite.run(variant);
    EXPECT_EQ(infinite.d(3, 2), -INFINITY);
    EXPECT_TRUE(std::isnan(infinite.d(9, 3)));  // times zero
    EXPECT_EQ(infinite.d(4, 2), 0);

    Product no_number{isa::Op::QMMA, 2, kE4m3, kE4m3, 32};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      no_number.word(kRowOfScaleA, lane) = no_number.word(kRowOfScaleB, lane) = 0x7f7f7f7f;
    no_number.put_a(1, 0, kOneE4m3);
    no_number.put_b(0, 1, kNanE4m3);
    no_number.word(kRowOfScaleA, 4 * 2) = 0xff;  // row 2
    no_number.run(variant);
    EXPECT_TRUE(std::isnan(no_number.d(1, 1)));
    EXPECT_TRUE(std::isnan(no_number.d(2, 0)));
    EXPECT_EQ(no_number.d(1, 0), 0);
  });
}

// 2^-25 beside one is kept, 2^-26 is not (DeepGEMM, issue 176, of another Blackwell).
TEST(NarrowProducts, KeepTwentyFiveBitsBelowTheLargestExponent) {
  constexpr u32 kOne = 0x38;
  for_each_variant([&](const Variant& variant) {
    Product product{isa::Op::QMMA, 2, kE4m3, kE4m3, 32};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      product.word(kRowOfScaleA, lane) = product.word(kRowOfScaleB, lane) = 127;
    for (const unsigned row : {0u, 1u}) {
      product.put_a(row, 0, kOne);
      product.word(kRowOfScaleA, 4 * row) = row == 0 ? 127 - 25 : 127 - 26;
      product.word(kRowOfC, 4 * row) = std::bit_cast<u32>(-1.0f);
    }
    product.put_b(0, 0, kOne);
    product.run(variant);
    EXPECT_EQ(product.d(0, 0), -std::nextafter(1.0f, 0.0f));  // what is left is cut off
    EXPECT_EQ(product.d(1, 0), -1.0f);
  });
}

}  // namespace
}  // namespace heddle::simulator::lanes
