// Launches of clusters, for gpu/cupti/measure.sh -m timing: what warps wait for at the cluster's
// barrier and at the shared memory of other blocks, and what a launch of clusters takes. stdout is
// the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o cluster_launches cluster_launches.cu
//   gpu/cupti/measure.sh -m timing -o cluster_launches.json -- ./cluster_launches
#include <cooperative_groups.h>

#include "probe.h"

namespace {

using namespace timing;
namespace cg = cooperative_groups;

constexpr int kSteps = 64, kWords = 4096;

enum class Act { kLoad, kStore, kAdd, kBarrier, kBareBarrier };

__device__ __forceinline__ unsigned address_in(const void* shared, unsigned rank) {
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(at)
               : "r"(unsigned(__cvta_generic_to_shared(shared))), "r"(rank));
  return at;
}

template <Act act>
__global__ void acts(unsigned* out) {
  __shared__ unsigned words[kWords];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  cluster.sync();
  const unsigned at =
      address_in(words, (cluster.block_rank() + 1) % cluster.num_blocks()) + threadIdx.x * 4;
  unsigned all = 0, zeros[8] = {};
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) {
    const unsigned place = at + i % 4 * 4096;
    if constexpr (act == Act::kLoad) {
      unsigned v;
      asm volatile("ld.shared::cluster.u32 %0, [%1];"
                   : "=r"(v)
                   : "r"(place + zeros[i % 8])
                   : "memory");
      all |= zeros[i % 8] = v;
    }
    if constexpr (act == Act::kStore)
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
    if constexpr (act == Act::kAdd)
      asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
    if constexpr (act == Act::kBarrier)
      asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    if constexpr (act == Act::kBareBarrier)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    if constexpr (act == Act::kBarrier || act == Act::kBareBarrier)
      asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}

__global__ void nothing(unsigned*) {}

// As long as 2,000 cycles, so that blocks are there side by side.
__global__ void spin(unsigned* out) {
  const long long begin = clock_now();
  while (clock_now() - begin < 2000) {
  }
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

void launch(const char* name, void (*kernel)(unsigned*), int blocks, int threads, int cluster,
            unsigned* out) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {unsigned(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = unsigned(blocks);
  config.blockDim = unsigned(threads);
  config.attrs = &attribute;
  config.numAttrs = cluster > 0;
  CUDA(cudaLaunchKernelEx(&config, kernel, out));
  std::printf("%s.size%d.b%d.t%d\n", name, cluster, blocks, threads);
}

}  // namespace

int main() {
  const Buffer<unsigned> out(4096);
  unsigned* to = out.data();
  for (const int cluster : {2, 8})
    for (const int threads : {32, 1024}) {
      launch("load", acts<Act::kLoad>, 128, threads, cluster, to);
      launch("store", acts<Act::kStore>, 128, threads, cluster, to);
      launch("add", acts<Act::kAdd>, 128, threads, cluster, to);
    }
  for (const int cluster : {1, 2, 8})
    for (const int threads : {32, 1024}) {
      launch("barrier", acts<Act::kBarrier>, 128, threads, cluster, to);
      launch("bare_barrier", acts<Act::kBareBarrier>, 128, threads, cluster, to);
    }
  for (const int cluster : {0, 1, 2, 4, 8})
    for (const int threads : {32, 1024}) {
      for (const int blocks : {8, 128, 1024})
        launch("nothing", nothing, blocks, threads, cluster, to);
      launch("spin", spin, 128, threads, cluster, to);
      launch("spin", spin, 1024, threads, cluster, to);
    }
  finish();
}
