// The driver's interface: linking, values in memory, graphs made by hand, pools, rows of elements,
// what is told of pointers, launches as of long ago.
#include <cstring>
#include <string>
#include <thread>

#include "driver_check.hpp"

static const char kCaller[] = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 out) change (.param .b32 in);
.visible .entry run(.param .u64 cells)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [cells];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r1, [%rd1];
  { .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), change, (a);
    ld.param.b32 %r2, [b];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry add(.param .u64 cells, .param .u32 value)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [cells];
  ld.param.u32 %r4, [value];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, %r4;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
static const char kCallee[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .func (.param .b32 out) change (.param .b32 in)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [in];
  ld.global.u32 %r2, [factor];
  mul.lo.u32 %r1, %r1, %r2;
  st.param.b32 [out], %r1;
  ret;
}
)";

constexpr unsigned kCount = 32;
static CUdeviceptr cells;
static CUfunction run_function, add_function;

static void expect(int first, int step) {
  int host[kCount];
  DRIVER(cuMemcpyDtoH(host, cells, sizeof host));
  for (unsigned i = 0; i < kCount; ++i) EXPECT(host[i] == first + step * int(i));
}
static void count_up() {
  int host[kCount];
  for (unsigned i = 0; i < kCount; ++i) host[i] = i;
  DRIVER(cuMemcpyHtoD(cells, host, sizeof host));
}

static CUmodule linked() {
  char errors[1000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUlinkState state;
  void* code;
  std::size_t bytes = 0;
  DRIVER(cuLinkCreate(2, options, values, &state));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller), sizeof kCaller,
                       "caller", 0, nullptr, nullptr));
  EXPECT(cuLinkComplete(state, &code, &bytes) != CUDA_SUCCESS);
  EXPECT(std::strstr(errors, "change") != nullptr);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,  // what could not be linked takes no more
                cuLinkAddData(state, CU_JIT_INPUT_CUBIN, const_cast<char*>("no code"), 8, "none", 0,
                              nullptr, nullptr));
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere", 0, nullptr, nullptr));
  DRIVER(cuLinkDestroy(state));
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>("\177ELF, a cubin"), 14,
                       "a cubin given as PTX", 0, nullptr, nullptr));
  DRIVER(cuLinkDestroy(state));
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE,  // … nor what was given no code
                cuLinkAddData(state, CU_JIT_INPUT_CUBIN, const_cast<char*>("no code"), 8, "none", 0,
                              nullptr, nullptr));
  EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE,
                cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller), sizeof kCaller,
                              "caller", 0, nullptr, nullptr));
  EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuLinkComplete(state, &code, &bytes));
  DRIVER(cuLinkDestroy(state));
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND,
                cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere", 0, nullptr, nullptr));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller), sizeof kCaller,
                       "caller", 0, nullptr, nullptr));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCallee), sizeof kCallee,
                       "callee", 0, nullptr, nullptr));
  DRIVER(cuLinkComplete(state, &code, &bytes));
  EXPECT(bytes > 0);
  CUmodule module, of;
  DRIVER(cuModuleLoadData(&module, code));
  DRIVER(cuLinkDestroy(state));
  DRIVER(cuModuleGetFunction(&run_function, module, "run"));
  DRIVER(cuModuleGetFunction(&add_function, module, "add"));
  DRIVER(cuFuncGetModule(&of, run_function));
  EXPECT(of == module);
  void* arguments[] = {&cells};
  count_up();
  DRIVER(cuLaunchKernel(run_function, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr));
  expect(0, 3);
  return module;
}

static void compiler_options() {
  CUmodule module;
  char errors[300] = "";
  CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {reinterpret_cast<void*>(24), reinterpret_cast<void*>(3), errors,
                    reinterpret_cast<void*>(sizeof errors)};
  DRIVER(cuModuleLoadDataEx(&module, kCallee, 4, options, values));
  DRIVER(cuModuleUnload(module));
  values[3] = reinterpret_cast<void*>(sizeof errors);  // it held what had been told: nothing
  const std::string wrong = std::string(kCallee) + "wrong";
  EXPECT_RESULT(CUDA_ERROR_INVALID_PTX,
                cuModuleLoadDataEx(&module, wrong.c_str(), 4, options, values));
  EXPECT(std::strstr(errors, "wrong") != nullptr);
  EXPECT(reinterpret_cast<std::size_t>(values[3]) == std::strlen(errors));
  values[3] = reinterpret_cast<void*>(40);
  EXPECT_RESULT(CUDA_ERROR_INVALID_PTX,
                cuModuleLoadDataEx(&module, wrong.c_str(), 4, options, values));
  EXPECT(reinterpret_cast<std::size_t>(values[3]) == 40 && std::strlen(errors) == 39);
}

static void long_ago() {
  count_up();
  DRIVER(cuFuncSetBlockShape(add_function, kCount, 1, 1));
  DRIVER(cuFuncSetSharedSize(add_function, 0));
  DRIVER(cuParamSetv(add_function, 0, &cells, sizeof cells));
  DRIVER(cuParamSeti(add_function, 8, 5));
  DRIVER(cuParamSetSize(add_function, 12));
  DRIVER(cuLaunchGrid(add_function, 1, 1));
  expect(5, 1);
}

