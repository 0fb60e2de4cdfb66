#include "gpu/cupti/counters.hpp"

namespace heddle::cupti {
namespace {

// What a warp waits for, in the order Nsight Compute lists it.
const char* const kStallReasons[] = {"barrier",
                                     "branch_resolving",
                                     "dispatch_stall",
                                     "drain",
                                     "gmma",
                                     "imc_miss",
                                     "lg_throttle",
                                     "long_scoreboard",
                                     "math_pipe_throttle",
                                     "membar",
                                     "mio_throttle",
                                     "misc",
                                     "no_instruction",
                                     "not_selected",
                                     "selected",
                                     "short_scoreboard",
                                     "sleeping",
                                     "tex_throttle",
                                     "wait"};

const char* const kPipes[] = {"adu", "alu",    "cbu", "fmaheavy", "fmalite", "fp64",
                              "lsu", "tensor", "tex", "uniform",  "xu"};

// Counted by the LSU's instruction decoder, by address space as the opcode spells it ("generic" is
// LD and ST).
const char* const kMemoryOps[] = {"generic_atom", "generic_ld",  "generic_st", "global_ld",
                                  "global_red",   "global_st",   "ldc",        "local_ld",
                                  "local_st",     "shared_atom", "shared_ld",  "shared_st"};

const char* const kL1Ops[] = {"global_op_atom", "global_op_ld", "global_op_red",
                              "global_op_st",   "local_op_ld",  "local_op_st"};

const char* const kSingles[] = {
    // instructions and warps
    "smsp__inst_executed.sum", "smsp__inst_issued.sum", "smsp__thread_inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum", "smsp__warps_launched.sum", "sm__ctas_launched.sum",
    "smsp__inst_executed_op_branch.sum",
    // time
    "smsp__cycles_active.sum", "smsp__cycles_active.avg", "smsp__cycles_active.max",
    "sm__cycles_active.sum", "sm__cycles_active.avg", "sm__cycles_active.max",
    "sm__cycles_elapsed.max", "sm__cycles_elapsed.avg", "gpc__cycles_elapsed.max",
    "gpu__time_duration.sum",
    // how full, how busy
    "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__warps_active.sum",
    "smsp__warps_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active",
    "smsp__issue_active.sum", "smsp__issue_active.avg.per_cycle_active",
    "sm__inst_executed.avg.per_cycle_active",
    // L1 and shared memory
    "l1tex__t_sectors.sum", "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors_lookup_miss.sum",
    "l1tex__t_sector_hit_rate.pct", "l1tex__t_requests.sum",
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    // instruction and constant caches
    "sm__icc_requests.sum", "sm__icc_requests_lookup_hit.sum", "idc__requests.sum",
    "idc__requests_lookup_hit.sum",
    // L2
    "lts__t_sectors.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
    "lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum", "lts__t_sectors_lookup_hit.sum",
    "lts__t_sectors_lookup_miss.sum", "lts__t_sector_hit_rate.pct",
    "lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum", "lts__t_requests_srcunit_tex.sum",
    // DRAM
    "dram__bytes_read.sum", "dram__bytes_write.sum", "dram__sectors_read.sum",
    "dram__sectors_write.sum"};

const char* const kTimes[] = {"sm__cycles_active.max",
                              "sm__cycles_active.avg",
                              "sm__cycles_elapsed.max",
                              "gpc__cycles_elapsed.max",
                              "gpu__time_duration.sum",
                              "smsp__cycles_active.avg",
                              "sm__warps_active.avg.pct_of_peak_sustained_active",
                              "smsp__warps_active.avg.per_cycle_active",
                              "smsp__warps_eligible.avg.per_cycle_active",
                              "smsp__issue_active.avg.per_cycle_active",
                              "smsp__issue_active.sum",
                              "smsp__inst_executed.sum",
                              "l1tex__t_sector_hit_rate.pct",
                              "l1tex__t_sectors.sum",
                              "l1tex__t_sectors_lookup_hit.sum",
                              "lts__t_sector_hit_rate.pct",
                              "lts__t_sectors.sum",
                              "lts__t_sectors_lookup_hit.sum",
                              "lts__t_sectors_srcunit_tex.sum",
                              "lts__t_sectors_srcunit_tex_lookup_hit.sum",
                              "lts__t_bytes.sum",
                              "dram__bytes_read.sum",
                              "dram__bytes_write.sum"};

std::string stall_ratio(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

}  // namespace

std::vector<std::string> counter_names() {
  std::vector<std::string> names(std::begin(kSingles), std::end(kSingles));
  for (const std::string reason : kStallReasons) {
    names.push_back(stall_ratio(reason));
    names.push_back("smsp__warps_issue_stalled_" + reason + ".sum");
  }
  for (const std::string pipe : kPipes)
    names.push_back("smsp__inst_executed_pipe_" + pipe + ".sum");
  for (const std::string op : kMemoryOps) names.push_back("smsp__inst_executed_op_" + op + ".sum");
  for (const std::string op : kL1Ops) {
    const std::string suffix = "_pipe_lsu_mem_" + op;
    names.push_back("l1tex__t_requests" + suffix + ".sum");
    names.push_back("l1tex__t_sectors" + suffix + ".sum");
    names.push_back("l1tex__t_sectors" + suffix + "_lookup_hit.sum");
  }
  return names;
}

std::vector<std::string> timing_counter_names() {
  std::vector<std::string> names(std::begin(kTimes), std::end(kTimes));
  for (const std::string reason : kStallReasons) names.push_back(stall_ratio(reason));
  return names;
}

}  // namespace heddle::cupti
