// HMMA, IMMA, BMMA, DMMA and MOVM. All lanes' registers take part, active or not: PTX leaves it
// open what a matrix product does without its full warp.
#include "simulator/lanes/matrix.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/float64.hpp"
#include "simulator/lanes/integers_at_once.hpp"
#include "simulator/lanes/matrix_at_once.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// D where it is computed, written to the rows only when nothing is read from them any more.
template <u32 kRegisters>
struct Result {
  alignas(64) u32 word[kRegisters][kWarpSize] = {};

  void write(WarpState& warp, const MicroOp& op, Mask on) const {
    u32* d = destination_row(warp, op.d);
    if (on == kFullMask) {
      __builtin_memcpy(d, word, sizeof word);
      return;
    }
    for (u32 r = 0; r < kRegisters; ++r)
      for (u32 i = 0; i < kWarpSize; ++i) put<false>(d + r * kWarpSize, i, word[r][i], on);
  }
};

// HMMA -----------------------------------------------------------------------------------------

// Where C and D are FP16, a register holds two neighbours of a row.
template <bool kHalf>
u32 element_of_c(const u32* c, u32 lane, u32 r) {
  if constexpr (kHalf) return c[(r / 2) * kWarpSize + lane] >> 16 * (r % 2) & 0xffff;
  return c[r * kWarpSize + lane];
}

// Sparse: A holds half of its elements, and metadata says which: place(row, k) is the row of B that
// element k of A's row meets. k[0]: the selector, k[1]: the register of metadata.
struct AllElements {
  static constexpr bool kSparse = false;
  AllElements(const WarpState&, const MicroOp&) {}
  u32 place(u32, u32 k) const { return k; }
};

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

// k[3], of DMMA k[0], of a product that is to be computed element by element: how tests get both.
constexpr u32 kOneByOne = 1;

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

// The registers that A would have if its rows were not sparse: zeros stand between the numbers.
// False where metadata give two numbers one place: both count.
template <u32 kElements, u32 kSteps, class Choice>
bool spread_out(const u32* rows, const Choice& choice, u32 (&spread)[4 * kSteps][kWarpSize]) {
  constexpr u32 kBits = 32 / kElements, kMask = ~0u >> (32 - kBits);
  bool apart = true;
  __builtin_memset(spread, 0, sizeof spread);
  Fragments<kElements, 2, kSteps>::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32 e) {
    const u32 place = choice.place(row, k), at = place / kElements;
    spread[2 * (at / 4) + row / 8][4 * (row % 8) + at % 4] |=
        (rows[r * kWarpSize + lane] >> kBits * e & kMask) << kBits * (place % kElements);
    apart &= place != choice.place(row, k ^ 1);
  });
  return apart;
}

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

