#include "cli/difference_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/launch_text.hpp"
#include "simulator/base/json.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using simulator::Metric;

// What the table shows where it differs.
constexpr const char* kUsual[] = {"inst_executed",
                                  "thread_inst_executed",
                                  "branch",
                                  "divergent_branch",
                                  "branch_efficiency",
                                  "warp_execution_efficiency",
                                  "warp_nonpred_execution_efficiency",
                                  "smsp__sass_sectors_mem_global.sum",
                                  "gld_efficiency",
                                  "gst_efficiency",
                                  "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
                                  "shared_ld_bank_conflict",
                                  "shared_st_bank_conflict",
                                  "smsp__sass_sectors_mem_local.sum",
                                  "gpu__time_duration",
                                  "sm__cycles_active.max",
                                  "ipc",
                                  "achieved_occupancy",
                                  "tex_cache_hit_rate",
                                  "l2_tex_hit_rate"};
// Of a line and of a branch.
constexpr std::pair<const char*, const char*> kOfLine[] = {
    {"inst_executed", "warp inst"},
    {"warp_execution_efficiency", "lanes %"},
    {"smsp__sass_sectors_mem_global.sum", "sectors"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts"},
    {"divergent_branch", "divergent"}};
constexpr std::pair<const char*, const char*> kOfBranch[] = {{"branch", "executed"},
                                                             {"divergent_branch", "divergent"},
                                                             {"branch_efficiency", "efficiency %"}};

std::string number(const Metric& metric, double value) {
  const bool decimals = metric.unit == "%" || std::nearbyint(value) != value;
  return fmt::format("{}{}", metric.kind == simulator::MetricKind::modelled ? "~" : "",
                     decimals ? fmt::format("{:.2f}", value) : readable(value));
}

std::string cell(const Metric& metric, const std::optional<double>& value) {
  return value ? number(metric, *value) : "-";
}

// "-38.0 %", of a share "+29 points".
std::string change(const Metric& metric, const std::optional<double>& a,
                   const std::optional<double>& b) {
  if (!a || !b) return "";
  if (*a == *b) return "=";
  const char* const mark = metric.kind == simulator::MetricKind::modelled ? "~" : "";
  if (metric.unit == "%") return fmt::format("{}{:+.2f} points", mark, *b - *a);
  if (*a == 0) return "";
  constexpr double kTimes = 10;
  return *b / *a >= kTimes ? fmt::format("{}× {:.3g}", mark, *b / *a)
                           : fmt::format("{}{:+.1f} %", mark, 100 * (*b / *a - 1));
}

std::vector<const Metric*> columns(const std::vector<const Metric*>& chosen) {
  if (!chosen.empty()) return chosen;
  std::vector<const Metric*> usual;
  for (const char* name : kUsual) usual.push_back(simulator::find_metric(name));
  return usual;
}

std::string metric_table(const KernelDifference& kernel, const std::vector<const Metric*>& chosen) {
  std::vector<std::string> header{"metric", "unit"};
  for (std::size_t side = 0; side < kernel.sides.size(); ++side) {
    header.push_back(letter(side));
    if (side != 0) header.push_back(fmt::format("{} - A", letter(side)));
  }
  Table table(header);
  for (const Metric* metric : columns(chosen)) {
    std::vector<std::string> row{std::string(short_name(*metric)), std::string(metric->unit)};
    const auto first = shown_value(kernel.sides[0].launch, *metric);
    bool any = !chosen.empty();
    for (std::size_t side = 0; side < kernel.sides.size(); ++side) {
      const auto value = shown_value(kernel.sides[side].launch, *metric);
      any = any || value != first;
      row.push_back(cell(*metric, value));
      if (side != 0) row.push_back(change(*metric, first, value));
    }
    if (any) table.add(std::move(row));
  }
  return table.empty() ? std::string() : table.text(2);
}

// "1,024 → 512", or one number where it is the same.
std::string arrows(const PlaceDifference& place, const Metric& metric) {
  std::vector<std::string> parts;
  for (std::size_t side = 0; side < place.values.size(); ++side) {
    const auto value = value_at(place, side, metric);
    parts.push_back(!value               ? "-"
                    : metric.unit == "%" ? fmt::format("{:.0f}", *value)
                                         : readable(*value));
  }
  if (std::ranges::all_of(parts, [](const auto& each) { return each == "0" || each == "-"; }))
    return "";
  if (std::ranges::all_of(parts, [&](const auto& each) { return each == parts[0]; }))
    return parts[0];
  return fmt::format("{}", fmt::join(parts, " → "));
}

std::string places_text(const PlaceDifference& place) {
  std::string text;
  for (std::size_t side = 0; side < place.places.size(); ++side) {
    const std::string& each = place.places[side];
    if (side != 0 && each == place.places[side - 1]) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " → ", each.empty() ? "-" : visible(each));
  }
  return text;
}

