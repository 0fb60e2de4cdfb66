// nvprof's layout, so that listings from years of tutorials can be set beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/launch_text.hpp"

namespace heddle::cli {
namespace {

using simulator::LaunchRecord;
using simulator::Metric;

// nvprof's name; Nsight Compute has none for metrics whose name has no "__".
std::string_view nvprof_name(const Metric& metric) {
  return metric.nvprof.empty() && metric.name.find("__") == metric.name.npos ? metric.name
                                                                             : metric.nvprof;
}

// What nvprof calls an event is printed in a table of its own, with a total.
bool is_event(const Metric& metric) {
  return nvprof_name(metric) == "branch" || nvprof_name(metric) == "divergent_branch" ||
         nvprof_name(metric).ends_with("_bank_conflict");
}

std::string description(const Metric& metric) {
  static const std::map<std::string_view, std::string_view> special = {
      {"gld_efficiency", "Global Memory Load Efficiency"},
      {"gst_efficiency", "Global Memory Store Efficiency"},
      {"gld_transactions", "Global Load Transactions"},
      {"gst_transactions", "Global Store Transactions"},
      {"gld_transactions_per_request", "Global Load Transactions Per Request"},
      {"gst_transactions_per_request", "Global Store Transactions Per Request"},
      {"inst_executed", "Instructions Executed"},
      {"warp_nonpred_execution_efficiency", "Warp Non-Predicated Execution Efficiency"},
  };
  if (const auto found = special.find(nvprof_name(metric)); found != special.end())
    return std::string(found->second);
  std::string text(nvprof_name(metric));
  bool first = true;  // of a word
  for (char& c : text) {
    if (c == '_') c = ' ';
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == ' ';
  }
  return text;
}

struct Spread {
  std::uint64_t invocations = 0;
  double low = 0, high = 0, total = 0;
  double mean() const { return total / static_cast<double>(invocations); }
};

// What takes time, where none was taken.
bool is_unknown(Launches launches, const Metric& metric) {
  return metric.kind == simulator::MetricKind::modelled &&
         std::ranges::none_of(launches, [&](const LaunchRecord* launch) {
           return simulator::value_of(launch->metrics, metric).has_value();
         });
}

Spread spread(Launches launches, const Metric& metric) {
  Spread result;
  for (const LaunchRecord* launch : launches) {
    // nvprof has no gaps: a ratio over nothing is 0 unless it says otherwise.
    const double value =
        simulator::value_of(launch->metrics, metric).value_or(metric.nvprof_when_empty.value_or(0));
    result.low = result.invocations == 0 ? value : std::min(result.low, value);
    result.high = std::max(result.high, value);
    result.total += value;
    ++result.invocations;
  }
  return result;
}

// Five digits and the largest unit that leaves a whole one before the point: 157.42GB/s.
std::string throughput(double bytes_per_second) {
  std::string_view prefix;
  for (const std::string_view larger : {"K", "M", "G", "T"}) {
    if (bytes_per_second < 1000) break;
    bytes_per_second /= 1000;
    prefix = larger;
  }
  return fmt::format("{:.5g}{}B/s", bytes_per_second, prefix);
}

std::string value_text(const Metric& metric, double value) {
  if (metric.unit == "byte/s") return throughput(value);
  if (metric.unit == "%") return fmt::format("{:.2f}%", value);
  return metric.is_sum() ? fmt::format("{:.0f}", value) : fmt::format("{:.6f}", value);
}

using Kernels = std::map<std::string, std::vector<const LaunchRecord*>>;

std::string events(const Kernels& kernels, Metrics metrics, const std::string& device) {
  std::string text =
      "Event result:\n" + fmt::format("{:>11}{:>42}{:>12}{:>12}{:>12}{:>12}\n", "Invocations",
                                      "Event Name", "Min", "Max", "Avg", "Total");
  text += fmt::format("Device \"{} (0)\"\n", visible(device));
  for (const auto& [kernel, launches] : kernels) {
    text += fmt::format("    Kernel: {}\n", visible(display_name(kernel)));
    for (const Metric* metric : metrics) {
      const Spread s = spread(launches, *metric);
      text +=
          fmt::format("{:>11}{:>42}{:>12}{:>12}{:>12}{:>12}\n", s.invocations, nvprof_name(*metric),
                      value_text(*metric, s.low), value_text(*metric, s.high),
                      value_text(*metric, s.mean()), value_text(*metric, s.total));
    }
  }
  return text;
}

std::string metric_results(const Kernels& kernels, Metrics metrics, const std::string& device) {
  std::string text =
      "Metric result:\n" + fmt::format("{:>11}{:>42}{:>44}{:>12}{:>12}{:>12}\n", "Invocations",
                                       "Metric Name", "Metric Description", "Min", "Max", "Avg");
  text += fmt::format("Device \"{} (0)\"\n", visible(device));
  for (const auto& [kernel, launches] : kernels) {
    text += fmt::format("    Kernel: {}\n", visible(display_name(kernel)));
    for (const Metric* metric : metrics) {
      if (is_unknown(launches, *metric)) continue;
      const Spread s = spread(launches, *metric);
      text += fmt::format("{:>11}{:>42}{:>44}{:>12}{:>12}{:>12}\n", s.invocations,
                          nvprof_name(*metric), description(*metric), value_text(*metric, s.low),
                          value_text(*metric, s.high), value_text(*metric, s.mean()));
    }
  }
  return text;
}

}  // namespace

std::string nvprof_text(Launches launches, Metrics metrics, const std::string& device) {
  Kernels kernels;  // by name, as nvprof sorts them
  for (const LaunchRecord* launch : launches) kernels[launch->kernel].push_back(launch);
  std::vector<const Metric*> as_events, as_metrics;
  const auto sort_in = [&](const Metric& metric) {
    if (!nvprof_name(metric).empty())
      (is_event(metric) ? as_events : as_metrics).push_back(&metric);
  };
  for (const Metric* metric : metrics) sort_in(*metric);
  if (metrics.empty())
    for (const Metric& metric : simulator::metrics()) sort_in(metric);
  std::string text;
  if (!as_events.empty()) text += events(kernels, as_events, device);
  if (!as_metrics.empty()) text += metric_results(kernels, as_metrics, device);
  return text;
}

}  // namespace heddle::cli
