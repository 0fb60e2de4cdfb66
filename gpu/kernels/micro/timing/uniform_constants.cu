// Constants at addresses in uniform registers (ULDC with one) and in registers (LDC), that lie one
// after another in memory: what a round over them takes, by how far they are apart, when all have
// been read before.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o uniform_constants uniform_constants.cu &&
//   ./uniform_constants
#include <array>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kWords = 8192;        // of 8 bytes: the whole bank
__constant__ double table[kWords];  // zeros

enum class By { uniform, registers, both };

// Each round reads `count` words `step` words apart, in an order in which each is far from the one
// before by `turn` places; then the rounds go on by `stride` words, over `span` of them, after
// `wait` sums that each need the one before.
template <By by, int count, int step, int turn>
__global__ void reads(int rounds, int stride, int span, int wait, unsigned none, long long* times,
                      double* out) {
  double sums[4] = {};
  for (int pass = 0; pass < 2; ++pass) {  // the first fills the caches
    __syncthreads();
    const long long begin = clock_now();
    int at = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      const unsigned lane_at = at + (threadIdx.x & none);
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int place = i * turn % count * step;
        if constexpr (by != By::registers) sums[i % 4] += table[at + place];
        if constexpr (by != By::uniform) sums[i % 4] += table[lane_at + 4096 + place];
      }
#pragma unroll 1
      for (int i = 0; i < wait; ++i) sums[0] += sums[1];
      at += stride;
      if (at >= span) at = 0;
    }
    times[2 * (threadIdx.x / 32) + pass] = clock_now() - begin;
  }
  out[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

template <By by, int count, int step, int turn = 1>
void ask(const std::string& name, int stride = 0, int span = 1, int wait = 0) {
  constexpr int kRounds = 64;
  Buffer<long long> times(64);
  Buffer<double> out(1024);
  for (const int warps : {1, 4, 8}) {
    std::vector<double> cycles;
    for (int repeat = 0; repeat < 3; ++repeat) {
      reads<by, count, step, turn>
          <<<1, 32 * warps>>>(kRounds, stride, span, wait, 0, times.data(), out.data());
      finish();
      const auto t = times.read();
      double mean = 0;
      for (int warp = 0; warp < warps; ++warp) mean += double(t[2 * warp + 1]) / warps;
      cycles.push_back(mean / kRounds);
    }
    print("reads." + name + ".n" + std::to_string(count) + ".apart" + std::to_string(8 * step) +
              ".turn" + std::to_string(turn) +
              (stride ? ".by" + std::to_string(8 * stride) + ".span" + std::to_string(8 * span)
                      : "") +
              (wait ? ".wait" + std::to_string(wait) : "") + ".w" + std::to_string(warps),
          cycles, "cycle");
  }
}

template <By by>
void ask_all(const std::string& name) {
  ask<by, 8, 1>(name);
  ask<by, 8, 2>(name);
  ask<by, 8, 4>(name);
  ask<by, 8, 8>(name);
  ask<by, 8, 16>(name);
  ask<by, 8, 32>(name);
  ask<by, 8, 64>(name);
  ask<by, 8, 1, 3>(name);
  ask<by, 8, 4, 3>(name);
  ask<by, 8, 8, 3>(name);
  ask<by, 16, 1>(name);
  ask<by, 16, 4>(name);
  ask<by, 16, 8>(name);
  ask<by, 16, 16>(name);
  ask<by, 32, 1>(name);
  ask<by, 32, 2>(name);
  ask<by, 32, 4>(name);
  ask<by, 32, 8>(name);
  // Eight words that move on: a line of 64 bytes a round, or a part of it.
  for (const int span : {16, 32, 64, 128, 256, 512, 1024, 2048}) ask<by, 8, 1>(name, 8, span);
  for (const int span : {16, 32, 64, 128, 256, 512}) ask<by, 1, 1>(name, 8, span);
  for (const int span : {64, 256, 512}) ask<by, 8, 1>(name, 7, span);
  ask<by, 24, 20>(name);
  ask<by, 24, 20>(name, 1, 20);
  // The same with time between, in which nothing is read.
  for (const int wait : {10, 20, 40, 80, 160}) {
    ask<by, 1, 1>(name, 0, 1, wait);
    ask<by, 8, 8>(name, 0, 1, wait);
    ask<by, 8, 1>(name, 8, 64, wait);
  }
}

}  // namespace

int main() {
  print_header("uniform_constants");
  ask_all<By::uniform>("uniform");
  ask_all<By::registers>("registers");
  ask_all<By::both>("both");
}
