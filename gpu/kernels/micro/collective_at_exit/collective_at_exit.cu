// Lanes that shuffle, vote or match with a full mask while the others of their warp end instead of coming:
// nvcc 13.0 puts WARPSYNC.COLLECTIVE around these where lanes have diverged, and that releases its lanes when
// those it waits for have ended. Each lane's answers are printed, so that those of a model can be compared.
#include <cstdio>

#include "../../common/device_array.h"

constexpr unsigned kFull = 0xffffffffu;
constexpr unsigned kKinds = 6;

// Sums of neighbours among four lanes; lanes from `count` on do not take part and end.
__device__ unsigned sum_of_four(unsigned t, unsigned count) {
  unsigned sum = 0;
  for (unsigned round = 0; round < 3; ++round)
    for (unsigned i = t % 4; i < count; i += 4) {
      unsigned value = scramble(t * 16 + round * 4 + i);
      value += __shfl_down_sync(kFull, value, 1, 4);
      value += __shfl_down_sync(kFull, value, 2, 4);
      sum = sum * 3 + value;
    }
  return sum;
}

__device__ unsigned answer(unsigned kind, unsigned t, unsigned count) {
  switch (kind) {
    case 0: return sum_of_four(t, count);
    case 1: return t % 8 < count ? __ballot_sync(kFull, scramble(t) & 1) : 1;
    case 2: return t < count * 4 ? __shfl_xor_sync(kFull, scramble(t), 5) : 2;
    case 3: return t % 8 < count ? __any_sync(kFull, scramble(t) % 5 == 0) : 3;
    case 4: return t % 8 >= count ? __match_any_sync(kFull, scramble(t) % 4) : 4;
    default: return t % 8 < count ? __reduce_add_sync(kFull, scramble(t) & 0xff) : 5;
  }
}

// `early`: lanes that do not take part end at once, before the others come to the shuffle or after.
__global__ void collective_at_exit(unsigned* out, unsigned kind, unsigned count, bool early) {
  const unsigned t = threadIdx.x;
  out[t] = 0xdead;
  if (early && t % 4 >= count) return;
  out[t] = answer(kind, t, count);
}

int main() {
  for (unsigned kind = 0; kind < kKinds; ++kind)
    for (unsigned count = 1; count < 4; ++count)
      for (unsigned early = 0; early < 2; ++early) {
        DeviceArray<unsigned> out(32);
        collective_at_exit<<<1, 32>>>(out.data(), kind, count, early != 0);
        std::printf("%u %u %u:", kind, count, early);
        for (const unsigned value : out.host()) std::printf(" %x", value);
        std::printf("\n");
      }
}
