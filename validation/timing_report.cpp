#include "validation/timing_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::validation {
namespace {

using simulator::LaunchRecord;

constexpr const char* kCycles = "sm__cycles_active.max";
constexpr std::string_view kStallBefore = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallAfter = "_per_issue_active.ratio";

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The value below which a share of the values lies, between neighbours by straight line.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 == values.size()) return values[below];
  return std::lerp(values[below], values[below + 1], at - static_cast<double>(below));
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

using Shares = std::map<std::string, double, std::less<>>;

bool is_stall(std::string_view metric) {
  return metric.starts_with(kStallBefore) && metric.ends_with(kStallAfter);
}

void normalize(Shares& shares) {
  double sum = 0;
  for (const auto& [name, value] : shares) sum += value;
  if (sum == 0) return shares.clear();
  for (auto& [name, value] : shares) value /= sum;
}

Shares model_shares(const LaunchRecord& launch) {
  Shares shares;
  for (const auto& [name, value] : launch.metrics)
    if (is_stall(name.text())) shares[name.text()] = value;
  normalize(shares);
  return shares;
}

// Of the measurement numbered `which`, or of the mean of all.
Shares hardware_shares(const LaunchRecord& launch, std::optional<std::size_t> which) {
  Shares shares;
  for (const auto& [name, values] : launch.timing)
    if (is_stall(name) && !values.empty())
      shares[name] = which ? values[std::min(*which, values.size() - 1)] : mean(values);
  normalize(shares);
  return shares;
}

std::optional<double> distance(const Shares& a, const Shares& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    sum += std::abs(value - (other == b.end() ? 0 : other->second));
  }
  for (const auto& [name, value] : b)
    if (!a.contains(name)) sum += value;
  return sum / 2;
}

constexpr std::string_view kSamples = "smsp__pcsamp_warps_issue_stalled_";

using Place = std::pair<std::string, std::uint64_t>;  // a function and a PC in it
using Lines = std::map<Place, std::string>;

// The source lines of the model's instructions; an instruction without one stands for itself.
Lines lines_of(const LaunchRecord& model) {
  Lines lines;
  for (const simulator::InstructionRecord& each : model.instructions)
    if (!each.line.empty()) lines[{each.function, each.pc}] = each.line;
  return lines;
}

enum class By : std::uint8_t { line, instruction, reason };

// How many samples of the launch fell on each line, instruction, or instruction and reason.
Shares sample_counts(const LaunchRecord& launch, const Lines& lines, By by) {
  Shares counts;
  for (const simulator::InstructionRecord& instruction : launch.instructions) {
    std::string place = fmt::format("{}+{}", instruction.function, instruction.pc);
    const auto line = lines.find({instruction.function, instruction.pc});
    if (by == By::line && line != lines.end()) place = line->second;
    for (const auto& [name, value] : instruction.metrics)
      if (name.text().starts_with(kSamples))
        counts[by == By::reason ? place + " " + name.text() : place] += value;
  }
  return counts;
}

// The expected distance of shares of `counts` independent draws from what they are drawn from: the
// mean deviation of a binomial variable is about sqrt(2 p (1 - p) / (pi n)).
std::optional<double> sampling_noise(const Shares& counts) {
  double total = 0, sum = 0;
  for (const auto& [name, count] : counts) total += count;
  if (total == 0) return std::nullopt;
  for (const auto& [name, count] : counts) {
    const double share = count / total;
    sum += std::sqrt(2 * share * (1 - share) / (std::numbers::pi * total));
  }
  return sum / 2;
}

std::optional<double> measured(const LaunchRecord& launch, std::string_view metric) {
  const auto found = launch.timing.find(metric);
  if (found == launch.timing.end() || found->second.empty()) return std::nullopt;
  return median(found->second);
}

std::optional<double> modelled(const LaunchRecord& launch, std::string_view metric) {
  const auto found = launch.metrics.find(metric);
  return found == launch.metrics.end() ? std::nullopt : std::optional(found->second);
}

// Collects what the launches of one kernel have.
struct Collected {
  std::vector<double> model_cycles, hardware_cycles, errors, spreads, stalls, stall_spreads;
  std::vector<double> lines, places, samples, line_noises, place_noises;
  struct Pairs {
    std::vector<double> model, hardware;
    void add(std::optional<double> m, std::optional<double> h) {
      if (m && h) model.push_back(*m), hardware.push_back(*h);
    }
    std::optional<Beside> means() const {
      if (model.empty()) return std::nullopt;
      return Beside{mean(model), mean(hardware)};
    }
  };
  Pairs l1, l2, dram;
  std::string time_bound;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> metrics;

