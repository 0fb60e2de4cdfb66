// Failures, one kind per run: errors <which>.
#include <cassert>
#include <cstring>

#include "check.hpp"

__global__ void store(int* at, int value) { *at = value; }
__global__ void misaligned(char* at) { *reinterpret_cast<int*>(at + 1) = 1; }
__global__ void trap() { asm("trap;"); }
__global__ void check_that(int yes) { assert(yes == 1); }
__global__ void wait_for_ever(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void __launch_bounds__(128) bounded(int* at) { *at = 1; }
__global__ void dynamic(int* at) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  *at = shared[threadIdx.x];
}
__global__ void fixed(int* at) {
  __shared__ int shared[1024];
  shared[threadIdx.x] = 2;
  *at = shared[threadIdx.x];
}

static int* device;

// A fault stays: every later call returns it, until the device is reset.
static void expect_sticky(cudaError_t error) {
  int host;
  EXPECT_CALL(error, cudaDeviceSynchronize());
  EXPECT_CALL(error, cudaDeviceSynchronize());
  EXPECT_CALL(error, cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
  EXPECT_CALL(error, cudaGetLastError());
  OK(cudaGetLastError());
  store<<<1, 1>>>(device, 1);
  EXPECT_CALL(error, cudaGetLastError());
  OK(cudaDeviceReset());
  OK(cudaGetLastError());
  OK(cudaMalloc(&device, 4));
  store<<<1, 1>>>(device, 5);
  OK(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
  EXPECT(host == 5);
}

// A launch that cannot be is refused and leaves nothing behind.
static void expect_refused(cudaError_t error) {
  EXPECT_CALL(error, cudaPeekAtLastError());
  EXPECT_CALL(error, cudaGetLastError());
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
}

static void configurations() {
  store<<<0, 1>>>(device, 1);
  expect_refused(cudaErrorInvalidValue);
  store<<<1, 1025>>>(device, 1);
  expect_refused(cudaErrorInvalidValue);
  store<<<1, dim3(1, 1, 65)>>>(device, 1);
  expect_refused(cudaErrorInvalidValue);
  store<<<dim3(1, 65536), 1>>>(device, 1);
  expect_refused(cudaErrorInvalidValue);
  bounded<<<1, 129>>>(device);
  expect_refused(cudaErrorInvalidValue);
  dynamic<<<1, 32, 49153>>>(device);
  expect_refused(cudaErrorInvalidValue);
  fixed<<<1, 32, 49152 - 4095>>>(device);
  expect_refused(cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  dynamic<<<1, 32, 100000>>>(device);
  OK(cudaDeviceSynchronize());
  EXPECT_CALL(cudaErrorInvalidValue,
              cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  EXPECT_CALL(cudaErrorInvalidResourceHandle,
              cudaLaunchKernel(reinterpret_cast<const void*>(&device), 1, 1, nullptr, 0, nullptr));
  EXPECT_CALL(cudaErrorInvalidDevice, cudaSetDevice(1));
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  const auto is = [which](const char* name) { return std::strcmp(which, name) == 0; };
  if (is("no-image")) {  // compiled for another architecture
    store<<<1, 1>>>(nullptr, 0);
    EXPECT_CALL(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    std::puts("errors no-image: ok");
    return 0;
  }
  if (is("no-ptxas")) {  // PTX, and nothing to compile it
    store<<<1, 1>>>(nullptr, 0);
    EXPECT_CALL(cudaErrorJitCompilerNotFound, cudaGetLastError());
    std::puts("errors no-ptxas: ok");
    return 0;
  }
  OK(cudaMalloc(&device, 4));
  if (is("configurations")) {
    configurations();
  } else if (is("null")) {
    store<<<1, 1>>>(nullptr, 1);
    expect_sticky(cudaErrorIllegalAddress);
  } else if (is("past-the-end")) {
    store<<<1, 1>>>(device + (16 << 20), 1);  // near the end may lie a variable of the code
    expect_sticky(cudaErrorIllegalAddress);
  } else if (is("host-address")) {
    int local = 0;
    store<<<1, 1>>>(&local, 1);
    expect_sticky(cudaErrorIllegalAddress);
    EXPECT(local == 0);
  } else if (is("freed")) {
    store<<<1, 1>>>(device, 1);  // loads the code, whose variables could take the place otherwise
    OK(cudaFree(device));
    store<<<1, 1>>>(device, 1);
    expect_sticky(cudaErrorIllegalAddress);
  } else if (is("misaligned")) {
    misaligned<<<1, 1>>>(reinterpret_cast<char*>(device));
    expect_sticky(cudaErrorMisalignedAddress);
  } else if (is("trap")) {
    trap<<<1, 1>>>();
    expect_sticky(cudaErrorLaunchFailure);
  } else if (is("assert")) {
    check_that<<<1, 1>>>(0);
    expect_sticky(cudaErrorAssert);
  } else if (is("small-memory")) {  // 1 MiB, as the environment says
    size_t free = 0, total = 0;
    void* more = nullptr;
    OK(cudaMemGetInfo(&free, &total));
    EXPECT(total == 1 << 20);
    EXPECT(cudaMalloc(&more, 1 << 20) == cudaErrorMemoryAllocation);
    OK(cudaMalloc(&more, 1 << 19));
  } else if (is("endless")) {  // with a budget in the environment
    OK(cudaMemset(device, 0, 4));
    wait_for_ever<<<1, 1>>>(device);
    expect_sticky(cudaErrorLaunchTimeout);
  } else {
    std::fprintf(stderr, "errors: which?\n");
    return 2;
  }
  std::printf("errors %s: ok\n", which);
}
