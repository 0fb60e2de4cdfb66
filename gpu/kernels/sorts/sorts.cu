// A bitonic sort of a block's values in shared memory, and a merge sort where each thread finds its
// place in the other half by bisection.
#include <algorithm>

#include "../common/device_array.h"

constexpr unsigned kCount = 128;

__global__ void bitonic_sort(unsigned* values) {
  __shared__ unsigned shared[kCount];
  const unsigned thread = threadIdx.x;
  shared[thread] = values[blockIdx.x * kCount + thread];
  __syncthreads();
  for (unsigned size = 2; size <= kCount; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned other = thread ^ stride;
      if (other > thread) {
        const unsigned a = shared[thread], b = shared[other];
        if ((a > b) == ((thread & size) == 0)) {
          shared[thread] = b;
          shared[other] = a;
        }
      }
      __syncthreads();
    }
  values[blockIdx.x * kCount + thread] = shared[thread];
}

__global__ void merge_sort(unsigned* values) {
  __shared__ unsigned shared[2][kCount];
  const unsigned thread = threadIdx.x;
  unsigned from = 0;
  shared[from][thread] = values[blockIdx.x * kCount + thread];
  for (unsigned run = 1; run < kCount; run *= 2) {
    __syncthreads();
    const unsigned mine = thread / run * run, other = mine ^ run;
    const unsigned value = shared[from][thread];
    unsigned low = 0, high = run;
    while (low < high) {  // equal values of the lower run come first
      const unsigned middle = (low + high) / 2, there = shared[from][other + middle];
      if (mine < other ? there < value : there <= value)
        low = middle + 1;
      else
        high = middle;
    }
    shared[1 - from][(mine & ~run) + (thread - mine) + low] = value;
    from = 1 - from;
  }
  __syncthreads();
  values[blockIdx.x * kCount + thread] = shared[from][thread];
}

int main() {
  const unsigned blocks = 2;
  std::vector<unsigned> in(blocks * kCount);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = scramble(i) % 90;
  DeviceArray<unsigned> bitonic(in), merged(in);
  bitonic_sort<<<blocks, kCount>>>(bitonic.data());
  merge_sort<<<blocks, kCount>>>(merged.data());
  for (unsigned i = 0; i < blocks; ++i)
    std::sort(in.begin() + i * kCount, in.begin() + (i + 1) * kCount);
  Verdict verdict;
  verdict.expect(bitonic.host() == in, "bitonic_sort");
  verdict.expect(merged.host() == in, "merge_sort");
  return verdict.finish();
}
