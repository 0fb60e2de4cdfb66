// Control flow that no loop statement describes: jumps between two loops, and into the middle of
// one.
#include "../common/device_array.h"

__host__ __device__ static unsigned machine(unsigned x) {
  unsigned sum = 0, fuel = 40;
  if (x % 3 == 0) goto middle;
head:
  if (fuel == 0) goto done;
  --fuel;
  sum += x % 17;
  if (x % 5 == 2) goto other;
middle:
  x = x * 1103515245u + 12345u;
  if (x & 0x400) goto head;
  sum ^= x >> 9;
  if (x & 0x8000) goto middle_exit;
other:
  sum += 3;
  if (fuel < 5) goto done;
  fuel -= 2;
  x ^= x >> 11;
  if (x & 1) goto middle;
  goto head;
middle_exit:
  if (fuel-- > 20) goto other;
done:
  return sum;
}

__global__ void goto_flow(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = machine(scramble(thread));
}

int main() {
  const unsigned threads = 128;
  DeviceArray<unsigned> out(threads);
  goto_flow<<<2, threads / 2>>>(out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i)
    verdict.expect(values[i] == machine(scramble(i)), "goto_flow");
  return verdict.finish();
}
