#include "cli/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::cli {
namespace {

using validation::Difference;
using validation::LaunchComparison;

std::string value(const std::optional<double>& value) {
  return value ? readable(*value) : "absent";
}

std::string verdict(const LaunchComparison& launch, const Style& style) {
  if (!launch.trouble.empty()) return style.red("not comparable");
  if (launch.equal()) return style.green("equal");
  const std::string count =
      fmt::format("{} differences", launch.differences.size() + launch.memory_differences.size());
  return launch.order_dependent ? count + " (order-dependent)" : style.red(count);
}

std::string checked(const LaunchComparison& launch) {
  if (!launch.trouble.empty()) return visible(launch.trouble);
  std::string text = fmt::format("{} values", readable(static_cast<double>(launch.values)));
  if (launch.allocations != 0) text += fmt::format(", {} allocations", launch.allocations);
  return text;
}

Table differences(const LaunchComparison& launch, std::uint64_t shown) {
  Table table({"where", "metric", "model", "hardware", "line"});
  for (const Difference& difference : launch.differences) {
    if (shown-- == 0) break;
    const std::string where =
        difference.pc ? fmt::format("{}+0x{:x}", display_name(difference.function), *difference.pc)
                      : "launch";
    table.add({visible(where), visible(difference.metric), value(difference.model),
               value(difference.hardware), visible(difference.line)});
  }
  return table;
}

// What only one of the records has, over all launches.
std::string not_compared_text(const validation::Comparison& comparison) {
  std::set<std::string> not_measured;
  std::map<std::string, std::size_t> without_instructions;  // launches by side
  for (const LaunchComparison& launch : comparison.launches) {
    not_measured.insert(launch.not_measured.begin(), launch.not_measured.end());
    if (!launch.without_instructions.empty()) ++without_instructions[launch.without_instructions];
  }
  std::string text;
  // A record of times has no counts at all: their names would say nothing.
  const bool has_counts = std::ranges::any_of(
      comparison.launches, [](const LaunchComparison& launch) { return launch.values != 0; });
  if (!not_measured.empty())
    text +=
        fmt::format("{} counts of the model's record were not measured{}{}\n", not_measured.size(),
                    has_counts ? ": " : "",
                    has_counts ? visible(fmt::format("{}", fmt::join(not_measured, ", "))) : "");
  for (const auto& [side, launches] : without_instructions)
    text += fmt::format(
        "the {}'s record has no instructions of {} launches{}: only their totals were compared\n",
        side, launches, side == "model" ? " (heddle run --per-pc)" : "");
  return text;
}

}  // namespace

std::string times_missing_text(const validation::Comparison& comparison,
                               const simulator::Record& hardware) {
  std::set<std::string> missing;
  for (const LaunchComparison& launch : comparison.launches)
    missing.insert(launch.not_modelled.begin(), launch.not_modelled.end());
  for (const simulator::LaunchRecord& launch : hardware.launches)
    for (const auto& [name, samples] : launch.timing) missing.insert(name);
  if (missing.empty()) return {};
  return fmt::format(
      "{} metrics of the hardware record depend on time: heddle run --timing on gives the "
      "model's\n",
      missing.size());
}

std::string differences_text(const validation::Comparison& comparison, std::uint64_t shown) {
  std::string text;
  for (const LaunchComparison& launch : comparison.launches) {
    if (!launch.trouble.empty() || launch.equal()) continue;
    text += fmt::format("\nlaunch {} {}\n", launch.index, visible(display_name(launch.kernel)));
    for (const std::string& reason : launch.reasons)
      text += fmt::format("  order-dependent: {}\n", visible(reason));
    if (!launch.note.empty() && !launch.differences.empty())
      text += fmt::format("  {}\n", launch.note);
    if (!launch.differences.empty()) text += differences(launch, shown).text(2);
    if (launch.differences.size() > shown)
      text += fmt::format("  … and {} more (--show N)\n", launch.differences.size() - shown);
    for (const std::string& what : launch.memory_differences)
      text += fmt::format("  memory: {}\n", visible(what));
  }
  return text;
}

std::string comparison_text(const validation::Comparison& comparison, const Style& style,
                            std::uint64_t shown) {
  Table launches({"launch", "kernel", "checked", "result"});
  for (const LaunchComparison& launch : comparison.launches)
    launches.add({fmt::format("{}", launch.index), visible(display_name(launch.kernel)),
                  checked(launch), verdict(launch, style)});
  std::string text = launches.text() + differences_text(comparison, shown);
  return text + not_compared_text(comparison);
}

}  // namespace heddle::cli
