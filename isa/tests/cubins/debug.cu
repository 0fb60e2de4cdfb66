// Compiled with -G: device functions that are not inlined have sections of their own.
#include <cstdio>

__device__ int total = 7;

__device__ float half_of(float x) { return x * 0.5f; }
__device__ float quarter_of(float x) { return half_of(half_of(x)); }

__global__ void calls(float* p) {
  __shared__ float tile[32];
  tile[threadIdx.x] = quarter_of(p[threadIdx.x]);
  p[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void prints(int* p) { printf("%d %d\n", p[0], total); }
