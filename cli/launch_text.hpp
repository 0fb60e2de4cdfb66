// The record of launches, as text and as CSV.
#pragma once

#include <span>
#include <string>

#include "cli/text.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

using Launches = std::span<const simulator::LaunchRecord* const>;
using Metrics = std::span<const simulator::Metric* const>;

// nvprof's name where there is one: those are the names the tutorials use.
std::string_view short_name(const simulator::Metric& metric);
// The launch's value; nvprof's where there is nothing to divide by. Nothing where it is not known.
std::optional<double> shown_value(const simulator::LaunchRecord& launch,
                                  const simulator::Metric& metric);
// A value and its unit as people read them: 287161892116 byte/s is 287.16 GB/s.
struct Scaled {
  double factor = 1;
  std::string unit;
};
Scaled scaled(double value, std::string_view unit);

// Why a launch was stopped. A program tells of a fault when it happens: a report at its end need
// not repeat more than what and where.
enum class FaultText : std::uint8_t { whole, one_line };
std::string stop_text(const simulator::LaunchRecord& launch, FaultText faults, const Style& style);
// What a developer asks first, a row per kernel and shape, in 100 columns.
std::string kernel_rows(Launches launches, FaultText faults, const Style& style);
// One section per kernel and shape: everything, or the chosen metrics. A value
// that differs between launches of the same shape is shown as lowest … highest.
std::string kernel_tables(Launches launches, Metrics metrics, const simulator::GpuModel& gpu,
                          const Style& style);
// What nvprof prints for the metrics (all with an nvprof name when none are chosen).
std::string nvprof_text(Launches launches, Metrics metrics, const std::string& device);
// Every instruction of a launch; then the same summed per source line and inlined function.
std::string instruction_table(const simulator::LaunchRecord& launch, Metrics metrics);
std::string source_table(const simulator::LaunchRecord& launch, Metrics metrics);

// One row per launch and metric (per instruction too, where the record has them).
std::string csv(Launches launches, Metrics metrics);

// All metrics there are: name, nvprof's name, unit, kind, meaning.
std::string metric_list();

}  // namespace heddle::cli
