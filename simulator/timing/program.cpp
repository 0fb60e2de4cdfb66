#include "simulator/timing/program.hpp"

#include <algorithm>
#include <bit>

#include "isa/attributes.hpp"
#include "isa/special_registers.hpp"
#include "simulator/warp/register_uses.hpp"

namespace heddle::simulator::timing {
namespace {

using isa::Instruction;
using isa::Mod;
using isa::Op;
using isa::Source;
using isa::Unit;

// Integer multiply-add runs in one half of the FMA unit only (64 a clock and SM against 128).
bool is_integer_multiply(const Instruction& in) { return isa::facts(in).type.is_integer(); }

bool is_wide_product(const Instruction& in) {
  return isa::unit(in) == Unit::fma && isa::facts(in).work == isa::Work::wide_product;
}

bool is_double_product(const Instruction& in) {
  return isa::unit(in) == Unit::fp64 && isa::facts(in).work == isa::Work::product;
}

// Of a warp group, not of a warp.
bool is_group_product(const Instruction& in) {
  constexpr unsigned kRowsOfWarpgroup = 64;
  return isa::facts(in).work == isa::Work::product &&
         isa::matrix_product(in).shape.m == kRowsOfWarpgroup;
}

unsigned narrow(std::uint64_t value) { return static_cast<unsigned>(value); }

// How long a matrix product keeps the unit follows from how long B's columns are, whatever their
// type, and also where A is sparse (slope.product.* of gpu/kernels/micro/timing/products.cu).
unsigned matrix_cycles(const Instruction& in, const Constants& constants) {
  constexpr unsigned kShort = 16, kLong = 32, kDoubles = 4;
  const isa::MatrixProduct product = isa::matrix_product(in);
  if (is_double_product(in)) return product.shape.k / kDoubles * constants.interval_dmma;
  const unsigned bytes = product.shape.k * product.b.bits / 8u;  // of a column of B
  return bytes <= kShort  ? constants.interval_product
         : bytes <= kLong ? constants.interval_long_product
                          : constants.interval_longest_product;
}

unsigned matrix_latency(const Instruction& in, const Constants& constants) {
  if (!is_double_product(in)) return constants.latency_tensor;
  const bool has_16_rows = isa::matrix_product(in).shape.m == 16;
  return constants.latency_tensor + (has_16_rows ? constants.latency_tensor_rows : 0) +
         matrix_cycles(in, constants) - constants.interval_dmma;
}

void choose_pipe(const Instruction& in, const Constants& constants, Timed& timed) {
  const auto set = [&](Pipe pipe, unsigned interval) {
    timed.pipe = pipe;
    timed.interval = static_cast<std::uint16_t>(interval);
  };
  if (is_double_product(in)) return set(Pipe::tensor, matrix_cycles(in, constants));
  if (is_group_product(in)) return;
  switch (isa::unit(in)) {
    case Unit::alu:
      return set(Pipe::alu, constants.interval_alu);
    case Unit::fma:
      if (is_wide_product(in)) return set(Pipe::fma_heavy, constants.interval_imad_wide);
      if (is_integer_multiply(in)) return set(Pipe::fma_heavy, constants.interval_imad);
      return set(Pipe::fma, 2 * constants.interval_fma);
    case Unit::fp16:
      return set(Pipe::half, 2 * constants.interval_fp16);
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
  using Scope = isa::MemoryOrder::Scope;
  const Scope scope = isa::memory_order(in).scope;
  timed.course = Course::fence;
  timed.awaits_stores = scope == Scope::system || scope == Scope::gpu || scope == Scope::vc;
  timed.latency = static_cast<std::uint16_t>(scope == Scope::system ? constants.latency_membar_sys
                                             : timed.awaits_stores  ? constants.latency_membar_gpu
                                                                    : constants.latency_membar_cta);
  timed.interval = static_cast<std::uint16_t>(timed.awaits_stores ? constants.interval_membar_gpu
                                                                  : constants.interval_membar_cta);
}

void choose_memory_course(const Instruction& in, const Constants& constants, Timed& timed) {
  const isa::MemoryAccess access = isa::memory_access(in);
  timed.course = Course::memory;
  timed.bytes = static_cast<std::uint8_t>(isa::access_bytes(in));
  timed.is_store = access.kind == isa::MemoryAccess::Kind::store ||
                   access.kind == isa::MemoryAccess::Kind::reduction;
  timed.is_async = access.kind == isa::MemoryAccess::Kind::copy;
  timed.is_past_l1 = timed.is_async && !isa::copies_through_l1(in);
  timed.is_mbarrier = access.of == isa::MemoryAccess::Of::barrier;
  constexpr unsigned kTestsPhase = 1;
  timed.tests_phase = timed.is_mbarrier && in.mod(Mod::syncs_op) == kTestsPhase;
  const bool atomic = access.kind == isa::MemoryAccess::Kind::atomic ||
                      access.kind == isa::MemoryAccess::Kind::reduction;
  timed.adds_floats = atomic && isa::data_type(in).is_float();
  const bool shared = access.space == isa::Space::shared;
  timed.is_shared = shared;
  timed.awaited = shared ? Stall::short_scoreboard : Stall::long_scoreboard;
  // As the H200's samples of waits for an mbarrier say.
  if (timed.tests_phase && in.mod(Mod::try_wait) != 0) timed.awaited = Stall::long_scoreboard;
  timed.queue_full = shared ? Stall::mio_throttle : Stall::lg_throttle;
  if (access.space == isa::Space::constant) {
    timed.course = Course::constant;
    timed.awaited = Stall::short_scoreboard;
    timed.queue_full = Stall::mio_throttle;
    timed.latency = static_cast<std::uint16_t>(constants.latency_constant_load);
    timed.interval = static_cast<std::uint16_t>(constants.interval_constant_load);
  }
  using Scope = isa::MemoryOrder::Scope;
  const Scope scope = isa::memory_order(in).scope;
  timed.bypasses_l1 = scope == Scope::gpu || scope == Scope::system || timed.is_past_l1;
}

void choose_texture_course(const Instruction& in, Timed& timed) {
  timed.course = Course::texture;
  timed.awaited = Stall::long_scoreboard;
  timed.queue_full = Stall::tex_throttle;
  timed.gathers = in.op == Op::TLD4;
  timed.is_store = isa::memory_access(in).kind == isa::MemoryAccess::Kind::store;
  if (isa::memory_access(in).space != isa::Space::texture) return;
  const auto components = static_cast<unsigned>(std::popcount(in.word.bits(72, 4)));
  timed.bytes = static_cast<std::uint8_t>(components * sizeof(std::uint32_t));
}

// A warp group's product keeps the tensor unit for a time that its columns alone say: either they
// or the operands in shared memory take longer, of which the rows of A are 16 wavefronts
// (docs/experiments/warpgroup-probe.md#times).
void choose_group_product(const Instruction& in, const Constants& constants, Timed& timed) {
  constexpr unsigned kWavefrontsOfA = 16, kColumnsInTwo = 2, kColumnsOfWavefront = 4;
  constexpr unsigned kLeastOfRegisters = 13;
  const unsigned columns = isa::matrix_product(in).shape.n;
  const unsigned in_unit = columns / kColumnsInTwo, fetched = columns / kColumnsOfWavefront;
  const bool registers = in.a.kind == Source::Kind::reg;
  timed.course = Course::group_product;
  timed.awaited = Stall::barrier;  // as the H200's samples of WARPGROUP.DEPBAR say
  timed.columns_time = static_cast<std::uint8_t>(in_unit);
  timed.interval =
      static_cast<std::uint16_t>(registers ? std::max(in_unit, kLeastOfRegisters)
                                           : std::max(in_unit, kWavefrontsOfA + fetched));
  timed.latency = static_cast<std::uint16_t>(registers ? constants.latency_group_product_registers
                                                       : constants.latency_group_product);
}

void choose_bulk_copy(const Instruction& in, const Constants& constants, Timed& timed) {
  timed.course = Course::bulk_copy;
  timed.latency = static_cast<std::uint16_t>(constants.latency_bulk_read);
  timed.adds = in.op == Op::UTMAREDG || in.op == Op::UBLKRED;
  timed.prefetches = in.op == Op::UTMAPF || in.op == Op::UBLKPF;
  timed.names_map =
      in.op == Op::UTMALDG || in.op == Op::UTMASTG || in.op == Op::UTMAREDG || in.op == Op::UTMAPF;
}

void choose_variable(unsigned latency, Timed& timed) {
  timed.course = Course::variable;
  timed.latency = static_cast<std::uint16_t>(latency);
}

// A special register that all lanes find the same in comes by the address divergence unit, also to
// an ordinary register: S2R of SR_CTAID waits to issue where S2R of SR_TID does not (samples of
// `by_shuffles` and `through_tile` in validation/records/h200/sampled).
void choose_shared_special(unsigned latency, const Constants& constants, Timed& timed) {
  timed.course = Course::uniform_read;
  timed.latency = static_cast<std::uint16_t>(latency);
  timed.interval = static_cast<std::uint16_t>(constants.interval_special_uniform);
}

void choose_branch(const Instruction& in, Timed& timed) {
  const isa::Effect effect = isa::effect(in);
  timed.course = Course::branch;
  timed.is_call = effect == isa::Effect::call;
  timed.is_indirect = effect == isa::Effect::ret || effect == isa::Effect::indirect_branch ||
                      (timed.is_call && in.a.kind == Source::Kind::reg);
}

void choose_counter_wait(const Instruction& in, Timed& timed) {
  timed.course = Course::depbar;
  timed.wait_mask |= isa::awaited_scoreboards(in);
  if (in.mod(Mod::le) == 0) return;
  timed.depbar_scoreboard = static_cast<std::uint8_t>(in.mod(Mod::sb_index));
  timed.depbar_count = static_cast<std::uint8_t>(in.mod(Mod::sb_count));
}

bool sets_scoreboard(const Timed& timed) {
  return timed.write_scoreboard != kNoScoreboard || timed.read_scoreboard != kNoScoreboard;
}

// Of instructions that steer threads; false: of another one.
bool choose_course_by_effect(const Instruction& in, const Constants& constants, Timed& timed) {
  using isa::Effect;
  const auto set = [&](Course course, unsigned latency = 0) {
    timed.course = course;
    if (latency != 0) timed.latency = static_cast<std::uint16_t>(latency);
    return true;
  };
  const Effect effect = isa::effect(in);
  switch (effect) {
    case Effect::branch:
    case Effect::indirect_branch:
    case Effect::call:
    case Effect::ret:
      choose_branch(in, timed);
      return true;
    case Effect::sync:
    case Effect::leave_barrier:
    case Effect::warp_sync:
    case Effect::yield:
      timed.meets_warp = effect == Effect::warp_sync;
      timed.is_bsync = effect == Effect::sync;
      timed.is_yield = effect == Effect::yield;
      timed.barrier = in.barrier;
      return set(Course::convergence);
    case Effect::exit:
      return set(Course::exit);
    case Effect::block_barrier:
      return set(Course::barrier);
    case Effect::cluster_arrive:
      return set(Course::cluster_arrive);
    case Effect::cluster_wait:
      return set(Course::cluster_wait);
    case Effect::sleep:
      return set(Course::sleep);
    case Effect::fence:
    case Effect::proxy_fence:
      choose_fence(in, constants, timed);
      return true;
    case Effect::error_barrier:
      return set(Course::fence, constants.latency_errbar);
    case Effect::wait_counter:
      choose_counter_wait(in, timed);
      return true;
    case Effect::end_copies:
      timed.awaited = Stall::long_scoreboard;
      return set(Course::async_group, constants.latency_copy_group);
    case Effect::end_bulk_copies:
      timed.awaited = Stall::long_scoreboard;
      return set(Course::bulk_group);
    case Effect::move_barrier:
      return !sets_scoreboard(timed) || set(Course::variable, constants.latency_barrier_move);
    case Effect::none:
    case Effect::no_operation:
    case Effect::cluster_error_barrier:
    case Effect::trap:
    case Effect::set_barrier:
    case Effect::end_collective:
      return false;
  }
  return false;
}

// Of instructions whose latency is their own; false: of another one.
bool choose_own_course(const Instruction& in, const Constants& constants, Timed& timed) {
  switch (in.op) {
    case Op::SHFL:
      timed.course = Course::shuffle;
      timed.latency = static_cast<std::uint16_t>(constants.latency_shuffle);
      timed.interval = 1;
      return true;
    case Op::ULDC:
    case Op::LDCU:
      return true;  // fixed; its constant is awaited as an operand is
    case Op::S2R:
      if (!isa::differs_between_lanes(static_cast<std::uint8_t>(in.mod(Mod::special_reg)))) {
        choose_shared_special(constants.latency_special_block, constants, timed);
        return true;
      }
      timed.course = Course::shuffle;
      timed.latency = static_cast<std::uint16_t>(constants.latency_special_register);
      timed.interval = static_cast<std::uint16_t>(constants.interval_special_register);
      return true;
    case Op::UTMALDG:
    case Op::UTMASTG:
    case Op::UTMAREDG:
    case Op::UTMAPF:
    case Op::UBLKCP:
    case Op::UBLKRED:
    case Op::UBLKPF:
      choose_bulk_copy(in, constants, timed);
      return true;
    case Op::WARPGROUP:
      timed.awaited = Stall::barrier;
      if (in.mod(Mod::le) == 0)
        timed.course = Course::group_arrive;
      else
        timed.groups_left = static_cast<std::uint8_t>(in.mod(Mod::sb_count));
      return true;
    case Op::USETMAXREG: {
      constexpr unsigned kTryAlloc = 2;
      choose_variable(in.mod(Mod::register_pool) == kTryAlloc ? constants.latency_take_registers
                                                              : constants.latency_give_registers,
                      timed);
      return true;
    }
    case Op::B2R:
      choose_variable(constants.latency_special_register, timed);
      return true;
    case Op::S2UR:
      choose_shared_special(constants.latency_special_uniform, constants, timed);
      return true;
    default:
      return false;
  }
}

void choose_course(const Instruction& in, const Constants& constants, Timed& timed) {
  timed.empties_l1 = isa::empties_l1(in);
  if (choose_course_by_effect(in, constants, timed)) return;
  if (choose_own_course(in, constants, timed)) return;
  if (isa::unit(in) == Unit::tex) return choose_texture_course(in, timed);
  if (is_group_product(in)) return choose_group_product(in, constants, timed);
  if (isa::memory_access(in).by_threads()) return choose_memory_course(in, constants, timed);
  if (isa::unit(in) == Unit::xu) {
    timed.course = Course::special;
    timed.interval = static_cast<std::uint16_t>(constants.interval_xu);
    timed.latency = static_cast<std::uint16_t>(constants.latency_xu);
    return;
  }
  if (!sets_scoreboard(timed)) return;
  if (isa::facts(in).work == isa::Work::product)
    return choose_variable(matrix_latency(in, constants), timed);
  choose_variable(
      isa::unit(in) == Unit::fp64 ? constants.latency_fp64 : constants.latency_uniform_move, timed);
}

// 41 bits of the instruction say when the warp may issue again (docs/hardware/machine-code.md).
// What the oddities cost was measured on Ampere (arXiv 2503.20481): no stall with the yield hint
// takes long, and more than 11 cycles without the hint count as two.
unsigned stall_cycles(const isa::Control& control, const Constants& constants) {
  constexpr unsigned kLongestWithoutYield = 11;
  if (control.stall == 0) return control.stay ? 1 : constants.latency_stall_zero;
  if (control.stall > kLongestWithoutYield && control.stay) return 2;
  if (control.stall == 1 && !control.stay) return 2;
  return control.stall;
}

bool is_uniform_only(const Instruction& in) { return isa::unit(in) == Unit::uniform; }

// Registers read from each bank, but for those that the instruction before left in the reuse cache.
void find_bank_reads(const Instruction& in, const Instruction* before, const Constants& constants,
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
    std::uint8_t& reads =
        timed.bank_reads[source.index %
                         std::min<std::size_t>(constants.register_banks, timed.bank_reads.size())];
    reads = static_cast<std::uint8_t>(reads | 1u << slot);
  }
  timed.reads_once = true;
  for (const std::uint8_t read : timed.bank_reads) {
    timed.reads_banks |= read != 0;
    timed.reads_once &= std::popcount(read) <= 1;
  }
}

// The second of the registers of one bank that have just been written, counted backwards from the
// instruction that reads them.
void find_fresh_registers(const isa::Program& program, std::vector<Timed>& timed) {
  const auto& code = program.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i] || !timed[i].reads_banks || is_wide_product(*code[i])) continue;
    const std::array<const Source*, RegisterPorts::kSources> sources{&code[i]->a, &code[i]->b,
                                                                     &code[i]->c};
    for (const std::uint8_t read : timed[i].bank_reads) {
      unsigned left = read, found = 0;
      for (std::size_t back = 1; back < kIssuesKept && back <= i; ++back) {
        const std::size_t j = i - back;
        if (!code[j] || isa::unit(*code[j]) == Unit::cbu) break;
        const RegisterUses uses = register_uses(*code[j]);
        unsigned written = 0;
        for (unsigned source = 0; source < sources.size(); ++source)
          if ((left >> source & 1) != 0 &&
              std::ranges::find(uses.writes, sources[source]->index) != uses.writes.end())
            written |= 1u << source;
        left &= ~written;
        if (written == 0) continue;
        if (timed[j].course != Course::fixed || timed[j].pipe >= Pipe::fp64) continue;
        found += static_cast<unsigned>(std::popcount(written));
        if (found < 2) continue;
        timed[i].fresh_from = std::max(timed[i].fresh_from, static_cast<std::uint8_t>(back));
        break;
      }
    }
  }
}

