// Cooperative groups as their library has them: sums and scans of tiles of several types, groups by a label and
// by a predicate, a tile wider than a warp, one thread chosen of a group, copies that a group waits for, and one
// that a barrier counts.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>

#include "../common/device_array.h"

namespace cg = cooperative_groups;
constexpr unsigned kThreads = 128, kTile = 16;

template <typename T>
__global__ void tiles(const T* in, T* sums, T* scans) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const T value = in[threadIdx.x];
  const T sum = cg::reduce(tile, value, cg::plus<T>());
  const T most = cg::reduce(tile, value, cg::greater<T>());
  sums[threadIdx.x] = sum + most;
  scans[threadIdx.x] = cg::exclusive_scan(tile, value, cg::plus<T>());
}

__global__ void labels(const unsigned* in, unsigned* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned value = in[threadIdx.x];
  const auto same = cg::labeled_partition(warp, value % 3);
  const auto half = cg::binary_partition(warp, value % 2 != 0);
  unsigned result = same.size() * 1000 + same.thread_rank();
  result += cg::reduce(same, value, cg::plus<unsigned>()) * 7 + cg::reduce(half, value, cg::less<unsigned>());
  out[threadIdx.x] = result;
}

__global__ void wide_tile(const int* in, int* out) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}

__global__ void chosen(unsigned* counters) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::invoke_one(tile, [&] { atomicAdd(&counters[0], 1u); });
  atomicAdd(&counters[1], cg::invoke_one_broadcast(tile, [&] { return threadIdx.x / 32 + 5; }));
}

__global__ void copies(const unsigned* in, unsigned* out) {
  __shared__ alignas(16) unsigned first[kThreads], second[kThreads];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, kThreads);
  block.sync();
  cg::memcpy_async(block, first, in, sizeof first);
  cuda::memcpy_async(block, second, in + kThreads, cuda::aligned_size_t<16>(sizeof second), barrier);
  cg::wait(block);
  const unsigned a = first[kThreads - 1 - threadIdx.x];
  barrier.arrive_and_wait();
  out[threadIdx.x] = a * 3 + second[(threadIdx.x + 5) % kThreads];
}

template <typename T>
void check_tiles(const std::vector<unsigned>& words, Verdict& verdict) {
  std::vector<T> in(kThreads);
  for (unsigned i = 0; i < kThreads; ++i) in[i] = T(words[i] % 100);
  DeviceArray<T> d_in(in), sums(kThreads), scans(kThreads);
  tiles<<<1, kThreads>>>(d_in.data(), sums.data(), scans.data());
  const auto a = sums.host(), b = scans.host();
  for (unsigned i = 0; i < kThreads; ++i) {
    T sum = 0, most = 0, before = 0;
    for (unsigned j = i / kTile * kTile; j < (i / kTile + 1) * kTile; ++j) {
      sum += in[j];
      if (most < in[j]) most = in[j];
      if (j < i) before += in[j];
    }
    verdict.expect(a[i] == sum + most && b[i] == before, "tiles");
  }
}

int main() {
  std::vector<unsigned> in(2 * kThreads);
  for (unsigned i = 0; i < 2 * kThreads; ++i) in[i] = scramble(i) % 1000;
  std::vector<int> numbers(in.begin(), in.begin() + kThreads);
  Verdict verdict;
  check_tiles<int>(in, verdict);
  check_tiles<long long>(in, verdict);
  check_tiles<double>(in, verdict);
  DeviceArray<unsigned> d_in(in), by_label(kThreads), counters(2), copied(kThreads);
  DeviceArray<int> d_numbers(numbers), wide(kThreads);
  labels<<<1, kThreads>>>(d_in.data(), by_label.data());
  wide_tile<<<1, kThreads>>>(d_numbers.data(), wide.data());
  chosen<<<1, kThreads>>>(counters.data());
  copies<<<1, kThreads>>>(d_in.data(), copied.data());
  const auto a = by_label.host(), c = counters.host(), d = copied.host();
  const auto b = wide.host();
  for (unsigned i = 0; i < kThreads; ++i) {
    unsigned size = 0, rank = 0, sum = 0, least = ~0u;
    for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (in[j] % 3 == in[i] % 3) {
        ++size;
        rank += j < i;
        sum += in[j];
      }
      if (in[j] % 2 == in[i] % 2 && in[j] < least) least = in[j];
    }
    int total = 0;
    for (unsigned j = i / 64 * 64; j < i / 64 * 64 + 64; ++j) total += numbers[j];
    verdict.expect(a[i] == size * 1000 + rank + sum * 7 + least, "labels");
    verdict.expect(b[i] == total, "wide_tile");
    verdict.expect(d[i] == in[kThreads - 1 - i] * 3 + in[kThreads + (i + 5) % kThreads], "copies");
  }
  verdict.expect(c[0] == kThreads / 32 && c[1] == 32 * (5 + 6 + 7 + 8), "chosen");
  return verdict.finish();
}
