// Recursion of several shapes, to a depth that differs between lanes.
#include "../common/device_array.h"

#define FUNCTION __host__ __device__ __noinline__

FUNCTION static unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

FUNCTION static bool is_odd(unsigned n);
FUNCTION static bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
FUNCTION static bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

// Keeps an array on the stack at every level.
FUNCTION static unsigned weave(unsigned seed, unsigned depth) {
  unsigned local[5];
  for (unsigned i = 0; i < 5; ++i) local[i] = scramble(seed + i);
  if (depth == 0) return local[seed % 5];
  unsigned result = weave(local[depth % 5], depth - 1);
  if (result % 3 == 0) result += weave(result, depth / 2);
  return result ^ local[result % 5];
}

__global__ void recursion(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* mine = out + thread * 3;
  mine[0] = ackermann(thread % 3, thread % 7);
  mine[1] = is_even(scramble(thread) % 24);
  mine[2] = weave(thread, thread % 6);
}

int main() {
  const unsigned threads = 64;
  DeviceArray<unsigned> out(threads * 3);
  recursion<<<2, threads / 2>>>(out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    verdict.expect(values[i * 3] == ackermann(i % 3, i % 7), "ackermann");
    verdict.expect(values[i * 3 + 1] == unsigned(is_even(scramble(i) % 24)), "is_even");
    verdict.expect(values[i * 3 + 2] == weave(i, i % 6), "weave");
  }
  return verdict.finish();
}
