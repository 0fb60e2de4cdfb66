// Products of matrices by groups of four warps (PTX wgmma), and what belongs to them.
//
// On hardware a product goes on while its warps execute other instructions, and is finished behind
// a wait. Here each warp computes its rows when it executes the instruction; a wait holds it until
// the other warps of the group have done so too, because behind it the factors may be overwritten.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "isa/attributes.hpp"
#include "isa/operands.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/shared_matrix.hpp"
#include "simulator/lanes/warpgroup.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;
using lanes::GroupFactors;
using lanes::GroupSums;
using lanes::kGroupRows;

// Step::param of a product.
enum : unsigned { kColumns, kMetadata, kSelector, kFlags };
constexpr std::uint32_t kFromRegisters = 1, kTransposeA = 2, kTransposeB = 4, kNegate = 8,
                        kHalfSum = 16, kSparse = 32, kReadsC = 64, kEndsGroup = 128;

// Bytes 4 * (lane % 4) and 16 more of rows lane / 4 and eight more, register by register.
void rows_of_registers(const std::uint32_t* a, std::uint8_t (*rows)[lanes::kGroupRowBytes]) {
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(rows[lane / 4 + 8 * (r % 2)] + kChunk * (r / 2) + 4 * (lane % 4),
                  &a[r * kWarpSize + lane], 4);
}

// Sparse: spreads out the numbers of A's rows, of `bytes` each, as the metadata say; what lies
// between them is zero. Who has the metadata of which row is as with mma.sync's sparse products.
void spread(const std::uint32_t* metadata, unsigned selector, unsigned bytes,
            GroupFactors& factors) {
  const unsigned stored = 32 / bytes;
  for (unsigned row = 0; row < kGroupRows; ++row) {
    std::array<std::uint8_t, 32> numbers{};
    std::memcpy(numbers.data(), factors.a[row], numbers.size());
    std::memset(factors.a[row], 0, lanes::kGroupRowBytes);
    factors.there[row] = 0;
    const std::uint32_t* quad = metadata + 4 * (row % 8);
    for (unsigned k = 0; k < stored; ++k) {
      unsigned place = 0;
      if (bytes == 1) {
        place = 4 * (k / 2) + (quad[2 * (k / 16) + row / 8] >> 2 * (k % 16) & 3);
      } else {
        const unsigned piece = 8 / bytes * 2;  // numbers that a register of a quad holds
        const std::uint32_t bits = quad[(2 * selector + k / piece) % 4] >> 16 * (row / 8);
        place = bytes == 4 ? 2 * k + (bits >> (4 * (k % piece) + 1) & 1)
                           : 4 * (k / 2) + (bits >> 2 * (k % piece) & 3);
      }
      std::memcpy(factors.a[row] + std::size_t{place} * bytes, numbers.data() + k * bytes, bytes);
      factors.there[row] |= std::uint64_t{1} << place;
    }
  }
}

const std::array<lanes::GroupFunction, 21>& functions() {
  static const auto all = [] {
    const lanes::GroupFunctions& of = lanes::group_functions();
    std::array<lanes::GroupFunction, 21> list{of.half_to_half, of.half, of.bfloat, of.tf32};
    for (unsigned i = 0; i < 8; ++i) list[4 + i] = of.eight_bits[i >> 2][i >> 1 & 1][i & 1];
    for (unsigned i = 0; i < 4; ++i) list[12 + i] = of.bytes[i >> 1][i & 1];
    for (unsigned i = 0; i < 4; ++i) list[16 + i] = of.bytes_saturated[i >> 1][i & 1];
    list[20] = of.bits;
    return list;
  }();
  return all;
}

// A's descriptor, which is not looked at where A is in registers, and B's behind it.
std::uint64_t descriptor(const Warp& warp, const Step& step, unsigned number) {
  if (step.instruction->ur == isa::kURZ) return 0;
  const std::uint32_t* row = warp.rows + step.address.uniform_row + 2 * number * kWarpSize;
  return row[0] | std::uint64_t{row[kWarpSize]} << 32;
}

const std::uint32_t* metadata_row(const Warp& warp, const Step& step) {
  constexpr RowOffset kZeros = ~RowOffset{0};  // of the pool
  const std::uint32_t number = step.param[kMetadata];
  return source_row(warp, number == isa::kRZ ? kZeros : static_cast<RowOffset>(number * kWarpSize));
}

