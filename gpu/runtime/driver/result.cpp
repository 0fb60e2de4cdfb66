// Results: their names and texts, and what is not implemented.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/refuse.hpp"

namespace heddle::runtime::driver {

Result result_of(Error error) {
  constexpr int kSame = 100;
  switch (error) {
    case Error::success:
    case Error::invalid_value:
    case Error::memory_allocation:
    case Error::initialization_error:
    case Error::cudart_unloading:
      return static_cast<Result>(error);
    case Error::invalid_device_function:
      return Result::CUDA_ERROR_INVALID_HANDLE;
    case Error::invalid_symbol:
      return Result::CUDA_ERROR_NOT_FOUND;
    default:
      return static_cast<int>(error) < kSame ? Result::CUDA_ERROR_INVALID_VALUE
                                             : static_cast<Result>(error);
  }
}

int refuse(const char* name) noexcept {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "heddle: %s is not supported: it returns CUDA_ERROR_NOT_SUPPORTED\n",
                 name);
  return static_cast<int>(Result::CUDA_ERROR_NOT_SUPPORTED);
}

HEDDLE_DRIVER_API Result cuGetErrorName(Result result, const char** name) {
  if (name == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  switch (result) {
#define HEDDLE_CUDA_RESULT(number, result_name) \
  case Result::result_name:                     \
    *name = #result_name;                       \
    return Result::CUDA_SUCCESS;
#include "gpu/runtime/driver/results.inc"
#undef HEDDLE_CUDA_RESULT
  }
  *name = nullptr;
  return Result::CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_DRIVER_API Result cuGetErrorString(Result result, const char** text) {
  const char* name = nullptr;
  const Result known = cuGetErrorName(result, &name);
  if (known == Result::CUDA_SUCCESS && text != nullptr) {
    // Those that the runtime interface has not.
    *text = result == Result::CUDA_ERROR_CONTEXT_ALREADY_CURRENT ? "context already current"
            : result == Result::CUDA_ERROR_KEY_ROTATION
                ? "an error happened during the key rotation sequence"
                : cudaGetErrorString(static_cast<Error>(result));
  }
  return text == nullptr ? Result::CUDA_ERROR_INVALID_VALUE : known;
}

}  // namespace heddle::runtime::driver
