#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "isa/attributes.hpp"
#include "isa/operands.hpp"
#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/coverage.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/lanes/copy_rows.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/launch/ordered_accesses.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Source;

// Builds the pool: one pair of rows per distinct immediate or constant.
class Pool {
 public:
  explicit Pool(std::vector<PoolRow>& rows) : rows_(rows) {
    rows_.assign(kWidestOperand, PoolRow{});
  }

  static constexpr RowOffset zero() { return ~RowOffset{0}; }

  enum class Width : std::uint8_t { word, integer, signed_integer, number, pair };
  // The value as a source: 64-bit ones take the low and high rows; an FP64 immediate is the high
  // word, the low word is zero (docs/hardware/machine-code.md). One of an integer is the low word
  // (UIADD3.64; the H200's record of group_sums).
  RowOffset row_of(const Source& source, Width width) {
    const bool constant = source.kind == Source::Kind::constant;
    const bool is_64bit = width != Width::word;
    const auto key = std::tuple(constant, source.index, source.value, width);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const RowOffset offset = ~static_cast<RowOffset>(rows_.size() * kWarpSize);
    if (constant) {
      rows_.push_back({true, source.index, source.value});
      if (is_64bit) rows_.push_back({true, source.index, source.value + 4});
    } else if (width == Width::number) {
      rows_.push_back({});
      rows_.push_back({false, 0, source.value});
    } else if (width == Width::pair) {  // two numbers, the same
      rows_.push_back({false, 0, source.value});
      rows_.push_back({false, 0, source.value});
    } else if (width == Width::integer) {
      rows_.push_back({false, 0, source.value});
      rows_.push_back({});
    } else if (width == Width::signed_integer) {
      rows_.push_back({false, 0, source.value});
      rows_.push_back({false, 0, source.value >> 31 != 0 ? ~0u : 0u});
    } else {
      rows_.push_back({false, 0, source.value});
    }
    known_.emplace(key, offset);
    return offset;
  }

  // Of a row that row_of gave, an immediate's or zero: its word; nothing of a constant.
  std::optional<std::uint32_t> known_word(RowOffset row, unsigned next = 0) const {
    if (row >= 0) return std::nullopt;
    const PoolRow& found = rows_[static_cast<std::size_t>(~row) / kWarpSize + next];
    return found.is_constant ? std::nullopt : std::optional(found.value);
  }

  // An immediate of 64 bits.
  RowOffset row_of_words(std::uint32_t low, std::uint32_t high) {
    const RowOffset offset = ~static_cast<RowOffset>(rows_.size() * kWarpSize);
    rows_.push_back({false, 0, low});
    rows_.push_back({false, 0, high});
    return offset;
  }

 private:
  std::vector<PoolRow>& rows_;
  std::map<std::tuple<bool, std::uint8_t, std::uint32_t, Width>, RowOffset> known_;
};

RowOffset uniform_row(unsigned index) {
  return static_cast<RowOffset>((kUniformRow + index) * kWarpSize);
}

RowOffset source_offset(const Source& source, Pool::Width width, Pool& pool) {
  switch (source.kind) {
    case Source::Kind::reg:
      return source.index == isa::kRZ ? Pool::zero()
                                      : static_cast<RowOffset>(source.index * kWarpSize);
    case Source::Kind::ureg:
      return source.index == isa::kURZ ? Pool::zero() : uniform_row(source.index);
    case Source::Kind::imm:
    case Source::Kind::constant:
      return pool.row_of(source, width);
    case Source::Kind::none:
    case Source::Kind::bindless:
      break;
  }
  return Pool::zero();
}

PredicateRef predicate_ref(const isa::Predicate& predicate) {
  return {static_cast<std::uint8_t>(predicate.index + (predicate.uniform ? kUniformPredicates : 0)),
          predicate.negated ? kFullMask : Mask()};
}

std::uint8_t predicate_destination(std::uint8_t index, bool uniform) {
  if (index == isa::kPT) return kDiscardedPredicate;
  return static_cast<std::uint8_t>(index + (uniform ? kUniformPredicates : 0));
}

// Uniform instructions write uniform registers or predicates and are guarded by the latter.
bool is_uniform(const Instruction& instruction) { return instruction.guard.uniform; }

