// How far the model's times are from the hardware's: one row per program and kernel, so that a
// program with many easy launches counts no more than another.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/record/record.hpp"
#include "validation/suite.hpp"

namespace heddle::validation {

// A value of the model beside the hardware's median.
struct Beside {
  double model = 0, hardware = 0;
};

// All launches of one kernel in one entry of the suite.
struct TimingRow {
  std::string entry, kernel;
  std::size_t launches = 0;
  std::string time_bound;  // of the model's first one: LaunchRecord
  // Cycles of the busiest SM (sm__cycles_active.max), mean of the launches; each launch counts with
  // the median of its measurements.
  Beside cycles;
  // Mean over the launches of (model - hardware) / hardware, signed.
  double error = 0;
  // Mean over launches and measurements of |measurement - median| / median: the hardware against
  // itself.
  double spread = 0;
  // Mean over launches of half the sum of |p - q| over the stall reasons, p and q being the shares
  // of all warps' cycles; and the same between each measurement and the mean of the measurements.
  std::optional<double> stall_distance, stall_spread;
  // By reason: cycles of warps for each instruction issued, means of the launches.
  std::map<std::string, Beside> stalls;
  // Mean over launches of half the sum of |p - q| over source lines, p and q being their shares of
  // all samples; the same over instructions; and over instructions and reasons.
  std::optional<double> line_distance, place_distance, sample_distance;
  // Of the first two, what a sample of this size is expected to be apart from what it was drawn
  // from, were its draws independent.
  std::optional<double> line_noise, place_noise;
  // Means of the launches, in % and in bytes.
  std::optional<Beside> l1_hit_rate, l2_hit_rate, dram_bytes;
  // The same for every metric that the model has. Hardware's part: absent where it was not
  // measured, the model's where the metric is exact.
  struct Metric {
    double model = 0;
    std::optional<double> hardware;
  };
  std::map<std::string, Metric> metrics;
};

// Of one entry. Launches are joined by index; one whose kernels differ, or that one side did not
// time, is left out. `sampled` holds the hardware's samples, where there are some.
std::vector<TimingRow> timing_rows(const std::string& entry, const simulator::Record& model,
                                   const simulator::Record& hardware,
                                   const simulator::Record& sampled = {});

struct TimingSummary {
  std::size_t rows = 0;
  double mean_absolute = 0, median_absolute = 0, ninetieth = 0, worst = 0;  // of the errors
  double mean_signed = 0;
  double correlation = 0;  // of the logarithms of the cycles; NaN below three rows
  double spread = 0;       // mean
  double stall_distance = 0, stall_spread = 0;  // means
  // Means of the rows that have them.
  double line_distance = 0, place_distance = 0, sample_distance = 0;
  double line_noise = 0, place_noise = 0;
};

// Over the rows of at least `least_cycles` cycles on the hardware.
TimingSummary summarize(const std::vector<TimingRow>& rows, double least_cycles);

// The kernel's name without return type and parameters, demangled.
std::string kernel_name(const std::string& mangled);

// Cycles of the slower over cycles of the faster. Nothing where a row is missing.
std::optional<Beside> ratio_of(const SuiteRatio& ratio, const std::vector<TimingRow>& rows);

// Elapsed cycles of both variants (sm__cycles_elapsed.max, the sum of a variant's kernels).
struct PairTimes {
  Beside first, second;
  double model_ratio() const { return first.model / second.model; }
  double hardware_ratio() const { return first.hardware / second.hardware; }
  // The model's ratio against the hardware's.
  double error() const { return model_ratio() / hardware_ratio() - 1; }
  // On the hardware one takes more than 3 % longer than the other.
  bool differs() const;
  // The model has the same one as the faster.
  bool same_order() const { return (model_ratio() > 1) == (hardware_ratio() > 1); }
};
// Nothing where a row or its cycles are missing.
std::optional<PairTimes> times_of_pair(const SuitePair& pair, const std::vector<TimingRow>& rows);

// Absent where no row is of this kernel, or the model has no such value.
std::optional<TimingRow::Metric> value_of(const SuiteValue& value,
                                          const std::vector<TimingRow>& rows);

}  // namespace heddle::validation
