// Warp divergence in its smallest form: a warm-up and four kernels whose branches split a warp, or
// do not.
//
//   simple_divergence [block size = 64] [data size = 64]
//
// The kernels have no bounds check: a data size that is no multiple of the block size makes the last
// block write past the end of the array.
#include <vector>

#include "../common/common.h"

// Neighbouring threads go different ways.
__global__ void mathKernel1(float *c) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float ia, ib;
  ia = ib = 0.0f;
  if (tid % 2 == 0) {
    ia = 100.0f;
  } else {
    ib = 200.0f;
  }
  c[tid] = ia + ib;
}

// Whole warps go different ways.
__global__ void mathKernel2(float *c) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float ia, ib;
  ia = ib = 0.0f;
  if ((tid / warpSize) % 2 == 0) {
    ia = 100.0f;
  } else {
    ib = 200.0f;
  }
  c[tid] = ia + ib;
}

// As the first, with two conditions in place of an else.
__global__ void mathKernel3(float *c) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float ia, ib;
  ia = ib = 0.0f;
  bool ipred = (tid % 2 == 0);
  if (ipred) {
    ia = 100.0f;
  }
  if (!ipred) {
    ib = 200.0f;
  }
  c[tid] = ia + ib;
}

// `==` binds tighter than `&`: the condition is itid & (0x01 == 0), which is never true.
__global__ void mathKernel4(float *c) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float ia, ib;
  ia = ib = 0.0f;
  int itid = tid >> 5;
  if (itid & 0x01 == 0) {
    ia = 100.0f;
  } else {
    ib = 200.0f;
  }
  c[tid] = ia + ib;
}

__global__ void warmingup(float *c) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float ia, ib;
  ia = ib = 0.0f;
  if ((tid / warpSize) % 2 == 0) {
    ia = 100.0f;
  } else {
    ib = 200.0f;
  }
  c[tid] = ia + ib;
}

static float by_thread(int tid) { return tid % 2 == 0 ? 100.0f : 200.0f; }
static float by_warp(int tid) { return (tid / 32) % 2 == 0 ? 100.0f : 200.0f; }
static float always_else(int) { return 200.0f; }

int main(int argc, char **argv) {
  int dev = 0;
  cudaDeviceProp deviceProp;
  CHECK(cudaGetDeviceProperties(&deviceProp, dev));
  printf("simple_divergence using Device %d: %s\n", dev, deviceProp.name);

  const int blocksize = int(argument(argc, argv, 1, 64, 1, 1024));
  const int size = int(argument(argc, argv, 2, 64, 1, 1 << 28));
  printf("Data size %d ", size);
  dim3 block(blocksize, 1);
  dim3 grid((size + block.x - 1) / block.x, 1);
  printf("Execution Configure (block %d grid %d)\n", block.x, grid.x);

  float *d_C;
  const size_t nBytes = size * sizeof(float);
  CHECK(cudaMalloc((float **)&d_C, nBytes));
  CHECK(cudaDeviceSynchronize());

  const struct {
    const char *name;
    void (*kernel)(float *);
    float (*expected)(int tid);
  } runs[] = {
      {"warmup", warmingup, by_warp},           {"mathKernel1", mathKernel1, by_thread},
      {"mathKernel2", mathKernel2, by_warp},    {"mathKernel3", mathKernel3, by_thread},
      {"mathKernel4", mathKernel4, always_else},
  };
  Verdict verdict;
  std::vector<float> result(size);
  for (const auto &run : runs) {
    const double iStart = seconds();
    run.kernel<<<grid, block>>>(d_C);
    CHECK(cudaDeviceSynchronize());
    fprintf(stderr, "%s elapsed %f sec\n", run.name, seconds() - iStart);
    printf("%-11s <<< %4d %4d >>>\n", run.name, grid.x, block.x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_C, nBytes, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int tid = 0; tid < size; ++tid) right = right && result[tid] == run.expected(tid);
    verdict.expect(right, run.name);
  }

  CHECK(cudaFree(d_C));
  CHECK(cudaDeviceReset());
  return verdict.finish();
}
