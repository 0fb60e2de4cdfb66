#include "validation/micro_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "simulator/base/display_names.hpp"

namespace heddle::validation {
namespace {

using simulator::LaunchRecord;

constexpr std::uint64_t kWarp = 32;

std::string name_of(const LaunchRecord& launch) {
  const std::string kernel = simulator::demangled(launch.kernel);
  return fmt::format("{}.b{}.t{}", kernel.substr(0, kernel.find('(')), launch.grid.count(),
                     launch.block.count());
}

Answer answer(std::vector<double> samples, double factor) {
  std::ranges::sort(samples);
  return {samples[samples.size() / 2] * factor, samples.front() * factor, samples.back() * factor,
          "cycle"};
}

void add_launch(MicroRecord& out, const std::string& name, const LaunchRecord& launch) {
  const auto samples = [&](std::string_view counter) {
    const auto found = launch.timing.find(counter);
    if (found == launch.timing.end() || found->second.empty())
      throw std::runtime_error(fmt::format("{}: {} has no {}", out.program, name, counter));
    return found->second;
  };
  const auto add = [&](std::string_view what, std::string_view counter, double factor) {
    out.answers.try_emplace(fmt::format("{}.{}", name, what), answer(samples(counter), factor));
  };
  const auto warps =
      static_cast<double>(launch.grid.count() * ((launch.block.count() + kWarp - 1) / kWarp));
  add("active", "sm__cycles_active.max", 1);
  add("elapsed", "sm__cycles_elapsed.max", 1);
  add("active_mean", "sm__cycles_active.avg", 1);
  add("issued", "smsp__issue_active.sum", 1 / warps);
  const double per_warp = answer(samples("smsp__issue_active.sum"), 1 / warps).median;
  constexpr std::string_view kBefore = "smsp__average_warps_issue_stalled_",
                             kAfter = "_per_issue_active.ratio";
  for (const auto& [counter, values] : launch.timing) {
    const std::string_view all = counter;
    if (!all.starts_with(kBefore) || !all.ends_with(kAfter)) continue;
    add(all.substr(kBefore.size(), all.size() - kBefore.size() - kAfter.size()), all, per_warp);
  }
}

}  // namespace

MicroRecord answers_of_launches(const simulator::Record& record,
                                const std::vector<std::string>& names, std::string_view program) {
  MicroRecord out{.program = std::string(program),
                  .device = record.device,
                  .compiler = record.toolchain,
                  .date = record.date,
                  .answers = {}};
  constexpr std::string_view kToolkit = "CUDA ";
  if (out.compiler.starts_with(kToolkit)) out.compiler.erase(0, kToolkit.size());
  if (!names.empty() && names.size() != record.launches.size())
    throw std::runtime_error(
        fmt::format("{}: {} names of {} launches", program, names.size(), record.launches.size()));
  for (std::size_t i = 0; i < record.launches.size(); ++i)
    add_launch(out, names.empty() ? name_of(record.launches[i]) : names[i], record.launches[i]);
  return out;
}

}  // namespace heddle::validation