// The register of metadata and the selector, which are of no operand slot.
void take_metadata(const isa::Instruction& in, MicroOp& op) {
  op.param[0] = static_cast<u32>(in.word.lo >> 48 & 3);
  op.param[1] = static_cast<u32>(in.word.lo >> 40 & 0xff);
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

// IMMA -----------------------------------------------------------------------------------------

// 32 bits of metadata for 16 bytes of a row: lanes 0 and 1 of each quad have them for the rows of
// the two eights, lanes 2 and 3 for the next 16 bytes, or where the selector is 1.
template <u32 kSteps>
struct SomeBytes {
  static constexpr bool kSparse = true;
  const u32* metadata;
  u32 first;

  SomeBytes(const WarpState& warp, const MicroOp& op)
      : metadata(warp.rows + std::size_t{op.param[1]} * kWarpSize),
        first(kSteps == 1 ? 2 * (op.param[0] & 1) : 0) {}
  u32 place(u32 row, u32 k) const {
    const u32 bits = metadata[4 * (row % 8) + first + 2 * (k / 16) + row / 8];
    return 4 * (k / 2) + (bits >> 2 * (k % 16) & 3);
  }
};

// False where that cannot be.
template <u32 kElements, u32 kRowGroups, u32 kSteps, class Choice>
bool imma_at_once(WarpState& warp, const MicroOp& op, u32 (*d)[kWarpSize]) {
  constexpr u32 kStepsOfB = Choice::kSparse ? 2 * kSteps : kSteps;
  const u32* a = source_row(warp, op.a);
  u32 spread[Choice::kSparse ? 4 * kSteps : 1][kWarpSize];
  if constexpr (Choice::kSparse) {
    if (!spread_out<kElements, kSteps>(a, Choice(warp, op), spread)) return false;
    a = spread[0];
  }
  const PairsOfA<kElements, kRowGroups, kStepsOfB> of_a(a, (op.param[2] & 1) != 0);
  const PairsOfB<kElements, kStepsOfB> of_b(source_row(warp, op.b), (op.param[2] & 2) != 0);
  const auto c = reinterpret_cast<const u32(*)[kWarpSize]>(source_row(warp, op.c));
  multiply_integers(of_a, of_b, (op.param[2] & 4) != 0, c, d);
  return true;
}

// k[2]: bits 0 and 1 say that the factors of A and B are signed, bit 2 is .SAT; k[0], k[1]: as of
// HMMA.
template <u32 kElements, u32 kRowGroups, u32 kSteps, class Choice>
void imma(WarpState& warp, const MicroOp& op, Mask on) {
  using Shape = Fragments<kElements, kRowGroups, kSteps>;
  using ShapeOfB = Fragments<kElements, 1, Choice::kSparse ? 2 * kSteps : kSteps>;
  Result<Shape::kRegistersOfC> d;
  if (op.param[3] != kOneByOne &&
      imma_at_once<kElements, kRowGroups, kSteps, Choice>(warp, op, d.word))
    return d.write(warp, op, on);
  const Choice choice(warp, op);
  constexpr u32 kBits = 32 / kElements;
  const auto value = [](u32 word, u32 e, u32 is_signed) {
    const u32 raised = word << (32 - kBits * (e + 1));
    return is_signed != 0 ? static_cast<i32>(raised) >> (32 - kBits)
                          : static_cast<i32>(raised >> (32 - kBits));
  };
  i32 a[Shape::kRows][Shape::kDepth], b[kColumns][ShapeOfB::kDepth];
  const u32* rows_a = source_row(warp, op.a);
  const u32* rows_b = source_row(warp, op.b);
  const u32* c = source_row(warp, op.c);
  Shape::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32 e) {
    a[row][k] = value(rows_a[r * kWarpSize + lane], e, op.param[2] & 1);
  });
  ShapeOfB::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32 e) {
    b[column][k] = value(rows_b[r * kWarpSize + lane], e, op.param[2] & 2);
  });
  Shape::for_each_of_c([&](u32 row, u32 column, u32 lane, u32 r) {
    i32 sum = 0;
    for (u32 k = 0; k < Shape::kDepth; ++k) sum += a[row][k] * b[column][choice.place(row, k)];
    const u32 addend = c[r * kWarpSize + lane];
    i64 exact = i64{static_cast<i32>(addend)} + sum;
    if ((op.param[2] & 4) != 0) {
      exact = exact > 0x7fffffff ? 0x7fffffff : exact;
      exact = exact < -i64{0x80000000} ? -i64{0x80000000} : exact;
    }
    d.word[r][lane] = static_cast<u32>(exact);
  });
  d.write(warp, op, on);
}

// mma_shape: 0 8816, 2 8832, 4 16816, 5 16832, 6 16864. Types: 0 U8, 1 S8, 4 U4, 5 S4.
LaneFunction select_imma(const Request& request, MicroOp& op) {
  const isa::Instruction& in = *request.instruction;
  const bool sparse = (in.word.hi >> 8 & 1) != 0;
  const u32 type_a = request.mod(Mod::mma_src), type_b = request.mod(Mod::mma_src_b);
  op.param[2] = (type_a & 1) | (type_b & 1) << 1 | (request.mod(Mod::sat) & 1) << 2;
  const bool narrow = type_a >= 4;
  if (narrow != (type_b >= 4)) return nullptr;
  const u32 shape = request.mod(Mod::mma_shape);
  if (sparse) {
    take_metadata(in, op);
    if (narrow || op.param[1] == isa::kRZ) return nullptr;
    return shape == 5   ? imma<4, 2, 1, SomeBytes<1>>
           : shape == 6 ? imma<4, 2, 2, SomeBytes<2>>
                        : nullptr;
  }
  switch (shape) {
    case 0:
      return narrow ? nullptr : imma<4, 1, 1, AllElements>;
    case 2:
      return narrow ? imma<8, 1, 1, AllElements> : nullptr;
    case 4:
      return narrow ? nullptr : imma<4, 2, 1, AllElements>;
    case 5:
      return narrow ? imma<8, 2, 1, AllElements> : imma<4, 2, 2, AllElements>;
    case 6:
      return narrow ? imma<8, 2, 2, AllElements> : nullptr;
    default:
      return nullptr;
  }
}

