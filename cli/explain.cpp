// heddle explain: what a metric, a stall reason or one of CUDA's errors means.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "gpu/runtime/error.hpp"
#include "simulator/base/spelling.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/timing/result.hpp"

namespace heddle::cli {
namespace {

using simulator::timing::kStalls;
using simulator::timing::Stall;

constexpr std::string_view kStallMeanings[] = {
#define HEDDLE_STALL(name, meaning) meaning,
    HEDDLE_STALLS(HEDDLE_STALL)
#undef HEDDLE_STALL
};

constexpr std::string_view kErrorNames[] = {
#define HEDDLE_CUDA_ERROR(number, name, enumerator, text) #name,
#include "gpu/runtime/errors.inc"
#undef HEDDLE_CUDA_ERROR
};

bool explain_metric(const std::string& name) {
  const simulator::Metric* metric = simulator::find_metric(name);
  if (metric == nullptr) return false;
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
  return true;
}

// Also as Nsight Compute writes it in front of its samples: stalled_NAME, stall_NAME.
bool explain_stall(std::string_view name) {
  for (const std::string_view prefix : {"stalled_", "stall_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  for (std::size_t i = 0; i < kStalls; ++i) {
    if (stall_name(static_cast<Stall>(i)) != name) continue;
    fmt::print("{}\n  a state of a warp in a cycle in which it does not issue: {}\n", name,
               kStallMeanings[i]);
    fmt::print("  in records: smsp__average_warps_issue_stalled_{}_per_issue_active.ratio\n", name);
    return true;
  }
  return false;
}

bool explain_error(const std::string& name) {
  const auto error = runtime::error_by_name(name);
  if (!error) return false;
  fmt::print("{} ({})\n  {}\n", name, static_cast<int>(*error), runtime::error_text(*error));
  if (runtime::is_sticky(*error))
    fmt::print(
        "  the context is lost: every later call returns it again, until the device is "
        "reset\n");
  return true;
}

std::string_view nearest_name(const std::string& name) {
  std::vector<std::string_view> names(std::begin(kErrorNames), std::end(kErrorNames));
  for (std::size_t i = 0; i < kStalls; ++i) names.push_back(stall_name(static_cast<Stall>(i)));
  const std::string_view near = simulator::nearest(name, names);
  return near.empty() ? simulator::nearest_metric(name) : near;
}

}  // namespace

int run_explain(const Arguments& arguments) {
  if (arguments.words.size() != 1) throw Usage("give one name");
  const std::string& name = arguments.words[0];
  if (explain_metric(name) || explain_stall(name) || explain_error(name)) return 0;
  const std::string_view near = nearest_name(name);
  throw Usage(near.empty()
                  ? fmt::format("nothing known by the name {}", name)
                  : fmt::format("nothing known by the name {}; did you mean {}?", name, near));
}

}  // namespace heddle::cli
