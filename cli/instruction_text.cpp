#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "cli/launch_text.hpp"

namespace heddle::cli {
namespace {

using simulator::Metric;
using simulator::MetricValues;

// Columns when no metrics are chosen.
std::vector<const Metric*> usual_columns() {
  std::vector<const Metric*> columns;
  for (const char* name :
       {"inst_executed", "thread_inst_executed", "not_predicated_off_thread_inst_executed",
        "branch", "divergent_branch", "smsp__sass_sectors_mem_global",
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"})
    columns.push_back(simulator::find_metric(name));
  return columns;
}

// Headings as short as they can be; the metric's own name where it was asked for.
std::vector<std::string> headings(Metrics metrics) {
  if (metrics.empty())
    return {"warp inst", "thread inst", "pred. on",  "branches",
            "divergent", "sectors",     "wavefronts"};
  std::vector<std::string> names;
  for (const Metric* metric : metrics) names.emplace_back(metric->name);
  return names;
}

// Of an instruction or a line. A sum that the launch has and it has not is zero there.
std::optional<double> part_of(const simulator::LaunchRecord& launch, const MetricValues& values,
                              const Metric& metric) {
  if (metric.is_sum() && metric.of.empty()) {
    if (const auto found = values.find(metric.name); found != values.end()) return found->second;
    if (launch.metrics.contains(metric.name) && metric.of_launch == nullptr &&
        metric.of_timing == nullptr)
      return 0;
    return std::nullopt;
  }
  if (metric.of.empty()) return std::nullopt;  // of the launch as a whole
  double value = 0;
  for (const std::string_view name : {metric.of, metric.plus}) {
    if (name.empty()) continue;
    const auto summand = part_of(launch, values, *simulator::find_metric(name));
    if (!summand) return std::nullopt;
    value += *summand;
  }
  if (metric.per.empty()) return metric.scale * value;
  const auto per = part_of(launch, values, *simulator::find_metric(metric.per));
  if (!per || *per == 0) return std::nullopt;
  return metric.scale * value / *per;
}

std::vector<std::string> cells(const simulator::LaunchRecord& launch, const MetricValues& values,
                               Metrics columns) {
  std::vector<std::string> row;
  for (const Metric* metric : columns) {
    const auto value = part_of(launch, values, *metric);
    const bool empty = !value || (*value == 0 && metric->per.empty());
    row.push_back(empty                 ? ""
                  : metric->unit == "%" ? fmt::format("{:.2f}", *value)
                                        : readable(*value));
  }
  return row;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::string instruction_table(const simulator::LaunchRecord& launch, Metrics metrics) {
  const std::vector<const Metric*> usual = usual_columns();
  const Metrics columns = metrics.empty() ? Metrics(usual) : metrics;
  Table table(joined(joined({"pc"}, headings(metrics)), {"instruction", "line"}));
  std::string function = launch.kernel;
  std::string text;
  for (const auto& instruction : launch.instructions) {
    if (instruction.function != function) {
      function = instruction.function;
      table.add({fmt::format("{}:", visible(display_name(function)))});
    }
    table.add(joined(joined({fmt::format("{:04x}", instruction.pc)},
                            cells(launch, instruction.metrics, columns)),
                     {visible(instruction.text), visible(instruction.line)}));
  }
  return table.text(2);
}

std::string source_table(const simulator::LaunchRecord& launch, Metrics metrics) {
  const std::vector<const Metric*> usual = usual_columns();
  const Metrics columns = metrics.empty() ? Metrics(usual) : metrics;
  std::map<std::pair<std::string, std::string>, MetricValues> lines;  // line and function
  for (const auto& instruction : launch.instructions) {
    const std::string& where =
        instruction.inlined.empty() ? instruction.function : instruction.inlined;
    MetricValues& sums = lines[{instruction.line, where}];
    for (const auto& [name, value] : instruction.metrics) {
      const Metric* metric = simulator::find_metric(name.text());
      if (metric == nullptr || metric->is_sum()) sums[name] += value;
    }
  }
  Table table(joined({"line"}, joined(headings(metrics), {"function"})));
  for (const auto& [place, sums] : lines)
    table.add(joined({place.first.empty() ? "(no line)" : visible(place.first)},
                     joined(cells(launch, sums, columns), {visible(display_name(place.second))})));
  return table.text(2);
}

}  // namespace heddle::cli
