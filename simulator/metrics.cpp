#include "simulator/metrics.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "simulator/near.hpp"

namespace heddle::simulator {
namespace {

// Per row of the table, the two sums over a group of instructions.
struct Sums {
  std::uint64_t amount = 0, per = 0;
};

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
    Sums sums;
    for (const CountedInstruction& counted : instructions) {
      sums.amount += metric.amount(*counted.instruction, counted.counts);
      if (metric.per != nullptr) sums.per += metric.per(*counted.instruction, counted.counts);
    }
    if (metric.is_sum())
      values.emplace(metric.name, static_cast<double>(sums.amount));
    else if (sums.per != 0)
      values.emplace(metric.name, metric.scale * static_cast<double>(sums.amount) /
                                      static_cast<double>(sums.per));
  }
  return values;
}

}  // namespace heddle::simulator
