// Clusters: shared memory of other blocks (latency, and how much a block reads), the cluster's
// barrier, and what a launch of clusters takes beside one without.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o clusters clusters.cu && ./clusters
#include <cooperative_groups.h>

#include "probe.h"

namespace {

using namespace timing;
namespace cg = cooperative_groups;

constexpr int kSteps = 64, kWords = 8192;

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int blocks, int threads, int cluster,
            Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {unsigned(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = unsigned(blocks);
  config.blockDim = unsigned(threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

__device__ __forceinline__ unsigned address_in(const void* shared, unsigned rank) {
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(at)
               : "r"(unsigned(__cvta_generic_to_shared(shared))), "r"(rank));
  return at;
}

__device__ __forceinline__ unsigned load_cluster(unsigned at) {
  unsigned v;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
  return v;
}

// Block 0 follows a chain through block `rank`'s memory; all words are 0.
__global__ void chain(unsigned rank, long long* took) {
  __shared__ unsigned words[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  cg::this_cluster().sync();
  if (cg::this_cluster().block_rank() == 0 && threadIdx.x == 0) {
    const unsigned at = address_in(words, rank);
    unsigned v = 0;
    const long long begin = clock_now();
#pragma unroll 16
    for (int i = 0; i < kSteps; ++i) v = load_cluster(at + v);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(v) : "memory");
    took[blockIdx.x / cg::this_cluster().num_blocks()] = clock_now() - begin;
  }
  cg::this_cluster().sync();
}

enum class Act { kLoad, kStore, kAdd };

constexpr unsigned kFirst = ~0u;

// All warps of each block: `away` 0: their own block's memory, by its place in the cluster; 1: the
// next block's; kFirst: that of the cluster's first block. What is loaded says where the next loads
// go, so that the compiler keeps them all.
template <Act act>
__global__ void stream(unsigned away, long long* took) {
  __shared__ unsigned words[kWords];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  cluster.sync();
  const unsigned rank = away == kFirst ? 0 : (cluster.block_rank() + away) % cluster.num_blocks();
  const unsigned at = address_in(words, rank) + threadIdx.x * 4;
  unsigned all = 0, zeros[8] = {};
  const long long begin = clock_now();
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) {
    const unsigned place = at + i % 8 * blockDim.x * 4 % (kWords * 4 - 4096);
    if constexpr (act == Act::kLoad) all |= zeros[i % 8] = load_cluster(place + zeros[i % 8]);
    if constexpr (act == Act::kStore)
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
    if constexpr (act == Act::kAdd)
      asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
  }
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  __syncthreads();
  const long long end = clock_now();
  cluster.sync();
  if (threadIdx.x == 0) took[blockIdx.x] = end - begin;
}

// As stream, of the warps' first lanes only, `stride` bytes apart: whether banks, sectors or lanes
// count. Each warp has 4 KiB, eight share them.
template <Act act>
__global__ void scatter(unsigned away, int lanes, int stride, long long* took) {
  __shared__ unsigned words[kWords];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  cluster.sync();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned at = address_in(words, (cluster.block_rank() + away) % cluster.num_blocks()) +
                      warp % 8 * 4096 + lane * unsigned(stride);
  unsigned all = 0, zeros[8] = {};
  const long long begin = clock_now();
  if (int(lane) < lanes)
#pragma unroll 8
    for (int i = 0; i < kSteps; ++i) {
      const unsigned place = at + i % 8 * 4;
      if constexpr (act == Act::kLoad) all |= zeros[i % 8] = load_cluster(place + zeros[i % 8]);
      if constexpr (act == Act::kStore)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
      if constexpr (act == Act::kAdd)
        asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(place), "r"(0) : "memory");
    }
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  __syncthreads();
  const long long end = clock_now();
  cluster.sync();
  if (threadIdx.x == 0) took[blockIdx.x] = end - begin;
}

// 16 bytes a lane.
template <Act act>
__global__ void wide(unsigned away, long long* took) {
  __shared__ uint4 words[kWords / 4];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < kWords / 4; i += blockDim.x) words[i] = {};
  cluster.sync();
  const unsigned at =
      address_in(words, (cluster.block_rank() + away) % cluster.num_blocks()) + threadIdx.x * 16;
  unsigned all = 0, zeros[8] = {};
  const long long begin = clock_now();
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) {
    const unsigned place = at + i % 2 * 16384 + (act == Act::kLoad ? zeros[i % 8] : 0);
    if constexpr (act == Act::kLoad) {
      unsigned a, b, c, d;
      asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(place)
                   : "memory");
      all |= zeros[i % 8] = a | b | c | d;
    } else {
      asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(place), "r"(0)
                   : "memory");
    }
  }
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  __syncthreads();
  const long long end = clock_now();
  cluster.sync();
  if (threadIdx.x == 0) took[blockIdx.x] = end - begin;
}

// Arrives and waits without anything to be told to others.
__global__ void bare_barriers(long long* took) {
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < kSteps; ++i) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
  const long long end = clock_now();
  if (threadIdx.x == 0) took[blockIdx.x] = end - begin;
}

__global__ void barriers(long long* took) {
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < kSteps; ++i) {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
  const long long end = clock_now();
  if (threadIdx.x == 0) took[blockIdx.x] = end - begin;
}

