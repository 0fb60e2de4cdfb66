// Shared memory read and written with conflicts of every degree, at each width, and with lanes that
// read the same word.
#include "../common/device_array.h"

constexpr unsigned kWords = 32 * 33;

template <typename T>
__global__ void strided(T* out, unsigned stride, unsigned lanes) {
  __shared__ T shared[kWords * 4 / sizeof(T)];
  constexpr unsigned kCount = kWords * 4 / sizeof(T);
  for (unsigned i = threadIdx.x; i < kCount; i += 32) shared[i] = T(i);
  __syncthreads();
  if (threadIdx.x < lanes) {
    const unsigned at = threadIdx.x * stride % kCount;
    shared[at] = shared[at] + T(1);
    out[threadIdx.x] = shared[at];
  }
}

// As many lanes to a word as `sharing` says, in as many rows of banks as `rows`.
__global__ void broadcast(unsigned* out, unsigned sharing, unsigned rows) {
  __shared__ unsigned shared[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += 32) shared[i] = scramble(i);
  __syncthreads();
  const unsigned place = threadIdx.x / sharing;
  out[threadIdx.x] = shared[place % rows * 32 + place];
}

template <typename T>
static bool check(unsigned stride, unsigned lanes) {
  DeviceArray<T> out(32);
  strided<T><<<1, 32>>>(out.data(), stride, lanes);
  const auto values = out.host();
  bool ok = true;
  for (unsigned i = 0; i < lanes; ++i)
    ok = ok && values[i] == T(T(i * stride % (kWords * 4 / sizeof(T))) + 1);
  return ok;
}

int main() {
  Verdict verdict;
  for (const unsigned stride : {1u, 2u, 4u, 7u, 8u, 16u, 32u, 33u})
    verdict.expect(check<unsigned>(stride, 32), "4 bytes");
  for (const unsigned stride : {1u, 2u, 5u, 16u})
    verdict.expect(check<unsigned long long>(stride, 32), "8 bytes");
  for (const unsigned stride : {1u, 4u, 64u})
    verdict.expect(check<unsigned char>(stride, 29), "1 byte");
  for (const unsigned sharing : {1u, 3u, 32u}) {
    DeviceArray<unsigned> out(32);
    broadcast<<<1, 32>>>(out.data(), sharing, 5);
    const auto values = out.host();
    for (unsigned i = 0; i < 32; ++i)
      verdict.expect(values[i] == scramble(i / sharing % 5 * 32 + i / sharing), "broadcast");
  }
  return verdict.finish();
}
