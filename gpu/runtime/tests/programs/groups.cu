// Cooperative groups, all their headers; libcu++'s barriers, pipelines, atomics, semaphores.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/tuple>

#include "check.hpp"
namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
  const int most = cg::reduce(tile, int(threadIdx.x), cg::greater<int>());
  const int before = cg::exclusive_scan(tile, 1);
  const int upto = cg::inclusive_scan(tile, int(threadIdx.x), cg::plus<int>());
  const auto odd = cg::binary_partition(cg::tiled_partition<32>(block), threadIdx.x % 2 == 1);
  const auto third = cg::labeled_partition(cg::coalesced_threads(), int(threadIdx.x % 3));
  out[threadIdx.x] = sum + most + before + upto + 1000 * odd.size() + 100000 * third.size();
  if (threadIdx.x % 4 == 0) {
    const auto active = cg::coalesced_threads();
    out[threadIdx.x] +=
        active.thread_rank() + active.shfl(threadIdx.x, 1) + active.any(threadIdx.x == 4);
    cg::invoke_one(active, [&] { atomicAdd(out + 64, 1); });
  }
  block.sync();
}
__global__ void copies(const int* from, int* to, int n) {
  __shared__ int room[256];
  const auto block = cg::this_thread_block();
  for (int at = 0; at < n; at += 256) {
    cg::memcpy_async(block, room, from + at, sizeof(int) * 256);
    cg::wait(block);
    to[at + block.thread_rank()] = room[255 - block.thread_rank()];
    block.sync();
  }
}
template <int kStages>
__global__ void staged(const int* from, int* to, int batches) {
  __shared__ int room[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int batch = 0, fetched = 0; batch < batches; ++batch) {
    for (; fetched < batches && fetched < batch + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, room[fetched % kStages], from + 128 * fetched,
                         cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    to[128 * batch + threadIdx.x] = 2 * room[batch % kStages][127 - threadIdx.x];
    pipe.consumer_release();
  }
}
__global__ void barriers(int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int cells[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 5; ++round) {
    cells[threadIdx.x] = threadIdx.x + round;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    out[threadIdx.x] += cells[(threadIdx.x + 1) % 64];
    bar.arrive_and_wait();
  }
}
struct Shared {
  cuda::atomic<int, cuda::thread_scope_device> count;
  cuda::latch<cuda::thread_scope_device> latch;
  cuda::counting_semaphore<cuda::thread_scope_device, 2> two;
};
__global__ void atomics(int* cell, unsigned long long* wide, float* real) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(*cell);
  ref.fetch_add(2, cuda::memory_order_relaxed);
  ref.fetch_max(int(threadIdx.x));
  cuda::atomic_ref<unsigned long long> all(*wide);
  all.fetch_xor(1ull << (threadIdx.x % 64));
  cuda::atomic_ref<float> number(*real);
  number.fetch_add(0.5f);
  int expected = -5;
  ref.compare_exchange_strong(expected, 7);
}
__global__ void waits(Shared* shared, int* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      shared->count.store(1);
      shared->count.notify_all();
    } else {
      shared->count.wait(0);
    }
    shared->two.acquire();
    atomicAdd(out, 1);
    shared->two.release();
    shared->latch.arrive_and_wait();
    atomicAdd(out + 1, *const_cast<volatile int*>(out) == 4);
  }
}
__global__ void make(Shared* shared) { new (shared) Shared{{0}, {4}, {2}}; }
__global__ void std_things(float* out) {
  cuda::std::array<float, 4> a{1, 2, 3, 4};
  cuda::std::complex<float> z(1, 2);
  const auto w = z * z + cuda::std::complex<float>(0.5f, 0);
  cuda::std::tuple<int, float> t{3, 2.5f};
  cuda::std::span<float> s(a.data(), 3);
  out[0] = w.real() + w.imag() + cuda::std::get<1>(t) + s[2] + cuda::std::abs(z);
  out[1] = cuda::std::numeric_limits<float>::max();
}
__global__ void grid_sum(const int* from, int n, int* partial, int* total) {
  const auto grid = cg::this_grid();
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += from[i];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(&partial[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned b = 0; b < gridDim.x; ++b) *total += partial[b];
}
__global__ void __cluster_dims__(4, 1, 1) clusters(int* out) {
  __shared__ int mine[32];
  const auto cluster = cg::this_cluster();
  mine[threadIdx.x] = 100 * cluster.block_rank() + threadIdx.x;
  cluster.sync();
  const int* next =
      cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[blockIdx.x * 32 + threadIdx.x] = next[threadIdx.x];
  cluster.sync();
}
static int *a, *b;

static void partitions() {
  tiles<<<1, 64>>>(a);
  OK(cudaDeviceSynchronize());
  EXPECT(a[1] == 28 + 7 + 1 + 1 + 16000 + 100000 * 11);
  EXPECT(a[64] == 2);
}

static void asynchronous_copies() {
  for (int i = 0; i < 4096; ++i) a[i] = i;
  copies<<<1, 256>>>(a, b, 4096);
  OK(cudaDeviceSynchronize());
  EXPECT(b[0] == 255 && b[256] == 511 && b[4095] == 3840);
  staged<3><<<1, 128>>>(a, b, 20);
  OK(cudaDeviceSynchronize());
  EXPECT(b[0] == 254 && b[128 * 19] == 2 * (128 * 20 - 1));
}

static void synchronization() {
  OK(cudaMemset(b, 0, 1 << 16));
  barriers<<<1, 64>>>(b);
  OK(cudaDeviceSynchronize());
  EXPECT(b[0] == 5 + 10 && b[63] == 10);
  Shared* shared;
  OK(cudaMalloc(&shared, sizeof *shared));
  b[0] = b[1] = 0;
  make<<<1, 1>>>(shared);
  waits<<<4, 32>>>(shared, b);
  OK(cudaDeviceSynchronize());
  EXPECT(b[0] == 4 && b[1] == 4);
}

static void atomic_references() {
  unsigned long long* wide;
  float* real;
  OK(cudaMallocManaged(&wide, 8));
  OK(cudaMallocManaged(&real, 8));
  *wide = 0, *real = 0, b[0] = 0;
  atomics<<<4, 64>>>(b, wide, real);
  OK(cudaDeviceSynchronize());
  EXPECT(*wide == 0 && *real == 128 && b[0] >= 512);
  std_things<<<1, 1>>>(real);
  OK(cudaDeviceSynchronize());
  EXPECT(real[0] > 9.2f && real[0] < 9.3f);
}

static void whole_grids() {
  for (int i = 0; i < 8192; ++i) a[i] = i % 10;
  OK(cudaMemset(b, 0, 4096));
  int n = 8192, *total = b + 512;
  void* args[] = {&a, &n, &b, &total};
  OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sum), 16, 128, args, 0, nullptr));
  OK(cudaDeviceSynchronize());
  int want = 0;
  for (int i = 0; i < n; ++i) want += i % 10;
  EXPECT(*total == want);
  clusters<<<8, 32>>>(b);
  OK(cudaDeviceSynchronize());
  EXPECT(b[0] == 100 && b[3 * 32 + 5] == 5 && b[7 * 32 + 1] == 1);
}

int main() {
  OK(cudaMallocManaged(&a, 1 << 16));
  OK(cudaMallocManaged(&b, 1 << 16));
  partitions();
  asynchronous_copies();
  synchronization();
  atomic_references();
  whole_grids();
  std::puts("groups: ok");
}
