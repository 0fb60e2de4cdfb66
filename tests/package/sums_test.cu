// GoogleTest: sums of blocks. -DPLANT=fault lets a thread write out of bounds, -DPLANT=race leaves
// out a barrier.
#include <gtest/gtest.h>

__global__ void sums(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
#ifndef PLANT_RACE
  __syncthreads();
#endif
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
#ifdef PLANT_FAULT
  if (threadIdx.x == 5) out[1 << 28] = 1;
#endif
}

TEST(Sums, AddUpEachBlock) {
  constexpr int kBlocks = 4, kThreads = 256;
  int *in, *out;
  ASSERT_EQ(cudaMallocManaged(&in, kBlocks * kThreads * sizeof *in), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&out, kBlocks * sizeof *out), cudaSuccess);
  for (int i = 0; i < kBlocks * kThreads; ++i) in[i] = i;
  sums<<<kBlocks, kThreads>>>(in, out);
  cudaDeviceSynchronize();  // nobody looks at what it says
#ifndef PLANT_FAULT
  for (int block = 0; block < kBlocks; ++block)
    EXPECT_EQ(out[block], kThreads * (kThreads - 1) / 2 + block * kThreads * kThreads);
#endif
}