// BMMA -----------------------------------------------------------------------------------------

// Counts of common (k[0] = 1) or of different bits.
template <u32 kRowGroups, u32 kSteps>
void bmma(WarpState& warp, const MicroOp& op, Mask on) {
  using Shape = Fragments<1, kRowGroups, kSteps>;
  Result<Shape::kRegistersOfC> d;
  const u32* rows_a = source_row(warp, op.a);
  const u32* rows_b = source_row(warp, op.b);
  const u32* c = source_row(warp, op.c);
  if (op.param[3] != kOneByOne) {
    multiply_bits<kRowGroups>(rows_a, BitsOfB<kSteps>(rows_b), op.param[0] != 0,
                              reinterpret_cast<const u32(*)[kWarpSize]>(c), d.word);
    return d.write(warp, op, on);
  }
  u32 a[Shape::kRows][Shape::kDepth], b[kColumns][Shape::kDepth];
  Shape::for_each_of_a(
      [&](u32 row, u32 k, u32 lane, u32 r, u32) { a[row][k] = rows_a[r * kWarpSize + lane]; });
  Shape::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32) {
    b[column][k] = rows_b[r * kWarpSize + lane];
  });
  Shape::for_each_of_c([&](u32 row, u32 column, u32 lane, u32 r) {
    u32 sum = c[r * kWarpSize + lane];
    for (u32 k = 0; k < Shape::kDepth; ++k) {
      const u32 bits = op.param[0] != 0 ? a[row][k] & b[column][k] : a[row][k] ^ b[column][k];
      sum += static_cast<u32>(__builtin_popcount(bits));
    }
    d.word[r][lane] = sum;
  });
  d.write(warp, op, on);
}

LaneFunction select_bmma(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::mma_op);  // .AND
  switch (request.mod(Mod::mma_shape)) {
    case 0:
      return bmma<1, 1>;
    case 1:
      return bmma<2, 1>;
    case 2:
      return bmma<2, 2>;
    default:
      return nullptr;
  }
}

// DMMA -----------------------------------------------------------------------------------------

// The doubles of registers, modifiers applied.
template <u32 kCount>
void read_doubles(const u32* rows, bool negate, bool absolute, double (&to)[kCount][kWarpSize]) {
  const u32 kept = absolute ? 0x7fffffffu : ~0u, sign = negate ? kSign32 : 0;
  for (u32 r = 0; r < kCount; ++r)
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      const u32 high = (rows[(2 * r + 1) * kWarpSize + lane] & kept) ^ sign;
      to[r][lane] = as_double(u64{high} << 32 | rows[2 * r * kWarpSize + lane]);
    }
}

// As dmma, a row at a time. A sum that once was no number stays none: where there is such a one,
// which NaN it is remains to be found, and this is false.
template <u32 kRowGroups, u32 kSteps>
bool dmma_at_once(WarpState& warp, const MicroOp& op, u32 (*d)[kWarpSize]) {
  using Shape = Fragments<1, kRowGroups, kSteps>;
  double a[Shape::kRegistersOfA][kWarpSize], b[kSteps][kWarpSize], c[2 * kRowGroups][kWarpSize];
  read_doubles(source_row(warp, op.a), op.a_negate, op.a_absolute, a);
  read_doubles(source_row(warp, op.b), op.b_negate, op.b_absolute, b);
  read_doubles(source_row(warp, op.c), op.c_negate, op.c_absolute, c);
  double columns[Shape::kDepth][kColumns];  // the even ones first, as registers of C have them
  Shape::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32) {
    columns[k][column / 2 + 4 * (column % 2)] = b[r][lane];
  });
  bool numbers = true;
  for (u32 row = 0; row < Shape::kRows; ++row) {
    const u32 lane = 4 * (row % 8), eight = row / 8;
    double sum[kColumns];
    for (u32 j = 0; j < kColumns; ++j) sum[j] = c[2 * eight + j / 4][lane + j % 4];
    for (u32 k = 0; k < Shape::kDepth; ++k) {
      const double factor = a[kRowGroups * (k / 4) + eight][lane + k % 4];
      for (u32 j = 0; j < kColumns; ++j) sum[j] = __builtin_fma(factor, columns[k][j], sum[j]);
    }
    for (u32 j = 0; j < kColumns; ++j) {
      numbers &= sum[j] == sum[j];
      const u64 bits = bits_of(sum[j]);
      const u32 r = 2 * (2 * eight + j / 4);
      d[r][lane + j % 4] = static_cast<u32>(bits);
      d[r + 1][lane + j % 4] = static_cast<u32>(bits >> 32);
    }
  }
  return numbers;
}

