// Cooperative groups: tiles of several sizes with their shuffles, votes and reductions, groups made
// by a predicate, and a barrier of the block as a group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../common/device_array.h"

namespace cg = cooperative_groups;
constexpr unsigned kThreads = 96;

template <unsigned size>
__device__ unsigned use_tile(const cg::thread_block& block, unsigned value) {
  const auto tile = cg::tiled_partition<size>(block);
  unsigned sum = value;
  for (unsigned by = size / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
  sum = tile.shfl(sum, 0) + tile.meta_group_rank() * 1000 + tile.thread_rank();
  return sum + tile.ballot(value % 2) % 977 + unsigned(tile.any(value % 7 == 0));
}

__global__ void group_tiles(unsigned* out) {
  __shared__ unsigned shared[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned thread = block.thread_rank(), value = scramble(thread) % 100;
  unsigned result = use_tile<32>(block, value) + 3 * use_tile<8>(block, value) +
                    5 * use_tile<4>(block, value) + 7 * use_tile<2>(block, value);
  if (value < 60) {
    const cg::coalesced_group some = cg::coalesced_threads();
    result += some.size() * 100000 + some.thread_rank();
    result += some.shfl(value, some.size() - 1);
  }
  shared[thread] = result;
  block.sync();
  out[thread] = shared[(thread + 37) % kThreads];
}

__global__ void reduce_tiles(int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int value = int(scramble(threadIdx.x) % 1000);
  out[threadIdx.x] = cg::reduce(tile, value, cg::plus<int>()) +
                     10000 * (cg::reduce(tile, value, cg::less<int>()) % 100);
}

static unsigned tile_result(const std::vector<unsigned>& values, unsigned thread, unsigned size) {
  const unsigned first = thread / size * size;
  unsigned sum = 0, ballot = 0, any = 0;
  for (unsigned i = 0; i < size; ++i) {
    sum += values[first + i];
    ballot |= values[first + i] % 2 << i;
    any |= values[first + i] % 7 == 0;
  }
  return sum + thread / size * 1000 + thread % size + ballot % 977 + any;
}

int main() {
  DeviceArray<unsigned> out(kThreads);
  DeviceArray<int> reduced(kThreads);
  group_tiles<<<1, kThreads>>>(out.data());
  reduce_tiles<<<1, kThreads>>>(reduced.data());
  const auto got = out.host();
  const auto sums = reduced.host();
  std::vector<unsigned> values(kThreads), want(kThreads);
  for (unsigned i = 0; i < kThreads; ++i) values[i] = scramble(i) % 100;
  Verdict verdict;
  for (unsigned i = 0; i < kThreads; ++i) {
    want[i] = tile_result(values, i, 32) + 3 * tile_result(values, i, 8) +
              5 * tile_result(values, i, 4) + 7 * tile_result(values, i, 2);
    unsigned size = 0, rank = 0, last = 0;
    for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (values[j] >= 60) continue;
      ++size;
      rank += j < i;
      last = values[j];
    }
    if (values[i] < 60) want[i] += size * 100000 + rank + last;
    int sum = 0, least = 1000;
    for (unsigned j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) {
      const int value = int(scramble(j) % 1000);
      sum += value;
      least = value < least ? value : least;
    }
    verdict.expect(sums[i] == sum + 10000 * (least % 100), "reduce_tiles");
  }
  for (unsigned i = 0; i < kThreads; ++i)
    verdict.expect(got[i] == want[(i + 37) % kThreads], "group_tiles");
  return verdict.finish();
}
