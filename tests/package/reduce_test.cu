// A program that is its own test, for pytest and heddle_add_test().
#include <cstdio>

__global__ void reduce(int* values) {
  __shared__ int tile[128];
  tile[threadIdx.x] = values[threadIdx.x];
#ifndef PLANT_RACE
  __syncthreads();
#endif
  if (threadIdx.x == 0)
    for (int i = 1; i < 128; ++i) tile[0] += tile[i];
  if (threadIdx.x == 0) values[0] = tile[0];
#ifdef PLANT_FAULT
  if (threadIdx.x == 5) values[1 << 28] = 1;
#endif
}

int main() {
  int* values;
  if (cudaMallocManaged(&values, 128 * sizeof *values) != cudaSuccess) return 1;
  for (int i = 0; i < 128; ++i) values[i] = 2;
  reduce<<<1, 128>>>(values);
  cudaDeviceSynchronize();
#ifndef PLANT_FAULT
  std::printf("%d\n", values[0]);
#endif
  return 0;
}
