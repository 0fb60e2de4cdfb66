// Copies from global to shared memory, loads and stores of matrix fragments, and the question which
// space an address lies in.
#include <algorithm>

#include "simulator/execute/cache_policy.hpp"
#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// The shared side of LDGSTS: Rd and its own offset, and in one opcode the uniform register.
void shared_side(const Warp& warp, const Step& step, Addresses& address) {
  const isa::Instruction& in = *step.instruction;
  std::uint32_t base = static_cast<std::uint32_t>(in.offset);
  if (step.selector != 0 && in.ur != isa::kURZ)
    base += *destination_row(warp, static_cast<RowOffset>((kUniformRow + in.ur) * kWarpSize));
  if (in.rd == isa::kRZ) {
    address.fill(base);
    return;
  }
  const std::uint32_t* row =
      source_row(warp, static_cast<RowOffset>(in.rd * static_cast<RowOffset>(kWarpSize)));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = std::uint32_t{base + row[lane]};
}

// LDGSTS: as many bytes as its width, of which the low bits of the global address say how many at
// the end are zeros (so does compiled code ask for a part: address + size - part). Where Pp does
// not hold nothing is read, and zeros are written.
Flow execute_copy(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  count_policy(core, warp, step);
  Addresses from, to;
  compute_addresses(core, warp, step, from);
  shared_side(warp, step, to);
  std::array<std::uint8_t, kWarpSize> missing{};
  Mask partial;
  const bool fills = (step.data_type & kCopyFills) != 0;
  if (fills)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      missing[lane] = static_cast<std::uint8_t>(from[lane] % step.width);
      from[lane] -= missing[lane];
      if (missing[lane] != 0) partial |= Mask::of(lane);
    }
  const CopyLanes lanes{active, on, warp.predicate(step.pp), partial};
  if (on.empty()) {
    count_copy(core, step, from, to, lanes);
    return Flow::next;
  }
  const Mask reading = lanes.reading();
  LanePointers source, destination;
  if (reading.any() && !resolve_lanes(core, warp, step, Window::global, AccessKind::load, from,
                                      reading, pattern_of(from, reading), source))
    return Flow::stop;
  if (!resolve_lanes(core, warp, step, Window::shared, AccessKind::store, to, on,
                     pattern_of(to, on), destination))
    return Flow::stop;
  if (!claim_lanes(core, warp, step, AccessKind::load, from, reading, source)) return Flow::stop;
  count_copy(core, step, from, to, lanes);
  for (const unsigned lane : on) {
    std::byte* at = destination.of[lane];
    const std::size_t bytes = reading.has(lane) ? step.width - missing[lane] : 0u;
    if (bytes != 0) std::memcpy(at, source.of[lane], bytes);
    std::memset(at + bytes, 0, step.width - bytes);
  }
  return Flow::next;
}

// LDSM and STSM of up to four 8x8 matrices of 16-bit elements. Lanes 8 i to 8 i + 7 give the
// addresses of the rows of matrix i; a lane holds two elements of a row of each, or, transposed, of
// a column.
constexpr unsigned kRowBytes = 16, kRowsOfMatrix = 8;

struct MatrixRows {
  LanePointers of;
  unsigned matrices;
};

std::byte* element_of(const MatrixRows& rows, unsigned matrix, unsigned row, unsigned column) {
  return rows.of.of[matrix * kRowsOfMatrix + row] + 2 * column;
}

// Calls f(matrix, lane, half, pointer) for every element of the matrices.
template <typename F>
void for_each_element(const MatrixRows& rows, bool transposed, F&& f) {
  for (unsigned matrix = 0; matrix < rows.matrices; ++matrix)
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned major = lane / 4, minor = 2 * (lane % 4) + half;
        f(matrix, lane, half,
          transposed ? element_of(rows, matrix, minor, major)
                     : element_of(rows, matrix, major, minor));
      }
}

