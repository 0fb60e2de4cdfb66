// Launches of kernels that do nothing or little, to be measured by gpu/cupti/measure.sh (mode
// timing): what a launch costs by itself, by blocks, threads, registers and shared memory.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o launches launches.cu
//   gpu/cupti/measure.sh -m timing -o launches.json -- ./launches
#include "probe.h"

__global__ void nothing() {}
__global__ void one_store(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void one_load(int* data) {
  if (data[blockIdx.x * blockDim.x + threadIdx.x] == 12345) data[0] = 1;
}
__global__ void one_barrier() { __syncthreads(); }
__global__ void spin(int cycles) {
  const long long begin = timing::clock_now();
  while (timing::clock_now() - begin < cycles) {
  }
}
extern __shared__ int room[];
__global__ void shared(int* data) {
  room[threadIdx.x] = 1;
  if (room[threadIdx.x ^ 1] == 2) data[0] = 1;
}

int main() {
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  const timing::Buffer<int> data(std::size_t{1} << 24);
  for (const int threads : {32, 256, 1024})
    for (const int blocks : {1, 2, 16, sms, 2 * sms, 8 * sms, 32 * sms})
      nothing<<<blocks, threads>>>();
  for (const int blocks : {1, sms, 8 * sms, 32 * sms}) one_store<<<blocks, 256>>>(data.data());
  for (const int blocks : {1, sms, 8 * sms, 32 * sms}) one_load<<<blocks, 256>>>(data.data());
  for (const int blocks : {1, sms, 8 * sms}) one_barrier<<<blocks, 256>>>();
  for (const int blocks : {1, sms, 2 * sms, 4 * sms}) spin<<<blocks, 1024>>>(2000);
  for (const int blocks : {sms, 8 * sms, 32 * sms, 64 * sms}) spin<<<blocks, 64>>>(500);
  for (const int bytes : {1024, 100 * 1024, 200 * 1024})
    for (const int blocks : {1, 4 * sms}) shared<<<blocks, 256, bytes>>>(data.data());
  timing::finish();
  std::printf("%d SMs\n", sms);
}
