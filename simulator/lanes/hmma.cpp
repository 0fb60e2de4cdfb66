// HMMA: products of FP16, BF16 and TF32 (docs/hardware/arithmetic.md). All lanes' registers take
// part, active or not, as of the others (matrix.cpp).
#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/matrix_at_once.hpp"
#include "simulator/lanes/matrix_operands.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Where C and D are FP16, a register holds two neighbours of a row.
template <bool kHalf>
u32 element_of_c(const u32* c, u32 lane, u32 r) {
  if constexpr (kHalf) return c[(r / 2) * kWarpSize + lane] >> 16 * (r % 2) & 0xffff;
  return c[r * kWarpSize + lane];
}

// 16 bits of metadata for eight elements of a row, two to four places (TF32: for four, one to two):
// lane `selector` of each quad has them where A is one register deep, otherwise lanes 2 * selector
// and the next; the upper halves are of rows 8 to 15 (found from an H200's answers).
template <u32 kElements, u32 kSteps>
struct SomeElements {
  static constexpr bool kSparse = true;
  const u32* metadata;
  u32 first;

  SomeElements(const WarpState& warp, const MicroOp& op)
      : metadata(warp.rows + std::size_t{op.param[1]} * kWarpSize), first(op.param[0] * kSteps) {}
  u32 place(u32 row, u32 k) const {
    constexpr u32 kPiece = 4 * kElements;  // elements of A that one register of a quad holds
    const u32 bits = metadata[4 * (row % 8) + (first + k / kPiece) % 4] >> 16 * (row / 8);
    if constexpr (kElements == 1) return 2 * k + (bits >> (4 * (k % kPiece) + 1) & 1);
    return 4 * (k / 2) + (bits >> 2 * (k % kPiece) & 3);
  }
};

// How a format's words are taken apart at once.
template <class Format>
struct WordsOf;
template <>
struct WordsOf<Fp16Elements> {
  using Taken = Fp16Words;
};
template <>
struct WordsOf<Bf16Elements> {
  using Taken = Bf16Words;
};
template <>
struct WordsOf<Tf32Elements> {
  using Taken = Tf32Words;
};

// Where all numbers are of the usual kind: true, and D is in `d`, register by register.
template <class Format, u32 kSteps, class Dot, bool kHalf, class Choice>
bool hmma_at_once(WarpState& warp, const MicroOp& op, u32 (*d)[kWarpSize]) {
  using Taken = typename WordsOf<Format>::Taken;
  constexpr u32 kStepsOfB = Choice::kSparse ? 2 * kSteps : kSteps;
  constexpr u32 kGroup = kStepsOfB * Dot::kTerms / (4 * Format::kElements * kSteps);
  const u32* a = source_row(warp, op.a);
  u32 spread[Choice::kSparse ? 4 * kSteps : 1][kWarpSize];
  if constexpr (Choice::kSparse) {
    if (!spread_out<Format::kElements, kSteps>(a, Choice(warp, op), spread)) return false;
    a = spread[0];
  }
  const TakenA<Taken, kStepsOfB> of_a(a, op.a_negate);
  const TakenB<Taken, kStepsOfB> of_b(source_row(warp, op.b), op.b_negate);
  if (any(of_a.strange | of_b.strange)) return false;
  const auto c = reinterpret_cast<const u32(*)[kWarpSize]>(source_row(warp, op.c));
  return multiply_at_once<SumRule<kHalf, Dot::kBits, 23>, kStepsOfB, kGroup>(of_a, of_b, c, d) == 0;
}

