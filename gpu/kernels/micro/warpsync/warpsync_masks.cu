// Does a plain WARPSYNC part lanes that come to it together and name different masks? Each lane
// says who is active with it behind the instruction, and when. Build with -O3, for which nvcc 13
// makes the plain form of __syncwarp (cuobjdump -sass shows WARPSYNC and a register).
//   nvcc -std=c++17 -arch=sm_90 -cudart shared -O3 -o warpsync_masks warpsync_masks.cu
// On an H200 (driver 580.159.04, 2026-11-22) `together` and `some_late` print one set of 32 lanes
// for every size of tile: the plain form splits no group. A line for each launch: per set of lanes
// that were active together, the lanes and the order.
#include <cstdio>
#include <map>

struct Seen {
  unsigned active, clock;
};

__device__ unsigned active_lanes() {
  unsigned lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  return lanes;
}

// All lanes come together; lane l names the tile of `size` lanes it lies in.
__global__ void together(Seen* seen, unsigned size) {
  const unsigned first = threadIdx.x / size * size;
  const unsigned mask = size == 32 ? ~0u : ((1u << size) - 1) << first;
  __syncwarp(mask);
  seen[threadIdx.x] = {active_lanes(), static_cast<unsigned>(clock64())};
}

// Lanes at or above `late` come later than the others: tiles that lie across that line wait.
__global__ void some_late(Seen* seen, unsigned size, unsigned late) {
  const unsigned first = threadIdx.x / size * size;
  const unsigned mask = size == 32 ? ~0u : ((1u << size) - 1) << first;
  volatile unsigned* mine = &seen[threadIdx.x].clock;
  if (threadIdx.x >= late)
    for (int i = 0; i < 20; ++i) *mine = *mine * 3 + i;
  __syncwarp(mask);
  seen[threadIdx.x] = {active_lanes(), static_cast<unsigned>(clock64())};
}

// The same in two places, so that nothing brings the two parts together before.
__global__ void two_places(Seen* seen, unsigned size, unsigned late) {
  const unsigned first = threadIdx.x / size * size;
  const unsigned mask = size == 32 ? ~0u : ((1u << size) - 1) << first;
  volatile unsigned* mine = &seen[threadIdx.x].clock;
  if (threadIdx.x >= late) {
    *mine = 1;
    __syncwarp(mask);
    seen[threadIdx.x] = {active_lanes(), static_cast<unsigned>(clock64())};
    *mine = *mine + 1;
  } else {
    *mine = 2;
    __syncwarp(mask);
    seen[threadIdx.x] = {active_lanes(), static_cast<unsigned>(clock64())};
    *mine = *mine + 2;
  }
}

static void print(const char* name, unsigned size, unsigned late, const Seen* seen) {
  std::map<unsigned, unsigned> groups;  // by clock
  for (unsigned lane = 0; lane < 32; ++lane) groups[seen[lane].clock] |= 1u << lane;
  std::printf("%s tiles of %u, late from %u:", name, size, late);
  for (const auto& [clock, lanes] : groups) {
    unsigned active = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1) active |= seen[lane].active;
    std::printf(" %08x(active %08x)", lanes, active);
  }
  std::printf("\n");
}

int main() {
  Seen* seen;
  Seen host[32];
  cudaMalloc(&seen, sizeof host);
  for (const unsigned size : {32u, 16u, 8u, 2u, 1u})
    for (const unsigned late : {0u, 4u, 8u, 16u, 28u}) {
      const auto show = [&](const char* name) {
        cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost);
        print(name, size, late, host);
      };
      if (late == 0) {
        together<<<1, 32>>>(seen, size);
        show("together");
        continue;
      }
      some_late<<<1, 32>>>(seen, size, late);
      show("some_late");
      two_places<<<1, 32>>>(seen, size, late);
      show("two_places");
    }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
