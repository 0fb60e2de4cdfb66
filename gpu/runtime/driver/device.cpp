// Devices, and contexts: there is one of each device, whatever handle it goes by.
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr int kVersion = 13000;

constexpr unsigned kMostDevices = 8;

struct Contexts {
  std::mutex mutex;  // of what contexts are told, too
  std::set<CudaContext*> created;
};

Contexts& contexts() {
  static auto& only = *new Contexts;
  return only;
}

ThreadContexts& mine() { return support().contexts(); }

CudaContext& primary(int device) { return support().primary(static_cast<unsigned>(device)); }

int this_device() { return static_cast<int>(mine().gpu); }

Result push(CudaContext* context) {
  return mine().push(context) ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_OUT_OF_MEMORY;
}

// The same with another device as the thread's.
template <typename Body>
Result on_device(int device, Body body) {
  const unsigned before = std::exchange(mine().gpu, static_cast<unsigned>(device));
  const Result result = forward(body);
  mine().gpu = before;
  return result;
}

Result check(const void* answer, int device) {
  if (answer == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return is_device(device) ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_DEVICE;
}

template <typename Value>
Result answer(Value* to, Value value) {
  if (to == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *to = value;
  return Result::CUDA_SUCCESS;
}

template <typename Value>
Result answer(Value* to, Value value, int device) {
  const Result result = check(to, device);
  return result == Result::CUDA_SUCCESS ? answer(to, value) : result;
}

bool is_context(CudaContext* context) {
  for (unsigned gpu = 0; gpu < kMostDevices; ++gpu)
    if (context == &support().primary(gpu)) return true;
  std::lock_guard lock(contexts().mutex);
  return contexts().created.contains(context);
}

Result create(CudaContext** context, unsigned flags, int device) {
  if (const Result result = check(context, device); result != Result::CUDA_SUCCESS) return result;
  auto made = std::make_unique<CudaContext>();
  made->gpu = static_cast<unsigned>(device);
  made->flags = flags;
  if (const Result result = push(made.get()); result != Result::CUDA_SUCCESS) return result;
  *context = made.get();
  std::lock_guard lock(contexts().mutex);
  contexts().created.insert(made.release());
  return Result::CUDA_SUCCESS;
}

}  // namespace

bool is_device(int number) {
  int count = 0;
  cudaGetDeviceCount(&count);
  return number >= 0 && number < count;
}

HEDDLE_DRIVER_API Result cuInit(unsigned flags) {
  if (flags != 0) return Result::CUDA_ERROR_INVALID_VALUE;
  *support().is_initialised = true;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuDriverGetVersion(int* version) { return answer(version, kVersion); }
HEDDLE_DRIVER_API Result cuDeviceGetCount(int* count) {
  return forward([&] { return cudaGetDeviceCount(count); });
}
HEDDLE_DRIVER_API Result cuDeviceGet(int* device, int ordinal) {
  return answer(device, ordinal, ordinal);
}

HEDDLE_DRIVER_API Result cuDeviceGetName(char* name, int length, int device) {
  if (const Result result = check(name, device); result != Result::CUDA_SUCCESS) return result;
  if (length <= 0) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::DeviceProp properties;
    const Error error = cudaGetDeviceProperties(&properties, device);
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
    const Error error = cudaGetDeviceProperties(&properties, device);
    if (error == Error::success) *bytes = properties.totalGlobalMem;
    return error;
  });
}

HEDDLE_DRIVER_API Result cuDeviceGetUuid_v2(abi::Uuid* uuid, int device) {
  if (const Result result = check(uuid, device); result != Result::CUDA_SUCCESS) return result;
  return forward([&] {
    abi::DeviceProp properties;
    const Error error = cudaGetDeviceProperties(&properties, device);
    if (error == Error::success) *uuid = properties.uuid;
    return error;
  });
}

HEDDLE_DRIVER_API Result cuDeviceGetUuid(abi::Uuid* uuid, int device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

// Devices have LUIDs on Windows alone.
HEDDLE_DRIVER_API Result cuDeviceGetLuid(char*, unsigned*, int device) {
  return is_device(device) ? Result::CUDA_ERROR_NOT_SUPPORTED : Result::CUDA_ERROR_INVALID_DEVICE;
}

HEDDLE_DRIVER_API Result cuDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return forward([&] { return cudaDeviceGetP2PAttribute(value, attribute, from, to); });
}