// How much a place differs, as warp instructions and sectors.
double weight(const PlaceDifference& place) {
  double sum = 0;
  for (const auto& [name, heading] : kOfLine) {
    const Metric& metric = *simulator::find_metric(name);
    if (metric.unit == "%") continue;
    const double first = value_at(place, 0, metric).value_or(0);
    for (std::size_t side = 1; side < place.values.size(); ++side)
      sum += std::abs(value_at(place, side, metric).value_or(0) - first);
  }
  return sum;
}

std::string place_meaning(const PlaceDifference& place, std::size_t side) {
  if (!place.values[0] && !place.values[side]) return {};
  if (!place.values[0]) return fmt::format("only in {}", letter(side));
  if (!place.values[side]) return "only in A";
  return meaning(*place.values[0], *place.values[side]);
}

template <typename Columns>
std::string place_table(const std::vector<PlaceDifference>& places, const Columns& columns,
                        const char* what, std::uint64_t shown) {
  std::vector<const PlaceDifference*> sorted;
  for (const PlaceDifference& each : places)
    if (weight(each) > 0) sorted.push_back(&each);
  if (sorted.empty()) return {};
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto* each) { return weight(*each); });
  const std::size_t all = sorted.size();
  if (all > shown) sorted.resize(shown);
  const bool has_text = std::ranges::any_of(sorted, [](const auto* e) { return !e->text.empty(); });
  std::vector<std::string> header{what};
  for (const auto& [name, heading] : columns) header.emplace_back(heading);
  header.emplace_back("what it means");
  if (has_text) header.emplace_back("source");
  Table table(header);
  for (const PlaceDifference* each : sorted) {
    std::vector<std::string> row{places_text(*each)};
    for (const auto& [name, heading] : columns)
      row.push_back(arrows(*each, *simulator::find_metric(name)));
    std::string means;
    for (std::size_t side = 1; side < each->values.size(); ++side)
      if (const std::string text = place_meaning(*each, side); !text.empty())
        means += fmt::format("{}{}{}", means.empty() ? "" : "; ",
                             each->values.size() > 2 ? letter(side) + ": " : "", text);
    row.push_back(means);
    if (has_text) row.push_back(visible(each->text));
    table.add(std::move(row));
  }
  std::string text = "\n" + table.text(2);
  if (all > shown) text += fmt::format("  … and {} more (--show N)\n", all - shown);
  return text;
}

std::string dim(const simulator::Dim3& size) {
  return fmt::format("({},{},{})", size.x, size.y, size.z);
}

// Of the sides what they have, once where it is the same.
template <typename Get>
std::string along(const KernelDifference& kernel, Get get) {
  std::string text, last;
  for (const Side& side : kernel.sides) {
    const std::string each = get(side);
    if (each != last) text += fmt::format("{}{}", text.empty() ? "" : " → ", each);
    last = each;
  }
  return text;
}

std::string launches_text(const Side& side) {
  return side.launches.size() == 1
             ? fmt::format("launch {}", side.launches[0])
             : fmt::format("{} launches from {}", side.launches.size(), side.launches[0]);
}