  void add_samples(const LaunchRecord& model, const LaunchRecord& sampled) {
    const Lines of = lines_of(model);
    const auto compare = [&](By by, std::vector<double>& distances, std::vector<double>* noises) {
      Shares ours = sample_counts(model, of, by), theirs = sample_counts(sampled, of, by);
      const std::optional<double> noise = sampling_noise(theirs);
      normalize(ours);
      normalize(theirs);
      const std::optional<double> apart = distance(ours, theirs);
      if (apart) distances.push_back(*apart);
      if (apart && noise && noises != nullptr) noises->push_back(*noise);
    };
    compare(By::line, lines, &line_noises);
    compare(By::instruction, places, &place_noises);
    compare(By::reason, samples, nullptr);
  }

  void add(const LaunchRecord& model, const LaunchRecord& hardware, double cycles, double truth) {
    if (model_cycles.empty()) time_bound = model.time_bound;
    model_cycles.push_back(cycles);
    hardware_cycles.push_back(truth);
    errors.push_back((cycles - truth) / truth);
    const std::vector<double>& times = hardware.timing.find(kCycles)->second;
    for (const double time : times) spreads.push_back(std::abs(time - truth) / truth);
    const Shares shares = hardware_shares(hardware, {});
    if (const auto apart = distance(model_shares(model), shares)) stalls.push_back(*apart);
    for (std::size_t i = 0; i < times.size(); ++i)
      if (const auto apart = distance(hardware_shares(hardware, i), shares))
        stall_spreads.push_back(*apart);
    for (const auto& [pairs, name] :
         {std::pair{&l1, "l1tex__t_sector_hit_rate.pct"}, {&l2, "lts__t_sector_hit_rate.pct"}})
      pairs->add(modelled(model, name), measured(hardware, name));
    const auto both = [](std::optional<double> a, std::optional<double> b) {
      return a && b ? std::optional(*a + *b) : std::nullopt;
    };
    const char *read = "dram__bytes_read.sum", *write = "dram__bytes_write.sum";
    for (const auto& [name, value] : model.metrics) {
      auto& [ours, theirs] = metrics[name.text()];
      ours.push_back(value);
      const simulator::Metric* row = simulator::find_metric(name.text());
      if (const auto found = measured(hardware, name.text()))
        theirs.push_back(*found);
      else if (row != nullptr && row->kind == simulator::MetricKind::exact)
        theirs.push_back(value);
    }
    dram.add(both(modelled(model, read), modelled(model, write)),
             both(measured(hardware, read), measured(hardware, write)));
  }
};

std::optional<double> mean_if_any(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

}  // namespace

std::vector<TimingRow> timing_rows(const std::string& entry, const simulator::Record& model,
                                   const simulator::Record& hardware,
                                   const simulator::Record& sampled) {
  std::map<std::uint64_t, const LaunchRecord*> by_index, sampled_by_index;
  for (const LaunchRecord& launch : model.launches) by_index[launch.index] = &launch;
  for (const LaunchRecord& launch : sampled.launches) sampled_by_index[launch.index] = &launch;
  std::vector<std::string> order;
  std::map<std::string, Collected> kernels;
  for (const LaunchRecord& launch : hardware.launches) {
    const auto found = by_index.find(launch.index);
    if (found == by_index.end() || found->second->kernel != launch.kernel) continue;
    const auto cycles = modelled(*found->second, kCycles), truth = measured(launch, kCycles);
    if (!cycles || !truth || *truth == 0) continue;
    if (!kernels.contains(launch.kernel)) order.push_back(launch.kernel);
    kernels[launch.kernel].add(*found->second, launch, *cycles, *truth);
    if (const auto samples = sampled_by_index.find(launch.index);
        samples != sampled_by_index.end() && samples->second->kernel == launch.kernel)
      kernels[launch.kernel].add_samples(*found->second, *samples->second);
  }
  std::vector<TimingRow> rows;
  for (const std::string& kernel : order) {
    const Collected& all = kernels[kernel];
    TimingRow row;
    row.entry = entry;
    row.kernel = kernel;
    row.launches = all.errors.size();
    row.time_bound = all.time_bound;
    row.cycles = {mean(all.model_cycles), mean(all.hardware_cycles)};
    row.error = mean(all.errors);
    row.spread = mean(all.spreads);
    row.stall_distance = mean_if_any(all.stalls);
    row.stall_spread = mean_if_any(all.stall_spreads);
    row.line_distance = mean_if_any(all.lines);
    row.place_distance = mean_if_any(all.places);
    row.line_noise = mean_if_any(all.line_noises);
    row.place_noise = mean_if_any(all.place_noises);
    row.sample_distance = mean_if_any(all.samples);
    row.l1_hit_rate = all.l1.means();
    row.l2_hit_rate = all.l2.means();
    row.dram_bytes = all.dram.means();
    for (const auto& [name, values] : all.metrics)
      row.metrics[name] = {mean(values.first), mean_if_any(values.second)};
    for (const auto& [name, values] : row.metrics)
      if (is_stall(name) && values.hardware)
        row.stalls[name.substr(kStallBefore.size(),
                               name.size() - kStallBefore.size() - kStallAfter.size())] = {
            values.model, *values.hardware};
    rows.push_back(std::move(row));
  }
  return rows;
}

