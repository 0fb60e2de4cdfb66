#include "simulator/timing/program.hpp"

#include <algorithm>

#include "isa/attributes.hpp"
#include "simulator/checks/register_uses.hpp"

namespace heddle::simulator::timing {
namespace {

using isa::Instruction;
using isa::Mod;
using isa::Op;
using isa::Source;
using isa::Unit;

// Integer multiply-add runs in one half of the FMA unit only (64 a clock and SM against 128).
bool is_integer_multiply(Op op) {
  return op == Op::IMAD || op == Op::IMAD_WIDE || op == Op::IMAD_HI || op == Op::IDP ||
         op == Op::VIADD;
}

bool is_wide_product(const Instruction& in) {
  return in.op == Op::IMAD_WIDE || in.op == Op::IMAD_HI;
}

unsigned narrow(std::uint64_t value) { return static_cast<unsigned>(value); }

// Bytes of a column of B: its elements, and how many.
unsigned column_bytes(const Instruction& in) {
  std::string_view shape = isa::modifier_text(in, Mod::mma_shape);
  // The rows of A, 8 or 16, and the 8 columns of B come first.
  const std::size_t digits = std::min(shape.find_first_not_of('.'), shape.size());
  shape.remove_prefix(digits);
  shape.remove_prefix(std::min<std::size_t>(shape.size(), shape.starts_with("16") ? 3 : 2));
  unsigned elements = 0;
  for (const char digit : shape) elements = 10 * elements + static_cast<unsigned>(digit - '0');
  const std::string_view type = isa::modifier_text(in, Mod::mma_src);
  const auto is = [&](std::string_view what) { return type.find(what) != std::string_view::npos; };
  unsigned bits = in.op == Op::IMMA ? 8 : in.op == Op::BMMA ? 1 : 16;
  if (is("TF32")) bits = 32;
  if (is("S4") || is("U4")) bits = 4;
  return elements * bits / 8;
}

// How long a matrix product keeps the unit follows from how long B's columns are, whatever their
// type, and also where A is sparse (slope.product.* of gpu/kernels/micro/timing/products.cu).
unsigned matrix_cycles(const Instruction& in, const Constants& constants) {
  if (in.op == Op::DMMA) {
    const std::string_view shape = isa::modifier_text(in, Mod::mma_shape);
    const unsigned times = shape.ends_with("x16") ? 4 : shape.ends_with("x8") ? 2 : 1;
    return times * constants.interval_dmma;
  }
  constexpr unsigned kShort = 16, kLong = 32;
  const unsigned bytes = column_bytes(in);
  return bytes <= kShort  ? constants.interval_product
         : bytes <= kLong ? constants.interval_long_product
                          : constants.interval_longest_product;
}

unsigned matrix_latency(const Instruction& in, const Constants& constants) {
  const std::string_view shape = isa::modifier_text(in, Mod::mma_shape);
  const bool rows = shape.find("16x8") != std::string_view::npos;
  return constants.latency_tensor + (rows ? constants.latency_tensor_rows : 0) +
         (in.op == Op::DMMA ? matrix_cycles(in, constants) - constants.interval_dmma : 0);
}

void choose_pipe(const Instruction& in, const Constants& constants, Timed& timed) {
  const auto set = [&](Pipe pipe, unsigned interval) {
    timed.pipe = pipe;
    timed.interval = static_cast<std::uint16_t>(interval);
  };
  if (in.op == Op::DMMA) return set(Pipe::tensor, matrix_cycles(in, constants));
  switch (isa::unit(in)) {
    case Unit::alu:
      return set(Pipe::alu, constants.interval_alu);
    case Unit::fma:
      if (is_wide_product(in)) return set(Pipe::fma_heavy, constants.interval_imad_wide);
      if (is_integer_multiply(in.op)) return set(Pipe::fma_heavy, constants.interval_imad);
      return set(Pipe::fma, 2 * constants.interval_fma);
    case Unit::fp16:
      return set(in.op == Op::HFMA2_MMA ? Pipe::half_mma : Pipe::half, 2 * constants.interval_fp16);
    case Unit::fp64:
      return set(Pipe::fp64, constants.interval_fp64);
    case Unit::uniform:
      return set(Pipe::uniform, constants.interval_uniform);
    case Unit::cbu:
      return set(Pipe::control, constants.interval_cbu);
    case Unit::tensor:
      return set(Pipe::tensor, matrix_cycles(in, constants));
    case Unit::none:
    case Unit::adu:
    case Unit::lsu:
    case Unit::tex:
    case Unit::xu:
      return;
  }
}

// A fence for the block does not wait for stores; .VC, as in -G builds, is one for the GPU (both
// measured: fence.* of gpu/kernels/micro/timing/cold_launches.cu).
void choose_fence(const Instruction& in, const Constants& constants, Timed& timed) {
  const std::string_view scope = isa::modifier_text(in, Mod::scope);
  timed.course = Course::fence;
  timed.awaits_stores = scope == ".SYS" || scope == ".GPU" || scope == ".VC";
  timed.latency = static_cast<std::uint16_t>(scope == ".SYS"       ? constants.latency_membar_sys
                                             : timed.awaits_stores ? constants.latency_membar_gpu
                                                                   : constants.latency_membar_cta);
}

void choose_memory_course(const Instruction& in, const Constants& constants, Timed& timed) {
  const isa::MemoryAccess access = isa::memory_access(in);
  timed.course = Course::memory;
  timed.bytes = static_cast<std::uint8_t>(isa::access_bytes(in));
  timed.is_store = access.kind == isa::MemoryAccess::Kind::store ||
                   access.kind == isa::MemoryAccess::Kind::reduction;
  timed.is_async = in.op == Op::LDGSTS;
  timed.is_past_l1 = timed.is_async && in.mod(Mod::other0) == 0;  // .BYPASS
  const bool atomic = access.kind == isa::MemoryAccess::Kind::atomic ||
                      access.kind == isa::MemoryAccess::Kind::reduction;
  timed.adds_floats =
      atomic && isa::modifier_text(in, Mod::type).find('F') != std::string_view::npos;
  const bool shared = access.space == isa::Space::shared;
  timed.awaited = shared ? Stall::short_scoreboard : Stall::long_scoreboard;
  timed.queue_full = shared ? Stall::mio_throttle : Stall::lg_throttle;
  if (access.space == isa::Space::constant) {
    timed.course = Course::constant;
    timed.awaited = Stall::short_scoreboard;
    timed.queue_full = Stall::mio_throttle;
    timed.latency = static_cast<std::uint16_t>(constants.latency_constant_load);
    timed.interval = static_cast<std::uint16_t>(constants.interval_constant_load);
  }
  const std::string_view order = isa::modifier_text(in, Mod::sem);
  const std::string_view scope = isa::modifier_text(in, Mod::scope);
  const auto names = [&](std::string_view word) {
    return order.find(word) != std::string_view::npos || scope.find(word) != std::string_view::npos;
  };
  timed.bypasses_l1 = names("GPU") || names("SYS") || timed.is_past_l1;
}

void choose_variable(unsigned latency, Timed& timed) {
  timed.course = Course::variable;
  timed.latency = static_cast<std::uint16_t>(latency);
}

void choose_course(const Instruction& in, const Constants& constants, Timed& timed) {
  switch (in.op) {
    case Op::BRA:
    case Op::BRX:
    case Op::BRXU:
    case Op::JMP:
    case Op::JMX:
    case Op::CALL:
    case Op::RET:
      timed.course = Course::branch;
      timed.is_call = in.op == Op::CALL;
      timed.is_indirect = in.op == Op::RET || in.op == Op::BRX || in.op == Op::JMX ||
                          (timed.is_call && in.a.kind == Source::Kind::reg);
      return;
    case Op::CCTL:
      timed.empties_l1 = isa::modifier_text(in, Mod::other0).starts_with(".IVALL");
      break;
    case Op::BSYNC:
    case Op::BREAK:
    case Op::WARPSYNC:
    case Op::YIELD:
      timed.meets_warp = in.op == Op::WARPSYNC;
      timed.is_bsync = in.op == Op::BSYNC;
      timed.barrier = in.barrier;
      timed.course = Course::convergence;
      return;
    case Op::EXIT:
    case Op::KILL:
      timed.course = Course::exit;
      return;
    case Op::BAR:
      timed.course = Course::barrier;
      return;
    case Op::UCGABAR_ARV:
      timed.course = Course::cluster_arrive;
      return;
    case Op::UCGABAR_WAIT:
      timed.course = Course::cluster_wait;
      return;
    case Op::NANOSLEEP:
      timed.course = Course::sleep;
      return;
    case Op::MEMBAR:
    case Op::FENCE:
      return choose_fence(in, constants, timed);
    case Op::ERRBAR:
      timed.course = Course::fence;
      timed.latency = static_cast<std::uint16_t>(constants.latency_errbar);
      return;
    case Op::DEPBAR:
      timed.course = Course::depbar;
      timed.wait_mask |= static_cast<std::uint8_t>(in.word.bits(32, 6));
      if (in.mod(Mod::le) != 0) {
        timed.depbar_scoreboard = static_cast<std::uint8_t>(in.mod(Mod::sb_index));
        timed.depbar_count = static_cast<std::uint8_t>(in.mod(Mod::sb_count));
      }
      return;
    case Op::LDGDEPBAR:
      timed.course = Course::async_group;
      timed.latency = static_cast<std::uint16_t>(constants.latency_copy_group);
      timed.awaited = Stall::long_scoreboard;
      return;
    case Op::SHFL:
      timed.course = Course::shuffle;
      timed.latency = static_cast<std::uint16_t>(constants.latency_shuffle);
      timed.interval = 1;
      return;
    case Op::ULDC:
      return;  // fixed; its constant is awaited as an operand is
    case Op::S2R:
      timed.course = Course::shuffle;
      timed.latency = static_cast<std::uint16_t>(constants.latency_special_register);
      timed.interval = static_cast<std::uint16_t>(constants.interval_special_register);
      return;
    case Op::B2R:
      return choose_variable(constants.latency_special_register, timed);
    case Op::S2UR:
      return choose_variable(constants.latency_special_uniform, timed);
    case Op::BMOV:
      if (timed.write_scoreboard == kNoScoreboard && timed.read_scoreboard == kNoScoreboard) return;
      return choose_variable(constants.latency_barrier_move, timed);
    default:
      break;
  }
  if (isa::memory_access(in).kind != isa::MemoryAccess::Kind::none)
    return choose_memory_course(in, constants, timed);
  if (isa::unit(in) == Unit::xu) {
    timed.course = Course::special;
    timed.interval = static_cast<std::uint16_t>(constants.interval_xu);
    timed.latency = static_cast<std::uint16_t>(constants.latency_xu);
    return;
  }
  if (timed.write_scoreboard == kNoScoreboard && timed.read_scoreboard == kNoScoreboard) return;
  if (in.op == Op::DMMA) return choose_variable(matrix_latency(in, constants), timed);
  switch (isa::unit(in)) {
    case Unit::fp64:
      return choose_variable(constants.latency_fp64, timed);
    case Unit::tensor:
      return choose_variable(matrix_latency(in, constants), timed);
    default:
      return choose_variable(constants.latency_uniform_move, timed);
  }
}

// 41 bits of the instruction say when the warp may issue again (SASS-FACTS 1.4). What the oddities
// cost was measured on Ampere (arXiv 2503.20481): no stall with the yield hint takes long, and more
// than 11 cycles without the hint count as two.
unsigned stall_cycles(const isa::Control& control, const Constants& constants) {
  constexpr unsigned kLongestWithoutYield = 11;
  if (control.stall == 0) return control.stay ? 1 : constants.latency_stall_zero;
  if (control.stall > kLongestWithoutYield && control.stay) return 2;
  if (control.stall == 1 && !control.stay) return 2;
  return control.stall;
}

bool is_uniform_only(const Instruction& in) { return isa::unit(in) == Unit::uniform; }

// Registers read from each bank, but for those that the instruction before left in the reuse cache.
void count_bank_cycles(const Instruction& in, const Instruction* before, const Constants& constants,
                       Timed& timed) {
  if (timed.course != Course::fixed || is_uniform_only(in)) return;
  const std::array<const Source*, 3> sources{&in.a, &in.b, &in.c};
  std::array<unsigned, 3> seen{};
  unsigned count = 0;
  for (unsigned slot = 0; slot < 3; ++slot) {
    const Source& source = *sources[slot];
    if (source.kind != Source::Kind::reg || source.index == isa::kRZ) continue;
    if (before != nullptr) {
      const Source& kept = slot == 0 ? before->a : slot == 1 ? before->b : before->c;
      if (kept.reuse && kept.kind == Source::Kind::reg && kept.index == source.index) continue;
    }
    if (std::find(seen.begin(), seen.begin() + count, source.index) != seen.begin() + count)
      continue;
    seen[count++] = source.index;
    ++timed.bank_cycles[source.index %
                        std::min<std::size_t>(constants.register_banks, timed.bank_cycles.size())];
  }
  for (std::uint8_t& cycles : timed.bank_cycles) {
    cycles = static_cast<std::uint8_t>(cycles / constants.register_reads_per_bank);
    timed.reads_banks |= cycles != 0;
  }
}

std::uint8_t gate_of(const Timed& timed) {
  const bool queue = timed.needs_queue(), special = timed.course == Course::special;
  if (!queue && !special) return static_cast<std::uint8_t>(timed.pipe);
  if (timed.pipe != Pipe::none) return kSeveralGates;
  return queue ? kQueueGate : kSpecialGate;
}

Timed time_instruction(const Instruction& in, const Instruction* before, const Constants& constants,
                       const ConstantLines& lines) {
  Timed timed;
  const isa::Control& control = in.control;
  timed.stall = static_cast<std::uint8_t>(std::min(255u, stall_cycles(control, constants)));
  timed.wait_mask = control.wait_mask;
  timed.write_scoreboard =
      control.write_barrier < kScoreboards ? control.write_barrier : kNoScoreboard;
  timed.read_scoreboard =
      control.read_barrier < kScoreboards ? control.read_barrier : kNoScoreboard;
  choose_pipe(in, constants, timed);
  choose_course(in, constants, timed);
  count_bank_cycles(in, before, constants, timed);
  const ConstantLines::Named constant = lines.of(in);
  timed.constant_line = constant.line;
  timed.constant_lines_of_bank = constant.lines_of_bank;
  timed.constant_offset = constant.offset;
  timed.gate = gate_of(timed);
  // A warp's end awaits what memory sends it, also where no instruction does (nothing.* of
  // gpu/kernels/micro/timing/cluster_launches.cu, adds.f16x2.* of stores.cu).
  const bool answers = (timed.course == Course::memory && !timed.is_store && !timed.is_async) ||
                       timed.course == Course::constant;
  timed.result_scoreboard =
      answers && timed.write_scoreboard == kNoScoreboard ? kUnguarded : timed.write_scoreboard;
  return timed;
}

using Places = checks::RegisterUses::Places;

bool overlap(const Places& some, const Places& others) {
  return std::ranges::any_of(
      some, [&](unsigned place) { return std::ranges::find(others, place) != others.end(); });
}

// A wide product keeps its sub-core from issuing, and its warp's stall count from running, for some
// cycles, and more where it reads what has just been computed (held.imad_wide.* and slope.product.*
// of gpu/kernels/micro/timing/machine_code.cu; five cycles before were tried).
void hold_behind_products(const isa::Program& program, const Constants& constants,
                          std::vector<Timed>& timed) {
  constexpr unsigned kJustBefore = 5;
  const auto& code = program.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i] || !is_wide_product(*code[i])) continue;
    timed[i].held = timed[i].holds_issue = static_cast<std::uint8_t>(constants.issue_wide_product);
    const checks::RegisterUses product = checks::register_uses(*code[i]);
    unsigned cycles = 0;
    for (std::size_t j = i; j-- > 0 && code[j] && isa::unit(*code[j]) != Unit::cbu;) {
      cycles += timed[j].stall;
      if (cycles > kJustBefore) break;
      if (timed[j].course != Course::fixed ||
          !overlap(checks::register_uses(*code[j]).writes, product.reads))
        continue;
      timed[i - 1].held =
          static_cast<std::uint8_t>(timed[i - 1].held + constants.latency_product_read);
      break;
    }
  }
}

