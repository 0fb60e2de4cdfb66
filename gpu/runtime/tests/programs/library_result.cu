// A kernel reads what cuBLAS has left in memory that nobody else has written.
#include "check.hpp"

extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                              const float* alpha, const float* a, int lda, const float* b, int ldb,
                              const float* beta, float* c, int ldc);

__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
  constexpr int kSide = 8;
  constexpr std::size_t kBytes = kSide * kSide * sizeof(float);
  float *factor, *product, *copied;
  OK(cudaMalloc(&factor, kBytes));
  OK(cudaMalloc(&product, kBytes));
  OK(cudaMalloc(&copied, kBytes));
  OK(cudaMemset(factor, 0, kBytes));
  void* handle;
  if (cublasCreate_v2(&handle) != 0) return 1;
  const float one = 1, zero = 0;
  if (cublasSgemm_v2(handle, 0, 0, kSide, kSide, kSide, &one, factor, kSide, factor, kSide, &zero,
                     product, kSide) != 0)
    return 1;
  copy<<<1, kSide * kSide>>>(product, copied);
  OK(cudaDeviceSynchronize());
  return 0;
}
