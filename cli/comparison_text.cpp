#include "cli/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>

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
        difference.pc ? fmt::format("{}+0x{:x}", demangled(difference.function), *difference.pc)
                      : "launch";
    table.add({visible(where), visible(difference.metric), value(difference.model),
               value(difference.hardware), visible(difference.line)});
  }
  return table;
}

}  // namespace

std::string differences_text(const validation::Comparison& comparison, std::uint64_t shown) {
  std::string text;
  for (const LaunchComparison& launch : comparison.launches) {
    if (!launch.trouble.empty() || launch.equal()) continue;
    text += fmt::format("\nlaunch {} {}\n", launch.index, visible(demangled(launch.kernel)));
    for (const std::string& reason : launch.reasons)
      text += fmt::format("  order-dependent: {}\n", visible(reason));
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
    launches.add({fmt::format("{}", launch.index), visible(demangled(launch.kernel)),
                  checked(launch), verdict(launch, style)});
  std::string text = launches.text() + differences_text(comparison, shown);
  std::size_t not_modelled = 0;
  for (const LaunchComparison& launch : comparison.launches)
    not_modelled = std::max(not_modelled, launch.not_modelled.size());
  if (not_modelled != 0)
    text += fmt::format("{} metrics of the hardware record depend on time and have no model yet\n",
                        not_modelled);
  return text;
}

}  // namespace heddle::cli
