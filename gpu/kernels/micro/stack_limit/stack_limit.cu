// How much stack does a thread have: the limit, or the limit and what the kernel needs anyway?
//   nvcc -std=c++17 -arch=sm_90 -cudart shared -O3 -o stack_limit stack_limit.cu
//   ./stack_limit KERNEL LIMIT DEPTH      KERNEL: small or large; LIMIT: bytes, 0 leaves the
//   default
// Prints what the launch said. On an H200 (driver 580.159.04, 2026-11-22) a thread has the larger
// of the two, and limits are rounded up to 16 bytes: with frames of 80 bytes `small` ends well down
// to depth 5, 11, 11, 24 and 101 with limits of 512, 1000, 1024 (the default), 2048 and 8192 bytes;
// `large` never with limits up to 2048, and down to depth 50 with 8192. Each call of `deep` takes a
// frame (its first instruction subtracts the size from R1); the kernel `large` has 4 KiB of its own
// besides.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ __noinline__ int deep(int n, int* out) {
  volatile int keep[12];
  for (int i = 0; i < 12; ++i) keep[i] = n + i;
  if (n > 0) keep[n % 12] = deep(n - 1, out);
  int sum = 0;
  for (int i = 0; i < 12; ++i) sum += keep[i];
  return sum;
}

__global__ void small(int depth, int* out) { *out = deep(depth, out); }

__global__ void large(int depth, int* out) {
  volatile int own[1024];
  for (int i = 0; i < 1024; ++i) own[i] = i * depth;
  *out = deep(depth, out) + own[depth & 1023];
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const int limit = std::atoi(words[2]), depth = std::atoi(words[3]);
  if (limit != 0) cudaDeviceSetLimit(cudaLimitStackSize, limit);
  int* out;
  cudaMalloc(&out, sizeof *out);
  (std::strcmp(words[1], "large") == 0 ? large : small)<<<1, 1>>>(depth, out);
  const cudaError_t error = cudaDeviceSynchronize();
  size_t now = 0;
  if (error == cudaSuccess) cudaDeviceGetLimit(&now, cudaLimitStackSize);
  std::printf("%s, limit %d, depth %d: %s, limit afterwards %zu\n", words[1], limit, depth,
              cudaGetErrorName(error), now);
  return error != cudaSuccess;
}
