// Which executions does the hardware's counter add where groups meet at WARPSYNC.COLLECTIVE, and
// where a YIELD releases groups that wait at BSYNC? Groups of chosen sizes arrive one after another.
// The counters are to be read without SASS patches, which change what happens there:
//   nvcc -std=c++17 -arch=sm_90 -cudart shared -G -o collective_counts collective_counts.cu  (and
//   -O3) ncu --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum ./collective_counts
// What an H200 counted, and what follows: gpu/cupti/README.md.
#include <cstdio>

__device__ int sink[32];

struct Plan {
  unsigned char group[32];  // of each lane
};

// Group g makes g + 1 turns of a loop first; in -G builds each turn begins with a YIELD.
__global__ void at_syncwarp(Plan plan) {
  volatile int* mine = sink + threadIdx.x;
  for (int turn = 0; turn <= plan.group[threadIdx.x]; ++turn) *mine = *mine + turn;
  __syncwarp();
  *mine = *mine + 1;
}

__global__ void at_shuffle(Plan plan) {
  volatile int* mine = sink + threadIdx.x;
  for (int turn = 0; turn <= plan.group[threadIdx.x]; ++turn) *mine = *mine + turn;
  *mine = __shfl_xor_sync(0xffffffffu, *mine, 1);
}

// Each group comes from a place of its own; nothing yields.
__global__ void at_two(Plan plan) {
  volatile int* mine = sink + threadIdx.x;
  const int group = plan.group[threadIdx.x];
  if (group == 0) {
    *mine = 1;
    __syncwarp();
    *mine = 2;
  } else if (group == 1) {
    *mine = 3;
    __syncwarp();
    *mine = 4;
    *mine = 5;
  } else if (group == 2) {
    *mine = 3;
    __syncwarp();
    *mine = 4;
    *mine = 6;
  } else {
    *mine = 6;
    __syncwarp();
    *mine = 7;
    *mine = 8;
    *mine = 9;
  }
  *mine = 10;
}

// Functions that branch save the barrier of their caller; in -G builds they begin with a YIELD.
__device__ __noinline__ int leaf(int x) {
  volatile int* mine = sink + threadIdx.x;
  if (x & 1) {
    *mine = x * 3;
    x += *mine;
  }
  return x;
}
__device__ __noinline__ int outer(int x) {
  volatile int* mine = sink + threadIdx.x;
  if (x & 2) {
    *mine = x;
    x += leaf(x) + *mine;
  } else {
    *mine = 5;
  }
  return x + 1;
}
__global__ void restored(Plan plan) {
  volatile int* mine = sink + threadIdx.x;
  const int k = plan.group[threadIdx.x] * 3;
  if (k) {
    *mine = outer(k);
    if (k & 4) *mine = leaf(k);
  } else {
    *mine = 2;
  }
  *mine = 10;
}

int main() {
  const int sizes[][4] = {{32, 0, 0, 0}, {16, 16, 0, 0}, {1, 31, 0, 0},   {31, 1, 0, 0},
                          {8, 24, 0, 0}, {24, 8, 0, 0},  {11, 11, 10, 0}, {1, 2, 29, 0},
                          {29, 2, 1, 0}, {4, 12, 16, 0}, {16, 4, 12, 0},  {8, 8, 8, 8},
                          {1, 2, 4, 25}, {25, 4, 2, 1},  {3, 5, 7, 17},   {17, 3, 5, 7}};
  for (const auto kernel : {at_syncwarp, at_shuffle, at_two, restored})
    for (const auto& of_group : sizes) {
      Plan plan{};
      int lane = 0;
      for (unsigned char group = 0; group < 4; ++group)
        for (int i = 0; i < of_group[group]; ++i) plan.group[lane++] = group;
      kernel<<<1, 32>>>(plan);
    }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
