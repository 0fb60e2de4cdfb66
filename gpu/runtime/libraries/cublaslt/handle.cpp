// cuBLASLt: libraries that stand on cuBLAS look for it. It computes nothing yet.
#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

constexpr std::size_t kVersion = 130000;  // of the interface

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new Context;
  return Status::success;
}
Status destroy(Handle handle) {
  delete handle;
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cublasLtCreate, create)
HEDDLE_EXPORT(cublasLtDestroy, destroy)

extern "C" __attribute__((visibility("default"))) std::size_t cublasLtGetVersion() {
  return kVersion;
}

}  // namespace heddle::runtime::libraries::cublas
