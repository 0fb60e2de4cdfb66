// Constants at addresses that differ from lane to lane (LDC with a register): how long one takes,
// and how often they follow one another, by how many words, bytes and lines the lanes name.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o lane_constants lane_constants.cu && ./lane_constants
#include "probe.h"

namespace {

using namespace timing;

constexpr int kBytes = 4096;
__constant__ unsigned table[kBytes / 4];  // zeros

template <int width>
__device__ __forceinline__ unsigned load(unsigned offset) {
  const unsigned long long at = __cvta_generic_to_constant(table) + offset;
  unsigned value = 0;
  if constexpr (width == 1) asm volatile("ld.const.u8 %0, [%1];" : "=r"(value) : "l"(at));
  if constexpr (width == 4) asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(at));
  if constexpr (width == 8) {
    unsigned upper;
    asm volatile("ld.const.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(upper) : "l"(at));
    value += upper;
  }
  return value;
}

// `places`: of the 32 lanes, their offsets. A chain of loads, or four side by side.
template <int width, int beside>
__global__ void loads(const unsigned* places, int count, long long* times, unsigned* out) {
  unsigned at[beside], place = places[threadIdx.x % 32];
  for (unsigned& each : at) each = place;
  long long begin = 0;
  for (int round = 0; round < 2; ++round) {  // the first fills the caches
    __syncthreads();
    begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < count; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (unsigned& each : at) each = load<width>(each) + place;
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) leave_times(times, begin, end);
  for (const unsigned each : at) out[threadIdx.x] += each;
}

template <int width, int beside>
double cycles(const std::vector<unsigned>& offsets, int warps, int count) {
  Buffer<unsigned> places(32), out(1024);
  Buffer<long long> times(64);
  places.write(offsets);
  loads<width, beside><<<1, 32 * warps>>>(places.data(), count, times.data(), out.data());
  finish();
  return first_to_last(times.read(), warps);
}

// Of one load: in a chain of one warp, and of many warps side by side on an SM.
template <int width>
void ask(const std::string& name, const std::vector<unsigned>& offsets) {
  constexpr int kFew = 4, kMany = 12, kEach = 4;
  std::vector<double> chain, stream[3];
  constexpr int kWarps[] = {1, 4, 16};
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto slope = [&](auto measured) {
      return (measured(kMany) - measured(kFew)) / double((kMany - kFew) * kEach);
    };
    chain.push_back(slope([&](int n) { return cycles<width, 1>(offsets, 1, n); }));
    for (int i = 0; i < 3; ++i)
      stream[i].push_back(slope([&](int n) { return cycles<width, 4>(offsets, kWarps[i], n); }) /
                          (4 * kWarps[i]));
  }
  print("lanes." + name + ".chain", chain, "cycle");
  for (int i = 0; i < 3; ++i)
    print("lanes." + name + ".w" + std::to_string(kWarps[i]), stream[i], "cycle");
}

// Lane i names place i mod n, `step` bytes apart.
std::vector<unsigned> apart(int n, int step) {
  std::vector<unsigned> offsets;
  for (int lane = 0; lane < 32; ++lane) offsets.push_back(unsigned(lane % n * step));
  return offsets;
}

}  // namespace

int main() {
  print_header("lane_constants");
  for (const int n : {1, 2, 3, 4, 6, 8, 16, 24, 32}) {
    const std::string count = "n" + std::to_string(n);
    ask<4>("words." + count, apart(n, 4));
    ask<1>("bytes." + count, apart(n, 1));
  }
  for (const int n : {2, 8, 16, 32}) {
    const std::string count = "n" + std::to_string(n);
    ask<4>("step8." + count, apart(n, 8));
    ask<4>("step16." + count, apart(n, 16));
    ask<4>("step64." + count, apart(n, 64));
    ask<8>("pairs." + count, apart(n, 8));
    ask<1>("bytes.step4." + count, apart(n, 4));
  }
  // Neighbouring lanes name the same place, instead of lanes far from one another.
  for (const int n : {2, 8, 16}) {
    std::vector<unsigned> offsets;
    for (int lane = 0; lane < 32; ++lane) offsets.push_back(unsigned(lane / (32 / n) * 4));
    ask<4>("runs.n" + std::to_string(n), offsets);
  }
}
