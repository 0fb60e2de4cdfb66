// The functional core's working state: a kernel made ready, a block being executed, and the core
// (one host thread's share of the machine) that executes it. Internal to the simulator.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/base/instruction_counts.hpp"
#include "simulator/base/row_storage.hpp"
#include "simulator/execute/barrier_update.hpp"
#include "simulator/execute/contended_words.hpp"
#include "simulator/execute/giving_way.hpp"
#include "simulator/execute/launch_observations.hpp"
#include "simulator/execute/module_facts.hpp"
#include "simulator/execute/pattern_counts.hpp"
#include "simulator/execute/polling.hpp"
#include "simulator/execute/random_order.hpp"
#include "simulator/execute/row_prefetch.hpp"
#include "simulator/execute/tally.hpp"
#include "simulator/execute/unordered_reads.hpp"
#include "simulator/lanes/addresses.hpp"
#include "simulator/launch/access_log.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/memory/access_counts.hpp"
#include "simulator/memory/local_memory.hpp"
#include "simulator/native/machine.hpp"
#include "simulator/warp/micro_op.hpp"
#include "simulator/warp/reconvergence.hpp"

namespace heddle::simulator {

namespace native {
class Runs;
}
struct Core;
class MemoryJournal;
struct Step;
struct Warp;

// Executes an instruction that is not a lane operation. The current group's pc is already past it.
// `on` is the part of `active` whose guard holds; it may be empty.
using Execute = Flow (*)(Core& core, Warp& warp, const Step& step, Mask active, Mask on);

// Where the address of a memory instruction comes from.
struct AddressForm {
  enum class Base : std::uint8_t { none, low32, pair64 };
  Base base = Base::none;
  Base uniform = Base::none;
  std::uint8_t shift = 0;       // LDS .X4 and the like scale the register
  bool has_descriptor = false;  // uniform_row is of the pair that holds the cache policy
  RowOffset uniform_row = 0;
  std::int64_t offset = 0;
};

// Two cache lines.
struct alignas(kCacheLine) Step : MicroOp {
  Execute execute = nullptr;
  Mask widen{};  // all ones for uniform instructions: they write whole rows
  Pc target;     // branches
  AddressForm address;
  std::uint8_t width = 4;  // memory: bytes per thread
  bool sign_extend = false;
  std::uint8_t selector = 0;  // atomics: operation; others: the one modifier they look at
  std::uint8_t data_type = 0;
  // By threads, to any of the four memories (Reconvergence::memory_access); those behind which
  // others' accesses may have to come first (GivingWay): of shared memory, of global memory.
  static constexpr std::uint8_t kByThreads = 1, kOrderedShared = 2, kOrderedGlobal = 4;
  std::uint8_t accesses = 0;
};
static_assert(sizeof(Step) == 2 * kCacheLine);

// One 32-lane row of the launch's pool and where its value comes from.
struct PoolRow {
  bool is_constant = false;
  std::uint8_t bank = 0;
  std::uint32_t value = 0;  // immediate bits, or byte offset in the bank
};

// Every instruction of a module, made ready once per kernel (constant bank 2 is the kernel's own).
struct LoweredProgram {
  std::vector<Step> steps;    // as Program::instructions, and one more: the trap row faults
  std::vector<PoolRow> pool;  // the first kWidestOperand rows are zero
  std::vector<std::uint32_t> sections;       // where the code of each begins, in order
  std::unique_ptr<const ModuleFacts> facts;  // of a Module's
  // Null where the processor cannot execute it. Of a Module's.
  std::shared_ptr<native::Runs> native;
  // The rows of the last launch, whose memory the next one takes.
  mutable std::shared_ptr<RowStorage> last_rows;
};

// Rows of the widest operand, a matrix of doubles.
inline constexpr unsigned kWidestOperand = 16;

// A PC as native code writes it.
inline std::uint32_t* place_of(Pc& pc) { return reinterpret_cast<std::uint32_t*>(&pc); }

LoweredProgram lower(const isa::Program& program);
// What native code for a program is made of; it must stay where it is.
std::shared_ptr<native::Runs> make_native(const LoweredProgram& program);
// The module's instructions made ready to execute; done when first asked for.
const LoweredProgram& lowered(const Module& module);

// The highest rows that an instruction may read or write, of a warp's vector and of its uniform
// registers.
struct NamedRows {
  unsigned registers = 0, uniform_registers = 0;
};
NamedRows rows_named_by(const isa::Instruction& instruction);

struct ConstantBanks {
  std::array<std::vector<std::byte>, 5> banks;
  // `bytes` (1–8) at an offset, little endian; zero outside the bank.
  std::uint64_t read(unsigned bank, std::uint64_t offset, unsigned bytes) const;
};

class DeviceHeap;
class PrintfFifo;

struct LaunchContext {
  const LaunchRequest* request = nullptr;
  const LaunchOptions* options = nullptr;
  const GpuModel* model = nullptr;
  DeviceMemory* memory = nullptr;
  const Allocation* textures = nullptr;  // texture_table of the memory
  const LoweredProgram* program = nullptr;
  const KernelFacts* kernel = nullptr;
  std::shared_ptr<const RowStorage> pool;  // 32 words a row; those that the kernel reads are filled
  ConstantBanks constants;
  std::uint32_t entry = 0;        // instruction index
  std::uint32_t local_bytes = 0;  // per thread
  // Per block, from address 0 (sm_90: with the reserved part): what the launch asks for, and what
  // it can reach, which is in whole units of allocation.
  std::uint32_t shared_asked = 0, shared_bytes = 0;
  std::uint32_t warps_per_block = 0;
  std::uint64_t instruction_limit = 0;
  ReconvergencePolicy reconvergence = ReconvergencePolicy::barriers;
  bool patched = false;           // as reconvergence_by has it
  PrintfFifo* printed = nullptr;  // null: nobody is to see it
};

enum class BarrierReduction : std::uint8_t { count, all, any };  // as BAR.RED encodes them

struct BlockBarrier {
  std::uint32_t arrived_only = 0;  // threads counted by BAR.ARV
  std::uint32_t expected = 0;      // threads; 0: all of the block
  bool reducing = false;
  BarrierReduction reduction = BarrierReduction::count;
  std::uint32_t threads = 0, holding = 0;  // that took part in the reduction; whose predicate held
};

// Global memory that a warp reads in a loop which only a change of it can end.
struct AwaitedPlace {
  std::uint64_t block = 0;  // linear
  std::uint32_t warp = 0, pc = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::array<std::byte, 16> value{};  // of its first bytes, as last read
};

// What a call of printf reads: FormattedPrintf (device_printf.hpp) without what it makes of it.
struct PrintedText {
  std::uint32_t arguments = 0, characters = 0, string_characters = 0;
};

// Products that a warp has begun with the three others of its group. Each is complete when all four
// have come to it.
struct GroupProducts {
  static constexpr std::size_t kMostLeft = 8;  // groups of products that a wait can leave
  std::uint64_t begun = 0, groups = 0;
  std::array<std::uint64_t, kMostLeft> in_group{};  // up to the end of the last groups, in a ring

