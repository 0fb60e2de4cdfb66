// Every reduction of integers, of lanes that name one place, a few, places that lie 64 elements
// apart by turns, or one each. No result is used, so that blocks commute.
__device__ int place(int of, int lane) {
  switch (of) {
    case 0:
      return 0;
    case 1:
      return lane % 4;
    case 2:
      return lane % 2 * 64 + lane % 3;
    default:
      return lane;
  }
}

extern "C" __global__ void reductions(unsigned* words, unsigned long long* pairs) {
  constexpr int kRegion = 160;  // of one operation
  const int lane = threadIdx.x;
  const unsigned value = (lane + 1) * 2654435761u + blockIdx.x * 40503u;
  const unsigned long long wide = value * 0x9e3779b97f4a7c15ull;
  int* const signed_words = reinterpret_cast<int*>(words);
  long long* const signed_pairs = reinterpret_cast<long long*>(pairs);
#pragma unroll 1
  for (int of = 0; of < 4; ++of) {
    const int at = place(of, lane);
    atomicAdd(&words[at], value);
    atomicMax(&words[at + kRegion], value);
    atomicMin(&signed_words[at + 2 * kRegion], static_cast<int>(value));
    atomicMax(&signed_words[at + 3 * kRegion], static_cast<int>(value));
    atomicOr(&words[at + 4 * kRegion], value & 0x11111111u << (lane & 3));
    atomicXor(&words[at + 5 * kRegion], value);
    atomicAdd(&pairs[at], wide);
    atomicXor(&pairs[at + kRegion], wide);
    atomicMin(&signed_pairs[at + 2 * kRegion], static_cast<long long>(wide));
  }
}

// Of lanes in eight allocations, as far apart as `stride` words. `racing`: the last block also stores
// to a word that all reduce.
extern "C" __global__ void far_apart(unsigned* first, long stride, int racing) {
  unsigned* const own = first + threadIdx.x % 8 * stride;
  atomicAdd(&own[threadIdx.x / 8], threadIdx.x + 1);
  if (racing != 0 && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) own[0] = 7;
}
