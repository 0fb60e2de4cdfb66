#include "simulator/record/timing_rows.hpp"

#include "simulator/launch/timing_result.hpp"
#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr double kPercent = 100, kNano = 1e9, kWavefrontBytes = 128;
constexpr MetricKind kModelled = MetricKind::modelled;

// A value of a launch; `absent` where it would be over nothing.
constexpr double kAbsent = -1;
double over(double amount, double per) { return per == 0 ? kAbsent : amount / per; }
double number(std::uint64_t value) { return static_cast<double>(value); }

double seconds(const Result& r) { return number(r.elapsed) / r.clock_hz; }
double sub_core_cycles(const Result& r) { return number(r.active_sum) * r.sub_cores; }
double hit_rate(const Lookups& lookups) {
  return over(kPercent * number(lookups.hits), number(lookups.sectors));
}
Lookups l1(const Result& r) {
  Lookups all = r.traffic.l1_global_load;
  all += r.traffic.l1_global_store;
  all += r.traffic.l1_local;
  return all;
}
Lookups l2(const Result& r) {
  Lookups all = r.traffic.l2_read;
  all += r.traffic.l2_write;
  all += r.traffic.l2_atomic;
  return all;
}
template <Stall kReason>
double per_issue(const Result& r) {
  return over(number(r.stalls[static_cast<std::size_t>(kReason)]), number(r.issued));
}
template <Stall kReason>
double share(const Result& r) {
  return over(kPercent * number(r.stalls[static_cast<std::size_t>(kReason)]),
              number(r.warp_cycles));
}
// Of the cycles in which warps did not issue.
template <Stall... kReasons>
double of_stalls(const Result& r) {
  const auto cycles = [&](Stall reason) {
    return number(r.stalls[static_cast<std::size_t>(reason)]);
  };
  double all = 0;
  for (std::size_t i = 0; i < kStalls; ++i)
    if (static_cast<Stall>(i) != Stall::selected) all += number(r.stalls[i]);
  return over(kPercent * (cycles(kReasons) + ...), all);
}
double issue_share(const Result& r) {
  return over(kPercent * number(r.issued), number(r.elapsed) * r.sms * r.sub_cores);
}
double eligible(const Result& r) {
  return number(r.stalls[static_cast<std::size_t>(Stall::selected)] +
                r.stalls[static_cast<std::size_t>(Stall::not_selected)]);
}
template <std::uint64_t Traffic::*kSectors>
double bytes(const Result& r) {
  return kSectorBytes * number(r.traffic.*kSectors);
}
template <std::uint64_t Traffic::*kSectors>
double bytes_per_second(const Result& r) {
  return bytes<kSectors>(r) / seconds(r);
}

