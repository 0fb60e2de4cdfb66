#include "cli/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/conditions.hpp"
#include "cli/findings_text.hpp"
#include "cli/launch_text.hpp"
#include "cli/selection.hpp"

namespace heddle::cli {

const simulator::GpuModel& gpu_of(const simulator::Record& record) {
  // Most records are of this one; the other models' files need not be read then.
  const simulator::GpuModel& usual = simulator::reference_model();
  if (usual.name == record.device) return usual;
  for (const std::string& id : simulator::model_ids())
    if (simulator::gpu_model(id).name == record.device) return simulator::gpu_model(id);
  throw std::runtime_error(
      fmt::format("there is no model of the GPU of this record: {}", record.device));
}

simulator::Record read_shown_record(const std::string& path) {
  simulator::Record record = simulator::read_record(path);
  for (simulator::LaunchRecord& launch : record.launches)
    for (auto& [metric, samples] : launch.timing) {
      if (samples.empty() || launch.metrics.contains(metric)) continue;
      const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
      std::ranges::nth_element(samples, middle);
      launch.metrics[metric] = *middle;
    }
  return record;
}

bool wants_instructions(const Arguments& arguments) {
  return arguments.has("per-pc") || arguments.has("source");
}

void check_record_options(const Arguments& arguments) {
  chosen_metrics(arguments);
  fail_conditions(arguments);
}

std::string record_text(const simulator::Record& record, const Arguments& arguments, int descriptor,
                        FaultText faults) {
  if (record.launches.empty()) return {};
  const auto launches = chosen_launches(record, arguments);
  const auto metrics = chosen_metrics(arguments);
  const Style style = Style::choose(arguments.value("color", "auto"), descriptor);
  std::string text =
      findings_text(record, {arguments.has("check"), arguments.has("verbose")}, style);
  if (launches.empty())
    return fmt::format("{}--launch-skip and --launch-count leave none of {} launch{}\n", text,
                       record.launches.size(), record.launches.size() == 1 ? "" : "es");
  if (arguments.value("format") == "nvprof")
    text += nvprof_text(launches, metrics, record.device);
  else if (metrics.empty() && !arguments.has("verbose"))
    text += kernel_rows(launches, faults, style);
  else
    text += kernel_tables(launches, metrics, gpu_of(record), style);
  if (!wants_instructions(arguments)) return text;
  for (const simulator::LaunchRecord* launch : launches) {
    text += fmt::format("\n{}  launch {}\n", style.bold(visible(display_name(launch->kernel))),
                        launch->index);
    if (arguments.has("source")) text += source_table(*launch, metrics);
    if (arguments.has("per-pc")) text += instruction_table(*launch, metrics);
  }
  return text;
}

}  // namespace heddle::cli
