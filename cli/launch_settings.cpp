#include "cli/launch_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cli/conditions.hpp"
#include "cli/reconvergence.hpp"
#include "cli/selection.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 62;

// That are shown, or that the run may fail by.
std::vector<const simulator::Metric*> asked_metrics(const Arguments& arguments) {
  std::vector<const simulator::Metric*> all = chosen_metrics(arguments);
  for (const Condition& each : fail_conditions(arguments)) all.push_back(each.metric);
  return all;
}

// How launches are timed; nothing: they are not. Who asks for a metric that only time decides, or
// says how to time, need not ask for timing too. Throws Usage.
std::optional<simulator::timing::Options> timing_choice(const Arguments& arguments) {
  const std::string choice = arguments.value("timing");
  std::string text = "on";
  for (const char* option : {"scheduler", "caches", "sms", "sample"})
    if (arguments.has(option)) text += fmt::format(",{}={}", option, arguments.value(option));
  if (arguments.has("set")) text += fmt::format(",{}", fmt::join(arguments.list("set"), ","));
  const auto modelled = [](const simulator::Metric* metric) {
    return metric->kind == simulator::MetricKind::modelled;
  };
  const bool wanted = text != "on" || std::ranges::any_of(asked_metrics(arguments), modelled);
  if (choice == "off" || (choice.empty() && !wanted)) return std::nullopt;
  try {
    return simulator::timing::parse_options(text);
  } catch (const std::invalid_argument& wrong) {
    throw Usage(wrong.what());
  }
}

// The seed of a random order; nothing: the usual one.
std::optional<std::uint64_t> schedule_choice(const Arguments& arguments) {
  if (arguments.value("schedule") != "random") return std::nullopt;
  return arguments.number("seed", ~std::uint64_t{0}).value_or(1);
}

// Whether what hardware's counters see is wanted where that takes a second execution.
bool wants_counters(const Arguments& arguments) {
  const bool asked = std::ranges::any_of(asked_metrics(arguments), &simulator::Metric::counter);
  if (!chosen_metrics(arguments).empty()) return asked;
  return asked || arguments.has("record") || arguments.has("csv");
}

// What to look for in launches. Throws Usage.
simulator::checks::Options check_options(const Arguments& arguments) {
  if (!arguments.has("check")) return {};
  try {
    return simulator::checks::parse_options(arguments.value("check"));
  } catch (const std::invalid_argument& wrong) {
    throw Usage(fmt::format("--check: {}", wrong.what()));
  }
}

}  // namespace

bool seeds_schedule(std::string_view option, const Arguments& arguments) {
  return option == "seed" && arguments.value("schedule") == "random";
}

simulator::LaunchSettings launch_settings(const Arguments& arguments,
                                          std::uint64_t usual_instructions) {
  simulator::LaunchSettings settings{
      .threads = static_cast<unsigned>(arguments.number("threads", kMostThreads).value_or(0)),
      .max_instructions =
          arguments.number("max-instructions", kMostInstructions).value_or(usual_instructions),
      .timing = timing_choice(arguments),
      .reconvergence = chosen_reconvergence(arguments),
      .random_schedule = schedule_choice(arguments),
      .interpret = arguments.has("interpret"),
      .checks = check_options(arguments),
      .counters = wants_counters(arguments)};
  try {
    check_settings(settings);
  } catch (const std::invalid_argument& wrong) {
    throw Usage(fmt::format("--{}", wrong.what()));
  }
  return settings;
}

}  // namespace heddle::cli