  void end_group() { in_group[groups++ % kMostLeft] = begun; }
  // How many products are complete when at most `left` groups are not.
  std::uint64_t awaited(std::uint64_t left) const {
    return groups <= left ? 0 : in_group[(groups - left - 1) % kMostLeft];
  }
};

struct Block;

struct Warp : WarpState {
  Block* block = nullptr;
  std::uint32_t index = 0;  // in its block
  std::unique_ptr<Reconvergence> convergence;
  Mask cluster_arrived{};  // at the cluster's barrier, which has not let them go yet
  // At the grid's barrier (simulator/execute/grid_barrier.hpp), which has not let them go yet; the
  // barrier's phase when they came.
  Mask grid_arrived{};
  std::uint32_t grid_phase = 0;
  bool may_spin = false;       // used its last turn to the end, and is to be looked at
  std::uint32_t gave_way = 0;  // turns that ended so (GivingWay), since the last block barrier
  // Since when it is held (hold): a cycle, or a number of instructions.
  std::optional<std::uint64_t> held_since;
  GroupProducts products;
  std::uint32_t registers = 0;  // of each of its threads (setmaxnreg)
};

struct Cluster;  // simulator/execute/cluster.hpp

struct Block {
  std::uint64_t linear = 0;
  std::uint32_t sm = 0;              // %smid
  std::shared_ptr<Cluster> cluster;  // null where the launch has none
  std::uint32_t rank = 0;            // in its cluster
  bool at_cluster_barrier = false;   // some of its threads have arrived there
  Dim3 index{0, 0, 0};
  std::vector<Warp, BigPageAllocator<Warp, Fresh::anything>> warps;
  RowStorage rows;
  std::vector<std::byte> shared;
  LocalStorage local;
  bool at_grid_barrier = false;  // all of its threads have arrived there
  std::array<BlockBarrier, 16> barriers;
  std::uint32_t awaited_barriers = 0;  // a bit for each at which threads may wait
  std::uint64_t barriers_completed = 0;
  struct BarrierResult {
    std::uint32_t word = 0;
    bool holds = false;  // for all of the threads, or for any
  };
  std::vector<BarrierResult> results;  // per warp, for B2R.RESULT
  std::uint64_t spare_registers = 0;   // that warps have given away (setmaxnreg)
  // Tensor memory, lane by lane; empty until columns of it are taken. Which are: a bit for 32.
  std::vector<std::uint32_t> tensor_cells;
  std::uint32_t tensor_columns = 0;
  bool finished() const;
};

// Warp instructions a warp may issue before another of its block gets the core. Behind a block
// barrier all its warps issue a few before one goes far: on hardware they go on side by side, and
// programs run there whose warps read a shared variable behind the barrier that one of them soon
// overwrites (`if (t == 0) next = fetch(); __syncthreads(); mine = next;` in a loop).
inline constexpr std::uint64_t kWarpTurn = 1 << 15;
inline constexpr std::uint64_t kTurnBehindBarrier = 16;

// Where constant bank 0 lies for code that takes the addresses of parameters (__grid_constant__): a
// window of the generic address space that only the launch itself sees. Nobody may write there.
inline constexpr std::uint64_t kParameterWindow = 0x3'0000'0000;
constexpr bool is_parameter(std::uint64_t address) {
  return address >> 32 == kParameterWindow >> 32;
}

// The blocks of a launch that have not begun, or the clusters where it has those.
class WaitingBlocks {
 public:
  virtual ~WaitingBlocks() = default;
  // The number of the first of them, which then never begins; nothing: all have.
  virtual std::optional<std::uint64_t> cancel_next() = 0;
};

struct Core : native::Machine {
  explicit Core(const LaunchContext& launch_context);

