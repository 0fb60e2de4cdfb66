// Device printf: shown at the points CUDA names, in the order of blocks, between the program's
// lines.
#include "check.hpp"

__global__ void say(const char* what, int n) {
  if (threadIdx.x < 2)
    printf("%s %d: block %u thread %u, %.3f %5d|%-5d|%x %lld %c%%\n", what, n, blockIdx.x,
           threadIdx.x, 1.0 / (n + 3), n, n, 255, -(1LL << 40), 'z');
}

__global__ void constant_text(int n) { printf("constant %s %d\n", n == 1 ? "one" : "other", n); }

int main() {
  std::printf("first\n");
  constant_text<<<1, 1>>>(1);
  constant_text<<<2, 1>>>(2);
  OK(cudaDeviceSynchronize());
  std::printf("between\n");
  char* text;
  OK(cudaMallocManaged(&text, 8));
  std::snprintf(text, 8, "hello");
  say<<<2, 32>>>(text, 4);
  OK(cudaStreamSynchronize(nullptr));
  std::printf("last\n");
  say<<<1, 32>>>(text, 5);  // nobody waits for this one: a GPU does not show it either
}
