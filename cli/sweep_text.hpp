// The result of a sweep: a table, a tidy CSV and a page with a plot.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_job.hpp"
#include "cli/text.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {

struct Sweep {
  SweepPlan plan;
  std::vector<std::optional<JobResult>> results;  // one for each job; none: it was not run
  std::vector<const simulator::Metric*> metrics;  // the first decides which job is best
  bool most = false;                              // the best has the largest value
  std::vector<std::size_t> per;  // axes (a problem's size …) of which each value has its own best

  // Of all kernels of a job; nothing where it failed or lacks the metric.
  std::optional<double> value(std::size_t job, const simulator::Metric& metric) const;
  // The jobs with the best value, one for each combination of the values of `per` that has one.
  std::vector<std::size_t> best() const;
  // What limits the kernel that has most of the first metric.
  std::string limit(std::size_t job) const;
};

std::string sweep_table(const Sweep& sweep, const Style& style);
// One row per job, kernel and metric; a failed job is one row.
std::string sweep_csv(const Sweep& sweep);
// What the viewer draws.
nlohmann::ordered_json sweep_json(const Sweep& sweep);

}  // namespace heddle::cli
