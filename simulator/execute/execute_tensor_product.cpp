// Products of matrices whose sums lie in tensor memory (PTX tcgen05.mma of one block): A in shared
// or in tensor memory, B in shared memory. What is multiplied, a register describes.
//
// Not done, and a launch stops at them: sparse products, those with scales, of pairs of blocks,
// with B held (.ws) or A shifted (.ashift), TF32 that lies column by column, and numbers of six and
// four bits from tensor memory. Sums are cut off as on sm_90 (simulator/lanes/warpgroup.cpp), but
// those of eight-bit floats keep 25 bits (docs/deviations/runtime.md, "Other architectures").
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "simulator/execute/shared_matrix.hpp"
#include "simulator/execute/tensor_memory.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;
using lanes::GroupFactors;
using lanes::GroupSums;
using lanes::kGroupRows;

constexpr std::uint32_t kRowBytes = 32;  // of k

// The instruction descriptor (PTX ISA, tcgen05).
struct Description {
  explicit Description(std::uint32_t word)
      : sparse((word >> 2 & 1) != 0),
        saturates((word >> 3 & 1) != 0),
        sum(word >> 4 & 3),
        a(word >> 7 & 7),
        b(word >> 10 & 7),
        negate((word >> 13 & 1) != (word >> 14 & 1)),
        transpose_a((word >> 15 & 1) != 0),
        transpose_b((word >> 16 & 1) != 0),
        columns((word >> 17 & 0x3f) * 8),
        rows((word >> 24 & 0x1f) * 16) {}
  bool sparse, saturates;
  std::uint32_t sum, a, b;
  bool negate, transpose_a, transpose_b;
  std::uint32_t columns, rows;

  bool has_size() const {
    const std::uint32_t unit = rows == 64 ? 8 : 16;
    return (rows == 64 || rows == 128) && columns != 0 && columns <= lanes::kGroupColumns &&
           columns % unit == 0;
  }
};
enum : std::uint32_t { kHalfSum, kFloatSum, kIntegerSum };               // of Description::sum
enum : std::uint32_t { kFp16, kBf16, kTf32 };                            // of kind::f16 and tf32
enum : std::uint32_t { kE4m3, kE5m2, kE2m3 = 3, kE3m2 = 4, kE2m1 = 5 };  // of kind::f8f6f4

// How a product is computed; no function: there is none such.
struct Rule {
  lanes::GroupFunction function = nullptr;
  std::uint32_t bytes = 1;  // of a number in shared memory
};

Rule rule_of_halves(const Description& of) {
  const lanes::GroupFunctions& all = lanes::group_functions();
  if (of.a != of.b || of.sum > kFloatSum) return {};
  switch (of.a) {
    case kFp16:
      return {of.sum == kHalfSum ? all.half_to_half : all.half, 2};
    case kBf16:
      return {of.sum == kFloatSum ? all.bfloat : nullptr, 2};
    case kTf32:
      return {of.sum == kFloatSum ? all.tf32 : nullptr, 4};
    default:
      return {};
  }
}

Rule rule_of(Op op, const Description& of) {
  const lanes::GroupFunctions& all = lanes::group_functions();
  if (op == Op::UTCHMMA) return rule_of_halves(of);
  if (op == Op::UTCIMMA) {
    if (of.sum != kIntegerSum || of.a > 1 || of.b > 1) return {};
    return {(of.saturates ? all.bytes_saturated : all.bytes)[of.a][of.b]};
  }
  const auto known = [](std::uint32_t format) { return format <= kE2m1 && format != 2; };
  if (of.sum > kFloatSum || !known(of.a) || !known(of.b)) return {};
  return {all.wide_eight_bits[of.sum][of.a == kE5m2][of.b == kE5m2]};
}

bool is_narrow(Op op, std::uint32_t format) { return op == Op::UTCQMMA && format >= kE2m3; }

// Numbers of six or four bits, sixteen of them side by side at the beginning of a chunk, as E4M3,
// which has all their values.
void widen(std::uint32_t format, std::uint8_t* chunk) {
  std::array<std::uint8_t, kChunk> packed;
  std::memcpy(packed.data(), chunk, kChunk);
  const unsigned bits = format == kE2m1 ? 4 : 6;
  const unsigned fraction_bits = format == kE2m1 ? 1 : format == kE3m2 ? 2 : 3;
  const int bias = format == kE3m2 ? 3 : 1;
  for (unsigned i = 0; i < kChunk; ++i) {
    const unsigned at = i * bits;
    const unsigned both = packed[at / 8] | unsigned{at / 8 + 1 < kChunk ? packed[at / 8 + 1] : 0u}
                                               << 8;
    const unsigned number = both >> at % 8 & ((1u << bits) - 1);
    const unsigned magnitude = number & ((1u << (bits - 1)) - 1);
    const unsigned field = magnitude >> fraction_bits;
    unsigned fraction = magnitude & ((1u << fraction_bits) - 1);
    int exponent = static_cast<int>(field == 0 ? 1 : field) - bias;
    unsigned wide = 0;
    if (magnitude != 0) {
      if (field == 0)
        for (; (fraction >> fraction_bits) == 0; --exponent) fraction <<= 1;
      constexpr int kBiasOfE4m3 = 7;
      const unsigned rest = (fraction & ((1u << fraction_bits) - 1)) << (3 - fraction_bits);
      wide = static_cast<unsigned>(exponent + kBiasOfE4m3) << 3 | rest;
    }
    chunk[i] = static_cast<std::uint8_t>(number >> (bits - 1) << 7 | wide);
  }
}

