// Devices: properties, attributes, limits, flags, peers.
#include "answers.hpp"

#define FIELD(name) say_value(#name, p.name)
#define FIELDS2(name) FIELD(name[0]), FIELD(name[1])
#define FIELDS3(name) FIELDS2(name), FIELD(name[2])

SECTION(properties) {
  cudaDeviceProp p;
  CALL(cudaGetDeviceProperties(&p, 0));
  FIELD(name);
  FIELD(luidDeviceNodeMask);
  FIELD(totalGlobalMem), FIELD(sharedMemPerBlock), FIELD(regsPerBlock), FIELD(warpSize),
      FIELD(memPitch);
  FIELD(maxThreadsPerBlock), FIELDS3(maxThreadsDim), FIELDS3(maxGridSize), FIELD(totalConstMem);
  FIELD(major), FIELD(minor), FIELD(textureAlignment), FIELD(texturePitchAlignment);
  FIELD(multiProcessorCount), FIELD(integrated), FIELD(canMapHostMemory);
  FIELD(maxTexture1D), FIELD(maxTexture1DMipmap), FIELDS2(maxTexture2D),
      FIELDS2(maxTexture2DMipmap);
  FIELDS3(maxTexture2DLinear), FIELDS2(maxTexture2DGather), FIELDS3(maxTexture3D);
  FIELDS3(maxTexture3DAlt), FIELD(maxTextureCubemap), FIELDS2(maxTexture1DLayered);
  FIELDS3(maxTexture2DLayered), FIELDS2(maxTextureCubemapLayered);
  FIELD(maxSurface1D), FIELDS2(maxSurface2D), FIELDS3(maxSurface3D), FIELDS2(maxSurface1DLayered);
  FIELDS3(maxSurface2DLayered), FIELD(maxSurfaceCubemap), FIELDS2(maxSurfaceCubemapLayered);
  FIELD(surfaceAlignment), FIELD(concurrentKernels), FIELD(ECCEnabled);
  FIELD(tccDriver), FIELD(asyncEngineCount), FIELD(unifiedAddressing);
  FIELD(memoryBusWidth), FIELD(l2CacheSize), FIELD(persistingL2CacheMaxSize);
  FIELD(maxThreadsPerMultiProcessor), FIELD(streamPrioritiesSupported);
  FIELD(globalL1CacheSupported), FIELD(localL1CacheSupported), FIELD(sharedMemPerMultiprocessor);
  FIELD(regsPerMultiprocessor), FIELD(managedMemory), FIELD(isMultiGpuBoard),
      FIELD(multiGpuBoardGroupID);
  FIELD(hostNativeAtomicSupported), FIELD(pageableMemoryAccess), FIELD(concurrentManagedAccess);
  FIELD(computePreemptionSupported), FIELD(canUseHostPointerForRegisteredMem),
      FIELD(cooperativeLaunch);
  FIELD(sharedMemPerBlockOptin), FIELD(pageableMemoryAccessUsesHostPageTables);
  FIELD(directManagedMemAccessFromHost), FIELD(maxBlocksPerMultiProcessor);
  FIELD(accessPolicyMaxWindowSize), FIELD(reservedSharedMemPerBlock), FIELD(hostRegisterSupported);
  FIELD(sparseCudaArraySupported), FIELD(hostRegisterReadOnlySupported);
  FIELD(timelineSemaphoreInteropSupported), FIELD(memoryPoolsSupported),
      FIELD(gpuDirectRDMASupported);
  FIELD(gpuDirectRDMAFlushWritesOptions), FIELD(gpuDirectRDMAWritesOrdering);
  FIELD(memoryPoolSupportedHandleTypes), FIELD(deferredMappingCudaArraySupported);
  FIELD(ipcEventSupported), FIELD(clusterLaunch), FIELD(unifiedFunctionPointers);
  FIELD(deviceNumaConfig), FIELD(deviceNumaId), FIELD(mpsEnabled), FIELD(hostNumaId);
  FIELD(gpuPciDeviceID), FIELD(gpuPciSubsystemID), FIELD(hostNumaMultinodeIpcSupported);
  CALL(cudaGetDeviceProperties(&p, 1));
  CALL(cudaGetDeviceProperties(&p, -1));
  CALL(cudaGetDeviceProperties(nullptr, 0));
}

