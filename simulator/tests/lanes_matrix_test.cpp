// Products of matrices, many elements at a time beside element by element, in every vector unit
// this processor has.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "isa/instruction.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"
#include "simulator/lanes/warpgroup.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using Random = std::mt19937_64;

constexpr unsigned kRowOfB = 16, kRowOfC = 24, kRowOfD = 32, kRowOfMetadata = 40, kRowsUsed = 41;
constexpr std::uint64_t kHmma = 0x23c;

// mma_shape, mma_src and mma_dst of an HMMA, and of which GPU.
struct Form {
  std::uint32_t shape, source, destination;
  isa::Arch arch;
  bool sparse = false;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const isa::Arch arch : {isa::Arch::sm_80, isa::Arch::sm_90}) {
    for (const std::uint32_t shape : {0u, 1u})
      for (const auto& [source, destination] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 1u}})
        forms.push_back({shape, source, destination, arch});
    for (const std::uint32_t shape : {0u, 2u}) forms.push_back({shape, 2, 1, arch});
    for (const std::uint32_t shape : {1u, 3u})
      for (const auto& [source, destination] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 1u}})
        forms.push_back({shape, source, destination, arch, true});
    for (const std::uint32_t shape : {0u, 1u}) forms.push_back({shape, 2, 1, arch, true});
  }
  return forms;
}

// How the numbers of a product are drawn; each kind is hard in a way of its own.
enum class Kind {
  bits,  // infinities, NaNs and subnormals among them
  near_one,
  halves_near_one,
  small_integers,  // of which many cancel one another
  few_of_many_sizes,
  zeros,
  one_special,
  subnormals
};
constexpr std::array kKinds{Kind::bits,           Kind::near_one,          Kind::halves_near_one,
                            Kind::small_integers, Kind::few_of_many_sizes, Kind::zeros,
                            Kind::one_special,    Kind::subnormals};

std::uint32_t half_of(Random& random, unsigned exponents) {
  const auto exponent = static_cast<std::uint32_t>(15 - exponents / 2 + random() % exponents);
  return static_cast<std::uint32_t>(random() & 0x83ff) | exponent << 10;
}

std::uint32_t float_of(Random& random, unsigned exponents) {
  const auto exponent = static_cast<std::uint32_t>(127 - exponents / 2 + random() % exponents);
  return static_cast<std::uint32_t>(random() & 0x807fffff) | exponent << 23;
}

std::uint32_t word(Kind kind, bool halves, Random& random) {
  const auto any = static_cast<std::uint32_t>(random());
  switch (kind) {
    case Kind::bits:
      return any;
    case Kind::near_one:
      return halves ? half_of(random, 8) | half_of(random, 8) << 16 : float_of(random, 8);
    case Kind::halves_near_one:
      return halves ? half_of(random, 29) | half_of(random, 29) << 16 : float_of(random, 40);
    case Kind::small_integers:
      return halves ? 0x3c00u + (any & 0x800007ff) : std::bit_cast<std::uint32_t>(float(any % 17));
    case Kind::few_of_many_sizes:  // subnormal halves too
      return any % 4 != 0 ? 0
             : halves     ? static_cast<std::uint32_t>(random() & 0x83ff) | half_of(random, 3) << 16
                          : float_of(random, 120);
    case Kind::one_special:  // infinities and NaNs of either size
      if (random() % 256 == 0)
        return halves ? any & 0x80000000 ? 0xfc007c00u : (any & 0xff) | 0x7c003c00u
                      : (any & 0x80000001u) | 0x7f800000u;
      return halves ? half_of(random, 4) | half_of(random, 4) << 16 : float_of(random, 4);
    case Kind::subnormals:
      return halves ? any & 0x83ff83ff : float_of(random, 60) - (20u << 23);
    case Kind::zeros:
      return any % 16 != 0 ? any & 0x80008000 : halves ? half_of(random, 20) : float_of(random, 20);
  }
  return 0;
}

