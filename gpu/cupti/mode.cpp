#include "gpu/cupti/mode.hpp"

#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <cstdlib>

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {

unsigned repeats() {
  const char* text = std::getenv("HEDDLE_MEASURE_REPEATS");
  const unsigned long count = text == nullptr ? 5 : std::strtoul(text, nullptr, 10);
  if (count == 0 || count > 1000)
    throw std::runtime_error("HEDDLE_MEASURE_REPEATS must be a number from 1 to 1000");
  return static_cast<unsigned>(count);
}

void initialize_profiler() {
  CUpti_Profiler_Initialize_Params params{CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  HEDDLE_CALL(cuptiProfilerInitialize(&params));
}

std::string chip_name(CUdevice device) {
  CUpti_Device_GetChipName_Params params{CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  params.deviceIndex = static_cast<std::size_t>(device);
  HEDDLE_CALL(cuptiDeviceGetChipName(&params));
  return params.pChipName;
}

}  // namespace heddle::cupti