SECTION(attributes) {
  for (int i = 0; i <= 150; ++i) {
    int number = -77;
    const cudaError_t error = cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(i), 0);
    if (i == cudaDevAttrPciBusId || i == cudaDevAttrPciDeviceId || i == cudaDevAttrPciDomainId)
      continue;
    std::printf("attribute %d: %s %d\n", i, cudaGetErrorName(error),
                error == cudaSuccess ? number : 0);
  }
  int number = 0;
  CALL(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 1));
  last_error();
  CALL(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  CALL(cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(9999), 0));
}

SECTION(driver_attributes) {
  cuInit(0);
  for (int i = 0; i <= 150; ++i) {
    int number = -77;
    const CUresult result = cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(i), 0);
    if (i == cudaDevAttrPciBusId || i == cudaDevAttrPciDeviceId || i == cudaDevAttrPciDomainId)
      continue;
    std::printf("driver attribute %d: %d %d\n", i, result, result == CUDA_SUCCESS ? number : 0);
  }
}

static void show_limit(int limit) {
  std::size_t bytes = 77;
  const cudaError_t error = cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(limit));
  std::printf("limit %d: %s %zu\n", limit, cudaGetErrorName(error), bytes);
}
static void set_limit(int limit, std::size_t bytes) {
  const cudaError_t error = cudaDeviceSetLimit(static_cast<cudaLimit>(limit), bytes);
  std::printf("set limit %d to %zu: %s; ", limit, bytes, cudaGetErrorName(error));
  show_limit(limit);
}

SECTION(limits) {
  for (int i = 0; i < 10; ++i) show_limit(i);
  for (std::size_t bytes : {0, 1, 1000, 1024, 1025, 2048, 65536, 262144, 524272, 524288, 1 << 20})
    set_limit(cudaLimitStackSize, bytes);
  for (std::size_t bytes : {0, 1, 1000, 4096, 65536, 1 << 20, 5000001})
    set_limit(cudaLimitPrintfFifoSize, bytes);
  for (std::size_t bytes : {0, 1, 1000, 4096, 65536, 1 << 20, 5000001, 64 << 20, 1 << 30})
    set_limit(cudaLimitMallocHeapSize, bytes);
  for (std::size_t n : {0, 1, 2, 16}) set_limit(cudaLimitDevRuntimeSyncDepth, n);
  for (std::size_t n : {0, 1, 100, 2048, 4096, 10000})
    set_limit(cudaLimitDevRuntimePendingLaunchCount, n);
  for (std::size_t n : {0, 1, 32, 33, 64, 100, 128, 129, 256})
    set_limit(cudaLimitMaxL2FetchGranularity, n);
  for (std::size_t n : {0, 1, 1000, 1 << 20, 11796480, 20000000, 32768000, 39321600, 100000000})
    set_limit(cudaLimitPersistingL2CacheSize, n);
  set_limit(7, 1);
  set_limit(8, 1);
  CALL(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
}

__global__ void nothing() {}
SECTION(limits_after_a_launch) {
  nothing<<<1, 1>>>();
  CALL(cudaDeviceSynchronize());
  set_limit(cudaLimitMallocHeapSize, 16 << 20);
  set_limit(cudaLimitPrintfFifoSize, 2 << 20);
  set_limit(cudaLimitStackSize, 4096);
}

SECTION(configuration) {
  unsigned flags = 77;
  CALL(cudaGetDeviceFlags(&flags));
  VALUE(flags);
  for (unsigned wanted : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 32u, 64u, 128u, 256u, 0x1000u}) {
    std::printf("flags %u: %s\n", wanted, cudaGetErrorName(cudaSetDeviceFlags(wanted)));
    cudaGetDeviceFlags(&flags);
    VALUE(flags);
  }
  cudaFuncCache cache;
  CALL(cudaDeviceGetCacheConfig(&cache));
  VALUE(cache);
  for (int wanted : {1, 2, 3, 0, 4, -1}) {
    std::printf("cache %d: %s\n", wanted,
                cudaGetErrorName(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(wanted))));
    cudaDeviceGetCacheConfig(&cache);
    VALUE(cache);
  }
  cudaSharedMemConfig shared;
  CALL(cudaDeviceGetSharedMemConfig(&shared));
  VALUE(shared);
  for (int wanted : {1, 2, 0, 3}) {
    std::printf(
        "shared %d: %s\n", wanted,
        cudaGetErrorName(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(wanted))));
    cudaDeviceGetSharedMemConfig(&shared);
    VALUE(shared);
  }
  CALL(cudaCtxResetPersistingL2Cache());
  int least = 77, greatest = 77;
  CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  VALUE(least), VALUE(greatest);
  CALL(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
  int version = 0;
  CALL(cudaRuntimeGetVersion(&version));
  VALUE(version);
  CALL(cudaDriverGetVersion(&version));
  VALUE(version >= 13000);
}