HEDDLE_DRIVER_API Result cuDeviceGetHostAtomicCapabilities(unsigned* capabilities,
                                                           const int* operations, unsigned count,
                                                           int device) {
  return forward(
      [&] { return cudaDeviceGetHostAtomicCapabilities(capabilities, operations, count, device); });
}

// CU_EXEC_AFFINITY_TYPE_SM_COUNT needs MPS.
HEDDLE_DRIVER_API Result cuDeviceGetExecAffinitySupport(int* supported, int, int device) {
  return answer(supported, 0, device);
}

// As CUdevprop lays it out.
struct OldProperties {
  int max_threads_per_block, max_block[3], max_grid[3], shared_bytes, constant_bytes, warp_size,
      most_pitch, registers, clock_khz, texture_alignment;
};
HEDDLE_DRIVER_API Result cuDeviceGetProperties(OldProperties* properties, int device) {
  if (const Result result = check(properties, device); result != Result::CUDA_SUCCESS)
    return result;
  return forward([&] {
    constexpr int kClockRate = 13;
    abi::DeviceProp all;
    int clock = 0;
    Error error = cudaGetDeviceProperties(&all, device);
    if (error == Error::success) error = cudaDeviceGetAttribute(&clock, kClockRate, device);
    if (error != Error::success) return error;
    *properties = {all.maxThreadsPerBlock,
                   {all.maxThreadsDim[0], all.maxThreadsDim[1], all.maxThreadsDim[2]},
                   {all.maxGridSize[0], all.maxGridSize[1], all.maxGridSize[2]},
                   static_cast<int>(all.sharedMemPerBlock),
                   static_cast<int>(all.totalConstMem),
                   all.warpSize,
                   static_cast<int>(all.memPitch),
                   all.regsPerBlock,
                   clock,
                   static_cast<int>(all.textureAlignment)};
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
  if (const Result result = check(context, device); result != Result::CUDA_SUCCESS) return result;
  *context = &primary(device);
  std::lock_guard lock(contexts().mutex);
  ++primary(device).retained;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxRelease_v2(int device) {
  if (!is_device(device)) return Result::CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(contexts().mutex);
  if (primary(device).retained == 0) return Result::CUDA_ERROR_INVALID_CONTEXT;
  --primary(device).retained;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxReset_v2(int device) {
  if (!is_device(device)) return Result::CUDA_ERROR_INVALID_DEVICE;
  return on_device(device, [] { return cudaDeviceReset(); });
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  if (!is_device(device)) return Result::CUDA_ERROR_INVALID_DEVICE;
  primary(device).flags = flags;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (active == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  if (const Result result = check(flags, device); result != Result::CUDA_SUCCESS) return result;
  const CudaContext& asked = primary(device);
  std::lock_guard lock(contexts().mutex);
  *flags = asked.flags;
  *active = asked.retained != 0 || asked.is_active;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuCtxCreate_v2(CudaContext** context, unsigned flags, int device) {
  return create(context, flags, device);
}
HEDDLE_DRIVER_API Result cuCtxCreate_v4(CudaContext** context, void*, unsigned flags, int device) {
  return create(context, flags, device);
}

HEDDLE_DRIVER_API Result cuCtxDestroy_v2(CudaContext* context) {
  if (context == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  {
    std::lock_guard lock(contexts().mutex);
    if (!contexts().created.contains(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
    if (context->is_destroyed.exchange(true)) return Result::CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  const Result result =
      on_device(static_cast<int>(context->gpu), [] { return cudaDeviceSynchronize(); });
  if (mine().current() == context) mine().pop();
  return result;
}

HEDDLE_DRIVER_API Result cuCtxGetCurrent(abi::Handle* context) {
  if (mine().host_functions != 0) return Result::CUDA_ERROR_NOT_PERMITTED;
  return answer(context, abi::Handle{mine().current()});
}

// One that is destroyed becomes current all the same.
HEDDLE_DRIVER_API Result cuCtxSetCurrent(CudaContext* context) {
  if (context != nullptr && !is_context(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  if (mine().depth != 0) mine().pop();
  return context == nullptr ? Result::CUDA_SUCCESS : push(context);
}

HEDDLE_DRIVER_API Result cuCtxPushCurrent_v2(CudaContext* context) {
  if (context == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return is_context(context) ? push(context) : Result::CUDA_ERROR_INVALID_CONTEXT;
}

HEDDLE_DRIVER_API Result cuCtxPopCurrent_v2(CudaContext** context) {
  if (context != nullptr) *context = mine().current();
  mine().pop();
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuCtxGetDevice(int* device) { return answer(device, this_device()); }
HEDDLE_DRIVER_API Result cuCtxGetFlags(unsigned* flags) {
  return answer(flags, mine().current()->flags);
}
HEDDLE_DRIVER_API Result cuCtxGetApiVersion(CudaContext*, unsigned* version) {
  constexpr unsigned kOfContexts = 3020;  // as an H200's driver says
  return answer(version, kOfContexts);
}
// Names of contexts in the order in which they were asked for.
HEDDLE_DRIVER_API Result cuCtxGetId(CudaContext* context, unsigned long long* id) {
  if (id == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  if (context == nullptr) context = mine().current();
  if (!is_context(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  static unsigned long long last = 0;
  std::lock_guard lock(contexts().mutex);
  if (context->id == 0) context->id = ++last;
  *id = context->id;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuCtxSetFlags(unsigned flags) {
  constexpr unsigned kKnown = 0xff;
  if ((flags & ~kKnown) != 0) return Result::CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(contexts().mutex);
  mine().current()->flags = flags;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuCtxGetSharedMemConfig(int* config) { return answer(config, 1); }
HEDDLE_DRIVER_API Result cuCtxSetSharedMemConfig(int) { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuCtxResetPersistingL2Cache() { return Result::CUDA_SUCCESS; }
// Contexts of one device are no peers.
HEDDLE_DRIVER_API Result cuCtxEnablePeerAccess(CudaContext* peer, unsigned flags) {
  if (flags != 0) return Result::CUDA_ERROR_INVALID_VALUE;
  if (!is_context(peer)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  return forward([&] { return cudaDeviceEnablePeerAccess(static_cast<int>(peer->gpu), flags); });
}
HEDDLE_DRIVER_API Result cuCtxDisablePeerAccess(CudaContext* peer) {
  if (!is_context(peer)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  return forward([&] { return cudaDeviceDisablePeerAccess(static_cast<int>(peer->gpu)); });
}
HEDDLE_DRIVER_API Result cuCtxGetDevice_v2(int* device, CudaContext* context) {
  if (context == nullptr) context = mine().current();
  if (!is_context(context)) return Result::CUDA_ERROR_INVALID_CONTEXT;
  return answer(device, static_cast<int>(context->gpu));
}
HEDDLE_DRIVER_API Result cuFlushGPUDirectRDMAWrites(int target, int scope) {
  return forward([&] { return cudaDeviceFlushGPUDirectRDMAWrites(target, scope); });
}
HEDDLE_DRIVER_API Result cuCtxSynchronize() {
  return forward([] { return cudaDeviceSynchronize(); });
}
HEDDLE_DRIVER_API Result cuCtxSetLimit(int limit, std::size_t value) {
  return forward([&] { return cudaDeviceSetLimit(abi::Limit{limit}, value); });
}
HEDDLE_DRIVER_API Result cuCtxGetLimit(std::size_t* value, int limit) {
  return forward([&] { return cudaDeviceGetLimit(value, abi::Limit{limit}); });
}
HEDDLE_DRIVER_API Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return forward([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
HEDDLE_DRIVER_API Result cuCtxSetCacheConfig(int config) {
  return forward([&] { return cudaDeviceSetCacheConfig(config); });
}
HEDDLE_DRIVER_API Result cuCtxGetCacheConfig(int* config) {
  return forward([&] { return cudaDeviceGetCacheConfig(config); });
}
HEDDLE_DRIVER_API Result cuProfilerStart() { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuProfilerInitialize(const char*, const char*, int) {
  return Result::CUDA_ERROR_NOT_SUPPORTED;  // as an H200's driver says
}
HEDDLE_DRIVER_API Result cuProfilerStop() { return Result::CUDA_SUCCESS; }

}  // namespace heddle::runtime::driver
