#include "cli/validate_page.hpp"

#include <map>

#include "simulator/base/display_names.hpp"
#include "simulator/base/file.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/viewer/page.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using simulator::LaunchRecord;
using simulator::MetricValues;

// Of single instructions the page shows these, and the samples of why warps waited.
constexpr std::string_view kShown[] = {
    "smsp__sass_inst_executed.sum", "smsp__sass_thread_inst_executed.sum",
    "smsp__sass_thread_inst_executed_pred_on.sum", "smsp__sass_sectors_mem_global.sum",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"};

const LaunchRecord* launch_at(const simulator::Record& record, std::uint64_t index) {
  for (const LaunchRecord& launch : record.launches)
    if (launch.index == index) return &launch;
  return nullptr;
}

double value_in(const MetricValues& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

Json both(const MetricValues& model, const MetricValues& hardware) {
  Json json = Json::object();
  for (const auto& [name, value] : model)
    if (const auto found = hardware.find(name); found != hardware.end())
      json[name.text()] = {value, found->second};
  return json;
}

Json timing_json(const std::optional<ValidationPage::Times>& times, std::uint64_t index) {
  Json json = Json::object();
  if (!times) return json;
  const LaunchRecord* model = launch_at(times->model, index);
  const LaunchRecord* hardware = launch_at(times->hardware, index);
  if (model == nullptr || hardware == nullptr) return json;
  for (const auto& [name, measurements] : hardware->timing)
    if (const auto found = model->metrics.find(name);
        found != model->metrics.end() && !measurements.empty())
      json[name] = {found->second, measurements};
  return json;
}

Json instructions_json(const LaunchRecord& model, const LaunchRecord& hardware) {
  std::map<std::pair<std::string, std::uint64_t>, const MetricValues*> measured;
  for (const auto& instruction : hardware.instructions)
    measured[{instruction.function, instruction.pc}] = &instruction.metrics;
  Json rows = Json::array();
  for (const auto& instruction : model.instructions) {
    const auto found = measured.find({instruction.function, instruction.pc});
    const MetricValues none;
    const MetricValues& other = found == measured.end() ? none : *found->second;
    Json values = Json::object();
    for (const std::string_view name : kShown)
      if (model.metrics.contains(name) && hardware.metrics.contains(name) &&
          (instruction.metrics.contains(name) || other.contains(name)))
        values[std::string(name)] = {value_in(instruction.metrics, name), value_in(other, name)};
    rows.push_back({{"function", simulator::demangled(instruction.function)},
                    {"pc", instruction.pc},
                    {"line", instruction.line},
                    {"text", instruction.text},
                    {"values", values}});
  }
  return rows;
}

Json launch_json(const validation::LaunchComparison& comparison, const LaunchRecord& model,
                 const LaunchRecord& hardware, const std::optional<ValidationPage::Times>& times) {
  return {{"index", comparison.index},
          {"kernel", simulator::demangled(comparison.kernel)},
          {"orderDependent", comparison.order_dependent},
          {"values", comparison.values},
          {"differences", comparison.differences.size()},
          {"trouble", comparison.trouble},
          {"metrics", both(model.metrics, hardware.metrics)},
          {"timing", timing_json(times, comparison.index)},
          {"instructions", instructions_json(model, hardware)}};
}

Json units() {
  Json json = Json::object();
  for (const simulator::Metric& metric : simulator::metrics())
    json[std::string(metric.name)] = metric.unit;
  return json;
}

}  // namespace

void ValidationPage::add(const std::string& entry, const validation::Comparison& comparison,
                         const simulator::Record& model, const simulator::Record& hardware,
                         const std::optional<Times>& times, const std::string& stepper) {
  device_ = hardware.device;
  Json launches = Json::array();
  for (const validation::LaunchComparison& launch : comparison.launches) {
    const LaunchRecord* ours = launch_at(model, launch.index);
    const LaunchRecord* theirs = launch_at(hardware, launch.index);
    if (ours == nullptr || theirs == nullptr) continue;
    launches.push_back(launch_json(launch, *ours, *theirs, times));
  }
  entries_.push_back(
      {{"name", entry}, {"trouble", ""}, {"stepper", stepper}, {"launches", launches}});
}

void ValidationPage::add_trouble(const std::string& entry, const std::string& trouble) {
  entries_.push_back(
      {{"name", entry}, {"trouble", trouble}, {"stepper", ""}, {"launches", Json::array()}});
}

void ValidationPage::write(const std::filesystem::path& file) const {
  const Json entries = {{"entries", entries_}};
  traces::PageParts parts;
  const std::string blob = parts.keep(entries.dump(-1, ' ', false, Json::error_handler_t::replace));
  simulator::write_file(
      file, traces::filled_page(
                {{"report", {{"device", device_}, {"units", units()}, {"blob", blob}}}}, parts));
}

}  // namespace heddle::cli
