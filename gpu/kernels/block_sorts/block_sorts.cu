// The values of each block sorted: by a bitonic network in shared memory, by neighbours that swap,
// by counting what is smaller, and by each thread for itself in local memory.
//
//   block_sorts [blocks = 132]
#include <algorithm>

#include "../common/device_array.h"

constexpr unsigned kCount = 512, kOwn = 16;

__global__ void bitonic(unsigned* values) {
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

// Until nothing is swapped any more. Values are at most 24 places from home.
__global__ void neighbours(unsigned* values) {
  __shared__ unsigned shared[kCount];
  const unsigned thread = threadIdx.x;
  shared[thread] = values[blockIdx.x * kCount + thread];
  bool again = true;
  for (unsigned round = 0; again; ++round) {
    __syncthreads();
    bool swapped = false;
    const unsigned at = thread * 2 + round % 2;
    if (at + 1 < kCount) {
      const unsigned a = shared[at], b = shared[at + 1];
      if (a > b) {
        shared[at] = b;
        shared[at + 1] = a;
        swapped = true;
      }
    }
    again = __syncthreads_or(swapped) || round % 2 == 0;
  }
  values[blockIdx.x * kCount + thread] = shared[thread];
}

__global__ void by_rank(unsigned* values) {
  __shared__ unsigned shared[kCount];
  const unsigned thread = threadIdx.x, mine = values[blockIdx.x * kCount + thread];
  shared[thread] = mine;
  __syncthreads();
  unsigned rank = 0;
  for (unsigned i = 0; i < kCount; ++i)
    if (shared[i] < mine || (shared[i] == mine && i < thread)) ++rank;
  values[blockIdx.x * kCount + rank] = mine;
}

__global__ void by_insertion(unsigned* values) {
  unsigned own[kOwn];
  unsigned* const mine = values + (blockIdx.x * blockDim.x + threadIdx.x) * kOwn;
  for (unsigned i = 0; i < kOwn; ++i) {
    const unsigned value = mine[i];
    unsigned place = i;
    for (; place > 0 && own[place - 1] > value; --place) own[place] = own[place - 1];
    own[place] = value;
  }
  for (unsigned i = 0; i < kOwn; ++i) mine[i] = own[i];
}

int main(int argc, char** argv) {
  const unsigned blocks = unsigned(argument(argc, argv, 1, 132, 1, 4096));
  std::vector<unsigned> in(blocks * kCount), close(in.size());
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i] = scramble(i) % 9000;
    close[i] = (i + scramble(i) % 12) * 4 + scramble(i) % 4;
  }
  const auto sorted = [](std::vector<unsigned> values, unsigned run) {
    for (auto at = values.begin(); at != values.end(); at += run) std::sort(at, at + run);
    return values;
  };
  DeviceArray<unsigned> a(in), b(close), c(in), d(in);
  bitonic<<<blocks, kCount>>>(a.data());
  neighbours<<<blocks, kCount>>>(b.data());
  by_rank<<<blocks, kCount>>>(c.data());
  by_insertion<<<blocks, kCount / kOwn>>>(d.data());
  Verdict verdict;
  verdict.expect(a.host() == sorted(in, kCount), "bitonic");
  verdict.expect(b.host() == sorted(close, kCount), "neighbours");
  verdict.expect(c.host() == sorted(in, kCount), "by_rank");
  verdict.expect(d.host() == sorted(in, kOwn), "by_insertion");
  return verdict.finish();
}
