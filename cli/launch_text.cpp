#include "cli/launch_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "cli/problems.hpp"
#include "simulator/models/occupancy.hpp"
#include "simulator/models/time_bounds.hpp"

namespace heddle::cli {
namespace {

using simulator::LaunchRecord;
using simulator::Metric;

constexpr std::size_t kColumns = 100;

struct Section {
  std::string_view title;
  std::vector<std::string_view> metrics;
};

// What fits on one screen: the questions the seeds' listings answer.
const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"Branches", {"branch", "divergent_branch", "branch_efficiency"}},
      {"Instructions",
       {"inst_executed", "thread_inst_executed", "warp_execution_efficiency",
        "warp_nonpred_execution_efficiency"}},
      {"Global memory",
       {"gld_transactions", "gst_transactions", "gld_efficiency", "gst_efficiency",
        "smsp__sass_sectors_mem_global"}},
      {"Shared memory",
       {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", "shared_ld_bank_conflict",
        "shared_st_bank_conflict"}},
      {"Time",
       {"gpu__time_duration", "sm__cycles_active.max", "sm__cycles_elapsed.max", "ipc",
        "achieved_occupancy", "issue_slot_utilization", "tex_cache_hit_rate", "l2_tex_hit_rate",
        "gld_throughput", "dram_read_throughput"}},
  };
  return all;
}

std::string shown(const Metric& metric, double value) {
  const bool modelled = metric.kind == simulator::MetricKind::modelled;
  const bool decimals = metric.unit == "%" || (modelled && std::nearbyint(value) != value);
  return fmt::format("{}{}", modelled ? "~" : "",
                     decimals ? fmt::format("{:.2f}", value) : readable(value));
}

// "12", or "10 … 12" over several launches, or "-" where it means nothing; and the unit.
std::pair<std::string, std::string> range(Launches launches, const Metric& metric) {
  std::optional<double> low, high;
  for (const LaunchRecord* launch : launches) {
    const auto value = shown_value(*launch, metric);
    if (!value) continue;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
  if (!low) return {"-", std::string(metric.unit)};
  const auto [factor, unit] = scaled(*high, metric.unit);
  if (*low == *high) return {shown(metric, *low * factor), unit};
  return {fmt::format("{} … {}", shown(metric, *low * factor), shown(metric, *high * factor)),
          unit};
}

void add_row(Table& table, Launches launches, const Metric& metric) {
  const auto [value, unit] = range(launches, metric);
  table.add({fmt::format("  {}", short_name(metric)), value, unit,
             std::string(metric.nvprof.empty() ? "" : metric.name)});
}

std::string dim(const simulator::Dim3& dim) {
  return fmt::format("({},{},{})", dim.x, dim.y, dim.z);
}

std::string resources(const LaunchRecord& launch) {
  std::string text =
      fmt::format("{} registers, {} bytes static and {} dynamic shared memory, {} bytes stack",
                  launch.registers, launch.static_shared_bytes, launch.dynamic_shared_bytes,
                  launch.local_bytes);
  if (launch.bank0_bytes) text += fmt::format(", {} bytes cmem[0]", *launch.bank0_bytes);
  if (launch.constant_bytes && *launch.constant_bytes != 0)
    text += fmt::format(", {} bytes __constant__", *launch.constant_bytes);
  if (launch.spill_store_bytes && launch.spill_load_bytes)
    text += fmt::format(", {} bytes spill stores, {} bytes spill loads", *launch.spill_store_bytes,
                        *launch.spill_load_bytes);
  return text;
}

std::string occupancy_line(const LaunchRecord& launch, const simulator::GpuModel& gpu) {
  const auto result = simulator::occupancy(
      gpu, {.threads_per_block = static_cast<std::uint32_t>(launch.block.count()),
            .registers_per_thread = launch.registers,
            .shared_bytes_per_block = launch.static_shared_bytes + launch.dynamic_shared_bytes,
            .preferred_carveout = launch.preferred_carveout});
  constexpr double kSmallest = 0.01;
  const double count = simulator::waves(gpu, result, launch.grid.count());
  return fmt::format(
      "{} waves per SM; theoretical occupancy {:.1f} % ({} blocks per SM, limited by {})",
      count < kSmallest ? "less than 0.01" : fmt::format("{:.2f}", count), 100 * result.fraction,
      result.blocks_per_sm, fmt::join(result.limited_by, " and "));
}

// "62.1 % long_scoreboard, 20.3 % barrier, …": of all warps' cycles, the largest shares.
std::string stall_line(Launches launches) {
  constexpr std::string_view kBegin = "smsp__average_warps_issue_stalled_",
                             kEnd = "_per_issue_active.ratio";
  constexpr std::size_t kShown = 4;
  std::map<std::string, double> sums;
  double all = 0;
  for (const LaunchRecord* launch : launches)
    for (const auto& [name, value] : launch->metrics) {
      const std::string& text = name.text();
      if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) continue;
      sums[text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size())] += value;
      all += value;
    }
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& [reason, value] : sums)
    if (value > 0) shares.emplace_back(-value / all, reason);
  std::ranges::sort(shares);
  if (shares.size() > kShown) shares.resize(kShown);
  std::string text;
  for (const auto& [share, reason] : shares)
    text += fmt::format("{}~{:.1f} % {}", text.empty() ? "" : ", ", -100 * share, visible(reason));
  return text;
}

