// The driver's interface: a module from PTX, launched both ways, beside the runtime's.
#include <cstring>

#include "driver_check.hpp"

static const char kCode[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 7;
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 ret;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r3, [%rd1];
  ld.global.u32 %r4, [%rd2];
  ld.global.u32 %r5, [offset];
  add.u32 %r3, %r3, %r4;
  add.u32 %r3, %r3, %r5;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

__global__ void twice(int* at) { at[threadIdx.x] *= 2; }

static const unsigned kCount = 40;

static void modules(CUdeviceptr x, CUdeviceptr y) {
  CUmodule module;
  CUfunction add, missing;
  DRIVER(cuModuleLoadData(&module, kCode));
  DRIVER(cuModuleGetFunction(&add, module, "add"));
  EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&missing, module, "missing"));
  int host[kCount];
  for (unsigned i = 0; i < kCount; ++i) host[i] = i;
  DRIVER(cuMemcpyHtoD(x, host, sizeof host));
  DRIVER(cuMemsetD32(y, 1000, kCount));
  unsigned n = kCount;
  void* parameters[] = {&x, &y, &n};
  DRIVER(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  // The same in one buffer.
  struct {
    CUdeviceptr x, y;
    unsigned n;
  } buffer{x, y, kCount};
  std::size_t bytes = sizeof buffer;  // with four of padding: too many
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CUstream stream;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  EXPECT_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
  bytes = 20;
  DRIVER(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuStreamDestroy(stream));
  DRIVER(cuMemcpyDtoH(host, y, sizeof host));
  for (unsigned i = 0; i < kCount; ++i) EXPECT(host[i] == int(1000 + 2 * i + 14));

  CUdeviceptr offset;
  DRIVER(cuModuleGetGlobal(&offset, &bytes, module, "offset"));
  EXPECT(bytes == 4);
  int registers = 0, blocks = 0, grid = 0, block = 0;
  DRIVER(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  EXPECT(registers > 0);
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  EXPECT(blocks == 8);
  DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 0));
  EXPECT(block == 1024 && grid == 2 * 132);
  DRIVER(cuModuleUnload(module));
  EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "no code"));
  EXPECT_RESULT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nowhere"));
}

static void contexts(CUdevice device) {
  CUcontext created, current, primary, popped;
  DRIVER(cuCtxCreate(&created, nullptr, 0, device));
  DRIVER(cuCtxGetCurrent(&current));
  EXPECT(current == created);
  DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
  DRIVER(cuCtxPushCurrent(primary));
  DRIVER(cuCtxPopCurrent(&popped));
  EXPECT(popped == primary);
  DRIVER(cuDevicePrimaryCtxRelease(device));
  DRIVER(cuCtxDestroy(created));
  EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxDestroy(created));
  DRIVER(cuCtxGetCurrent(&current));
  EXPECT(current == nullptr);
}

static void copies() {
  CUdeviceptr pitched;
  std::size_t pitch = 0;
  unsigned char rows[3][20], back[3][20];
  for (int i = 0; i < 60; ++i) rows[i / 20][i % 20] = i;
  DRIVER(cuMemAllocPitch(&pitched, &pitch, 20, 3, 4));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows;
  copy.srcPitch = 20;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = pitched;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 20;
  copy.Height = 3;
  DRIVER(cuMemcpy2D(&copy));
  for (int row = 0; row < 3; ++row) DRIVER(cuMemcpyDtoH(back[row], pitched + row * pitch, 20));
  EXPECT(std::memcmp(rows, back, sizeof rows) == 0);
  unsigned type = 0;
  DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pitched));
  EXPECT(type == CU_MEMORYTYPE_DEVICE);
  DRIVER(cuMemFree(pitched));
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(pitched));
}

int main() {
  int count = 0, version = 0, multiprocessors = 0;
  CUdevice device;
  char name[64];
  DRIVER(cuInit(0));
  DRIVER(cuDriverGetVersion(&version));
  EXPECT(version >= 13000);
  DRIVER(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  DRIVER(cuDeviceGet(&device, 0));
  EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  DRIVER(cuDeviceGetName(name, sizeof name, device));
  EXPECT(std::strstr(name, "H200") != nullptr);
  DRIVER(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  EXPECT(multiprocessors == 132);
  contexts(device);

  CUcontext context;
  DRIVER(cuCtxCreate(&context, nullptr, 0, device));
  CUdeviceptr x, y;
  DRIVER(cuMemAlloc(&x, kCount * sizeof(int)));
  DRIVER(cuMemAlloc(&y, kCount * sizeof(int)));
  modules(x, y);
  copies();

  // One device and one memory, whichever interface.
  DRIVER(cuMemsetD32(x, 21, kCount));
  twice<<<1, kCount>>>(reinterpret_cast<int*>(x));
  OK(cudaGetLastError());
  int host[kCount];
  OK(cudaMemcpy(host, reinterpret_cast<void*>(x), sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 42 && host[kCount - 1] == 42);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(12345));
  OK(cudaGetLastError());  // the driver's errors are not the runtime's

  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &function, 13000, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointSuccess);
  std::size_t free_bytes = 0, total = 0;
  DRIVER(reinterpret_cast<CUresult (*)(std::size_t*, std::size_t*)>(function)(&free_bytes, &total));
  EXPECT(free_bytes < total);
  const char* text = nullptr;
  DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT(std::strcmp(text, "CUDA_ERROR_INVALID_VALUE") == 0);
  DRIVER(cuMemFree(x));
  DRIVER(cuMemFree(y));
  DRIVER(cuCtxDestroy(context));
  CUarray array;
  EXPECT(cuArrayCreate(&array, nullptr) != CUDA_SUCCESS);
  std::puts("driver: ok");
}
