#include "cli/sketch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/cost_text.hpp"
#include "cli/launch_settings.hpp"
#include "cli/launch_watch.hpp"
#include "cli/reconvergence.hpp"
#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "cli/sketch_file.hpp"
#include "gpu/runtime/capsule_writer.hpp"
#include "gpu/runtime/progress_line.hpp"
#include "simulator/checks/checks.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/sketch_statistics.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
namespace sketch = isa::sketch;

constexpr std::uint64_t kMostSeeds = 1000000;
constexpr const char* kSketchOptions[] = {"grid", "block", "shared",     "param",
                                          "seed", "seeds", "predication"};

std::optional<std::array<std::uint32_t, 3>> shape(const Arguments& arguments, const char* option) {
  if (!arguments.has(option)) return std::nullopt;
  const std::vector<std::string> parts = arguments.list(option);
  std::array<std::uint32_t, 3> result{1, 1, 1};
  bool good = !parts.empty() && parts.size() <= 3;
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [read, error] = std::from_chars(parts[i].data(), end, result[i]);
    good = error == std::errc() && read == end && result[i] != 0;
  }
  if (!good)
    throw Usage(fmt::format("--{}: expected one to three numbers, as in 64 or 16,16", option));
  return result;
}

sketch::LaunchChoice choice(const Arguments& arguments) {
  constexpr std::uint64_t kMostShared = 1 << 20;
  sketch::LaunchChoice chosen;
  chosen.grid = shape(arguments, "grid");
  chosen.block = shape(arguments, "block");
  if (const auto bytes = arguments.bytes("shared", kMostShared))
    chosen.dynamic_shared_bytes = static_cast<std::uint32_t>(*bytes);
  for (const std::string& each : arguments.values("param")) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Usage(fmt::format("--param: expected NAME=VALUE, found {}", each));
    chosen.parameters.emplace_back(each.substr(0, equals), each.substr(equals + 1));
  }
  return chosen;
}

const simulator::GpuModel& chosen_gpu(const Arguments& arguments) {
  return simulator::gpu_model(arguments.value("gpu", simulator::reference_model().id));
}

const sketch::PredicationRule* predication(const Arguments& arguments) {
  const std::string& usual = chosen_gpu(arguments).predication;
  const std::string name = arguments.value("predication", usual.empty() ? "off" : usual);
  const sketch::PredicationRule* rule = sketch::find_predication_rule(name);
  if (rule != nullptr) return rule;
  std::vector<std::string_view> names;
  for (const auto& each : sketch::predication_rules()) names.push_back(each.name);
  throw Usage(fmt::format("--predication: no rule {}; there are {}", name, fmt::join(names, ", ")));
}

std::string number_text(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) && std::abs(value) < 1e15
             ? fmt::format("{}", static_cast<std::int64_t>(value))
             : fmt::format("{:.6g}", value);
}

std::string statistics_text(const std::string& kernel,
                            const simulator::SketchStatistics& statistics,
                            const std::vector<const simulator::Metric*>& chosen) {
  std::string text = fmt::format("{}  {} seeds\n  {:<66} {:>14}  {}\n", kernel, statistics.seeds(),
                                 "metric", "mean", "95 % interval");
  for (const auto& row : statistics.rows()) {
    const bool wanted = chosen.empty() ? !row.metric->nvprof.empty()
                                       : std::ranges::find(chosen, row.metric) != chosen.end();
    if (!wanted) continue;
    const std::string name = row.metric->nvprof.empty() ? std::string(row.metric->name)
                                                        : std::string(row.metric->nvprof);
    text += fmt::format("  {:<66} {:>14}", fmt::format("{} ({})", name, row.metric->unit),
                        number_text(row.mean));
    if (row.interval)
      text += row.interval->low == row.interval->high
                  ? "  always"
                  : fmt::format("  {} to {}", number_text(row.interval->low),
                                number_text(row.interval->high));
    text += "\n";
  }
  return text + "\n";
}

std::vector<sketch::CompiledLaunch> chosen_launches(const sketch::Compiled& compiled,
                                                    const Arguments& arguments) try {
  const sketch::LaunchChoice chosen = choice(arguments);
  const std::uint32_t most = chosen_gpu(arguments).max_threads_per_block;
  if (const auto threads = chosen.block.value_or(std::array<std::uint32_t, 3>{1, 1, 1});
      std::uint64_t{threads[0]} * threads[1] > most / threads[2])
    throw Usage(fmt::format("--block: a block of this GPU has {} threads at most", most));
  return sketch::choose_launches(compiled, chosen);
} catch (const std::invalid_argument& wrong) {
  throw Usage(wrong.what());
}

