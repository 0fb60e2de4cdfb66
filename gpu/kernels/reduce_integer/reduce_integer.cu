// The sum of an array of integers: reductions in global memory, from the plain to the unrolled.
//
//   reduce_integer [block size = 512] [size = 16777216]
//
// The block size is a power of two from 64 to 1024, the size a power of two of at least 16 blocks.
// The unrolled kernels' last steps rely on a warp that stays together, as they always did.
#include <vector>

#include "../common/common.h"

// Pairs of neighbours; the threads that work are ever further apart.
__global__ void reduceNeighbored(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if ((tid % (2 * stride)) == 0) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Pairs of neighbours; the threads that work lie side by side.
__global__ void reduceNeighboredLess(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    int index = 2 * stride * tid;
    if (index < blockDim.x) {
      idata[index] += idata[index + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Pairs half an array apart.
__global__ void reduceInterleaved(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Two blocks of data for each block of threads.
__global__ void reduceUnrolling2(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 2;
  if (idx + blockDim.x < n) {
    g_idata[idx] += g_idata[idx + blockDim.x];
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Four blocks of data for each block of threads.
__global__ void reduceUnrolling4(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 4;
  if (idx + 3 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Eight blocks of data for each block of threads.
__global__ void reduceUnrolling8(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Sixteen blocks of data for each block of threads.
__global__ void reduceUnrolling16(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 16 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 16;
  if (idx + 15 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
    int c1 = g_idata[idx + 8 * blockDim.x];
    int c2 = g_idata[idx + 9 * blockDim.x];
    int c3 = g_idata[idx + 10 * blockDim.x];
    int c4 = g_idata[idx + 11 * blockDim.x];
    int d1 = g_idata[idx + 12 * blockDim.x];
    int d2 = g_idata[idx + 13 * blockDim.x];
    int d3 = g_idata[idx + 14 * blockDim.x];
    int d4 = g_idata[idx + 15 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4 +
                   c1 + c2 + c3 + c4 + d1 + d2 + d3 + d4;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// As reduceUnrolling8, with a pointer that walks over the eight values.
__global__ void reduceUnrolling8Pointer(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int *ptr = g_idata + idx;
    int tmp = 0;
    for (int i = 0; i < 8; i++) {
      tmp += *ptr;
      ptr += blockDim.x;
    }
    g_idata[idx] = tmp;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Eight blocks of data; the last warp's steps without loop and barrier.
__global__ void reduceUnrollWarps8(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
    if (tid < stride) {
      idata[tid] += idata[tid + stride];
    }
    __syncthreads();
  }
  if (tid < 32) {
    volatile int *vmem = idata;
    vmem[tid] += vmem[tid + 32];
    vmem[tid] += vmem[tid + 16];
    vmem[tid] += vmem[tid + 8];
    vmem[tid] += vmem[tid + 4];
    vmem[tid] += vmem[tid + 2];
    vmem[tid] += vmem[tid + 1];
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// The loop unrolled by hand for every block size there is.
__global__ void reduceCompleteUnrollWarps8(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
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
    volatile int *vsmem = idata;
    vsmem[tid] += vsmem[tid + 32];
    vsmem[tid] += vsmem[tid + 16];
    vsmem[tid] += vsmem[tid + 8];
    vsmem[tid] += vsmem[tid + 4];
    vsmem[tid] += vsmem[tid + 2];
    vsmem[tid] += vsmem[tid + 1];
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// As reduceCompleteUnrollWarps8, with a barrier after each of the last warp's steps in place of
// volatile.
__global__ void reduceCompleteUnrollWarps8Sync(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
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
  if (tid < 32) idata[tid] += idata[tid + 32];
  __syncthreads();
  if (tid < 32) idata[tid] += idata[tid + 16];
  __syncthreads();
  if (tid < 32) idata[tid] += idata[tid + 8];
  __syncthreads();
  if (tid < 32) idata[tid] += idata[tid + 4];
  __syncthreads();
  if (tid < 32) idata[tid] += idata[tid + 2];
  __syncthreads();
  if (tid < 32) idata[tid] += idata[tid + 1];
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// The block size known to the compiler.
template <unsigned int iBlockSize>
__global__ void reduceCompleteUnroll(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int *idata = g_idata + blockIdx.x * blockDim.x * 8;
  if (idx + 7 * blockDim.x < n) {
    int a1 = g_idata[idx];
    int a2 = g_idata[idx + blockDim.x];
    int a3 = g_idata[idx + 2 * blockDim.x];
    int a4 = g_idata[idx + 3 * blockDim.x];
    int b1 = g_idata[idx + 4 * blockDim.x];
    int b2 = g_idata[idx + 5 * blockDim.x];
    int b3 = g_idata[idx + 6 * blockDim.x];
    int b4 = g_idata[idx + 7 * blockDim.x];
    g_idata[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
  }
  __syncthreads();
  if (iBlockSize >= 1024 && tid < 512) idata[tid] += idata[tid + 512];
  __syncthreads();
  if (iBlockSize >= 512 && tid < 256) idata[tid] += idata[tid + 256];
  __syncthreads();
  if (iBlockSize >= 256 && tid < 128) idata[tid] += idata[tid + 128];
  __syncthreads();
  if (iBlockSize >= 128 && tid < 64) idata[tid] += idata[tid + 64];
  __syncthreads();
  if (tid < 32) {
    volatile int *vsmem = idata;
    vsmem[tid] += vsmem[tid + 32];
    vsmem[tid] += vsmem[tid + 16];
    vsmem[tid] += vsmem[tid + 8];
    vsmem[tid] += vsmem[tid + 4];
    vsmem[tid] += vsmem[tid + 2];
    vsmem[tid] += vsmem[tid + 1];
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

typedef void (*Kernel)(int *, int *, unsigned int);

static Kernel complete_unroll(int blocksize) {
  switch (blocksize) {
    case 1024:
      return reduceCompleteUnroll<1024>;
    case 512:
      return reduceCompleteUnroll<512>;
    case 256:
      return reduceCompleteUnroll<256>;
    case 128:
      return reduceCompleteUnroll<128>;
    default:
      return reduceCompleteUnroll<64>;
  }
}

// Recursive implementation of the interleaved pair approach.
static int recursiveReduce(int *data, int const size) {
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
  if ((blocksize & (blocksize - 1)) != 0 || (size & (size - 1)) != 0 || size < 16 * blocksize) {
    fprintf(stderr, "block size and size must be powers of two, the size at least 16 blocks\n");
    return 2;
  }
  cudaDeviceProp deviceProp;
  CHECK(cudaGetDeviceProperties(&deviceProp, 0));
  printf("reduce_integer starting reduction at device 0: %s\n", deviceProp.name);
  dim3 block(blocksize, 1);
  dim3 grid((size + block.x - 1) / block.x, 1);
  printf("array size %d, grid %d block %d\n", size, grid.x, block.x);

  const size_t bytes = size * sizeof(int);
  std::vector<int> h_idata(size), h_odata(grid.x);
  for (int &value : h_idata) value = rand() & 0xFF;
  std::vector<int> tmp = h_idata;
  const int cpu_sum = recursiveReduce(tmp.data(), size);
  printf("cpu reduce: %d\n", cpu_sum);

  int *d_idata = NULL;
  int *d_odata = NULL;
  CHECK(cudaMalloc((void **)&d_idata, bytes));
  CHECK(cudaMalloc((void **)&d_odata, grid.x * sizeof(int)));

  const struct {
    const char *name;
    Kernel kernel;
    int factor;  // blocks of data for each block of threads
  } runs[] = {
      {"Neighbored", reduceNeighbored, 1},
      {"NeighboredLess", reduceNeighboredLess, 1},
      {"Interleaved", reduceInterleaved, 1},
      {"Unrolling2", reduceUnrolling2, 2},
      {"Unrolling4", reduceUnrolling4, 4},
      {"Unrolling8", reduceUnrolling8, 8},
      {"Unrolling16", reduceUnrolling16, 16},
      {"Unrolling8Pointer", reduceUnrolling8Pointer, 8},
      {"UnrollWarps8", reduceUnrollWarps8, 8},
      {"CompleteUnrollWarps8", reduceCompleteUnrollWarps8, 8},
      {"CompleteUnrollWarps8Sync", reduceCompleteUnrollWarps8Sync, 8},
      {"CompleteUnroll", complete_unroll(blocksize), 8},
  };
  Verdict verdict;
  for (const auto &run : runs) {
    const int blocks = grid.x / run.factor;
    CHECK(cudaMemcpy(d_idata, h_idata.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    const double iStart = seconds();
    run.kernel<<<blocks, block>>>(d_idata, d_odata, size);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fprintf(stderr, "gpu %s elapsed %f sec\n", run.name, seconds() - iStart);
    CHECK(cudaMemcpy(h_odata.data(), d_odata, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    int gpu_sum = 0;
    for (int i = 0; i < blocks; i++) gpu_sum += h_odata[i];
    printf("gpu %-24s gpu_sum: %d <<<grid %d block %d>>>\n", run.name, gpu_sum, blocks, block.x);
    verdict.expect(gpu_sum == cpu_sum, run.name);
  }
  CHECK(cudaFree(d_idata));
  CHECK(cudaFree(d_odata));
  CHECK(cudaDeviceReset());
  return verdict.finish();
}
