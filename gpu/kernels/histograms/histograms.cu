// How often each value occurs: counted in global memory, in shared memory first, by each thread for
// itself in local memory, and by branches.
//
//   histograms [blocks = 132] [values a thread = 16] [bins = 256]
#include "../common/device_array.h"

constexpr unsigned kThreads = 256, kMostBins = 1024, kFew = 8;

__global__ void in_global(const unsigned* values, unsigned each, unsigned bins, unsigned* counts) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < each; ++i) atomicAdd(&counts[values[thread + i * step] % bins], 1);
}

__global__ void in_shared(const unsigned* values, unsigned each, unsigned bins, unsigned* counts) {
  __shared__ unsigned own[kMostBins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < each; ++i) atomicAdd(&own[values[thread + i * step] % bins], 1);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    if (own[bin] != 0) atomicAdd(&counts[bin], own[bin]);
}

__global__ void in_local(const unsigned* values, unsigned each, unsigned, unsigned* counts) {
  unsigned own[kFew] = {};
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < each; ++i) ++own[values[thread + i * step] % kFew];
  for (unsigned bin = 0; bin < kFew; ++bin)
    if (own[bin] != 0) atomicAdd(&counts[bin], own[bin]);
}

// A thread that meets a large value looks at its digits one by one.
__global__ void of_digits(const unsigned* values, unsigned each, unsigned, unsigned* counts) {
  __shared__ unsigned own[10];
  if (threadIdx.x < 10) own[threadIdx.x] = 0;
  __syncthreads();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < each / 4; ++i)
    for (unsigned left = values[thread + i * step] >> (thread % 3 * 8); left != 0; left /= 10)
      atomicAdd(&own[left % 10], 1);
  __syncthreads();
  if (threadIdx.x < 10) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char** argv) {
  const unsigned blocks = unsigned(argument(argc, argv, 1, 132, 1, 4096));
  const unsigned each = unsigned(argument(argc, argv, 2, 16, 4, 1024));
  const unsigned bins = unsigned(argument(argc, argv, 3, 256, 1, kMostBins));
  const unsigned step = blocks * kThreads;
  std::vector<unsigned> values(step * each);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = scramble(i);
  std::vector<unsigned> by_bin(kMostBins), by_few(kMostBins), by_digit(kMostBins);
  for (const unsigned value : values) {
    ++by_bin[value % bins];
    ++by_few[value % kFew];
  }
  for (unsigned i = 0; i < each / 4; ++i)
    for (unsigned thread = 0; thread < step; ++thread)
      for (unsigned left = values[thread + i * step] >> (thread % 3 * 8); left != 0; left /= 10)
        ++by_digit[left % 10];
  const struct {
    const char* name;
    void (*kernel)(const unsigned*, unsigned, unsigned, unsigned*);
    const std::vector<unsigned>& expected;
  } runs[] = {{"in_global", in_global, by_bin},
              {"in_shared", in_shared, by_bin},
              {"in_local", in_local, by_few},
              {"of_digits", of_digits, by_digit}};
  DeviceArray<unsigned> device_values(values);
  Verdict verdict;
  for (const auto& run : runs) {
    DeviceArray<unsigned> counts(kMostBins);
    run.kernel<<<blocks, kThreads>>>(device_values.data(), each, bins, counts.data());
    verdict.expect(counts.host() == run.expected, run.name);
  }
  return verdict.finish();
}
