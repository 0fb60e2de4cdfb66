#include "cli/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/launch_text.hpp"
#include "simulator/base/json.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using simulator::Metric;
using simulator::MetricValues;

MetricValues pooled(const JobResult& result) {
  MetricValues sums;
  for (const KernelResult& kernel : result.kernels)
    for (const auto& [name, value] : kernel.metrics) {
      const Metric* metric = simulator::find_metric(name.text());
      if (metric != nullptr && !metric->per.empty() && result.kernels.size() > 1) continue;
      double& sum = sums[name];
      sum = metric != nullptr && !metric->is_sum() ? std::max(sum, value) : sum + value;
    }
  simulator::complete(sums);
  return sums;
}

std::string shown(const Metric& metric, double value, double factor) {
  const bool modelled = metric.kind == simulator::MetricKind::modelled;
  value *= factor;
  const bool decimals = metric.unit == "%" || std::nearbyint(value) != value;
  return fmt::format("{}{}", modelled ? "~" : "",
                     decimals ? fmt::format("{:.2f}", value) : readable(value));
}

// One unit for all runs, in which the least has a digit before the point.
Scaled scale_of(const Sweep& sweep, const Metric& metric) {
  std::optional<double> least;
  for (std::size_t job = 0; job < sweep.plan.jobs.size(); ++job)
    if (const auto value = sweep.value(job, metric); value && *value > 0)
      least = std::min(least.value_or(*value), *value);
  return scaled(least.value_or(0), metric.unit);
}

// The first line that says something.
std::string reason(const JobResult& result) {
  if (result.said.empty() && result.status == 0) return "launched no kernel";
  const std::size_t begin = result.said.find_first_not_of("\n ");
  if (begin == result.said.npos) return fmt::format("status {}", result.status);
  return visible(result.said.substr(begin, result.said.find('\n', begin) - begin));
}

std::string best_line(const Sweep& sweep, std::size_t job, const Scaled& scale) {
  std::string settings;
  for (std::size_t i = 0; i < sweep.plan.axes.size(); ++i)
    settings += fmt::format("{}{} {}", i == 0 ? "" : ", ", visible(sweep.plan.axes[i].label()),
                            visible(sweep.plan.jobs[job].values[i]));
  const Metric& metric = *sweep.metrics.front();
  return fmt::format("* {} {}: {}: {} {}\n", sweep.most ? "most" : "least", short_name(metric),
                     settings, shown(metric, *sweep.value(job, metric), scale.factor), scale.unit);
}

}  // namespace

std::optional<double> Sweep::value(std::size_t job, const Metric& metric) const {
  if (!results[job] || results[job]->failed()) return std::nullopt;
  return simulator::value_of(pooled(*results[job]), metric);
}

std::vector<std::size_t> Sweep::best() const {
  std::map<std::vector<std::string>, std::size_t> found;
  for (std::size_t job = 0; job < results.size(); ++job) {
    const auto each = value(job, *metrics.front());
    if (!each) continue;
    std::vector<std::string> problem;
    for (const std::size_t axis : per) problem.push_back(plan.jobs[job].values[axis]);
    const auto [before, is_first] = found.try_emplace(std::move(problem), job);
    const double best = *value(before->second, *metrics.front());
    if (!is_first && (most ? *each > best : *each < best)) before->second = job;
  }
  std::vector<std::size_t> jobs;
  for (const auto& [problem, job] : found) jobs.push_back(job);
  std::ranges::sort(jobs);
  return jobs;
}

std::string Sweep::limit(std::size_t job) const {
  if (!results[job]) return "not run";
  if (results[job]->failed()) return "failed: " + reason(*results[job]);
  const auto& kernels = results[job]->kernels;
  const auto cost = [&](const KernelResult& kernel) {
    return simulator::value_of(kernel.metrics, *metrics.front()).value_or(0);
  };
  return std::ranges::max_element(kernels, {}, cost)->limit;
}

