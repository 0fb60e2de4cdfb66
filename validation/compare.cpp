#include "validation/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"
#include "validation/host_launches.hpp"

namespace heddle::validation {
namespace {

using simulator::InstructionRecord;
using simulator::LaunchRecord;
using simulator::MetricValues;

// SASS metrics are counted per instruction and do not depend on time, so all of them are exact,
// also one our table does not know yet.
bool is_sass(const std::string& metric) { return metric.starts_with("smsp__sass_"); }

bool is_exact(const std::string& metric) {
  if (is_sass(metric)) return true;
  const simulator::Metric* row = simulator::find_metric(metric);
  return row != nullptr && row->kind == simulator::MetricKind::exact;
}

// Counts are equal or not; a ratio of counts may be rounded where the record was written.
bool same(double a, double b) {
  constexpr double kRounding = 1e-9;
  return a == b || std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

// What of the model's could not be compared as nobody measured it. Facts of a launch's shape, and
// what is made of other metrics, are no counts.
void note_not_measured(const LaunchRecord& model, const LaunchRecord& hardware,
                       LaunchComparison& result) {
  for (const auto& [metric, value] : model.metrics) {
    const simulator::Metric* row = simulator::find_metric(metric.text());
    const bool counted = row != nullptr && row->amount != nullptr;
    if (counted && is_exact(metric) && !hardware.metrics.contains(metric))
      result.not_measured.push_back(metric.text());
  }
  if (model.instructions.empty() != hardware.instructions.empty())
    result.without_instructions = model.instructions.empty() ? "model" : "hardware";
}

void compare_totals(const LaunchRecord& model, const LaunchRecord& hardware,
                    LaunchComparison& result) {
  for (const auto& [metric, value] : hardware.metrics) {
    const auto ours = model.metrics.find(metric);
    const bool left_out = !is_sass(metric) && !model.unmodelled.empty();
    if (!is_exact(metric) || (left_out && ours == model.metrics.end())) {
      if (ours == model.metrics.end()) result.not_modelled.push_back(metric.text());
      continue;
    }
    ++result.values;
    if (ours == model.metrics.end())
      result.differences.push_back({metric, {}, {}, {}, std::nullopt, value});
    else if (!same(ours->second, value))
      result.differences.push_back({metric, {}, {}, {}, ours->second, value});
  }
}

// The compiler names a file's internal functions after a hash of the file's path, which is not the
// same on two machines: the digits of
// _INTERNAL_ed984dde_8_calls_cu_43ac2d0c are left out.
std::string portable(const std::string& name) {
  constexpr std::string_view kMark = "_INTERNAL_";
  constexpr std::size_t kDigits = 8;
  const std::size_t at = name.find(kMark);
  if (at == std::string::npos || at + kMark.size() + kDigits > name.size()) return name;
  return name.substr(0, at + kMark.size()) + name.substr(at + kMark.size() + kDigits);
}

using Place = std::pair<std::string, std::uint64_t>;  // function and pc
using Instructions = std::map<Place, const InstructionRecord*>;

Instructions by_place(const LaunchRecord& launch) {
  Instructions places;
  for (const InstructionRecord& instruction : launch.instructions)
    places[{portable(instruction.function), instruction.pc}] = &instruction;
  return places;
}

double value_at(const Instructions& places, const Place& place, const std::string& metric) {
  const auto found = places.find(place);
  if (found == places.end()) return 0;
  const auto value = found->second->metrics.find(metric);
  return value == found->second->metrics.end() ? 0 : value->second;
}

void compare_instructions(const LaunchRecord& model, const LaunchRecord& hardware,
                          LaunchComparison& result) {
  if (model.instructions.empty() || hardware.instructions.empty()) return;
  const Instructions ours = by_place(model), theirs = by_place(hardware);
  std::set<Place> places;
  for (const Instructions* side : {&ours, &theirs})
    for (const auto& [place, instruction] : *side) places.insert(place);
  for (const auto& [metric, total] : hardware.metrics) {
    // One the model lacks was reported once, for the launch.
    if (!is_sass(metric) || !model.metrics.contains(metric)) continue;
    for (const Place& place : places) {
      const double a = value_at(ours, place, metric), b = value_at(theirs, place, metric);
      ++result.values;
      if (same(a, b)) continue;
      const auto known = ours.find(place);
      result.differences.push_back({metric, place.first, place.second,
                                    known == ours.end() ? std::string() : known->second->line, a,
                                    b});
    }
  }
}

void compare_memory(const LaunchRecord& model, const LaunchRecord& hardware,
                    LaunchComparison& result) {
  if (model.memory.empty() || hardware.memory.empty()) return;
  if (model.memory.size() != hardware.memory.size()) {
    result.memory_differences.push_back(fmt::format("{} allocations in the model, {} on hardware",
                                                    model.memory.size(), hardware.memory.size()));
    return;
  }
  for (std::size_t i = 0; i < model.memory.size(); ++i) {
    ++result.allocations;
    const auto &ours = model.memory[i], &theirs = hardware.memory[i];
    if (ours.bytes != theirs.bytes)
      result.memory_differences.push_back(
          fmt::format("allocation {}: {} bytes in the model, {} on hardware", ours.allocation,
                      ours.bytes, theirs.bytes));
    else if (ours.sha256 != theirs.sha256)
      result.memory_differences.push_back(
          fmt::format("allocation {}: its {} bytes differ", ours.allocation, ours.bytes));
  }
}

void compare_globals(const LaunchRecord& model, const LaunchRecord& hardware,
                     LaunchComparison& result) {
  std::map<std::string, const simulator::MemoryRecord*> ours;
  for (const simulator::MemoryRecord& variable : model.globals)
    ours[portable(variable.symbol)] = &variable;
  for (const simulator::MemoryRecord& variable : hardware.globals) {
    const auto found = ours.find(portable(variable.symbol));
    if (found == ours.end()) continue;  // a model record without digests has none
    ++result.allocations;
    if (found->second->sha256 != variable.sha256)
      result.memory_differences.push_back(
          fmt::format("variable {}: its {} bytes differ", variable.symbol, variable.bytes));
  }
}

std::string shape(const LaunchRecord& launch, const std::string& kernel) {
  return fmt::format("{} <<<({},{},{}), ({},{},{}), {}>>>", kernel, launch.grid.x, launch.grid.y,
                     launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                     launch.dynamic_shared_bytes);
}

// Why two launches cannot be compared; empty when they can.
std::string mismatch(const LaunchRecord& model, const LaunchRecord& hardware) {
  if (shape(model, model.kernel) != shape(hardware, hardware.kernel))
    return fmt::format("the model launched {}, the hardware {}",
                       shape(model, simulator::display_name(model.kernel)),
                       shape(hardware, simulator::display_name(hardware.kernel)));
  if (model.code_sha256.empty() || hardware.code_sha256.empty())
    return "no hash of the code: whether both ran the same is not known";
  if (model.code_sha256 != hardware.code_sha256)
    return fmt::format("different code: {:.12} in the model, {:.12} on hardware", model.code_sha256,
                       hardware.code_sha256);
  if (!model.fault.empty())
    return fmt::format("the model stopped: {}", model.fault.substr(0, model.fault.find('\n')));
  return {};
}

// Of a measurement, SASS metrics are a profiler's.
bool counts_own_code(const LaunchRecord& launch) { return launch.counts == "program"; }

std::string note_on_counts(const LaunchRecord& model, const LaunchRecord& hardware) {
  if (counts_own_code(model) == counts_own_code(hardware)) return {};
  return fmt::format(
      "{} counts the program's own code, {} a profiler's, in which lanes can reconverge "
      "differently",
      counts_own_code(model) ? "the model" : "the hardware record",
      counts_own_code(model) ? "the hardware record" : "the model");
}

LaunchComparison compare_launch(const LaunchRecord& model, const LaunchRecord& hardware) {
  LaunchComparison result;
  result.index = hardware.index;
  result.kernel = hardware.kernel;
  result.trouble = mismatch(model, hardware);
  if (!result.trouble.empty()) return result;
  result.order_dependent = model.launch_class == "order-dependent" || !hardware.varies.empty();
  result.reasons = model.class_reasons;
  result.note = note_on_counts(model, hardware);
  for (const std::string& what : hardware.varies)
    result.reasons.push_back(fmt::format("hardware runs differ in {}", what));
  compare_totals(model, hardware, result);
  compare_instructions(model, hardware, result);
  note_not_measured(model, hardware, result);
  compare_memory(model, hardware, result);
  compare_globals(model, hardware, result);
  return result;
}

LaunchComparison only_one_side(const LaunchRecord& launch, std::string_view missing) {
  LaunchComparison result;
  result.index = launch.index;
  result.kernel = launch.kernel;
  result.trouble = fmt::format("{} has no such launch", missing);
  return result;
}

}  // namespace

bool Comparison::trouble() const {
  return std::ranges::any_of(launches, [](const auto& launch) { return !launch.trouble.empty(); });
}

bool Comparison::equal() const {
  return std::ranges::all_of(launches, [](const LaunchComparison& launch) {
    return launch.trouble.empty() && (launch.order_dependent || launch.equal());
  });
}

Comparison compare(const simulator::Record& model, const simulator::Record& hardware) {
  const std::vector<LaunchRecord> launches = host_launches(model);
  std::map<std::uint64_t, const LaunchRecord*> ours;
  for (const LaunchRecord& launch : launches) ours[launch.index] = &launch;
  Comparison result;
  for (const LaunchRecord& launch : hardware.launches) {
    const auto found = ours.find(launch.index);
    if (found == ours.end()) {
      result.launches.push_back(only_one_side(launch, "the model's record"));
      continue;
    }
    result.launches.push_back(compare_launch(*found->second, launch));
    ours.erase(found);
  }
  for (const auto& [index, launch] : ours)
    result.launches.push_back(only_one_side(*launch, "the hardware's record"));
  return result;
}

}  // namespace heddle::validation
