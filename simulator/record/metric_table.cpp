// The rows. To add a metric, add a row here; tests/metrics_test.cpp checks every row.
#include <algorithm>
#include <iterator>
#include <vector>

#include "isa/attributes.hpp"
#include "simulator/launch/launch_facts.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/timing_rows.hpp"

namespace heddle::simulator {
namespace {

using Ins = isa::Instruction;
using Counts = InstructionCounts;
using Access = isa::MemoryAccess::Kind;
using isa::Space;

using Of = isa::MemoryAccess::Of;

constexpr std::uint64_t kWavefrontBytes = 128;  // that one pass of shared memory can move

// What counts as an access: operations on mbarriers do not, nor does what is not each thread's.
isa::MemoryAccess access_of(const Ins& ins) {
  const isa::MemoryAccess access = isa::memory_access(ins);
  return access.by_threads() && access.of != Of::barrier ? access : isa::MemoryAccess{};
}
bool is(const Ins& ins, Of of) { return isa::memory_access(ins).of == of; }

// Executions in which a lane went to a space: not those whose guard held for no lane (H200 record
// of bank_conflicts, @P0 STS), nor those whose generic addresses lie elsewhere.
std::uint64_t in_space(const Ins& ins, const Counts& counts, Space space) {
  const Space named = access_of(ins).space;
  if (named != space && named != Space::generic) return 0;
  switch (space) {
    case Space::global:
      return counts.global;
    case Space::shared:
      return counts.shared;
    case Space::local:
      return counts.local;
    default:
      return 0;
  }
}

bool is(const Ins& ins, Access access) { return access_of(ins).kind == access; }

// Instructions that go to another place: not BSYNC, EXIT or WARPSYNC, which the metrics leave out
// (docs/hardware/branch-metrics.md).
bool is_branch(const Ins& ins) {
  switch (isa::effect(ins)) {
    case isa::Effect::branch:
    case isa::Effect::indirect_branch:
    case isa::Effect::call:
    case isa::Effect::ret:
      return true;
    case isa::Effect::warp_sync:  // .EXCLUSIVE (H200 record of group_tiles)
      return isa::is_exclusive(ins);
    default:
      return false;
  }
}

// Products of warp groups read one factor or both from shared memory, and count as loads, though
// not as loads from shared memory (docs/experiments/warpgroup-probe.md).
bool is_group_product(const Ins& ins) {
  switch (ins.op) {
    case isa::Op::HGMMA:
    case isa::Op::IGMMA:
    case isa::Op::QGMMA:
    case isa::Op::BGMMA:
      return true;
    default:
      return false;
  }
}
std::uint64_t group_products(const Ins& ins, const Counts& counts) {
  return is_group_product(ins) ? counts.executed : 0;
}

template <Space space>
std::uint64_t executions(const Ins& ins, const Counts& counts) {
  const std::uint64_t products = space == Space::shared ? group_products(ins, counts) : 0;
  return in_space(ins, counts, space) + products;
}
template <Space space, Access access>
std::uint64_t executions(const Ins& ins, const Counts& counts) {
  return is(ins, access) ? in_space(ins, counts, space) : 0;
}
// The spaces the metrics mean by "memory": constants, textures and surfaces have metrics of their
// own or none (H200 records of the suite: LDC counts in none of them).
bool is_memory(const Ins& ins) {
  switch (access_of(ins).space) {
    case Space::generic:
    case Space::global:
    case Space::shared:
    case Space::local:
      return true;
    default:
      return false;
  }
}
// LDSM and STSM have metrics of their own, and count as no load from or store to shared memory
// (H200 records of programs that multiply matrices).
std::uint64_t shared_loads(const Ins& ins, const Counts& counts) {
  return is(ins, Of::rows) ? 0 : executions<Space::shared, Access::load>(ins, counts);
}
std::uint64_t shared_stores(const Ins& ins, const Counts& counts) {
  return is(ins, Of::rows) ? 0 : executions<Space::shared, Access::store>(ins, counts);
}
template <Access access>
std::uint64_t executions(const Ins& ins, const Counts& counts) {
  if (is(ins, Of::counted))
    return isa::memory_access(ins).kind == access && access == Access::store ? counts.executed : 0;
  if (access == Access::load && is_group_product(ins)) return counts.executed;
  return is_memory(ins) && is(ins, access) ? counts.executed : 0;
}
// Of rows of matrices.
template <Access access>
std::uint64_t rows(const Ins& ins, const Counts& counts) {
  return is(ins, Of::rows) && is(ins, access) ? counts.executed : 0;
}
// Where it copies something: an execution whose lanes' guards do not hold counts in none of
// these (H200 records of matrix products that copy behind their last tile).
std::uint64_t copies(const Ins& ins, const Counts& counts) {
  return is(ins, Access::copy) ? counts.shared : 0;
}
// That leaves the data in L1 (`through`), or .BYPASS.
template <bool through>
std::uint64_t copies(const Ins& ins, const Counts& counts) {
  return isa::copies_through_l1(ins) == through ? copies(ins, counts) : 0;
}
// Cache policies that the program made itself.
template <std::uint64_t Counts::*sum>
std::uint64_t policy(const Ins&, const Counts& counts) {
  return counts.*sum;
}
std::uint64_t any_policy(const Ins&, const Counts& counts) {
  return counts.hit_normal + counts.hit_first + counts.hit_last + counts.hit_demote;
}
std::uint64_t miss_normal(const Ins& ins, const Counts& counts) {
  return any_policy(ins, counts) - counts.miss_first;
}
// Bulk instructions by where they write and read, .G or .S: executions whose guard held (an H200's
// record of bulk_copies). All of them touch shared memory.
template <Access access, bool to_shared, bool from_shared>
std::uint64_t bulk(const Ins& ins, const Counts& counts) {
  if (!is(ins, Of::bulk) || isa::memory_access(ins).kind != access) return 0;
  return (ins.mod(isa::Mod::to_shared) != 0) == to_shared &&
                 (ins.mod(isa::Mod::from_shared) != 0) == from_shared
             ? counts.shared
             : 0;
}
// Copies of boxes of tensors count as bulk copies do (H200 record of a product by tensor
// descriptors).
template <isa::Op box, Access access, bool to_shared, bool from_shared>
std::uint64_t bulk_or_box(const Ins& ins, const Counts& counts) {
  return ins.op == box ? counts.shared : bulk<access, to_shared, from_shared>(ins, counts);
}
std::uint64_t any_bulk(const Ins& ins, const Counts& counts) {
  const bool box =
      ins.op == isa::Op::UTMALDG || ins.op == isa::Op::UTMASTG || ins.op == isa::Op::UTMAREDG;
  return box || is(ins, Of::bulk) ? counts.shared : 0;
}
// Stores and reductions that a barrier counts: the same record counts them by their width and as
// accesses of another block's memory, the stores as stores too; as accesses of shared memory not.
bool is_async_store(const Ins& ins) { return is(ins, Of::counted); }
// Where a lane went to the shared memory of another block, or the instruction itself means that.
std::uint64_t dshared(const Ins& ins, const Counts& counts) {
  if (is(ins, Of::bulk))
    return ins.mod(isa::Mod::to_shared) != 0 && ins.mod(isa::Mod::from_shared) != 0 ? counts.shared
                                                                                    : 0;
  return is_async_store(ins) ? counts.executed : counts.dshared;
}
template <Access access>
std::uint64_t dshared(const Ins& ins, const Counts& counts) {
  return is(ins, access) ? counts.dshared : 0;
}
std::uint64_t texture(const Ins& ins, const Counts& counts) {
  return access_of(ins).space == Space::texture ? counts.executed : 0;
}
template <unsigned bits>
std::uint64_t of_width(const Ins& ins, const Counts& counts) {
  // Rows are of 16 bytes, however many.
  const unsigned bytes = is(ins, Of::rows) ? 16 : isa::access_bytes(ins);
  return (is_memory(ins) || is_async_store(ins)) && bytes * 8 == bits ? counts.executed : 0;
}
// One member of the sums, for every instruction or for one kind of access.
template <std::uint64_t Counts::*member>
std::uint64_t all(const Ins&, const Counts& counts) {
  return counts.*member;
}
template <std::uint64_t Counts::*first, std::uint64_t Counts::*second>
std::uint64_t sum(const Ins&, const Counts& counts) {
  return counts.*first + counts.*second;
}

std::uint64_t threads_on_by_hardware(const Ins&, const Counts& counts) {
  return counts.threads_on + counts.extra_threads - counts.threads_kept;
}
template <std::uint64_t Counts::*member, Access access>
std::uint64_t when(const Ins& ins, const Counts& counts) {
  return is(ins, access) ? counts.*member : 0;
}
template <Space space>
std::uint64_t threads_on_in(const Ins& ins, const Counts& counts) {
  if (is(ins, Access::copy)) return 0;  // has metrics of its own
  const Space named = access_of(ins).space;
  if (named == space) return counts.threads_on;
  if (named != Space::generic) return 0;
  return space == Space::global ? counts.threads_global : counts.threads_shared;
}
std::uint64_t threads_on_in_shared(const Ins& ins, const Counts& counts) {
  return is_group_product(ins) ? counts.threads_on : threads_on_in<Space::shared>(ins, counts);
}
std::uint64_t branches(const Ins& ins, const Counts& counts) {
  return is_branch(ins) ? counts.executed : 0;
}
std::uint64_t branch_threads(const Ins& ins, const Counts& counts) {
  return is_branch(ins) ? counts.threads : 0;
}
// Wavefronts beyond one per execution of an access without conflicts.
template <Access access>
std::uint64_t bank_conflicts(const Ins& ins, const Counts& counts) {
  const std::uint64_t ideal = counts.wavefronts_shared_ideal;
  if (!is(ins, access) || counts.wavefronts_shared < ideal) return 0;
  return counts.wavefronts_shared - ideal;
}

// Bytes that threads asked of shared memory. A row of LDSM or STSM is asked for whole.
std::uint64_t shared_bytes(const Ins& ins, const Counts& counts) {
  if (is(ins, Of::rows) || is_group_product(ins))
    return counts.wavefronts_shared_ideal * kWavefrontBytes;
  if (is(ins, Access::copy)) return 0;
  return threads_on_in<Space::shared>(ins, counts) * isa::access_bytes(ins);
}

// Threads with a true guard, of floating-point arithmetic of the given width in bits.
template <unsigned bits>
std::uint64_t floating(const Ins& ins, const Counts& counts) {
  const isa::Facts& facts = isa::facts(ins.op);
  return facts.type.is_float() && facts.type.bits == bits && facts.work != isa::Work::product &&
                 facts.work != isa::Work::convert
             ? counts.threads_on
             : 0;
}
// Operations of one kind: each thread's, and of packed numbers each number's.
template <unsigned bits, isa::Work work>
std::uint64_t operations(const Ins& ins, const Counts& counts) {
  const isa::Facts& facts = isa::facts(ins.op);
  return facts.work == work ? floating<bits>(ins, counts) * facts.type.count : 0;
}
// All of them; a multiply-add is two.
template <unsigned bits>
std::uint64_t operations(const Ins& ins, const Counts& counts) {
  return operations<bits, isa::Work::add>(ins, counts) +
         operations<bits, isa::Work::multiply>(ins, counts) +
         2 * operations<bits, isa::Work::multiply_add>(ins, counts);
}
std::uint64_t special(const Ins& ins, const Counts& counts) {
  return isa::facts(ins.op).work == isa::Work::special ? counts.threads_on : 0;
}
std::uint64_t integers(const Ins& ins, const Counts& counts) {
  const isa::Facts& facts = isa::facts(ins.op);
  return facts.type.is_integer() && facts.work != isa::Work::none &&
                 facts.work != isa::Work::convert && facts.work != isa::Work::exchange &&
                 facts.work != isa::Work::product && facts.work != isa::Work::move &&
                 facts.work != isa::Work::read_special
             ? counts.threads_on
             : 0;
}
std::uint64_t conversions(const Ins& ins, const Counts& counts) {
  return isa::facts(ins.op).work == isa::Work::convert ? counts.threads_on : 0;
}
std::uint64_t memory_threads(const Ins& ins, const Counts& counts) {
  return access_of(ins).kind != Access::none ? counts.threads_on : 0;
}
std::uint64_t control_threads(const Ins& ins, const Counts& counts) {
  return is_branch(ins) || isa::effect(ins) == isa::Effect::exit ? counts.threads_on : 0;
}

constexpr double kSectorBytes = 32;
constexpr double kPercent = 100;

// clang-format off
constexpr Metric kMetrics[] = {
    // Instructions and threads.
    {.name = "smsp__sass_inst_executed.sum", .nvprof = "inst_executed", .unit = "inst",
     .meaning = "warp instructions executed", .amount = all<&Counts::executed>},
    {.name = "smsp__sass_thread_inst_executed.sum", .nvprof = "thread_inst_executed", .unit = "inst",
     .meaning = "thread instructions executed: active threads, summed over warp instructions",
     .amount = all<&Counts::threads>},
    {.name = "smsp__sass_thread_inst_executed_pred_on.sum", .nvprof = "not_predicated_off_thread_inst_executed",
     .unit = "inst", .meaning = "thread instructions whose guard predicate was true",
     .amount = all<&Counts::threads_on>},
    {.name = "smsp__inst_executed.sum", .unit = "inst", .meaning = "warp instructions executed, as the hardware's counter counts them: it adds some at "
     "WARPSYNC and at indirect branches", .counter = true, .amount = sum<&Counts::executed, &Counts::extra_executed>},
    {.name = "smsp__thread_inst_executed.sum", .unit = "inst", .meaning = "thread instructions executed, as the hardware's counter counts them",
     .counter = true, .amount = sum<&Counts::threads, &Counts::extra_threads>},
    {.name = "smsp__thread_inst_executed_pred_on.sum", .unit = "inst", .meaning = "thread instructions whose guard predicate was true, as the "
     "hardware's counter counts them: of a conditional branch, only threads that jump", .counter = true,
     .amount = threads_on_by_hardware},
    {.name = "smsp__thread_inst_executed_per_inst_executed.pct", .nvprof = "warp_execution_efficiency",
     .unit = "%", .meaning = "active threads as a share of a warp's 32, averaged over warp instructions",
     .of = "smsp__sass_thread_inst_executed.sum", .per = "smsp__sass_inst_executed.sum", .scale = kPercent / kWarpSize},
    {.name = "smsp__thread_inst_executed_pred_on_per_inst_executed.pct", .nvprof = "warp_nonpred_execution_efficiency",
     .unit = "%", .meaning = "threads with a true guard predicate as a share of a warp's 32, averaged over warp instructions",
     .of = "smsp__sass_thread_inst_executed_pred_on.sum", .per = "smsp__sass_inst_executed.sum", .scale = kPercent / kWarpSize},

    // Branches.
    {.name = "smsp__sass_branch_targets.sum", .nvprof = "branch", .unit = "branch",
     .meaning = "branch executions by a warp, uniform and divergent", .of = "smsp__sass_branch_targets_threads_uniform.sum",
     .plus = "smsp__sass_branch_targets_threads_divergent.sum"},
    {.name = "smsp__sass_branch_targets_threads_uniform.sum", .unit = "branch",
     .meaning = "branch executions after which all active threads took the same side",
     .amount = all<&Counts::branch_uniform>},
    {.name = "smsp__sass_branch_targets_threads_divergent.sum", .nvprof = "divergent_branch", .unit = "branch",
     .meaning = "branch executions after which active threads took different sides",
     .amount = all<&Counts::branch_divergent>},
    {.name = "smsp__sass_average_branch_targets_threads_uniform.pct", .nvprof = "branch_efficiency", .unit = "%",
     .meaning = "share of uniform branch executions", .of = "smsp__sass_branch_targets_threads_uniform.sum",
     .per = "smsp__sass_branch_targets.sum", .scale = kPercent, .nvprof_when_empty = 100},
    {.name = "smsp__sass_inst_executed_op_branch.sum", .unit = "inst",
     .meaning = "BRA, BRX, JMP, JMX, CALL, RET and WARPSYNC.EXCLUSIVE executed, counted per warp", .amount = branches},
    {.name = "smsp__sass_thread_inst_executed_op_branch.sum", .unit = "inst",
     .meaning = "BRA, BRX, JMP, JMX, CALL, RET and WARPSYNC.EXCLUSIVE executed, counted per thread", .amount = branch_threads},

    // Memory instructions by space and kind.
    {.name = "smsp__sass_inst_executed_op_global.sum", .unit = "inst",
     .meaning = "instructions that accessed global memory", .amount = executions<Space::global>},
    {.name = "smsp__sass_inst_executed_op_global_ld.sum", .nvprof = "inst_executed_global_loads", .unit = "inst",
     .meaning = "loads from global memory", .amount = executions<Space::global, Access::load>},
    {.name = "smsp__sass_inst_executed_op_global_st.sum", .nvprof = "inst_executed_global_stores", .unit = "inst",
     .meaning = "stores to global memory", .amount = executions<Space::global, Access::store>},
    {.name = "smsp__sass_inst_executed_op_global_atom.sum", .nvprof = "inst_executed_global_atomics", .unit = "inst",
     .meaning = "atomics on global memory that return a value", .amount = executions<Space::global, Access::atomic>},
    {.name = "smsp__sass_inst_executed_op_global_red.sum", .nvprof = "inst_executed_global_reductions", .unit = "inst",
     .meaning = "atomics on global memory that return no value", .amount = executions<Space::global, Access::reduction>},
    {.name = "smsp__sass_inst_executed_op_shared.sum", .unit = "inst",
     .meaning = "instructions that accessed shared memory", .amount = executions<Space::shared>},
    {.name = "smsp__sass_inst_executed_op_shared_ld.sum", .nvprof = "inst_executed_shared_loads", .unit = "inst",
     .meaning = "loads from shared memory", .amount = shared_loads},
    {.name = "smsp__sass_inst_executed_op_shared_st.sum", .nvprof = "inst_executed_shared_stores", .unit = "inst",
     .meaning = "stores to shared memory", .amount = shared_stores},
    {.name = "smsp__sass_inst_executed_op_shared_atom.sum", .nvprof = "inst_executed_shared_atomics", .unit = "inst",
     .meaning = "atomics on shared memory", .amount = executions<Space::shared, Access::atomic>},
    {.name = "smsp__sass_inst_executed_op_local.sum", .unit = "inst",
     .meaning = "instructions that accessed local memory", .amount = executions<Space::local>},
    {.name = "smsp__sass_inst_executed_op_local_ld.sum", .nvprof = "inst_executed_local_loads", .unit = "inst",
     .meaning = "loads from local memory", .amount = executions<Space::local, Access::load>},
    {.name = "smsp__sass_inst_executed_op_local_st.sum", .nvprof = "inst_executed_local_stores", .unit = "inst",
     .meaning = "stores to local memory", .amount = executions<Space::local, Access::store>},
    {.name = "smsp__sass_inst_executed_op_ld.sum", .unit = "inst",
     .meaning = "loads from global, shared and local memory", .amount = executions<Access::load>},
    {.name = "smsp__sass_inst_executed_op_st.sum", .unit = "inst",
     .meaning = "stores to global, shared and local memory", .amount = executions<Access::store>},
    {.name = "smsp__sass_inst_executed_op_atom.sum", .unit = "inst",
     .meaning = "atomics that return a value", .amount = executions<Access::atomic>},
    {.name = "smsp__sass_inst_executed_op_ldgsts.sum", .unit = "inst",
     .meaning = "asynchronous copies from global to shared memory", .amount = copies},
    {.name = "smsp__sass_inst_executed_op_ldsm.sum", .unit = "inst",
     .meaning = "matrix loads from shared memory", .amount = rows<Access::load>},
    {.name = "smsp__sass_inst_executed_op_shared_stsm.sum", .unit = "inst",
     .meaning = "matrix stores to shared memory", .amount = rows<Access::store>},
    {.name = "smsp__sass_inst_executed_op_ldgsts_cache_access.sum", .unit = "inst",
     .meaning = "asynchronous copies that also cache the data in L1", .amount = copies<true>},
    {.name = "smsp__sass_inst_executed_op_ldgsts_cache_bypass.sum", .unit = "inst",
     .meaning = "asynchronous copies that bypass L1", .amount = copies<false>},
    {.name = "smsp__sass_inst_executed_op_texture.sum", .unit = "inst",
     .meaning = "texture instructions", .amount = texture},
    {.name = "smsp__sass_inst_executed_op_dshared.sum", .unit = "inst",
     .meaning = "instructions that accessed the shared memory of another block of the cluster", .amount = dshared},
    {.name = "smsp__sass_inst_executed_op_dshared_ld.sum", .unit = "inst",
     .meaning = "loads from the shared memory of another block", .amount = dshared<Access::load>},
    {.name = "smsp__sass_inst_executed_op_dshared_st.sum", .unit = "inst",
     .meaning = "stores to the shared memory of another block", .amount = dshared<Access::store>},
    {.name = "smsp__sass_inst_executed_op_dshared_atom.sum", .unit = "inst",
     .meaning = "atomics on the shared memory of another block", .amount = dshared<Access::atomic>},
    {.name = "smsp__sass_inst_executed_op_dshared_tma_st.sum", .unit = "inst",
     .meaning = "bulk copies to the shared memory of another block",
     .amount = bulk<Access::copy, true, true>},
    {.name = "smsp__sass_inst_executed_op_dshared_tma_red.sum", .unit = "inst",
     .meaning = "bulk reductions to the shared memory of another block",
     .amount = bulk<Access::reduction, true, true>},
    {.name = "smsp__sass_inst_executed_op_shared_gmma.sum", .unit = "inst",
     .meaning = "matrix instructions that read shared memory", .amount = group_products},
    {.name = "smsp__sass_inst_executed_op_tma.sum", .unit = "inst",
     .meaning = "bulk copies and reductions", .amount = any_bulk},
    {.name = "smsp__sass_inst_executed_op_tma_ld.sum", .unit = "inst",
     .meaning = "bulk copies from global memory", .amount = bulk_or_box<isa::Op::UTMALDG, Access::copy, true, false>},
    {.name = "smsp__sass_inst_executed_op_tma_st.sum", .unit = "inst",
     .meaning = "bulk copies to global memory", .amount = bulk_or_box<isa::Op::UTMASTG, Access::copy, false, true>},
    {.name = "smsp__sass_inst_executed_op_tma_red.sum", .unit = "inst",
     .meaning = "bulk reductions to global memory", .amount = bulk_or_box<isa::Op::UTMAREDG, Access::reduction, false, true>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit.sum", .unit = "inst",
     .meaning = "accesses with a cache policy that the program created", .amount = any_policy},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_first.sum", .unit = "inst",
     .meaning = "accesses whose policy on a hit is evict first",
     .amount = policy<&Counts::hit_first>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_last.sum", .unit = "inst",
     .meaning = "accesses whose policy on a hit is evict last",
     .amount = policy<&Counts::hit_last>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal.sum", .unit = "inst",
     .meaning = "accesses whose policy on a hit is evict normal",
     .amount = policy<&Counts::hit_normal>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal_demote.sum", .unit = "inst",
     .meaning = "accesses whose policy on a hit is evict normal demote",
     .amount = policy<&Counts::hit_demote>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_missprop_evict_first.sum", .unit = "inst",
     .meaning = "accesses whose policy on a miss is evict first",
     .amount = policy<&Counts::miss_first>},
    {.name = "smsp__sass_inst_executed_memdesc_explicit_missprop_evict_normal.sum", .unit = "inst",
     .meaning = "accesses whose policy on a miss is evict normal", .amount = miss_normal},
    {.name = "smsp__sass_inst_executed_op_memory_8b.sum", .unit = "inst",
     .meaning = "memory instructions of 8 bits per thread", .amount = of_width<8>},
    {.name = "smsp__sass_inst_executed_op_memory_16b.sum", .unit = "inst",
     .meaning = "memory instructions of 16 bits per thread", .amount = of_width<16>},
    {.name = "smsp__sass_inst_executed_op_memory_32b.sum", .unit = "inst",
     .meaning = "memory instructions of 32 bits per thread", .amount = of_width<32>},
    {.name = "smsp__sass_inst_executed_op_memory_64b.sum", .unit = "inst",
     .meaning = "memory instructions of 64 bits per thread", .amount = of_width<64>},
    {.name = "smsp__sass_inst_executed_op_memory_128b.sum", .unit = "inst",
     .meaning = "memory instructions of 128 bits per thread", .amount = of_width<128>},
    {.name = "smsp__sass_thread_inst_executed_op_global_pred_on.sum", .unit = "inst",
     .meaning = "threads that accessed global memory, summed over instructions", .amount = threads_on_in<Space::global>},
    {.name = "smsp__sass_thread_inst_executed_op_shared_pred_on.sum", .unit = "inst",
     .meaning = "threads that accessed shared memory, summed over instructions", .amount = threads_on_in_shared},
    {.name = "smsp__sass_thread_inst_executed_op_ldgsts_pred_on.sum", .unit = "inst",
     .meaning = "threads that copied asynchronously, summed over instructions", .amount = when<&Counts::threads_on, Access::copy>},

