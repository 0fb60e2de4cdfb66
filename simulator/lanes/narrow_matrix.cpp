// QMMA and OMMA of sm_120: products of floats of eight, six and four bits, of which blocks may have
// scales (PTX ISA, mma with kind::f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4).
//
// No such GPU was at hand. Products are exact, cut off at a common place below the largest exponent
// and added, as on sm_90; how many bits are kept was measured by others on another Blackwell:
// 25 of eight-bit floats, about 35 of four-bit ones with scales (DeepGEMM, issue 176). Sparse
// products are taken to keep as many.
#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/matrix.hpp"
#include "simulator/lanes/matrix_operands.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Numbers of formats, as Mod::mma_src has them, and of scales, as Mod::mma_scale.
enum : u32 { kE4m3 = 0, kE5m2 = 1, kE3m2 = 3, kE2m3 = 4, kE2m1 = 5 };
enum : u32 { kNoScale = 0, kUe4m3 = 1, kUe8m0 = 2 };

// Bits below the point of every significand here, whatever the format.
inline constexpr i32 kFraction = 3;

template <u32 kExponentBits, u32 kFractionBits>
Parts aligned_parts(u32 bits) {
  constexpr i32 kBias = (1 << (kExponentBits - 1)) - 1;
  const u32 field = bits >> kFractionBits & ((1u << kExponentBits) - 1);
  const u32 fraction = bits & ((1u << kFractionBits) - 1);
  const bool negative = (bits >> (kExponentBits + kFractionBits) & 1) != 0;
  const u32 magnitude = (fraction | (field != 0 ? 1u << kFractionBits : 0))
                        << (kFraction - static_cast<i32>(kFractionBits));
  const i32 value = negative ? -static_cast<i32>(magnitude) : static_cast<i32>(magnitude);
  if (magnitude == 0) return {0, kExponentOfZero};
  return {value, static_cast<i32>(field == 0 ? 1 : field) - kBias};
}

// E4M3 has one NaN and no infinity, E5M2 has both, and the others neither. In a byte a number of
// six bits is at the bottom and one of four bits in the middle.
Parts parts_of_byte(u32 format, u32 bits) {
  switch (format) {
    case kE4m3:
      if ((bits & 0x7f) == 0x7f) return {1, kExponentOfSpecial};
      return aligned_parts<4, 3>(bits);
    case kE5m2: {
      Parts parts = aligned_parts<5, 2>(bits);
      if ((bits & 0x7c) == 0x7c) parts.exponent = kExponentOfSpecial;
      return parts;
    }
    case kE3m2:
      return aligned_parts<3, 2>(bits);
    case kE2m3:
      return aligned_parts<2, 3>(bits);
    default:
      return aligned_parts<2, 1>(bits >> 2);
  }
}
inline constexpr i32 kInfinity = 1 << kFraction;  // E5M2's, as a significand

// A power of two, or a number without a sign.
Parts parts_of_scale(u32 scale, u32 byte) {
  if (scale == kNoScale) return {1 << kFraction, 0};
  if (scale == kUe4m3)
    return (byte & 0x7f) == 0x7f ? Parts{1, kExponentOfSpecial} : aligned_parts<4, 3>(byte & 0x7f);
  if (byte == 0xff) return {1, kExponentOfSpecial};
  return {1 << kFraction, static_cast<i32>(byte) - 127};
}

// A row of A or a column of B: its numbers, and the scales of its blocks.
struct Vector {
  static constexpr u32 kMost = 128;
  Parts number[kMost];
  Parts scale[4];
};

// 32 bits of metadata for half of a row of A: lanes 0 and 1 of each quad have them for the rows of
// the two eights, lanes 2 and 3 for the other halves. Two bits are the place, among four, of a
// number (of bytes) or of a pair of numbers (of four bits). MicroOp::param[2]: their register.
template <u32 kElements>
struct SomeNumbers {
  static constexpr bool kSparse = true;
  const u32* metadata;

  SomeNumbers(const WarpState& warp, const MicroOp& op)
      : metadata(warp.rows + std::size_t{op.param[2]} * kWarpSize) {}
  u32 place(u32 row, u32 k) const {
    constexpr u32 kHalf = 4 * kElements, kPiece = kElements / 4;  // that two bits are about
    const u32 bits = metadata[4 * (row % 8) + 2 * (k / kHalf) + row / 8];
    const u32 piece = k % kHalf / kPiece;
    return 4 * kPiece * (k / (2 * kPiece)) + kPiece * (bits >> 2 * piece & 3) + k % kPiece;
  }
};

// What an instruction is: MicroOp::param[0] and param[1], packed.
struct Product {
  u32 format_a, format_b, scale, scale_a, scale_b, selector;

  Product(u32 first, u32 second)
      : format_a(first & 7),
        format_b(first >> 3 & 7),
        scale(first >> 6 & 3),
        scale_a(second & 0xff),
        scale_b(second >> 8 & 0xff),
        selector(second >> 16 & 0xff) {}
  static u32 first(u32 format_a, u32 format_b, u32 scale) {
    return format_a | format_b << 3 | scale << 6;
  }
};

