// Barriers in blocks that are no whole number of warps, barriers for some of the warps, and the
// barriers that count and vote.
#include "../common/device_array.h"

constexpr unsigned kThreads = 109;  // the last warp has 13 lanes

__global__ void ragged_block(unsigned* out) {
  __shared__ unsigned ring[kThreads];
  unsigned value = scramble(threadIdx.x);
  for (int i = 0; i < 3; ++i) {
    ring[threadIdx.x] = value;
    __syncthreads();
    value += ring[(threadIdx.x + 1) % kThreads];
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

// Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; then all at barrier 0.
__global__ void named_barriers(unsigned* out) {
  __shared__ unsigned shared[128];
  const unsigned half = threadIdx.x / 64;
  shared[threadIdx.x] = threadIdx.x * 3;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  const unsigned other = shared[threadIdx.x ^ 32];
  __syncthreads();
  shared[threadIdx.x] = other;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x ^ 64] + half;
}

// Warp 0 produces; the others wait for it. Warp 0 only arrives.
__global__ void arrive_and_wait(unsigned* out) {
  __shared__ unsigned shared[32];
  if (threadIdx.x < 32) {
    shared[threadIdx.x] = scramble(threadIdx.x);
    asm volatile("bar.arrive 3, 96;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 96;" ::: "memory");
    out[threadIdx.x] = shared[threadIdx.x % 32] + threadIdx.x / 32;
  }
}

__global__ void voting_barriers(int* out) {
  const unsigned bits = scramble(threadIdx.x);
  const int count = __syncthreads_count(bits % 3 == 0);
  const int all = __syncthreads_and(int(bits % 1000 < threadIdx.x + 900));
  const int any = __syncthreads_or(bits % 64 == 63);
  const int certain = __syncthreads_and(1), never = __syncthreads_or(0);
  out[threadIdx.x] =
      count * 16 + (all != 0) * 8 + (any != 0) * 4 + (certain != 0) * 2 + (never != 0);
}

int main() {
  DeviceArray<unsigned> ragged(kThreads), named(128), waited(96);
  DeviceArray<int> votes(kThreads);
  ragged_block<<<1, kThreads>>>(ragged.data());
  named_barriers<<<1, 128>>>(named.data());
  arrive_and_wait<<<1, 96>>>(waited.data());
  voting_barriers<<<1, kThreads>>>(votes.data());

  Verdict verdict;
  std::vector<unsigned> ring(kThreads);
  int count = 0, all = 1, any = 0;
  for (unsigned i = 0; i < kThreads; ++i) {
    ring[i] = scramble(i);
    count += ring[i] % 3 == 0;
    all = all && ring[i] % 1000 < i + 900;
    any = any || ring[i] % 64 == 63;
  }
  for (int round = 0; round < 3; ++round) {
    const std::vector<unsigned> before = ring;
    for (unsigned i = 0; i < kThreads; ++i) ring[i] += before[(i + 1) % kThreads];
  }
  const auto a = ragged.host(), b = named.host(), c = waited.host();
  const auto d = votes.host();
  for (unsigned i = 0; i < kThreads; ++i) {
    verdict.expect(a[i] == ring[i], "ragged_block");
    verdict.expect(d[i] == count * 16 + all * 8 + any * 4 + 2, "voting_barriers");
  }
  for (unsigned i = 0; i < 128; ++i)
    verdict.expect(b[i] == (i ^ 96) * 3 + i / 64, "named_barriers");
  for (unsigned i = 32; i < 96; ++i)
    verdict.expect(c[i] == scramble(i % 32) + i / 32, "arrive_and_wait");
  return verdict.finish();
}