std::uint8_t gate_of(const Timed& timed) {
  const bool queue = timed.needs_queue(), special = timed.course == Course::special;
  if (timed.course == Course::texture) return kTextureGate;
  if (timed.course == Course::group_product) return kGroupGate;
  if (timed.needs_adu()) return kAduGate;
  if (!queue && !special) return static_cast<std::uint8_t>(timed.pipe);
  if (timed.pipe != Pipe::none) return kSeveralGates;
  return queue ? kQueueGate : kSpecialGate;
}

Timed time_instruction(const Instruction& in, const Instruction* before, const Constants& constants,
                       const ConstantLines& lines) {
  Timed timed;
  const isa::Control& control = in.control;
  timed.stall = static_cast<std::uint8_t>(std::min(255u, stall_cycles(control, constants)));
  timed.yields = !control.stay;
  timed.wait_mask = control.wait_mask;
  timed.write_scoreboard =
      control.write_barrier < kScoreboards ? control.write_barrier : kNoScoreboard;
  timed.read_scoreboard =
      control.read_barrier < kScoreboards ? control.read_barrier : kNoScoreboard;
  choose_pipe(in, constants, timed);
  choose_course(in, constants, timed);
  find_bank_reads(in, before, constants, timed);
  const ConstantLines::Named constant = lines.of(in);
  timed.constant_line = constant.line;
  timed.constant_lines_of_bank = constant.lines_of_bank;
  timed.constant_offset = constant.offset;
  timed.gate = gate_of(timed);
  timed.is_plain = timed.course == Course::fixed && !timed.empties_l1;
  // A warp's end awaits what memory sends it, also where no instruction does (nothing.* of
  // gpu/kernels/micro/timing/cluster_launches.cu, adds.f16x2.* of stores.cu).
  const bool answers = (timed.course == Course::memory && !timed.is_store && !timed.is_async) ||
                       timed.course == Course::constant || timed.course == Course::texture;
  timed.result_scoreboard =
      answers && timed.write_scoreboard == kNoScoreboard ? kUnguarded : timed.write_scoreboard;
  return timed;
}

