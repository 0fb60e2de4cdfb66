// Every way to launch, and what can be asked about kernels.
#include <cooperative_groups.h>

#include <cstring>

#include "check.hpp"

struct Wide {
  char letter;
  double number;
  short few[3];
};

__global__ void many_parameters(char a, double b, short c, Wide wide, double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = wide.letter;
  out[4] = wide.number;
  out[5] = wide.few[2];
}

template <int kValue>
__global__ void of_template(int* out) {
  *out = kValue;
}

namespace {
__global__ void internal(int* out) { *out = 77; }
}  // namespace

__global__ void shape(unsigned* out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z != 0) return;
  const unsigned values[6] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
  for (int i = 0; i < 6; ++i) out[i] = values[i];
}

__global__ void everybody(int* count, int* result) {
  if (threadIdx.x == 0) atomicAdd(count, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) *result = *count;
}

__global__ void __launch_bounds__(256) described(float* out) {
  __shared__ float tile[512];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

static int launched_while_preparing(int* out, int value) {
  of_template<5><<<1, 1>>>(out);  // inside the parentheses of another launch
  return value;
}

__global__ void put(int* out, int value) { *out = value; }

int main() {
  double *out, values[6];
  int *number, result;
  OK(cudaMalloc(&out, sizeof values));
  OK(cudaMalloc(&number, 8));
  Wide wide = {'w', 2.5, {1, 2, 3}};
  many_parameters<<<1, 1>>>('a', 1.5, -7, wide, out);
  OK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
  EXPECT(values[0] == 'a' && values[1] == 1.5 && values[2] == -7);
  EXPECT(values[3] == 'w' && values[4] == 2.5 && values[5] == 3);

  of_template<123><<<1, 1>>>(number);
  OK(cudaMemcpy(&result, number, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 123);
  internal<<<1, 1>>>(number);
  OK(cudaMemcpy(&result, number, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 77);
  put<<<1, 1>>>(number, launched_while_preparing(number, 9));
  OK(cudaMemcpy(&result, number, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 9);

  unsigned sizes[6];
  void* arguments[] = {&out};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(3, 2, 1);
  config.blockDim = dim3(8, 4, 2);
  OK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(shape), arguments));
  OK(cudaMemcpy(sizes, out, sizeof sizes, cudaMemcpyDeviceToHost));
  const unsigned expected[6] = {3, 2, 1, 8, 4, 2};
  EXPECT(std::memcmp(sizes, expected, sizeof sizes) == 0);

  OK(cudaMemset(number, 0, 8));
  int* count = number + 1;
  void* both[] = {&count, &number};
  OK(cudaLaunchCooperativeKernel(everybody, 16, 64, both));
  OK(cudaMemcpy(&result, number, 4, cudaMemcpyDeviceToHost));
  EXPECT(result == 16);
  EXPECT_CALL(cudaErrorCooperativeLaunchTooLarge,
              cudaLaunchCooperativeKernel(everybody, 1 << 20, 64, both));
  EXPECT_CALL(cudaErrorCooperativeLaunchTooLarge, cudaGetLastError());

  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, described));
  EXPECT(attributes.sharedSizeBytes == 2048 && attributes.maxThreadsPerBlock == 256);
  EXPECT(attributes.numRegs > 0 && attributes.binaryVersion == 90);
  EXPECT(attributes.maxDynamicSharedSizeBytes == 49152 - 2048);
  const char* name;
  OK(cudaFuncGetName(&name, reinterpret_cast<const void*>(put)));
  EXPECT(std::strcmp(name, "_Z3putPii") == 0);
  std::size_t offset, size;
  OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(many_parameters), 3, &offset, &size));
  EXPECT(offset == 24 && size == sizeof(Wide));
  EXPECT_CALL(cudaErrorInvalidValue,
              cudaFuncGetParamInfo(reinterpret_cast<const void*>(put), 2, &offset, &size));

  int blocks, least_grid, best_block;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 1024, 0));
  EXPECT(blocks == 2);
  // Shared memory that the kernel has not been allowed yet.
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 128, 100 << 10));
  EXPECT(blocks != 2);
  OK(cudaFuncSetAttribute(put, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 128, 100 << 10));
  EXPECT(blocks == 2);
  OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &best_block, put));
  EXPECT(best_block == 1024 && least_grid == 2 * 132);
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&size, put, 2, 128));
  EXPECT(size == 100 << 10);
  std::puts("launches: ok");
}
