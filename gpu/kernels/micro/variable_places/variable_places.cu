// Where a driver puts things: the addresses of a module's variables, and how far apart allocations
// lie.
//
//   variable_places
//
// An NVIDIA H200 (driver 580.159.04, CUDA 13.0.88, 2026-11-22) gave each variable, with an initial
// value or without, the next free multiple of 256 bytes, the constant one first: 0, 256, 512, … ;
// large took 4096. Allocations of up to 512 bytes lay 512 apart, of 600 and 1000 bytes 1024, of
// 4096 bytes 4096, of 5000 bytes 5120. (Measured with the same variables under other names.)
#include <cstdio>

#include "../../common/common.h"

__device__ int integer;
__device__ int array[32];
__device__ char byte;
__device__ double with_value = 2.0;
__device__ int integer_with_value = 5;
__device__ char bytes[100];
__device__ float4 vector;
__device__ int large[1000];
__device__ short half_with_value = 3;
__device__ unsigned long long words[3];
__constant__ int constant[10];

__global__ void use(int* out) {
  out[0] = integer + array[threadIdx.x] + byte + int(with_value) + integer_with_value + bytes[3] +
           int(vector.x) + large[7] + half_with_value + int(words[1]) + constant[2];
}

template <typename T>
static void show(const char* name, const T& variable) {
  void* address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, variable));
  CHECK(cudaGetSymbolSize(&size, variable));
  printf("%-20s %5zu bytes, address modulo 4096: %4u\n", name, size,
         unsigned(reinterpret_cast<unsigned long long>(address) % 4096));
}

int main() {
  int* out;
  CHECK(cudaMalloc(&out, 256));
  use<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
#define SHOW(variable) show(#variable, variable)
  SHOW(integer), SHOW(array), SHOW(byte), SHOW(with_value), SHOW(integer_with_value), SHOW(bytes);
  SHOW(vector), SHOW(large), SHOW(half_with_value), SHOW(words), SHOW(constant);
  for (const size_t size : {1, 4, 16, 100, 256, 300, 512, 600, 1000, 4096, 5000}) {
    char *one, *next;
    CHECK(cudaMalloc(&one, size));
    CHECK(cudaMalloc(&next, size));
    printf("two allocations of %4zu bytes: %lld apart\n", size, (long long)(next - one));
  }
}
