// Which function cuGetProcAddress gives for a version, by the name under which the driver exports
// it; and compressible memory.
#include <dlfcn.h>

#include "answers.hpp"

static void begin() {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
}

static std::string exported(const char* symbol, const void* function) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (function == nullptr) return "-";
  for (const char* suffix : {"", "_v2", "_v3", "_v4", "_v5", "_ptsz", "_ptds", "_v2_ptsz",
                             "_v2_ptds", "_v3_ptsz", "_v4_ptsz"})
    if (dlsym(driver, (std::string(symbol) + suffix).c_str()) == function)
      return std::string(symbol) + suffix;
  return "another";
}

static const char* const kSymbols[] = {"cuMemAlloc",
                                       "cuMemFree",
                                       "cuMemcpyHtoD",
                                       "cuMemcpyHtoDAsync",
                                       "cuCtxCreate",
                                       "cuCtxDestroy",
                                       "cuStreamDestroy",
                                       "cuStreamBeginCapture",
                                       "cuStreamGetCaptureInfo",
                                       "cuStreamUpdateCaptureDependencies",
                                       "cuGraphAddKernelNode",
                                       "cuGraphAddNode",
                                       "cuGraphInstantiate",
                                       "cuGraphExecUpdate",
                                       "cuGetProcAddress",
                                       "cuMemHostRegister",
                                       "cuMemHostGetDevicePointer",
                                       "cuIpcOpenMemHandle",
                                       "cuDeviceGetUuid",
                                       "cuDeviceTotalMem",
                                       "cuMemAdvise",
                                       "cuMemPrefetchAsync",
                                       "cuMemcpyBatchAsync",
                                       "cuEventElapsedTime",
                                       "cuDevicePrimaryCtxRelease",
                                       "cuStreamWaitValue32",
                                       "cuLaunchKernel",
                                       "cuLaunchKernelEx",
                                       "cuInit",
                                       "cuStreamGetCtx",
                                       "cuModuleGetGlobal",
                                       "cuArrayCreate",
                                       "cuTexRefSetAddress2D",
                                       "cuMemcpy3DAsync",
                                       "cuMemsetD8",
                                       "cuMemAlloc_v2",
                                       "cuStreamGetCaptureInfo_v2",
                                       "cuGetExportTable",
                                       "cuCtxSynchronize",
                                       "cuNothing"};

SECTION(functions) {
  begin();
  for (const char* symbol : kSymbols)
    for (cuuint64_t flags : {CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) {
      std::string last;
      for (int version :
           {0,     1000,  2000,  3010,  3020,  4000,  4010,  5050,  6050,  7000,  8000,
            9000,  10000, 10010, 10020, 11000, 11010, 11020, 11030, 11040, 11070, 11080,
            12000, 12010, 12020, 12030, 12040, 12050, 12080, 12090, 13000, 13010, 20000}) {
        void* function = nullptr;
        CUdriverProcAddressQueryResult status = static_cast<CUdriverProcAddressQueryResult>(77);
        const CUresult error = cuGetProcAddress(symbol, &function, version, flags, &status);
        const std::string now =
            std::to_string(error) + " " + std::to_string(status) + " " + exported(symbol, function);
        if (now != last)
          std::printf("%s, flags %d, from %d on: %s\n", symbol, static_cast<int>(flags), version,
                      now.c_str());
        last = now;
      }
    }
  void* function = nullptr;
  CALL(cuGetProcAddress("cuInit", &function, -1, 0, nullptr));
  CALL(cuGetProcAddress("cuInit", &function, 13000, 4, nullptr));
  CALL(cuGetProcAddress("cuInit", &function, 13000, 3, nullptr));
}

SECTION(of_the_runtime) {
  for (const char* symbol : {"cuMemAlloc", "cuStreamGetCaptureInfo", "cuGraphAddNode", "cuNothing"})
    for (unsigned version : {3020u, 11030u, 12000u, 12020u, 12030u, 13000u}) {
      void* function = nullptr;
      auto found = static_cast<cudaDriverEntryPointQueryResult>(77);
      const cudaError_t error =
          cudaGetDriverEntryPointByVersion(symbol, &function, version, cudaEnableDefault, &found);
      std::printf("%s of %u: %s %d %s\n", symbol, version, cudaGetErrorName(error), found,
                  exported(symbol, function).c_str());
    }
  cudaGetLastError();
}

SECTION(compressible) {
  begin();
  int supported = 77, rdma = 77;
  CALL(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 0));
  CALL(cuDeviceGetAttribute(&rdma, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 0));
  VALUE(supported), VALUE(rdma);
  for (int type : {0, 1, 2})
    for (int usage : {0, 1, 2})
      for (int rdma_capable : {0, 1}) {
        CUmemAllocationProp properties{}, told{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        properties.allocFlags.compressionType = static_cast<unsigned char>(type);
        properties.allocFlags.usage = static_cast<unsigned short>(usage);
        properties.allocFlags.gpuDirectRDMACapable = static_cast<unsigned char>(rdma_capable);
        std::printf("compression %d, usage %d, RDMA %d\n", type, usage, rdma_capable);
        std::size_t least = 0, best = 0;
        CALL(cuMemGetAllocationGranularity(&least, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
        CALL(cuMemGetAllocationGranularity(&best, &properties,
                                           CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
        VALUE(least), VALUE(best);
        CUmemGenericAllocationHandle handle = 0;
        if (CALL(cuMemCreate(&handle, 4 << 20, &properties, 0)) != CUDA_SUCCESS) continue;
        CALL(cuMemGetAllocationPropertiesFromHandle(&told, handle));
        VALUE(told.allocFlags.compressionType), VALUE(told.allocFlags.usage);
        VALUE(told.allocFlags.gpuDirectRDMACapable);
        CUdeviceptr address = 0;
        CALL(cuMemAddressReserve(&address, 4 << 20, 0, 0, 0));
        CALL(cuMemMap(address, 4 << 20, 0, handle, 0));
        CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        CALL(cuMemSetAccess(address, 4 << 20, &access, 1));
        CALL(cuMemsetD8(address, 1, 4 << 20));
        CALL(cuMemUnmap(address, 4 << 20));
        CALL(cuMemRelease(handle));
        CALL(cuMemAddressFree(address, 4 << 20));
      }
}
