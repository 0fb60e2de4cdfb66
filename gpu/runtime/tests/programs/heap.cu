// malloc, free, new and delete in device code.
#include <cstdint>

#include "check.hpp"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int side_in) : side(side_in) {}
  __device__ int area() const override { return side * side; }
  int side;
};

__global__ void sums(int* out, int count) {
  int* numbers = static_cast<int*>(malloc(count * sizeof(int)));
  if (numbers == nullptr || reinterpret_cast<std::uintptr_t>(numbers) % 16 != 0) return;
  for (int i = 0; i < count; ++i) numbers[i] = i + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  free(numbers);
  out[threadIdx.x] = sum;
}

__global__ void areas(int* out) {
  if (threadIdx.x % 2 == 0) return;
  const Shape* shape = new Square(threadIdx.x);
  out[threadIdx.x] = shape->area();
  delete shape;
}

__device__ int* kept[32];
__global__ void keep() {
  kept[threadIdx.x] = new int[4];
  kept[threadIdx.x][3] = 7 * threadIdx.x;
}
__global__ void give_back(int* out) {
  out[threadIdx.x] = kept[threadIdx.x][3];
  delete[] kept[threadIdx.x];
}

__global__ void exhaust(int* out, int bytes) {
  int blocks = 0;
  while (malloc(bytes) != nullptr) ++blocks;
  *out = blocks;
}

__global__ void free_twice() {
  int* once = static_cast<int*>(malloc(4));
  free(once);
  free(once);
}

int main() {
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
  int *out, host[64];
  OK(cudaMalloc(&out, sizeof host));
  // More in all than the heap has: what is freed is used again.
  for (int round = 0; round < 5; ++round) {
    sums<<<1, 64>>>(out, 3000);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int allocated = 0;
    for (int i = 0; i < 64; ++i) {
      if (host[i] == 0) continue;
      EXPECT(host[i] == 3000 * 2999 / 2 + 3000 * i);
      ++allocated;
    }
    EXPECT(allocated == 64);
    OK(cudaMemset(out, 0, sizeof host));
  }
  areas<<<1, 64>>>(out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(host[i] == (i % 2) * i * i);
  keep<<<1, 32>>>();
  give_back<<<1, 32>>>(out);
  OK(cudaMemcpy(host, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == 7 * i);
  exhaust<<<1, 1>>>(out, 1 << 18);
  OK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] > 0 && host[0] <= 16);  // how much the allocator itself needs is its own matter
  free_twice<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  std::puts("ok");
}