// Of the launch with the largest; nothing where that is not known of one.
std::optional<std::uint32_t> cycles_error(Launches launches) {
  std::optional<std::uint32_t> most = 0;
  for (const LaunchRecord* launch : launches)
    most = launch->cycles_error && most ? std::max(most, launch->cycles_error) : std::nullopt;
  return most;
}

// "± 9 %: in nine of ten launches whose warps wait for one another, …"
std::string error_line(Launches launches) {
  const LaunchRecord& first = *launches.front();
  const auto error = cycles_error(launches);
  const auto kind =
      std::ranges::find(simulator::kTimeBounds, first.time_bound, &simulator::TimeBoundInfo::key);
  if (!error || kind == simulator::kTimeBounds.end()) return {};
  return fmt::format(
      "  cycles are within {} % of the GPU's in nine of ten launches of this kind: {}\n", *error,
      kind->meaning);
}

std::string launch_class(Launches launches) {
  for (const LaunchRecord* launch : launches)
    if (launch->launch_class == "order-dependent")
      return fmt::format("order-dependent: {}", fmt::join(launch->class_reasons, "; "));
  const std::string& kind = launches.front()->launch_class;
  const bool none =
      std::ranges::all_of(launches, [](const auto* each) { return each->races == "none"; });
  return none || kind.empty() ? kind : kind + " if free of races (--check races looks for them)";
}

template <typename Wanted>
std::string approximations(const LaunchRecord& launch, Wanted wanted) {
  std::string text;
  for (const std::string& what : launch.unmodelled)
    if (wanted(what)) text += fmt::format("  approximated: {}\n", visible(what));
  return text;
}

// "launch 3", or "5 launches from 3".
std::string count_text(Launches launches) {
  const LaunchRecord& first = *launches.front();
  std::string text = launches.size() == 1
                         ? fmt::format("launch {}", first.index)
                         : fmt::format("{} launches from {}", launches.size(), first.index);
  if (first.gpu != 0) text += fmt::format(", GPU {}", first.gpu);
  if (first.nesting != 0) text += fmt::format(", by device code, nesting {}", first.nesting);
  return text;
}