// Of a source of `registers` registers, where it is an immediate or a constant.
Pool::Width width_of(const Instruction& in, unsigned registers) {
  if (registers == 1) return Pool::Width::word;
  const isa::Facts& facts = isa::facts(in);
  if (facts.type.count > 1) return Pool::Width::pair;
  if (facts.type.kind == isa::DataType::Kind::signed_integer) return Pool::Width::signed_integer;
  return facts.work == isa::Work::add && facts.type.is_integer() ? Pool::Width::integer
                                                                 : Pool::Width::number;
}

void lower_operands(const Instruction& in, const isa::OperandWidths& widths, Step& step,
                    Pool& pool) {
  const bool uniform = is_uniform(in);
  step.widen = uniform ? kFullMask : Mask();
  step.d = in.urd != isa::kURZ ? uniform_row(in.urd)
           : in.rd != isa::kRZ ? static_cast<RowOffset>(in.rd * kWarpSize)
                               : static_cast<RowOffset>(kDiscardRow * kWarpSize);
  const auto lower_source = [&](const Source& source, unsigned width, RowOffset& row, bool& negate,
                                bool& absolute) {
    row = source_offset(source, width_of(in, width), pool);
    negate = source.negate;
    absolute = source.absolute;
  };
  lower_source(in.a, widths.a, step.a, step.a_negate, step.a_absolute);
  lower_source(in.b, widths.b, step.b, step.b_negate, step.b_absolute);
  lower_source(in.c, widths.c, step.c, step.c_negate, step.c_absolute);
  const bool is_wide =
      in.op == isa::Op::MOV_64 || in.op == isa::Op::UMOV_64 || in.op == isa::Op::SEL_64;
  if (is_wide && in.c.kind == Source::Kind::imm) step.b = pool.row_of_words(in.b.value, in.c.value);
  step.pu = predicate_destination(in.pu, widths.has_uniform_predicates);
  step.pv = predicate_destination(in.pv, widths.has_uniform_predicates);
  step.guard = predicate_ref(in.guard);
  step.pp = predicate_ref(in.pp);
  step.pq = predicate_ref(in.pq);
  step.pr = predicate_ref(in.pr);
}

void lower_address(const Instruction& in, const isa::OperandWidths& widths, Step& step) {
  using Base = AddressForm::Base;
  AddressForm& form = step.address;
  form.offset = in.offset;
  if (in.a.kind == Source::Kind::reg && in.a.index != isa::kRZ)
    form.base = widths.a == 2 ? Base::pair64 : Base::low32;
  if (in.a.kind == Source::Kind::ureg && in.a.index != isa::kURZ) form.base = Base::low32;
  if (in.ur != isa::kURZ && in.mod(isa::Mod::descriptor) == 0) {
    form.uniform = widths.ur == 2 ? Base::pair64 : Base::low32;
    form.uniform_row = uniform_row(in.ur);
  }
  if (in.ur != isa::kURZ && in.mod(isa::Mod::descriptor) != 0) {
    form.has_descriptor = true;
    form.uniform_row = uniform_row(in.ur);
  }
  constexpr std::array<std::uint8_t, 4> kShifts{0, 2, 3, 4};  // X1 X4 X8 X16
  form.shift = kShifts[in.mod(isa::Mod::stride) & 3];
}

// Global, local, generic or shared memory, each thread for itself.
bool accesses_by_thread(const Instruction& in) {
  const isa::MemoryAccess access = isa::memory_access(in);
  return access.by_threads() && access.kind != isa::MemoryAccess::Kind::copy &&
         (access.space == isa::Space::global || access.space == isa::Space::generic ||
          access.space == isa::Space::local || access.space == isa::Space::shared);
}

bool is_true(const PredicateRef& predicate) {
  return predicate.index % kUniformPredicates == kPT && predicate.invert.empty();
}

// Whether an instruction computes one word, of its sources alone.
bool computes_word(const Instruction& in, const isa::OperandWidths& widths, const Step& step) {
  return isa::facts(in).work == isa::Work::multiply_add && widths.destination == 1 &&
         std::max({widths.a, widths.b, widths.c}) <= 1 && step.pu == kDiscardedPredicate &&
         step.pv == kDiscardedPredicate && is_true(step.pp) && is_true(step.pq) && is_true(step.pr);
}

