// What calls answer within a host function of a stream, and of which context memory and its
// preferences are.
#include <thread>

#include "answers.hpp"

static cudaStream_t stream, other;
static cudaEvent_t done;
static void* memory;
static int value;

static void say_ends(const char* what, cudaError_t launched, cudaError_t awaited) {
  std::printf("%s: %s, %s\n", what, cudaGetErrorName(launched), cudaGetErrorName(awaited));
  last_error();
}

// Says what `body` says in a host function and in a callback of `stream`.
static void within(void (*body)()) {
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  cudaMalloc(&memory, 256);
  cudaEventRecord(done, other);
  cudaStreamSynchronize(other);
  const auto call = [](void* data) { reinterpret_cast<void (*)()>(data)(); };
  const auto call_back = [](cudaStream_t, cudaError_t status, void* data) {
    std::printf("status %s\n", cudaGetErrorName(status));
    reinterpret_cast<void (*)()>(data)();
  };
  void* const data = reinterpret_cast<void*>(body);
  cudaError_t launched = cudaLaunchHostFunc(stream, call, data);
  say_ends("host function", launched, cudaStreamSynchronize(stream));
  launched = cudaStreamAddCallback(stream, call_back, data, 0);
  say_ends("callback", launched, cudaStreamSynchronize(stream));
}

#define WITHIN(name, ...) \
  SECTION(name) {         \
    within([] {           \
      __VA_ARGS__;        \
      last_error();       \
    });                   \
  }

WITHIN(event_query, CALL(cudaEventQuery(done)))
WITHIN(event_query_driver, CALL(cuEventQuery(done)))
WITHIN(stream_query, CALL(cudaStreamQuery(other)); CALL(cudaStreamQuery(stream)))
WITHIN(stream_query_driver, CALL(cuStreamQuery(other)); CALL(cuStreamQuery(stream)))
WITHIN(event_elapsed, float time; CALL(cudaEventElapsedTime(&time, done, done)))
WITHIN(event_record, CALL(cudaEventRecord(done, other)))
WITHIN(event_record_driver, CALL(cuEventRecord(done, other)))
WITHIN(event_synchronize, CALL(cudaEventSynchronize(done)))
WITHIN(event_create, cudaEvent_t made; CALL(cudaEventCreate(&made)))
WITHIN(stream_synchronize, CALL(cudaStreamSynchronize(other)))
WITHIN(get_device, CALL(cudaGetDevice(&value)))
WITHIN(set_device, CALL(cudaSetDevice(0)))
WITHIN(attribute, CALL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0)))
WITHIN(properties, cudaDeviceProp all; CALL(cudaGetDeviceProperties(&all, 0)))
WITHIN(pointer, cudaPointerAttributes all; CALL(cudaPointerGetAttributes(&all, memory)))
WITHIN(pointer_driver, int type;
       CALL(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(memory))))
WITHIN(memory_info, std::size_t free, all; CALL(cudaMemGetInfo(&free, &all)))
WITHIN(current_context, CUcontext now; CALL(cuCtxGetCurrent(&now)))
WITHIN(context_device, CUdevice device; CALL(cuCtxGetDevice(&device)))
WITHIN(allocate, void* more; CALL(cudaMalloc(&more, 256)))
WITHIN(allocate_host, void* more; CALL(cudaMallocHost(&more, 256)))
WITHIN(copy, CALL(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost)))
WITHIN(copy_later, CALL(cudaMemcpyAsync(&value, memory, 4, cudaMemcpyDeviceToHost, other)))
WITHIN(fill_later, CALL(cudaMemsetAsync(memory, 0, 4, other)))
WITHIN(host_function, CALL(cudaLaunchHostFunc(
                          other, [](void*) {}, nullptr)))
WITHIN(version, CALL(cudaRuntimeGetVersion(&value)); CALL(cudaDriverGetVersion(&value)))
WITHIN(from_a_thread, std::thread([] {
                        CALL(cudaEventQuery(done));
                        CALL(cudaMemcpyAsync(&value, memory, 4, cudaMemcpyDeviceToHost, other));
                      }).join())

static void tell_preference(const char* when) {
  CUfunc_cache of_driver = CUfunc_cache(77);
  cudaFuncCache of_runtime = cudaFuncCache(77);
  const CUresult result = cuCtxGetCacheConfig(&of_driver);
  const cudaError_t error = cudaDeviceGetCacheConfig(&of_runtime);
  std::printf("%s: driver %d %d, runtime %d %d\n", when, result, of_driver, error, of_runtime);
}

SECTION(cache_preference) {
  cuInit(0);
  CUcontext primary, first, second;
  cuDevicePrimaryCtxRetain(&primary, 0);
  CALL(cuCtxSetCurrent(primary));
  tell_preference("at first");
  for (int wanted : {2, 1, 3, 0, 4, -1}) {
    std::printf("%d: %d\n", wanted, cuCtxSetCacheConfig(CUfunc_cache(wanted)));
    tell_preference("then");
  }
  CALL(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  tell_preference("by the runtime");
  CALL(cuCtxCreate(&first, nullptr, 0, 0));
  tell_preference("another context");
  CALL(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
  tell_preference("set there");
  CALL(cuCtxCreate(&second, nullptr, 0, 0));
  tell_preference("a third");
  cuCtxPopCurrent(nullptr);
  tell_preference("the second again");
  cuCtxPopCurrent(nullptr);
  tell_preference("the primary one");
  cudaDeviceReset();
  cudaFuncCache left = cudaFuncCache(77);
  cudaDeviceGetCacheConfig(&left);
  std::printf("after a reset: %d\n", left);
}

SECTION(context_of_memory) {
  cuInit(0);
  CUcontext all[3];
  CUdeviceptr made[3], managed[3];
  void* host[3];
  cuDevicePrimaryCtxRetain(&all[0], 0);
  CALL(cuCtxSetCurrent(all[0]));
  for (int i = 0; i < 3; ++i) {
    if (i != 0) CALL(cuCtxCreate(&all[i], nullptr, 0, 0));
    CALL(cuMemAlloc(&made[i], 1000));
    CALL(cuMemAllocManaged(&managed[i], 1000, CU_MEM_ATTACH_GLOBAL));
    CALL(cuMemAllocHost(&host[i], 1000));
  }
  const auto tell = [&](const char* what, CUdeviceptr address) {
    CUcontext found = nullptr;
    const CUresult result = cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_CONTEXT, address);
    int which = -1;
    for (int i = 0; i < 3; ++i)
      if (found == all[i]) which = i;
    std::printf("%s: %d, context %d\n", what, result, found == nullptr ? -2 : which);
  };
  for (int now = 0; now < 3; ++now) {
    std::printf("in context %d\n", now);
    cuCtxSetCurrent(all[now]);
    for (int i = 0; i < 3; ++i) {
      tell("device memory", made[i]);
      tell("managed memory", managed[i]);
      tell("host memory", CUdeviceptr(host[i]));
    }
  }
  cuCtxSetCurrent(nullptr);
  std::puts("in none");
  for (int i = 0; i < 3; ++i) tell("device memory", made[i]);
  CUdeviceptr base;
  std::size_t bytes;
  cuCtxSetCurrent(all[0]);
  CALL(cuMemGetAddressRange(&base, &bytes, made[1] + 4));
  CALL(cuMemFree(made[1]));
  CALL(cuCtxDestroy(all[2]));
  tell("of a destroyed one", made[2]);
  tell("managed", managed[2]);
  tell("host", CUdeviceptr(host[2]));
}