std::string kernel_table(Launches launches, Metrics metrics, const simulator::GpuModel& gpu,
                         const Style& style) {
  const LaunchRecord& first = *launches.front();
  std::string text =
      fmt::format("{}  {}  grid {}  block {}\n", style.bold(visible(display_name(first.kernel))),
                  count_text(launches), dim(first.grid), dim(first.block));
  if (!metrics.empty()) {
    Table table({});
    for (const Metric* metric : metrics) add_row(table, launches, *metric);
    // What time was taken from, and what is not executed for it, must not be missed.
    return text + table.text() +
           approximations(first, [](const std::string& what) { return what.starts_with("time:"); });
  }
  text += fmt::format("  {}\n  {}\n", resources(first), occupancy_line(first, gpu));
  if (const std::string kind = launch_class(launches); !kind.empty())
    text += fmt::format("  {}\n", visible(kind));
  if (first.random_schedule)
    text += fmt::format("  order of warps and blocks drawn at random, seed {}\n",
                        *first.random_schedule);
  for (const LaunchRecord* launch : launches)
    if (!launch->fault.empty()) text += "  " + stop_text(*launch, FaultText::whole, style);
  Table table({});
  for (const Section& section : sections()) {
    if (section.title == "Time" && !first.metrics.contains("sm__cycles_active.max")) continue;
    table.add({fmt::format("{}", section.title)});
    for (const std::string_view name : section.metrics)
      add_row(table, launches, *simulator::find_metric(name));
  }
  text += table.text(2);
  if (const std::string stalls = stall_line(launches); !stalls.empty())
    text += fmt::format("  warps' cycles: {}\n", stalls);
  text += error_line(launches);
  return text + approximations(first, [](const std::string&) { return true; });
}

// Launches of one kernel, code and shape, in the order in which they first ran.
std::vector<std::vector<const LaunchRecord*>> by_shape(Launches launches) {
  std::vector<std::vector<const LaunchRecord*>> groups;
  std::map<std::string, std::size_t> known;
  for (const LaunchRecord* launch : launches) {
    const std::string key =
        fmt::format("{} {} {} {} {} {}", launch->kernel, launch->code_sha256, dim(launch->grid),
                    dim(launch->block), launch->dynamic_shared_bytes, launch->gpu);
    const auto [found, is_new] = known.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(launch);
  }
  return groups;
}

// The columns of kernel_rows: the name of a metric in two lines, as it is typed.
struct Column {
  std::string_view above, below;
  std::vector<std::string_view> sum;
};
const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"inst_", "executed", {"inst_executed"}},
      {"", "branch", {"branch"}},
      {"divergent_", "branch", {"divergent_branch"}},
      {"branch_", "efficiency", {"branch_efficiency"}},
      {"warp_execution_", "efficiency", {"warp_execution_efficiency"}},
      {"gld_", "efficiency", {"gld_efficiency"}},
      {"gst_", "efficiency", {"gst_efficiency"}},
      {"bank", "conflicts", {"shared_ld_bank_conflict", "shared_st_bank_conflict"}},
  };
  return all;
}

// Of several metrics the sum.
std::string cell(Launches launches, const Column& column) {
  const Metric& metric = *simulator::find_metric(column.sum.front());
  std::optional<double> low, high;
  for (const LaunchRecord* launch : launches) {
    std::optional<double> sum;
    for (const std::string_view name : column.sum)
      if (const auto value = shown_value(*launch, *simulator::find_metric(name)))
        sum = sum.value_or(0) + *value;
    if (!sum) continue;
    low = std::min(low.value_or(*sum), *sum);
    high = std::max(high.value_or(*sum), *sum);
  }
  if (!low) return "-";
  // A number of many digits takes the place of its neighbours.
  constexpr double kMost = 1e8;
  const auto text = [&](double value) {
    return value < kMost ? shown(metric, value) : fmt::format("{:.3g}", value);
  };
  return *low == *high ? text(*low) : fmt::format("{}…{}", text(*low), text(*high));
}

