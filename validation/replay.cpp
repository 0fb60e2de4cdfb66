#include "validation/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "gpu/runtime/capsule.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::uint64_t launch_index(const fs::path& file, std::uint64_t otherwise) {
  const std::string name = file.filename().string();
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  return error == std::errc() ? index : otherwise;
}

namespace {

void replay_one(const fs::path& file, std::uint64_t index, const ReplayOptions& options,
                Replay& result) {
  const runtime::Capsule capsule = runtime::load_capsule(file, options.gpu);
  runtime::CapsuleLaunch launch(capsule, file.string());
  const simulator::GpuModel& gpu = launch.device().model();
  if (!result.record.device.empty() && result.record.device != gpu.name)
    throw std::runtime_error(fmt::format("{}: was captured on the {} model, those before it on {}",
                                         file.string(), gpu.name, result.record.device));
  result.record.device = gpu.name;
  result.record.arch = gpu.code_name();
  if (options.observer) options.observer->before(launch.device(), launch.request());
  const auto watch = [&](const simulator::LaunchProgress& progress) {
    return (!options.observer || options.observer->during(progress)) &&
           (!options.go_on || options.go_on());
  };
  simulator::Observer* const observer =
      options.trace != nullptr ? options.trace->begin_launch(index, launch.request(), gpu)
                               : nullptr;
  std::optional<simulator::checks::Checks> checks;
  if (options.settings.checks.any())
    checks.emplace(options.settings.checks, launch.device().memory());
  const simulator::LaunchOutcome outcome = launch.run({.settings = options.settings,
                                                       .print = options.print,
                                                       .observer = observer,
                                                       .watch = watch,
                                                       .checks = checks ? &*checks : nullptr});
  if (observer != nullptr) options.trace->end_launch(outcome);
  if (options.observer) options.observer->after(launch.device(), launch.request(), outcome);
  if (outcome.printed_calls_lost != 0)
    result.notes.push_back(fmt::format(
        "launch {}: device printf lost its first {} calls, as on a GPU: its buffer has {} bytes",
        index, outcome.printed_calls_lost, launch.device().printf_bytes));
  result.record.launches.push_back(simulator::make_launch_record(
      launch.request(), outcome, gpu,
      {.index = index,
       .per_instruction = options.per_instruction,
       .memory = options.memory_digests ? &launch.device().memory() : nullptr}));
  for (const auto& difference : launch.differences(capsule))
    result.memory_differences.push_back(fmt::format(
        "launch {}: address {:#x} is {:#04x}, was {:#04x}", index, difference.address,
        static_cast<unsigned>(difference.found), static_cast<unsigned>(difference.expected)));
}

}  // namespace

std::vector<fs::path> find_capsules(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".capsule") files.push_back(entry.path());
  if (files.empty())
    throw std::runtime_error(fmt::format("{} is a folder without capsules", path.string()));
  std::ranges::sort(files);
  return files;
}

Replay replay(const std::vector<fs::path>& files, const ReplayOptions& options) {
  Replay result;
  result.record.source = "model";
  for (std::size_t i = 0; i < files.size() && (!options.go_on || options.go_on()); ++i)
    replay_one(files[i], launch_index(files[i], i), options, result);
  return result;
}

}  // namespace heddle::validation
