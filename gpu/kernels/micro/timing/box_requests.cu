// How the copy engine asks for the lines of boxes. Of a box that lies in L2 one line lies in DRAM:
// the later that one is asked for, the later the box is there, even if lines that come take their
// time anyway. What lies in DRAM of one box, and what of the next one behind it; loads beside them.
//
//   nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -o box_requests box_requests.cu
//   ./box_requests [QUESTION…]      beginnings of questions; default: all
#include <cmath>

#include "warp_group_probe.h"

namespace {

using namespace timing;

constexpr int kRounds = 64;
constexpr std::size_t kPitch = 1024;
constexpr int kNothing = -1, kAll = -2;  // of a box's rows

// Brings rows into L2, but for one or all of them.
__device__ void bring(const char* rows, std::size_t pitch, int count, int width, int but) {
  const int lanes = width / 16, lane = int(threadIdx.x) % 32;
  unsigned all = 0;
  for (int row = lane / lanes; row < count; row += 32 / lanes) {
    if (row == but || but == kAll) continue;
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(rows + row * pitch + lane % lanes * 16)
                 : "memory");
    all |= value;
  }
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
}

// A warp brings what L2 is to have, then a thread by itself asks for boxes. (If the others of its
// warp waited for it, it would poll the barrier at moments farther apart.)
constexpr int kThreads = 64;
__device__ bool brings() { return threadIdx.x >= 32; }
__device__ bool is_idle() { return threadIdx.x != 0 && !brings(); }
__device__ void meet() { asm volatile("bar.sync 1, 64;" ::: "memory"); }
__device__ void pause() {
  for (const long long begin = clock_now(); clock_now() - begin < 4000;) continue;
}

// A box a round; until all of it is there.
__global__ void one_box(long long* times, const __grid_constant__ CUtensorMap map, const char* data,
                        std::size_t pitch, int rows, int width, int missing) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (is_idle()) return;
  if (threadIdx.x == 0) make_barrier(&barrier, 1);
  publish_barriers();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    meet();
    if (brings()) bring(data + std::size_t(round) * rows * pitch, pitch, rows, width, missing);
    meet();
    if (!brings()) {
      pause();
      const long long begin = clock_now();
      expect_bytes(&barrier, unsigned(rows * width));
      copy_box(shared, &map, &barrier, 0, round * rows);
      wait(&barrier, unsigned(round % 2));
      times[round] = clock_now() - begin;
    }
  }
}

// Two boxes, each with a barrier of its own; until the second one is there.
__global__ void two_boxes(long long* times, const __grid_constant__ CUtensorMap first,
                          const __grid_constant__ CUtensorMap second, const char* data, int rows,
                          int missing, int rows_behind, int missing_behind) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barriers[2];
  if (is_idle()) return;
  if (threadIdx.x == 0)
    for (std::uint64_t& each : barriers) make_barrier(&each, 1);
  publish_barriers();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    const int at = round * (rows + rows_behind);
    meet();
    if (brings()) {
      bring(data + at * kPitch, kPitch, rows, 128, missing);
      bring(data + (at + rows) * kPitch, kPitch, rows_behind, 128, missing_behind);
    }
    meet();
    if (!brings()) {
      pause();
      expect_bytes(&barriers[0], unsigned(rows * 128));
      expect_bytes(&barriers[1], unsigned(rows_behind * 128));
      const long long begin = clock_now();
      copy_box(shared, &first, &barriers[0], 0, at);
      copy_box(shared + rows * 128, &second, &barriers[1], 0, at + rows);
      wait(&barriers[1], unsigned(round % 2));
      times[round] = clock_now() - begin;
      wait(&barriers[0], unsigned(round % 2));
    }
  }
}

// A line a round, by some lanes of a warp.
__global__ void one_load(long long* times, const char* data, int lanes, int missing) {
  const int lane = int(threadIdx.x) % 32;
  if (!brings() && lane >= lanes) return;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    const char* const at = data + std::size_t(round) * kPitch;
    meet();
    if (brings()) bring(at, kPitch, 1, 128, missing);
    meet();
    if (brings()) continue;
    pause();
    unsigned value;
    const long long begin = clock_now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at + lane * 4) : "memory");
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
    if (lane == 0) times[round] = clock_now() - begin;
  }
}

template <typename Kernel, typename... Arguments>
void ask_rounds(const std::string& name, const Flush& flush, Kernel kernel,
                Arguments... arguments) {
  if (!is_asked(name)) return;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const Buffer<long long> times(kRounds);
  std::vector<double> all;
  for (int i = 0; i <= kSamples; ++i) {
    flush();
    kernel<<<1, kThreads, kShared>>>(times.data(), arguments...);
    finish();
    if (i == 0) continue;
    for (const long long each : times.read()) all.push_back(double(each));
  }
  std::sort(all.begin(), all.end());
  double sum = 0;
  for (const double each : all) sum += each;
  print(name + ".mean", {sum / double(all.size())}, "cycles");
  for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9})
    print(name + ".p" + std::to_string(int(std::lround(part * 100))),
          {all[std::size_t(part * double(all.size() - 1))]}, "cycles");
}

void ask_missing(char* data, const Flush& flush) {
  const auto each = [&](std::size_t pitch, int rows, int width, const std::string& end,
                        int missing) {
    const auto swizzle = width == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
    ask_rounds("missing.pitch" + std::to_string(pitch) + ".w" + std::to_string(width) + ".r" +
                   std::to_string(rows) + end,
               flush, one_box, map_of(data, swizzle, width, rows, kRounds * rows, pitch),
               static_cast<const char*>(data), pitch, rows, width, missing);
  };
  for (const std::size_t pitch : {128, 1024, 8192})
    for (const int rows : {1, 2, 4, 8, 16, 64, 128}) {
      each(pitch, rows, 128, ".nothing", kNothing);
      each(pitch, rows, 128, ".all", kAll);
    }
  for (const int rows : {128, 256})
    for (const int share : {0, 1, 2, 3, 4}) {
      const int row = share * (rows - 1) / 4;
      each(kPitch, rows, 128, ".row" + std::to_string(row), row);
      each(kPitch, rows, 32, ".row" + std::to_string(row), row);
    }
  for (const int lanes : {1, 8, 32})
    for (const bool misses : {false, true})
      ask_rounds("load.lanes" + std::to_string(lanes) + (misses ? ".all" : ".nothing"), flush,
                 one_load, static_cast<const char*>(data), lanes, misses ? kAll : kNothing);
}

void ask_behind(char* data, const Flush& flush) {
  constexpr int kBehind = 8;
  for (const int rows : {8, 64, 128, 256})
    for (const bool first : {false, true})
      for (const bool second : {false, true}) {
        const std::size_t all = std::size_t{kRounds} * (rows + kBehind);
        ask_rounds("behind.r" + std::to_string(rows) + (first ? ".all" : ".nothing") +
                       (second ? ".all" : ".nothing"),
                   flush, two_boxes,
                   map_of(data, CU_TENSOR_MAP_SWIZZLE_128B, 128, rows, all, kPitch),
                   map_of(data, CU_TENSOR_MAP_SWIZZLE_128B, 128, kBehind, all, kPitch),
                   static_cast<const char*>(data), rows, first ? kAll : kNothing, kBehind,
                   second ? kAll : kNothing);
      }
}

}  // namespace

int main(int argc, char** argv) {
  asked.assign(argv + 1, argv + argc);
  print_header("box_requests");
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const Flush flush(std::size_t(properties.l2CacheSize));
  const Buffer<char> data(std::size_t{1} << 26);
  ask_missing(data.data(), flush);
  ask_behind(data.data(), flush);
}