// "  time ~7.30 µs ± 9 %, ipc ~0.03, achieved_occupancy ~3.10 %; warps wait: …", where it was
// timed.
std::string time_line(Launches launches) {
  if (!launches.front()->metrics.contains("sm__cycles_active.max")) return {};
  std::string text = "    ";
  for (const std::string_view name : {"gpu__time_duration", "ipc", "achieved_occupancy"}) {
    const Metric& metric = *simulator::find_metric(name);
    const auto [value, unit] = range(launches, metric);
    text += fmt::format("{}{} {} {}", text.size() == 4 ? "" : ", ",
                        name == "gpu__time_duration" ? "time" : name, value, unit);
    if (const auto error = cycles_error(launches); error && name == "gpu__time_duration")
      text += fmt::format(" ± {} %", *error);
  }
  const std::string stalls = stall_line(launches);
  return fmt::format("{}\n{}", text, stalls.empty() ? "" : fmt::format("    stalls: {}\n", stalls));
}

std::string note(const std::string& text) {
  return fmt::format("  {}\n", wrapped(text, 4, kColumns));
}

// What all launches have in common, once.
std::string common_notes(Launches launches) {
  std::set<std::string> notes;
  for (const LaunchRecord* launch : launches)
    for (const std::string& what : launch->unmodelled) notes.insert(visible(what));
  std::string text;
  for (const std::string& each : notes) text += note(fmt::format("approximated: {}", each));
  return text;
}

std::string places_text(const std::vector<std::string>& places) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(places.size(), kMost);
  return visible(fmt::format("{}{}", fmt::join(std::span(places).first(shown), ", "),
                             places.size() > shown ? " and elsewhere" : ""));
}

// Kernels without branches: where the compiler used selects or predicates instead.
std::string substitute_notes(Launches launches) {
  std::string text;
  std::set<std::string> told;
  for (const LaunchRecord* launch : launches) {
    std::vector<std::string> what;
    if (!launch->selects.empty()) what.push_back("used " + places_text(launch->selects));
    if (!launch->predicated.empty())
      what.push_back("predicated " + places_text(launch->predicated));
    if (what.empty() || !told.insert(launch->kernel).second) continue;
    text += note(fmt::format("{}: 0 branches: the compiler {}; build with -G to see the branch",
                             visible(display_name(launch->kernel)), fmt::join(what, " and ")));
  }
  return text;
}

std::string cut(std::string text) {
  if (width(text) <= kColumns) return text;
  std::size_t at = 0;
  for (std::size_t columns = 0; columns < kColumns - 1; ++columns) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return text.substr(0, at) + "…";
}

}  // namespace

std::string_view short_name(const Metric& metric) {
  return metric.nvprof.empty() ? metric.name : metric.nvprof;
}

std::optional<double> shown_value(const LaunchRecord& launch, const Metric& metric) {
  if (const auto value = simulator::value_of(launch.metrics, metric)) return value;
  if (!metric.nvprof_when_empty) return std::nullopt;
  const auto per = simulator::value_of(launch.metrics, *simulator::find_metric(metric.per));
  return per && *per == 0 ? metric.nvprof_when_empty : std::nullopt;
}

Scaled scaled(double value, std::string_view unit) {
  constexpr std::string_view kTimes[] = {"ns", "µs", "ms", "s"};
  constexpr std::string_view kPrefixes[] = {"", "K", "M", "G", "T"};
  const bool time = unit == "ns";
  if (!time && !unit.starts_with("byte")) return {1, std::string(unit)};
  if (!time && value < 1000) return {1, std::string(unit)};
  const std::size_t most = time ? std::size(kTimes) - 1 : std::size(kPrefixes) - 1;
  Scaled result;
  std::size_t steps = 0;
  for (; value * result.factor >= 1000 && steps < most; ++steps) result.factor /= 1000;
  result.unit =
      time ? std::string(kTimes[steps]) : fmt::format("{}B{}", kPrefixes[steps], unit.substr(4));
  return result;
}

