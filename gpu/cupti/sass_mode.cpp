// Every SASS metric of every instruction of a launch, through CUPTI's SASS Metrics API: the kernel
// is patched to count, so the counts do not depend on time, and the launch runs once. CUPTI 13.0
// patches one launch in the life of a process, the first one after enabling (README.md, "What CUPTI
// does"), so a run measures one launch.
#include <cupti_sass_metrics.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "gpu/cupti/check.hpp"
#include "gpu/cupti/mode.hpp"

namespace heddle::cupti {
namespace {

constexpr std::uint64_t kUnused = ~std::uint64_t{0};

using Counts = std::map<std::uint64_t, std::uint64_t>;         // by metric id
using InstructionKey = std::pair<std::string, std::uint32_t>;  // function, byte offset in it

std::vector<CUpti_SassMetrics_MetricDetails> metrics_of(const std::string& chip) {
  CUpti_SassMetrics_GetNumOfMetrics_Params number{
      CUpti_SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE};
  number.pChipName = chip.c_str();
  HEDDLE_CALL(cuptiSassMetricsGetNumOfMetrics(&number));
  std::vector<CUpti_SassMetrics_MetricDetails> details(number.numOfMetrics);
  CUpti_SassMetrics_GetMetrics_Params list{CUpti_SassMetrics_GetMetrics_Params_STRUCT_SIZE};
  list.pChipName = chip.c_str();
  list.numOfMetrics = details.size();
  list.pMetricsList = details.data();
  HEDDLE_CALL(cuptiSassMetricsGetMetrics(&list));
  return details;
}

// Whether a metric is to be measured: all are, or those whose names HEDDLE_MEASURE_SASS lists.
// Fewer metrics are less code patched in, and that code shows (README.md, "What CUPTI does").
bool is_wanted(const std::string& name) {
  const char* const list = std::getenv("HEDDLE_MEASURE_SASS");
  return list == nullptr ||
         (',' + std::string(list) + ',').find(',' + name + ',') != std::string::npos;
}

class SassMode final : public Mode {
 public:
  Members header(CUdevice device) override {
    configure(device);
    std::vector<std::string> collected;
    for (const Metric& metric : metrics_) collected.push_back(json_string(metric.name));
    Members members;
    members.add_raw("collected", json_array(collected));
    return members;
  }

  void before(const Launch& launch, const DeviceMemory&, LaunchFragment&) override {
    if (std::exchange(enabled_, true))
      throw std::runtime_error(
          "a run measures the SASS metrics of one launch: set HEDDLE_MEASURE_ONLY");
    CUpti_SassMetricsEnable_Params enable{CUpti_SassMetricsEnable_Params_STRUCT_SIZE};
    enable.ctx = launch.context;
    enable.enableLazyPatching = 1;
    HEDDLE_CALL(cuptiSassMetricsEnable(&enable));
  }

  void after(const Launch& launch, const DeviceMemory&, LaunchFragment& out) override {
    const std::map<InstructionKey, Counts> instructions = collect(launch.context);
    CUpti_SassMetricsDisable_Params disable{CUpti_SassMetricsDisable_Params_STRUCT_SIZE};
    disable.ctx = launch.context;
    HEDDLE_CALL(cuptiSassMetricsDisable(&disable));
    if (instructions.empty()) throw std::runtime_error("CUPTI did not patch the launch");
    if (disable.numOfDroppedRecords != 0)
      throw std::runtime_error("CUPTI dropped SASS metric records");
    write(instructions, out);
  }

 private:
  struct Metric {
    std::string name;  // with the roll-up
    std::uint64_t id = 0;
  };

  void configure(CUdevice device) {
    initialize_profiler();
    std::vector<CUpti_SassMetrics_Config> configs;
    for (const auto& detail : metrics_of(chip_name(device))) {
      if (!is_wanted(detail.pMetricName)) continue;
      metrics_.push_back({std::string(detail.pMetricName) + ".sum", detail.metricId});
      configs.push_back({detail.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
    }
    CUpti_SassMetricsSetConfig_Params set{CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE};
    set.numOfMetricConfig = configs.size();
    set.pConfigs = configs.data();
    set.deviceIndex = static_cast<std::uint32_t>(device);
    HEDDLE_CALL(cuptiSassMetricsSetConfig(&set));
  }

  std::map<InstructionKey, Counts> collect(CUcontext context) const {
    CUpti_SassMetricsGetDataProperties_Params properties{
        CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE};
    properties.ctx = context;
    HEDDLE_CALL(cuptiSassMetricsGetDataProperties(&properties));
    const std::size_t records = properties.numOfPatchedInstructionRecords;
    // Room for every metric whichever way CUPTI means "instances": of one metric, or of all
    // together.
    const std::size_t room = properties.numOfInstances * metrics_.size();
    std::vector<CUpti_SassMetrics_InstanceValue> values(records * room, {kUnused, 0});
    std::vector<CUpti_SassMetrics_Data> data(records);
    for (std::size_t i = 0; i < records; ++i) {
      data[i].structSize = sizeof(CUpti_SassMetrics_Data);
      data[i].pInstanceValues = values.data() + i * room;
    }
    std::map<InstructionKey, Counts> out;
    if (values.empty()) return out;
    CUpti_SassMetricsFlushData_Params params{CUpti_SassMetricsFlushData_Params_STRUCT_SIZE};
    params.ctx = context;
    params.numOfPatchedInstructionRecords = records;
    params.numOfInstances = properties.numOfInstances;
    params.pMetricsData = data.data();
    HEDDLE_CALL(cuptiSassMetricsFlushData(&params));
    for (const CUpti_SassMetrics_Data& record : data) {
      Counts& counts = out[{record.functionName, record.pcOffset}];
      for (std::size_t i = 0; i < room && record.pInstanceValues[i].metricId != kUnused; ++i)
        counts[record.pInstanceValues[i].metricId] += record.pInstanceValues[i].value;
      std::free(const_cast<char*>(record.functionName));  // CUPTI leaves it to its caller
    }
    return out;
  }

  void write(const std::map<InstructionKey, Counts>& instructions, LaunchFragment& out) const {
    Counts totals;
    std::vector<std::string> entries;
    for (const auto& [key, counts] : instructions) {
      Members metrics;
      for (const Metric& metric : metrics_) {
        const auto found = counts.find(metric.id);
        if (found == counts.end() || found->second == 0) continue;
        totals[metric.id] += found->second;
        metrics.add(metric.name, found->second);
      }
      if (metrics.empty()) continue;
      Members entry;
      entry.add("function", key.first).add("pc", key.second).add_raw("metrics", metrics.object());
      entries.push_back(entry.object());
    }
    for (const Metric& metric : metrics_) out.metrics.add(metric.name, totals[metric.id]);
    out.other.add_raw("instructions", json_array(entries));
  }

  std::vector<Metric> metrics_;
  bool enabled_ = false;
};

}  // namespace

std::unique_ptr<Mode> make_sass_mode() { return std::make_unique<SassMode>(); }

}  // namespace heddle::cupti
