// Odd blocks spin on a flag that even blocks raise.
#include "../common/device_array.h"

constexpr unsigned kThreads = 64;

__global__ void producer_consumer(volatile int* flags, volatile unsigned* data, unsigned* out) {
  const unsigned pair = blockIdx.x / 2, at = pair * kThreads + threadIdx.x;
  if (blockIdx.x % 2 == 0) {
    data[at] = scramble(at);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) flags[pair] = 1;
  } else {
    if (threadIdx.x == 0) {
      while (flags[pair] == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[at] = data[pair * kThreads + kThreads - 1 - threadIdx.x];
  }
}

int main() {
  const unsigned pairs = 3;
  DeviceArray<int> flags(pairs);
  DeviceArray<unsigned> data(pairs * kThreads), out(pairs * kThreads);
  producer_consumer<<<2 * pairs, kThreads>>>(flags.data(), data.data(), out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < pairs * kThreads; ++i)
    verdict.expect(values[i] == scramble((i / kThreads + 1) * kThreads - 1 - i % kThreads),
                   "producer_consumer");
  return verdict.finish();
}
