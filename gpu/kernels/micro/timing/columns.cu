// Accesses down the columns of a matrix: lanes lie a row apart, so that all lines of an instruction
// have the same lower bits. Side by side: warps that take neighbouring columns, and warps whose
// columns are a line apart.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o columns columns.cu && ./columns
#include "probe.h"

namespace {

using namespace timing;

constexpr unsigned kBytes = 16 << 20;
constexpr int kRounds = 32, kWarps = 8;

enum class Op { kLoad, kStore };

// Warp w and round i take column (w + i * warps) * step of a matrix of `pitch` bytes a row; columns
// beyond the row go on 32 rows below.
template <Op op>
__global__ void columns(char* data, unsigned pitch, unsigned step, long long* times,
                        unsigned* sink) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned warps = gridDim.x * blockDim.x / 32;
  unsigned all = 0;
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x] = clock_now();
  __syncthreads();
#pragma unroll 4
  for (unsigned i = 0; i < kRounds; ++i) {
    const unsigned offset = (warp + i * warps) * step;
    char* const at = data + (offset % pitch + offset / pitch * 32 * pitch + lane * pitch) % kBytes;
    unsigned v = 0;
    if constexpr (op == Op::kLoad)
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    if constexpr (op == Op::kStore)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
    all |= v;
  }
  if (all != 0) *sink = all;
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x + 1] = clock_now();
}

template <Op op>
void ask(const char* name, const Buffer<char>& data, int blocks) {
  const Buffer<long long> times(2 * blocks);
  const Buffer<unsigned> sink(1);
  for (const unsigned step : {4u, 32u, 128u})
    for (const unsigned pitch :
         {128u, 256u, 512u, 1024u, 1152u, 2048u, 4096u, 4224u, 8192u, 16384u, 32768u, 65536u}) {
      if (step > pitch) continue;
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        columns<op><<<blocks, kWarps * 32>>>(data.data(), pitch, step, times.data(), sink.data());
        finish();
        const auto t = times.read();
        double sum = 0;
        for (int block = 0; block < blocks; ++block) sum += double(t[2 * block + 1] - t[2 * block]);
        samples.push_back(sum / (double(blocks) * kWarps * kRounds));
      }
      print(std::string("column.") + name + ".blocks" + std::to_string(blocks) + ".pitch" +
                std::to_string(pitch) + ".step" + std::to_string(step),
            samples, "cycle");
    }
}

}  // namespace

int main() {
  print_header("columns");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<char> data(kBytes);
  for (const int blocks : {1, sms}) {
    ask<Op::kLoad>("load", data, blocks);
    ask<Op::kStore>("store", data, blocks);
  }
}
