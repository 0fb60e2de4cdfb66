// Pairs about shared memory, constants, barriers, block sizes and atomics.
#pragma once

#include "pair.h"

constexpr unsigned kBins = 256;

__global__ void histogram_global(const unsigned char* image, unsigned count, unsigned* bins) {
  for (unsigned i = this_thread(); i < count; i += all_threads()) atomicAdd(&bins[image[i]], 1);
}
__global__ void histogram_shared(const unsigned char* image, unsigned count, unsigned* bins) {
  __shared__ unsigned own[kBins];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = this_thread(); i < count; i += all_threads()) atomicAdd(&own[image[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
inline void histogram(Verdict& verdict) {
  constexpr unsigned kPixels = 1u << 20;
  std::vector<unsigned char> image(kPixels);
  std::vector<unsigned> want(kBins);
  for (unsigned i = 0; i < kPixels; ++i) ++want[image[i] = (unsigned char)(scramble(i) >> 8)];
  DeviceArray<unsigned char> pixels(image);
  check(verdict, "histogram_global", want, [&](unsigned* bins) {
    histogram_global<<<kSms * 2, kBins>>>(pixels.data(), kPixels, bins);
  });
  check(verdict, "histogram_shared", want, [&](unsigned* bins) {
    histogram_shared<<<kSms * 2, kBins>>>(pixels.data(), kPixels, bins);
  });
}

constexpr int kPart = 16;
__global__ void product_global(const float* a, const float* b, float* c, int n) {
  const int x = int(blockIdx.x) * kPart + int(threadIdx.x);
  const int y = int(blockIdx.y) * kPart + int(threadIdx.y);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
__global__ void product_shared(const float* a, const float* b, float* c, int n) {
  __shared__ float part_a[kPart][kPart], part_b[kPart][kPart];
  const int tx = int(threadIdx.x), ty = int(threadIdx.y);
  const int x = int(blockIdx.x) * kPart + tx, y = int(blockIdx.y) * kPart + ty;
  float sum = 0;
  for (int part = 0; part < n; part += kPart) {
    part_a[ty][tx] = a[y * n + part + tx];
    part_b[ty][tx] = b[(part + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < kPart; ++k) sum += part_a[ty][k] * part_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
inline void matrix_product(Verdict& verdict) {
  constexpr int kN = 256;
  const std::vector<float> a = random_floats(kN * kN);
  std::vector<float> want(a.size());
  for (int y = 0; y < kN; ++y)
    for (int k = 0; k < kN; ++k)
      for (int x = 0; x < kN; ++x) want[y * kN + x] += a[y * kN + k] * a[k * kN + x];
  DeviceArray<float> da(a), db(a);
  const dim3 grid(kN / kPart, kN / kPart), block(kPart, kPart);
  check(verdict, "product_global", want,
        [&](float* c) { product_global<<<grid, block>>>(da.data(), db.data(), c, kN); });
  check(verdict, "product_shared", want,
        [&](float* c) { product_shared<<<grid, block>>>(da.data(), db.data(), c, kN); });
}

__constant__ unsigned substitutes[kBins];
__device__ __forceinline__ unsigned substitute(const unsigned* table, unsigned word) {
  return table[word & 255] | table[word >> 8 & 255] << 8 | table[word >> 16 & 255] << 16 |
         table[word >> 24] << 24;
}
__global__ void table_constant(const unsigned* words, const unsigned*, unsigned* out) {
  out[this_thread()] = substitute(substitutes, words[this_thread()]);
}
__global__ void table_shared(const unsigned* words, const unsigned* table, unsigned* out) {
  __shared__ unsigned own[kBins];
  own[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  out[this_thread()] = substitute(own, words[this_thread()]);
}
inline void constant_table(Verdict& verdict) {
  constexpr unsigned kWords = 1u << 18;
  std::vector<unsigned> table(kBins), words = random_words(kWords), want(kWords);
  for (unsigned i = 0; i < kBins; ++i) table[i] = (i * 167 + 13) % kBins;
  for (unsigned i = 0; i < kWords; ++i)
    for (unsigned byte = 0; byte < 32; byte += 8) want[i] |= table[words[i] >> byte & 255] << byte;
  CHECK(cudaMemcpyToSymbol(substitutes, table.data(), kBins * sizeof(unsigned)));
  DeviceArray<unsigned> in(words), in_memory(table);
  check(verdict, "table_constant", want, [&](unsigned* out) {
    table_constant<<<kWords / kBins, kBins>>>(in.data(), in_memory.data(), out);
  });
  check(verdict, "table_shared", want, [&](unsigned* out) {
    table_shared<<<kWords / kBins, kBins>>>(in.data(), in_memory.data(), out);
  });
}

// Each warp sums the rows of a tile of 32 x 32, each lane one row.
template <int kWidth>
__device__ __forceinline__ void sum_rows(const float* in, float* out) {
  __shared__ float tiles[4][32][kWidth];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float(*const tile)[kWidth] = tiles[warp];
  const float* const from = in + (blockIdx.x * 4 + warp) * 32 * 32;
  for (unsigned row = 0; row < 32; ++row) tile[row][lane] = from[row * 32 + lane];
  __syncwarp();
  float sum = 0;
  for (unsigned column = 0; column < 32; ++column) sum += tile[lane][column];
  out[this_thread()] = sum;
}
__global__ void rows_unpadded(const float* in, float* out) { sum_rows<32>(in, out); }
__global__ void rows_padded(const float* in, float* out) { sum_rows<33>(in, out); }
inline void shared_stride(Verdict& verdict) {
  constexpr unsigned kRows = 1u << 16;
  const std::vector<float> in = random_floats(kRows * 32);
  std::vector<float> want(kRows);
  for (unsigned i = 0; i < in.size(); ++i) want[i / 32] += in[i];
  DeviceArray<float> from(in);
  check(verdict, "rows_unpadded", want,
        [&](float* out) { rows_unpadded<<<kRows / 128, 128>>>(from.data(), out); });
  check(verdict, "rows_padded", want,
        [&](float* out) { rows_padded<<<kRows / 128, 128>>>(from.data(), out); });
}

__global__ void reduce_modulo(const float* in, float* sums) {
  __shared__ float part[kBlock];
  part[threadIdx.x] = in[this_thread()];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
__global__ void reduce_halves(const float* in, float* sums) {
  __shared__ float part[kBlock];
  part[threadIdx.x] = in[this_thread()];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
inline void reduction(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 20;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(kCount / kBlock);
  for (unsigned i = 0; i < kCount; ++i) want[i / kBlock] += in[i];
  DeviceArray<float> from(in);
  check(verdict, "reduce_modulo", want,
        [&](float* out) { reduce_modulo<<<kCount / kBlock, kBlock>>>(from.data(), out); });
  check(verdict, "reduce_halves", want,
        [&](float* out) { reduce_halves<<<kCount / kBlock, kBlock>>>(from.data(), out); });
}

// Sums of all elements of the block up to this one.
__global__ void scan_shared(const float* in, float* out) {
  __shared__ float part[2][kBlock];
  unsigned now = 0;
  part[0][threadIdx.x] = in[this_thread()];
  __syncthreads();
  for (unsigned step = 1; step < kBlock; step *= 2) {
    part[1 - now][threadIdx.x] =
        part[now][threadIdx.x] + (threadIdx.x >= step ? part[now][threadIdx.x - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[this_thread()] = part[now][threadIdx.x];
}
__global__ void scan_shuffle(const float* in, float* out) {
  __shared__ float ends[kBlock / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = in[this_thread()];
  for (unsigned step = 1; step < 32; step *= 2) {
    const float before = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) ends[warp] = sum;
  __syncthreads();
  for (unsigned i = 0; i < warp; ++i) sum += ends[i];
  out[this_thread()] = sum;
}
inline void prefix_sums(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 20;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(kCount);
  for (unsigned i = 0; i < kCount; ++i) want[i] = in[i] + (i % kBlock != 0 ? want[i - 1] : 0);
  DeviceArray<float> from(in);
  check(verdict, "scan_shared", want,
        [&](float* out) { scan_shared<<<kCount / kBlock, kBlock>>>(from.data(), out); });
  check(verdict, "scan_shuffle", want,
        [&](float* out) { scan_shuffle<<<kCount / kBlock, kBlock>>>(from.data(), out); });
}

__device__ __forceinline__ void smooth(const float* in, float* out, unsigned count) {
  const unsigned i = this_thread();
  if (i + 4 < count) out[i] = (in[i] + in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4]) / 5;
}
__global__ void smooth_blocks_of_32(const float* in, float* out, unsigned n) { smooth(in, out, n); }
__global__ void smooth_blocks_of_256(const float* in, float* out, unsigned n) {
  smooth(in, out, n);
}
inline void block_size(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 20;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(kCount);
  for (unsigned i = 0; i + 4 < kCount; ++i)
    want[i] = (in[i] + in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4]) / 5;
  DeviceArray<float> from(in);
  check(verdict, "smooth_blocks_of_32", want,
        [&](float* out) { smooth_blocks_of_32<<<kCount / 32, 32>>>(from.data(), out, kCount); });
  check(verdict, "smooth_blocks_of_256", want,
        [&](float* out) { smooth_blocks_of_256<<<kCount / 256, 256>>>(from.data(), out, kCount); });
}

__device__ __forceinline__ float sum_of_thread(const float* in, unsigned count) {
  float sum = 0;
  for (unsigned i = this_thread(); i < count; i += all_threads()) sum += in[i];
  return sum;
}
__global__ void atomic_per_thread(const float* in, unsigned count, float* total) {
  atomicAdd(total, sum_of_thread(in, count));
}
__global__ void atomic_per_warp(const float* in, unsigned count, float* total) {
  float sum = sum_of_thread(in, count);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
inline void atomics(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 20;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(1);
  double sum = 0;
  for (const float value : in) sum += value;
  want[0] = float(sum);
  DeviceArray<float> from(in);
  check(verdict, "atomic_per_thread", want,
        [&](float* total) { atomic_per_thread<<<kSms, kBlock>>>(from.data(), kCount, total); });
  check(verdict, "atomic_per_warp", want,
        [&](float* total) { atomic_per_warp<<<kSms, kBlock>>>(from.data(), kCount, total); });
}
