// Products of matrices, eight columns at a time beside element by element, in every vector unit
// this processor has.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "isa/instruction.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using Random = std::mt19937_64;

constexpr unsigned kRowsUsed = 16;
constexpr std::uint64_t kHmma = 0x23c;

// mma_shape, mma_src and mma_dst of an HMMA, and of which GPU.
struct Form {
  std::uint32_t shape, source, destination;
  isa::Arch arch;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const isa::Arch arch : {isa::Arch::sm_80, isa::Arch::sm_90}) {
    for (const std::uint32_t shape : {0u, 1u})
      for (const auto& [source, destination] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 1u}})
        forms.push_back({shape, source, destination, arch});
    for (const std::uint32_t shape : {0u, 2u}) forms.push_back({shape, 2, 1, arch});
  }
  return forms;
}

// How the numbers of a product are drawn; each kind is hard in a way of its own.
enum class Kind { bits, near_one, halves_near_one, small_integers, few_of_many_sizes, zeros };
constexpr std::array kKinds{Kind::bits,           Kind::near_one,          Kind::halves_near_one,
                            Kind::small_integers, Kind::few_of_many_sizes, Kind::zeros};

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
    case Kind::zeros:
      return any % 16 != 0 ? any & 0x80008000 : halves ? half_of(random, 20) : float_of(random, 20);
  }
  return 0;
}

class Product {
 public:
  Product(const Variant& variant, const Form& form) {
    instruction_.op = isa::Op::HMMA;
    instruction_.arch = form.arch;
    instruction_.word.lo = kHmma;
    Request request{&instruction_};
    request.mod(Mod::mma_shape) = form.shape;
    request.mod(Mod::mma_src) = form.source;
    request.mod(Mod::mma_dst) = form.destination;
    op_.a = 0;
    op_.b = 4 * kWarpSize;
    op_.c = 8 * kWarpSize;
    op_.d = 12 * kWarpSize;
    chosen_ = variant.select(request, op_);
  }
  bool chosen() const { return chosen_; }
  std::vector<std::uint32_t> of(std::vector<std::uint32_t> rows, bool one_by_one) {
    op_.param[3] = one_by_one ? 1 : 0;
    WarpState warp;
    warp.rows = rows.data();
    const FloatEnvironment environment;
    op_.lane(warp, op_, kFullMask);
    return rows;
  }

 private:
  isa::Instruction instruction_;
  MicroOp op_;
  bool chosen_ = false;
};

TEST(MatrixProducts, AtOnceAreThoseElementByElement) {
  constexpr int kTimes = 40;
  Random random(5);
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const Form& form : all_forms()) {
      Product product(variant, form);
      ASSERT_TRUE(product.chosen()) << form.shape << ' ' << form.source;
      for (const Kind kind : kKinds)
        for (int i = 0; i < kTimes; ++i) {
          std::vector<std::uint32_t> rows(kRowsUsed * kWarpSize);
          for (std::size_t at = 0; at < rows.size(); ++at) {
            const bool addend = at >= 8 * kWarpSize && form.destination != 0;
            rows[at] = word(kind, !addend && form.source != 2, random);
          }
          ASSERT_EQ(product.of(rows, false), product.of(rows, true))
              << variant.name << ", shape " << form.shape << ", format " << form.source << ", kind "
              << static_cast<int>(kind);
        }
    }
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
