// What waits behind an LDC whose line the SM's cache of constants lacks: other LDCs and LDS, of its
// warp and of others. For gpu/cupti/measure.sh (mode timing); stdout is the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o missing_constants missing_constants.cu
//   gpu/cupti/measure.sh -m timing -o missing_constants.json -- ./missing_constants
#include <cstdio>

#include "probe.h"

namespace {

using namespace timing;

constexpr unsigned kTableBytes = 32768, kLineOfConstants = 64, kOwnBytes = 1024, kTimes = 64,
                   kMore = 20;
__constant__ unsigned table[kTableBytes / 4];  // zeros
__constant__ unsigned known[16];

// Who loads a line that is missing: nobody, all warps the same ones, each its own, the first warp.
enum Miss { kNone, kSame, kOwn, kOne, kMisses };
constexpr const char* kNames[] = {"none", "miss", "own", "one"};

__device__ __forceinline__ unsigned load(const unsigned* from, unsigned offset) {
  unsigned value;
  asm volatile("ld.const.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_constant(from) + offset));
  return value;
}

// kTimes times: an LDC that misses, others or LDS that do not, and what waits for all.
template <Miss miss, int hits, int shared>
__global__ void behind(unsigned* zeros) {
  __shared__ unsigned room[1024];
  room[threadIdx.x] = 0;
  const unsigned zero = zeros[threadIdx.x];
  const unsigned warp = threadIdx.x / 32;
  unsigned at = zero, sum = 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned i = 0; i < kTimes; ++i) {
    unsigned missed = 0, hit[hits + 1] = {}, read[shared + 1] = {};
    const unsigned offset = miss == kOwn ? warp * kOwnBytes + at % kOwnBytes : at % kTableBytes;
    if constexpr (miss == kOne) {
      if (warp == 0) missed = load(table, offset);
    } else if constexpr (miss != kNone) {
      missed = load(table, offset);
    }
#pragma unroll
    for (int j = 0; j < hits; ++j) hit[j] = load(known, 4 * j + (at >> kMore));
#pragma unroll
    for (int j = 0; j < shared; ++j)
      read[j] = static_cast<volatile unsigned*>(room)[threadIdx.x ^ j];
    sum += missed;
    for (const unsigned each : hit) sum += each;
    for (const unsigned each : read) sum += each;
    at += kLineOfConstants + sum;
  }
  if (sum != 0) zeros[threadIdx.x] = sum;
}

template <Miss miss, int hits, int shared>
void launch(unsigned* zeros) {
  struct {
    int blocks, threads;
  } constexpr kShapes[] = {{1, 32}, {132, 256}, {132, 1024}};
  for (const auto& shape : kShapes) {
    behind<miss, hits, shared><<<shape.blocks, shape.threads>>>(zeros);
    CUDA(cudaDeviceSynchronize());
    std::printf("missing.%s.ldc%d.lds%d.b%d.t%d\n", kNames[miss], hits, shared, shape.blocks,
                shape.threads);
  }
}

template <Miss miss>
void ask(unsigned* zeros) {
  launch<miss, 0, 0>(zeros);
  launch<miss, 1, 0>(zeros);
  launch<miss, 4, 0>(zeros);
  launch<miss, 8, 0>(zeros);
  launch<miss, 0, 8>(zeros);
}

}  // namespace

int main() {
  Buffer<unsigned> zeros(1024);
  CUDA(cudaMemset(zeros.data(), 0, 4096));
  ask<kNone>(zeros.data());
  ask<kSame>(zeros.data());
  ask<kOwn>(zeros.data());
  ask<kOne>(zeros.data());
}
