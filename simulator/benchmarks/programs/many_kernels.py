#!/usr/bin/env python3
"""Writes a CUDA program of one module with many kernels.

  many_kernels.py KERNELS > many.cu
  nvcc -arch=sm_90 -O3 -cudart shared -o many many.cu
  heddle run -q --threads 1 ./many LAUNCHED

Each kernel calls three functions that are not inlined, which the compiler puts behind its code. The program
launches the first LAUNCHED kernels once: one after the other is a first launch. nvcc takes minutes for 2,000.
"""
import sys

FUNCTIONS = """#include <cstdio>
#include <cstdlib>

template <int I>
__device__ __noinline__ float sines(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * 1.5f + sinf(x) * (I + 1);
  return x;
}
__device__ __noinline__ float roots(float x, int n) {
  float sum = x;
  for (int i = 0; i < n; ++i) sum += sqrtf(sum) / (i + 3);
  return sum;
}
__device__ __noinline__ double quotient(double x, double y) { return x / y + sqrt(x); }

template <int I>
__global__ void kernel(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float sum = sines<I % 50>(p[i], n & 3) + roots(p[i], I & 3);
  p[i] = (sum + (float)quotient(sum, I + 1.0)) / (I + 2) + n % (I + 3);
}

int main(int argc, char** argv) {
  const int launched = argc > 1 ? atoi(argv[1]) : 1;
  float* p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
"""

if len(sys.argv) != 2 or not sys.argv[1].isdigit():
    sys.exit(__doc__)
print(FUNCTIONS, end="")
for number in range(int(sys.argv[1])):
    print(f"  if ({number} < launched) kernel<{number}><<<1, 64>>>(p, 64);")
print("  return cudaDeviceSynchronize();\n}")
