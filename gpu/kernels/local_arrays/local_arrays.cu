// Arrays in local memory: an index that differs between lanes, elements of several widths, and more
// live values than a kernel is allowed registers.
#include "../common/device_array.h"

__host__ __device__ static unsigned shuffle_cards(unsigned seed) {
  unsigned char cards[52];
  for (unsigned i = 0; i < 52; ++i) cards[i] = (unsigned char)(i);
  for (unsigned i = 51; i > 0; --i) {
    const unsigned j = scramble(seed * 64 + i) % (i + 1);
    const unsigned char held = cards[i];
    cards[i] = cards[j];
    cards[j] = held;
  }
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) result = result * 52 + cards[i];
  return result;
}

__host__ __device__ static unsigned long long stack_machine(unsigned seed) {
  unsigned long long stack[16];
  unsigned top = 0;
  for (unsigned i = 0; i < 40; ++i) {
    const unsigned bits = scramble(seed + i * 97);
    if (top < 2 || (bits % 3 && top < 16)) {
      stack[top++] = bits;
    } else {
      const unsigned long long a = stack[--top], b = stack[--top];
      stack[top++] = bits & 8 ? a * b : a + (b << 7);
    }
  }
  unsigned long long result = 0;
  while (top > 0) result ^= stack[--top] * (top + 1);
  return result;
}

__global__ void local_arrays(unsigned* cards, unsigned long long* sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  cards[thread] = shuffle_cards(thread);
  sums[thread] = stack_machine(thread);
}

constexpr int kLive = 48;
__host__ __device__ static unsigned many_values(unsigned seed) {
  unsigned values[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) values[i] = scramble(seed + unsigned(i));
#pragma unroll 1
  for (unsigned round = 0; round < 1 + seed % 3; ++round) {
#pragma unroll
    for (int i = 0; i < kLive; ++i) values[i] = values[i] * 5 + (values[(i + 7) % kLive] ^ round);
  }
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < kLive; ++i) result = result * 31 + values[i];
  return result;
}

__global__ void __maxnreg__(32) register_spills(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread % 8 != 5) out[thread] = many_values(thread);
}

int main() {
  const unsigned threads = 70;
  DeviceArray<unsigned> cards(threads), spilled(threads);
  DeviceArray<unsigned long long> sums(threads);
  local_arrays<<<2, threads / 2>>>(cards.data(), sums.data());
  register_spills<<<2, threads / 2>>>(spilled.data());
  const auto a = cards.host(), c = spilled.host();
  const auto b = sums.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    verdict.expect(a[i] == shuffle_cards(i), "shuffle_cards");
    verdict.expect(b[i] == stack_machine(i), "stack_machine");
    verdict.expect(c[i] == (i % 8 != 5 ? many_values(i) : 0), "register_spills");
  }
  return verdict.finish();
}