// Whether nothing but its unit may keep it back whose warp is at it and has its code.
bool awaits_unit(const Timed& timed) {
  const bool constant = timed.constant_line >= 0 && timed.course != Course::constant;
  return timed.gate != kSeveralGates && timed.wait_mask == 0 && !constant &&
         timed.groups_left == kNoGroupWait && timed.depbar_scoreboard >= kScoreboards &&
         timed.course != Course::group_product;
}

using Places = RegisterUses::Places;

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
    const RegisterUses product = register_uses(*code[i]);
    unsigned cycles = 0;
    for (std::size_t j = i; j-- > 0 && code[j] && isa::unit(*code[j]) != Unit::cbu;) {
      cycles += timed[j].stall;
      if (cycles > kJustBefore) break;
      if (timed[j].course != Course::fixed ||
          !overlap(register_uses(*code[j]).writes, product.reads))
        continue;
      timed[i - 1].held =
          static_cast<std::uint8_t>(timed[i - 1].held + constants.latency_product_read);
      break;
    }
  }
}

// Who waits at an mbarrier is seen at the instruction that reads the answer.
void find_readers_of_tests(std::vector<Timed>& timed) {
  constexpr std::size_t kFarthest = 8;
  for (std::size_t test = 0; test < timed.size(); ++test) {
    if (!timed[test].tests_phase || timed[test].write_scoreboard == kNoScoreboard) continue;
    const unsigned awaited = 1u << timed[test].write_scoreboard;
    for (std::size_t ahead = 1; ahead <= kFarthest && test + ahead < timed.size(); ++ahead)
      if ((timed[test + ahead].wait_mask & awaited) != 0) {
        timed[test].seen_behind = static_cast<std::uint8_t>(ahead);
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
    for (const std::uint8_t sources : timed.instructions[i].bank_reads)
      timed.most_bank_reads =
          std::max(timed.most_bank_reads, static_cast<std::uint8_t>(std::popcount(sources)));
    before = instruction ? &*instruction : nullptr;
  }
  hold_behind_products(program, constants, timed.instructions);
  find_fresh_registers(program, timed.instructions);
  find_accesses(program, timed.instructions);
  find_readers_of_tests(timed.instructions);
  for (std::size_t i = 0; i < timed.instructions.size(); ++i) {
    Timed& each = timed.instructions[i];
    each.code_line = narrow(i / timed.instructions_per_line);
    each.awaits_unit = awaits_unit(each);
    each.ends_line = (i + 1) % timed.instructions_per_line == 0;
  }
  timed.constant_lines = lines.all();
  timed.code_lines = narrow(timed.instructions.size() / timed.instructions_per_line + 1);
  return timed;
}

}  // namespace heddle::simulator::timing