TimingSummary summarize(const std::vector<TimingRow>& rows, double least_cycles) {
  std::vector<double> errors, absolute, spreads, stalls, stall_spreads, model, hardware;
  std::vector<double> lines, places, samples, line_noises, place_noises;
  const auto put = [](std::vector<double>& values, const std::optional<double>& value) {
    if (value) values.push_back(*value);
  };
  for (const TimingRow& row : rows) {
    if (row.cycles.hardware < least_cycles) continue;
    errors.push_back(row.error);
    absolute.push_back(std::abs(row.error));
    spreads.push_back(row.spread);
    put(stalls, row.stall_distance);
    put(stall_spreads, row.stall_spread);
    put(lines, row.line_distance);
    put(places, row.place_distance);
    put(samples, row.sample_distance);
    put(line_noises, row.line_noise);
    put(place_noises, row.place_noise);
    model.push_back(std::log(std::max(row.cycles.model, 1.0)));
    hardware.push_back(std::log(row.cycles.hardware));
  }
  TimingSummary summary;
  summary.rows = errors.size();
  if (errors.empty()) return summary;
  summary.mean_absolute = mean(absolute);
  summary.median_absolute = median(absolute);
  constexpr double kNinetieth = 0.9;
  summary.ninetieth = quantile(absolute, kNinetieth);
  summary.worst = *std::ranges::max_element(absolute);
  summary.mean_signed = mean(errors);
  summary.correlation = correlation(model, hardware);
  summary.spread = mean(spreads);
  summary.stall_distance = mean_if_any(stalls).value_or(0);
  summary.stall_spread = mean_if_any(stall_spreads).value_or(0);
  summary.line_distance = mean_if_any(lines).value_or(0);
  summary.place_distance = mean_if_any(places).value_or(0);
  summary.line_noise = mean_if_any(line_noises).value_or(0);
  summary.place_noise = mean_if_any(place_noises).value_or(0);
  summary.sample_distance = mean_if_any(samples).value_or(0);
  return summary;
}

std::string kernel_name(const std::string& mangled) {
  std::string name = simulator::demangled(mangled);
  name = name.substr(0, name.find('('));
  constexpr std::string_view kVoid = "void ";  // what a template's demangled name begins with
  return name.starts_with(kVoid) ? name.substr(kVoid.size()) : name;
}

namespace {

const TimingRow* find(const SuiteRatio::Place& place, const std::vector<TimingRow>& rows) {
  const auto found = std::ranges::find_if(rows, [&](const TimingRow& row) {
    return row.entry == place.entry && kernel_name(row.kernel) == place.kernel;
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Beside> ratio_of(const SuiteRatio& ratio, const std::vector<TimingRow>& rows) {
  const TimingRow *slower = find(ratio.slower, rows), *faster = find(ratio.faster, rows);
  if (slower == nullptr || faster == nullptr) return std::nullopt;
  return Beside{slower->cycles.model / faster->cycles.model,
                slower->cycles.hardware / faster->cycles.hardware};
}

bool PairTimes::differs() const {
  constexpr double kSame = 1.03;
  return std::max(hardware_ratio(), 1 / hardware_ratio()) > kSame;
}

std::optional<PairTimes> times_of_pair(const SuitePair& pair, const std::vector<TimingRow>& rows) {
  PairTimes times;
  for (const auto& [kernels, sum] :
       {std::pair{&pair.first, &times.first}, std::pair{&pair.second, &times.second}})
    for (const std::string& kernel : *kernels) {
      const TimingRow* row = find({pair.entry, kernel}, rows);
      if (row == nullptr) return std::nullopt;
      const auto elapsed = row->metrics.find("sm__cycles_elapsed.max");
      if (elapsed == row->metrics.end() || !elapsed->second.hardware) return std::nullopt;
      sum->model += elapsed->second.model;
      sum->hardware += *elapsed->second.hardware;
    }
  return times;
}

std::optional<TimingRow::Metric> value_of(const SuiteValue& value,
                                          const std::vector<TimingRow>& rows) {
  const TimingRow* row = find(value.place, rows);
  const simulator::Metric* metric = simulator::find_metric(value.metric);
  if (row == nullptr || metric == nullptr) return std::nullopt;
  const auto found = row->metrics.find(std::string(metric->name));
  return found == row->metrics.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace heddle::validation
