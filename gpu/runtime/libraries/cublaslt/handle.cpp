// cuBLASLt's handle and what surrounds it.
#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

constexpr std::size_t kVersion = 130000, kCudart = 13000;  // of the interface

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new Context;
  return Status::success;
}
Status destroy(Handle handle) {
  delete handle;
  return Status::success;
}
Status get_property(int which, int* value) {
  demand(value != nullptr && which >= 0 && which <= 2);
  *value = static_cast<int>(which == 0   ? kVersion / 10000
                            : which == 1 ? kVersion / 100 % 100
                                         : kVersion % 100);
  return Status::success;
}

// There is one algorithm to choose from: nothing is kept of the choice.
Status get_capacity(std::size_t* capacity) {
  demand(capacity != nullptr);
  *capacity = 0;
  return Status::success;
}
Status set_capacity(std::size_t) { return Status::success; }
// Nothing is logged: the record has each call.
Status set_log(int) { return Status::success; }
Status no_log() { return Status::success; }

}  // namespace

HEDDLE_EXPORT(cublasLtCreate, create)
HEDDLE_EXPORT(cublasLtDestroy, destroy)
HEDDLE_EXPORT(cublasLtGetProperty, get_property)
HEDDLE_EXPORT(cublasLtHeuristicsCacheGetCapacity, get_capacity)
HEDDLE_EXPORT(cublasLtHeuristicsCacheSetCapacity, set_capacity)
HEDDLE_EXPORT(cublasLtLoggerSetLevel, set_log)
HEDDLE_EXPORT(cublasLtLoggerSetMask, set_log)
HEDDLE_EXPORT(cublasLtLoggerForceDisable, no_log)

extern "C" __attribute__((visibility("default"))) std::size_t cublasLtGetVersion() {
  return kVersion;
}
extern "C" __attribute__((visibility("default"))) std::size_t cublasLtGetCudartVersion() {
  return kCudart;
}
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusName(Status status) {
  return status_name(status);
}
extern "C" __attribute__((visibility("default"))) const char* cublasLtGetStatusString(
    Status status) {
  return status_name(status);
}

}  // namespace heddle::runtime::libraries::cublas
