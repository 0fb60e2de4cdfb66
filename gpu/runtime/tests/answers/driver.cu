// The driver's interface: contexts, modules, memory, arrays, virtual memory, streams, graphs.
#include "answers.hpp"

SECTION(before_init) {
  int number = 77;
  CUdevice device = 77;
  CUcontext context;
  CUdeviceptr memory;
  CALL(cuDriverGetVersion(&number));
  CALL(cuDeviceGetCount(&number));
  CALL(cuDeviceGet(&device, 0));
  CALL(cuCtxGetCurrent(&context));
  CALL(cuMemAlloc(&memory, 100));
  CALL(cuInit(1));
  CALL(cuInit(0));
  CALL(cuDeviceGetCount(&number));
  VALUE(number);
  CALL(cuDeviceGet(&device, 0));
  CALL(cuDeviceGet(&device, 9));
  CALL(cuMemAlloc(&memory, 100));
  CALL(cuCtxGetCurrent(&context));
  VALUE(context == nullptr);
  CALL(cuCtxSynchronize());
  CALL(cuCtxGetDevice(&device));
  CUstream stream;
  CALL(cuStreamCreate(&stream, 0));
  CUmodule module;
  CALL(cuModuleLoadData(&module, ""));
  CALL(cuCtxPopCurrent(&context));
}

static CUdevice device;
static CUcontext primary;
static void begin() {
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&primary, device);
  cuCtxSetCurrent(primary);
}

SECTION(contexts) {
  CUcontext one, two, told;
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
  unsigned flags = 77;
  int active = 77;
  CALL(cuDevicePrimaryCtxGetState(device, &flags, &active));
  VALUE(flags), VALUE(active);
  CALL(cuCtxCreate(&one, nullptr, 0, device));
  CALL(cuCtxGetCurrent(&told));
  VALUE(told == one);
  CALL(cuCtxCreate(&two, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, device));
  CALL(cuCtxGetFlags(&flags));
  VALUE(flags);
  CUdeviceptr memory = 0;
  CALL(cuMemAlloc(&memory, 100));
  CALL(cuCtxPopCurrent(&told));
  VALUE(told == two);
  CALL(cuCtxGetCurrent(&told));
  VALUE(told == one);
  CALL(cuCtxPushCurrent(two));
  unsigned version = 0;
  CALL(cuCtxGetApiVersion(two, &version));
  VALUE(version);
  CALL(cuCtxGetDevice(&device));
  CALL(cuCtxDestroy(two));
  CALL(cuCtxGetCurrent(&told));
  VALUE(told == one), VALUE(told == nullptr);
  CALL(cuCtxDestroy(one));
  CALL(cuCtxGetCurrent(&told));
  VALUE(told == nullptr);
  CALL(cuMemAlloc(&memory, 100));
  CALL(cuDevicePrimaryCtxRetain(&primary, device));
  CALL(cuDevicePrimaryCtxGetState(device, &flags, &active));
  VALUE(active);
  CALL(cuCtxSetCurrent(primary));
  CALL(cuCtxGetDevice(&device));
  CALL(cuCtxDestroy(primary));
  CALL(cuCtxSetCurrent(nullptr));
  CALL(cuDevicePrimaryCtxRelease(device));
  CALL(cuDevicePrimaryCtxRelease(device));
  CALL(cuDevicePrimaryCtxReset(device));
  unsigned long long id = 0;
  CALL(cuCtxGetId(nullptr, &id));
}

