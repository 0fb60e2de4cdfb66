#include "traces/sketch/sketch_statistics.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace heddle::simulator {
namespace {

constexpr double kTail = 0.025;
constexpr std::string_view kEfficiency = "smsp__sass_average_branch_targets_threads_uniform.pct";

// Where an increasing function on [0, 1] reaches `wanted`.
template <typename F>
double reached(F&& function, double wanted) {
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) < wanted ? low : high) = middle;
  }
  return high;
}

// A number of [0, 1) that depends on the seed alone: the mixing function of SplitMix64.
double drawn_beside(std::uint64_t seed) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

}  // namespace

std::optional<Interval> interval_of_mean(double mean, double variance, std::uint64_t count) {
  if (count < 2) return std::nullopt;
  const boost::math::students_t distribution(static_cast<double>(count - 1));
  const double half = boost::math::quantile(distribution, 1 - kTail) *
                      std::sqrt(variance / static_cast<double>(count));
  return Interval{mean - half, mean + half};
}

Interval interval_of_proportion(std::uint64_t hits, std::uint64_t trials, double drawn) {
  const auto x = static_cast<double>(hits), n = static_cast<double>(trials);
  // The probability of more hits than there were, and with the number drawn of as many.
  const auto more = [&](double q) {
    const double above = hits == trials ? 0.0 : boost::math::ibeta(x + 1, n - x, q);
    const double as_many_or_above = hits == 0 ? 1.0 : boost::math::ibeta(x, n - x + 1, q);
    return (1 - drawn) * above + drawn * as_many_or_above;
  };
  Interval interval{0, 1};
  if (more(0) < kTail) interval.low = reached(more, kTail);
  if (more(0) >= 1 - kTail)
    interval.high = 0;
  else if (more(1) > 1 - kTail)
    interval.high = reached(more, 1 - kTail);
  return interval;
}

void SketchStatistics::add(const SketchProgram::Ran& ran, const GpuModel& model,
                           std::uint64_t seed) {
  for (const auto& [name, value] : make_launch_record(ran.request, ran.outcome, model).metrics) {
    const Metric* metric = find_metric(name.text());
    if (metric == nullptr) continue;
    Sum& sum = sums_[metric->name];
    const double step = value - sum.mean;
    sum.mean += step / static_cast<double>(++sum.count);
    sum.squares += step * (value - sum.mean);
  }
  ++seeds_;
  last_seed_ = seed;
  std::size_t sites = 0;
  for (const auto& [pc, counts] : ran.outcome.counts) {
    const std::uint64_t executions = counts.branch_uniform + counts.branch_divergent;
    if (executions == 0) continue;
    ++sites;
    warps_are_trials_ = warps_are_trials_ && executions == ran.outcome.warps;
    uniform_ += counts.branch_uniform;
    branches_ += executions;
  }
  warps_are_trials_ = warps_are_trials_ && sites == 1;
}

std::vector<SketchStatistics::Row> SketchStatistics::rows() const {
  std::vector<Row> rows;
  for (const Metric& metric : metrics()) {
    const auto found = sums_.find(metric.name);
    if (found == sums_.end() || found->second.count != seeds_) continue;
    const Sum& sum = found->second;
    Row row{&metric, sum.mean, std::nullopt};
    if (metric.name == kEfficiency && warps_are_trials_) {
      Interval share = interval_of_proportion(uniform_, branches_, drawn_beside(last_seed_));
      row.interval = Interval{100 * share.low, 100 * share.high};
    } else if (seeds_ > 1) {
      row.interval =
          interval_of_mean(sum.mean, sum.squares / static_cast<double>(seeds_ - 1), seeds_);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace heddle::simulator
