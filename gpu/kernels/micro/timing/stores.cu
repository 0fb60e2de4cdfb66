// What L1 makes of stores before they leave for L2: whether stores to the same sectors become one,
// how long after, and what of local memory leaves the SM; atomics of every type that many meet on.
// For gpu/cupti/measure.sh -m timing, whose counters are the answers; stdout is the launches'
// names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o stores stores.cu
//   gpu/cupti/measure.sh -m timing -o stores.json -- ./stores
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "probe.h"

namespace {

using namespace timing;

__device__ __forceinline__ void pause_for(int cycles) {
  if (cycles == 0) return;
  const long long begin = clock_now();
  while (clock_now() - begin < cycles) {
  }
}

// Each thread stores `times` words, `gap` cycles apart, `stride` words from one another, from
// `spread` words times its number on.
__global__ void words(unsigned* to, int times, int stride, int spread, int gap) {
  unsigned* at = to + (blockIdx.x * blockDim.x + threadIdx.x) * spread;
#pragma unroll 1
  for (int i = 0; i < times; ++i) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at + i * stride), "r"(i) : "memory");
    pause_for(gap);
  }
}

// The same, after a load of each word.
__global__ void updates(unsigned* to, int times, int stride, int spread, int gap) {
  unsigned* at = to + (blockIdx.x * blockDim.x + threadIdx.x) * spread;
#pragma unroll 1
  for (int i = 0; i < times; ++i) {
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at + i * stride) : "memory");
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at + i * stride), "r"(v + 1) : "memory");
    pause_for(gap);
  }
}

// An array of each thread, written in rounds and read once.
template <int kWords>
__global__ void local_array(unsigned* to, int rounds, int step) {
  unsigned all[kWords];
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r)
#pragma unroll 1
    for (int i = 0; i < kWords; ++i) all[(i * step) % kWords] = i + r;
#pragma unroll 1
  for (int i = 0; i < kWords; ++i) sum += all[(i * step) % kWords];
  to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T>
__global__ void adds(T* to, int times, int words) {
  T* at = to + (blockIdx.x * blockDim.x + threadIdx.x) % words;
#pragma unroll 1
  for (int i = 0; i < times; ++i) atomicAdd(at, T());
}

// The same, and the sum of what was there before.
template <class T>
__global__ void answered_adds(T* to, T* sums, int times, int words) {
  T* at = to + (blockIdx.x * blockDim.x + threadIdx.x) % words;
  T sum = T();
#pragma unroll 1
  for (int i = 0; i < times; ++i) sum += atomicAdd(at, T());
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void name(const std::string& what) { std::printf("%s\n", what.c_str()); }
std::string n(int value) { return std::to_string(value); }

}  // namespace

int main() {
  const Buffer<unsigned> memory(1 << 22), others(1 << 17);
  const auto each = [&](const char* what, auto kernel) {
    for (const int threads : {32, 1024}) {
      // Words that make up whole sectors, and such as never do.
      for (const int gap : {0, 25, 50, 100, 200, 400, 800, 1600}) {
        kernel<<<1, threads>>>(memory.data(), 4, 1, 4, gap);
        name(std::string(what) + ".quads.t" + n(threads) + ".gap" + n(gap));
      }
      for (const int gap : {0, 100, 400}) {
        kernel<<<1, threads>>>(memory.data(), 4, 0, 1, gap);
        name(std::string(what) + ".same.t" + n(threads) + ".gap" + n(gap));
        kernel<<<1, threads>>>(memory.data(), 2, 1, 16, gap);
        name(std::string(what) + ".parts.t" + n(threads) + ".gap" + n(gap));
      }
    }
    kernel<<<132, 1024>>>(memory.data(), 4, 1, 4, 0);
    name(std::string(what) + ".quads.b132.t1024");
    kernel<<<132, 1024>>>(memory.data(), 3, 1, 3, 0);
    name(std::string(what) + ".triples.b132.t1024");
    kernel<<<132, 1024>>>(memory.data(), 8, 132 * 1024, 1, 0);
    name(std::string(what) + ".rows.b132.t1024");
    kernel<<<1, 1024>>>(memory.data(), 8, 1024, 1, 0);
    name(std::string(what) + ".rows.b1.t1024");
  };
  each("words", words);
  each("updates", updates);
  for (const int rounds : {1, 4})
    for (const int threads : {32, 1024}) {
      local_array<16><<<1, threads>>>(memory.data(), rounds, 1);
      name("local.w16.rounds" + n(rounds) + ".t" + n(threads));
      local_array<128><<<1, threads>>>(memory.data(), rounds, 1);
      name("local.w128.rounds" + n(rounds) + ".t" + n(threads));
      local_array<512><<<1, threads>>>(memory.data(), rounds, 1);
      name("local.w512.rounds" + n(rounds) + ".t" + n(threads));
    }
  for (const int words : {1, 256, 4096}) {
    const auto meet = [&](const char* what, auto* to) {
      for (const int blocks : {1, 132}) {
        adds<<<blocks, 256>>>(to, 4, words);
        name(std::string("adds.") + what + ".words" + n(words) + ".b" + n(blocks));
      }
    };
    meet("u32", memory.data());
    meet("f32", reinterpret_cast<float*>(memory.data()));
    meet("f64", reinterpret_cast<double*>(memory.data()));
    meet("u64", reinterpret_cast<unsigned long long*>(memory.data()));
    meet("f16x2", reinterpret_cast<__half2*>(memory.data()));
    meet("bf16x2", reinterpret_cast<__nv_bfloat162*>(memory.data()));
  }
  // Longer, so that what lies before and behind is told apart.
  for (const int words : {1, 32, 256, 4096}) {
    const auto meet = [&](const char* what, auto* to, auto* sums) {
      for (const int times : {4, 20}) {
        adds<<<132, 256>>>(to, times, words);
        name(std::string("adds.") + what + ".words" + n(words) + ".times" + n(times));
        answered_adds<<<132, 256>>>(to, sums, times, words);
        name(std::string("answered.") + what + ".words" + n(words) + ".times" + n(times));
      }
    };
    unsigned *to = memory.data(), *sums = others.data();
    using Wide = unsigned long long;
    meet("u32", to, sums);
    meet("u64", reinterpret_cast<Wide*>(to), reinterpret_cast<Wide*>(sums));
    meet("f32", reinterpret_cast<float*>(to), reinterpret_cast<float*>(sums));
    meet("f64", reinterpret_cast<double*>(to), reinterpret_cast<double*>(sums));
    meet("f16x2", reinterpret_cast<__half2*>(to), reinterpret_cast<__half2*>(sums));
  }
  finish();
}
