#include "cli/sketch_what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/sketch_run.hpp"
#include "cli/text.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/sketch/compile.hpp"
#include "traces/sketch/predication.hpp"

namespace heddle::cli {
namespace {

constexpr double kMostInstructions = 5e6;  // of all launches; more would take too long
constexpr double kLeast = 0.02;            // of what is gained

// The same words with other values of some options.
using Changes = std::vector<std::pair<std::string, std::string>>;
Arguments with(const Arguments& arguments, const Changes& changes) {
  const Command& run = find_command("run");
  std::vector<std::string> words;
  for (const Option& option : run.options) {
    const auto same = [&](const auto& change) { return change.first == option.name; };
    if (!arguments.has(option.name) || std::ranges::any_of(changes, same)) continue;
    if (option.argument.empty()) words.push_back(fmt::format("--{}", option.name));
    for (const std::string& value : arguments.values(option.name))
      if (!option.argument.empty()) words.push_back(fmt::format("--{}={}", option.name, value));
  }
  for (const auto& [option, value] : changes)
    words.push_back(fmt::format("--{}={}", option, value));
  if (!arguments.has("no-progress")) words.emplace_back("--no-progress");
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  return parse(run, words);
}

struct Alternative {
  std::string label;
  Arguments arguments;
};

// The block half and twice as large, with as many threads in all; of one launch along x.
void add_blocks(std::vector<Alternative>& all, const simulator::Record& record,
                const Arguments& arguments) {
  if (record.launches.size() != 1) return;
  const simulator::LaunchRecord& launch = record.launches.front();
  const std::uint32_t grid = launch.grid.x, block = launch.block.x;
  if (launch.grid.count() != grid || launch.block.count() != block) return;
  constexpr std::uint32_t kWarp = 32, kMostThreads = 1024;
  const auto add = [&](std::uint32_t threads, std::uint32_t blocks) {
    all.push_back({fmt::format("--block {} --grid {}", threads, blocks),
                   with(arguments, {{"block", fmt::format("{}", threads)},
                                    {"grid", fmt::format("{}", blocks)}})});
  };
  if (block % (2 * kWarp) == 0) add(block / 2, grid * 2);
  if (block * 2 <= kMostThreads && grid % 2 == 0) add(block * 2, grid / 2);
}

class WhatIf {
 public:
  WhatIf(const std::string& file, const Arguments& arguments,
         const simulator::LaunchSettings& settings)
      : file_(file),
        settings_(settings),
        timed_(!simulator::gpu_model(arguments.value("gpu", simulator::reference_model().id))
                    .sketches_only()) {}

  bool timed() const { return timed_; }
  simulator::Record record(const Arguments& arguments, bool timed) const {
    simulator::LaunchSettings settings = settings_;
    settings.timing = timed ? std::optional(simulator::timing::Options{}) : std::nullopt;
    settings.checks = {};
    return run_sketch(file_, with(arguments, {}), nullptr, settings).record;
  }
  static double sum(const simulator::Record& record, const char* metric) {
    double sum = 0;
    for (const simulator::LaunchRecord& launch : record.launches)
      sum += simulator::value_of(launch.metrics, *simulator::find_metric(metric)).value_or(0);
    return sum;
  }
  // Nothing where the variant cannot run.
  std::optional<double> cost(const Arguments& arguments) const {
    try {
      const simulator::Record record = this->record(arguments, timed_);
      if (std::ranges::any_of(record.launches, [](const auto& e) { return !e.fault.empty(); }))
        return std::nullopt;
      return sum(record, timed_ ? "gpu__time_duration.sum" : "inst_executed");
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  const std::string file_;
  const simulator::LaunchSettings settings_;
  const bool timed_;
};

}  // namespace

std::string sketch_what_if(const std::string& file, const Arguments& arguments,
                           const simulator::LaunchSettings& settings) {
  const WhatIf runs(file, arguments, settings);
  const simulator::Record now = runs.record(arguments, false);
  if (WhatIf::sum(now, "inst_executed") > kMostInstructions) return {};
  std::vector<Alternative> alternatives;
  for (const auto& rule : isa::sketch::predication_rules())
    if (rule.name != arguments.value("predication", "off"))
      alternatives.push_back({fmt::format("--predication {}", rule.name),
                              with(arguments, {{"predication", std::string(rule.name)}})});
  add_blocks(alternatives, now, arguments);
  const auto before = runs.cost(arguments);
  std::vector<std::pair<double, std::string>> found;
  for (const Alternative& each : alternatives) {
    const auto after = before ? runs.cost(each.arguments) : std::nullopt;
    if (!after || *after > (1 - kLeast) * *before) continue;
    const std::string unit = runs.timed() ? "ns" : "warp instructions";
    const char* const mark = runs.timed() ? "~" : "";
    found.emplace_back(
        *after, fmt::format("  simulated with {}: {}{} {} instead of {}{} ({}{:.1f} % less)\n",
                            each.label, mark, readable(std::round(*after)), unit, mark,
                            readable(std::round(*before)), mark, 100 * (1 - *after / *before)));
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
  std::string text;
  for (const auto& [cost, line] : found) text += line;
  return text.empty() ? text : text + "\n";
}

}  // namespace heddle::cli
