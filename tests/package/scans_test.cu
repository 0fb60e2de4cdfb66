// Catch2: prefix sums of a warp, with the same mistakes.
#define CATCH_CONFIG_MAIN  // Catch2 2, as Debian 12 has it
#include <catch2/catch.hpp>

__global__ void scan(int* values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  for (int distance = 1; distance < 64; distance *= 2) {
#ifndef PLANT_RACE
    __syncthreads();
#endif
    const int other = threadIdx.x >= distance ? tile[threadIdx.x - distance] : 0;
    __syncthreads();
    tile[threadIdx.x] += other;
  }
  values[threadIdx.x] = tile[threadIdx.x];
#ifdef PLANT_FAULT
  if (threadIdx.x == 5) values[1 << 28] = 1;
#endif
}

TEST_CASE("a scan adds up what is before") {
  int* values;
  REQUIRE(cudaMallocManaged(&values, 64 * sizeof *values) == cudaSuccess);
  for (int i = 0; i < 64; ++i) values[i] = 1;
  scan<<<1, 64>>>(values);
  cudaDeviceSynchronize();
#if !defined PLANT_FAULT && !defined PLANT_RACE
  for (int i = 0; i < 64; ++i) CHECK(values[i] == i + 1);
#endif
}
