// One of each thing a cubin can hold: parameters of several sizes, shared memory, constants,
// initialised and zeroed globals, a function pointer, a jump table, a call that is not inlined, a
// call into the runtime, launch bounds.
#include <cstdio>

__constant__ float coefficients[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int counter;
__device__ int table[4] = {1, 2, 3, 4};

__device__ __noinline__ float polynomial(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * coefficients[i & 3] + 1.0f;
  return x;
}

__device__ float (*chosen)(float, int) = polynomial;

__global__ void parameters(float* out, const float* in, int n, char c, short s, double d) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : c;
  __syncthreads();
  if (i < n) out[i] = polynomial(tile[63 - threadIdx.x], table[i & 3]) + s + static_cast<float>(d);
}

__global__ void __launch_bounds__(128) prints(int* p) {
  printf("thread %d: %d\n", threadIdx.x, p[0]);
  atomicAdd(&counter, 1);
}

__global__ void jump_table(int* p, int k) {
  switch (k) {
    case 0:
      p[0] = 3;
      break;
    case 1:
      p[1] = p[4] * p[3];
      break;
    case 2:
      p[2] = p[7] + p[9];
      break;
    case 3:
      p[3] = p[1] - p[2];
      break;
    case 4:
      p[5] = p[7] & p[8];
      break;
    case 5:
      p[8] = p[9] | p[3];
      break;
    case 6:
      p[10] = p[1] << p[2];
      break;
    case 7:
      p[11] = 1;
      p[12] = p[3];
      break;
  }
}

__global__ void pointer(float* p, int n) { p[threadIdx.x] = chosen(p[threadIdx.x], n); }
