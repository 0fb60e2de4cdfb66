#include "gpu/cupti/range_profiler.hpp"

#include <cupti_profiler_target.h>

#include "gpu/cupti/check.hpp"
#include "gpu/cupti/mode.hpp"

namespace heddle::cupti {
namespace {

std::vector<std::uint8_t> counter_availability(CUcontext context) {
  CUpti_Profiler_GetCounterAvailability_Params p{
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  p.ctx = context;
  HEDDLE_CALL(cuptiProfilerGetCounterAvailability(&p));
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  HEDDLE_CALL(cuptiProfilerGetCounterAvailability(&p));
  return image;
}

}  // namespace

CounterSet::CounterSet(CUcontext context, CUdevice device, const std::vector<std::string>& wanted) {
  initialize_profiler();
  const std::string chip = chip_name(device);
  const std::vector<std::uint8_t> availability = counter_availability(context);
  CUpti_Profiler_Host_Initialize_Params p{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  p.pChipName = chip.c_str();
  p.pCounterAvailabilityImage = availability.data();
  HEDDLE_CALL(cuptiProfilerHostInitialize(&p));
  host_ = p.pHostObject;
  for (const std::string& name : wanted)
    if (has(name)) names_.push_back(name);
  for (const std::string& name : names_) pointers_.push_back(name.c_str());
  make_config();
}

bool CounterSet::has(const std::string& name) const {
  CUpti_Profiler_Host_GetMetricProperties_Params p{
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
  p.pHostObject = host_;
  p.pMetricName = name.c_str();
  return cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS;
}

void CounterSet::make_config() {
  CUpti_Profiler_Host_ConfigAddMetrics_Params add{
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = host_;
  add.ppMetricNames = pointers_.data();
  add.numMetrics = pointers_.size();
  HEDDLE_CALL(cuptiProfilerHostConfigAddMetrics(&add));
  CUpti_Profiler_Host_GetConfigImageSize_Params size{
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = host_;
  HEDDLE_CALL(cuptiProfilerHostGetConfigImageSize(&size));
  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image{
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  HEDDLE_CALL(cuptiProfilerHostGetConfigImage(&image));
  CUpti_Profiler_Host_GetNumOfPasses_Params passes{
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  HEDDLE_CALL(cuptiProfilerHostGetNumOfPasses(&passes));
  passes_ = passes.numOfPasses;
}

std::vector<double> CounterSet::values(const std::vector<std::uint8_t>& counter_data) {
  std::vector<double> out(names_.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params p{
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
  p.pHostObject = host_;
  p.pCounterDataImage = counter_data.data();
  p.counterDataImageSize = counter_data.size();
  p.rangeIndex = 0;
  p.ppMetricNames = pointers_.data();
  p.numMetrics = pointers_.size();
  p.pMetricValues = out.data();
  HEDDLE_CALL(cuptiProfilerHostEvaluateToGpuValues(&p));
  return out;
}

void RangeProfiler::enable(CUcontext context, CounterSet& counters) {
  CUpti_RangeProfiler_Enable_Params p{CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
  p.ctx = context;
  HEDDLE_CALL(cuptiRangeProfilerEnable(&p));
  object_ = p.pRangeProfilerObject;
  context_ = context;
  CUpti_RangeProfiler_GetCounterDataSize_Params size{
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
  size.pRangeProfilerObject = object_;
  size.pMetricNames = counters.name_pointers().data();
  size.numMetrics = counters.name_pointers().size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  HEDDLE_CALL(cuptiRangeProfilerGetCounterDataSize(&size));
  data_.resize(size.counterDataSize);
}

void RangeProfiler::disable() {
  if (object_ == nullptr) return;
  CUpti_RangeProfiler_Disable_Params p{CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = object_;
  object_ = nullptr;
  context_ = nullptr;
  HEDDLE_CALL(cuptiRangeProfilerDisable(&p));
}

void RangeProfiler::begin_launch(const CounterSet& counters) {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params image{
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  image.pRangeProfilerObject = object_;
  image.pCounterData = data_.data();
  image.counterDataSize = data_.size();
  HEDDLE_CALL(cuptiRangeProfilerCounterDataImageInitialize(&image));
  CUpti_RangeProfiler_SetConfig_Params p{CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = object_;
  p.pConfig = counters.config().data();
  p.configSize = counters.config().size();
  p.pCounterDataImage = data_.data();
  p.counterDataImageSize = data_.size();
  // The kernel alone is the range: a range pushed and popped by the caller also holds the time the
  // launch takes on the host (measured: 75,649 elapsed cycles against 3,852 for a kernel of 28 warp
  // instructions).
  p.range = CUPTI_AutoRange;
  p.replayMode = CUPTI_UserReplay;
  p.maxRangesPerPass = 1;
  p.numNestingLevels = 1;
  p.minNestingLevel = 1;
  p.passIndex = 0;
  p.targetNestingLevel = 1;
  HEDDLE_CALL(cuptiRangeProfilerSetConfig(&p));
}

void RangeProfiler::start() {
  CUpti_RangeProfiler_Start_Params p{CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = object_;
  HEDDLE_CALL(cuptiRangeProfilerStart(&p));
}

bool RangeProfiler::stop() {
  CUpti_RangeProfiler_Stop_Params p{CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = object_;
  HEDDLE_CALL(cuptiRangeProfilerStop(&p));
  return p.isAllPassSubmitted != 0;
}

const std::vector<std::uint8_t>& RangeProfiler::counter_data() {
  CUpti_RangeProfiler_DecodeData_Params p{CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = object_;
  HEDDLE_CALL(cuptiRangeProfilerDecodeData(&p));
  CUpti_RangeProfiler_GetCounterDataInfo_Params info{
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  HEDDLE_CALL(cuptiRangeProfilerGetCounterDataInfo(&info));
  if (info.numTotalRanges != 1)
    throw std::runtime_error("one launch gave " + std::to_string(info.numTotalRanges) + " ranges");
  return data_;
}

}  // namespace heddle::cupti