// Rows of a matrix in shared memory, from the first one on, with kRowBytes of k each. narrow:
// their format.
void read_rows(MatrixReader& reader, const SharedMatrix& matrix, const Rule& rule,
               std::uint32_t first, std::uint32_t rows, std::optional<std::uint32_t> narrow,
               std::uint8_t (*to)[lanes::kGroupRowBytes]) {
  std::array<std::uint8_t, kChunk> chunk{};
  const auto take = [&](std::uint32_t row_or_k, std::uint32_t number) {
    reader.copy(matrix.address(row_or_k, number), chunk.data());
    if (narrow) widen(*narrow, chunk.data());
  };
  if (!matrix.transposed()) {
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t i = 0; i < kRowBytes / kChunk; ++i) {
        take(first + row, i);
        std::memcpy(to[row] + std::size_t{i} * kChunk, chunk.data(), kChunk);
      }
    return;
  }
  const std::uint32_t together = kChunk / rule.bytes;  // rows in a chunk
  for (std::uint32_t k = 0; k < kRowBytes / rule.bytes; ++k)
    for (std::uint32_t at = first / together * together; at < first + rows; at += together) {
      take(k, at / together);
      for (std::uint32_t i = 0; i < together; ++i)
        if (at + i >= first && at + i < first + rows)
          std::memcpy(to[at + i - first] + std::size_t{k} * rule.bytes,
                      chunk.data() + std::size_t{i} * rule.bytes, rule.bytes);
    }
}

// The lane of tensor memory that row `row` of sums or of A is in: 64 rows take half of each
// quarter.
std::uint32_t lane_of(const Description& of, std::uint32_t row) {
  return of.rows == 64 ? row / 16 * 32 + row % 16 : row;
}

// One of sixteen rows of the sums and a column, where GroupSums has it.
struct Place {
  std::uint32_t reg, lane;
  Place(std::uint32_t row, std::uint32_t column)
      : reg(4 * (column / 8) + 2 * (row / 8) + column % 2), lane(4 * (row % 8) + column % 8 / 2) {}
};

struct Sums {
  Block& block;
  TensorAddress at;
  const Description& of;
  std::uint32_t scale;  // the old sums are divided by 2 to the power of this

  std::uint32_t& cell(std::uint32_t row, std::uint32_t column) const {
    return tensor_cell(block, at.lane + lane_of(of, row), at.column + column);
  }
  void take(std::uint32_t first, GroupSums& sums) const {
    for (std::uint32_t row = 0; row < kGroupRows; ++row)
      for (std::uint32_t column = 0; column < of.columns; ++column) {
        const Place place(row, column);
        std::uint32_t value = cell(first + row, column);
        if (scale != 0)
          value = std::bit_cast<std::uint32_t>(
              std::ldexp(std::bit_cast<float>(value), -static_cast<int>(scale)));
        if (of.sum == kHalfSum)
          sums.c[place.reg / 2][place.lane] |= (value & 0xffff) << 16 * (place.reg % 2);
        else
          sums.c[place.reg][place.lane] = value;
      }
  }
  // left_out: lanes whose sums stay as they were.
  void put(std::uint32_t first, const GroupSums& sums,
           const std::array<std::uint32_t, kTensorLanes / 32>& left_out) const {
    for (std::uint32_t row = 0; row < kGroupRows; ++row) {
      const std::uint32_t lane = at.lane + lane_of(of, first + row);
      if ((left_out[lane / 32] >> lane % 32 & 1) != 0) continue;
      for (std::uint32_t column = 0; column < of.columns; ++column) {
        const Place place(row, column);
        cell(first + row, column) =
            of.sum == kHalfSum ? sums.d[place.reg / 2][place.lane] >> 16 * (place.reg % 2) & 0xffff
                               : sums.d[place.reg][place.lane];
      }
    }
  }
};

std::uint64_t pair(const Warp& warp, RowOffset row) {
  const std::uint32_t* const low = source_row(warp, row);
  return low[0] | std::uint64_t{low[kWarpSize]} << 32;
}

std::uint32_t uniform(const Warp& warp, unsigned index) {
  return warp.rows[(kUniformRow + std::size_t{index}) * kWarpSize];
}

