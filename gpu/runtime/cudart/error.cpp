// Errors and versions. An error that makes the context useless is taken away like others, and comes
// back with the next call that needs the context.
#include <utility>

#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

constexpr int kVersion = 13000;

}  // namespace

HEDDLE_API Error cudaGetLastError() {
  Runtime::initialise_driver();
  return std::exchange(Runtime::thread().last_error, Error::success);
}

HEDDLE_API Error cudaPeekAtLastError() {
  Runtime::initialise_driver();
  return Runtime::thread().last_error;
}

HEDDLE_API const char* cudaGetErrorName(Error error) {
  Runtime::initialise_driver();
  return error_name(error);
}

HEDDLE_API const char* cudaGetErrorString(Error error) { return error_text(error); }

HEDDLE_API Error cudaDriverGetVersion(int* version) {
  return api([&] {
    if (version == nullptr) return Error::invalid_value;
    *version = kVersion;
    return Error::success;
  });
}

// Does not initialise the driver.
HEDDLE_API Error cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return Runtime::thread().last_error = Error::invalid_value;
  *version = kVersion;
  return Error::success;
}

HEDDLE_API Error cudaProfilerStart() {
  return api([] { return Error::success; });
}

HEDDLE_API Error cudaProfilerStop() {
  return api([] { return Error::success; });
}

}  // namespace heddle::runtime
