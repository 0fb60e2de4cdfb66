// Properties of the device and of pointers, in CUDA 12's layouts, and names that CUDA 13 dropped.
#include <cstring>

#include "gpu/runtime/cudart12/abi.hpp"
#include "gpu/runtime/cudart12/previous.hpp"

namespace heddle::runtime {

HEDDLE_OF_13(cudaGetDeviceProperties, (abi::DeviceProp*, int));
HEDDLE_OF_13(cudaDeviceGetAttribute, (int*, int, int));
HEDDLE_OF_13(cudaPointerGetAttributes, (abi::PointerAttributes*, const void*));
HEDDLE_OF_13(cudaChooseDevice, (int*, const abi::DeviceProp*));

namespace {

constexpr int kVersion = 12090;

// The fields that both versions have. Arrays are copied whole.
void copy_fields(abi12::DeviceProp& to, const abi::DeviceProp& from) {
#define HEDDLE_FIELD(field)                            \
  static_assert(sizeof to.field == sizeof from.field); \
  std::memcpy(&to.field, &from.field, sizeof to.field);
#include "gpu/runtime/cudart12/device_fields.inc"
#undef HEDDLE_FIELD
}

Error properties(abi12::DeviceProp& result, int device) {
  abi::DeviceProp of_13;
  if (const Error error = previous_cudaGetDeviceProperties(&of_13, device); error != Error::success)
    return error;
  result = {};
  copy_fields(result, of_13);
  const struct {
    int attribute;
    int& field;
  } dropped[] = {{13, result.clockRate},
                 {15, result.deviceOverlap},
                 {17, result.kernelExecTimeoutEnabled},
                 {20, result.computeMode},
                 {36, result.memoryClockRate},
                 {69, result.maxTexture1DLinear},
                 {87, result.singleToDoublePrecisionPerfRatio},
                 {96, result.cooperativeMultiDeviceLaunch}};
  for (const auto& [attribute, field] : dropped)
    if (const Error error = previous_cudaDeviceGetAttribute(&field, attribute, device);
        error != Error::success)
      return error;
  return Error::success;
}

}  // namespace

HEDDLE_API_12 Error cudaGetDeviceProperties_v2(abi12::DeviceProp* result, int device) {
  if (result == nullptr) return previous_cudaGetDeviceProperties(nullptr, device);
  return properties(*result, device);
}

// As CUDA 11 declares it: the structure is shorter.
HEDDLE_API_12 Error cudaGetDeviceProperties(void* result, int device) {
  if (result == nullptr) return previous_cudaGetDeviceProperties(nullptr, device);
  abi12::DeviceProp of_12;
  const Error error = properties(of_12, device);
  if (error == Error::success) std::memcpy(result, &of_12, abi12::kDevicePropBytesOf11);
  return error;
}

HEDDLE_API_12 Error cudaChooseDevice(int* device, const abi12::DeviceProp* wanted) {
  if (wanted == nullptr) return previous_cudaChooseDevice(device, nullptr);
  abi::DeviceProp of_13{};
  of_13.major = wanted->major;
  of_13.minor = wanted->minor;
  return previous_cudaChooseDevice(device, &of_13);
}

HEDDLE_API_12 Error cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return Error::invalid_value;
  *version = kVersion;
  return Error::success;
}

HEDDLE_API_12 Error cudaPointerGetAttributes(abi12::PointerAttributes* attributes,
                                             const void* pointer) {
  if (attributes == nullptr) return previous_cudaPointerGetAttributes(nullptr, pointer);
  abi::PointerAttributes of_13;
  const Error error = previous_cudaPointerGetAttributes(&of_13, pointer);
  if (error == Error::success)
    *attributes = {of_13.type, of_13.device, of_13.devicePointer, of_13.hostPointer};
  return error;
}

// For devices without double precision, of which there are none left.
HEDDLE_API_12 Error cudaSetDoubleForDevice(double*) { return Error::success; }
HEDDLE_API_12 Error cudaSetDoubleForHost(double*) { return Error::success; }

}  // namespace heddle::runtime
