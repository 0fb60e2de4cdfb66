// Copies from global to shared memory that run beside the kernel: 4, 8 and 16 bytes, with a tail of
// zeros, in a pipeline of two stages, and through an arrive-wait barrier. Before sm_80 the compiler
// makes plain copies of them.
#include <cuda_pipeline.h>

#include "../common/device_array.h"

constexpr unsigned kThreads = 64, kTiles = 5;

__global__ void two_stages(const uint4* in, unsigned* out) {
  __shared__ uint4 tiles[2][kThreads];
  __pipeline_memcpy_async(&tiles[0][threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  unsigned sum = 0;
  for (unsigned tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles)
      __pipeline_memcpy_async(&tiles[(tile + 1) % 2][threadIdx.x],
                              &in[(tile + 1) * kThreads + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const uint4 other = tiles[tile % 2][kThreads - 1 - threadIdx.x];
    sum = sum * 3 + (other.x ^ other.y) + (other.z ^ other.w);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void small_copies(const unsigned* in, unsigned* out) {
  __shared__ unsigned words[kThreads];
  __shared__ uint2 pairs[kThreads];
  if (threadIdx.x % 3 != 1) __pipeline_memcpy_async(&words[threadIdx.x], &in[threadIdx.x * 5], 4);
  __pipeline_memcpy_async(&pairs[threadIdx.x], &in[threadIdx.x * 2], 8, threadIdx.x % 2 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (threadIdx.x % 3 == 1) words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] =
      words[threadIdx.x ^ 1] + pairs[threadIdx.x ^ 2].x * 2 + pairs[threadIdx.x ^ 2].y;
}

int main() {
  const unsigned count = kThreads * kTiles;
  std::vector<uint4> in(count);
  std::vector<unsigned> words(count);
  for (unsigned i = 0; i < count; ++i) {
    in[i] = make_uint4(scramble(i), scramble(i + 1000), i, scramble(i + 2000));
    words[i] = scramble(i);
  }
  DeviceArray<uint4> d_in(in);
  DeviceArray<unsigned> d_words(words), staged(kThreads), small(kThreads);
  two_stages<<<1, kThreads>>>(d_in.data(), staged.data());
  small_copies<<<1, kThreads>>>(d_words.data(), small.data());
  const auto a = staged.host(), b = small.host();
  Verdict verdict;
  for (unsigned i = 0; i < kThreads; ++i) {
    unsigned sum = 0;
    for (unsigned tile = 0; tile < kTiles; ++tile) {
      const uint4& other = in[tile * kThreads + kThreads - 1 - i];
      sum = sum * 3 + (other.x ^ other.y) + (other.z ^ other.w);
    }
    const unsigned near = i ^ 1, far = i ^ 2;
    verdict.expect(a[i] == sum, "two_stages");
    verdict.expect(b[i] == (near % 3 == 1 ? 1 : words[near * 5]) + words[far * 2] * 2 +
                               (far % 2 ? 0 : words[far * 2 + 1]),
                   "small_copies");
  }
  return verdict.finish();
}
