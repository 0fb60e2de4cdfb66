// Which context is current where a program uses the runtime and the driver.
#include <thread>

#include "answers.hpp"

namespace {

void current(const char* when) {
  CUcontext context = nullptr;
  const CUresult result = cuCtxGetCurrent(&context);
  std::printf("%s: %d, %s\n", when, int(result), context == nullptr ? "none" : "one");
}

void active(const char* when) {
  unsigned flags = 0;
  int active = -1;
  const CUresult result = cuDevicePrimaryCtxGetState(0, &flags, &active);
  std::printf("%s: %d, active %d\n", when, int(result), active);
}

}  // namespace

SECTION(runtime_first) {
  int count = 0;
  CALL(cudaGetDeviceCount(&count));
  current("after cudaGetDeviceCount");
  active("after cudaGetDeviceCount");
  CALL(cudaFree(nullptr));
  current("after cudaFree");
  active("after cudaFree");
  CUcontext now = nullptr, primary = nullptr;
  CALL(cuCtxGetCurrent(&now));
  CALL(cuDevicePrimaryCtxRetain(&primary, 0));
  VALUE(now == primary);
  CALL(cuDevicePrimaryCtxRelease(0));
  active("released");
}

SECTION(set_device) {
  CALL(cudaSetDevice(0));
  current("after cudaSetDevice");
  active("after cudaSetDevice");
}

SECTION(threads) {
  CALL(cudaFree(nullptr));
  std::thread([] {
    current("in a new thread");
    CALL(cudaFree(nullptr));
    current("after cudaFree there");
  }).join();
}

SECTION(popped) {
  CALL(cudaFree(nullptr));
  CUcontext was = nullptr;
  CALL(cuCtxPopCurrent(&was));
  VALUE(was != nullptr);
  current("popped");
  CALL(cudaFree(nullptr));
  current("after cudaFree");
  CALL(cuCtxSetCurrent(nullptr));
  current("none set");
  void* memory = nullptr;
  CALL(cudaMalloc(&memory, 16));
  current("after cudaMalloc");
}

SECTION(driver_first) {
  cuInit(0);
  CUcontext context = nullptr, primary = nullptr;
  CALL(cuCtxCreate(&context, nullptr, 0, 0));
  CALL(cudaFree(nullptr));
  CUcontext now = nullptr;
  CALL(cuCtxGetCurrent(&now));
  VALUE(now == context);
  active("after cudaFree in another context");
  CALL(cuDevicePrimaryCtxRetain(&primary, 0));
  VALUE(now == primary);
  CALL(cuCtxDestroy(context));
  current("destroyed");
  CALL(cudaFree(nullptr));
  current("after cudaFree");
}

SECTION(reset) {
  CALL(cudaFree(nullptr));
  CALL(cudaDeviceReset());
  current("after cudaDeviceReset");
  active("after cudaDeviceReset");
  CALL(cudaFree(nullptr));
  current("after cudaFree");
  active("after cudaFree");
}

SECTION(without_cuInit) {
  int number = 0;
  CUdeviceptr memory = 0;
  CUcontext context = nullptr;
  CALL(cuDriverGetVersion(&number));
  CALL(cuDeviceGetCount(&number));
  CALL(cuCtxGetCurrent(&context));
  CALL(cuMemAlloc(&memory, 16));
}

SECTION(without_context) {
  cuInit(0);
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  CUdevice device = 0;
  size_t free_bytes = 0, all = 0;
  CALL(cuMemAlloc(&memory, 16));
  CALL(cuStreamCreate(&stream, 0));
  CALL(cuCtxGetDevice(&device));
  CALL(cuCtxSynchronize());
  CALL(cuMemGetInfo(&free_bytes, &all));
  CALL(cuMemsetD8(0x1000, 0, 16));
}