// A group reads each byte of its factors once, whatever their layout; its warps share the passes
// (docs/experiments/warpgroup-probe.md).
void count_passes(Core& core, const Warp& warp, const Step& step, unsigned bytes_of_b) {
  constexpr unsigned kPass = 128, kWarps = 4, kBytesOfA = kWarps * kGroupRows * 32;
  const bool from_registers = (step.param[kFlags] & kFromRegisters) != 0;
  const unsigned passes = ((from_registers ? 0 : kBytesOfA) + bytes_of_b) / kPass;
  const unsigned own = passes / kWarps + (warp.index % kWarps < passes % kWarps ? 1 : 0);
  InstructionCounts& counts = core.counts_of(step);
  counts.wavefronts_shared += own;
  counts.wavefronts_shared_ideal += own;
}

// Each of the four warps computes its sixteen rows. C is source b: there is none between it and A.
Flow execute_product(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const std::uint32_t flags = step.param[kFlags];
  const bool from_registers = (flags & kFromRegisters) != 0, sparse = (flags & kSparse) != 0;
  GroupFactors factors;
  factors.columns = step.param[kColumns];
  factors.bytes = sparse ? 64 : 32;
  factors.negate = (flags & kNegate) != 0;
  std::ranges::fill(factors.there, ~std::uint64_t{0});
  MatrixReader reader(core, warp);
  if (from_registers)
    rows_of_registers(source_row(warp, step.a), factors.a);
  else
    reader.read({descriptor(warp, step, 0), (flags & kTransposeA) != 0},
                warp.index % 4 * kGroupRows, kGroupRows, 32, factors.a);
  reader.read({descriptor(warp, step, 1), (flags & kTransposeB) != 0}, 0, factors.columns,
              factors.bytes, factors.b);
  if (!reader.all_inside())
    return core.raise(Fault::Kind::illegal_address, warp, step, on, reader.outside(),
                      "a matrix descriptor names bytes outside the block's shared memory");
  count_passes(core, warp, step, factors.columns * factors.bytes);
  ++warp.products.begun;
  if ((flags & kEndsGroup) != 0) warp.products.end_group();
  if (sparse) spread(metadata_row(warp, step), step.param[kSelector], step.width, factors);
  GroupSums sums;
  const unsigned registers = factors.columns / ((flags & kHalfSum) != 0 ? 4 : 2);
  const std::size_t bytes = std::size_t{registers} * sizeof sums.c[0];
  if ((flags & kReadsC) != 0 && warp.predicate(step.pp).any())
    std::memcpy(sums.c, source_row(warp, step.b), bytes);
  else
    std::memset(sums.c, 0, bytes);
  functions()[step.data_type](factors, sums);
  if (step.instruction->rd == isa::kRZ) return Flow::next;
  std::uint32_t* d = destination_row(warp, step.d);
  if (on == kFullMask) {
    std::memcpy(d, sums.d, bytes);
    return Flow::next;
  }
  for (unsigned r = 0; r < registers; ++r)
    for (const unsigned lane : on) d[r * kWarpSize + lane] = sums.d[r][lane];
  return Flow::next;
}

// Which of `functions` it is; nothing where there is none.
std::optional<std::uint8_t> function_of(const isa::Instruction& in) {
  const auto a = in.mod(Mod::mma_src), b = in.mod(Mod::mma_src_b);
  switch (in.op) {
    case Op::HGMMA:
      if (a > 2 || (a != 0 && in.mod(Mod::mma_dst) == 0)) return std::nullopt;
      return static_cast<std::uint8_t>(a == 0 ? in.mod(Mod::mma_dst) : a + 1);
    case Op::QGMMA:
      return static_cast<std::uint8_t>(4 + 4 * in.mod(Mod::mma_dst) + 2 * a + b);
    case Op::IGMMA:
      return static_cast<std::uint8_t>(12 + 4 * in.mod(Mod::sat) + 2 * a + b);
    default:
      return std::uint8_t{20};
  }
}