std::string sweep_table(const Sweep& sweep, const Style& style) {
  std::vector<std::string> header;
  for (const Axis& axis : sweep.plan.axes) header.push_back(visible(axis.label()));
  std::vector<Scaled> scales;
  for (const Metric* metric : sweep.metrics) {
    scales.push_back(scale_of(sweep, *metric));
    const std::string& unit = scales.back().unit;
    header.push_back(fmt::format("{}{}{}", short_name(*metric), unit.empty() ? "" : ", ", unit));
  }
  header.emplace_back("what limits it");
  Table table(header);
  const std::vector<std::size_t> best = sweep.best();
  for (std::size_t job = 0; job < sweep.plan.jobs.size(); ++job) {
    std::vector<std::string> row;
    for (const std::string& value : sweep.plan.jobs[job].values) row.push_back(visible(value));
    for (std::size_t i = 0; i < sweep.metrics.size(); ++i) {
      const auto value = sweep.value(job, *sweep.metrics[i]);
      row.push_back(value ? shown(*sweep.metrics[i], *value, scales[i].factor) : "-");
    }
    row.push_back(sweep.limit(job));
    table.add(std::move(row));
  }
  std::vector<std::string> lines = table.lines();
  std::string text = "  " + lines[0] + "\n";
  for (std::size_t job = 0; job + 1 < lines.size(); ++job)
    text += std::ranges::binary_search(best, job) ? style.green("* " + lines[job + 1]) + "\n"
                                                  : "  " + lines[job + 1] + "\n";
  for (const std::size_t job : best) text += best_line(sweep, job, scales[0]);
  return text;
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text = "job";
  for (const Axis& axis : sweep.plan.axes) text += "," + csv_cell(axis.label());
  text += ",status,kernel,launches,metric,unit,modelled,value\n";
  for (std::size_t job = 0; job < sweep.plan.jobs.size(); ++job) {
    std::string begin = fmt::format("{}", job);
    for (const std::string& value : sweep.plan.jobs[job].values) begin += "," + csv_cell(value);
    if (!sweep.results[job]) continue;
    const JobResult& result = *sweep.results[job];
    begin += fmt::format(",{}", result.status);
    if (result.failed()) {
      text += begin + ",,,,,,\n";
      continue;
    }
    for (const KernelResult& kernel : result.kernels)
      for (const auto& [name, value] : kernel.metrics) {
        const Metric* metric = simulator::find_metric(name.text());
        text += fmt::format(
            "{},{},{},{},{},{},{}\n", begin, csv_cell(kernel.kernel), kernel.launches,
            csv_cell(name.text()), metric == nullptr ? "" : csv_cell(metric->unit),
            metric != nullptr && metric->kind == simulator::MetricKind::modelled ? 1 : 0, value);
      }
  }
  return text;
}

Json sweep_json(const Sweep& sweep) {
  Json json = {{"axes", Json::array()}, {"most", sweep.most}, {"jobs", Json::array()}};
  for (const Axis& axis : sweep.plan.axes) simulator::list_at(json, "axes").push_back(axis.label());
  json["metric"] = sweep.metrics.front()->name;
  json["per"] = sweep.per;
  json["best"] = sweep.best();
  Json facts = Json::object();
  for (std::size_t job = 0; job < sweep.plan.jobs.size(); ++job) {
    Json row = {{"values", sweep.plan.jobs[job].values},
                {"limit", sweep.limit(job)},
                {"failed", !sweep.results[job] || sweep.results[job]->failed()},
                {"kernels", Json::array()}};
    if (sweep.results[job] && !sweep.results[job]->failed()) {
      const auto add = [&](const std::string& kernel, const MetricValues& values) {
        Json metrics = Json::object();
        for (const auto& [name, value] : values) metrics[name.text()] = value;
        simulator::list_at(row, "kernels").push_back({{"kernel", kernel}, {"metrics", metrics}});
      };
      add("all kernels", pooled(*sweep.results[job]));
      if (sweep.results[job]->kernels.size() > 1)
        for (const KernelResult& kernel : sweep.results[job]->kernels)
          add(kernel.kernel, kernel.metrics);
    }
    simulator::list_at(json, "jobs").push_back(row);
  }
  for (const Metric& metric : simulator::metrics())
    facts[std::string(metric.name)] = {
        {"short", short_name(metric)},
        {"unit", metric.unit},
        {"meaning", metric.meaning},
        {"modelled", metric.kind == simulator::MetricKind::modelled}};
  json["facts"] = facts;
  return json;
}

}  // namespace heddle::cli