// clang-format off
constexpr Metric kRows[] = {
    // Time.
    {.name = "sm__cycles_active.max", .unit = "cycle", .kind = kModelled, .meaning = "active cycles of the busiest SM: cycles with at least one warp",
     .of_timing = [](const Result& r) { return number(r.active_max); }},
    {.name = "sm__cycles_active.sum", .nvprof = "active_cycles", .unit = "cycle", .kind = kModelled, .meaning = "active cycles, summed over SMs",
     .of_timing = [](const Result& r) { return number(r.active_sum); }},
    {.name = "sm__warps_active.sum", .nvprof = "active_warps", .unit = "cycle", .kind = kModelled, .meaning = "cycles during which warps were resident, summed over warps",
     .of_timing = [](const Result& r) { return number(r.warp_cycles); }},
    {.name = "sm__cycles_active.avg", .unit = "cycle", .kind = kModelled, .meaning = "active cycles of an SM, on average",
     .of_timing = [](const Result& r) { return over(number(r.active_sum), r.sms); }},
    {.name = "sm__cycles_elapsed.max", .nvprof = "elapsed_cycles_sm", .unit = "cycle", .kind = kModelled, .meaning = "cycles of the launch",
     .of_timing = [](const Result& r) { return number(r.elapsed); }},
    {.name = "gpu__time_duration.sum", .unit = "ns", .kind = kModelled, .meaning = "duration of the launch at the model's clock",
     .of_timing = [](const Result& r) { return seconds(r) * kNano; }},
    {.name = "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", .nvprof = "sm_efficiency", .unit = "%", .kind = kModelled,
     .meaning = "share of the launch's cycles in which an SM is active, on average",
     .of_timing = [](const Result& r) { return over(kPercent * number(r.active_sum), number(r.elapsed) * r.sms); }},

    // Issue.
    {.name = "smsp__inst_issued.sum", .nvprof = "inst_issued", .unit = "inst", .kind = kModelled, .meaning = "warp instructions issued",
     .of_timing = [](const Result& r) { return number(r.issued); }},
    {.name = "sm__inst_executed.avg.per_cycle_active", .nvprof = "ipc", .unit = "inst/cycle", .kind = kModelled,
     .meaning = "warp instructions executed per active cycle of an SM",
     .of_timing = [](const Result& r) { return over(number(r.issued), number(r.active_sum)); }},
    {.name = "smsp__issue_active.avg.pct_of_peak_sustained_active", .nvprof = "issue_slot_utilization", .unit = "%", .kind = kModelled,
     .meaning = "share of active sub-cores' cycles in which an instruction issued",
     .of_timing = [](const Result& r) { return over(kPercent * number(r.issued), sub_core_cycles(r)); }},
    {.name = "sm__warps_active.avg.pct_of_peak_sustained_active", .nvprof = "achieved_occupancy", .unit = "%", .kind = kModelled,
     .meaning = "share of an active SM's warp slots that hold a warp, on average",
     .of_timing = [](const Result& r) { return over(kPercent * number(r.warp_cycles), number(r.active_sum) * r.warp_slots_per_sm); }},
    {.name = "smsp__warps_active.avg.per_cycle_active", .unit = "warp", .kind = kModelled, .meaning = "warps on an active sub-core, on average",
     .of_timing = [](const Result& r) { return over(number(r.warp_cycles), sub_core_cycles(r)); }},
    {.name = "smsp__warps_eligible.avg.per_cycle_active", .unit = "warp", .kind = kModelled, .meaning = "warps of an active sub-core that are ready to issue, on average",
     .of_timing = [](const Result& r) { return over(eligible(r), sub_core_cycles(r)); }},
    {.name = "smsp__warps_eligible.sum.per_cycle_active", .nvprof = "eligible_warps_per_cycle", .unit = "warp", .kind = kModelled,
     .meaning = "warps of an active SM that are ready to issue, on average",
     .of_timing = [](const Result& r) { return over(eligible(r), number(r.active_sum)); }},

    // Why warps did not issue: warps in each state, for every instruction issued.
#define HEDDLE_STALL_ROW(reason, text) \
    {.name = "smsp__average_warps_issue_stalled_" #reason "_per_issue_active.ratio", .unit = "warp", .kind = kModelled, \
     .meaning = "average warps per issued instruction: " text, .of_timing = per_issue<Stall::reason>},
    HEDDLE_STALLS(HEDDLE_STALL_ROW)
#undef HEDDLE_STALL_ROW
    // The same per instruction. The model looks at every warp in every cycle.
#define HEDDLE_SAMPLE_ROW(reason, text) \
    {.name = "smsp__pcsamp_warps_issue_stalled_" #reason ".sum", .unit = "sample", .kind = kModelled, \
     .meaning = "samples of warps: " text, .samples = Stall::reason},
    HEDDLE_STALLS(HEDDLE_SAMPLE_ROW)
#undef HEDDLE_SAMPLE_ROW

    // The same in percent of warps' cycles, as nvprof groups them.
#define HEDDLE_SHARE_ROW(reason, text) \
    {.name = "smsp__warp_issue_stalled_" #reason "_per_warp_active.pct", .unit = "%", .kind = kModelled, \
     .meaning = "share of warps' cycles: " text, .of_timing = share<Stall::reason>},
    HEDDLE_STALLS(HEDDLE_SHARE_ROW)
#undef HEDDLE_SHARE_ROW
    {.name = "stall_exec_dependency", .unit = "%", .kind = kModelled, .meaning = "share of stalls: waiting for arithmetic or shared memory (wait, short_scoreboard)",
     .of_timing = of_stalls<Stall::wait, Stall::short_scoreboard>},
    {.name = "stall_memory_dependency", .unit = "%", .kind = kModelled, .meaning = "share of stalls: waiting for global or local memory (long_scoreboard)",
     .of_timing = of_stalls<Stall::long_scoreboard>},
    {.name = "stall_constant_memory_dependency", .unit = "%", .kind = kModelled, .meaning = "share of stalls: a constant is not in the cache yet (imc_miss)",
     .of_timing = of_stalls<Stall::imc_miss>},
    {.name = "stall_inst_fetch", .unit = "%", .kind = kModelled, .meaning = "share of stalls: the next instruction is not in the cache yet (no_instruction, branch_resolving)",
     .of_timing = of_stalls<Stall::no_instruction, Stall::branch_resolving>},
    {.name = "stall_sync", .unit = "%", .kind = kModelled, .meaning = "share of stalls: waiting at a block barrier or for a memory barrier (barrier, membar)",
     .of_timing = of_stalls<Stall::barrier, Stall::membar>},
    {.name = "stall_memory_throttle", .unit = "%", .kind = kModelled, .meaning = "share of stalls: too many memory accesses are pending (lg_throttle, drain)",
     .of_timing = of_stalls<Stall::lg_throttle, Stall::drain>},
    {.name = "stall_pipe_busy", .unit = "%", .kind = kModelled, .meaning = "share of stalls: a pipe is busy (math_pipe_throttle, mio_throttle)",
     .of_timing = of_stalls<Stall::math_pipe_throttle, Stall::mio_throttle>},
    {.name = "stall_texture", .unit = "%", .kind = kModelled, .meaning = "share of stalls: the queue for textures is full (tex_throttle)",
     .of_timing = of_stalls<Stall::tex_throttle>},
    {.name = "stall_sleeping", .unit = "%", .kind = kModelled, .meaning = "share of stalls: sleeping in NANOSLEEP (sleeping)",
     .of_timing = of_stalls<Stall::sleeping>},
    {.name = "stall_not_selected", .unit = "%", .kind = kModelled, .meaning = "share of stalls: the scheduler picked another warp (not_selected)",
     .of_timing = of_stalls<Stall::not_selected>},
    {.name = "stall_other", .unit = "%", .kind = kModelled, .meaning = "share of stalls: anything else (dispatch_stall, misc, gmma)",
     .of_timing = of_stalls<Stall::dispatch_stall, Stall::misc, Stall::gmma>},

    // Throughput, as Nsight Compute's Speed of Light shows it.
    {.name = "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed", .unit = "%", .kind = kModelled,
     .meaning = "share of the launch's issue slots in which an instruction issued", .of_timing = issue_share},
    {.name = "sm__throughput.avg.pct_of_peak_sustained_elapsed", .unit = "%", .kind = kModelled,
     .meaning = "throughput of the SM; the model counts its issue slots only", .of_timing = issue_share},
    {.name = "sm__inst_executed.avg.per_cycle_elapsed", .unit = "inst/cycle", .kind = kModelled,
     .meaning = "warp instructions executed per SM and cycle of the launch",
     .of_timing = [](const Result& r) { return over(number(r.issued), number(r.elapsed) * r.sms); }},

    // Caches and memory.
    {.name = "l1tex__t_sector_hit_rate.pct", .nvprof = "tex_cache_hit_rate", .unit = "%", .kind = kModelled,
     .meaning = "share of global and local memory sectors found in L1", .of_timing = [](const Result& r) { return hit_rate(l1(r)); }},
    {.name = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", .nvprof = "global_hit_rate", .unit = "%", .kind = kModelled,
     .meaning = "share of global load sectors found in L1", .of_timing = [](const Result& r) { return hit_rate(r.traffic.l1_global_load); }},
    {.name = "l1tex__t_sector_pipe_lsu_mem_local_hit_rate.pct", .nvprof = "local_hit_rate", .unit = "%", .kind = kModelled,
     .meaning = "share of local memory sectors found in L1", .of_timing = [](const Result& r) { return hit_rate(r.traffic.l1_local); }},
    {.name = "lts__t_sectors_srcunit_tex.sum", .unit = "sector", .kind = kModelled, .meaning = "sectors that SMs requested from L2",
     .of_timing = [](const Result& r) { return number(l2(r).sectors); }},
    {.name = "lts__t_sectors_op_read.sum", .nvprof = "l2_read_transactions", .unit = "sector", .kind = kModelled, .meaning = "sectors read from L2",
     .of_timing = [](const Result& r) { return number(r.traffic.l2_read.sectors); }},
    {.name = "lts__t_sectors_op_write.sum", .nvprof = "l2_write_transactions", .unit = "sector", .kind = kModelled, .meaning = "sectors written to L2",
     .of_timing = [](const Result& r) { return number(r.traffic.l2_write.sectors); }},
    {.name = "lts__t_sector_hit_rate.pct", .nvprof = "l2_tex_hit_rate", .unit = "%", .kind = kModelled, .meaning = "share of sectors found in L2",
     .of_timing = [](const Result& r) { return hit_rate(l2(r)); }},
    {.name = "l2_atomic_transactions", .unit = "sector", .kind = kModelled, .meaning = "L2 sectors that atomics updated",
     .of_timing = [](const Result& r) { return number(r.traffic.l2_atomic.sectors); }},
    {.name = "l2_tex_read_hit_rate", .unit = "%", .kind = kModelled, .meaning = "share of sectors read that were found in L2",
     .of_timing = [](const Result& r) { return hit_rate(r.traffic.l2_read); }},
    {.name = "l2_tex_write_hit_rate", .unit = "%", .kind = kModelled, .meaning = "share of sectors written that were found in L2",
     .of_timing = [](const Result& r) { return hit_rate(r.traffic.l2_write); }},
    {.name = "l2_read_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes read from L2, per second",
     .of_timing = [](const Result& r) { return kSectorBytes * number(r.traffic.l2_read.sectors) / seconds(r); }},
    {.name = "l2_write_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes written to L2, per second",
     .of_timing = [](const Result& r) { return kSectorBytes * number(r.traffic.l2_write.sectors) / seconds(r); }},
    {.name = "l2_atomic_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes of L2 sectors that atomics updated, per second",
     .of_timing = [](const Result& r) { return kSectorBytes * number(r.traffic.l2_atomic.sectors) / seconds(r); }},
    {.name = "lts__t_bytes.sum.per_second", .unit = "byte/s", .kind = kModelled, .meaning = "bytes requested from L2, per second",
     .of_timing = [](const Result& r) { return kSectorBytes * number(l2(r).sectors) / seconds(r); }},
    {.name = "dram__sectors_read.sum", .nvprof = "dram_read_transactions", .unit = "sector", .kind = kModelled, .meaning = "sectors read from device memory",
     .of_timing = [](const Result& r) { return number(r.traffic.dram_sectors_read); }},
    {.name = "dram__sectors_write.sum", .nvprof = "dram_write_transactions", .unit = "sector", .kind = kModelled, .meaning = "sectors written to device memory",
     .of_timing = [](const Result& r) { return number(r.traffic.dram_sectors_written); }},
    {.name = "dram__bytes_read.sum", .nvprof = "dram_read_bytes", .unit = "byte", .kind = kModelled, .meaning = "bytes read from device memory",
     .of_timing = bytes<&Traffic::dram_sectors_read>},
    {.name = "dram__bytes_write.sum", .nvprof = "dram_write_bytes", .unit = "byte", .kind = kModelled, .meaning = "bytes written to device memory",
     .of_timing = bytes<&Traffic::dram_sectors_written>},
    {.name = "dram__bytes_read.sum.per_second", .nvprof = "dram_read_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes read from device memory, per second", .of_timing = bytes_per_second<&Traffic::dram_sectors_read>},
    {.name = "dram__bytes_write.sum.per_second", .nvprof = "dram_write_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes written to device memory, per second", .of_timing = bytes_per_second<&Traffic::dram_sectors_written>},
    {.name = "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", .nvprof = "gld_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes in the sectors of global loads, per second",
     .of = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", .per = "gpu__time_duration.sum", .scale = kSectorBytes * kNano},
    {.name = "smsp__sass_data_bytes_mem_global_op_ld.sum.per_second", .nvprof = "gld_requested_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes that threads loaded from global memory, per second",
     .of = "smsp__sass_data_bytes_mem_global_op_ld.sum", .per = "gpu__time_duration.sum", .scale = kNano},
    {.name = "smsp__sass_data_bytes_mem_global_op_st.sum.per_second", .nvprof = "gst_requested_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes that threads stored to global memory, per second",
     .of = "smsp__sass_data_bytes_mem_global_op_st.sum", .per = "gpu__time_duration.sum", .scale = kNano},
    {.name = "shared_load_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes that the wavefronts of shared loads can move, per second",
     .of = "shared_load_transactions", .per = "gpu__time_duration.sum", .scale = kWavefrontBytes * kNano},
    {.name = "shared_store_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes that the wavefronts of shared stores can move, per second",
     .of = "shared_store_transactions", .per = "gpu__time_duration.sum", .scale = kWavefrontBytes * kNano},
    {.name = "local_load_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes in the sectors of local loads, per second",
     .of = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", .per = "gpu__time_duration.sum", .scale = kSectorBytes * kNano},
    {.name = "local_store_throughput", .unit = "byte/s", .kind = kModelled, .meaning = "bytes in the sectors of local stores, per second",
     .of = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", .per = "gpu__time_duration.sum", .scale = kSectorBytes * kNano},
    {.name = "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", .nvprof = "gst_throughput", .unit = "byte/s", .kind = kModelled,
     .meaning = "bytes in the sectors of global stores, per second",
     .of = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", .per = "gpu__time_duration.sum", .scale = kSectorBytes * kNano},
};
// clang-format on

}  // namespace

std::span<const Metric> metric_rows() { return kRows; }

}  // namespace heddle::simulator::timing