SECTION(devices) {
  begin();
  char name[100];
  CALL(cuDeviceGetName(name, 100, device));
  VALUE(name);
  CALL(cuDeviceGetName(name, 5, device));
  VALUE(name);
  CALL(cuDeviceGetName(name, 0, device));
  std::size_t bytes = 0;
  CALL(cuDeviceTotalMem(&bytes, device));
  VALUE(bytes);
  int major = 0, minor = 0;
  CALL(cuDeviceComputeCapability(&major, &minor, device));
  VALUE(major), VALUE(minor);
  CUdevprop properties;
  CALL(cuDeviceGetProperties(&properties, device));
  VALUE(properties.maxThreadsPerBlock), VALUE(properties.sharedMemPerBlock),
      VALUE(properties.totalConstantMemory);
  VALUE(properties.SIMDWidth), VALUE(properties.memPitch), VALUE(properties.regsPerBlock),
      VALUE(properties.clockRate), VALUE(properties.textureAlign);
  int can = 77;
  CALL(cuDeviceCanAccessPeer(&can, device, device));
  VALUE(can);
  CALL(cuCtxEnablePeerAccess(primary, 0));
  CALL(cuCtxDisablePeerAccess(primary));
  CALL(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, device, device));
  char luid[8];
  unsigned mask = 77;
  CALL(cuDeviceGetLuid(luid, &mask, device));
  int supported = 77;
  CALL(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, device));
  VALUE(supported);
  CUmemoryPool pool = nullptr, current = nullptr;
  CALL(cuDeviceGetDefaultMemPool(&pool, device));
  CALL(cuDeviceGetMemPool(&current, device));
  VALUE(pool == current);
  CALL(cuDeviceSetMemPool(device, pool));
  for (int limit = 0; limit < 10; ++limit) {
    std::size_t told = 77;
    const CUresult result = cuCtxGetLimit(&told, static_cast<CUlimit>(limit));
    std::printf("limit %d: %d %zu\n", limit, result, told);
  }
  CUfunc_cache cache;
  CALL(cuCtxGetCacheConfig(&cache));
  VALUE(cache);
  CALL(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  CALL(cuCtxGetCacheConfig(&cache));
  VALUE(cache);
  CUsharedconfig shared;
  CALL(cuCtxGetSharedMemConfig(&shared));
  VALUE(shared);
  CALL(cuCtxSetSharedMemConfig(shared));
  CALL(cuCtxResetPersistingL2Cache());
  unsigned flags = 77;
  CALL(cuCtxGetFlags(&flags));
  VALUE(flags);
  CALL(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
  CALL(cuCtxGetFlags(&flags));
  VALUE(flags);
}

static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter[4] = {1, 2, 3, 4};
.const .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 cells, .param .u32 by) {
  .reg .u64 %a<4>;
  .reg .u32 %r<6>;
  ld.param.u64 %a1, [cells];
  ld.param.u32 %r1, [by];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %a2, %r2, 4;
  add.u64 %a1, %a1, %a2;
  ld.global.u32 %r3, [%a1];
  mul.lo.u32 %r3, %r3, %r1;
  ld.const.u32 %r4, [factor];
  add.u32 %r3, %r3, %r4;
  st.global.u32 [%a1], %r3;
  ret;
}
)";
static const char caller[] = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry use(.param .u64 cells) {
  .reg .u64 %a<2>;
  .reg .u32 %r<3>;
  ld.param.u64 %a1, [cells];
  cvta.to.global.u64 %a1, %a1;
  ld.global.u32 %r1, [%a1];
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r1;
    call.uni (q), twice, (p);
    ld.param.b32 %r2, [q]; }
  st.global.u32 [%a1], %r2;
  ret;
}
)";
static const char callee[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value) {
  .reg .u32 %r<3>;
  ld.param.b32 %r1, [value];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";

SECTION(modules) {
  begin();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  CALL(cuModuleLoadData(&module, ptx));
  CALL(cuModuleGetFunction(&function, module, "scale"));
  CALL(cuModuleGetFunction(&function, module, "nothing"));
  CALL(cuModuleGetGlobal(&address, &bytes, module, "counter"));
  VALUE(bytes);
  CALL(cuModuleGetGlobal(&address, &bytes, module, "factor"));
  VALUE(bytes);
  CALL(cuModuleGetGlobal(&address, &bytes, module, "nothing"));
  CALL(cuModuleGetGlobal(nullptr, &bytes, module, "counter"));
  unsigned count = 0;
  CALL(cuModuleGetFunctionCount(&count, module));
  VALUE(count);
  CALL(cuModuleGetFunction(&function, module, "scale"));
  const char* name = nullptr;
  CALL(cuFuncGetName(&name, function));
  VALUE(name);
  CUmodule of = nullptr;
  CALL(cuFuncGetModule(&of, function));
  VALUE(of == module);
  for (int i = 0; i < 18; ++i) {
    int told = 0;
    const CUresult result =
        cuFuncGetAttribute(&told, static_cast<CUfunction_attribute>(i), function);
    if (i == CU_FUNC_ATTRIBUTE_NUM_REGS) told = 0;
    std::printf("attribute %d: %d %d\n", i, result, told);
  }
  CALL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  CALL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000));
  CALL(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
  CALL(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
  CUdeviceptr cells;
  cuMemAlloc(&cells, 64);
  cuMemsetD32(cells, 5, 16);
  int by = 7;
  void* arguments[] = {&cells, &by};
  CALL(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuCtxSynchronize());
  int told[16];
  CALL(cuMemcpyDtoH(told, cells, 64));
  VALUE(told[0]), VALUE(told[15]);
  CALL(cuLaunchKernel(function, 0, 1, 1, 16, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuLaunchKernel(function, 1, 70000, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 200000, nullptr, arguments, nullptr));
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  struct {
    CUdeviceptr cells;
    int by;
  } packed{cells, 2};
  std::size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CALL(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, nullptr, extra));
  size = 16;
  CALL(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, nullptr, extra));
  CALL(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, arguments, extra));
  CALL(cuMemcpyDtoH(told, cells, 64));
  VALUE(told[0]);
  int blocks = 0, grid = 0, block = 0;
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0));
  VALUE(blocks);
  CALL(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  VALUE(grid), VALUE(block);
  CALL(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 100, 0));
  VALUE(grid), VALUE(block);
  CALL(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 4, 128));
  VALUE(bytes);
  CALL(cuFuncGetParamInfo(function, 1, &bytes, nullptr));
  VALUE(bytes);
  CALL(cuModuleUnload(module));
  CALL(cuModuleLoadData(&module, "this is no code"));
  CALL(cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n.address_size 64\nwrong\n"));
  CALL(cuModuleLoadData(&module, ".version 99.0\n.target sm_80\n.address_size 64\n"));
  CALL(cuModuleLoadData(&module, nullptr));
  CALL(cuModuleLoad(&module, "/nowhere/at/all.cubin"));
  char error_log[1000] = "", info_log[1000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE,      CU_JIT_MAX_REGISTERS,
                            CU_JIT_WALL_TIME};
  void* values[] = {error_log,
                    reinterpret_cast<void*>(1000),
                    info_log,
                    reinterpret_cast<void*>(1000),
                    reinterpret_cast<void*>(1),
                    reinterpret_cast<void*>(32),
                    nullptr};
  CALL(cuModuleLoadDataEx(&module, ptx, 7, options, values));
  VALUE(std::strlen(info_log) != 0);
  values[1] = values[3] = reinterpret_cast<void*>(1000);
  CALL(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\n.address_size 64\nwrong\n", 4,
                          options, values));
  VALUE(std::strlen(error_log) != 0);
}