// Why the product is not done; empty: it is.
std::string why_not(const isa::Instruction& in, const Description& of, const Rule& rule,
                    bool a_in_tensor_memory, std::uint32_t scale) {
  if (of.sparse) return "sparse products of tensor memory are not supported";
  if (rule.function == nullptr) return "the instruction descriptor names no types that are known";
  if (rule.bytes == 4 && (of.transpose_a || of.transpose_b))
    return "TF32 in column-major order is not supported";
  if (a_in_tensor_memory && is_narrow(in.op, of.a))
    return "numbers of six and four bits in tensor memory are not supported";
  if (scale != 0 && of.sum == kHalfSum) return "a scale of FP16 sums is not supported";
  return {};
}

// Step::param.
enum : unsigned { kAInTensorMemory, kLeftOut, kScale };

Flow execute_product(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const isa::Instruction& in = *step.instruction;
  const Description of(uniform(warp, in.ur + 1u));
  const Rule rule = rule_of(in.op, of);
  const bool a_in_tensor_memory = step.param[kAInTensorMemory] != 0;
  if (const std::string why = why_not(in, of, rule, a_in_tensor_memory, step.param[kScale]);
      !why.empty())
    return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0, why);
  if (!of.has_size())
    return core.raise(Fault::Kind::illegal_instruction, warp, step, on, 0,
                      fmt::format("products of {} by {} sums", of.rows, of.columns));
  const std::uint32_t lanes_taken = lane_of(of, of.rows - 1) + 1;
  const Sums all{*warp.block, TensorAddress(*source_row(warp, step.c)), of, step.param[kScale]};
  if (!has_tensor_cells(core, warp, step, on, all.at, lanes_taken, of.columns)) return Flow::stop;
  const TensorAddress a(*source_row(warp, step.a));
  if (a_in_tensor_memory && !has_tensor_cells(core, warp, step, on, a, lanes_taken, kRowBytes / 4))
    return Flow::stop;
  std::array<std::uint32_t, kTensorLanes / 32> left_out{};
  if (step.param[kLeftOut] != isa::kURZ)
    for (unsigned i = 0; i < left_out.size(); ++i)
      left_out[i] = uniform(warp, step.param[kLeftOut] + i);

  GroupFactors factors;
  factors.columns = of.columns;
  factors.bytes = kRowBytes;
  factors.negate = of.negate;
  std::ranges::fill(factors.there, ~std::uint64_t{0});
  const auto narrow = [&](std::uint32_t format) {
    return is_narrow(in.op, format) ? std::optional(format) : std::nullopt;
  };
  MatrixReader reader(core, warp);
  read_rows(reader, {pair(warp, step.b), of.transpose_b}, rule, 0, of.columns, narrow(of.b),
            factors.b);
  const bool adds = warp.predicate(step.pp).any();
  // Sixteen rows at a time. All of A is read before sums change that may lie beside it.
  std::vector<GroupSums> sums(of.rows / kGroupRows);
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    const std::uint32_t first = i * kGroupRows;
    if (a_in_tensor_memory)
      for (std::uint32_t row = 0; row < kGroupRows; ++row)
        std::memcpy(factors.a[row],
                    &tensor_cell(*warp.block, a.lane + lane_of(of, first + row), a.column),
                    kRowBytes);
    else
      read_rows(reader, {pair(warp, step.a), of.transpose_a}, rule, first, kGroupRows, narrow(of.a),
                factors.a);
    if (adds) all.take(first, sums[i]);
    rule.function(factors, sums[i]);
  }
  if (!reader.all_inside())
    return core.raise(Fault::Kind::illegal_address, warp, step, on, reader.outside(),
                      "a matrix descriptor names bytes outside the block's shared memory");
  for (std::uint32_t i = 0; i < sums.size(); ++i) all.put(i * kGroupRows, sums[i], left_out);
  return Flow::next;
}

}  // namespace

// The forms differ in bits 11:9 and 91: 0x5ea has A in shared memory, 0x9ea in tensor memory; the
// others have scales.
Execute lower_tensor_product(const isa::Instruction& in, Step& step) {
  constexpr std::uint64_t kShared = 0x5ea, kTensor = 0x9ea;
  if (in.op != Op::UTCHMMA && in.op != Op::UTCIMMA && in.op != Op::UTCQMMA) return nullptr;
  const std::uint64_t form = in.word.bits(0, 12);
  if (form != kShared && form != kTensor) return nullptr;
  constexpr unsigned kShifts = 74;
  const bool shifts = form == kTensor && in.word.bit(kShifts);
  if (in.mod(Mod::stationary) != 0 || shifts || in.ur + 1u >= isa::kUniformRegisters)
    return nullptr;
  step.param[kAInTensorMemory] = form == kTensor;
  step.param[kLeftOut] = static_cast<std::uint32_t>(in.word.bits(48, 8));
  step.param[kScale] = in.op == Op::UTCHMMA ? in.mod(Mod::mma_scale) : 0;
  const bool fits =
      step.param[kLeftOut] == isa::kURZ || step.param[kLeftOut] + 4 <= isa::kUniformRegisters;
  return fits ? execute_product : nullptr;
}

}  // namespace heddle::simulator
