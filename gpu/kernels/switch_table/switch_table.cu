// A switch wide enough for a jump table, with cases that fall through, whose selector differs
// between lanes.
#include "../common/device_array.h"

__host__ __device__ static unsigned step(unsigned selector, unsigned x) {
  switch (selector) {
    case 0:
      return x + 17;
    case 1:
      x ^= 0x55aa;  // fall through
    case 2:
      return x * 3;
    case 3:
      return x >> 3 | x << 29;
    case 4:
      return x - 0x1234567;
    case 5:
      return ~x;
    case 6:
      x += 9;  // fall through
    case 7:
      x *= x;  // fall through
    case 8:
      return x ^ x >> 7;
    case 9:
      return x & 0xffff00ff;
    case 10:
      return x % 1000;
    case 11:
      return x / 7;
    case 12:
      return x << 5;
    case 13:
      return x * x + x;
    case 14:
      return x | 0x10101;
    default:
      return x + selector;
  }
}

__host__ __device__ static unsigned run(unsigned thread) {
  unsigned x = scramble(thread);
  for (int i = 0; i < 12; ++i) x = step((x ^ thread) % 19, x);
  return x;
}

__global__ void divergent_switch(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = run(thread);
}

// All lanes of a warp take the same case.
__global__ void uniform_switch(unsigned* out, unsigned seed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = step((seed + thread / 32) % 19, thread);
}

int main() {
  const unsigned threads = 192, seed = 5;
  DeviceArray<unsigned> divergent(threads), uniform(threads);
  divergent_switch<<<2, threads / 2>>>(divergent.data());
  uniform_switch<<<1, threads>>>(uniform.data(), seed);
  const auto a = divergent.host(), b = uniform.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    verdict.expect(a[i] == run(i), "divergent_switch");
    verdict.expect(b[i] == step((seed + i / 32) % 19, i), "uniform_switch");
  }
  return verdict.finish();
}