struct Modifier {
  Mod mod;
  std::uint32_t value;
};

class Product {
 public:
  // `parameter`: which of its lane function's says that there is to be no shortcut.
  Product(const Variant& variant, isa::Op op, isa::Arch arch, isa::Word word,
          std::initializer_list<Modifier> mods, unsigned parameter = 3)
      : parameter_(parameter) {
    instruction_.op = op;
    instruction_.arch = arch;
    instruction_.word = word;
    Request request{&instruction_};
    for (const Modifier& each : mods) request.mod(each.mod) = each.value;
    op_.a = 0;
    op_.b = kRowOfB * kWarpSize;
    op_.c = kRowOfC * kWarpSize;
    op_.d = kRowOfD * kWarpSize;
    chosen_ = variant.select(request, op_);
  }
  static Product hmma(const Variant& variant, const Form& form) {
    const std::uint64_t metadata = form.sparse ? std::uint64_t{kRowOfMetadata} << 40 : 0;
    return {variant,
            isa::Op::HMMA,
            form.arch,
            {kHmma | metadata, std::uint64_t{form.sparse} << 9},
            {{Mod::mma_shape, form.shape},
             {Mod::mma_src, form.source},
             {Mod::mma_dst, form.destination}}};
  }
  bool chosen() const { return chosen_; }
  void negate(bool a, bool b) {
    op_.a_negate = a;
    op_.b_negate = b;
  }
  std::vector<std::uint32_t> of(std::vector<std::uint32_t> rows, bool one_by_one) {
    op_.param[parameter_] = one_by_one ? 1 : 0;
    WarpState warp;
    warp.rows = rows.data();
    const FloatEnvironment environment;
    op_.lane(warp, op_, kFullMask);
    return rows;
  }

 private:
  isa::Instruction instruction_;
  MicroOp op_;
  unsigned parameter_;
  bool chosen_ = false;
};

// Two different places of four for each pair of numbers; of TF32 one of two. Now and then any bits:
// both numbers of a pair may have one place.
std::uint32_t metadata(bool tf32, Random& random) {
  constexpr std::array<std::uint32_t, 6> kPairs{0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  if (random() % 256 == 0) return static_cast<std::uint32_t>(random());
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 8; ++i)
    bits |= (tf32 ? (random() % 2 != 0 ? 0x4u : 0xeu) : kPairs[random() % 6]) << 4 * i;
  return bits;
}

TEST(MatrixProducts, AtOnceAreThoseElementByElement) {
  constexpr int kTimes = 40;
  Random random(5);
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const Form& form : all_forms()) {
      Product product = Product::hmma(variant, form);
      ASSERT_TRUE(product.chosen()) << form.shape << ' ' << form.source;
      for (const Kind kind : kKinds)
        for (int i = 0; i < kTimes; ++i) {
          std::vector<std::uint32_t> rows(kRowsUsed * kWarpSize);
          for (std::size_t at = 0; at < rows.size(); ++at) {
            const bool addend = at >= kRowOfC * kWarpSize && form.destination != 0;
            rows[at] = word(kind, !addend && form.source != 2, random);
          }
          for (unsigned lane = 0; lane < kWarpSize; ++lane)
            rows[kRowOfMetadata * kWarpSize + lane] = metadata(form.source == 2, random);
          product.negate(random() % 2 != 0, random() % 2 != 0);
          ASSERT_EQ(product.of(rows, false), product.of(rows, true))
              << variant.name << ", shape " << form.shape << ", format " << form.source << ", kind "
              << static_cast<int>(kind) << ", sparse " << form.sparse;
        }
    }
  }
}

std::vector<std::uint32_t> random_rows(Random& random) {
  std::vector<std::uint32_t> rows(kRowsUsed * kWarpSize);
  for (std::uint32_t& each : rows) each = static_cast<std::uint32_t>(random());
  return rows;
}