SECTION(linking) {
  begin();
  CUlinkState state;
  void* code = nullptr;
  std::size_t bytes = 0;
  CALL(cuLinkCreate(0, nullptr, nullptr, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(caller), sizeof caller, "caller", 0,
                     nullptr, nullptr));
  CALL(cuLinkComplete(state, &code, &bytes));
  CALL(cuLinkDestroy(state));
  CALL(cuLinkCreate(0, nullptr, nullptr, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(caller), sizeof caller, "caller", 0,
                     nullptr, nullptr));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(callee), sizeof callee, "callee", 0,
                     nullptr, nullptr));
  CALL(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere/at/all.ptx", 0, nullptr, nullptr));
  CALL(cuLinkDestroy(state));
  CALL(cuLinkCreate(0, nullptr, nullptr, &state));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(caller), sizeof caller, "caller", 0,
                     nullptr, nullptr));
  CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(callee), sizeof callee, "callee", 0,
                     nullptr, nullptr));
  CALL(cuLinkComplete(state, &code, &bytes));
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CALL(cuModuleLoadData(&module, code));
  CALL(cuLinkDestroy(state));
  CALL(cuModuleGetFunction(&function, module, "use"));
  CUdeviceptr cells;
  cuMemAlloc(&cells, 64);
  cuMemsetD32(cells, 21, 16);
  void* arguments[] = {&cells};
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int told = 0;
  CALL(cuMemcpyDtoH(&told, cells, 4));
  VALUE(told);
}

