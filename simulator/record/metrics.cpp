#include "simulator/record/metrics.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "simulator/base/spelling.hpp"

namespace heddle::simulator {
namespace {

std::string_view without_rollup(std::string_view name) { return name.substr(0, name.find('.')); }

// nvprof's other names for what a metric has a name for: its events, and metrics of older GPUs.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"atom_count", "inst_executed_global_atomics"},
    {"global_atomic_requests", "inst_executed_global_atomics"},
    {"global_load", "inst_executed_global_loads"},
    {"global_load_requests", "inst_executed_global_loads"},
    {"global_reduction_requests", "inst_executed_global_reductions"},
    {"global_store", "inst_executed_global_stores"},
    {"global_store_requests", "inst_executed_global_stores"},
    {"gred_count", "inst_executed_global_reductions"},
    {"inst_executed_tex_ops", "smsp__sass_inst_executed_op_texture.sum"},
    {"texture_load_requests", "smsp__sass_inst_executed_op_texture.sum"},
    {"l2_tex_read_throughput", "l2_read_throughput"},
    {"l2_tex_read_transactions", "l2_read_transactions"},
    {"l2_tex_write_throughput", "l2_write_throughput"},
    {"l2_tex_write_transactions", "l2_write_transactions"},
    {"issue_slots", "inst_issued"},
    {"issued_ipc", "ipc"},
    {"l1_cache_global_hit_rate", "global_hit_rate"},
    {"l1_cache_local_hit_rate", "local_hit_rate"},
    {"local_load", "inst_executed_local_loads"},
    {"local_load_requests", "inst_executed_local_loads"},
    {"local_store", "inst_executed_local_stores"},
    {"local_store_requests", "inst_executed_local_stores"},
    {"shared_atom", "inst_executed_shared_atomics"},
    {"shared_ld_transactions", "shared_load_transactions"},
    {"shared_load", "inst_executed_shared_loads"},
    {"shared_st_transactions", "shared_store_transactions"},
    {"shared_store", "inst_executed_shared_stores"},
};

using ByName = std::unordered_map<std::string_view, const Metric*>;

// Whole names go before short ones, and of these the first one.
ByName all_names() {
  ByName names;
  for (const Metric& metric : metrics()) names.emplace(metric.name, &metric);
  for (const Metric& metric : metrics()) {
    names.emplace(without_rollup(metric.name), &metric);
    if (!metric.nvprof.empty()) names.emplace(metric.nvprof, &metric);
  }
  for (const auto& [other, name] : kSynonyms) names.emplace(other, names.at(name));
  return names;
}

}  // namespace

const Metric* find_metric(std::string_view name) {
  static const ByName& names = *new ByName(all_names());  // as metrics(), never destroyed
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
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

namespace {

// Where each metric stands in metrics(), and what it is made of does.
class Places {
 public:
  static const Places& get() {
    static const Places& places = *new Places;  // as metrics(), never destroyed
    return places;
  }
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Parts {
    std::size_t of = kNone, plus = kNone, per = kNone;
  };
  const Parts& parts(std::size_t place) const { return parts_[place]; }
  // Of all metrics, in the order of their names.
  const std::vector<std::size_t>& by_name() const { return by_name_; }
  const MetricName& name(std::size_t place) const { return names_[place]; }

 private:
  Places() : parts_(metrics().size()), by_name_(metrics().size()) {
    const auto place = [](std::string_view name) {
      return name.empty() ? kNone : static_cast<std::size_t>(find_metric(name) - &metrics()[0]);
    };
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Metric& metric = metrics()[i];
      parts_[i] = {place(metric.of), place(metric.plus), place(metric.per)};
    }
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::ranges::sort(by_name_, {}, [](std::size_t i) { return metrics()[i].name; });
    for (const Metric& metric : metrics()) names_.emplace_back(metric.name);
  }
  std::vector<Parts> parts_;
  std::vector<std::size_t> by_name_;
  std::vector<MetricName> names_;
};

// The values that metrics have, by their places; and what is made of others, worked out once.
class Values {
 public:
  void set(std::size_t place, std::uint64_t sum) {
    values_[place] = static_cast<double>(sum);
    known_[place] = true;
  }

  std::optional<double> at(std::size_t place) {
    if (!known_[place]) {
      values_[place] = made(place);
      known_[place] = true;
    }
    return values_[place];
  }

 private:
  std::optional<double> made(std::size_t place) {
    const Places::Parts& parts = Places::get().parts(place);
    if (parts.of == Places::kNone) return std::nullopt;
    double value = 0;
    for (const std::size_t part : {parts.of, parts.plus}) {
      if (part == Places::kNone) continue;
      const auto summand = at(part);
      if (!summand) return std::nullopt;
      value += *summand;
    }
    const double scale = metrics()[place].scale;
    if (parts.per == Places::kNone) return scale * value;
    const auto per = at(parts.per);
    if (!per || *per == 0) return std::nullopt;
    return scale * value / *per;
  }

  std::vector<std::optional<double>> values_ = std::vector<std::optional<double>>(metrics().size());
  std::vector<bool> known_ = std::vector<bool>(metrics().size());
};

void add_sums(std::span<const CountedInstruction> instructions, Values& values) {
  const bool timed = std::ranges::any_of(
      instructions, [](const CountedInstruction& counted) { return counted.stalls != nullptr; });
  for (std::size_t i = 0; i < metrics().size(); ++i) {
    const Metric& metric = metrics()[i];
    std::uint64_t sum = 0;
    if (metric.amount != nullptr) {
      for (const CountedInstruction& counted : instructions)
        sum += metric.amount(*counted.instruction, counted.counts);
      values.set(i, sum);
    } else if (metric.samples && timed) {
      for (const CountedInstruction& counted : instructions)
        if (counted.stalls != nullptr)
          sum += (*counted.stalls)[static_cast<std::size_t>(*metric.samples)];
      values.set(i, sum);
    }
  }
}

}  // namespace

MetricValues evaluate(std::span<const CountedInstruction> instructions) {
  Values values;
  add_sums(instructions, values);
  MetricValues result;
  const Places& places = Places::get();
  result.reserve(metrics().size());
  for (const std::size_t place : places.by_name())
    if (const auto value = values.at(place))
      result.emplace_hint(result.end(), places.name(place), *value);
  return result;
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