TEST(MatrixProducts, OfIntegersAtOnceAreThoseElementByElement) {
  struct Integers {
    std::uint32_t shape, type;  // of A; B's is this one or its signed sibling
    bool sparse;
  };
  constexpr std::array<Integers, 8> kForms{{{0, 0, false},
                                            {2, 4, false},
                                            {4, 0, false},
                                            {5, 4, false},
                                            {5, 0, false},
                                            {6, 4, false},
                                            {5, 0, true},
                                            {6, 0, true}}};
  Random random(11);
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const Integers& form : kForms)
      for (unsigned i = 0; i < 64; ++i) {
        const std::uint64_t metadata_at = form.sparse ? std::uint64_t{kRowOfMetadata} << 40 : 0;
        Product product(variant, isa::Op::IMMA, isa::Arch::sm_90,
                        {metadata_at, std::uint64_t{form.sparse} << 8},
                        {{Mod::mma_shape, form.shape},
                         {Mod::mma_src, form.type + i % 2},
                         {Mod::mma_src_b, form.type + i / 2 % 2},
                         {Mod::sat, i / 4 % 2}});
        ASSERT_TRUE(product.chosen()) << form.shape << ' ' << form.type;
        std::vector<std::uint32_t> rows = random_rows(random);
        if (i % 16 >= 8)  // sums that are too large, or nearly
          for (unsigned at = kRowOfC * kWarpSize; at < kRowOfD * kWarpSize; ++at)
            rows[at] = 0x7fffffffu + static_cast<std::uint32_t>(random() % 100'000) - 50'000;
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
          rows[kRowOfMetadata * kWarpSize + lane] = metadata(false, random);
        ASSERT_EQ(product.of(rows, false), product.of(rows, true))
            << variant.name << ", shape " << form.shape << ", type " << form.type << ", time " << i;
      }
  }
}

TEST(MatrixProducts, OfBitsAtOnceAreThoseElementByElement) {
  Random random(17);
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const std::uint32_t shape : {0u, 1u, 2u})
      for (unsigned i = 0; i < 32; ++i) {
        Product product(variant, isa::Op::BMMA, isa::Arch::sm_90, {},
                        {{Mod::mma_shape, shape}, {Mod::mma_op, i % 2}});
        ASSERT_TRUE(product.chosen()) << shape;
        std::vector<std::uint32_t> rows = random_rows(random);
        if (i / 2 % 2 != 0)  // all bits count
          std::fill_n(rows.begin(), kRowOfC * kWarpSize, i % 4 == 3 ? ~0u : 0u);
        ASSERT_EQ(product.of(rows, false), product.of(rows, true))
            << variant.name << ", shape " << shape << ", time " << i;
      }
  }
}

TEST(MatrixProducts, OfDoublesAtOnceAreThoseElementByElement) {
  Random random(13);
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const std::uint32_t shape : {0u, 1u, 2u, 3u})
      for (unsigned i = 0; i < 64; ++i) {
        Product product(variant, isa::Op::DMMA, isa::Arch::sm_90, {},
                        {{Mod::mma_shape, shape}, {Mod::rnd, i / 4 % 4}}, 0);
        ASSERT_TRUE(product.chosen()) << shape;
        product.negate(i % 2 != 0, i / 2 % 2 != 0);
        // Any doubles, so that infinities and NaNs arise from sums too; or some near one, and of
        // those sometimes one NaN.
        std::vector<std::uint32_t> rows = random_rows(random);
        if (i % 8 >= 4)
          for (std::size_t row = 1; row < kRowOfMetadata; row += 2)
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
              std::uint32_t& high = rows[row * kWarpSize + lane];
              high = (high & 0x800fffffu) | 0x3fe00000u;
            }
        if (i % 16 >= 12) rows[kWarpSize + random() % kWarpSize] |= 0x7ff00000;
        ASSERT_EQ(product.of(rows, false), product.of(rows, true))
            << variant.name << ", shape " << shape << ", time " << i;
      }
  }
}

