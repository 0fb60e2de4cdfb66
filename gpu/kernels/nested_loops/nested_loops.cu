// Nested loops whose bounds, continue and break differ between lanes.
#include "../common/device_array.h"

__host__ __device__ static unsigned walk(unsigned thread) {
  unsigned sum = 0, rounds = scramble(thread) % 7;
  for (unsigned i = 0; i <= rounds; ++i) {
    if ((i + thread) % 3 == 0) continue;
    for (unsigned j = 0; j < 9; ++j) {
      const unsigned bits = scramble(thread * 64 + i * 8 + j);
      if (bits % 4 == 1) continue;
      if (bits % 11 == 0) break;
      unsigned k = bits % 5;
      do {
        sum += k * i + j;
        if (sum % 13 == 0) break;
      } while (k-- > 1);
    }
    if (sum > 400) break;
    sum += i;
  }
  return sum;
}

__global__ void nested_loops(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = walk(thread);
}

int main() {
  const unsigned threads = 160;
  DeviceArray<unsigned> out(threads);
  nested_loops<<<2, threads / 2>>>(out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) verdict.expect(values[i] == walk(i), "nested_loops");
  return verdict.finish();
}
