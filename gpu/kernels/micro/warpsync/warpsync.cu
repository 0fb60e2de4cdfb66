// How often does the hardware count a WARPSYNC that diverged groups of a warp reach one after
// another? The counter smsp__inst_executed and the SASS count differ there (README.md, "WARPSYNC").
// Each kernel brings a known number of groups to one; set the two counts of its launch side by
// side. Build with -G and with -O3.
#include <cstdio>

__device__ int sink[1024];

// The lanes arrive in `groups` groups: lane % groups picks the number of turns in a loop.
__global__ void groups_at_syncwarp(int groups) {
  volatile int* mine = sink + threadIdx.x;
  for (int turn = 0; turn <= static_cast<int>(threadIdx.x) % groups; ++turn) *mine = *mine + turn;
  __syncwarp();
  *mine = *mine + 1;
}

__global__ void groups_at_syncthreads(int groups) {
  volatile int* mine = sink + threadIdx.x;
  for (int turn = 0; turn <= static_cast<int>(threadIdx.x) % groups; ++turn) *mine = *mine + turn;
  __syncthreads();
  *mine = *mine + 1;
}

// One branch without a loop: the body is entered by lanes below `lanes`.
__global__ void branch_at_syncthreads(int lanes) {
  volatile int* mine = sink + threadIdx.x;
  if (static_cast<int>(threadIdx.x) % 32 < lanes) {
    *mine = *mine + 1;
    *mine = *mine * 3;
    *mine = *mine + 5;
    *mine = *mine * 7;
  }
  __syncthreads();
  *mine = *mine + 1;
}

// Lanes 0-15 synchronise twice, the others once later: a mask that is not the whole warp.
__global__ void half_masks() {
  volatile int* mine = sink + threadIdx.x;
  if (threadIdx.x % 32 < 16) {
    if (threadIdx.x % 2 == 0) *mine = *mine + 1;
    __syncwarp(0x0000ffff);
    *mine = *mine * 3;
  } else {
    *mine = *mine + 2;
    __syncwarp(0xffff0000);
  }
  __syncwarp();
  *mine = *mine + 1;
}

// Lanes at or above `stay` have left before the others synchronise.
__global__ void early_exit(int stay, int groups) {
  volatile int* mine = sink + threadIdx.x;
  if (static_cast<int>(threadIdx.x) % 32 >= stay) return;
  for (int turn = 0; turn <= static_cast<int>(threadIdx.x) % groups; ++turn) *mine = *mine + turn;
  __syncthreads();
  *mine = *mine + 1;
}

__global__ void divergent_shuffle(int groups) {
  volatile int* mine = sink + threadIdx.x;
  for (int turn = 0; turn <= static_cast<int>(threadIdx.x) % groups; ++turn) *mine = *mine + turn;
  *mine = __shfl_xor_sync(0xffffffffu, *mine, 1);
}

int main() {
  for (int groups = 1; groups <= 4; ++groups) groups_at_syncwarp<<<1, 32>>>(groups);
  for (int groups = 1; groups <= 4; ++groups) groups_at_syncthreads<<<1, 32>>>(groups);
  for (const int lanes : {0, 1, 16, 31, 32}) branch_at_syncthreads<<<1, 32>>>(lanes);
  branch_at_syncthreads<<<1, 64>>>(16);
  branch_at_syncthreads<<<1, 20>>>(16);
  half_masks<<<1, 32>>>();
  for (const int stay : {32, 24, 8}) early_exit<<<1, 32>>>(stay, 2);
  for (int groups = 1; groups <= 3; ++groups) divergent_shuffle<<<1, 32>>>(groups);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
