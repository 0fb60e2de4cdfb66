// Shuffles, votes, matches and reductions by some of a warp's lanes, inside branches and loops
// whose lanes differ.
#include "../common/device_array.h"

constexpr int kResults = 8;

__global__ void partial_masks(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x % 32, value = in[threadIdx.x];
  unsigned* mine = out + threadIdx.x * kResults;
  if (lane < 20) {
    constexpr unsigned kLow = (1u << 20) - 1;
    mine[0] = __shfl_sync(kLow, value, int(value % 20));
    if (lane % 2) {
      mine[1] = __shfl_xor_sync(0xaaaaau, value, 2);
      mine[2] = __ballot_sync(0xaaaaau, value % 3 == 0);
    } else {
      mine[1] = __shfl_down_sync(0x55555u, value, 4, 8);
      mine[2] = unsigned(__any_sync(0x55555u, value % 64 == 1)) +
                2 * unsigned(__all_sync(0x55555u, value > 5));
    }
    mine[3] = __match_any_sync(kLow, value % 4);
  } else {
    int same = 0;
    mine[0] = __match_all_sync(0xfff00000u, value / 0x80000000u, &same) + unsigned(same);
    mine[1] = __shfl_up_sync(0xfff00000u, value, 3);
    mine[2] = __activemask();
  }
  __syncwarp();
#if __CUDA_ARCH__ >= 800
  mine[4] = __reduce_add_sync(~0u, value);
  mine[5] = lane < 8 ? __reduce_max_sync(0xffu, value) : __reduce_xor_sync(0xffffff00u, value);
  mine[6] = unsigned(__reduce_min_sync(~0u, int(value)));
#endif
  // Lanes leave the loop one after another; those left vote.
  unsigned voters = ~0u, turns = value % 6, seen = 0;
  for (unsigned i = 0;; ++i) {
    voters = __ballot_sync(voters, i < turns);
    if (i >= turns) break;
    seen = seen * 7 + unsigned(__popc(voters));
  }
  mine[7] = seen;
}

int main() {
  const unsigned threads = 64;
  std::vector<unsigned> in(threads);
  for (unsigned i = 0; i < threads; ++i) in[i] = scramble(i);
  DeviceArray<unsigned> d_in(in), out(threads * kResults);
  partial_masks<<<1, threads>>>(d_in.data(), out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    const unsigned first = i / 32 * 32, lane = i % 32, *got = &values[i * kResults];
    const unsigned* warp = &in[first];
    unsigned seen = 0, odd = 0, same = 0;
    for (unsigned turn = 0; turn < in[i] % 6; ++turn) {
      unsigned left = 0;
      for (unsigned j = 0; j < 32; ++j) left += turn < warp[j] % 6;
      seen = seen * 7 + left;
    }
    for (unsigned j = 0; j < 20; ++j) {
      odd |= unsigned(j % 2 && warp[j] % 3 == 0) << j;
      same |= unsigned(warp[j] % 4 == in[i] % 4) << j;
    }
    verdict.expect(got[7] == seen, "votes in a loop");
    if (lane >= 20) {
      verdict.expect(got[1] == (lane < 23 ? got[1] : warp[lane - 3]), "shfl_up");
      continue;
    }
    verdict.expect(got[0] == warp[in[i] % 20], "shfl");
    verdict.expect(got[3] == same, "match_any");
    if (lane % 2) verdict.expect(got[1] == warp[lane ^ 2] || (lane ^ 2) >= 20, "shfl_xor");
    if (lane % 2) verdict.expect(got[2] == odd, "ballot");
  }
  return verdict.finish();
}