bool is_special(Parts parts) { return parts.exponent == kExponentOfSpecial; }

// The products of A's kDepth numbers with those of B at their places; kBits are kept below the
// largest exponent. `length`: places to a block.
template <u32 kDepth, u32 kBits, bool kHalf>
u32 sum_of_products(const Vector& a, const Vector& b, const u32* place, u32 length, u32 c) {
  const Parts addend = kHalf ? parts_of<5, 10>(c) : parts_of<8, 23>(c);
  constexpr i32 kFractionOfC = kHalf ? 10 : 23, kFractionOfProduct = 4 * kFraction;
  SpecialSum special;
  if (is_special(addend)) {
    const i32 magnitude = addend.significand < 0 ? -addend.significand : addend.significand;
    const bool nan = magnitude != 1 << kFractionOfC;
    special.note(nan, !nan, addend.significand < 0);
  }
  i64 product[kDepth] = {};
  i32 exponent[kDepth] = {}, top = addend.exponent;
  for (u32 k = 0; k < kDepth; ++k) {
    const Parts x = a.number[k], y = b.number[place[k]];
    const Parts sx = a.scale[place[k] / length], sy = b.scale[place[k] / length];
    if (is_special(x) || is_special(y) || is_special(sx) || is_special(sy)) {
      const auto finite_or_infinite = [](Parts p) {
        return !is_special(p) || p.significand == kInfinity || p.significand == -kInfinity;
      };
      const bool nan = !finite_or_infinite(x) || !finite_or_infinite(y) || is_special(sx) ||
                       is_special(sy) || x.significand == 0 || y.significand == 0 ||
                       sx.significand == 0 || sy.significand == 0;
      special.note(nan, !nan, (x.significand < 0) != (y.significand < 0));
      continue;
    }
    product[k] = i64{x.significand} * y.significand * sx.significand * sy.significand;
    exponent[k] = x.exponent + y.exponent + sx.exponent + sy.exponent;
    if (product[k] == 0) exponent[k] = kExponentOfZero;
    top = exponent[k] > top ? exponent[k] : top;
  }
  if (special.any()) {
    constexpr u32 kPositive = kHalf ? 0x7c00u : 0x7f800000u, kSign = kHalf ? 0x8000u : kSign32;
    if (special.nan || (special.positive && special.negative)) return kHalf ? kNan16 : kNan32;
    return special.negative ? kSign | kPositive : kPositive;
  }
  // Towards zero, each by itself.
  const auto aligned = [&](i64 value, i32 fraction, i32 at) {
    const i64 magnitude = value < 0 ? -value : value;
    const i32 away = top - at > 63 ? 63 : top - at;
    const i64 kept = magnitude << (static_cast<i32>(kBits) - fraction) >> away;
    return value < 0 ? -kept : kept;
  };
  i64 sum = aligned(addend.significand, kFractionOfC, addend.exponent);
  for (u32 k = 0; k < kDepth; ++k) sum += aligned(product[k], kFractionOfProduct, exponent[k]);
  const i32 unit = top - static_cast<i32>(kBits);
  return kHalf ? rounded_to_half(sum, unit) : truncated_to_float(sum, unit);
}

// The scales of row or column `index` of the warp: of each quad one thread has them for its column
// of B, one for its row of A and the next for the row eight below; the selector says which, and at
// which byte they begin.
void take_scales(const WarpState& warp, u32 scale, u32 blocks, u32 reg, u32 lane, u32 byte,
                 Vector& vector) {
  const u32 word =
      reg == isa::kRZ || scale == kNoScale ? 0 : warp.rows[std::size_t{reg} * kWarpSize + lane];
  for (u32 i = 0; i < blocks; ++i)
    vector.scale[i] = parts_of_scale(scale, word >> 8 * ((byte + i) & 3) & 0xff);
}

