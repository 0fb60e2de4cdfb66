// Sums of all that comes before, within blocks: by doubling distances in shared memory, up and down
// a tree there, by shuffles, and by one thread for each row.
//
//   prefix_sums [blocks = 1056]
#include "../common/device_array.h"

constexpr unsigned kThreads = 256;

__global__ void by_doubling(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[kThreads];
  const unsigned thread = threadIdx.x, at = blockIdx.x * kThreads + thread;
  sums[thread] = in[at];
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    unsigned before = 0;
    if (thread >= distance) before = sums[thread - distance];
    __syncthreads();
    sums[thread] += before;
    __syncthreads();
  }
  out[at] = sums[thread];
}

__global__ void by_tree(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[kThreads];
  const unsigned thread = threadIdx.x, at = blockIdx.x * kThreads + thread;
  sums[thread] = in[at];
  for (unsigned stride = 1; stride < kThreads; stride *= 2) {
    __syncthreads();
    const unsigned end = (thread + 1) * stride * 2 - 1;
    if (end < kThreads) sums[end] += sums[end - stride];
  }
  for (unsigned stride = kThreads / 4; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned end = (thread + 1) * stride * 2 - 1;
    if (end + stride < kThreads) sums[end + stride] += sums[end];
  }
  __syncthreads();
  out[at] = sums[thread];
}

__global__ void by_shuffles(const unsigned* in, unsigned* out) {
  __shared__ unsigned of_warps[kThreads / 32];
  const unsigned thread = threadIdx.x, lane = thread % 32, at = blockIdx.x * kThreads + thread;
  unsigned sum = in[at];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned before = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += before;
  }
  if (lane == 31) of_warps[thread / 32] = sum;
  __syncthreads();
  for (unsigned warp = 0; warp < thread / 32; ++warp) sum += of_warps[warp];
  out[at] = sum;
}

// Every fourth thread alone, over four values; its neighbours wait.
__global__ void by_leaders(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[kThreads];
  const unsigned thread = threadIdx.x, at = blockIdx.x * kThreads + thread;
  sums[thread] = in[at];
  __syncthreads();
  if (thread % 4 == 0) {
    unsigned before = 0;
    for (unsigned i = 0; i < thread; i += 4)
      before += sums[i] + sums[i + 1] + sums[i + 2] + sums[i + 3];
    for (unsigned i = 0; i < 4; ++i) out[at + i] = before += sums[thread + i];
  }
}

int main(int argc, char** argv) {
  const unsigned blocks = unsigned(argument(argc, argv, 1, 1056, 1, 65535));
  std::vector<unsigned> in(blocks * kThreads), want(in.size());
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i] = scramble(i) % 1000;
    want[i] = in[i] + (i % kThreads == 0 ? 0 : want[i - 1]);
  }
  const struct {
    const char* name;
    void (*kernel)(const unsigned*, unsigned*);
  } runs[] = {{"by_doubling", by_doubling},
              {"by_tree", by_tree},
              {"by_shuffles", by_shuffles},
              {"by_leaders", by_leaders}};
  DeviceArray<unsigned> values(in);
  Verdict verdict;
  for (const auto& run : runs) {
    DeviceArray<unsigned> out(in.size());
    run.kernel<<<blocks, kThreads>>>(values.data(), out.data());
    verdict.expect(out.host() == want, run.name);
  }
  return verdict.finish();
}