std::string stop_text(const LaunchRecord& launch, FaultText faults, const Style& style) {
  std::string text = visible_lines(launch.fault);
  if (faults == FaultText::one_line) {
    text.erase(std::min(text.find('\n'), text.size()));
    if (const Place place = fault_place(launch); place.line != 0)
      text += fmt::format(", {}:{}", visible(std::filesystem::path(place.file).filename().string()),
                          place.line);
  }
  return fmt::format("{} {}\n", style.red("stopped:"), text);
}

std::string kernel_rows(Launches launches, FaultText faults, const Style& style) {
  if (launches.empty()) return {};
  Table table({});
  std::vector<std::string> above{""}, below{""};
  for (const Column& column : columns()) {
    above.emplace_back(column.above);
    below.emplace_back(column.below);
  }
  table.add(above);
  table.add(below);
  const auto groups = by_shape(launches);
  for (const auto& group : groups) {
    std::vector<std::string> row{""};
    for (const Column& column : columns()) row.push_back(cell(group, column));
    table.add(std::move(row));
  }
  std::vector<std::string> lines = table.lines(Table::Align::right);
  std::string text = fmt::format("{}\n{}\n", lines[0], lines[1]);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const LaunchRecord& first = *groups[i].front();
    std::string title =
        fmt::format("{}  {}  grid {}  block {}", visible(display_name(first.kernel)),
                    count_text(groups[i]), dim(first.grid), dim(first.block));
    if (launch_class(groups[i]).starts_with("order-dependent")) title += "  order-dependent";
    text += style.bold(cut(title)) + "\n";
    for (const LaunchRecord* launch : groups[i])
      if (!launch->fault.empty()) text += "  " + stop_text(*launch, faults, style);
    text += lines[i + 2] + "\n" + time_line(groups[i]);
  }
  text += substitute_notes(launches) + common_notes(launches);
  return text + style.dim("--verbose shows more; heddle explain NAME explains a column.") + "\n";
}

std::string kernel_tables(Launches launches, Metrics metrics, const simulator::GpuModel& gpu,
                          const Style& style) {
  std::string text;
  for (const auto& group : by_shape(launches)) {
    if (!text.empty()) text += '\n';
    text += kernel_table(group, metrics, gpu, style);
  }
  return text;
}

std::string csv(Launches launches, Metrics metrics) {
  std::string text = "launch,kernel,grid,block,function,pc,line,metric,unit,kind,value\n";
  const auto row = [&](const LaunchRecord& launch, const std::string& place,
                       const std::string& name, double value) {
    const Metric* metric = simulator::find_metric(name);
    if (!metrics.empty() && std::ranges::find(metrics, metric) == metrics.end()) return;
    const bool modelled = metric != nullptr && metric->kind == simulator::MetricKind::modelled;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", launch.index, csv_cell(demangled(launch.kernel)),
        csv_cell(dim(launch.grid)), csv_cell(dim(launch.block)), place, csv_cell(name),
        metric == nullptr ? "" : csv_cell(metric->unit), modelled ? "modelled" : "exact", value);
  };
  for (const LaunchRecord* launch : launches) {
    for (const auto& [name, value] : launch->metrics) row(*launch, ",,", name, value);
    for (const auto& instruction : launch->instructions)
      for (const auto& [name, value] : instruction.metrics)
        row(*launch,
            fmt::format("{},{},{}", csv_cell(instruction.function), instruction.pc,
                        csv_cell(instruction.line)),
            name, value);
  }
  return text;
}

std::string metric_list() {
  Table table({"metric", "nvprof", "unit", "kind", "meaning"});
  for (const Metric& metric : simulator::metrics())
    table.add({std::string(metric.name), std::string(metric.nvprof), std::string(metric.unit),
               metric.kind == simulator::MetricKind::exact ? "exact" : "modelled",
               std::string(metric.meaning)});
  return table.text();
}

}  // namespace heddle::cli
