// What the timing model needs to know of each instruction, worked out once per launch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/program.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/constant_lines.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/register_ports.hpp"

namespace heddle::simulator::timing {

inline constexpr unsigned kScoreboards = 6;
inline constexpr std::uint8_t kNoScoreboard = 7;
// Of a result that comes from the memory unit, with no scoreboard of the program's: only the end of
// the warp waits for it.
inline constexpr std::uint8_t kUnguarded = kScoreboards;
inline constexpr std::uint8_t kNoGroupWait = 0xff;

// The unit of a sub-core that is busy for some cycles after an instruction issues to it.
// `fma` is either half of the FMA unit; integer multiplication has but the heavy one, and packed
// half instructions (`half`) need both (slope.held.hfma2.* of
// gpu/kernels/micro/timing/machine_code.cu). The two kinds of those do not get in one another's way
// (measured by turns and alone).
enum class Pipe : std::uint8_t {
  none,
  alu,
  fma,
  fma_heavy,
  fma_lite,
  half,
  half_mma,
  fp64,
  uniform,
  control,
  tensor,
  count_
};
inline constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::count_);

// Instructions of a warp whose issue is remembered.
inline constexpr std::size_t kIssuesKept = 8;

// How an instruction's result comes to be known.
enum class Course : std::uint8_t {
  fixed,         // after a time the compiler counts itself
  special,       // MUFU and the like: the special function unit's queue, a scoreboard
  variable,      // after a time of its own, guarded by a scoreboard
  shuffle,       // the memory unit, without memory: SHFL, S2R
  uniform_read,  // S2UR, S2R of what all lanes share: the address divergence unit
  memory,        // the memory unit: what it touched says the rest
  texture,       // the texture unit: which texels it read says the rest
  constant,      // LDC: the address divergence unit
  branch,        // BRA and its like
  convergence,   // BSYNC, WARPSYNC, BREAK, YIELD
  exit,
  barrier,         // BAR
  cluster_arrive,  // UCGABAR_ARV
  cluster_wait,    // UCGABAR_WAIT
  fence,           // MEMBAR
  depbar,          // DEPBAR: waits for a scoreboard to count down
  async_group,     // LDGDEPBAR: closes a group of asynchronous copies
  group_arrive,    // WARPGROUP.ARRIVE: products behind it await the group's other warps
  group_product,   // of a warp group: the tensor unit's queue
  bulk_copy,       // by the copy engine
  bulk_group,      // UTMACMDFLUSH: closes a group of copies out of shared memory
  sleep,
};

// What may keep an instruction back whose operands are there: a pipe, by its number, or a queue.
inline constexpr std::uint8_t kQueueGate = kPipes;        // of the memory unit
inline constexpr std::uint8_t kSpecialGate = kPipes + 1;  // of the special function unit
inline constexpr std::uint8_t kTextureGate = kPipes + 2;  // of the texture unit
inline constexpr std::uint8_t kGroupGate = kPipes + 3;    // of a warp group's products
inline constexpr std::uint8_t kAduGate = kPipes + 4;      // of the address divergence unit
inline constexpr std::size_t kGates = kPipes + 5;
inline constexpr std::uint8_t kSeveralGates = 0xff;  // both a pipe and a queue