// Compilers write constants as products: HFMA2 R0, -RZ, RZ, 1.875, 0. Where all sources are known,
// the instruction is executed here, once, and then moves its result.
void compute_beforehand(const Instruction& in, const isa::OperandWidths& widths, Step& step,
                        Pool& pool) {
  if (!computes_word(in, widths, step)) return;
  std::array<std::uint32_t, 3 * kWarpSize> words{};
  MicroOp op = step;
  const std::array sources{&op.a, &op.b, &op.c};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto word = pool.known_word(*sources[i]);
    if (!word) return;
    std::fill_n(words.begin() + i * kWarpSize, kWarpSize, *word);
    *sources[i] = ~static_cast<RowOffset>(i * kWarpSize);
  }
  std::array<std::uint32_t, kWarpSize> result{};
  WarpState warp;
  warp.rows = result.data();
  warp.pool = words.data();
  warp.predicates[kPT] = warp.predicates[kUniformPredicates + kPT] = kFullMask;
  op.d = 0;
  const lanes::FloatEnvironment environment;
  op.lane(warp, op, kFullMask);
  step.a = pool.row_of({.kind = Source::Kind::imm, .value = result[0]}, Pool::Width::word);
  step.b = step.c = Pool::zero();
  step.lane = lanes::copy_rows(1);
}

// A constant at a place that the instruction names, without an index, is a row of the pool, as it
// is for arithmetic; one of 16 bytes is two sources.
void load_beforehand(const Instruction& in, Step& step, Pool& pool) {
  if (in.b.kind != Source::Kind::constant || step.width < 4 || pool.known_word(step.a) != 0u)
    return;
  if (step.width == 16 && !is_uniform(in)) return;
  const auto row_at = [&](std::uint32_t more) {
    Source source = in.b;
    source.value = (source.value + more) & 0xffff;
    return pool.row_of(source, step.width == 4 ? Pool::Width::word : Pool::Width::number);
  };
  step.a = row_at(0);
  if (step.width == 16) step.b = row_at(8);
  step.lane = lanes::copy_rows(step.width / 4u);
  step.execute = nullptr;
}

Step lower_instruction(const Instruction& in, std::uint32_t index, std::uint32_t end, Pool& pool) {
  Step step;
  step.instruction = &in;
  step.accesses = accesses_by_thread(in) ? Step::kByThreads : 0;
  const isa::OperandWidths widths = isa::operand_widths(in);
  lower_operands(in, widths, step, pool);
  lower_address(in, widths, step);
  if (select_lane_function(in, step)) {
    compute_beforehand(in, widths, step, pool);
    return step;
  }
  step.lane = nullptr;
  for (const auto family :
       {lower_memory, lower_copy, lower_atomic, lower_special, lower_texture, lower_block_barrier,
        lower_cluster, lower_mbarrier, lower_bulk, lower_tensor, lower_async_store, lower_request,
        lower_tensor_memory, lower_warpgroup})
    if ((step.execute = family(in, step)) != nullptr) {
      if (isa::memory_access(in).space == isa::Space::constant) load_beforehand(in, step, pool);
      return step;
    }
  step.execute = lower_control(in, step, index, end);
  if (step.execute == nullptr) step.execute = execute_unsupported;
  return step;
}

// Of its vector or its uniform registers: `destination` and the sources of a kind, but for the
// register that is `zero`; at most `end`.
unsigned highest_row(const Instruction& in, Source::Kind kind, unsigned destination, unsigned other,
                     unsigned zero, unsigned end) {
  unsigned highest = 0;
  const auto note = [&](unsigned index) {
    if (index != zero) highest = std::max(highest, index);
  };
  note(destination);
  note(other);
  for (const Source& source : {in.a, in.b, in.c})
    if (source.kind == kind) note(source.index);
  // Of a warp group's sums and of what goes to tensor memory more.
  const isa::OperandWidths widths = isa::operand_widths(in);
  const unsigned widest = std::max<unsigned>({kWidestOperand, widths.destination, widths.b});
  return std::min(highest + widest, end);
}

// Whether nothing executes behind an instruction, or only what a call comes back to.
bool ends_code(const Instruction& in) {
  using isa::Op;
  const auto always = [](const isa::Predicate& predicate) {
    return predicate.index == isa::kPT && !predicate.negated;
  };
  switch (in.op) {
    case Op::CALL:
      return true;
    case Op::EXIT:
    case Op::BRA:
    case Op::BRX:
    case Op::RET:
    case Op::BPT:
      return always(in.guard) && always(in.pp);
    default:
      return false;
  }
}

