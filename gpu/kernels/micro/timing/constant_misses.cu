// LDC whose lanes name several lines that the SM's cache of constants does not hold: how long one
// takes by the number of lines, by how they lie in the cache's sets, and beside other warps.
// Answers with by8 are of two LDCs side by side, of neighbouring words.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o constant_misses constant_misses.cu && ./constant_misses
#include "probe.h"

namespace {

using namespace timing;

constexpr unsigned kBytes = 32768;
__constant__ unsigned table[kBytes / 4];  // zeros

template <int width>
__device__ __forceinline__ unsigned load(unsigned offset) {
  const unsigned long long at = __cvta_generic_to_constant(table) + offset;
  unsigned value, upper = 0;
  if constexpr (width == 4) asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(at));
  if constexpr (width == 8)
    asm volatile("ld.const.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(upper) : "l"(at));
  return value + upper;
}

// A chain of loads. Each moves on by `stride` bytes within `span`; lane i reads at places[i] from
// there.
template <int width>
__global__ void chain(const unsigned* places, unsigned stride, unsigned span, int count,
                      long long* times, unsigned* out) {
  const unsigned place = places[threadIdx.x % 32];
  unsigned at = place, base = 0;
  long long begin = 0;
  for (int round = 0; round < 2; ++round) {  // the first brings the table to the GPC
    __syncthreads();
    begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      at = load<width>(at) + place + base;
      base = base + stride < span ? base + stride : 0;
    }
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) leave_times(times, begin, end);
  out[threadIdx.x] += at;
}

template <int width>
double cycles(const std::vector<unsigned>& offsets, unsigned stride, unsigned span, int warps,
              int count) {
  Buffer<unsigned> places(32), out(1024);
  Buffer<long long> times(64);
  places.write(offsets);
  chain<width><<<1, 32 * warps>>>(places.data(), stride, span, count, times.data(), out.data());
  finish();
  return first_to_last(times.read(), warps);
}

// Cycles of a round of the chain: lanes name n places `apart` bytes apart.
template <int width>
void ask(const std::string& name, int n, unsigned apart, unsigned stride, unsigned span,
         int warps) {
  constexpr int kFew = 256, kMany = 768;
  std::vector<unsigned> offsets;
  for (int lane = 0; lane < 32; ++lane) offsets.push_back(unsigned(lane % n) * apart);
  std::vector<double> slopes;
  for (int repeat = 0; repeat < 3; ++repeat)
    slopes.push_back((cycles<width>(offsets, stride, span, warps, kMany) -
                      cycles<width>(offsets, stride, span, warps, kFew)) /
                     double(kMany - kFew));
  print("misses." + name + ".n" + std::to_string(n) + ".by" + std::to_string(width) + ".w" +
            std::to_string(warps),
        slopes, "cycle");
}

template <int width>
void ask_all() {
  for (const int warps : {1, 4, 16})
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32}) {
      ask<width>("near", n, width, 0, 0, warps);       // one line or few, always the same
      ask<width>("line", n, 64, 0, 0, warps);          // a line each, which the sets hold
      ask<width>("set", n, 512, 0, 0, warps);          // all of one set: more than 4 miss
      ask<width>("fill", n, 256, 0, 0, warps);         // of two sets, each of another 256 bytes
      ask<width>("new", n, 64, 64 * n, 16384, warps);  // lines that were not read for long
      if (n <= 16) ask<width>("one", n, width, 256, 16384, warps);  // n places of one such line
    }
}

}  // namespace

int main() {
  print_header("constant_misses");
  ask_all<4>();
  ask_all<8>();
}