  const LaunchContext& launch;
  // From a warp's rows to those of the next one in its block.
  const std::size_t rows_per_warp;
  const MakeReconvergence make_reconvergence;
  const lanes::AddressFunctions& address_functions = lanes::address_functions();
  Tally counts;
  RowPrefetch prefetch;
  PatternCounts pattern_counts;
  std::optional<Fault> fault;
  // When blocks of the launch run on other threads at the same time; null otherwise. Set by tell().
  AccessLog* log = nullptr;
  // Of a launch whose other blocks may be executed on other threads later; else null.
  std::unique_ptr<ContendedWords> contended;
  // Memory that the instruction being executed has touched, when `observed`.
  bool observed = false;
  std::vector<Access> accesses;
  // Whether others look at registers that no instruction has written to: they are zero then.
  bool shows_registers = false;
  // Null where requests to cancel a block are refused: where its owner decides when blocks begin.
  WaitingBlocks* waiting = nullptr;
  MemoryJournal* journal = nullptr;  // told of global memory before it changes
  Seen seen;
  std::shared_ptr<DeviceHeap> heap;  // from the first call of malloc or free on
  bool conflicted = false;           // the launch stops and runs again on one thread
  // All blocks only wait: warps are looked at for loops without an end, and what those of them
  // read that spin is noted.
  bool look_closely = false;
  // Nothing gets on any more: waits that a GPU gives up after some time end at once.
  bool ends_waits = false;
  std::vector<AwaitedPlace> awaited;
  const std::uint64_t* cycle = nullptr;  // what clocks read, when the launch is timed
  // Then: what barriers are to learn of the instruction executed last, and the bytes of a row of
  // the box that it has copied; 0: it was no box.
  std::vector<BarrierUpdate> updates;
  std::uint32_t copied_row = 0;
  PrintedText printed;                  // by its first lane, if it has called printf
  Polling polling;                      // of this warp, in this turn
  GivingWay giving_way;                 // the same
  std::unique_ptr<RandomOrder> random;  // where the order of warps and blocks is; else null
  // Of a launch that could have reads whose value depends on time; else null.
  std::unique_ptr<UnorderedReads> unordered_reads;
  std::uint64_t instruction_limit = ~std::uint64_t{0};  // of `issued`, for the whole launch

