// Every thread calls a function that calls itself, each to a depth of its own, and waits for the block
// behind it: what one thread found is read by the others. With -O3 lanes leave the function apart, so
// that __all_sync behind the barrier, for which nvcc 13.0 emits no WARPSYNC, asks some of them only: an
// H200 itself (driver 580.159.04, 2026-11-22) prints "result WRONG", and "result correct" with -G. What is
// asked here is that the launch ends.
#include "../../common/device_array.h"

constexpr int kThreads = 64, kBlocks = 5, kValues = 5;

// The values one by one, or leaving out those before which an odd one stands.
__host__ __device__ __noinline__ unsigned folded(const unsigned* values, unsigned count) {
  if (count < 2) return values[0];
  const unsigned skipped = values[0] & 1u;
  return values[count - 1] * 3u + folded(values + skipped, count - 1 - skipped * (count > 2));
}

__host__ __device__ void fill(unsigned t, unsigned* values, unsigned* count) {
  for (unsigned i = 0; i < kValues; ++i) values[i] = scramble(t * 8 + i);
  *count = scramble(t) % kValues + 1;
}

__global__ void depths_at_barrier(unsigned* out) {
  __shared__ unsigned found[kThreads];
  const unsigned t = blockIdx.x * kThreads + threadIdx.x;
  unsigned values[kValues], count;
  fill(t, values, &count);
  for (unsigned round = 0; round < 3; ++round) {
    found[threadIdx.x] = folded(values, count);
    __syncthreads();
    const unsigned other = found[(threadIdx.x * 5 + round) % kThreads];
    __syncthreads();
    values[round] += other;
    count = other % kValues + 1;
    if (__all_sync(0xffffffffu, other % 3 != 0)) ++count;
    if (count > kValues) count = kValues;
  }
  out[t] = values[0] ^ values[1] ^ values[2] ^ count;
}

int main() {
  DeviceArray<unsigned> out(kBlocks * kThreads);
  depths_at_barrier<<<kBlocks, kThreads>>>(out.data());
  const std::vector<unsigned> got = out.host();
  Verdict verdict;
  for (unsigned block = 0; block < kBlocks; ++block) {
    unsigned values[kThreads][kValues], count[kThreads], found[kThreads];
    for (unsigned i = 0; i < kThreads; ++i) fill(block * kThreads + i, values[i], &count[i]);
    for (unsigned round = 0; round < 3; ++round) {
      for (unsigned i = 0; i < kThreads; ++i) found[i] = folded(values[i], count[i]);
      for (unsigned warp = 0; warp < kThreads; warp += 32) {
        bool all = true;
        for (unsigned i = warp; i < warp + 32; ++i) {
          const unsigned other = found[(i * 5 + round) % kThreads];
          values[i][round] += other;
          count[i] = other % kValues + 1;
          all = all && other % 3 != 0;
        }
        for (unsigned i = warp; i < warp + 32; ++i) {
          if (all) ++count[i];
          if (count[i] > kValues) count[i] = kValues;
        }
      }
    }
    for (unsigned i = 0; i < kThreads; ++i)
      verdict.expect(got[block * kThreads + i] == (values[i][0] ^ values[i][1] ^ values[i][2] ^ count[i]), "a thread's value");
  }
  return verdict.finish();
}