bool resolve_rows(Core& core, Warp& warp, const Step& step, AccessKind kind, MatrixRows& rows) {
  rows.matrices = step.data_type;
  Addresses address;
  compute_addresses(core, warp, step, address);
  for (std::uint64_t& at : address) at &= 0xffff'ffff;
  const unsigned lanes = rows.matrices * kRowsOfMatrix;
  const Mask given = Mask::below(lanes);
  if (!resolve_lanes(core, warp, step, Window::shared, AccessKind::load, address, given,
                     pattern_of(address, given), rows.of))
    return false;
  count_matrix_access(core, step, kind, address, given);
  return true;
}

Flow execute_matrix_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  MatrixRows rows{};
  if (!resolve_rows(core, warp, step, AccessKind::load, rows)) return Flow::stop;
  std::uint32_t* destination = destination_row(warp, step.d);
  for_each_element(rows, step.selector != 0,
                   [&](unsigned matrix, unsigned lane, unsigned half, const std::byte* from) {
                     if (!on.has(lane)) return;
                     std::uint16_t value;
                     std::memcpy(&value, from, sizeof value);
                     std::uint32_t& word = destination[matrix * kWarpSize + lane];
                     word = (word & (half != 0 ? 0xffffu : 0xffff0000u)) | std::uint32_t{value}
                                                                               << 16 * half;
                   });
  return Flow::next;
}

Flow execute_matrix_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  MatrixRows rows{};
  if (!resolve_rows(core, warp, step, AccessKind::store, rows)) return Flow::stop;
  const std::uint32_t* source = source_row(warp, step.b);
  for_each_element(rows, step.selector != 0,
                   [&](unsigned matrix, unsigned lane, unsigned half, std::byte* to) {
                     if (!on.has(lane)) return;
                     const auto value =
                         static_cast<std::uint16_t>(source[matrix * kWarpSize + lane] >> 16 * half);
                     std::memcpy(to, &value, sizeof value);
                   });
  return Flow::next;
}

// LDSM and STSM of bytes, and LDSM of numbers of six and four bits (PTX ISA, ldmatrix and
// stmatrix). A row of a matrix is 16 bytes at an address, or 16 numbers of six or four bits at its
// beginning, low ones first, each of which becomes a byte. A lane holds four bytes of a matrix in a
// register.
enum class MatrixFormat : std::uint8_t { nibbles = 5, six_bits = 6, bytes = 7 };

std::uint8_t byte_of_row(const std::byte* row, unsigned column, MatrixFormat format) {
  const unsigned bits = format == MatrixFormat::bytes      ? 8
                        : format == MatrixFormat::six_bits ? 6
                                                           : 4;
  const unsigned first = column * bits;
  std::uint16_t two = std::to_integer<std::uint8_t>(row[first / 8]);
  if (first % 8 + bits > 8)
    two |= static_cast<std::uint16_t>(std::to_integer<unsigned>(row[first / 8 + 1]) << 8);
  return static_cast<std::uint8_t>(two >> first % 8 & ((1u << bits) - 1));
}

// .M816: a lane has four columns of a row of each matrix of eight rows. .MT1616: of a column of a
// matrix of 16 rows it has four rows, in the next register of the column eight further on.
constexpr std::uint32_t kWholeMatrix = 4;

Flow execute_byte_matrix_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  MatrixRows rows{};
  if (!resolve_rows(core, warp, step, AccessKind::load, rows)) return Flow::stop;
  const auto format = static_cast<MatrixFormat>(step.param[0]);
  const bool transposed = step.selector == kWholeMatrix;
  std::uint32_t* const destination = destination_row(warp, step.d);
  for (unsigned reg = 0; reg < rows.matrices; ++reg)
    for (const unsigned lane : on) {
      std::uint32_t word = 0;
      for (unsigned e = 0; e < 4; ++e) {
        const unsigned major = lane / 4, minor = 4 * (lane % 4) + e;
        const unsigned row = transposed ? reg / 2 * 16 + minor : reg * kRowsOfMatrix + major;
        const unsigned column = transposed ? reg % 2 * 8 + major : minor;
        word |= std::uint32_t{byte_of_row(rows.of.of[row], column, format)} << 8 * e;
      }
      destination[reg * kWarpSize + lane] = word;
    }
  return Flow::next;
}