// An access's address is known where the last of its registers was written.
void find_accesses(const isa::Program& program, std::vector<Timed>& timed) {
  constexpr std::size_t kFarthest = 16;
  for (std::size_t access = 1; access < program.instructions.size(); ++access) {
    const auto& in = program.instructions[access];
    if (!in || timed[access].course != Course::memory || in->a.kind != Source::Kind::reg ||
        in->a.index == isa::kRZ)
      continue;
    for (std::size_t back = 1; back <= std::min(access, kFarthest); ++back) {
      const auto& before = program.instructions[access - back];
      if (!before || isa::unit(*before) == Unit::cbu) break;
      const unsigned written = before->rd, low = in->a.index;
      if (written == isa::kRZ || (written != low && written != low + 1)) continue;
      std::uint8_t& accessed_in = timed[access - back].accessed_in;
      if (accessed_in == 0) accessed_in = static_cast<std::uint8_t>(back);
      break;
    }
  }
}

}  // namespace

TimedProgram time_program(
    const isa::Program& program, const Constants& constants,
    const std::array<std::uint32_t, ConstantLines::kBanks>& constant_bank_bytes) {
  TimedProgram timed;
  const ConstantLines lines(program, constants.constant_line_bytes, constant_bank_bytes);
  timed.instructions.resize(program.instructions.size() + 1);
  timed.instructions_per_line =
      std::max(1u, narrow(constants.instruction_line_bytes / sizeof(isa::Word)));
  const Instruction* before = nullptr;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& instruction = program.instructions[i];
    if (instruction)
      timed.instructions[i] = time_instruction(*instruction, before, constants, lines);
    if (timed.instructions[i].depbar_scoreboard < kScoreboards) timed.counts_results = true;
    for (const std::uint8_t cycles : timed.instructions[i].bank_cycles)
      timed.most_bank_cycles = std::max(timed.most_bank_cycles, cycles);
    before = instruction ? &*instruction : nullptr;
  }
  hold_behind_products(program, constants, timed.instructions);
  find_accesses(program, timed.instructions);
  for (std::size_t i = 0; i < timed.instructions.size(); ++i)
    timed.instructions[i].code_line = narrow(i / timed.instructions_per_line);
  timed.constant_lines = lines.all();
  timed.code_lines = narrow(timed.instructions.size() / timed.instructions_per_line + 1);
  return timed;
}

}  // namespace heddle::simulator::timing
