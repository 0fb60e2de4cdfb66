// Blocks of more instructions than their turns (simulator/run/run_blocks.hpp), which keep what they
// have in shared memory. `racing`: what is in `cell` depends on how they take turns.
extern "C" __global__ void long_blocks(unsigned* out, unsigned* cell, int trips, int racing) {
  __shared__ unsigned mine[64];
  mine[threadIdx.x] = threadIdx.x + blockIdx.x;
  if (racing && threadIdx.x == 0) cell[0] = cell[0] * 3 + blockIdx.x;
  unsigned value = threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < trips; ++t) value = value * 5 + (value >> 3) + t;
  __syncthreads();
  if (racing && threadIdx.x == 0) cell[0] = cell[0] * 3 + blockIdx.x;
  out[blockIdx.x * 64 + threadIdx.x] = value + mine[(threadIdx.x + 1) % 64];
}
