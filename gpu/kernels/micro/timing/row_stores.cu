// Rows of words that lanes store word by word, as arrays of structures: what L2 makes of sectors
// that are stored in parts, and what DRAM reads and writes for them. To be measured by
// gpu/cupti/measure.sh (mode timing).
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o row_stores row_stores.cu
//   gpu/cupti/measure.sh -m timing -o row_stores.json -- ./row_stores
//
// One line on stdout for each launch: its name. `mib`: what is stored in all; `b132`: blocks, of
// 256 threads each, which take turns at the rows; `words36`: words of a row; `only1`: of which the
// first is stored alone; `after`: a row's words are loaded first.
#include "probe.h"

namespace {

using namespace timing;

enum class Does { kStores, kStoresOne, kStoresSectors, kCopies, kLoads };

template <Does does, int words>
__global__ void rows(float* out, const float* in, int count) {
  const int step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < count; row += step) {
    float* const mine = out + std::size_t(row) * words;
    const float* const from = in + std::size_t(row) * words;
    float v[words];
#pragma unroll
    for (int i = 0; i < words; ++i)
      v[i] = does == Does::kCopies || does == Does::kLoads ? from[i] : float(row + i);
    if constexpr (does == Does::kLoads) {
#pragma unroll
      for (int i = 0; i < words; ++i) sum += v[i];
    } else if constexpr (does == Does::kStoresOne) {
      mine[0] = v[0];
    } else if constexpr (does == Does::kStoresSectors) {
#pragma unroll
      for (int i = 0; i < words; i += 4)
        *reinterpret_cast<float4*>(mine + i) = {v[i], v[i + 1], v[i + 2], v[i + 3]};
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) *reinterpret_cast<volatile float*>(mine + i) = v[i];
    }
  }
  if (sum == 1.25f) out[0] = sum;
}

template <Does does, int words>
void ask(const char* what, float* out, const float* in, int mib, int blocks) {
  rows<does, words><<<blocks, 256>>>(out, in, int((std::size_t(mib) << 20) / (4 * words)));
  finish();
  std::printf("%s.words%d.mib%d.b%d\n", what, words, mib, blocks);
  std::fflush(stdout);
}

template <int words>
void ask_all(float* out, const float* in) {
  for (const int mib : {2, 16, 64}) {
    ask<Does::kStores, words>("stores", out, in, mib, 528);
    if (mib < 64) ask<Does::kStores, words>("stores", out, in, mib, 132);
    ask<Does::kStoresOne, words>("stores_one", out, in, mib, 528);
    if (mib < 64) ask<Does::kCopies, words>("copies", out, in, mib, 528);
    if (mib < 64) ask<Does::kLoads, words>("loads", out, in, mib, 528);
    if constexpr (words % 4 == 0)
      ask<Does::kStoresSectors, words>("stores_wide", out, in, mib, 528);
  }
}

}  // namespace

int main() {
  const Buffer<float> out(16 << 20), in(16 << 20);
  ask_all<1>(out.data(), in.data());
  ask_all<2>(out.data(), in.data());
  ask_all<4>(out.data(), in.data());
  ask_all<8>(out.data(), in.data());
  ask_all<9>(out.data(), in.data());
  ask_all<16>(out.data(), in.data());
  ask_all<36>(out.data(), in.data());
}