// kElements numbers to a register.
template <u32 kElements, u32 kSteps, u32 kBits, bool kHalf, class Choice = AllElements>
void narrow_product(WarpState& warp, const MicroOp& op, Mask on) {
  using Shape = Fragments<kElements, 2, kSteps>;
  using ShapeOfB = Fragments<kElements, 1, Choice::kSparse ? 2 * kSteps : kSteps>;
  static_assert(ShapeOfB::kDepth <= Vector::kMost);
  const Product product(op.param[0], op.param[1]);
  const auto number = [](u32 format, u32 word, u32 e) {
    return kElements == 4 ? parts_of_byte(format, word >> 8 * e & 0xff)
                          : parts_of_byte(kE2m1, (word >> 4 * e & 0xf) << 2);
  };
  Vector a[Shape::kRows], b[kColumns];
  const u32* rows_a = source_row(warp, op.a);
  const u32* rows_b = source_row(warp, op.b);
  const u32* rows_c = source_row(warp, op.c);
  Shape::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32 e) {
    a[row].number[k] = number(product.format_a, rows_a[r * kWarpSize + lane], e);
  });
  ShapeOfB::for_each_of_b([&](u32 column, u32 k, u32 lane, u32 r, u32 e) {
    b[column].number[k] = number(product.format_b, rows_b[r * kWarpSize + lane], e);
  });
  const u32 blocks = product.scale == kUe4m3 ? 4 : kElements == 8 ? 2 : 1;
  const u32 ids =
      product.selector == isa::kURZ ? 0 : warp.rows[(kUniformRow + product.selector) * kWarpSize];
  for (u32 row = 0; row < Shape::kRows; ++row)
    take_scales(warp, product.scale, blocks, product.scale_a,
                4 * (row % 8) + 2 * (ids >> 2 & 1) + row / 8, ids & 3, a[row]);
  for (u32 column = 0; column < kColumns; ++column)
    take_scales(warp, product.scale, blocks, product.scale_b, 4 * column + (ids >> 5 & 3),
                ids >> 3 & 3, b[column]);

  const Choice choice(warp, op);
  u32 place[Shape::kRows][Shape::kDepth];
  for (u32 row = 0; row < Shape::kRows; ++row)
    for (u32 k = 0; k < Shape::kDepth; ++k) place[row][k] = choice.place(row, k);

  u32 d[kHalf ? 2 : 4][kWarpSize] = {};
  Shape::for_each_of_c([&](u32 row, u32 column, u32 lane, u32 r) {
    const u32 c = kHalf ? rows_c[(r / 2) * kWarpSize + lane] >> 16 * (r % 2) & 0xffff
                        : rows_c[r * kWarpSize + lane];
    const u32 sum = sum_of_products<Shape::kDepth, kBits, kHalf>(a[row], b[column], place[row],
                                                                 ShapeOfB::kDepth / blocks, c);
    if constexpr (kHalf) {
      d[r / 2][lane] |= sum << 16 * (r % 2);
    } else {
      d[r][lane] = sum;
    }
  });
  u32* destination = destination_row(warp, op.d);
  for (u32 r = 0; r < (kHalf ? 2 : 4); ++r)
    for (u32 i = 0; i < kWarpSize; ++i) put<false>(destination + r * kWarpSize, i, d[r][i], on);
}

inline constexpr u32 kBitsOfBytes = 25, kBitsOfNibbles = 35;

bool is_sparse(const isa::Instruction& in) { return (in.word.hi >> 16 & 1) != 0; }

// The metadata, with the scales of A in the register behind them, or the scales of A alone.
void take_operands(const isa::Instruction& in, u32 format_a, u32 format_b, u32 scale, MicroOp& op) {
  const u32 first = static_cast<u32>(in.word.lo >> 40 & 0xff);
  const u32 scale_a = is_sparse(in) && first != isa::kRZ ? first + 1 : first;
  op.param[0] = Product::first(format_a, format_b, scale);
  op.param[1] =
      scale_a | static_cast<u32>(in.word.lo >> 52 & 0xff) << 8 | static_cast<u32>(in.ur) << 16;
  op.param[2] = first;
}

bool lacks_metadata(const isa::Instruction& in, const MicroOp& op) {
  return is_sparse(in) && op.param[2] == isa::kRZ;
}

// mma_shape: 0 16816, 1 16832; sparse ones are 16864. sm_89's sums are others, and not known.
LaneFunction select_qmma(const Request& request, MicroOp& op) {
  const isa::Instruction& in = *request.instruction;
  if (in.arch == isa::Arch::sm_89) return nullptr;
  take_operands(in, request.mod(Mod::mma_src), request.mod(Mod::mma_src_b),
                request.mod(Mod::mma_scale), op);
  if (lacks_metadata(in, op)) return nullptr;
  const bool half = request.mod(Mod::mma_dst) == 0, one = request.mod(Mod::mma_shape) == 0;
  if (is_sparse(in))
    return half ? narrow_product<4, 2, kBitsOfBytes, true, SomeNumbers<4>>
                : narrow_product<4, 2, kBitsOfBytes, false, SomeNumbers<4>>;
  if (half)
    return one ? narrow_product<4, 1, kBitsOfBytes, true>
               : narrow_product<4, 2, kBitsOfBytes, true>;
  return one ? narrow_product<4, 1, kBitsOfBytes, false>
             : narrow_product<4, 2, kBitsOfBytes, false>;
}

// 16864, or sparse 168128.
LaneFunction select_omma(const Request& request, MicroOp& op) {
  const isa::Instruction& in = *request.instruction;
  take_operands(in, kE2m1, kE2m1, request.mod(Mod::mma_scale), op);
  if (lacks_metadata(in, op)) return nullptr;
  return is_sparse(in) ? narrow_product<8, 2, kBitsOfNibbles, false, SomeNumbers<8>>
                       : narrow_product<8, 2, kBitsOfNibbles, false>;
}

constexpr Row kRows[] = {{Op::QMMA, select_qmma}, {Op::OMMA, select_omma}};

}  // namespace

Rows narrow_matrix_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