    // What the addresses make of them.
    {.name = "smsp__sass_sectors_mem_global.sum", .unit = "sector",
     .meaning = "32-byte sectors of global memory requested", .amount = all<&Counts::sectors_global>},
    {.name = "smsp__sass_sectors_mem_global_ideal.sum", .unit = "sector",
     .meaning = "sectors that the same accesses would need if their addresses were contiguous",
     .amount = all<&Counts::sectors_global_ideal>},
    {.name = "smsp__sass_sectors_mem_local.sum", .unit = "sector",
     .meaning = "32-byte sectors of local memory requested", .amount = all<&Counts::sectors_local>},
    {.name = "smsp__sass_l1tex_tags_mem_global.sum", .unit = "tag",
     .meaning = "L1 cache lines (tags) looked up for global memory", .amount = all<&Counts::tags_global>},
    {.name = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", .unit = "wavefront",
     .meaning = "wavefronts: passes of the shared-memory data pipe", .amount = all<&Counts::wavefronts_shared>},
    {.name = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal.sum", .unit = "wavefront",
     .meaning = "wavefronts that the same accesses would need without bank conflicts",
     .amount = all<&Counts::wavefronts_shared_ideal>},
    {.name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", .nvprof = "gld_transactions", .unit = "sector",
     .meaning = "32-byte sectors requested by global loads", .counter = true, .amount = when<&Counts::sectors_global, Access::load>},
    {.name = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", .nvprof = "gst_transactions", .unit = "sector",
     .meaning = "32-byte sectors written by global stores", .counter = true, .amount = when<&Counts::sectors_global, Access::store>},
    {.name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", .nvprof = "gld_transactions_per_request",
     .unit = "sector/request", .meaning = "sectors requested per global load, on average",
     .of = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     .per = "smsp__sass_inst_executed_op_global_ld.sum"},
    {.name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", .nvprof = "gst_transactions_per_request",
     .unit = "sector/request", .meaning = "sectors written per global store, on average",
     .of = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     .per = "smsp__sass_inst_executed_op_global_st.sum"},
    {.name = "smsp__sass_data_bytes_mem_global_op_ld.sum", .unit = "byte",
     .meaning = "bytes that threads loaded from global memory", .amount = when<&Counts::bytes_global, Access::load>},
    {.name = "smsp__sass_data_bytes_mem_global_op_st.sum", .unit = "byte",
     .meaning = "bytes that threads stored to global memory", .amount = when<&Counts::bytes_global, Access::store>},
    {.name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", .nvprof = "gld_efficiency", .unit = "%",
     .meaning = "bytes requested by loads ÷ bytes in the sectors fetched", .of = "smsp__sass_data_bytes_mem_global_op_ld.sum",
     .per = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", .scale = kPercent / kSectorBytes},
    {.name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", .nvprof = "gst_efficiency", .unit = "%",
     .meaning = "bytes requested by stores ÷ bytes in the sectors written", .of = "smsp__sass_data_bytes_mem_global_op_st.sum",
     .per = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", .scale = kPercent / kSectorBytes},
    {.name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", .nvprof = "shared_ld_bank_conflict", .unit = "wavefront",
     .meaning = "wavefronts that bank conflicts added to shared loads", .counter = true, .amount = bank_conflicts<Access::load>},
    {.name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", .nvprof = "shared_st_bank_conflict", .unit = "wavefront",
     .meaning = "wavefronts that bank conflicts added to shared stores", .counter = true, .amount = bank_conflicts<Access::store>},

    // What follows from these, for who knows it by nvprof's names.
    {.name = "shared_load_transactions", .unit = "wavefront",
     .meaning = "wavefronts of shared loads", .amount = when<&Counts::wavefronts_shared, Access::load>},
    {.name = "shared_store_transactions", .unit = "wavefront",
     .meaning = "wavefronts of shared stores", .amount = when<&Counts::wavefronts_shared, Access::store>},
    {.name = "shared_load_transactions_per_request", .unit = "wavefront/request", .meaning = "wavefronts per shared load, on average",
     .of = "shared_load_transactions", .per = "smsp__sass_inst_executed_op_shared_ld.sum"},
    {.name = "shared_store_transactions_per_request", .unit = "wavefront/request", .meaning = "wavefronts per shared store, on average",
     .of = "shared_store_transactions", .per = "smsp__sass_inst_executed_op_shared_st.sum"},
    {.name = "smsp__sass_data_bytes_mem_shared.sum", .unit = "byte", .meaning = "bytes that threads requested from shared memory", .amount = shared_bytes},
    {.name = "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", .nvprof = "shared_efficiency", .unit = "%",
     .meaning = "bytes requested from shared memory ÷ bytes that its wavefronts can move", .of = "smsp__sass_data_bytes_mem_shared.sum",
     .per = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", .scale = kPercent / kWavefrontBytes},
    {.name = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", .nvprof = "local_load_transactions", .unit = "sector",
     .meaning = "32-byte sectors requested by local loads", .counter = true, .amount = when<&Counts::sectors_local, Access::load>},
    {.name = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", .nvprof = "local_store_transactions", .unit = "sector",
     .meaning = "32-byte sectors written by local stores", .counter = true, .amount = when<&Counts::sectors_local, Access::store>},
    {.name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio", .nvprof = "local_load_transactions_per_request",
     .unit = "sector/request", .meaning = "sectors requested per local load, on average", .of = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
     .per = "smsp__sass_inst_executed_op_local_ld.sum"},
    {.name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio", .nvprof = "local_store_transactions_per_request",
     .unit = "sector/request", .meaning = "sectors written per local store, on average", .of = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
     .per = "smsp__sass_inst_executed_op_local_st.sum"},
    {.name = "flop_count_sp", .unit = "operation", .meaning = "FP32 operations of threads; a multiply-add is two", .amount = operations<32>},
    {.name = "flop_count_sp_add", .unit = "operation", .meaning = "FP32 additions of threads", .amount = operations<32, isa::Work::add>},
    {.name = "flop_count_sp_mul", .unit = "operation", .meaning = "FP32 multiplications of threads", .amount = operations<32, isa::Work::multiply>},
    {.name = "flop_count_sp_fma", .unit = "operation", .meaning = "FP32 multiply-adds of threads, each counted once", .amount = operations<32, isa::Work::multiply_add>},
    {.name = "flop_count_sp_special", .unit = "operation", .meaning = "MUFU operations of threads: reciprocals, roots, sines and the like", .amount = special},
    {.name = "flop_count_dp", .unit = "operation", .meaning = "FP64 operations of threads; a multiply-add is two", .amount = operations<64>},
    {.name = "flop_count_dp_add", .unit = "operation", .meaning = "FP64 additions of threads", .amount = operations<64, isa::Work::add>},
    {.name = "flop_count_dp_mul", .unit = "operation", .meaning = "FP64 multiplications of threads", .amount = operations<64, isa::Work::multiply>},
    {.name = "flop_count_dp_fma", .unit = "operation", .meaning = "FP64 multiply-adds of threads, each counted once", .amount = operations<64, isa::Work::multiply_add>},
    {.name = "flop_count_hp", .unit = "operation", .meaning = "FP16 operations of threads, both halves of a pair counted; a multiply-add is two", .amount = operations<16>},
    {.name = "flop_count_hp_add", .unit = "operation", .meaning = "FP16 additions of threads", .amount = operations<16, isa::Work::add>},
    {.name = "flop_count_hp_mul", .unit = "operation", .meaning = "FP16 multiplications of threads", .amount = operations<16, isa::Work::multiply>},
    {.name = "flop_count_hp_fma", .unit = "operation", .meaning = "FP16 multiply-adds of threads, each counted once", .amount = operations<16, isa::Work::multiply_add>},
    {.name = "inst_fp_16", .unit = "inst", .meaning = "thread instructions that compute with FP16", .amount = floating<16>},
    {.name = "inst_fp_32", .unit = "inst", .meaning = "thread instructions that compute with FP32", .amount = floating<32>},
    {.name = "inst_fp_64", .unit = "inst", .meaning = "thread instructions that compute with FP64", .amount = floating<64>},
    {.name = "inst_integer", .unit = "inst", .meaning = "thread instructions that compute with integers", .amount = integers},
    {.name = "inst_bit_convert", .unit = "inst", .meaning = "thread instructions that convert between types", .amount = conversions},
    {.name = "inst_compute_ld_st", .unit = "inst", .meaning = "thread instructions that access memory", .amount = memory_threads},
    {.name = "inst_control", .unit = "inst", .meaning = "thread instructions that jump or exit", .amount = control_threads},

    // What the launch's shape and the kernel's resources give.
    {.name = "smsp__warps_launched.sum", .nvprof = "warps_launched", .unit = "warp", .meaning = "warps of the launch",
     .of_launch = [](const LaunchFacts& facts) { return facts.warps; }},
    {.name = "sm__ctas_launched.sum", .nvprof = "sm_cta_launched", .unit = "block", .meaning = "blocks of the launch",
     .of_launch = [](const LaunchFacts& facts) { return facts.blocks; }},
    {.name = "threads_launched", .unit = "thread", .meaning = "threads of the launch",
     .of_launch = [](const LaunchFacts& facts) { return facts.threads; }},
    {.name = "smsp__average_inst_executed_per_warp.ratio", .nvprof = "inst_per_warp", .unit = "inst/warp", .meaning = "instructions executed per warp, on average",
     .of = "smsp__sass_inst_executed.sum", .per = "smsp__warps_launched.sum"},
    {.name = "launch__occupancy_limit_blocks", .unit = "block", .meaning = "blocks per SM that the block limit allows",
     .of_launch = [](const LaunchFacts& facts) -> double { return facts.occupancy.blocks_by_limit; }},
    {.name = "launch__occupancy_limit_warps", .unit = "block", .meaning = "blocks per SM that the warp slots allow",
     .of_launch = [](const LaunchFacts& facts) -> double { return facts.occupancy.blocks_by_warps; }},
    {.name = "sm__maximum_warps_per_active_cycle_pct", .unit = "%",
     .meaning = "theoretical occupancy: share of an SM's warp slots that the blocks that fit can fill",
     .of_launch = [](const LaunchFacts& facts) { return kPercent * facts.occupancy.fraction; }},
    {.name = "launch__waves_per_multiprocessor", .unit = "wave",
     .meaning = "waves: how many times the grid fills the GPU", .of_launch = [](const LaunchFacts& facts) { return facts.waves; }},
};
// clang-format on

}  // namespace

// Never destroyed: a program that ends without waiting has its last launch counted while it goes.
std::span<const Metric> metrics() {
  static const std::vector<Metric>& all = *[] {
    auto* rows = new std::vector<Metric>(std::begin(kMetrics), std::end(kMetrics));
    std::ranges::copy(timing::metric_rows(), std::back_inserter(*rows));
    return rows;
  }();
  return all;
}

}  // namespace heddle::simulator
