// What device malloc and free take: calls by a warp, by lanes, bytes, warps and blocks.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o heap heap.cu && ./heap
#include "probe.h"

namespace {

using namespace timing;

constexpr int kCalls = 8;
constexpr int kReadings = 2 * kCalls + 1;

// Of each warp: when each of its calls began, malloc first, then free in the same order, and when
// the last one was over.
__global__ void calls(unsigned lanes, unsigned bytes, long long* times, unsigned* failed) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  long long* const mine = times + warp * kReadings;
  if (lane >= lanes) return;
  void* blocks[kCalls];
#pragma unroll
  for (int i = 0; i < kCalls; ++i) {
    if (lane == 0) mine[i] = clock_now();
    blocks[i] = malloc(bytes);
  }
#pragma unroll
  for (int i = 0; i < kCalls; ++i) {
    if (lane == 0) mine[kCalls + i] = clock_now();
    if (blocks[i] == nullptr) atomicAdd(failed, 1);
    free(blocks[i]);
  }
  if (lane == 0) mine[2 * kCalls] = clock_now();
}

void ask(int blocks, int warps, unsigned lanes, unsigned bytes) {
  const std::size_t count = std::size_t(blocks) * warps;
  // Of malloc and of free.
  std::vector<double> first[2], later[2], span[2];
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Buffer<long long> times(count * kReadings);
    const Buffer<unsigned> failed(1);
    calls<<<blocks, warps * 32>>>(lanes, bytes, times.data(), failed.data());
    finish();
    if (failed.read()[0] != 0) std::printf("# %u calls failed\n", failed.read()[0]);
    const auto t = times.read();
    for (int what = 0; what < 2; ++what) {
      const long long* const at = t.data() + what * kCalls;
      double of_first = 0, of_later = 0, of_span = 0;
      for (int block = 0; block < blocks; ++block) {
        long long begin = at[block * warps * kReadings], end = begin;
        for (int warp = 0; warp < warps; ++warp) {
          const long long* const mine = at + (block * warps + warp) * kReadings;
          of_first += double(mine[1] - mine[0]);
          of_later += double(mine[kCalls] - mine[1]) / (kCalls - 1);
          begin = std::min(begin, mine[0]), end = std::max(end, mine[kCalls]);
        }
        of_span += double(end - begin);
      }
      first[what].push_back(of_first / double(count));
      later[what].push_back(of_later / double(count));
      span[what].push_back(of_span / blocks);
    }
  }
  for (int what = 0; what < 2; ++what) {
    const std::string name = std::string(what == 0 ? "malloc" : "free") + ".bytes" +
                             std::to_string(bytes) + ".b" + std::to_string(blocks) + ".w" +
                             std::to_string(warps) + ".lanes" + std::to_string(lanes);
    // The first launch of a process meets an empty heap; the others are the median's.
    print(name + ".first", first[what], "cycle");
    print(name + ".later", later[what], "cycle");
    print(name + ".span", span[what], "cycle");
  }
}

}  // namespace

int main() {
  print_header("heap");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 512 << 20));
  for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) ask(1, 1, lanes, 16);
  for (const unsigned bytes : {8u, 64u, 256u, 1024u, 4096u, 16384u, 65536u})
    for (const unsigned lanes : {1u, 32u}) ask(1, 1, lanes, bytes);
  for (const int warps : {2, 4, 8, 32})
    for (const unsigned lanes : {1u, 32u}) ask(1, warps, lanes, 16);
  for (const int blocks : {2, 8, 32, sms})
    for (const unsigned lanes : {1u, 32u}) ask(blocks, 1, lanes, 16);
  ask(sms, 8, 1, 16);
  ask(sms, 8, 32, 16);
  ask(sms, 1, 1, 1024);
}