  void start_block(Block& block, std::uint64_t linear) const;
  // waiting: all that its warps do is wait (simulator/execute/polling.hpp). spinning: every warp
  // that could run goes round in a loop that changes nothing.
  enum class Turn : std::uint8_t { finished, out_of_time, waiting, stuck, spinning, stopped };
  // Runs a block until it ends, waits for something outside, or has issued `quantum` instructions.
  // Its warps take turns of at most `longest_turn`.
  Turn run_block(Block& block, std::uint64_t quantum, std::uint64_t longest_turn = kWarpTurn);
  // Whether turns are drawn at random now. Now and then they are not, so that loops without an end
  // are found.
  bool draws_turns() const { return random != nullptr && !look_closely && !looks_now_and_then(); }
  // The warp's turn begins, or ends: where it gives way to others of its block.
  void begin_giving_way(Warp& warp) {
    if (warp.convergence->released_by_block()) warp.gave_way = 0;
    giving_way.begin_turn(warp.block->warps.size() > 1 && random == nullptr, warp.gave_way);
  }
  void end_giving_way(Warp& warp) const { warp.gave_way += giving_way.gave() ? 1 : 0; }
  // Executes one instruction of the warp's current group (it must have one): for who decides
  // himself which warp goes next. `accesses` of the result stays valid until the next step.
  // Afterwards a warp that has ended needs check_block_barriers.
  Issue step(Warp& warp, Observer* observer = nullptr);
  // For the same, where nobody observes: executes at once what the warp's current group does up to
  // `end`, all of which touches only registers and predicates; less where the group is to halt. All
  // is counted, but not as issued. Returns where it stands then, which is behind at least one.
  std::uint32_t compute(Warp& warp, std::uint32_t end);

  // Records a fault of the instruction the warp is at; returns Flow::stop.
  Flow raise(Fault::Kind kind, const Warp& warp, const Step& step, Mask lanes,
             std::uint64_t address, std::string details);
  // The instruction read memory that others may be writing, and changed none.
  void look_at_others() {
    if (polling.look(issued, stored_at)) issue_limit = issued;
  }
  // It is about to access memory.
  void before_access(const Step& step, Reconvergence& lanes) {
    if ((step.accesses & Step::kByThreads) != 0) lanes.memory_access();
    if (step.accesses > Step::kByThreads &&
        giving_way.access((step.accesses & Step::kOrderedShared) != 0))
      issue_limit = issued;
  }
  Flow stop_for_conflict() {
    conflicted = true;
    return Flow::stop;
  }
  Pc pc_of(const Step& step) const {
    return Pc(static_cast<std::uint32_t>(&step - launch.program->steps.data()));
  }
  InstructionCounts& counts_of(const Step& step) { return counts[pc_of(step)]; }

  // Allocations may have come and gone.
  void forget_allocations();
  // From now on accesses to global memory are told there.
  void tell(AccessLog* of);
  // Whether nobody is to know of loads from there. (There is a log.)
  bool reads_freely(std::uint64_t address, std::uint64_t bytes);
  // Notes a load, or a store, itself. False: the log is to be told.
  bool note(AccessKind kind, std::uint64_t address, std::uint64_t bytes);
  // The log has been told of a use of an allocation.
  void take_notes_of(std::uint64_t address);
  // The same, or null outside of allocations.
  std::byte* resolve_allocated(std::uint64_t address, std::uint64_t bytes);
  // A view of plain memory at an address, or null; remembers the allocations last found. Outside of
  // them kernels reach what simulator/memory/mapped_around.hpp says; that is counted.
  std::byte* resolve(std::uint64_t address, std::uint64_t bytes) {
    std::byte* const there = resolve_known(address, bytes);
    return there != nullptr ? there : resolve_slowly(address, bytes);
  }
  // Null also where it lies in an allocation that was not found just before.
  std::byte* resolve_known(std::uint64_t address, std::uint64_t bytes) const {
    for (const Known& each : known)
      if (each.contains(address, bytes)) return each.data + (address - each.start);
    return nullptr;
  }

  // Of memory that was resolved: the program may have registered it for reading alone, or have
  // taken the right to write away.
  bool may_write(std::uint64_t address, std::uint64_t bytes) {
    if (is_parameter(address)) return false;
    return address - registered_.start >= registered_.bytes || may_write_there(address, bytes);
  }
  bool guards_writes() const { return registered_.bytes != 0; }

  // What native code finds there.
  native::AccessPattern& pattern_of(Pc pc, unsigned phase) {
    return patterns[phase * kPatterns + pc % kPatterns];
  }
  void make_patterns();

  // Whether somebody is to know of each lane's access, beyond what is counted.
  bool notes_accesses() const {
    return observed || (unordered_reads != nullptr && !unordered_reads->found());
  }

