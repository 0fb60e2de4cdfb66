// Launches of several variants of a program side by side: kernel by kernel, source line by source
// line, branch by branch. The first variant is what the others are compared with.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/variant.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {

// A kernel of one variant: `launch` holds the mean of its launches' metrics.
struct Side {
  simulator::LaunchRecord launch;       // the first, without instructions
  std::vector<std::uint64_t> launches;  // their indices
};

// A source line or a branch. A variant that has none is empty in all three.
struct PlaceDifference {
  std::vector<std::string> places;  // "file.cu:12"; of a branch "file.cu:12 branch 1"
  std::string text;                 // of the source line, where it was found
  std::vector<std::optional<simulator::MetricValues>> values;
};

struct KernelDifference {
  std::vector<Side> sides;  // one for each variant
  std::vector<PlaceDifference> lines, branches;
};

struct Difference {
  std::vector<std::string> variants;
  std::vector<KernelDifference> kernels;
  std::vector<std::string> notes;  // how kernels were matched, and what has no partner
};

// `matches`: pairs of kernels, of the first variant and of another, as KernelFilter names them.
// Others are matched by name, then by what is left over; launches by their order. Throws
// std::runtime_error where a name of `matches` is no kernel's.
Difference difference(const std::vector<Variant>& variants,
                      const std::vector<std::pair<std::string, std::string>>& matches);

// "38 % fewer warp instructions; branch efficiency from 71 to 100 %". Empty: they do the same.
std::string meaning(const simulator::MetricValues& before, const simulator::MetricValues& after);

// Whether any metric of a kernel differs.
bool differs(const KernelDifference& kernel);

// The value where it is known; of a place, a sum that it lacks is 0.
std::optional<double> value_at(const PlaceDifference& place, std::size_t side,
                               const simulator::Metric& metric);

// Errors of the model's cycles over 92 kernels (docs/deviations/timing.md), in per cent.
inline constexpr double kMedianCyclesError = 3.3, kHighCyclesError = 7.8;

}  // namespace heddle::cli
