// What waits behind additions without results whose way out of the SM is full: shuffles, shared
// memory, constants and loads that L1 has, of warps that add to common words of global
// memory again and again. For gpu/cupti/measure.sh (mode timing); stdout is the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o behind_adds behind_adds.cu
//   gpu/cupti/measure.sh -m timing -o behind_adds.json -- ./behind_adds
#include <cstdio>
#include <string>

#include "probe.h"

namespace {

using namespace timing;

enum Kind { kNone, kShuffle, kShared, kConstant, kLoad, kKinds };
constexpr const char* kNames[] = {"none", "shfl", "lds", "ldc", "ldg"};
constexpr int kTimes = 16, kMore = 20;  // bits of any word's number

__constant__ unsigned table[64];

// `adds` additions of the warp's lanes to 32 of `words` words, then what `kind` says, whose value
// is awaited; all that kTimes times.
template <int adds, Kind kind>
__global__ void behind(unsigned* to, const unsigned* from, int words) {
  __shared__ volatile unsigned room[32];
  room[threadIdx.x % 32] = 0;
  __syncthreads();
  unsigned at = (threadIdx.x + 32 * blockIdx.x) % words, value = 0;
  for (int i = 0; i < kTimes; ++i) {
#pragma unroll
    for (int j = 0; j < adds; ++j) {
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(to + at) : "memory");
      at = (at + 32) % words;
    }
    if constexpr (kind == kShuffle) value = __shfl_xor_sync(~0u, at, 1) >> kMore;
    if constexpr (kind == kShared) value = room[threadIdx.x % 32];
    if constexpr (kind == kConstant) {
      asm volatile("ld.const.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(__cvta_generic_to_constant(table) + 4ull * (at >> kMore)));
    }
    if constexpr (kind == kLoad)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from + threadIdx.x % 32));
    at += value;  // 0
  }
}

template <int adds, Kind kind>
void launch(unsigned* to, const unsigned* from) {
  for (const int words : {256, 65536})
    for (const int threads : {32, 256, 1024}) {
      behind<adds, kind><<<132, threads>>>(to, from, words);
      CUDA(cudaDeviceSynchronize());
      std::printf("behind.adds%d.%s.words%d.t%d\n", adds, kNames[kind], words, threads);
    }
}

template <int adds>
void ask(unsigned* to, const unsigned* from) {
  launch<adds, kNone>(to, from);
  launch<adds, kShuffle>(to, from);
  launch<adds, kShared>(to, from);
  launch<adds, kConstant>(to, from);
  launch<adds, kLoad>(to, from);
}

}  // namespace

int main() {
  Buffer<unsigned> to(1 << 17), from(1024);
  ask<1>(to.data(), from.data());
  ask<4>(to.data(), from.data());
}