 private:
  // What the turns of a block's warps came to.
  struct Round {
    bool spun = true;      // no warp has got anywhere, since the block's turn began
    bool all_wait = true;  // nor in this round
  };
  bool take_turn(Warp& warp, std::uint64_t end, std::uint64_t longest, Round& round);
  std::uint64_t turn_length(const Warp& warp, std::uint64_t longest);
  std::span<const std::uint32_t> order_of_warps(const Block& block);
  bool may_look_for_spinning() const;
  // Ever more seldom.
  bool looks_now_and_then() const {
    constexpr std::uint64_t kFirst = 1 << 24, kStretch = 1 << 22;
    return issued >= kFirst && issued - std::bit_floor(issued) < kStretch;
  }
  std::vector<std::uint32_t> order_;  // of the block's warps, in this round
  bool run_warp(Warp& warp);
  bool run_stretches(Warp& warp);
  std::uint32_t execute_region(Warp& warp, Pc first, Mask active, const void* place);
  const Step* execute_run(Warp& warp, const Step* step, const Step* end, Mask active);
  const Step* interpret_run(Warp& warp, const Step* step, const Step* end, Mask active);
  bool run_warp_turn(Warp& warp);
  bool replay(Warp& warp);
  bool run_warp_observed(Warp& warp, Observer& observer);
  void run_left_out(Warp& warp, Observer& observer);
  // `threads` are active, `all_on`: all of them with the guard true.
  void count(Pc pc, unsigned threads, Mask on, bool all_on) {
    InstructionCounts& sums = counts[pc];
    ++issued;
    ++sums.executed;
    sums.threads += threads;
    sums.threads_on += all_on ? threads : on.count();
  }
  std::unique_ptr<native::AccessPattern[]> patterns_;
  mutable RowsAmongOthers rows_of_blocks_;  // where warps lie close together
  native::Runs* native_ = nullptr;          // null: lane functions alone
  bool enters_regions_ = false;             // of native code
  std::span<const std::uint8_t> left_out_;  // the observer's
  std::byte* resolve_slowly(std::uint64_t address, std::uint64_t bytes);
  bool may_write_there(std::uint64_t address, std::uint64_t bytes);
  std::size_t next_known_ = 0;   // whose place the next one found takes
  Known registered_, writable_;  // what may be the program's own; what of it was found writable
};

// Instruction families: each returns the function that executes an instruction, and fills the
// fields of `step` that it needs; null when the instruction is not of the family or has a form that
// is not implemented.
Execute lower_control(const isa::Instruction& instruction, Step& step, std::uint32_t index,
                      std::uint32_t end);
Execute lower_convergence(const isa::Instruction& instruction, Step& step);
Execute lower_memory(const isa::Instruction& instruction, Step& step);
Execute lower_copy(const isa::Instruction& instruction, Step& step);
Execute lower_atomic(const isa::Instruction& instruction, Step& step);
Execute lower_special(const isa::Instruction& instruction, Step& step);
Execute lower_texture(const isa::Instruction& instruction, Step& step);
Execute lower_block_barrier(const isa::Instruction& instruction, Step& step);
Execute lower_cluster(const isa::Instruction& instruction, Step& step);
Execute lower_mbarrier(const isa::Instruction& instruction, Step& step);
Execute lower_warpgroup(const isa::Instruction& instruction, Step& step);
// A jump to step.target whose lanes are chosen by its guard alone.
bool is_plain_branch(const Step& step);
Flow execute_unsupported(Core& core, Warp& warp, const Step& step, Mask active, Mask on);
Flow execute_undecodable(Core& core, Warp& warp, const Step& step, Mask active, Mask on);
Flow execute_open_collective(Core& core, Warp& warp, const Step& step, Mask active, Mask on);
Flow execute_past_end(Core& core, Warp& warp, const Step& step, Mask active, Mask on);
// Lets go what an exit completed: threads that ended are no longer waited for.
void check_block_barriers(Block& block);
// The warp is held at the instruction and comes to it again later, as if it had not come to it yet.
Flow hold(Core& core, Warp& warp, const Step& step, Mask active, Mask on);
// What an instruction that holds its warp waits for, in words; of others nothing.
std::string held_by_group(const Warp& warp, const Step& step);
std::string held_by_mbarrier(const Core& core, const Warp& warp, const Step& step);
// Whether other lanes of the warp, apart from the current group, could go on.
bool others_can_go_on(const Warp& warp);
Flow call_builtin(Core& core, Warp& warp, const Step& step, Mask lanes, std::uint64_t code_address);

}  // namespace heddle::simulator