// Infinities and NaNs of a row of A, a column of B and the element of C.
template <class Format, class Dot, u32 kDepth>
SpecialSum sum_of_specials(const i32* a, const i32* a_exponent, const i32* b, const i32* b_exponent,
                           Parts addend) {
  constexpr i32 kHidden = 1 << Format::kFraction, kHiddenC = 1 << Dot::kCFraction;
  SpecialSum sum;
  for (u32 k = 0; k < kDepth; ++k) {
    const bool of_a = a_exponent[k] == kExponentOfSpecial;
    const bool of_b = b_exponent[k] == kExponentOfSpecial;
    if (!of_a && !of_b) continue;
    const bool nan = (of_a && a[k] != kHidden && a[k] != -kHidden) ||
                     (of_b && b[k] != kHidden && b[k] != -kHidden) || a[k] == 0 || b[k] == 0;
    sum.note(nan, !nan, (a[k] < 0) != (b[k] < 0));
  }
  if (addend.exponent == kExponentOfSpecial) {
    const bool nan = addend.significand != kHiddenC && addend.significand != -kHiddenC;
    sum.note(nan, !nan, addend.significand < 0);
  }
  return sum;
}

template <class Format, u32 kSteps, class Dot, bool kHalf, class Choice>
void hmma(WarpState& warp, const MicroOp& op, Mask on) {
  using Shape = Fragments<Format::kElements, 2, kSteps>;
  using ShapeOfB = Fragments<Format::kElements, 1, Choice::kSparse ? 2 * kSteps : kSteps>;
  constexpr u32 kDepth = Shape::kDepth, kDepthOfB = ShapeOfB::kDepth, kGroup = Dot::kTerms;
  Result<kHalf ? 2 : 4> usual;
  if (op.param[3] != kOneByOne &&
      hmma_at_once<Format, kSteps, Dot, kHalf, Choice>(warp, op, usual.word))
    return usual.write(warp, op, on);
  const Choice choice(warp, op);
  i32 a[Shape::kRows][kDepth], a_exponent[Shape::kRows][kDepth];
  i32 b[kColumns][kDepthOfB], b_exponent[kColumns][kDepthOfB];
  // What a row of A meets of each column of B.
  i32 met[kColumns][kDepth], met_exponent[kColumns][kDepth];
  bool special_row[Shape::kRows] = {}, special_column[kColumns] = {};
  const auto take = [](Parts parts, bool negate, i32& value, i32& exponent, bool& special) {
    value = negate ? -parts.significand : parts.significand;
    exponent = parts.exponent;
    special |= parts.exponent == kExponentOfSpecial;
  };
  const u32* rows_a = source_row(warp, op.a);
  const u32* rows_b = source_row(warp, op.b);
  const u32* rows_c = source_row(warp, op.c);
  Shape::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32 e) {
    take(Format::parts(rows_a[r * kWarpSize + lane], e), op.a_negate, a[row][k], a_exponent[row][k],
         special_row[row]);
  });
  ShapeOfB::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32 e) {
    take(Format::parts(rows_b[r * kWarpSize + lane], e), op.b_negate, b[column][k],
         b_exponent[column][k], special_column[column]);
  });

  const auto element = [&](u32 row, u32 column, u32 c) {
    const SpecialSum special =
        special_row[row] | special_column[column] |
                (Dot::parts_of_c(c).exponent == kExponentOfSpecial)
            ? sum_of_specials<Format, Dot, kDepth>(a[row], a_exponent[row], met[column],
                                                   met_exponent[column], Dot::parts_of_c(c))
            : SpecialSum{};
    if (special.any()) {
      constexpr u32 kInfinity = kHalf ? 0x7c00u : 0x7f800000u, kSign = kHalf ? 0x8000u : kSign32;
      const bool nan = special.nan | (special.positive & special.negative);
      return nan ? (kHalf ? kNan16 : kNan32) : special.negative ? kSign | kInfinity : kInfinity;
    }
    for (u32 k = 0; k < kDepth; k += kGroup)
      c = Dot::add(a[row] + k, a_exponent[row] + k, met[column] + k, met_exponent[column] + k, c);
    return c;
  };

  Result<kHalf ? 2 : 4> d;
  for (u32 row = 0; row < Shape::kRows; ++row) {
    if (Choice::kSparse || row == 0) {
      for (u32 column = 0; column < kColumns; ++column)
        for (u32 k = 0; k < kDepth; ++k) {
          met[column][k] = b[column][choice.place(row, k)];
          met_exponent[column][k] = b_exponent[column][choice.place(row, k)];
        }
    }
    for (u32 column = 0; column < kColumns; ++column) {
      const u32 lane = 4 * (row % 8) + column / 2, r = 2 * (row / 8) + column % 2;
      const u32 sum = element(row, column, element_of_c<kHalf>(rows_c, lane, r));
      if constexpr (kHalf) {
        d.word[r / 2][lane] |= sum << 16 * (r % 2);
      } else {
        d.word[r][lane] = sum;
      }
    }
  }
  d.write(warp, op, on);
}