// A sketch on a device, and what it is to launch.
struct SketchLaunches {
  SketchLaunches(const std::string& file, const Arguments& arguments)
      : program(compile_sketch(file, predication(arguments)), file, chosen_gpu(arguments)),
        launches(chosen_launches(program.compiled(), arguments)) {}

  simulator::SketchProgram program;
  std::vector<sketch::CompiledLaunch> launches;
};

std::uint64_t first_seed(const Arguments& arguments) {
  return arguments.number("seed", ~std::uint64_t{0}).value_or(1);
}

}  // namespace

void refuse_sketch_options(const Arguments& arguments) {
  for (const std::string_view option : kSketchOptions) {
    if (!arguments.has(option) || seeds_schedule(option, arguments)) continue;
    throw Usage(
        fmt::format("--{} is for sketches and {}", option,
                    option == "seed" ? "--schedule random" : "cubins (NAME.warp, NAME.cubin)"));
  }
}

SketchRun run_sketch(const std::string& file, const Arguments& arguments, traces::Trace* trace,
                     const simulator::LaunchSettings& settings, bool digests,
                     const std::function<bool()>& go_on) {
  SketchLaunches made(file, arguments);
  simulator::SketchProgram& program = made.program;
  const std::vector<sketch::CompiledLaunch>& launches = made.launches;
  const std::uint64_t first = first_seed(arguments);
  const std::uint64_t seeds = arguments.number("seeds", kMostSeeds).value_or(1);
  if (seeds == 0) throw Usage("--seeds 0: give one at least");
  const simulator::GpuModel& gpu = program.device().model();
  simulator::LaunchOptions options;
  options.settings = settings;
  options.settings.counters = false;  // a sketch executes once
  const auto progress = arguments.has("no-progress") || arguments.has("quiet") || trace != nullptr
                            ? nullptr
                            : runtime::progress_on_stderr(settings);

  std::optional<simulator::checks::Checks> checker;
  if (settings.checks.any()) checker.emplace(settings.checks, program.device().memory());

  SketchRun result;
  result.record.source = "model";
  result.record.device = gpu.name;
  result.record.arch = gpu.code_name();
  result.record.program = {file};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    simulator::SketchStatistics statistics;
    for (std::uint64_t seed = first; seed - first < seeds; ++seed) {
      const bool traced = trace != nullptr && seed == first;
      const auto begin = [&](const simulator::LaunchRequest& request,
                             simulator::LaunchOptions& of_launch) {
        if (traced) of_launch.observer = trace->begin_launch(i, request, gpu);
        if (checker && seed == first) of_launch.checks = &*checker;
        if (progress) progress->before(program.device(), request);
        of_launch.watch = [&](const auto& state) {
          return (!progress || progress->during(state)) && (!go_on || go_on());
        };
      };
      program.run(
          launches[i], seed, options,
          [&](const simulator::SketchProgram::Ran& ran) {
            if (traced) trace->end_launch(ran.outcome);
            if (progress) progress->after(program.device(), ran.request, ran.outcome);
            if (seeds > 1) statistics.add(ran, gpu, seed);
            if (seed != first) return;
            if (gpu.costs) result.costs += cost_text(program, launches[i].kernel, ran, i);
            result.record.launches.push_back(simulator::make_launch_record(
                ran.request, ran.outcome, gpu,
                {.index = i,
                 .per_instruction = wants_instructions(arguments),
                 .memory =
                     digests || arguments.has("memory") ? &program.device().memory() : nullptr}));
          },
          begin);
    }
    if (seeds > 1)
      result.statistics += statistics_text(program.compiled().kernels[launches[i].kernel].name,
                                           statistics, chosen_metrics(arguments));
  }
  return result;
}

void capture_sketch(const std::string& file, const Arguments& arguments, const fs::path& folder) {
  SketchLaunches made(file, arguments);
  runtime::CapsuleWriter writer(folder);
  simulator::LaunchOptions options;
  options.settings.reconvergence = chosen_reconvergence(arguments);
  LaunchWatch watch(arguments);
  for (std::size_t i = 0; i < made.launches.size() && !watch.reached_limit(); ++i)
    made.program.run(
        made.launches[i], first_seed(arguments), options,
        [&](const simulator::SketchProgram::Ran& ran) {
          watch.after(made.program.device(), ran.request, ran.outcome, i);
          writer.after(made.program.device(), ran.request, ran.outcome);
        },
        [&](const simulator::LaunchRequest& request, simulator::LaunchOptions& of_launch) {
          writer.before(made.program.device(), request);
          watch.before(made.program.device(), request, of_launch);
        });
}

}  // namespace heddle::cli
