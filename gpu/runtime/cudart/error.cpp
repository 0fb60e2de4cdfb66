// Errors and versions.
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

constexpr int kVersion = 13000;

Error last_error() {
  Runtime& runtime = Runtime::instance();
  if (runtime.has_context())
    if (const auto context = runtime.context(); context && context->status() != Error::success)
      return context->status();
  return Runtime::thread().last_error;
}

}  // namespace

HEDDLE_API Error cudaGetLastError() {
  const Error error = last_error();
  Runtime::thread().last_error = Error::success;
  return error;
}

HEDDLE_API Error cudaPeekAtLastError() { return last_error(); }

HEDDLE_API const char* cudaGetErrorName(Error error) { return error_name(error); }

HEDDLE_API const char* cudaGetErrorString(Error error) { return error_text(error); }

HEDDLE_API Error cudaDriverGetVersion(int* version) {
  return api([&] {
    if (version == nullptr) return Error::invalid_value;
    *version = kVersion;
    return Error::success;
  });
}

HEDDLE_API Error cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

HEDDLE_API Error cudaProfilerStart() { return Error::success; }

HEDDLE_API Error cudaProfilerStop() { return Error::success; }

}  // namespace heddle::runtime
