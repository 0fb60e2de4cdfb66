// Loads of 4, 8 and 16 bytes a lane by how many lanes take part, which, and whether they read the
// same: shared memory and L1.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o wide_lanes wide_lanes.cu && ./wide_lanes
#include "probe.h"

namespace {

using namespace timing;

// Loads of one round of the loop, each of its own 512 bytes; the next round's are in the other
// half, so that no load is made once for all.
constexpr int kEach = 8, kFew = 8, kMany = 24;
constexpr unsigned kStep = 512, kHalf = kEach * kStep;

template <int width>
__device__ __forceinline__ void load_shared(unsigned at, unsigned (&v)[4]) {
  if constexpr (width == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at));
  if constexpr (width == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at));
  if constexpr (width == 16)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(at));
}
template <int width>
__device__ __forceinline__ void load_global(const char* at, unsigned (&v)[4]) {
  if constexpr (width == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[0]) : "l"(at));
  if constexpr (width == 8)
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(at));
  if constexpr (width == 16)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(at));
}

// The lanes of `lanes` of every `every`-th warp load at `stride` times their number, `count` times
// `kEach` loads.
template <int width, bool shared>
__global__ void loads(const char* data, unsigned lanes, unsigned stride, unsigned every, int count,
                      long long* times, unsigned* out) {
  __shared__ __align__(128) char room[2 * kHalf];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x / 32 % every != 0) lanes = 0;
  const auto at = unsigned(__cvta_generic_to_shared(room)) + lane * stride;
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < 2 * kHalf; i += blockDim.x) room[i] = 0;
  long long begin = 0, end = 0;
  for (int round = 0; round < 2; ++round) {  // the first fills the caches
    __syncthreads();
    if ((lanes >> lane & 1) != 0) {
      begin = clock_now();
#pragma unroll 1
      for (int i = 0; i < count; ++i) {
        unsigned v[kEach][4] = {};
        const unsigned half = unsigned(i) % 2 * kHalf;
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
          if constexpr (shared) load_shared<width>(at + half + j * kStep, v[j]);
          if constexpr (!shared) load_global<width>(data + lane * stride + half + j * kStep, v[j]);
        }
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum += v[j][0] ^ v[j][1] ^ v[j][2] ^ v[j][3];
      }
      end = clock_now();
    }
  }
  if ((lanes >> lane & 1) != 0 && (lanes & ((1u << lane) - 1)) == 0) leave_times(times, begin, end);
  out[threadIdx.x] = sum;
}

template <int width, bool shared>
void ask(const char* which, unsigned lanes, unsigned stride) {
  const Buffer<char> data(2 * kHalf);
  const Buffer<unsigned> out(1024);
  // Every fourth warp: those of one sub-core.
  for (const auto& launch : {std::pair{1, 1}, {4, 1}, {16, 1}, {32, 4}}) {
    const int warps = launch.first, every = launch.second;
    std::vector<double> samples;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto cycles = [&](int count) {
        const Buffer<long long> times(64);
        loads<width, shared>
            <<<1, warps * 32>>>(data.data(), lanes, stride, every, count, times.data(), out.data());
        finish();
        return first_to_last(times.read(), warps, every);
      };
      samples.push_back((cycles(kMany) - cycles(kFew)) /
                        ((kMany - kFew) * kEach * (warps / every)));
    }
    print(std::string(shared ? "shared" : "l1") + ".load" + std::to_string(width * 8) + "." +
              which + (stride == 0 ? ".same" : ".apart") + ".w" + std::to_string(warps / every) +
              (every == 1 ? "" : ".one_sub_core"),
          samples, "cycle");
  }
}

template <int width>
void ask_all() {
  const struct {
    const char* name;
    unsigned lanes;
  } patterns[] = {{"all", ~0u},
                  {"first1", 0x1},
                  {"first4", 0xf},
                  {"first8", 0xff},
                  {"first16", 0xffff},
                  {"first24", 0xffffff},
                  {"every2nd", 0x55555555},
                  {"every4th", 0x11111111},
                  {"every8th", 0x01010101},
                  {"every16th", 0x00010001}};
  for (const auto& each : patterns)
    for (const unsigned stride : {0, width}) {
      ask<width, true>(each.name, each.lanes, stride);
      ask<width, false>(each.name, each.lanes, stride);
    }
}

}  // namespace

int main() {
  print_header("wide_lanes");
  ask_all<4>();
  ask_all<8>();
  ask_all<16>();
}