Execute lower_product(const isa::Instruction& in, Step& step) {
  const auto function = function_of(in);
  if (!function) return nullptr;
  const isa::MatrixProduct product = isa::matrix_product(in);
  const bool from_registers = in.a.kind == isa::Source::Kind::reg;
  const auto fits = [](unsigned first, unsigned count) {
    return first == isa::kRZ || first + count <= isa::kRZ;
  };
  const unsigned registers = isa::operand_widths(in).destination;
  if (!fits(in.rd, registers) || !fits(in.b.index, registers)) return nullptr;
  if (from_registers && !fits(in.a.index, 4)) return nullptr;
  if (in.ur != isa::kURZ && in.ur + 4u > isa::kUniformRegisters) return nullptr;
  const auto metadata = static_cast<unsigned>(in.word.bits(40, 8));
  const bool negate_a = from_registers ? in.a.negate : in.mod(Mod::negate_a) != 0;
  step.data_type = *function;
  step.width = static_cast<std::uint8_t>(std::max(1, product.a.bits / 8));
  if (in.ur != isa::kURZ)
    step.address.uniform_row = static_cast<RowOffset>((kUniformRow + in.ur) * kWarpSize);
  step.param[kColumns] = product.shape.n;
  step.param[kMetadata] = metadata;
  step.param[kSelector] = in.op == Op::HGMMA ? in.mod(Mod::mma_selector) & 1 : 0;
  const auto flag = [](bool is, std::uint32_t bit) { return is ? bit : 0; };
  step.param[kFlags] =
      flag(from_registers, kFromRegisters) | flag(in.mod(Mod::transpose_a) != 0, kTransposeA) |
      flag(in.mod(Mod::transpose_b) != 0, kTransposeB) |
      flag(negate_a != (in.mod(Mod::negate_b) != 0), kNegate) |
      flag(product.d.bits == 16, kHalfSum) | flag(product.is_sparse, kSparse) |
      flag(in.b.index != isa::kRZ, kReadsC) | flag(in.word.bits(84, 3) == 0, kEndsGroup);
  return execute_product;
}

constexpr std::uint32_t kWarpsOfGroup = 4;

// The first warp of the group that has yet to come to a product; null: all have.
const Warp* missing_from(const Warp& warp, std::uint64_t product) {
  const auto& warps = warp.block->warps;
  const std::uint32_t first = warp.index / kWarpsOfGroup * kWarpsOfGroup;
  for (std::uint32_t i = first; i < first + kWarpsOfGroup && i < warps.size(); ++i)
    if (warps[i].products.begun < product && !warps[i].convergence->finished()) return &warps[i];
  return nullptr;
}

// WARPGROUP.ARRIVE orders registers and shared memory before the products behind it.
Flow execute_arrive(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

// WARPGROUP.DEPBAR: until at most `selector` groups of products are incomplete.
Flow execute_wait(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on.empty()) return Flow::next;
  if (missing_from(warp, warp.products.awaited(step.selector)) != nullptr)
    return hold(core, warp, step, active, on);
  warp.held_since.reset();
  return Flow::next;
}

// USETMAXREG: registers go from warps to their block's pool and from there to others, who wait
// until it has enough. (Records of the H200: one execution a request.)
Flow execute_give(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  const std::uint32_t keeps = step.param[0];
  if (on.empty() || keeps >= warp.registers) return Flow::next;
  warp.block->spare_registers += std::uint64_t{warp.registers - keeps} * kWarpSize;
  warp.registers = keeps;
  return Flow::next;
}

std::uint64_t registers_wanted(const Warp& warp, const Step& step) {
  const std::uint32_t wants = step.param[0];
  return wants <= warp.registers ? 0 : std::uint64_t{wants - warp.registers} * kWarpSize;
}

Flow execute_take(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on.empty()) return Flow::next;
  const std::uint64_t wanted = registers_wanted(warp, step);
  if (wanted > warp.block->spare_registers) return hold(core, warp, step, active, on);
  warp.held_since.reset();
  warp.block->spare_registers -= wanted;
  warp.registers = std::max(warp.registers, step.param[0]);
  warp.set_predicate(step.pu, kFullMask, kFullMask);
  return Flow::next;
}

}  // namespace

std::string held_by_group(const Warp& warp, const Step& step) {
  if (step.instruction->op == Op::USETMAXREG)
    return fmt::format(
        "waits for registers (setmaxnreg.inc): it needs {} more, {} in each thread, and the "
        "block's "
        "warps have given {} away",
        registers_wanted(warp, step), step.param[0] - warp.registers, warp.block->spare_registers);
  const Warp* const missing = missing_from(warp, warp.products.awaited(step.selector));
  return missing == nullptr ? std::string{}
                            : fmt::format(
                                  "waits for products (wgmma.wait_group) that warp {} of "
                                  "its warp group has not come to",
                                  missing->index);
}

Execute lower_warpgroup(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kTryAlloc = 2;
  switch (in.op) {
    case Op::HGMMA:
    case Op::IGMMA:
    case Op::QGMMA:
    case Op::BGMMA:
      return lower_product(in, step);
    case Op::WARPGROUP:
      if (in.mod(Mod::le) == 0) return execute_arrive;
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::sb_count));
      return execute_wait;
    case Op::USETMAXREG:
      step.param[0] = in.mod(Mod::register_count);
      return in.mod(Mod::register_pool) == kTryAlloc ? execute_take : execute_give;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
