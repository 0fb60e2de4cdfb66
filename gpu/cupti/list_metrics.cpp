// heddle_list_metrics [CHIP = GH100]: the SASS metrics CUPTI has for a chip, with its description
// of each, and the hardware counters a measurement asks for there. Needs no GPU.
#include <cupti_profiler_host.h>
#include <cupti_sass_metrics.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/cupti/counters.hpp"

namespace {

void check(CUptiResult result, const char* what) {
  if (result != CUPTI_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + std::to_string(result));
}

void list_sass_metrics(const char* chip) {
  CUpti_SassMetrics_GetNumOfMetrics_Params number{
      CUpti_SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE};
  number.pChipName = chip;
  check(cuptiSassMetricsGetNumOfMetrics(&number), "cuptiSassMetricsGetNumOfMetrics");
  std::vector<CUpti_SassMetrics_MetricDetails> details(number.numOfMetrics);
  CUpti_SassMetrics_GetMetrics_Params list{CUpti_SassMetrics_GetMetrics_Params_STRUCT_SIZE};
  list.pChipName = chip;
  list.numOfMetrics = details.size();
  list.pMetricsList = details.data();
  check(cuptiSassMetricsGetMetrics(&list), "cuptiSassMetricsGetMetrics");
  std::printf("%zu SASS metrics of %s, each recorded with the roll-up .sum\n\n", details.size(),
              chip);
  for (const auto& detail : details)
    std::printf("%s\n    %s\n", detail.pMetricName, detail.pMetricDescription);
}

// False when CUPTI does not know the counter for this chip.
bool known(CUpti_Profiler_Host_Object* host, const std::string& counter) {
  CUpti_Profiler_Host_GetMetricProperties_Params p{
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
  p.pHostObject = host;
  p.pMetricName = counter.c_str();
  return cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS;
}

void list_counters(const char* chip, CUpti_Profiler_Host_Object* host) {
  const std::vector<std::string> names = heddle::cupti::counter_names();
  std::printf("\n%zu hardware counters of %s\n\n", names.size(), chip);
  for (const std::string& name : names)
    std::printf("%s%s\n", name.c_str(), known(host, name) ? "" : "    (unknown for this chip)");
}

}  // namespace

int main(int argc, char** argv) {
  const char* chip = argc > 1 ? argv[1] : "GH100";
  try {
    // Also readies what the SASS metrics' list is taken from: without it CUPTI is "not
    // initialized".
    CUpti_Profiler_Host_Initialize_Params p{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip;
    check(cuptiProfilerHostInitialize(&p), "cuptiProfilerHostInitialize");
    list_sass_metrics(chip);
    list_counters(chip, p.pHostObject);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_list_metrics: %s\n", error.what());
    return 1;
  }
}
