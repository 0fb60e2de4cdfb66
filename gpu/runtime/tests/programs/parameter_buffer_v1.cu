// Launches by device code as it was written before cudaGetParameterBufferV2: memory for parameters
// of some size first, then the kernel and its configuration with the launch.
#include <cuda_device_runtime_api.h>

#include <cstring>

#include "check.hpp"

constexpr unsigned kBlocks = 3, kThreads = 32;

__global__ void child(unsigned* out, unsigned value, unsigned long long wide) {
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      value + threadIdx.x + 1000 * blockIdx.x + unsigned(wide >> 32);
}

struct Results {
  unsigned out[2][kBlocks * kThreads];
  cudaError_t good, again, bad_kernel, bad_bytes, bad_block;
  int misaligned;
};

__device__ void* parameters(unsigned* out, unsigned value) {
  void* const buffer = cudaGetParameterBuffer(64, 24);
  if (buffer == nullptr) return nullptr;
  const unsigned long long wide = 5ull << 32;
  memcpy(buffer, &out, sizeof out);
  memcpy(static_cast<char*>(buffer) + 8, &value, sizeof value);
  memcpy(static_cast<char*>(buffer) + 16, &wide, sizeof wide);
  return buffer;
}

__global__ void parent(Results* results) {
  const dim3 grid(kBlocks), block(kThreads);
  void* const kernel = reinterpret_cast<void*>(&child);
  void* const first = parameters(results->out[0], 70);
  results->misaligned = reinterpret_cast<unsigned long long>(first) % 64 != 0;
  results->good = cudaLaunchDevice(kernel, first, grid, block, 0, nullptr);
  // The shared memory and the stream come last.
  void* const second = parameters(results->out[1], 90);
  results->again = cudaLaunchDevice(kernel, second, grid, block, 256, cudaStreamFireAndForget);
  results->bad_block =
      cudaLaunchDevice(kernel, parameters(results->out[1], 0), grid, dim3(2048), 0, nullptr);
  results->bad_kernel =
      cudaLaunchDevice(nullptr, parameters(results->out[1], 0), grid, block, 0, nullptr);
  results->bad_bytes =
      cudaLaunchDevice(kernel, cudaGetParameterBuffer(64, 16), grid, block, 0, nullptr);
}

int main() {
  Results *results, host;
  OK(cudaMalloc(&results, sizeof *results));
  OK(cudaMemset(results, 0xff, sizeof *results));
  parent<<<1, 1>>>(results);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&host, results, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host.misaligned == 0);
  EXPECT(host.good == cudaSuccess);
  EXPECT(host.again == cudaSuccess);
  EXPECT(host.bad_block == cudaErrorInvalidConfiguration);
  EXPECT(host.bad_kernel == cudaErrorInvalidValue);
  EXPECT(host.bad_bytes == cudaErrorInvalidValue);
  for (unsigned which = 0; which < 2; ++which)
    for (unsigned i = 0; i < kBlocks * kThreads; ++i)
      EXPECT(host.out[which][i] ==
             (which == 0 ? 70 : 90) + i % kThreads + 1000 * (i / kThreads) + 5);
  std::puts("parameter_buffer_v1: ok");
}
