// The sum of an array of floats: the interleaved and the completely unrolled reduction, to be set
// beside their integer twins.
//
//   reduce_float [block size = 512] [size = 16777216]
//
// The block size is a power of two from 64 to 1024, the size a power of two of at least 8 blocks.
#include <cmath>
#include <vector>

#include "../common/common.h"

// Pairs half an array apart.
__global__ void reduceInterleaved(float *g_idata, float *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  float *idata = g_idata + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// The loop unrolled by hand; the last warp's steps without barrier.
__global__ void reduceCompleteUnrollWarps8(float *g_idata, float *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  float *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    float a1 = g_idata[idx];
    float a2 = g_idata[idx + blockDim.x];
    float a3 = g_idata[idx + 2 * blockDim.x];
    float a4 = g_idata[idx + 3 * blockDim.x];
    float b1 = g_idata[idx + 4 * blockDim.x];
    float b2 = g_idata[idx + 5 * blockDim.x];
    float b3 = g_idata[idx + 6 * blockDim.x];
    float b4 = g_idata[idx + 7 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
  }
  __syncthreads();
  if (blockDim.x >= 1024 && tid < 512) idata[tid] += idata[tid + 512];
  __syncthreads();
  if (blockDim.x >= 512 && tid < 256) idata[tid] += idata[tid + 256];
  __syncthreads();
  if (blockDim.x >= 256 && tid < 128) idata[tid] += idata[tid + 128];
  __syncthreads();
  if (blockDim.x >= 128 && tid < 64) idata[tid] += idata[tid + 64];
  __syncthreads();
  if (tid < 32) {
    volatile float *vmem = idata;
    vmem[tid] += vmem[tid + 32];
    vmem[tid] += vmem[tid + 16];
    vmem[tid] += vmem[tid + 8];
    vmem[tid] += vmem[tid + 4];
    vmem[tid] += vmem[tid + 2];
    vmem[tid] += vmem[tid + 1];
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Recursive implementation of the interleaved pair approach.
static float recursiveReduce(float *data, int const size) {
  if (size == 1) return data[0];
  int const stride = size / 2;
  for (int i = 0; i < stride; i++) {
    data[i] += data[i + stride];
  }
  return recursiveReduce(data, stride);
}

int main(int argc, char **argv) {
  const int blocksize = int(argument(argc, argv, 1, 512, 64, 1024));
  const int size = int(argument(argc, argv, 2, 1 << 24, 1, 1 << 28));
  if ((blocksize & (blocksize - 1)) != 0 || (size & (size - 1)) != 0 || size < 8 * blocksize) {
    fprintf(stderr, "block size and size must be powers of two, the size at least 8 blocks\n");
    return 2;
  }
  dim3 block(blocksize, 1);
  dim3 grid((size + block.x - 1) / block.x, 1);
  printf("reduce_float: array size %d, grid %d block %d\n", size, grid.x, block.x);

  const size_t bytes = size * sizeof(float);
  std::vector<float> h_idata(size), h_odata(grid.x);
  double exact = 0;
  for (float &value : h_idata) exact += value = (float)(rand() & 0xFF);
  std::vector<float> tmp = h_idata;
  const float cpu_sum = recursiveReduce(tmp.data(), size);
  printf("cpu reduce: %.0f\n", cpu_sum);

  float *d_idata = NULL;
  float *d_odata = NULL;
  CHECK(cudaMalloc((void **)&d_idata, bytes));
  CHECK(cudaMalloc((void **)&d_odata, grid.x * sizeof(float)));

  const struct {
    const char *name;
    void (*kernel)(float *, float *, unsigned int);
    int factor;  // blocks of data for each block of threads
  } runs[] = {
      {"Interleaved", reduceInterleaved, 1},
      {"CompleteUnrollWarps8", reduceCompleteUnrollWarps8, 8},
  };
  Verdict verdict;
  verdict.expect(std::fabs(cpu_sum - exact) <= 1e-6 * exact, "sum on the CPU");
  for (const auto &run : runs) {
    const int blocks = grid.x / run.factor;
    CHECK(cudaMemcpy(d_idata, h_idata.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    const double iStart = seconds();
    run.kernel<<<blocks, block>>>(d_idata, d_odata, size);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fprintf(stderr, "gpu %s elapsed %f sec\n", run.name, seconds() - iStart);
    CHECK(cudaMemcpy(h_odata.data(), d_odata, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    double gpu_sum = 0;  // a block's sum is below 2^24: exact in a float
    for (int i = 0; i < blocks; i++) gpu_sum += h_odata[i];
    printf("gpu %-20s gpu_sum: %.0f <<<grid %d block %d>>>\n", run.name, gpu_sum, blocks, block.x);
    verdict.expect(gpu_sum == exact, run.name);
  }
  CHECK(cudaFree(d_idata));
  CHECK(cudaFree(d_odata));
  CHECK(cudaDeviceReset());
  return verdict.finish();
}