SECTION(libraries) {
  begin();
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  unsigned count = 0;
  CALL(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CALL(cuLibraryGetKernelCount(&count, library));
  VALUE(count);
  CALL(cuLibraryEnumerateKernels(&kernel, 1, library));
  CALL(cuLibraryGetKernel(&kernel, library, "scale"));
  CALL(cuLibraryGetKernel(&kernel, library, "none"));
  CALL(cuLibraryGetKernel(&kernel, library, "scale"));
  CALL(cuKernelGetFunction(&function, kernel));
  CALL(cuLibraryGetModule(&module, library));
  CALL(cuLibraryGetGlobal(&address, &bytes, library, "counter"));
  VALUE(bytes);
  CALL(cuLibraryGetManaged(&address, &bytes, library, "counter"));
  CUlibrary of = nullptr;
  CALL(cuKernelGetLibrary(&of, kernel));
  VALUE(of == library);
  CALL(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, device));
  int told = 0;
  CALL(cuKernelGetAttribute(&told, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
  VALUE(told);
  CUfunctionLoadingState loaded;
  CALL(cuFuncIsLoaded(&loaded, function));
  CALL(cuFuncLoad(function));
  CALL(cuFuncIsLoaded(&loaded, function));
  VALUE(loaded);
  CALL(cuLibraryUnload(library));
}

static void about(const char* what, CUdeviceptr pointer) {
  for (int i = 1; i <= 20; ++i) {
    if (i == CU_POINTER_ATTRIBUTE_CONTEXT || i == 5 || i == 7 || i == 20) continue;
    unsigned long long told[2] = {};
    const CUresult result =
        cuPointerGetAttribute(told, static_cast<CUpointer_attribute>(i), pointer);
    const bool address = i == 3 || i == 4 || i == 11;
    std::printf("%s, attribute %d: %d %lld\n", what, i, result,
                address ? static_cast<long long>(told[0] - pointer) * (result == 0)
                        : static_cast<long long>(static_cast<int>(told[0])));
  }
}
SECTION(pointers) {
  begin();
  CUdeviceptr memory = 0, managed = 0, base = 0;
  std::size_t bytes = 0;
  void* host = nullptr;
  CALL(cuMemAlloc(&memory, 1000));
  CALL(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  CALL(cuMemAllocHost(&host, 1000));
  about("device", memory);
  about("device, inside", memory + 100);
  about("managed", managed);
  about("host", reinterpret_cast<CUdeviceptr>(host));
  int on_stack;
  about("stack", reinterpret_cast<CUdeviceptr>(&on_stack));
  CALL(cuMemGetAddressRange(&base, &bytes, memory + 100));
  VALUE(base == memory), VALUE(bytes);
  CALL(cuMemGetAddressRange(&base, &bytes, managed + 100));
  VALUE(base == managed), VALUE(bytes);
  CALL(cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(&on_stack)));
  CUmemorytype type;
  void* device_pointer;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  void* data[] = {&type, &device_pointer};
  CALL(cuPointerGetAttributes(2, attributes, data, memory));
  VALUE(type);
  CALL(cuPointerGetAttributes(2, attributes, data, reinterpret_cast<CUdeviceptr>(&on_stack)));
  VALUE(type);
  unsigned sync = 1;
  CALL(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  CALL(cuMemAlloc(&memory, 0));
  CALL(cuMemFree(0));
  CALL(cuMemFree(12345));
  CALL(cuMemAllocHost(&host, 0));
  std::size_t pitch = 0;
  for (unsigned element : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const CUresult result = cuMemAllocPitch(&memory, &pitch, 100, 4, element);
    std::printf("pitch for %u: %d %zu\n", element, result, pitch);
  }
}

SECTION(filling) {
  begin();
  CUdeviceptr memory;
  cuMemAlloc(&memory, 4096);
  CALL(cuMemsetD8(memory, 7, 100));
  CALL(cuMemsetD16(memory, 7, 100));
  CALL(cuMemsetD16(memory + 1, 7, 100));
  CALL(cuMemsetD32(memory, 7, 100));
  CALL(cuMemsetD32(memory + 2, 7, 100));
  CALL(cuMemsetD2D8(memory, 64, 7, 60, 4));
  CALL(cuMemsetD2D16(memory, 64, 7, 30, 4));
  CALL(cuMemsetD2D32(memory, 64, 0x01020304, 15, 4));
  CALL(cuMemsetD2D32(memory, 62, 7, 15, 4));
  CALL(cuMemsetD2D8(memory, 64, 7, 65, 4));
  CALL(cuMemsetD8(memory, 7, 5000));
  CALL(cuMemsetD8(0, 7, 5));
  CALL(cuMemsetD2D32Async(memory, 64, 9, 4, 4, nullptr));
  int told[32];
  CALL(cuMemcpyDtoH(told, memory, 128));
  VALUE(told[0]), VALUE(told[4]), VALUE(told[15]), VALUE(told[16]);
  CALL(cuMemcpyHtoD(memory, told, 8192));
  CALL(cuMemcpyHtoD(0, told, 16));
  CALL(cuMemcpyDtoD(memory, memory + 64, 64));
  CALL(cuMemcpy(memory, reinterpret_cast<CUdeviceptr>(told), 64));
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = told;
  box.srcPitch = 16;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = memory;
  box.dstPitch = 64;
  box.WidthInBytes = 16;
  box.Height = 4;
  CALL(cuMemcpy2D(&box));
  CALL(cuMemcpy2DUnaligned(&box));
  CALL(cuMemcpy2DAsync(&box, nullptr));
  box.srcPitch = 8;
  CALL(cuMemcpy2D(&box));
  box.srcPitch = 0;
  CALL(cuMemcpy2D(&box));
  CUDA_MEMCPY3D volume{};
  volume.srcMemoryType = CU_MEMORYTYPE_HOST;
  volume.srcHost = told;
  volume.srcPitch = 8;
  volume.srcHeight = 2;
  volume.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  volume.dstDevice = memory;
  volume.dstPitch = 64;
  volume.dstHeight = 4;
  volume.WidthInBytes = 8;
  volume.Height = 2;
  volume.Depth = 2;
  CALL(cuMemcpy3D(&volume));
  CALL(cuMemcpy3DAsync(&volume, nullptr));
  CALL(cuMemcpyPeer(memory, primary, memory + 128, primary, 64));
}

SECTION(arrays) {
  begin();
  CUarray array = nullptr;
  CUDA_ARRAY_DESCRIPTOR plane{};
  plane.Width = 16;
  plane.Height = 8;
  plane.Format = CU_AD_FORMAT_FLOAT;
  plane.NumChannels = 1;
  CALL(cuArrayCreate(&array, &plane));
  CUDA_ARRAY_DESCRIPTOR told{};
  CALL(cuArrayGetDescriptor(&told, array));
  VALUE(told.Width), VALUE(told.Height), VALUE(told.Format), VALUE(told.NumChannels);
  CUDA_ARRAY3D_DESCRIPTOR told3{};
  CALL(cuArray3DGetDescriptor(&told3, array));
  VALUE(told3.Width), VALUE(told3.Height), VALUE(told3.Depth), VALUE(told3.Flags);
  float host[128], back[128];
  for (int i = 0; i < 128; ++i) host[i] = i;
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = host;
  box.srcPitch = 64;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.dstArray = array;
  box.WidthInBytes = 64;
  box.Height = 8;
  CALL(cuMemcpy2D(&box));
  CALL(cuMemcpyHtoA(array, 64, host, 64));
  CALL(cuMemcpyAtoH(back, array, 0, 128));
  VALUE(back[0]), VALUE(back[16]);
  CALL(cuMemcpyAtoH(back, array, 500, 128));
  CUdeviceptr memory;
  cuMemAlloc(&memory, 4096);
  CALL(cuMemcpyAtoD(memory, array, 0, 64));
  CALL(cuMemcpyDtoA(array, 64, memory, 64));
  CALL(cuMemcpyAtoA(array, 0, array, 64, 64));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC sampling{};
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  CUtexObject texture = 0;
  CALL(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  CUDA_RESOURCE_DESC told_resource{};
  CALL(cuTexObjectGetResourceDesc(&told_resource, texture));
  VALUE(told_resource.resType), VALUE(told_resource.res.array.hArray == array);
  CUDA_TEXTURE_DESC told_sampling{};
  CALL(cuTexObjectGetTextureDesc(&told_sampling, texture));
  VALUE(told_sampling.filterMode), VALUE(told_sampling.flags);
  CALL(cuTexObjectDestroy(texture));
  CUsurfObject surface = 0;
  CALL(cuSurfObjectCreate(&surface, &resource));
  CUDA_ARRAY3D_DESCRIPTOR volume{};
  volume.Width = 16;
  volume.Height = 8;
  volume.Depth = 4;
  volume.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  volume.NumChannels = 4;
  volume.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray deep = nullptr;
  CALL(cuArray3DCreate(&deep, &volume));
  resource.res.array.hArray = deep;
  CALL(cuSurfObjectCreate(&surface, &resource));
  CALL(cuSurfObjectDestroy(surface));
  CUmipmappedArray levels = nullptr;
  CALL(cuMipmappedArrayCreate(&levels, &volume, 3));
  CUarray level = nullptr;
  CALL(cuMipmappedArrayGetLevel(&level, levels, 1));
  CALL(cuArray3DGetDescriptor(&told3, level));
  VALUE(told3.Width), VALUE(told3.Height), VALUE(told3.Depth);
  CALL(cuMipmappedArrayGetLevel(&level, levels, 3));
  CALL(cuMipmappedArrayDestroy(levels));
  volume.NumChannels = 3;
  CALL(cuArray3DCreate(&deep, &volume));
  plane.Width = 0;
  CALL(cuArrayCreate(&deep, &plane));
  CALL(cuArrayDestroy(array));
}

SECTION(virtual_memory) {
  begin();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  std::size_t least = 0, best = 0;
  CALL(cuMemGetAllocationGranularity(&least, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CALL(cuMemGetAllocationGranularity(&best, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  VALUE(least), VALUE(best);
  const std::size_t size = 2 * least;
  CUdeviceptr address = 0;
  CUmemGenericAllocationHandle handle = 0, second = 0;
  CALL(cuMemAddressReserve(&address, 2 * size, 0, 0, 0));
  VALUE(address % least);
  CALL(cuMemAddressReserve(&address, 1000, 0, 0, 0));
  CALL(cuMemAddressReserve(&address, 0, 0, 0, 0));
  CALL(cuMemAddressReserve(&address, 2 * size, 0, 0, 0));
  CALL(cuMemCreate(&handle, 1000, &properties, 0));
  CALL(cuMemCreate(&handle, size, &properties, 0));
  CALL(cuMemCreate(&second, size, &properties, 0));
  CALL(cuMemMap(address, 1000, 0, handle, 0));
  CALL(cuMemMap(address, size, 0, handle, 0));
  CALL(cuMemMap(address, size, 0, second, 0));
  CALL(cuMemMap(address + size, size, 0, second, 0));
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  CALL(cuMemcpyHtoD(address, host, 16));
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CALL(cuMemSetAccess(address, 2 * size, &access, 1));
  unsigned long long flags = 77;
  CALL(cuMemGetAccess(&flags, &access.location, address));
  VALUE(flags);
  CALL(cuMemcpyHtoD(address + size - 8, host, 16));
  CALL(cuMemcpyDtoH(back, address + size - 8, 16));
  VALUE(back[0]), VALUE(back[3]);
  CUmemAllocationProp told{};
  CALL(cuMemGetAllocationPropertiesFromHandle(&told, handle));
  VALUE(told.type), VALUE(told.location.type);
  CUmemGenericAllocationHandle retained = 0;
  CALL(cuMemRetainAllocationHandle(&retained, reinterpret_cast<void*>(address)));
  VALUE(retained == handle);
  CALL(cuMemRelease(retained));
  about("mapped", address);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CALL(cuMemGetAddressRange(&base, &bytes, address + 100));
  VALUE(base == address), VALUE(bytes);
  CALL(cuMemFree(address));
  CALL(cuMemRelease(handle));
  CALL(cuMemcpyDtoH(back, address, 16));
  CALL(cuMemAddressFree(address, 2 * size));
  CALL(cuMemUnmap(address, 2 * size));
  CALL(cuMemUnmap(address, size));
  CALL(cuMemcpyDtoH(back, address, 16));
  CALL(cuMemMap(address, size, 0, second, 0));
  CALL(cuMemSetAccess(address, size, &access, 1));
  CALL(cuMemcpyDtoH(back, address, 16));
  VALUE(back[0]), VALUE(back[1]);
  CALL(cuMemUnmap(address, size));
  CALL(cuMemRelease(second));
  CALL(cuMemAddressFree(address, 2 * size));
  CALL(cuMemAddressFree(address, 2 * size));
  int shared = -1;
  CALL(cuMemCreate(&handle, size, &properties, 0));
  CALL(cuMemExportToShareableHandle(&shared, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CALL(cuMemRelease(handle));
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CALL(cuMemCreate(&handle, size, &properties, 0));
  CALL(cuMemExportToShareableHandle(&shared, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  VALUE(shared >= 0);
  CALL(cuMemImportFromShareableHandle(&second, reinterpret_cast<void*>(static_cast<long>(shared)),
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  properties.location.id = 9;
  CALL(cuMemCreate(&handle, size, &properties, 0));
}

SECTION(stream_memory) {
  begin();
  CUdeviceptr memory;
  cuMemAlloc(&memory, 64);
  cuMemsetD32(memory, 0, 16);
  CUstream stream;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamWriteValue32(stream, memory, 5, 0));
  CALL(cuStreamWaitValue32(stream, memory, 5, CU_STREAM_WAIT_VALUE_EQ));
  CALL(cuStreamWriteValue64(stream, memory + 8, 1ull << 40, 0));
  CALL(cuStreamWaitValue64(stream, memory + 8, 1, CU_STREAM_WAIT_VALUE_GEQ));
  CALL(cuStreamSynchronize(stream));
  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = memory + 4;
  operations[0].writeValue.value = 9;
  operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[1].waitValue.address = memory + 4;
  operations[1].waitValue.value = 8;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
  CALL(cuStreamBatchMemOp(stream, 2, operations, 0));
  CALL(cuStreamSynchronize(stream));
  int told[4];
  CALL(cuMemcpyDtoH(told, memory, 16));
  VALUE(told[0]), VALUE(told[1]), VALUE(told[3]);
  CALL(cuStreamWriteValue32(stream, memory + 2, 5, 0));
  unsigned* flag = nullptr;
  cuMemHostAlloc(reinterpret_cast<void**>(&flag), 4, 0);
  *flag = 0;
  CALL(
      cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(flag), 1, CU_STREAM_WAIT_VALUE_EQ));
  CALL(cuStreamQuery(stream));
  *reinterpret_cast<volatile unsigned*>(flag) = 1;
  CALL(cuStreamSynchronize(stream));
  CUcontext told_context = nullptr;
  CALL(cuStreamGetCtx(stream, &told_context));
  VALUE(told_context == primary);
  unsigned long long id = 0;
  CALL(cuStreamGetId(stream, &id));
  CUdevice of = 77;
  CALL(cuStreamGetDevice(stream, &of));
  VALUE(of);
  CALL(cuCtxRecordEvent(primary, nullptr));
}

SECTION(graphs) {
  begin();
  CUmodule module;
  CUfunction function;
  cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, "scale");
  CUdeviceptr cells;
  cuMemAlloc(&cells, 64);
  cuMemsetD32(cells, 1, 16);
  int by = 10;
  void* arguments[] = {&cells, &by};
  CUgraph graph;
  CALL(cuGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = function;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 16, kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  CUgraphNode a, b, c, d;
  CALL(cuGraphAddKernelNode(&a, graph, nullptr, 0, &kernel));
  static int back[16];
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = cells;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back;
  copy.WidthInBytes = 64;
  copy.Height = copy.Depth = 1;
  CALL(cuGraphAddMemcpyNode(&b, graph, &a, 1, &copy, primary));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = cells;
  fill.value = 2;
  fill.elementSize = 4;
  fill.width = 8;
  fill.height = 1;
  CALL(cuGraphAddMemsetNode(&c, graph, nullptr, 0, &fill, primary));
  CALL(cuGraphAddDependencies(graph, &c, &a, nullptr, 1));
  static int count;
  CUDA_HOST_NODE_PARAMS call{[](void* data) { ++*static_cast<int*>(data); }, &count};
  CALL(cuGraphAddHostNode(&d, graph, &b, 1, &call));
  CUgraphExec executable;
  CALL(cuGraphInstantiate(&executable, graph, 0));
  CALL(cuGraphLaunch(executable, nullptr));
  CALL(cuCtxSynchronize());
  VALUE(back[0]), VALUE(back[15]), VALUE(count);
  std::size_t nodes = 0;
  CALL(cuGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  CUgraphNodeType type;
  CALL(cuGraphNodeGetType(a, &type));
  VALUE(type);
  CUDA_KERNEL_NODE_PARAMS told{};
  CALL(cuGraphKernelNodeGetParams(a, &told));
  VALUE(told.blockDimX), VALUE(told.func == function);
  by = 100;
  CALL(cuGraphExecKernelNodeSetParams(executable, a, &kernel));
  CALL(cuGraphLaunch(executable, nullptr));
  CALL(cuCtxSynchronize());
  VALUE(back[0]);
  CUstream stream;
  cuStreamCreate(&stream, 0);
  CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CALL(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, stream, arguments, nullptr));
  CALL(cuMemsetD32Async(cells, 4, 16, stream));
  CUstreamCaptureStatus status;
  CALL(cuStreamIsCapturing(stream, &status));
  VALUE(status);
  CALL(cuStreamEndCapture(stream, &graph));
  CALL(cuGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  CUgraphExecUpdateResultInfo result{};
  CALL(cuGraphExecUpdate(executable, graph, &result));
  VALUE(result.result);
  CALL(cuGraphExecDestroy(executable));
  CALL(cuGraphDestroy(graph));
}

SECTION(green_contexts) {
  begin();
  CUdevResource all{}, parts[4] = {}, rest{};
  CALL(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
  VALUE(all.sm.smCount), VALUE(all.type);
  unsigned groups = 4;
  CALL(cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 16));
  VALUE(groups), VALUE(parts[0].sm.smCount), VALUE(rest.sm.smCount);
  CUdevResourceDesc description;
  CALL(cuDevResourceGenerateDesc(&description, parts, 1));
  CUgreenCtx green;
  CALL(cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
  CUcontext context;
  CALL(cuCtxFromGreenCtx(&context, green));
  CUstream stream;
  CALL(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, 64);
  CALL(cuMemsetD8Async(memory, 1, 64, stream));
  CALL(cuStreamSynchronize(stream));
  CUdevResource told{};
  CALL(cuGreenCtxGetDevResource(green, &told, CU_DEV_RESOURCE_TYPE_SM));
  VALUE(told.sm.smCount);
  CALL(cuGreenCtxDestroy(green));
}

SECTION(entry_points) {
  begin();
  void* function = nullptr;
  CUdriverProcAddressQueryResult status;
  CALL(cuGetProcAddress("cuMemAlloc", &function, 13000, 0, &status));
  VALUE(status), VALUE(function != nullptr);
  CALL(cuGetProcAddress("cuNothingOfThatName", &function, 13000, 0, &status));
  VALUE(status), VALUE(function != nullptr);
  CALL(cuGetProcAddress("cuGraphAddNode", &function, 11000, 0, &status));
  VALUE(status), VALUE(function != nullptr);
  CALL(cuGetProcAddress("cuMemAlloc", &function, 2000, 0, &status));
  VALUE(status), VALUE(function != nullptr);
  cudaDriverEntryPointQueryResult found;
  CALL(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, cudaEnableDefault, &found));
  VALUE(found);
  CALL(cudaGetDriverEntryPointByVersion("cuNothing", &function, 12000, cudaEnableDefault, &found));
  VALUE(found);
  CALL(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &function, 11000, cudaEnableDefault,
                                        &found));
  VALUE(found);
}

SECTION(tensor_maps) {
  begin();
  CUtensorMap map{};
  CUdeviceptr memory;
  cuMemAlloc(&memory, 1 << 20);
  cuuint64_t sizes[] = {64, 32}, strides[] = {256};
  cuuint32_t box[] = {16, 8}, element[] = {1, 1};
  CALL(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                              reinterpret_cast<void*>(memory), sizes, strides, box, element,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}
