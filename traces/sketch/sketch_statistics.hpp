// What several seeds of a sketch say together: a mean and a 95 % interval for every metric.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/record/metrics.hpp"
#include "traces/sketch/run_sketch.hpp"

namespace heddle::simulator {

struct Interval {
  double low = 0, high = 0;
};

// Of the mean of `count` independent values: Student's. Nothing for fewer than two.
std::optional<Interval> interval_of_mean(double mean, double variance, std::uint64_t count);

// Of a proportion, from `hits` of `trials` independent trials and a number of [0, 1) drawn beside
// them: Stevens' (Biometrika 37, 1950). The only kind that holds the truth in 95 % of all cases
// whatever the proportion is: between two counts it decides by that number. Any other is wrong more
// often, or (Clopper and Pearson's) less often than it says, and where a proportion is so small
// that no trial ever hits, that would be never.
Interval interval_of_proportion(std::uint64_t hits, std::uint64_t trials, double drawn);

class SketchStatistics {
 public:
  void add(const SketchProgram::Ran& ran, const GpuModel& model, std::uint64_t seed);

  struct Row {
    const Metric* metric = nullptr;
    double mean = 0;
    std::optional<Interval> interval;
  };
  // In the order of the metric table: what every seed had. A proportion of branches where a warp
  // meets one branch once is one of independent trials, and has an interval from one seed on;
  // everything else needs two.
  std::vector<Row> rows() const;
  std::uint64_t seeds() const { return seeds_; }

 private:
  struct Sum {
    std::uint64_t count = 0;
    double mean = 0, squares = 0;  // Welford's
  };
  std::map<std::string_view, Sum> sums_;
  std::uint64_t seeds_ = 0, last_seed_ = 0;
  bool warps_are_trials_ = true;
  std::uint64_t uniform_ = 0, branches_ = 0;
};

}  // namespace heddle::simulator