// Products a group takes and bits kept, by architecture (docs/hardware/arithmetic.md).
template <class Format, u32 kSteps, bool kHalf>
LaneFunction select_hmma_for(bool hopper, bool sparse) {
  constexpr u32 kDepth = 4 * Format::kElements * kSteps;
  constexpr u32 kEarlier = Format::kElements == 2 ? 8 : 4;
  constexpr u32 kGroup = kEarlier < kDepth ? kEarlier : kDepth;
  using Hopper = FloatDot<Format, kDepth, 25, kHalf>;
  using Earlier = FloatDot<Format, kGroup, 24, kHalf>;
  using Some = SomeElements<Format::kElements, kSteps>;
  if (sparse)
    return hopper ? hmma<Format, kSteps, Hopper, kHalf, Some>
                  : hmma<Format, kSteps, Earlier, kHalf, Some>;
  return hopper ? hmma<Format, kSteps, Hopper, kHalf, AllElements>
                : hmma<Format, kSteps, Earlier, kHalf, AllElements>;
}

// mma_shape: 0 1688, 1 16816, 2 1684, sparse 3 16832.
LaneFunction select_hmma(const Request& request, MicroOp& op) {
  constexpr u32 kF16Format = 0, kBf16Format = 1, kTf32Format = 2;
  const isa::Instruction& in = *request.instruction;
  // The forms with steps are sm_70's.
  if ((in.word.lo & 0xfff) != 0x23c) return nullptr;
  const bool hopper = isa::traits(in.arch).sums_whole_products.value;
  const bool sparse = (in.word.hi >> 9 & 1) != 0;
  const bool half = request.mod(Mod::mma_dst) == 0;
  const u32 shape = request.mod(Mod::mma_shape), format = request.mod(Mod::mma_src);
  if (sparse) take_metadata(in, op);
  if (sparse && op.param[1] == isa::kRZ) return nullptr;
  // How many registers of A there are to a row.
  u32 steps = 0;
  if (format == kTf32Format)
    steps = sparse ? (shape < 2 ? shape + 1 : 0) : shape == 2 ? 1 : shape == 0 ? 2 : 0;
  else
    steps = sparse ? (shape == 1 ? 1 : shape == 3 ? 2 : 0) : shape < 2 ? shape + 1 : 0;
  if (steps == 0 || (half && format != kF16Format)) return nullptr;
  const bool one = steps == 1;
  switch (format) {
    case kF16Format:
      if (half)
        return one ? select_hmma_for<Fp16Elements, 1, true>(hopper, sparse)
                   : select_hmma_for<Fp16Elements, 2, true>(hopper, sparse);
      return one ? select_hmma_for<Fp16Elements, 1, false>(hopper, sparse)
                 : select_hmma_for<Fp16Elements, 2, false>(hopper, sparse);
    case kBf16Format:
      return one ? select_hmma_for<Bf16Elements, 1, false>(hopper, sparse)
                 : select_hmma_for<Bf16Elements, 2, false>(hopper, sparse);
    case kTf32Format:
      return one ? select_hmma_for<Tf32Elements, 1, false>(hopper, sparse)
                 : select_hmma_for<Tf32Elements, 2, false>(hopper, sparse);
    default:
      return nullptr;
  }
}

constexpr Row kRows[] = {{Op::HMMA, select_hmma}};

}  // namespace

Rows hmma_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
