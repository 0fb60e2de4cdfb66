// The device, and contexts: there is one of each, whatever handle it goes by.
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr int kVersion = 13000;

struct CudaContext {
  unsigned flags = 0;
};

CudaContext& primary() {
  static CudaContext only;
  return only;
}

struct Contexts {
  std::mutex mutex;
  std::set<CudaContext*> created;
  unsigned retained = 0;  // of the primary one
};

Contexts& contexts() {
  static auto& only = *new Contexts;
  return only;
}

std::vector<CudaContext*>& stack() {
  static thread_local std::vector<CudaContext*> current;
  return current;
}

Result check(const void* answer, int device) {
  if (answer == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return device == 0 ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_DEVICE;
}

template <typename Value>
Result answer(Value* to, Value value, int device = 0) {
  const Result result = check(to, device);
  if (result == Result::CUDA_SUCCESS) *to = value;
  return result;
}

bool is_context(CudaContext* context) {
  std::lock_guard lock(contexts().mutex);
  return context == &primary() || contexts().created.contains(context);
}

Result create(CudaContext** context, unsigned flags, int device) {
  if (const Result result = check(context, device); result != Result::CUDA_SUCCESS) return result;
  auto made = std::make_unique<CudaContext>(CudaContext{flags});
  *context = made.get();
  std::lock_guard lock(contexts().mutex);
  contexts().created.insert(made.release());
  stack().push_back(*context);
  return Result::CUDA_SUCCESS;
}

}  // namespace

HEDDLE_DRIVER_API Result cuInit(unsigned flags) {
  return flags == 0 ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_DRIVER_API Result cuDriverGetVersion(int* version) { return answer(version, kVersion); }
HEDDLE_DRIVER_API Result cuDeviceGetCount(int* count) { return answer(count, 1); }
HEDDLE_DRIVER_API Result cuDeviceGet(int* device, int ordinal) {
  return answer(device, 0, ordinal);
}

HEDDLE_DRIVER_API Result cuDeviceGetName(char* name, int length, int device) {
  if (const Result result = check(name, device); result != Result::CUDA_SUCCESS) return result;
  if (length <= 0) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::DeviceProp properties;
    const Error error = cudaGetDeviceProperties(&properties, 0);
    if (error != Error::success) return error;
    std::strncpy(name, properties.name, static_cast<std::size_t>(length) - 1);
    name[length - 1] = '\0';
    return error;
  });
}

HEDDLE_DRIVER_API Result cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (const Result result = check(bytes, device); result != Result::CUDA_SUCCESS) return result;
  return forward([&] {
    abi::DeviceProp properties;
    const Error error = cudaGetDeviceProperties(&properties, 0);
    if (error == Error::success) *bytes = properties.totalGlobalMem;
    return error;
  });
}

HEDDLE_DRIVER_API Result cuDeviceGetUuid_v2(abi::Uuid* uuid, int device) {
  if (const Result result = check(uuid, device); result != Result::CUDA_SUCCESS) return result;
  return forward([&] {
    abi::DeviceProp properties;
    const Error error = cudaGetDeviceProperties(&properties, 0);
    if (error == Error::success) *uuid = properties.uuid;
    return error;
  });
}

HEDDLE_DRIVER_API Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  return forward([&] { return cudaDeviceGetAttribute(value, attribute, device); });
}

HEDDLE_DRIVER_API Result cuDeviceComputeCapability(int* major, int* minor, int device) {
  constexpr int kMajor = 75, kMinor = 76;
  if (major == nullptr || minor == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  const Result result = cuDeviceGetAttribute(major, kMajor, device);
  return result == Result::CUDA_SUCCESS ? cuDeviceGetAttribute(minor, kMinor, device) : result;
}

HEDDLE_DRIVER_API Result cuDeviceGetPCIBusId(char* text, int length, int device) {
  return forward([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}
HEDDLE_DRIVER_API Result cuDeviceGetByPCIBusId(int* device, const char* text) {
  return forward([&] { return cudaDeviceGetByPCIBusId(device, text); });
}
HEDDLE_DRIVER_API Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return forward([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxRetain(CudaContext** context, int device) {
  const Result result = answer(context, &primary(), device);
  std::lock_guard lock(contexts().mutex);
  if (result == Result::CUDA_SUCCESS) ++contexts().retained;
  return result;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxRelease_v2(int device) {
  if (device != 0) return Result::CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(contexts().mutex);
  if (contexts().retained == 0) return Result::CUDA_ERROR_INVALID_CONTEXT;
  --contexts().retained;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxReset_v2(int device) {
  if (device != 0) return Result::CUDA_ERROR_INVALID_DEVICE;
  return forward([] { return cudaDeviceReset(); });
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  if (device != 0) return Result::CUDA_ERROR_INVALID_DEVICE;
  primary().flags = flags;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (flags == nullptr || active == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(contexts().mutex);
  *active = contexts().retained != 0;
  return answer(flags, primary().flags, device);
}

HEDDLE_DRIVER_API Result cuCtxCreate_v2(CudaContext** context, unsigned flags, int device) {
  return create(context, flags, device);
}
HEDDLE_DRIVER_API Result cuCtxCreate_v4(CudaContext** context, void*, unsigned flags, int device) {
  return create(context, flags, device);
}

HEDDLE_DRIVER_API Result cuCtxDestroy_v2(CudaContext* context) {
  {
    std::lock_guard lock(contexts().mutex);
    if (contexts().created.erase(context) == 0) return Result::CUDA_ERROR_INVALID_CONTEXT;
  }
  const Result result = forward([] { return cudaDeviceSynchronize(); });
  if (!stack().empty() && stack().back() == context) stack().pop_back();
  delete context;
  return result;
}

HEDDLE_DRIVER_API Result cuCtxGetCurrent(CudaContext** context) {
  return answer(context, stack().empty() ? nullptr : stack().back());
}

HEDDLE_DRIVER_API Result cuCtxSetCurrent(CudaContext* context) {
  if (context != nullptr && !is_context(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  if (!stack().empty()) stack().pop_back();
  if (context != nullptr) stack().push_back(context);
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuCtxPushCurrent_v2(CudaContext* context) {
  if (!is_context(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  stack().push_back(context);
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuCtxPopCurrent_v2(CudaContext** context) {
  if (stack().empty()) return Result::CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack().back();
  stack().pop_back();
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuCtxGetDevice(int* device) { return answer(device, 0); }
HEDDLE_DRIVER_API Result cuCtxGetFlags(unsigned* flags) {
  return answer(flags, stack().empty() ? primary().flags : stack().back()->flags);
}
HEDDLE_DRIVER_API Result cuCtxGetApiVersion(CudaContext*, unsigned* version) {
  return answer(version, static_cast<unsigned>(kVersion));
}
HEDDLE_DRIVER_API Result cuCtxSynchronize() {
  return forward([] { return cudaDeviceSynchronize(); });
}
HEDDLE_DRIVER_API Result cuCtxSetLimit(int limit, std::size_t value) {
  return forward([&] { return cudaDeviceSetLimit(limit, value); });
}
HEDDLE_DRIVER_API Result cuCtxGetLimit(std::size_t* value, int limit) {
  return forward([&] { return cudaDeviceGetLimit(value, limit); });
}
HEDDLE_DRIVER_API Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return forward([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
HEDDLE_DRIVER_API Result cuCtxSetCacheConfig(int) { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuCtxGetCacheConfig(int* config) { return answer(config, 0); }
HEDDLE_DRIVER_API Result cuProfilerStart() { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuProfilerStop() { return Result::CUDA_SUCCESS; }

}  // namespace heddle::runtime::driver