std::string kernel_text(const KernelDifference& kernel, const std::vector<const Metric*>& metrics,
                        std::uint64_t shown, const Style& style) {
  std::string text = style.bold(
      along(kernel, [](const Side& each) { return visible(display_name(each.launch.kernel)); }));
  text += fmt::format("  {}  grid {}  block {}\n", along(kernel, launches_text),
                      along(kernel, [](const Side& each) { return dim(each.launch.grid); }),
                      along(kernel, [](const Side& each) { return dim(each.launch.block); }));
  for (std::size_t side = 1; side < kernel.sides.size(); ++side) {
    const std::string what =
        meaning(kernel.sides[0].launch.metrics, kernel.sides[side].launch.metrics);
    text += fmt::format("  {}: {}\n", letter(side), what.empty() ? "does the same" : what);
  }
  for (std::size_t side = 0; side < kernel.sides.size(); ++side)
    if (const std::string& fault = kernel.sides[side].launch.fault; !fault.empty())
      text +=
          fmt::format("  {}: {} {}\n", letter(side), style.red("stopped:"), visible_lines(fault));
  if (const std::string table = metric_table(kernel, metrics); !table.empty()) text += "\n" + table;
  text += place_table(kernel.lines, kOfLine, "line", shown);
  text += place_table(kernel.branches, kOfBranch, "branch", shown);
  return text + "\n";
}

bool is_timed(const Difference& difference) {
  return std::ranges::any_of(difference.kernels, [](const auto& kernel) {
    return kernel.sides[0].launch.metrics.contains("gpu__time_duration.sum");
  });
}

Json values_json(const PlaceDifference& place, const std::vector<const Metric*>& metrics) {
  Json json = Json::object();
  for (const Metric* metric : metrics) {
    Json row = Json::array();
    for (std::size_t side = 0; side < place.values.size(); ++side) {
      const auto value = value_at(place, side, *metric);
      row.push_back(value ? Json(*value) : Json(nullptr));
    }
    json[std::string(metric->name)] = row;
  }
  return json;
}

template <typename Columns>
std::vector<const Metric*> metrics_of(const Columns& columns) {
  std::vector<const Metric*> metrics;
  for (const auto& [name, heading] : columns) metrics.push_back(simulator::find_metric(name));
  return metrics;
}

template <typename Columns>
Json headings_json(const Columns& columns) {
  Json json = Json::object();
  for (const auto& [name, heading] : columns)
    json[std::string(simulator::find_metric(name)->name)] = heading;
  return json;
}

template <typename Columns>
Json places_json(const std::vector<PlaceDifference>& places, const Columns& columns) {
  Json json = Json::array();
  for (const PlaceDifference& each : places) {
    Json what = Json::array();
    for (std::size_t side = 1; side < each.values.size(); ++side)
      what.push_back(place_meaning(each, side));
    json.push_back({{"places", each.places},
                    {"text", each.text},
                    {"meaning", what},
                    {"metrics", values_json(each, metrics_of(columns))}});
  }
  return json;
}

}  // namespace

std::string letter(std::size_t variant) {
  return std::string(1, static_cast<char>('A' + variant % 26));
}

std::string difference_text(const Difference& difference, const std::vector<const Metric*>& metrics,
                            std::uint64_t shown, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < difference.variants.size(); ++i)
    text += fmt::format("{}  {}\n", letter(i), visible(difference.variants[i]));
  text += "\n";
  for (const KernelDifference& kernel : difference.kernels)
    text += kernel_text(kernel, metrics, shown, style);
  for (const std::string& note : difference.notes) text += fmt::format("note: {}\n", note);
  if (is_timed(difference))
    text += fmt::format(
        "~ is modelled: cycles are {:.1f} % off in the median of 92 kernels, {:.0f} % in one of "
        "ten (docs/deviations/timing.md)\n",
        kMedianCyclesError, kHighCyclesError);
  return text;
}

