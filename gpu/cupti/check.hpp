// One way to report a CUDA or CUPTI call that failed: an exception that names the call.
#pragma once

#include <cuda.h>
#include <cupti_result.h>

#include <stdexcept>
#include <string>

namespace heddle::cupti {

inline void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  throw std::runtime_error(std::string(call) + ": " +
                           (name != nullptr ? name : std::to_string(result)));
}

inline void check(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  cuptiGetResultString(result, &name);
  throw std::runtime_error(std::string(call) + ": " +
                           (name != nullptr ? name : std::to_string(result)));
}

}  // namespace heddle::cupti

// HEDDLE_CALL(cuCtxSynchronize()); throws what went wrong, with the call's text.
#define HEDDLE_CALL(call) ::heddle::cupti::check((call), #call)
