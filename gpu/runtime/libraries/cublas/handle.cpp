#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

constexpr int kVersion = 130000;  // of the interface

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new Context;
  return Status::success;
}
Status destroy(Handle handle) {
  if (handle == nullptr) return Status::not_initialized;
  const bool done = synchronize_device();  // the program may have destroyed the handle's stream
  delete handle;
  return done ? Status::success : Status::execution_failed;
}
Status get_version(Handle, int* version) {
  demand(version != nullptr);
  *version = kVersion;
  return Status::success;
}
Status get_property(int which, int* value) {
  demand(value != nullptr && which >= 0 && which <= 2);
  *value = which == 0 ? kVersion / 10000 : which == 1 ? kVersion / 100 % 100 : kVersion % 100;
  return Status::success;
}
std::size_t cudart_version() { return 13000; }

// A setting of the handle, and what it is.
template <auto kMember, typename T>
Status set(Handle handle, T value) {
  if (handle == nullptr) return Status::not_initialized;
  handle->*kMember = value;
  return Status::success;
}
template <auto kMember, typename T>
Status get(Handle handle, T* value) {
  if (handle == nullptr) return Status::not_initialized;
  demand(value != nullptr);
  *value = handle->*kMember;
  return Status::success;
}
// The host needs no workspace, and has no multiprocessors to leave to others.
Status set_workspace(Handle, void*, std::size_t) { return Status::success; }
Status set_multiprocessors(Handle, int) { return Status::success; }
Status get_multiprocessors(Handle, int* count) {
  demand(count != nullptr);
  *count = 0;
  return Status::success;
}

// Between the program's memory and the device's: `count` elements, with strides on both sides.
extern "C" Error cudaMemcpy2DAsync(void*, std::size_t, const void*, std::size_t, std::size_t,
                                   std::size_t, int, abi::Handle);
template <typename Int>
Status submit_columns(Int rows, Int columns, Int size, const void* from, Int from_leading, void* to,
                      Int to_leading, abi::Handle stream) {
  demand(rows >= 0 && columns >= 0 && size > 0 && from_leading >= rows && to_leading >= rows);
  constexpr int kEither = 4;
  return status_of(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_leading * size), from,
                                     static_cast<std::size_t>(from_leading * size),
                                     static_cast<std::size_t>(rows * size),
                                     static_cast<std::size_t>(columns), kEither, stream));
}
template <typename Int>
Status submit_vector(Int n, Int size, const void* from, Int from_increment, void* to,
                     Int to_increment, abi::Handle stream) {
  demand(from_increment > 0 && to_increment > 0);
  return submit_columns<Int>(1, n, size, from, from_increment, to, to_increment, stream);
}
Status after(Status submitted) {
  if (submitted != Status::success) return submitted;
  return synchronize(nullptr) ? Status::success : Status::execution_failed;
}
template <typename Int>
Status copy_columns(Int rows, Int columns, Int size, const void* from, Int from_leading, void* to,
                    Int to_leading) {
  return after(submit_columns(rows, columns, size, from, from_leading, to, to_leading, nullptr));
}
template <typename Int>
Status copy_vector(Int n, Int size, const void* from, Int from_increment, void* to,
                   Int to_increment) {
  return after(submit_vector(n, size, from, from_increment, to, to_increment, nullptr));
}

}  // namespace

HEDDLE_EXPORT(cublasCreate_v2, create)
HEDDLE_EXPORT(cublasDestroy_v2, destroy)
HEDDLE_EXPORT(cublasGetVersion_v2, get_version)
HEDDLE_EXPORT(cublasGetProperty, get_property)
HEDDLE_EXPORT(cublasSetStream_v2, set<&Context::stream, abi::Handle>)
HEDDLE_EXPORT(cublasGetStream_v2, get<&Context::stream, abi::Handle>)
HEDDLE_EXPORT(cublasSetPointerMode_v2, set<&Context::pointers, PointerMode>)
HEDDLE_EXPORT(cublasGetPointerMode_v2, get<&Context::pointers, PointerMode>)
HEDDLE_EXPORT(cublasSetMathMode, set<&Context::math_mode, int>)
HEDDLE_EXPORT(cublasGetMathMode, get<&Context::math_mode, int>)
HEDDLE_EXPORT(cublasSetAtomicsMode, set<&Context::atomics_mode, int>)
HEDDLE_EXPORT(cublasGetAtomicsMode, get<&Context::atomics_mode, int>)
HEDDLE_EXPORT(cublasSetWorkspace_v2, set_workspace)
HEDDLE_EXPORT(cublasSetSmCountTarget, set_multiprocessors)
HEDDLE_EXPORT(cublasGetSmCountTarget, get_multiprocessors)
HEDDLE_EXPORT(cublasSetMatrix, copy_columns<int>)
HEDDLE_EXPORT(cublasGetMatrix, copy_columns<int>)
HEDDLE_EXPORT(cublasSetMatrix_64, copy_columns<std::int64_t>)
HEDDLE_EXPORT(cublasGetMatrix_64, copy_columns<std::int64_t>)
HEDDLE_EXPORT(cublasSetMatrixAsync, submit_columns<int>)
HEDDLE_EXPORT(cublasGetMatrixAsync, submit_columns<int>)
HEDDLE_EXPORT(cublasSetMatrixAsync_64, submit_columns<std::int64_t>)
HEDDLE_EXPORT(cublasGetMatrixAsync_64, submit_columns<std::int64_t>)
HEDDLE_EXPORT(cublasSetVectorAsync, submit_vector<int>)
HEDDLE_EXPORT(cublasGetVectorAsync, submit_vector<int>)
HEDDLE_EXPORT(cublasSetVectorAsync_64, submit_vector<std::int64_t>)
HEDDLE_EXPORT(cublasGetVectorAsync_64, submit_vector<std::int64_t>)
HEDDLE_EXPORT(cublasSetVector, copy_vector<int>)
HEDDLE_EXPORT(cublasGetVector, copy_vector<int>)
HEDDLE_EXPORT(cublasSetVector_64, copy_vector<std::int64_t>)
HEDDLE_EXPORT(cublasGetVector_64, copy_vector<std::int64_t>)

extern "C" __attribute__((visibility("default"))) std::size_t cublasGetCudartVersion() {
  return cudart_version();
}
extern "C" __attribute__((visibility("default"))) const char* cublasGetStatusName(Status status) {
  return status_name(status);
}
extern "C" __attribute__((visibility("default"))) const char* cublasGetStatusString(Status status) {
  return status_name(status);
}

}  // namespace heddle::runtime::libraries::cublas
