// IMMA, BMMA, DMMA and MOVM (HMMA: hmma.cpp). All lanes' registers take part, active or not: PTX
// leaves it open what a matrix product does without its full warp.
#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/float64.hpp"
#include "simulator/lanes/integers_at_once.hpp"
#include "simulator/lanes/matrix_at_once.hpp"
#include "simulator/lanes/matrix_operands.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

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
    {Op::IMMA, select_imma},
    {Op::BMMA, select_bmma},
    {Op::DMMA, select_dmma},
    {Op::MOVM, select_movm},
};

}  // namespace

Rows matrix_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
