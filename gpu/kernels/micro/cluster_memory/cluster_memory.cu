// Shared memory of other blocks: a histogram whose bins are spread over a cluster, for clusters of several sizes, and
// blocks that read from one another and write to the next. Copies that fill with zeros, and a pipeline of two stages.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "../../common/device_array.h"

namespace cg = cooperative_groups;
constexpr unsigned kThreads = 64, kBlocks = 8, kBins = 256, kValues = 3000, kRing = 4;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_CLUSTERS 1
#else
#define HAS_CLUSTERS 0
#endif

__global__ void histogram(const unsigned* in, unsigned* bins) {
#if HAS_CLUSTERS
  extern __shared__ unsigned part[];
  const auto cluster = cg::this_cluster();
  const unsigned each = kBins / cluster.num_blocks();
  for (unsigned i = threadIdx.x; i < each; i += kThreads) part[i] = 0;
  cluster.sync();
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kValues; i += kBlocks * kThreads) {
    const unsigned bin = in[i] % kBins;
    atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1);
  }
  cluster.sync();
  for (unsigned i = threadIdx.x; i < each; i += kThreads)
    atomicAdd(&bins[cluster.block_rank() * each + i], part[i]);
#endif
}

#if HAS_CLUSTERS
__global__ void __cluster_dims__(kRing, 1, 1) ring(const unsigned* in, unsigned* out) {
  __shared__ unsigned mine[kThreads];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), i = blockIdx.x * kThreads + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  unsigned sum = 0;
  for (unsigned k = 1; k < kRing; ++k)
    sum = sum * 5 + cluster.map_shared_rank(mine, (rank + k) % kRing)[kThreads - 1 - threadIdx.x];
  cluster.sync();
  cluster.map_shared_rank(mine, (rank + 1) % kRing)[threadIdx.x] = sum;
  cluster.sync();
  out[i] = mine[threadIdx.x];
}
#else
__global__ void ring(const unsigned*, unsigned*) {}
#endif

// Of 16 bytes a thread 4, 8, 12 or all, the rest zeros.
__global__ void filled(const uint4* in, uint4* out) {
  __shared__ uint4 copied[kThreads];
  __pipeline_memcpy_async(&copied[threadIdx.x], &in[threadIdx.x], 16, threadIdx.x % 4 * 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = copied[threadIdx.x ^ 1];
}

__global__ void staged(const unsigned* in, unsigned* out) {
  constexpr unsigned kStages = 2, kRounds = 6;
  __shared__ unsigned stage[kStages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  unsigned sum = 0, fetched = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (; fetched < kRounds && fetched < round + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[fetched % kStages], in + fetched * kThreads,
                         cuda::aligned_size_t<4>(kThreads * sizeof(unsigned)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stage[round % kStages][threadIdx.x ^ 5];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

void run_histogram(unsigned size, const unsigned* in, unsigned* bins) {
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = size;
  shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kBins / size * sizeof(unsigned);
  config.attrs = &shape;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, histogram, in, bins));
}

int main() {
  std::vector<unsigned> in(kValues), counts(kBins);
  for (unsigned i = 0; i < kValues; ++i) ++counts[(in[i] = scramble(i)) % kBins];
  DeviceArray<unsigned> d_in(in);
  Verdict verdict;
  int major = 0;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major >= 9) {
    for (const unsigned size : {1u, 2u, 4u, 8u}) {
      DeviceArray<unsigned> bins(kBins);
      run_histogram(size, d_in.data(), bins.data());
      verdict.expect(bins.host() == counts, "histogram");
    }
    DeviceArray<unsigned> out(kBlocks * kThreads);
    ring<<<kBlocks, kThreads>>>(d_in.data(), out.data());
    const auto values = out.host();
    for (unsigned i = 0; i < kBlocks * kThreads; ++i) {
      const unsigned block = i / kThreads, t = i % kThreads, first = block / kRing * kRing;
      const unsigned from = (block % kRing + kRing - 1) % kRing;
      unsigned sum = 0;
      for (unsigned k = 1; k < kRing; ++k)
        sum = sum * 5 + in[(first + (from + k) % kRing) * kThreads + kThreads - 1 - t];
      verdict.expect(values[i] == sum, "ring");
    }
  }
  DeviceArray<unsigned> zeros(kThreads * 4), sums(kThreads);
  filled<<<1, kThreads>>>(reinterpret_cast<const uint4*>(d_in.data()), reinterpret_cast<uint4*>(zeros.data()));
  const auto words = zeros.host();
  for (unsigned i = 0; i < kThreads * 4; ++i) {
    const unsigned lane = i / 4 ^ 1;
    verdict.expect(words[i] == (i % 4 < 4 - lane % 4 ? in[lane * 4 + i % 4] : 0), "filled");
  }
  staged<<<1, kThreads>>>(d_in.data(), sums.data());
  const auto totals = sums.host();
  for (unsigned i = 0; i < kThreads; ++i) {
    unsigned sum = 0;
    for (unsigned round = 0; round < 6; ++round) sum = sum * 3 + in[round * kThreads + (i ^ 5)];
    verdict.expect(totals[i] == sum, "staged");
  }
  return verdict.finish();
}
