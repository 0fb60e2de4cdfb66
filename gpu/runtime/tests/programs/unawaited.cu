// A program that ends while its launches execute, in three ways. What CUDA promises of them is
// nothing; what is asked for is that the program ends as it says, and not with a signal.
#include <cstdlib>
#include <cstring>
#include <thread>

#include "check.hpp"

// Some hundred thousand warp instructions a launch.
__global__ void work(unsigned* out, unsigned rounds) {
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main(int, char** arguments) {
  unsigned* out;
  OK(cudaMalloc(&out, 8 * 64 * sizeof *out));
  work<<<1, 64>>>(out, 1);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 40; ++i) work<<<8, 64>>>(out, 2000 + i);
  const char* how = arguments[1];
  if (std::strcmp(how, "quick") == 0) std::_Exit(0);
  if (std::strcmp(how, "thread") == 0) std::thread([] { std::exit(0); }).join();
  return 0;
}
