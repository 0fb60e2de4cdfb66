#include "cli/reconvergence.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/selection.hpp"
#include "cli/text.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

using simulator::LaunchRecord;
using traces::BranchCost;

constexpr double kLanes = 32;

std::string number(double value) { return readable(value); }

std::string share(double part, double whole) {
  return whole == 0 ? "–" : fmt::format("{:.2f}", 100 * part / whole);
}

std::string metric(const LaunchRecord& launch, std::string_view name) {
  const auto value = simulator::value_of(launch.metrics, *simulator::find_metric(name));
  return value ? number(*value) : "–";
}

bool same_memory(const LaunchRecord& a, const LaunchRecord& b) {
  const auto same = [](const auto& first, const auto& second) {
    return first.sha256 == second.sha256;
  };
  return std::ranges::equal(a.memory, b.memory, same) &&
         std::ranges::equal(a.globals, b.globals, same);
}

std::string ended(const LaunchRecord& launch, const LaunchRecord& first) {
  if (!launch.fault.empty()) return launch.fault_kind;
  if (!first.fault.empty()) return "completed";
  return &launch == &first            ? "completed"
         : same_memory(launch, first) ? "same memory"
                                      : "other memory";
}

const LaunchRecord* find_launch(const simulator::Record& record, std::uint64_t index) {
  const auto found = std::ranges::find(record.launches, index, &LaunchRecord::index);
  return found == record.launches.end() ? nullptr : &*found;
}

std::string totals(std::span<const ReconvergenceRun> runs, const LaunchRecord& first) {
  Table table({"reconvergence", "warp instructions", "warp execution efficiency %", "branches",
               "divergent", "branch efficiency %", "end"});
  for (const ReconvergenceRun& run : runs) {
    const std::string name(info(run.policy).name);
    const LaunchRecord* launch = find_launch(run.record, first.index);
    if (launch == nullptr) {
      table.add({name, "–", "–", "–", "–", "–", "was not launched"});
      continue;
    }
    table.add({name, metric(*launch, "inst_executed"), metric(*launch, "warp_execution_efficiency"),
               metric(*launch, "branch"), metric(*launch, "divergent_branch"),
               metric(*launch, "branch_efficiency"), ended(*launch, first)});
  }
  return table.text(2);
}

// Of one launch under each policy: branches that are in any, by their place.
using Place = std::pair<std::string, std::uint64_t>;
std::map<Place, std::vector<const BranchCost*>> by_place(std::span<const ReconvergenceRun> runs,
                                                         std::uint64_t index) {
  std::map<Place, std::vector<const BranchCost*>> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto launch = std::ranges::find(runs[i].branches, index, &traces::LaunchBranches::launch);
    if (launch == runs[i].branches.end()) continue;
    for (const BranchCost& branch : launch->branches) {
      auto& row = places[{branch.function, branch.pc}];
      row.resize(runs.size());
      row[i] = &branch;
    }
  }
  return places;
}

std::string branches(std::span<const ReconvergenceRun> runs, std::uint64_t index) {
  Table table({"branch", "line", "reconvergence", "executions", "divergent", "warp instructions",
               "efficiency %"});
  std::size_t undivided = 0;
  for (const auto& [place, row] : by_place(runs, index)) {
    const bool divides =
        std::ranges::any_of(row, [](const auto* each) { return each && each->divergent != 0; });
    if (!divides) {
      ++undivided;
      continue;
    }
    std::string where = fmt::format("{:04x}", place.second), line;
    for (const BranchCost* each : row)
      if (each != nullptr) line = visible(std::filesystem::path(each->line).filename().string());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const BranchCost* const each = row[i];
      const std::string name(info(runs[i].policy).name);
      if (each == nullptr) {
        table.add({where, line, name, "0", "0", "0", "–"});
      } else {
        const double slots = kLanes * static_cast<double>(each->split_instructions);
        table.add({where, line, name, number(static_cast<double>(each->executed)),
                   number(static_cast<double>(each->divergent)),
                   number(static_cast<double>(each->split_instructions)),
                   share(slots - static_cast<double>(each->lost_slots), slots)});
      }
      where.clear();
      line.clear();
    }
  }
  std::string text = table.empty() ? std::string() : "\n" + table.text(2);
  if (undivided != 0)
    text +=
        fmt::format("  {} other branch{} split no warp\n", undivided, undivided == 1 ? "" : "es");
  return text;
}

}  // namespace

bool wants_all_reconvergences(const Arguments& arguments) {
  return arguments.value("reconvergence") == "all";
}

std::optional<simulator::ReconvergencePolicy> chosen_reconvergence(const Arguments& arguments) {
  const std::string name = arguments.value("reconvergence");
  if (name.empty() || name == "all") return std::nullopt;
  const auto found = simulator::find_reconvergence(name);
  if (!found)
    throw Usage(fmt::format("--reconvergence={}: {}; heddle run: or all", name,
                            simulator::reconvergence_names()));
  return found;
}

std::string reconvergence_tables(std::span<const ReconvergenceRun> runs,
                                 const Arguments& arguments) {
  const Style style = Style::choose(arguments.value("color", "auto"), STDERR_FILENO);
  std::string text;
  for (const LaunchRecord* launch : chosen_launches(runs.front().record, arguments)) {
    text += fmt::format("{}  launch {}\n", style.bold(visible(display_name(launch->kernel))),
                        launch->index);
    text += totals(runs, *launch);
    text += branches(runs, launch->index);
    for (const ReconvergenceRun& run : runs) {
      const LaunchRecord* const other = find_launch(run.record, launch->index);
      if (other != nullptr && !other->fault.empty())
        text += fmt::format("\n  {}: {}\n", info(run.policy).name, visible_lines(other->fault));
    }
    text += "\n";
  }
  text +=
      "warp instructions of a branch: executed while it kept its warp diverged; efficiency: the "
      "share of lanes that were not on another side of it\n";
  return text;
}

}  // namespace heddle::cli
