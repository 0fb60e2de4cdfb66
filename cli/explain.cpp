// heddle explain: what a metric means.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "simulator/metrics.hpp"

namespace heddle::cli {

int run_explain(const Arguments& arguments) {
  if (arguments.words.size() != 1) throw Usage("give one name");
  const std::string& name = arguments.words[0];
  const simulator::Metric* metric = simulator::find_metric(name);
  if (metric == nullptr) {
    const std::string_view near = simulator::nearest_metric(name);
    throw Usage(near.empty()
                    ? fmt::format("nothing known by the name {}", name)
                    : fmt::format("nothing known by the name {}; did you mean {}?", name, near));
  }
  const bool exact = metric->kind == simulator::MetricKind::exact;
  fmt::print("{}\n  {}\n", metric->name, metric->meaning);
  fmt::print("  unit: {}\n", metric->unit);
  fmt::print("  kind: {}\n", exact ? "exact: equals the hardware's count where the launch does not "
                                     "depend on the order of warps"
                                   : "modelled: carries an error");
  if (!metric->nvprof.empty()) fmt::print("  nvprof calls it {}\n", metric->nvprof);
  if (metric->nvprof_when_empty)
    fmt::print("  where there is nothing to count, nvprof says {} and Nsight Compute nothing\n",
               *metric->nvprof_when_empty);
  return 0;
}

}  // namespace heddle::cli
