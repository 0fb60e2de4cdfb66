#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "cli/text.hpp"
#include "simulator/base/spelling.hpp"

namespace heddle::cli {
namespace {

using simulator::KernelFilter;

KernelFilter kernel_filter(const std::string& name) try {
  return KernelFilter(name);
} catch (const std::invalid_argument& bad) {
  throw Usage(fmt::format("--kernel: {}", bad.what()));
}

[[noreturn]] void no_such_kernel(const simulator::Record& record, const std::string& name) {
  std::set<std::string> names;
  for (const auto& launch : record.launches) names.insert(base_name(launch.kernel));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view near = simulator::nearest(name, known);
  if (!near.empty()) throw Usage(fmt::format("no kernel {}; did you mean {}?", name, near));
  throw Usage(fmt::format("no kernel {}; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace

std::vector<const simulator::LaunchRecord*> chosen_launches(const simulator::Record& record,
                                                            const Arguments& arguments) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const std::string name = arguments.value("kernel");
  const KernelFilter filter = kernel_filter(name);
  std::uint64_t skip = arguments.number("launch-skip", kAny).value_or(0);
  std::uint64_t left = arguments.number("launch-count", kAny).value_or(kAny);
  bool matched = false;
  std::vector<const simulator::LaunchRecord*> chosen;
  for (const auto& launch : record.launches) {
    if (!filter.matches(launch.kernel)) continue;
    matched = true;
    if (skip > 0) {
      --skip;
    } else if (left > 0) {
      --left;
      chosen.push_back(&launch);
    }
  }
  if (!matched && !record.launches.empty()) no_such_kernel(record, name);
  return chosen;
}

std::vector<const simulator::Metric*> chosen_metrics(const Arguments& arguments) {
  std::vector<const simulator::Metric*> chosen;
  for (const std::string& name : arguments.list("metrics")) {
    const simulator::Metric* metric = simulator::find_metric(name);
    if (metric == nullptr) {
      const std::string_view near = simulator::nearest_metric(name);
      throw Usage(near.empty() ? fmt::format("no metric {}; --query-metrics lists them", name)
                               : fmt::format("no metric {}; did you mean {}?", name, near));
    }
    chosen.push_back(metric);
  }
  return chosen;
}

}  // namespace heddle::cli
