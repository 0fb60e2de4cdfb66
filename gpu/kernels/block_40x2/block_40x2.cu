// A block of 40 x 2 threads: 80 threads, which the hardware runs as three warps, the last one half
// empty. Every thread says where it found itself.
#include "../common/common.h"

struct Place {
  unsigned thread;     // its number in the block, x fastest
  unsigned warp;       // that number / 32
  unsigned lane;       // as the hardware says
  unsigned companions; // threads in its warp
};

__global__ void where(Place *places) {
  unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  places[thread] = {thread, thread / warpSize, lane, (unsigned)__popc(__ballot_sync(0xffffffffu, 1))};
}

int main() {
  const dim3 block(40, 2);
  const unsigned threads = block.x * block.y;
  Place *d_places;
  Place places[80];
  CHECK(cudaMalloc(&d_places, sizeof places));
  CHECK(cudaMemset(d_places, 0xff, sizeof places));
  where<<<1, block>>>(d_places);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(places, d_places, sizeof places, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_places));

  Verdict verdict;
  unsigned warps = 0;
  for (unsigned i = 0; i < threads; ++i) {
    const Place &place = places[i];
    if (place.lane == 0) {
      printf("warp %u: %u threads\n", place.warp, place.companions);
      ++warps;
    }
    verdict.expect(place.thread == i && place.warp == i / 32 && place.lane == i % 32, "place");
    verdict.expect(place.companions == (i < 64 ? 32 : 16), "threads in the warp");
  }
  verdict.expect(warps == 3, "three warps");
  return verdict.finish();
}
