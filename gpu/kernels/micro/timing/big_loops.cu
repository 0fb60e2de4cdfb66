// Loops whose code is larger than the SM's instruction cache, by several warps: whether one finds
// what another one has brought. Each warp begins some cycles behind the one before.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o big_loops big_loops.cu && ./big_loops
//
// NAME.warpN: cycles an instruction of the warp, of all rounds but the first; NAME.behind: how many
// cycles behind the first warp the last one begins its last round.
#include "probe.h"

namespace {

using namespace timing;

constexpr int kRounds = 12, kReadings = kRounds + 1;

struct Shape {
  int warps, apart;  // every how many warps of the block one takes part
  int delay;         // cycles
  bool slow;         // each instruction reads what the one before has computed
};

template <int count>
__global__ void __launch_bounds__(1024) loop(Shape shape, long long* times, float* sink) {
  const int warp = threadIdx.x / 32;
  float a = threadIdx.x, b = 1, c = 2, d = 3;
  __syncthreads();
  if (warp % shape.apart != 0) return;
  const int mine = warp / shape.apart;
  const long long begin = clock_now();
  while (clock_now() - begin < 1ll * mine * shape.delay) {
  }
  long long* const out = times + (blockIdx.x * shape.warps + mine) * kReadings;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x % 32 == 0) out[round] = clock_now();
#pragma unroll
    for (int i = 0; i < count; i += 4) {
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(b));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(c));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(d));
    }
  }
  if (threadIdx.x % 32 == 0) out[kRounds] = clock_now();
  sink[threadIdx.x] = a + b + c + d;
}
template <int count>
__global__ void __launch_bounds__(1024) chain(Shape shape, long long* times, float* sink) {
  const int warp = threadIdx.x / 32;
  float a = threadIdx.x, b = 1;
  __syncthreads();
  if (warp % shape.apart != 0) return;
  const int mine = warp / shape.apart;
  const long long begin = clock_now();
  while (clock_now() - begin < 1ll * mine * shape.delay) {
  }
  long long* const out = times + (blockIdx.x * shape.warps + mine) * kReadings;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x % 32 == 0) out[round] = clock_now();
#pragma unroll
    for (int i = 0; i < count; i += 2) {
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(b));
    }
  }
  if (threadIdx.x % 32 == 0) out[kRounds] = clock_now();
  sink[threadIdx.x] = a + b;
}

template <int count>
void ask(const Shape& shape, int blocks) {
  const Buffer<long long> times(std::size_t(blocks) * shape.warps * kReadings);
  const Buffer<float> sink(1024);
  std::vector<std::vector<double>> paces(shape.warps);
  std::vector<double> behind;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto kernel = shape.slow ? chain<count> : loop<count>;
    kernel<<<blocks, 32 * shape.apart * shape.warps>>>(shape, times.data(), sink.data());
    finish();
    const auto t = times.read();
    for (int warp = 0; warp < shape.warps; ++warp) {
      const long long* const mine = t.data() + warp * kReadings;
      paces[warp].push_back(double(mine[kRounds] - mine[1]) / (kRounds - 1) / count);
    }
    behind.push_back(double(t[(shape.warps - 1) * kReadings + kRounds - 1] - t[kRounds - 1]));
  }
  const std::string name = std::string(shape.slow ? "chain" : "loop") + ".kib" +
                           std::to_string(count / 64) + ".w" + std::to_string(shape.warps) +
                           (shape.apart == 4 ? ".same" : "") + ".delay" +
                           std::to_string(shape.delay) + ".b" + std::to_string(blocks);
  for (int warp = 0; warp < shape.warps; ++warp)
    print(name + ".warp" + std::to_string(warp), paces[warp], "cycle/instruction");
  print(name + ".behind", behind, "cycle");
}

template <int count>
void ask_all() {
  ask<count>({1, 1, 0, false}, 1);
  ask<count>({1, 1, 0, true}, 1);
  for (const bool slow : {false, true})
    for (const int delay : {0, 100, 1000, count, 2 * count}) {
      ask<count>({2, 1, delay, slow}, 1);
      ask<count>({2, 4, delay, slow}, 1);
    }
  for (const int delay : {0, 500}) {
    ask<count>({4, 1, delay, false}, 1);
    ask<count>({8, 1, delay, false}, 1);
    ask<count>({4, 1, delay, true}, 1);
    ask<count>({16, 1, delay, true}, 1);
  }
  ask<count>({1, 1, 0, false}, 132);
  ask<count>({2, 1, 1000, false}, 132);
  ask<count>({2, 1, 1000, true}, 132);
}

}  // namespace

int main() {
  print_header("big_loops");
  ask_all<1920>();  // 30 KiB
  ask_all<2048>();
  ask_all<2176>();
  ask_all<2368>();
  ask_all<2560>();
  ask_all<3072>();
  ask_all<4096>();
  ask_all<6144>();
  ask_all<8192>();
}
