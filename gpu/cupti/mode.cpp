#include "gpu/cupti/mode.hpp"

#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {

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