std::string difference_csv(const Difference& difference, const std::vector<const Metric*>& chosen) {
  std::string text = "kernel,launch,place,kind,variant,metric,unit,modelled,value,of_first\n";
  for (const KernelDifference& kernel : difference.kernels) {
    const auto row = [&](std::size_t side, const std::string& place, const char* kind,
                         const Metric& metric, const std::optional<double>& first,
                         const std::optional<double>& value) {
      if (!value) return;
      const simulator::LaunchRecord& launch = kernel.sides[side].launch;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(demangled(launch.kernel)),
                          launch.index, csv_cell(place), kind, csv_cell(difference.variants[side]),
                          csv_cell(metric.name), csv_cell(metric.unit),
                          metric.kind == simulator::MetricKind::modelled ? 1 : 0, *value,
                          first && *first != 0 ? fmt::format("{}", *value / *first) : "");
    };
    for (const Metric& metric : simulator::metrics()) {
      if (!chosen.empty() && std::ranges::find(chosen, &metric) == chosen.end()) continue;
      const auto first = shown_value(kernel.sides[0].launch, metric);
      for (std::size_t side = 0; side < kernel.sides.size(); ++side)
        row(side, "", "kernel", metric, first, shown_value(kernel.sides[side].launch, metric));
    }
    const auto places = [&](const std::vector<PlaceDifference>& all, const char* kind,
                            const std::vector<const Metric*>& metrics) {
      for (const PlaceDifference& each : all)
        for (const Metric* metric : metrics)
          for (std::size_t side = 0; side < each.values.size(); ++side)
            row(side, each.places[side], kind, *metric, value_at(each, 0, *metric),
                value_at(each, side, *metric));
    };
    places(kernel.lines, "line", chosen.empty() ? metrics_of(kOfLine) : chosen);
    places(kernel.branches, "branch", metrics_of(kOfBranch));
  }
  return text;
}

Json difference_json(const Difference& difference, const std::vector<const Metric*>& chosen) {
  Json json = {
      {"schema", "heddle.diff/1"},
      {"variants", difference.variants},
      {"notes", difference.notes},
      {"headings", {{"lines", headings_json(kOfLine)}, {"branches", headings_json(kOfBranch)}}},
      {"cycles_error_percent", {{"median", kMedianCyclesError}, {"one_in_ten", kHighCyclesError}}},
      {"kernels", Json::array()}};
  for (const KernelDifference& kernel : difference.kernels) {
    Json of_kernel = {{"sides", Json::array()}, {"meaning", Json::array()}};
    for (std::size_t side = 0; side < kernel.sides.size(); ++side) {
      const simulator::LaunchRecord& launch = kernel.sides[side].launch;
      simulator::list_at(of_kernel, "sides")
          .push_back({{"kernel", demangled(launch.kernel)},
                      {"launches", kernel.sides[side].launches},
                      {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                      {"block", {launch.block.x, launch.block.y, launch.block.z}},
                      {"fault", launch.fault}});
      if (side != 0)
        simulator::list_at(of_kernel, "meaning")
            .push_back(meaning(kernel.sides[0].launch.metrics, launch.metrics));
    }
    Json metrics = Json::object();
    for (const Metric& metric : simulator::metrics()) {
      if (!chosen.empty() && std::ranges::find(chosen, &metric) == chosen.end()) continue;
      Json row = Json::array();
      bool any = false;
      for (const Side& side : kernel.sides) {
        const auto value = shown_value(side.launch, metric);
        any = any || value;
        row.push_back(value ? Json(*value) : Json(nullptr));
      }
      if (any) metrics[std::string(metric.name)] = row;
    }
    of_kernel["metrics"] = metrics;
    of_kernel["lines"] = places_json(kernel.lines, kOfLine);
    of_kernel["branches"] = places_json(kernel.branches, kOfBranch);
    simulator::list_at(json, "kernels").push_back(of_kernel);
  }
  return json;
}

}  // namespace heddle::cli