struct GroupForm {
  const char* name;
  GroupFunction multiply;
  unsigned bytes;  // of a number
  bool half_sum;
  bool integers = false;
};

std::vector<GroupForm> group_forms() {
  const GroupFunctions& of = group_functions();
  std::vector<GroupForm> forms{{"f16, f16 sums", of.half_to_half, 2, true},
                               {"f16", of.half, 2, false},
                               {"bf16", of.bfloat, 2, false},
                               {"tf32", of.tf32, 4, false}};
  for (const unsigned sum : {0u, 1u})
    for (const unsigned a : {0u, 1u})
      for (const unsigned b : {0u, 1u})
        forms.push_back({"eight bits", of.eight_bits[sum][a][b], 1, sum == 0});
  forms.push_back({"bits", of.bits, 1, false, true});
  for (const unsigned a : {0u, 1u})
    for (const unsigned b : {0u, 1u}) {
      forms.push_back({"bytes", of.bytes[a][b], 1, false, true});
      forms.push_back({"bytes, saturated", of.bytes_saturated[a][b], 1, false, true});
    }
  return forms;
}

template <std::size_t kCount>
void fill_rows(std::uint8_t (&rows)[kCount][kGroupRowBytes], Kind kind, bool halves,
               Random& random) {
  for (auto& row : rows)
    for (unsigned at = 0; at < kGroupRowBytes; at += 4) {
      const std::uint32_t bits = word(kind, halves, random);
      std::memcpy(row + at, &bits, sizeof bits);
    }
}

// Of four numbers two are there, of 32 bits one of two; the others are zeros.
void make_sparse(GroupFactors& factors, unsigned bytes, Random& random) {
  factors.bytes = kGroupRowBytes;
  for (unsigned row = 0; row < kGroupRows; ++row) {
    const unsigned piece = bytes == 4 ? 2 : 4;
    factors.there[row] = 0;
    for (unsigned first = 0; first < kGroupRowBytes / bytes; first += piece) {
      const std::uint64_t left_out = random() % piece;
      for (unsigned i = 0; i < piece; ++i) {
        const bool there = bytes == 4 ? i != left_out : i != left_out && i != (left_out + 1) % 4;
        if (there)
          factors.there[row] |= std::uint64_t{1} << (first + i);
        else
          std::memset(factors.a[row] + std::size_t{first + i} * bytes, 0, bytes);
      }
    }
  }
}

TEST(GroupProducts, AtOnceAreThoseElementByElement) {
  constexpr int kTimes = 12;
  Random random(7);
  const FloatEnvironment environment;
  GroupFactors factors;
  GroupSums sums{};
  factors.columns = 24;
  for (const GroupForm& form : group_forms())
    for (const Kind kind : kKinds)
      for (int i = 0; i < kTimes; ++i) {
        fill_rows(factors.a, kind, form.bytes == 2, random);
        fill_rows(factors.b, kind, form.bytes == 2, random);
        for (auto& row : sums.c)
          for (std::uint32_t& each : row)
            each = word(form.integers ? Kind::bits : kind, form.half_sum, random);
        for (auto& there : factors.there) there = ~std::uint64_t{0};
        factors.bytes = 32;
        if (i % 3 == 0 && form.multiply != group_functions().bits)
          make_sparse(factors, form.bytes, random);
        factors.negate = i % 2 != 0;
        const unsigned registers = factors.columns / (form.half_sum ? 4 : 2);
        const auto answers = [&](bool one_by_one) {
          factors.one_by_one = one_by_one;
          form.multiply(factors, sums);
          const auto* const words = reinterpret_cast<const std::uint32_t*>(sums.d);
          return std::vector<std::uint32_t>(words, words + registers * kWarpSize);
        };
        ASSERT_EQ(answers(false), answers(true))
            << form.name << ", kind " << static_cast<int>(kind) << ", time " << i;
      }
}

}  // namespace
}  // namespace heddle::simulator::lanes
