// One atomic for all lanes that want the same counter: found by __match_any_sync, by cooperative
// groups, and by a ballot in divergent code.
#include <cooperative_groups.h>

#include "../common/device_array.h"

namespace cg = cooperative_groups;
constexpr unsigned kBins = 5;

// Each lane learns a place of its own in its bin. Which, depends on the order of the warps.
__global__ void by_match(unsigned* bins, unsigned* places) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned bin = scramble(thread) % kBins;
  const unsigned peers = __match_any_sync(~0u, bin);
  const int leader = __ffs(peers) - 1;
  unsigned first = 0;
  if (lane == unsigned(leader)) first = atomicAdd(&bins[bin], __popc(peers));
  first = __shfl_sync(peers, first, leader);
  places[thread] = bin << 16 | (first + __popc(peers & ((1u << lane) - 1)));
}

__global__ void by_group(unsigned* counter, unsigned* places) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  places[thread] = ~0u;
  if (scramble(thread) % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    unsigned first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    places[thread] = group.shfl(first, 0) + group.thread_rank();
  }
}

__global__ void by_ballot(unsigned* counter) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const bool wanted = scramble(thread) % 7 < 2;
  const unsigned voters = __ballot_sync(~0u, wanted);
  if (threadIdx.x % 32 == 0) atomicAdd(counter, __popc(voters));
}

int main() {
  const unsigned threads = 128;
  DeviceArray<unsigned> bins(kBins), places(threads), counters(2), group_places(threads);
  by_match<<<1, threads>>>(bins.data(), places.data());
  by_group<<<1, threads>>>(counters.data(), group_places.data());
  by_ballot<<<1, threads>>>(counters.data() + 1);
  unsigned expected_bins[kBins] = {}, thirds = 0, votes = 0;
  for (unsigned i = 0; i < threads; ++i) {
    ++expected_bins[scramble(i) % kBins];
    thirds += scramble(i) % 3 == 0;
    votes += scramble(i) % 7 < 2;
  }
  Verdict verdict;
  const auto counts = bins.host(), at = places.host(), sums = counters.host(),
             group_at = group_places.host();
  for (unsigned i = 0; i < kBins; ++i) verdict.expect(counts[i] == expected_bins[i], "by_match");
  std::vector<bool> seen(kBins << 16), group_seen(threads);
  for (unsigned i = 0; i < threads; ++i) {
    verdict.expect(at[i] >> 16 == scramble(i) % kBins && !seen[at[i]] &&
                       (at[i] & 0xffff) < expected_bins[at[i] >> 16],
                   "by_match's places");
    seen[at[i]] = true;
    if (scramble(i) % 3 != 0) continue;
    if (verdict.expect(group_at[i] < thirds && !group_seen[group_at[i]], "by_group's places"))
      group_seen[group_at[i]] = true;
  }
  verdict.expect(sums[0] == thirds, "by_group");
  verdict.expect(sums[1] == votes, "by_ballot");
  return verdict.finish();
}