SECTION(choosing) {
  int device = 77, count = 77;
  CALL(cudaGetDevice(&device));
  VALUE(device);
  CALL(cudaGetDeviceCount(&count));
  CALL(cudaSetDevice(count));
  last_error();
  CALL(cudaSetDevice(-1));
  last_error();
  CALL(cudaSetDevice(0));
  CALL(cudaGetDevice(nullptr));
  CALL(cudaGetDeviceCount(nullptr));
  cudaDeviceProp wanted{};
  CALL(cudaChooseDevice(&device, &wanted));
  int devices[] = {0};
  CALL(cudaSetValidDevices(devices, 1));
  CALL(cudaSetValidDevices(nullptr, 0));
  CALL(cudaInitDevice(0, 0, 0));
  CALL(cudaInitDevice(7, 0, 0));
  char text[32];
  CALL(cudaDeviceGetPCIBusId(text, 32, 0));
  VALUE(std::strlen(text));
  CALL(cudaDeviceGetPCIBusId(text, 5, 0));
  CALL(cudaDeviceGetPCIBusId(text, 12, 0));
  CALL(cudaDeviceGetPCIBusId(text, 13, 0));
  CALL(cudaDeviceGetPCIBusId(text, 32, 9));
  CALL(cudaDeviceGetPCIBusId(text, 32, 0));
  device = 77;
  CALL(cudaDeviceGetByPCIBusId(&device, text));
  VALUE(device);
  CALL(cudaDeviceGetByPCIBusId(&device, "0000:ff:1f.0"));
  CALL(cudaDeviceGetByPCIBusId(&device, "nothing"));
}

SECTION(peers) {
  int can = 77, number = 77;
  CALL(cudaDeviceCanAccessPeer(&can, 0, 0));
  VALUE(can);
  CALL(cudaDeviceCanAccessPeer(&can, 0, 9));
  CALL(cudaDeviceEnablePeerAccess(0, 0));
  last_error();
  CALL(cudaDeviceEnablePeerAccess(9, 0));
  CALL(cudaDeviceEnablePeerAccess(0, 1));
  CALL(cudaDeviceDisablePeerAccess(0));
  CALL(cudaDeviceDisablePeerAccess(9));
  for (int i = 0; i < 6; ++i) {
    std::printf("P2P attribute %d\n", i);
    CALL(cudaDeviceGetP2PAttribute(&number, static_cast<cudaDeviceP2PAttr>(i), 0, 0));
    CALL(cudaDeviceGetP2PAttribute(&number, static_cast<cudaDeviceP2PAttr>(i), 0, 9));
  }
  void* a = nullptr;
  void* b = nullptr;
  cudaMalloc(&a, 1024);
  cudaMalloc(&b, 1024);
  CALL(cudaMemcpyPeer(a, 0, b, 0, 1024));
  CALL(cudaMemcpyPeer(a, 0, b, 9, 1024));
  CALL(cudaMemcpyPeerAsync(a, 0, b, 0, 1024, 0));
  unsigned capabilities[4];
  cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd};
  CALL(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 1, 0));
  CALL(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 1, 0, 0));
  CALL(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                          cudaFlushGPUDirectRDMAWritesToOwner));
}

SECTION(errors) {
  for (int i = 0; i < 1000; ++i) {
    const auto error = static_cast<cudaError_t>(i);
    if (std::strcmp(cudaGetErrorName(error), "unrecognized error code") != 0)
      std::printf("%d %s: %s\n", i, cudaGetErrorName(error), cudaGetErrorString(error));
  }
  VALUE(cudaGetErrorString(static_cast<cudaError_t>(12345)));
}

SECTION(driver_errors) {
  for (int i = 0; i < 1000; ++i) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (cuGetErrorName(static_cast<CUresult>(i), &name) != CUDA_SUCCESS) continue;
    cuGetErrorString(static_cast<CUresult>(i), &text);
    std::printf("%d %s: %s\n", i, name, text);
  }
}