// Compilers end each section with a jump or padding. What would execute beyond would be code of
// another kernel, for which the launch has neither registers nor constants ready.
void close_sections(const isa::Program& program, std::vector<Step>& steps) {
  for (std::size_t i = 0; i < program.section_addresses.size(); ++i) {
    const std::uint64_t first = program.section_addresses[i], bytes = program.sections[i].size();
    if (first == 0 || bytes == 0) continue;
    const std::uint32_t last = index_of_code_address(first + bytes) - 1;
    if (program.instructions[last] && ends_code(*program.instructions[last])) continue;
    steps[last].lane = nullptr;
    steps[last].execute = execute_past_end;
  }
}

// What is between a WARPSYNC.COLLECTIVE and the place where its lanes go on ends the collective, or
// may do so elsewhere.
bool ends_collective(const isa::Program& program, std::uint32_t at, std::uint32_t behind) {
  using isa::Effect;
  for (std::uint32_t i = at + 1; i < behind && i < program.trap(); ++i) {
    if (!program.instructions[i]) return true;
    switch (isa::effect(*program.instructions[i])) {
      case Effect::end_collective:
      case Effect::branch:
      case Effect::indirect_branch:
      case Effect::call:
      case Effect::ret:
      case Effect::exit:
        return true;
      default:
        break;
    }
  }
  return behind <= at;
}

// An H200 finds an illegal instruction where lanes go on that are still in a collective
// (docs/experiments/instruction-probe.md, "Forms that no compiler emits").
void refuse_open_collectives(const isa::Program& program, std::vector<Step>& steps) {
  constexpr std::uint32_t kCollective = 2;  // or .EXCLUSIVE, up to sm_89
  for (std::uint32_t i = 0; i < program.trap(); ++i) {
    const auto& in = program.instructions[i];
    if (in && in->op == isa::Op::WARPSYNC && in->mod(isa::Mod::warpsync_mode) == kCollective &&
        !isa::is_exclusive(*in) && !ends_collective(program, i, steps[i].target))
      steps[i].execute = execute_open_collective;
  }
}

void mark_ordered_accesses(const isa::Program& program, std::vector<Step>& steps) {
  const std::vector<Ordered> ordered = find_ordered_accesses(program);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    std::uint8_t& accesses = steps[i].accesses;
    if (ordered[i] == Ordered::in_shared_memory)
      accesses = static_cast<std::uint8_t>(accesses | Step::kOrderedShared);
    if (ordered[i] == Ordered::in_global_memory)
      accesses = static_cast<std::uint8_t>(accesses | Step::kOrderedGlobal);
  }
}

}  // namespace

bool executes(const isa::Instruction& instruction) {
  std::vector<PoolRow> rows;
  Pool pool(rows);
  const Step step = lower_instruction(instruction, 0, 1, pool);
  return step.lane != nullptr || step.execute != execute_unsupported;
}

NamedRows rows_named_by(const isa::Instruction& in) {
  NamedRows named{
      highest_row(in, Source::Kind::reg, in.rd, isa::kRZ, isa::kRZ, isa::kRZ),
      highest_row(in, Source::Kind::ureg, in.urd, in.ur, isa::kURZ, isa::kUniformRegisters)};
  if (isa::facts(in).work != isa::Work::product) return named;
  // Metadata and scales are in registers that no source stands for.
  for (const isa::OperandUse& use : isa::operands(in))
    if (use.file == isa::RegisterFile::vector)
      named.registers = std::clamp<unsigned>(use.first + use.count - 1u, named.registers, isa::kRZ);
  return named;
}

LoweredProgram lower(const isa::Program& program) {
  LoweredProgram lowered;
  Pool pool(lowered.pool);
  const std::uint32_t end = program.trap();
  lowered.steps.resize(program.instructions.size() + 1);
  for (std::uint32_t i = 0; i < end; ++i) {
    Step& step = lowered.steps[i];
    if (!program.instructions[i]) {
      step.execute = execute_undecodable;
      continue;
    }
    step = lower_instruction(*program.instructions[i], i, end, pool);
  }
  for (const std::uint64_t address : program.section_addresses)
    if (address != 0) lowered.sections.push_back(index_of_code_address(address));
  std::ranges::sort(lowered.sections);
  mark_ordered_accesses(program, lowered.steps);
  close_sections(program, lowered.steps);
  refuse_open_collectives(program, lowered.steps);
  for (std::uint32_t i = end; i < lowered.steps.size(); ++i)
    lowered.steps[i].execute = execute_past_end;
  return lowered;
}

}  // namespace heddle::simulator
