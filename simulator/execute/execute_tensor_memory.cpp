// Who takes columns of tensor memory, and what moves numbers to and from it (PTX tcgen05.alloc,
// ld, st, cp, commit). Products and copies are finished when the instruction is, so who waits for
// them, at a barrier or with tcgen05.wait, finds them done.
//
// Where elements lie is as the PTX ISA has it; no such GPU was at hand. Instructions of pairs of
// blocks, tcgen05.shift, loads with a reduction and copies that widen numbers stop a launch.
#include "simulator/execute/tensor_memory.hpp"

#include <bit>

#include <fmt/format.h>

#include "isa/operands.hpp"
#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/shared_matrix.hpp"

namespace heddle::simulator {

using isa::Mod;
using isa::Op;

bool has_tensor_cells(Core& core, const Warp& warp, const Step& step, Mask on, TensorAddress at,
                      std::uint32_t lanes, std::uint32_t columns) {
  const bool inside = at.lane + lanes <= kTensorLanes && at.column + columns <= kTensorColumns;
  const std::uint32_t first = at.column / kColumnsTaken,
                      end = (at.column + columns + kColumnsTaken - 1) / kColumnsTaken;
  const std::uint64_t wanted = (std::uint64_t{1} << end % 64) - (std::uint64_t{1} << first % 64);
  if (inside && (warp.block->tensor_columns & wanted) == wanted) return true;
  core.raise(
      Fault::Kind::illegal_address, warp, step, on, at.lane << 16 | at.column,
      fmt::format("{} columns of tensor memory from {} on, {} lanes from {} on: the block has "
                  "not taken them (tcgen05.alloc)",
                  columns, at.column, lanes, at.lane));
  return false;
}

namespace {

// Taking columns ---------------------------------------------------------------------------------

void put_uniform(Warp& warp, const Step& step, std::uint32_t value) {
  std::fill_n(destination_row(warp, step.d), kWarpSize, value);
}

// UTCATOMSWS.FIND_AND_SET: the first free run of units of 32 columns, aligned to its length.
Flow execute_take(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  Block& block = *warp.block;
  const std::uint32_t wanted = *source_row(warp, step.b);
  constexpr std::uint32_t kUnits = kTensorColumns / kColumnsTaken;
  if (wanted == 0 || wanted > kUnits)
    return core.raise(Fault::Kind::illegal_instruction, warp, step, on, 0,
                      fmt::format("{} times 32 columns of tensor memory are wanted", wanted));
  const std::uint32_t mask = (1u << wanted) - 1, stride = std::bit_ceil(wanted);
  std::uint32_t at = 0;
  while (at + wanted <= kUnits && (block.tensor_columns & mask << at) != 0) at += stride;
  const bool found = at + wanted <= kUnits;
  if (found) {
    block.tensor_columns |= mask << at;
    block.tensor_cells.resize(std::size_t{kTensorLanes} * kTensorColumns);
  }
  put_uniform(warp, step, found ? at : ~0u);
  warp.set_predicate(step.pu, found ? kFullMask : Mask(), kFullMask);
  return Flow::next;
}

// UTCATOMSWS.AND: gives columns back.
Flow execute_give_back(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const std::uint32_t before = warp.block->tensor_columns;
  warp.block->tensor_columns &= *source_row(warp, step.b);
  put_uniform(warp, step, before);
  return Flow::next;
}

// UVIRTCOUNT.DEALLOC: the block will take no more columns.
Flow execute_nothing(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

// Loads and stores -------------------------------------------------------------------------------

// Mod::tensor_shape.
enum Shape : std::uint32_t { k16x128, k16x256, k32x32, k16x64, k16x32First, k16x32Second };

struct Form {
  explicit Form(const isa::Instruction& in)
      : shape(static_cast<Shape>(in.mod(Mod::tensor_shape))),
        repeats(1u << in.mod(Mod::tensor_repeats)),
        halves(in.mod(Mod::pack) != 0) {}
  std::uint32_t registers() const {
    return repeats * (shape == k16x128 ? 2 : shape == k16x256 ? 4 : 1);
  }
  std::uint32_t lanes() const { return shape == k32x32 ? 32 : 16; }
  // A register has two halves of a column each, where they are packed.
  std::uint32_t columns() const {
    const std::uint32_t columns = shape == k16x128   ? 4
                                  : shape == k16x256 ? 8
                                  : shape == k16x64  ? 2
                                                     : 1;
    return columns * repeats * (halves ? 2 : 1);
  }
  // Which threads take part.
  Mask threads() const {
    constexpr std::uint32_t kFirst = 0xffff;
    return shape == k16x32First ? Mask(kFirst) : shape == k16x32Second ? Mask(~kFirst) : kFullMask;
  }
  struct Place {
    std::uint32_t lane, column;
  };
  // Of a thread's register, from the instruction's address on.
  Place place(std::uint32_t thread, std::uint32_t reg) const {
    switch (shape) {
      case k16x64:
        return {thread / 4 + 8 * (thread % 2), thread / 2 % 2 + 2 * reg};
      case k16x128:
        return {thread / 4 + 8 * (reg % 2), thread % 4 + 4 * (reg / 2)};
      case k16x256:
        return {thread / 4 + 8 * (reg / 2 % 2), 2 * (thread % 4) + reg % 2 + 8 * (reg / 4)};
      case k32x32:
        return {thread, reg};
      default:
        return {thread % 16, reg};
    }
  }

  Shape shape;
  std::uint32_t repeats;
  bool halves;
};

// A warp reaches the quarter of the lanes that its number in its group of four gives.
bool reaches(Core& core, const Warp& warp, const Step& step, Mask on, TensorAddress at,
             const Form& form) {
  constexpr std::uint32_t kQuarter = 32;
  if (!has_tensor_cells(core, warp, step, on, at, form.lanes(), form.columns())) return false;
  const std::uint32_t quarter = warp.index % 4 * kQuarter;
  if (at.lane >= quarter && at.lane + form.lanes() <= quarter + kQuarter) return true;
  core.raise(Fault::Kind::illegal_instruction, warp, step, on, 0,
             fmt::format("lanes {} to {} of tensor memory are not those of warp {}", at.lane,
                         at.lane + form.lanes() - 1, warp.index));
  return false;
}

TensorAddress address_of(const Warp& warp, const Step& step) {
  const std::uint8_t ur = step.instruction->ur;
  const std::uint32_t base =
      ur == isa::kURZ ? 0 : warp.rows[(kUniformRow + std::size_t{ur}) * kWarpSize];
  return TensorAddress(base + static_cast<std::uint32_t>(step.address.offset));
}

Flow execute_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Form form(*step.instruction);
  const TensorAddress at = address_of(warp, step);
  if (on.empty()) return Flow::next;
  if (!reaches(core, warp, step, on, at, form)) return Flow::stop;
  if (step.instruction->rd == isa::kRZ) return Flow::next;
  std::uint32_t* const to = destination_row(warp, step.d);
  const Mask threads = on & form.threads();
  for (std::uint32_t reg = 0; reg < form.registers(); ++reg)
    for (const unsigned thread : threads) {
      const Form::Place place = form.place(thread, reg);
      const auto cell = [&](std::uint32_t number) {
        return tensor_cell(*warp.block, at.lane + place.lane, at.column + number);
      };
      to[reg * kWarpSize + thread] =
          form.halves ? (cell(2 * place.column) & 0xffff) | cell(2 * place.column + 1) << 16
                      : cell(place.column);
    }
  return Flow::next;
}

Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Form form(*step.instruction);
  const TensorAddress at = address_of(warp, step);
  if (on.empty()) return Flow::next;
  if (!reaches(core, warp, step, on, at, form)) return Flow::stop;
  const bool zeros = step.instruction->b.index == isa::kRZ;
  const std::uint32_t* const from = source_row(warp, step.b);
  const Mask threads = on & form.threads();
  for (std::uint32_t reg = 0; reg < form.registers(); ++reg)
    for (const unsigned thread : threads) {
      const Form::Place place = form.place(thread, reg);
      const std::uint32_t value = zeros ? 0 : from[reg * kWarpSize + thread];
      const auto cell = [&](std::uint32_t number) -> std::uint32_t& {
        return tensor_cell(*warp.block, at.lane + place.lane, at.column + number);
      };
      if (!form.halves) {
        cell(place.column) = value;
        continue;
      }
      cell(2 * place.column) = value & 0xffff;
      cell(2 * place.column + 1) = value >> 16;
    }
  return Flow::next;
}

Execute lower_move(const isa::Instruction& in, std::uint8_t first, Execute execute) {
  const Form form(in);
  if (form.shape > k16x32Second || in.mod(Mod::tensor_repeats) > 7) return nullptr;
  const bool fits = first == isa::kRZ || first + form.registers() <= isa::kRZ;
  return fits ? execute : nullptr;
}

// Copies from shared memory ----------------------------------------------------------------------

// UTCCP's Mod::tensor_shape: the length of a row in units of 16 bytes, and where a row goes.
struct CopyForm {
  std::uint32_t rows, chunks;
  // The row that a quarter of the lanes begins with.
  std::array<std::uint32_t, 4> first_row;
};
const CopyForm* copy_form(std::uint32_t shape) {
  static constexpr CopyForm kForms[] = {{128, 2, {0, 32, 64, 96}},
                                        {},
                                        {},
                                        {128, 1, {0, 32, 64, 96}},
                                        {64, 1, {0, 32, 0, 32}},
                                        {64, 1, {0, 0, 32, 32}},
                                        {32, 1, {0, 0, 0, 0}}};
  return shape < std::size(kForms) && kForms[shape].rows != 0 ? &kForms[shape] : nullptr;
}

Flow execute_copy(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  constexpr std::uint32_t kQuarter = 32, kCells = kChunk / 4;
  const CopyForm& form = *copy_form(step.selector);
  const TensorAddress at(*source_row(warp, step.a) +
                         static_cast<std::uint32_t>(step.address.offset));
  if (!has_tensor_cells(core, warp, step, on, at, kTensorLanes, kCells * form.chunks))
    return Flow::stop;
  const std::uint32_t* const words = source_row(warp, step.b);
  const SharedMatrix matrix(words[0] | std::uint64_t{words[kWarpSize]} << 32, false);
  MatrixReader reader(core, warp);
  for (std::uint32_t lane = 0; lane < kTensorLanes; ++lane)
    for (std::uint32_t chunk = 0; chunk < form.chunks; ++chunk) {
      const std::uint32_t row = form.first_row[lane / kQuarter] + lane % kQuarter;
      std::array<std::uint8_t, kChunk> bytes{};
      reader.copy(matrix.address(row, chunk), bytes.data());
      std::memcpy(&tensor_cell(*warp.block, lane, at.column + chunk * kCells), bytes.data(),
                  kChunk);
    }
  if (reader.all_inside()) return Flow::next;
  return core.raise(Fault::Kind::illegal_address, warp, step, on, reader.outside(),
                    "a matrix descriptor names bytes outside the block's shared memory");
}

// Commit -----------------------------------------------------------------------------------------

// UTCBAR: the products before it have ended. Step::selector: the barriers at that place in the
// blocks of a mask learn it.
Flow execute_commit(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  BulkAccess access(core, warp, step, on);
  const std::uint32_t address = *source_row(warp, step.a);
  if (step.selector == 0) return access.arrive_at_barrier(address);
  constexpr std::uint32_t kOffset = 0xff'ffff, kBlocks = 16;
  const std::uint32_t blocks = *source_row(warp, step.c);
  for (std::uint32_t rank = 0; rank < kBlocks; ++rank)
    if ((blocks >> rank & 1) != 0 &&
        access.arrive_at_barrier((address & kOffset) | rank << 24) == Flow::stop)
      return Flow::stop;
  return Flow::next;
}

}  // namespace

Execute lower_tensor_memory(const isa::Instruction& in, Step& step) {
  constexpr std::uint64_t kFindAndSet = 0x15e3, kWithReduction = 0x15ee;
  if (in.mod(Mod::pair) != 0) return nullptr;
  const std::uint64_t number = in.word.bits(0, 12) | in.word.bits(91, 1) << 12;
  switch (in.op) {
    case Op::UTCATOMSWS:
      return number == kFindAndSet ? execute_take : execute_give_back;
    case Op::UVIRTCOUNT:
      return execute_nothing;
    case Op::LDTM:
      return number == kWithReduction ? nullptr : lower_move(in, in.rd, execute_load);
    case Op::STTM:
      return lower_move(in, in.b.index, execute_store);
    case Op::UTCCP:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::tensor_shape));
      return in.mod(Mod::src_fmt) == 0 && copy_form(step.selector) != nullptr ? execute_copy
                                                                              : nullptr;
    case Op::UTCBAR:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::multicast));
      return execute_commit;
    default:
      return lower_tensor_product(in, step);
  }
}

}  // namespace heddle::simulator
