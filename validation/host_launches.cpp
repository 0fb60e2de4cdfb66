#include "validation/host_launches.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "simulator/record/metrics.hpp"

namespace heddle::validation {
namespace {

using simulator::InstructionRecord;
using simulator::LaunchRecord;
using simulator::Metric;
using simulator::MetricValues;

bool is_sum(const std::string& metric) {
  const Metric* row = simulator::find_metric(metric);
  return row != nullptr && row->is_sum();
}

// Blocks and warps: hardware also counts those of the grids by which the driver launches others,
// and how many it needs depends on time (docs/experiments/device-launches.md).
bool counts_the_drivers_grids(const Metric& row) {
  return row.of_launch != nullptr && row.is_sum();
}

// What one of them lacks is not known of both.
void add_totals(MetricValues& values, const MetricValues& more) {
  MetricValues sums;
  for (const auto& [metric, value] : values) {
    const Metric* row = simulator::find_metric(metric.text());
    const bool summed = is_sum(metric);
    if (row != nullptr && (!row->of.empty() || counts_the_drivers_grids(*row))) continue;
    if (summed && !more.contains(metric)) continue;
    sums.emplace_hint(sums.end(), metric, summed ? value + more.at(metric) : value);
  }
  values = std::move(sums);
  simulator::complete(values);
}

using Place = std::pair<std::string, std::uint64_t>;

void add_instructions(std::vector<InstructionRecord>& instructions,
                      const std::vector<InstructionRecord>& more) {
  std::map<Place, std::size_t> places;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    places[{instructions[i].function, instructions[i].pc}] = i;
  for (const InstructionRecord& each : more) {
    const auto [found, is_new] = places.emplace(Place{each.function, each.pc}, instructions.size());
    if (is_new) {
      instructions.push_back(each);
      continue;
    }
    for (const auto& [metric, value] : each.metrics)
      instructions[found->second].metrics[metric] += value;
  }
}

void add(LaunchRecord& launch, const LaunchRecord& nested) {
  add_totals(launch.metrics, nested.metrics);
  add_instructions(launch.instructions, nested.instructions);
  launch.memory = nested.memory;
  launch.globals = nested.globals;
  if (nested.launch_class == "order-dependent") launch.launch_class = nested.launch_class;
  for (const std::string& reason : nested.class_reasons)
    if (std::ranges::find(launch.class_reasons, reason) == launch.class_reasons.end())
      launch.class_reasons.push_back(reason);
  if (launch.races == "none" || nested.races == "found") launch.races = nested.races;
  if (launch.fault.empty()) launch.fault = nested.fault;
}

}  // namespace

std::vector<LaunchRecord> host_launches(const simulator::Record& record) {
  std::vector<LaunchRecord> launches;
  std::uint64_t nested = 0;
  for (const LaunchRecord& launch : record.launches) {
    if (launch.nesting != 0 && !launches.empty()) {
      add(launches.back(), launch);
      ++nested;
      continue;
    }
    launches.push_back(launch);
    launches.back().index -= nested;
  }
  return launches;
}

}  // namespace heddle::validation