// Where the blocks are, and when the first came.
__global__ void where(unsigned* sm, unsigned long long* when) {
  if (threadIdx.x == 0) sm[blockIdx.x] = sm_id(), when[blockIdx.x] = nanoseconds_now();
}

double mean_of(const Buffer<long long>& took, int count, double by) {
  finish();
  const auto t = took.read();
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += double(t[i]);
  return sum / count / by;
}

template <Act act>
void streams(const char* name, const Buffer<long long>& took) {
  for (const int cluster : {2, 4, 8})
    for (const int warps : {1, 8, 32})
      for (const unsigned away : {0u, 1u, kFirst})
        for (const int blocks : {cluster, 128}) {
          std::vector<double> samples;
          for (int i = 0; i < 3; ++i) {
            launch(stream<act>, blocks, warps * 32, cluster, away, took.data());
            samples.push_back(mean_of(took, blocks, double(kSteps * warps)));
          }
          print(std::string("cluster.") + name + ".size" + std::to_string(cluster) + ".w" +
                    std::to_string(warps) +
                    (away == kFirst ? ".first" : ".away" + std::to_string(away)) + ".b" +
                    std::to_string(blocks),
                samples, "cycle");
        }
}

template <Act act>
void scatters(const char* name, const Buffer<long long>& took) {
  constexpr int kWarps[] = {1, 8, 32};
  const auto ask = [&](int warps, unsigned away, int lanes, int stride) {
    std::vector<double> samples;
    for (int i = 0; i < 3; ++i) {
      launch(scatter<act>, 128, warps * 32, 2, away, lanes, stride, took.data());
      samples.push_back(mean_of(took, 128, double(kSteps * warps)));
    }
    print(std::string("cluster.scatter.") + name + ".w" + std::to_string(warps) + ".away" +
              std::to_string(away) + ".lanes" + std::to_string(lanes) + ".stride" +
              std::to_string(stride),
          samples, "cycle");
  };
  for (const int warps : kWarps)
    for (const unsigned away : {0u, 1u}) {
      for (const int lanes : {1, 2, 4, 8, 16, 32}) ask(warps, away, lanes, 4);
      for (const int stride : {0, 8, 16, 32, 64, 128}) ask(warps, away, 32, stride);
    }
  for (const int warps : {1, 32}) {
    ask(warps, 1, 1, 0);
    ask(warps, 1, 8, 32);
    ask(warps, 1, 8, 128);
  }
}

template <Act act>
void wides(const char* name, const Buffer<long long>& took) {
  for (const int warps : {1, 8, 32})
    for (const unsigned away : {0u, 1u}) {
      std::vector<double> samples;
      for (int i = 0; i < 3; ++i) {
        launch(wide<act>, 128, warps * 32, 2, away, took.data());
        samples.push_back(mean_of(took, 128, double(kSteps * warps)));
      }
      print(std::string("cluster.wide.") + name + ".w" + std::to_string(warps) + ".away" +
                std::to_string(away),
            samples, "cycle");
    }
}

}  // namespace

int main() {
  print_header("clusters");
  const Buffer<long long> took(4096);
  for (const int cluster : {1, 2, 4, 8})
    for (int rank = 0; rank < cluster; ++rank) {
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        launch(chain, cluster, 32, cluster, unsigned(rank), took.data());
        samples.push_back(mean_of(took, 1, kSteps));
      }
      print("cluster.chain.size" + std::to_string(cluster) + ".rank" + std::to_string(rank),
            samples, "cycle");
    }
  streams<Act::kLoad>("load", took);
  streams<Act::kStore>("store", took);
  streams<Act::kAdd>("add", took);
  for (const int cluster : {1, 2, 4, 8})
    for (const int warps : {1, 4, 16, 32})
      for (const int blocks : {cluster, 128}) {
        std::vector<double> samples;
        for (int i = 0; i < 5; ++i) {
          launch(barriers, blocks, warps * 32, cluster, took.data());
          samples.push_back(mean_of(took, blocks, kSteps));
        }
        print("cluster.barrier.size" + std::to_string(cluster) + ".w" + std::to_string(warps) +
                  ".b" + std::to_string(blocks),
              samples, "cycle");
      }
  for (const int cluster : {1, 2, 8})
    for (const int warps : {1, 4, 16, 32}) {
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        launch(bare_barriers, 128, warps * 32, cluster, took.data());
        samples.push_back(mean_of(took, 128, kSteps));
      }
      print("cluster.bare_barrier.size" + std::to_string(cluster) + ".w" + std::to_string(warps),
            samples, "cycle");
    }
  scatters<Act::kLoad>("load", took);
  scatters<Act::kStore>("store", took);
  scatters<Act::kAdd>("add", took);
  wides<Act::kLoad>("load", took);
  wides<Act::kStore>("store", took);
  const Buffer<unsigned> sm(512);
  const Buffer<unsigned long long> when(512);
  for (const int cluster : {1, 2, 4, 8}) {
    launch(where, 256, 1024, cluster, sm.data(), when.data());
    finish();
    const auto places = sm.read();
    std::printf("# places of clusters of %d:", cluster);
    for (int block = 0; block < 256; ++block) std::printf(" %u", places[block]);
    std::printf("\n");
  }
}
