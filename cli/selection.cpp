#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cli/text.hpp"
#include "simulator/base/spelling.hpp"

namespace heddle::cli {
namespace {

// What -k takes for each kernel: its base name, or the whole where another kernel has the same.
// Sorted; every name once.
Names names_to_choose(const std::vector<std::string>& kernels) {
  std::map<std::string, std::set<std::string>> wholes;
  for (const std::string& kernel : kernels) wholes[base_name(kernel)].insert(kernel);
  Names names;
  for (const auto& [base, same] : wholes) {
    if (same.size() == 1)
      names.push_back(base);
    else
      for (const std::string& kernel : same) names.push_back(simulator::demangled(kernel));
  }
  return names;
}

// Of Nsight Compute's sections, the metrics that are modelled.
struct MetricSection {
  std::string_view name;
  std::vector<std::string_view> metrics;
};
const std::vector<MetricSection>& metric_sections() {
  static const std::vector<MetricSection> all = {
      {"SpeedOfLight",
       {"sm__throughput", "sm__instruction_throughput", "gpu__time_duration",
        "sm__cycles_elapsed.max", "sm__cycles_active.avg", "lts__t_bytes.sum.per_second",
        "dram__bytes_read.sum.per_second"}},
      {"LaunchStats",
       {"sm__ctas_launched", "smsp__warps_launched", "threads_launched",
        "launch__waves_per_multiprocessor"}},
      {"Occupancy",
       {"sm__maximum_warps_per_active_cycle_pct",
        "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__occupancy_limit_blocks",
        "launch__occupancy_limit_warps"}},
      {"ComputeWorkloadAnalysis",
       {"sm__inst_executed.avg.per_cycle_active", "sm__inst_executed.avg.per_cycle_elapsed",
        "smsp__issue_active.avg.pct_of_peak_sustained_active"}},
      {"InstructionStats",
       {"smsp__inst_executed.sum", "smsp__inst_issued.sum", "inst_per_warp", "inst_fp_16",
        "inst_fp_32", "inst_fp_64", "inst_integer", "inst_control", "inst_compute_ld_st"}},
      {"SchedulerStats",
       {"smsp__warps_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active",
        "smsp__issue_active.avg.pct_of_peak_sustained_active"}},
      {"WarpStateStats",
       {"smsp__thread_inst_executed_per_inst_executed.pct",
        "smsp__thread_inst_executed_pred_on_per_inst_executed.pct", "stall_exec_dependency",
        "stall_memory_dependency", "stall_sync", "stall_inst_fetch", "stall_memory_throttle",
        "stall_pipe_busy", "stall_not_selected", "stall_other"}},
      {"MemoryWorkloadAnalysis",
       {"l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct",
        "dram__bytes_read.sum.per_second", "dram__bytes_write.sum.per_second", "gld_throughput",
        "gst_throughput"}},
      {"MemoryWorkloadAnalysis_Tables",
       {"gld_transactions", "gst_transactions", "gld_transactions_per_request",
        "gst_transactions_per_request", "shared_load_transactions", "shared_store_transactions",
        "shared_ld_bank_conflict", "shared_st_bank_conflict", "local_load_transactions",
        "local_store_transactions"}},
      {"SourceCounters",
       {"smsp__sass_branch_targets.sum", "smsp__sass_branch_targets_threads_divergent.sum",
        "smsp__sass_average_branch_targets_threads_uniform.pct",
        "smsp__sass_sectors_mem_global.sum", "smsp__sass_sectors_mem_global_ideal.sum",
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal.sum"}},
  };
  return all;
}

const std::vector<std::string_view>& section_of(const std::string& name) {
  for (const MetricSection& section : metric_sections())
    if (section.name == name) return section.metrics;
  throw Usage(fmt::format("--section: unknown {}{}", name, suggestion(name, section_names())));
}

}  // namespace

Names section_names() {
  Names names;
  for (const MetricSection& section : metric_sections()) names.emplace_back(section.name);
  return names;
}

simulator::KernelFilter kernel_filter(const Arguments& arguments) try {
  return simulator::KernelFilter(arguments.value("kernel"));
} catch (const std::invalid_argument& bad) {
  throw Usage(fmt::format("--kernel: {}", bad.what()));
}

std::string kernels_to_choose(const std::vector<std::string>& kernels) {
  constexpr std::size_t kMost = 20;
  const Names names = names_to_choose(kernels);
  const std::size_t shown = std::min(names.size(), kMost);
  const std::string more =
      shown == names.size() ? "" : fmt::format(" and {} more", names.size() - shown);
  return fmt::format("there are {}{}", fmt::join(names.begin(), names.begin() + shown, ", "), more);
}

void no_such_kernel(const std::string& name, const std::vector<std::string>& kernels) {
  const Names names = names_to_choose(kernels);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view near = simulator::nearest(name, known);
  if (!near.empty()) throw Usage(fmt::format("no kernel {}; did you mean {}?", name, near));
  throw Usage(fmt::format("no kernel {}; {}", name, kernels_to_choose(kernels)));
}

std::vector<const simulator::LaunchRecord*> chosen_launches(const simulator::Record& record,
                                                            const Arguments& arguments) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const simulator::KernelFilter filter = kernel_filter(arguments);
  std::uint64_t skip = arguments.number("launch-skip", kAny).value_or(0);
  std::uint64_t left = arguments.number("launch-count", kAny).value_or(kAny);
  bool matched = false;
  std::vector<const simulator::LaunchRecord*> chosen;
  for (const auto& launch : record.launches) {
    if (!filter.matches(launch.kernel)) continue;
    matched = true;
    if (skip > 0) {
      --skip;
    } else if (left > 0) {
      --left;
      chosen.push_back(&launch);
    }
  }
  if (matched || record.launches.empty()) return chosen;
  std::vector<std::string> kernels;
  for (const auto& launch : record.launches) kernels.push_back(launch.kernel);
  no_such_kernel(arguments.value("kernel"), kernels);
}

Names metric_names() {
  Names names;
  for (const simulator::Metric& metric : simulator::metrics())
    names.emplace_back(metric.nvprof.empty() ? metric.name : metric.nvprof);
  return names;
}

const simulator::Metric& metric_of(std::string_view option, const std::string& name) {
  if (const simulator::Metric* metric = simulator::find_metric(name)) return *metric;
  const std::string_view near = simulator::nearest_metric(name);
  throw Usage(near.empty()
                  ? fmt::format("{}: no metric {}; --query-metrics lists them", option, name)
                  : fmt::format("{}: no metric {}; did you mean {}?", option, name, near));
}

bool chooses_launches(const Arguments& arguments) {
  return arguments.has("kernel") || arguments.has("launch-skip") || arguments.has("launch-count");
}

simulator::Record chosen_part(const simulator::Record& record, const Arguments& arguments) {
  if (!chooses_launches(arguments)) return record;
  simulator::Record part = record;
  part.launches.clear();
  for (const simulator::LaunchRecord* launch : chosen_launches(record, arguments))
    part.launches.push_back(*launch);
  return part;
}

std::vector<const simulator::Metric*> chosen_metrics(const Arguments& arguments) {
  std::vector<const simulator::Metric*> chosen;
  for (const std::string& name : arguments.list("metrics"))
    chosen.push_back(&metric_of("--metrics", name));
  for (const std::string& name : arguments.list("section"))
    for (const std::string_view metric : section_of(name))
      chosen.push_back(&metric_of("--section", std::string(metric)));
  return chosen;
}

}  // namespace heddle::cli