// A chain of multiply-adds from C on, in order of k.
template <u32 kRowGroups, u32 kSteps>
void dmma(WarpState& warp, const MicroOp& op, Mask on) {
  using Shape = Fragments<1, kRowGroups, kSteps>;
  struct Wide {
    u64 bits;  // modifiers applied
    u32 raw_high;
  };
  Result<2 * Shape::kRegistersOfC> d;
  if (op.param[0] != kOneByOne && dmma_at_once<kRowGroups, kSteps>(warp, op, d.word))
    return d.write(warp, op, on);
  const auto load = [](const u32* rows, u32 r, u32 lane, bool negate, bool absolute) {
    const u32 low = rows[2 * r * kWarpSize + lane], raw = rows[(2 * r + 1) * kWarpSize + lane];
    const u32 high = (absolute ? raw & 0x7fffffffu : raw) ^ (negate ? kSign32 : 0);
    return Wide{u64{high} << 32 | low, raw};
  };
  Wide a[Shape::kRows][Shape::kDepth], b[kColumns][Shape::kDepth];
  const u32* rows_a = source_row(warp, op.a);
  const u32* rows_b = source_row(warp, op.b);
  const u32* rows_c = source_row(warp, op.c);
  Shape::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32) {
    a[row][k] = load(rows_a, r, lane, op.a_negate, op.a_absolute);
  });
  Shape::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32) {
    b[column][k] = load(rows_b, r, lane, op.b_negate, op.b_absolute);
  });
  Shape::for_each_of_c([&](u32 row, u32 column, u32 lane, u32 r) {
    const Wide c = load(rows_c, r, lane, op.c_negate, op.c_absolute);
    Operand64 sum(c.bits, c.raw_high);
    for (u32 k = 0; k < Shape::kDepth; ++k) {
      const Operand64 x(a[row][k].bits, a[row][k].raw_high);
      const Operand64 y(b[column][k].bits, b[column][k].raw_high);
      const u64 bits = double_result(__builtin_fma(x.value, y.value, sum.value), x, y, sum);
      sum = Operand64(bits, static_cast<u32>(bits >> 32));
    }
    const u64 bits = bits_of(sum.value);
    d.word[2 * r][lane] = static_cast<u32>(bits);
    d.word[2 * r + 1][lane] = static_cast<u32>(bits >> 32);
  });
  d.write(warp, op, on);
}

LaneFunction rounded_dmma(u32 shape) {
  switch (shape) {
    case 0:
      return dmma<1, 1>;
    case 1:
      return dmma<2, 1>;
    case 2:
      return dmma<2, 2>;
    case 3:
      return dmma<2, 4>;
    default:
      return nullptr;
  }
}

template <u32 kShape>
void dmma_with_rounding(WarpState& warp, const MicroOp& op, Mask on) {
  with_rounding(warp, op, on, rounded_dmma(kShape));
}

// mma_shape: 0 8x8x4, 1 16x8x4, 2 16x8x8, 3 16x8x16.
LaneFunction select_dmma(const Request& request, MicroOp& op) {
  op.param[3] = request.mod(Mod::rnd);
  const u32 shape = request.mod(Mod::mma_shape);
  if (op.param[3] == kNearest) return rounded_dmma(shape);
  return choose<4>(shape, []<u32 kShape>() -> LaneFunction { return dmma_with_rounding<kShape>; });
}

// MOVM -----------------------------------------------------------------------------------------

// Transposes an 8x8 matrix of 16-bit elements, a row in each quad.
void movm(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const auto element = [&](u32 row, u32 column) {
    return a[4 * row + column / 2] >> 16 * (column % 2) & 0xffff;
  };
  Result<1> d;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 row = lane / 4, column = 2 * (lane % 4);
    d.word[0][lane] = element(column, row) | element(column + 1, row) << 16;
  }
  d.write(warp, op, on);
}

LaneFunction select_movm(const Request& request, MicroOp&) {
  return request.mod(Mod::ldsm_trans) == 0 ? movm : nullptr;
}

constexpr Row kRows[] = {
    {Op::HMMA, select_hmma}, {Op::IMMA, select_imma}, {Op::BMMA, select_bmma},
    {Op::DMMA, select_dmma}, {Op::MOVM, select_movm},
};

}  // namespace

Rows matrix_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
