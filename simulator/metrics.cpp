#include "simulator/metrics.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "simulator/near.hpp"

namespace heddle::simulator {
namespace {

std::string_view without_rollup(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace

const Metric* find_metric(std::string_view name) {
  for (const Metric& metric : metrics())
    if (metric.name == name) return &metric;
  for (const Metric& metric : metrics())
    if (without_rollup(metric.name) == name || (!metric.nvprof.empty() && metric.nvprof == name))
      return &metric;
  return nullptr;
}

std::string_view nearest_metric(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics()) {
    names.push_back(metric.name);
    names.push_back(without_rollup(metric.name));
    if (!metric.nvprof.empty()) names.push_back(metric.nvprof);
  }
  return nearest(name, names);
}

MetricValues evaluate(std::span<const CountedInstruction> instructions) {
  MetricValues values;
  for (const Metric& metric : metrics()) {
    if (metric.amount == nullptr) continue;
    std::uint64_t sum = 0;
    for (const CountedInstruction& counted : instructions)
      sum += metric.amount(*counted.instruction, counted.counts);
    values.emplace(metric.name, static_cast<double>(sum));
  }
  for (const Metric& metric : metrics()) {
    if (!metric.samples) continue;
    std::uint64_t sum = 0;
    bool timed = false;
    for (const CountedInstruction& counted : instructions) {
      if (counted.stalls == nullptr) continue;
      timed = true;
      sum += (*counted.stalls)[static_cast<std::size_t>(*metric.samples)];
    }
    if (timed) values.emplace(metric.name, static_cast<double>(sum));
  }
  complete(values);
  return values;
}

void complete(MetricValues& values) {
  for (const Metric& metric : metrics())
    if (const auto value = value_of(values, metric)) values.emplace(metric.name, *value);
}

std::optional<double> value_of(const MetricValues& values, const Metric& metric) {
  if (const auto found = values.find(metric.name); found != values.end()) return found->second;
  if (metric.of.empty()) return std::nullopt;
  double value = 0;
  for (const std::string_view part : {metric.of, metric.plus}) {
    if (part.empty()) continue;
    const auto summand = value_of(values, *find_metric(part));
    if (!summand) return std::nullopt;
    value += *summand;
  }
  if (metric.per.empty()) return metric.scale * value;
  const auto per = value_of(values, *find_metric(metric.per));
  if (!per || *per == 0) return std::nullopt;
  return metric.scale * value / *per;
}

}  // namespace heddle::simulator
