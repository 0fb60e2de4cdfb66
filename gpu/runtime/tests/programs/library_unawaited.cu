// A matrix product of cuBLAS behind a launch, which nobody waits for: until the program ends,
// resets its device, or destroys the handle, whose stream it has destroyed before.
#include <cstring>

#include "check.hpp"

extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasDestroy_v2(void* handle);
extern "C" int cublasSetStream_v2(void* handle, cudaStream_t stream);
extern "C" int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                              const float* alpha, const float* a, int lda, const float* b, int ldb,
                              const float* beta, float* c, int ldc);

__global__ void work(float* out, unsigned rounds) {
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  out[threadIdx.x] = x;
}

int main(int, char** arguments) {
  constexpr int kSide = 16;
  float* matrix;
  OK(cudaMalloc(&matrix, kSide * kSide * sizeof *matrix));
  void* handle;
  if (cublasCreate_v2(&handle) != 0) return 1;
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (cublasSetStream_v2(handle, stream) != 0) return 1;
  OK(cudaDeviceSynchronize());
  work<<<1, 64, 0, stream>>>(matrix, 20000);
  const float one = 1, zero = 0;
  if (cublasSgemm_v2(handle, 0, 0, kSide, kSide, kSide, &one, matrix, kSide, matrix, kSide, &zero,
                     matrix, kSide) != 0)
    return 1;
  if (std::strcmp(arguments[1], "reset") == 0) OK(cudaDeviceReset());
  if (std::strcmp(arguments[1], "destroy") == 0) {
    OK(cudaStreamDestroy(stream));
    if (cublasDestroy_v2(handle) != 0) return 1;
  }
  return 0;
}