// A stream waits for what the host writes, then writes itself.
static void values() {
  CUstream stream;
  unsigned* flag;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER(cuMemHostAlloc(reinterpret_cast<void**>(&flag), 64, 0));
  std::memset(flag, 0, 64);
  const auto at = reinterpret_cast<CUdeviceptr>(flag);
  DRIVER(cuStreamWaitValue32(stream, at, 1, CU_STREAM_WAIT_VALUE_GEQ));
  DRIVER(cuStreamWriteValue32(stream, at + 4, 7, 0));
  CUstreamBatchMemOpParams operations[2]{};
  operations[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[0].waitValue.address = at + 4;
  operations[0].waitValue.value = 2;
  operations[0].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
  operations[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operations[1].writeValue.address = at + 8;
  operations[1].writeValue.value64 = 0x123456789abcull;
  DRIVER(cuStreamBatchMemOp(stream, 2, operations, 0));
  EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  std::thread([flag] { *const_cast<volatile unsigned*>(flag) = 1; }).join();
  DRIVER(cuStreamSynchronize(stream));
  EXPECT(flag[1] == 7 && *reinterpret_cast<unsigned long long*>(flag + 2) == 0x123456789abcull);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, at + 1, 7, 0));
  DRIVER(cuMemFreeHost(flag));
  DRIVER(cuStreamDestroy(stream));
}

static void graphs(CUcontext context) {
  CUgraph graph, copy;
  CUgraphExec executable;
  CUgraphNode fill, add, back, found;
  int host[kCount];
  int value = 4;
  void* arguments[] = {&cells, &value};
  DRIVER(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS filling{cells, 0, 100, 4, kCount, 1};
  DRIVER(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filling, context));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = add_function;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kCount;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  DRIVER(cuGraphAddKernelNode(&add, graph, &fill, 1, &kernel));
  CUDA_MEMCPY3D copying{};
  copying.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copying.srcDevice = cells;
  copying.dstMemoryType = CU_MEMORYTYPE_HOST;
  copying.dstHost = host;
  copying.WidthInBytes = sizeof host;
  copying.Height = copying.Depth = 1;
  DRIVER(cuGraphAddMemcpyNode(&back, graph, &add, 1, &copying, context));
  std::size_t edges = 0;
  DRIVER(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT(edges == 2);
  CUDA_KERNEL_NODE_PARAMS told;
  DRIVER(cuGraphKernelNodeGetParams(add, &told));
  EXPECT(told.func == add_function && told.blockDimX == kCount);
  DRIVER(cuGraphInstantiate(&executable, graph, 0));
  DRIVER(cuGraphLaunch(executable, nullptr));
  DRIVER(cuStreamSynchronize(nullptr));
  EXPECT(host[0] == 104 && host[kCount - 1] == 104);
  value = 6;
  DRIVER(cuGraphExecKernelNodeSetParams(executable, add, &kernel));
  DRIVER(cuGraphLaunch(executable, nullptr));
  DRIVER(cuStreamSynchronize(nullptr));
  EXPECT(host[0] == 106);
  DRIVER(cuGraphClone(&copy, graph));
  DRIVER(cuGraphNodeFindInClone(&found, fill, copy));
  filling.value = 1;
  DRIVER(cuGraphMemsetNodeSetParams(found, &filling));
  CUgraphExecUpdateResultInfo result;
  DRIVER(cuGraphExecUpdate(executable, copy, &result));
  EXPECT(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  DRIVER(cuGraphLaunch(executable, nullptr));
  DRIVER(cuStreamSynchronize(nullptr));
  EXPECT(host[0] == 5);
  DRIVER(cuGraphExecDestroy(executable));
  DRIVER(cuGraphDestroy(copy));
  DRIVER(cuGraphDestroy(graph));
}

static void memory(CUdevice device) {
  CUdeviceptr rows, base;
  std::size_t pitch = 0, bytes = 0;
  DRIVER(cuMemAllocPitch(&rows, &pitch, 20, 4, 4));
  DRIVER(cuMemsetD2D32(rows, pitch, 0x01020304, 5, 4));
  DRIVER(cuMemsetD2D16(rows + pitch, pitch, 7, 2, 2));
  unsigned char host[20];
  DRIVER(cuMemcpyDtoH(host, rows + 2 * pitch, sizeof host));
  EXPECT(host[0] == 7 && host[1] == 0 && host[2] == 7 && host[4] == 4 && host[7] == 1);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(rows, pitch - 2, 7, 5, 4));
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(rows, 7, size_t{1} << 62));
  DRIVER(cuMemGetAddressRange(&base, &bytes, rows + 100));
  EXPECT(base == rows && bytes == 4 * pitch);
  EXPECT_RESULT(CUDA_ERROR_NOT_FOUND,
                cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(host)));
  unsigned type = 0;
  CUcontext context = nullptr, current = nullptr;
  void* told[] = {&type, &context};
  CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
  DRIVER(cuPointerGetAttributes(2, what, told, rows));
  DRIVER(cuCtxGetCurrent(&current));
  EXPECT(type == CU_MEMORYTYPE_DEVICE && context == current);
  DRIVER(cuMemFree(rows));

  CUmemoryPool pool, first;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  DRIVER(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr pooled;
  DRIVER(cuMemAllocFromPoolAsync(&pooled, 1000, pool, nullptr));
  cuuint64_t used = 0;
  DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 1000);
  DRIVER(cuMemFreeAsync(pooled, nullptr));
  DRIVER(cuStreamSynchronize(nullptr));
  DRIVER(cuMemPoolDestroy(pool));
  DRIVER(cuDeviceGetDefaultMemPool(&first, device));
  DRIVER(cuDeviceGetMemPool(&pool, device));
  EXPECT(first == pool);
}

int main() {
  CUdevice device;
  CUcontext context;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuCtxCreate(&context, nullptr, 0, device));
  DRIVER(cuMemAlloc(&cells, kCount * sizeof(int)));
  const CUmodule module = linked();
  compiler_options();
  long_ago();
  values();
  graphs(context);
  memory(device);
  DRIVER(cuModuleUnload(module));
  DRIVER(cuCtxDestroy(context));
  DRIVER(cuCtxSetCurrent(context));
  EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
  std::puts("driver_calls: ok");
}