// .MT168: a row in memory is a column of a matrix of 16 rows, of which a lane has two elements of a
// row, as of a sum of a product, and two of the row eight further down.
Flow execute_byte_matrix_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  MatrixRows rows{};
  if (!resolve_rows(core, warp, step, AccessKind::store, rows)) return Flow::stop;
  const std::uint32_t* const source = source_row(warp, step.b);
  for (unsigned matrix = 0; matrix < rows.matrices; ++matrix)
    for (const unsigned lane : on)
      for (unsigned e = 0; e < 4; ++e) {
        const unsigned row = lane / 4 + e / 2 * 8, column = 2 * (lane % 4) + e % 2;
        rows.of.of[matrix * kRowsOfMatrix + column][row] =
            static_cast<std::byte>(source[matrix * kWarpSize + lane] >> 8 * e & 0xff);
      }
  return Flow::next;
}

Execute lower_byte_matrix(const isa::Instruction& in, Step& step) {
  step.param[0] = in.mod(Mod::ldsm_size);
  if (step.selector == kWholeMatrix) step.data_type *= 2;  // pieces of eight rows
  return in.op == Op::LDSM ? execute_byte_matrix_load : execute_byte_matrix_store;
}

// QSPC: whether an address lies in a space. The register, which compiled code discards, is 1 of
// global and 10 of shared memory, whatever is asked (docs/experiments/instruction-probe.md, "Forms
// that no compiler emits"); of local memory that is not known.
enum class QueriedSpace : std::uint8_t { global, local, shared, cluster };

Flow execute_query(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  Addresses address;
  compute_addresses(core, warp, step, address);
  const auto space = static_cast<QueriedSpace>(step.selector);
  const Window window = space == QueriedSpace::global  ? Window::global
                        : space == QueriedSpace::local ? Window::local
                                                       : Window::shared;
  if (step.instruction->rd != isa::kRZ) {
    if (lanes_in(Window::local, address, on).any())
      return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0,
                        "the register that it writes of a local address is not known");
    constexpr std::uint32_t kGlobal = 1, kShared = 10;
    const Mask shared = lanes_in(Window::shared, address, on);
    std::uint32_t* const destination = destination_row(warp, step.d);
    for (const unsigned lane : on) destination[lane] = shared.has(lane) ? kShared : kGlobal;
  }
  warp.set_predicate(step.pu, lanes_in(window, address, on), on);
  return Flow::next;
}

}  // namespace

Execute lower_copy(const isa::Instruction& in, Step& step) {
  switch (in.op) {
    case Op::LDGSTS: {
      constexpr std::uint64_t kSharedHasUniform = 0x1dae & 0xfff;
      constexpr std::array<std::uint8_t, 3> kWidths{4, 8, 16};  // from code 4, or 0, on
      // A descriptor behind the register of the place in shared memory: an H200 refuses it.
      if (in.arch == isa::Arch::sm_90 && in.word.bits(0, 12) == kSharedHasUniform &&
          in.mod(Mod::descriptor) != 0)
        return nullptr;
      step.width = kWidths[in.mod(Mod::size) & 3];
      step.address.offset = static_cast<std::int32_t>(in.c.value);
      step.selector = in.word.bits(0, 12) == kSharedHasUniform ? 1 : 0;
      if (step.selector != 0)
        step.address.uniform = AddressForm::Base::none;
      else if (step.address.uniform != AddressForm::Base::none)
        step.address.uniform = AddressForm::Base::pair64;  // of a global address
      step.data_type = (in.mod(Mod::zero_fill) != 0 ? kCopyFills : 0) |
                       (in.mod(Mod::through_l1) != 0 ? kCopyThroughL1 : 0);
      return execute_copy;
    }
    case Op::LDSM:
    case Op::STSM:
      step.width = kRowBytes;
      step.data_type = static_cast<std::uint8_t>(1u << in.mod(Mod::ldsm_num));
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::ldsm_trans));
      if (in.mod(Mod::ldsm_size) != 0) return lower_byte_matrix(in, step);
      return in.op == Op::LDSM ? execute_matrix_load : execute_matrix_store;
    case Op::QSPC:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::space));
      return execute_query;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