// Each in one of the host's cache lines.
struct alignas(64) Timed {
  Course course = Course::fixed;
  Pipe pipe = Pipe::none;
  std::uint8_t gate = 0;
  Stall queue_full = Stall::mio_throttle;   // when its queue is
  Stall awaited = Stall::short_scoreboard;  // what who waits for its result waits for
  std::uint8_t stall = 1;                   // cycles to the warp's next issue, at least
  std::uint8_t held = 0;                    // and more
  std::uint8_t holds_issue = 0;             // cycles in which its sub-core issues nothing else
  std::uint8_t wait_mask = 0;
  std::uint8_t write_scoreboard = kNoScoreboard, read_scoreboard = kNoScoreboard;
  std::uint8_t result_scoreboard = kNoScoreboard;  // write_scoreboard, or kUnguarded
  std::uint8_t depbar_scoreboard = kNoScoreboard, depbar_count = 0;
  std::uint8_t bytes = 0;  // memory: of a thread
  bool bypasses_l1 : 1 = false;
  bool empties_l1 : 1 = false;  // CCTL.IVALL
  bool is_store : 1 = false;
  bool is_shared : 1 = false;      // names shared memory, not a generic address
  bool is_async : 1 = false;       // LDGSTS
  bool is_mbarrier : 1 = false;    // SYNCS
  bool tests_phase : 1 = false;    // SYNCS.PHASECHK
  bool gathers : 1 = false;        // TLD4
  bool is_past_l1 : 1 = false;     // LDGSTS.BYPASS
  bool adds_floats : 1 = false;    // an atomic
  bool awaits_stores : 1 = false;  // a fence, beyond its block
  bool reads_banks : 1 = false;
  bool reads_once : 1 = false;   // of each bank one register at most
  bool is_plain : 1 = false;     // its pipe and its stall count are all there is to it
  bool awaits_unit : 1 = false;  // and nothing else, once its warp is at it and has its code
  bool ends_line : 1 = false;    // the instruction below it is on another code line
  bool is_call : 1 = false;
  bool is_indirect : 1 = false;  // a branch to an address in a register
  bool meets_warp : 1 = false;   // WARPSYNC
  bool is_bsync : 1 = false;
  bool is_yield : 1 = false;
  bool yields : 1 = false;      // the yield hint: other warps that can issue go first
  bool adds : 1 = false;        // a reduction by the copy engine
  bool prefetches : 1 = false;  // by the copy engine, into L2
  // SYNCS.PHASECHK.TRYWAIT: how far behind it is the instruction at which the warp is seen to wait.
  std::uint8_t seen_behind = 0;
  bool names_map : 1 = false;               // a copy of tensors' boxes
  std::uint8_t groups_left = kNoGroupWait;  // WARPGROUP.DEPBAR: how many may be incomplete
  std::uint8_t columns_time = 0;            // and its own cycles, whatever its operands take
  std::uint8_t barrier = 0;                 // that of BSYNC
  RegisterPorts::Reads bank_reads{};        // of fixed-latency instructions
  // It reads two registers of one bank that were written shortly before: how many instructions
  // before it the older one was; 0: it does not.
  std::uint8_t fresh_from = 0;
  std::uint16_t interval = 1;       // cycles its pipe is busy
  std::uint16_t latency = 0;        // courses special, variable, constant, fence
  std::int32_t constant_line = -1;  // an index into the launch's constant lines
  // Of a constant to whose place a register is added: the lines of its bank, from `constant_line`
  // on, and the place; else 0.
  std::uint32_t constant_lines_of_bank = 0, constant_offset = 0;
  std::uint32_t code_line = 0;
  // How far ahead is the instruction that accesses global memory at the address that this one
  // completes; 0: none. For the host's sake alone.
  std::uint8_t accessed_in = 0;
  // It does nothing but compute: neither is its time that of another unit than a pipe, nor could
  // others see when it is executed (find_computing).
  bool only_computes = false;
  // How many instructions, from it on, may be executed when the first of them issues; 0: it is one
  // that others see.
  std::uint16_t computed_together = 0;

  bool needs_adu() const {
    return course == Course::constant || course == Course::uniform_read ||
           course == Course::barrier;
  }
  bool needs_queue() const { return course == Course::memory || course == Course::shuffle; }
};

static_assert(sizeof(Timed) == alignof(Timed));

// Whether it issues behind a block barrier at which its warp still waits: it needs nothing but the
// arithmetic units (behind.* of gpu/kernels/micro/timing/behind_barriers.cu).
inline bool passes_barrier(const Timed& timed) {
  return timed.course == Course::fixed && timed.pipe >= Pipe::alu && timed.pipe < Pipe::fp64;
}

struct TimedProgram {
  std::vector<Timed> instructions;           // as Program::instructions, and one past the end
  std::vector<ConstantLine> constant_lines;  // that it can name
  std::uint32_t code_lines = 0;
  std::uint32_t instructions_per_line = 8;
  bool counts_results = false;  // a DEPBAR waits for some results of a scoreboard, not for all
  std::uint8_t most_bank_reads = 0;
};

// `constant_bank_bytes`: as ConstantLines.
TimedProgram time_program(
    const isa::Program& program, const Constants& constants,
    const std::array<std::uint32_t, ConstantLines::kBanks>& constant_bank_bytes = {});

}  // namespace heddle::simulator::timing
