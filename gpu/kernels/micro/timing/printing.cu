// What device printf takes: calls by a warp, by lanes, arguments, warps and blocks.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o printing printing.cu && ./printing
//
// What the kernels print goes nowhere.
#include <fcntl.h>
#include <unistd.h>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kCalls = 8;

template <int arguments>
__device__ __forceinline__ void print_numbers(int i) {
  if constexpr (arguments == 0) printf("x\n");
  if constexpr (arguments == 1) printf("%d\n", i);
  if constexpr (arguments == 2) printf("%d %d\n", i, i);
  if constexpr (arguments == 4) printf("%d %d %d %d\n", i, i, i, i);
  if constexpr (arguments == 8) printf("%d %d %d %d %d %d %d %d\n", i, i, i, i, i, i, i, i);
}

// Of each warp: when it began, and when each of its calls was over.
template <int arguments>
__global__ void calls(unsigned lanes, long long* times) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  long long* const mine = times + warp * (kCalls + 1);
  if (lane >= lanes) return;
#pragma unroll 1
  for (int i = 0; i < kCalls; ++i) {
    if (lane == 0) mine[i] = clock_now();
    print_numbers<arguments>(i);
  }
  if (lane == 0) mine[kCalls] = clock_now();
}

template <int arguments>
void ask(int blocks, int warps, unsigned lanes, int out) {
  const std::size_t count = std::size_t(blocks) * warps;
  std::vector<double> first, later, span;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Buffer<long long> times(count * (kCalls + 1));
    fflush(stdout);
    const int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0) std::exit(2);
    calls<arguments><<<blocks, warps * 32>>>(lanes, times.data());
    finish();
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(null);
    const auto t = times.read();
    double of_first = 0, of_later = 0, of_span = 0;
    for (int block = 0; block < blocks; ++block) {
      long long begin = t[block * warps * (kCalls + 1)], end = begin;
      for (int warp = 0; warp < warps; ++warp) {
        const long long* const mine = t.data() + (block * warps + warp) * (kCalls + 1);
        of_first += double(mine[1] - mine[0]);
        of_later += double(mine[kCalls] - mine[1]) / (kCalls - 1);
        begin = std::min(begin, mine[0]), end = std::max(end, mine[kCalls]);
      }
      of_span += double(end - begin);
    }
    first.push_back(of_first / double(count));
    later.push_back(of_later / double(count));
    span.push_back(of_span / blocks);
  }
  const std::string name = "printf.arguments" + std::to_string(arguments) + ".b" +
                           std::to_string(blocks) + ".w" + std::to_string(warps) + ".lanes" +
                           std::to_string(lanes);
  print(name + ".first", first, "cycle");
  print(name + ".later", later, "cycle");
  print(name + ".span", span, "cycle");
}

}  // namespace

int main() {
  print_header("printing");
  const int out = dup(STDOUT_FILENO);
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20));
  for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) ask<1>(1, 1, lanes, out);
  for (const unsigned lanes : {1u, 32u}) {
    ask<0>(1, 1, lanes, out);
    ask<2>(1, 1, lanes, out);
    ask<4>(1, 1, lanes, out);
    ask<8>(1, 1, lanes, out);
  }
  for (const int warps : {2, 4, 8}) ask<1>(1, warps, 4, out);
  for (const int blocks : {2, 8, sms}) ask<1>(blocks, 1, 4, out);
  ask<1>(8, 4, 32, out);
}
