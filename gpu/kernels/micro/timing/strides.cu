// Lanes that lie apart: arrays of structures read and written field by field, from L1, L2 and by
// all SMs, strided shared memory read and written by turns, bytes read block by block before a
// barrier that votes, and products of doubles with their loads.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o strides strides.cu && ./strides [QUESTION…]
#include <mma.h>

#include "spans.h"

namespace {

using namespace timing;

constexpr int kRounds = 16, kBytes = 32, kProducts = 32;

// ---- arrays of structures
// --------------------------------------------------------------------------

enum class Op { kLoad, kStore, kBoth };
// Each thread goes through the first `fields` words of a structure of `bytes`, then of the next one
// of its own; structures of a warp lie side by side. `wrap`: bytes after which it begins again.
template <Op op, int fields>
__global__ void structures(long long* times, char* data, unsigned bytes, unsigned wrap,
                           unsigned* sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned all = 0;
#pragma unroll 1
  for (int again = 0; again < 2; ++again) {
    begin_span(times);
#pragma unroll 1
    for (unsigned i = 0; i < kRounds; ++i) {
      char* const at = data + (thread + i * threads) * bytes % wrap;
      unsigned v[fields];
#pragma unroll
      for (int k = 0; k < fields; ++k) {
        if constexpr (op != Op::kStore)
          asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(at + 4 * k) : "memory");
        else
          v[k] = k;
      }
#pragma unroll
      for (int k = 0; k < fields; ++k) {
        if constexpr (op != Op::kLoad)
          asm volatile("st.global.u32 [%0], %1;" ::"l"(at + 4 * k), "r"(v[k]) : "memory");
        all |= v[k];
      }
    }
    end_span(times);
  }
  if (all == ~0u) *sink = all;
}

template <Op op, int fields>
void ask_structures(const char* name, const Buffer<char>& data, int sms) {
  const Buffer<unsigned> sink(1);
  for (const int blocks : {1, sms})
    for (const int warps : {1, 8, 32})
      for (const unsigned bytes : {4u, 12u, 16u, 20u, 32u, 48u, 64u, 128u}) {
        if (bytes < 4 * fields) continue;
        if (warps == 1 && blocks != 1) continue;
        const unsigned wrap = blocks * warps * 32 * bytes * (blocks == 1 ? 2 : kRounds);
        ask_span(std::string("structures.") + name + std::to_string(fields) + ".b" +
                     std::to_string(blocks) + ".w" + std::to_string(warps) + ".bytes" +
                     std::to_string(bytes),
                 blocks, double(kRounds) * warps * fields, [&](long long* times) {
                   structures<op, fields>
                       <<<blocks, warps * 32>>>(times, data.data(), bytes, wrap, sink.data());
                 });
      }
}

// ---- shared memory by rows and columns
// -------------------------------------------------------------

enum class Turn { kLoad, kStore, kBoth };
// Lanes `stride` words apart; kEach accesses behind one another, then a use of all.
template <Turn turn>
__global__ void shared_strides(long long* times, unsigned stride, unsigned* sink) {
  constexpr int kEach = 8;
  __shared__ unsigned room[32 * 33 + 64];
  for (unsigned i = threadIdx.x; i < 32 * 33 + 64; i += blockDim.x) room[i] = 0;
  unsigned* const at = room + threadIdx.x % 32 * stride;
  unsigned all = 0;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    unsigned v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      v[k] = k;
      if constexpr (turn != Turn::kStore) v[k] = *const_cast<volatile unsigned*>(at + k);
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      if constexpr (turn != Turn::kLoad) *const_cast<volatile unsigned*>(at + k) = v[k] + all;
      all += v[k];
    }
  }
  end_span(times);
  if (all == ~0u) *sink = all;
}

template <Turn turn>
void ask_shared(const char* name) {
  const Buffer<unsigned> sink(1);
  for (const unsigned stride : {1u, 2u, 4u, 8u, 16u, 32u, 33u})
    for (const int warps : {1, 2, 8, 32})
      ask_span(std::string("shared.") + name + ".stride" + std::to_string(stride) + ".w" +
                   std::to_string(warps),
               1, double(kRounds) * 8 * warps, [&](long long* times) {
                 shared_strides<turn><<<1, warps * 32>>>(times, stride, sink.data());
               });
}

// ---- bytes, and whether all of the block have found theirs
// -----------------------------------------

// Blocks compare stretches of bytes; the next one is read when all know of this one.
__global__ void votes(long long* times, const unsigned char* data, unsigned of_block,
                      unsigned* sink) {
  const unsigned char* const at = data + blockIdx.x * of_block + threadIdx.x;
  unsigned all = 0;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kBytes; ++i) {
    const unsigned char v = at[i * blockDim.x];
    all += __syncthreads_and(v == 0);
  }
  end_span(times);
  if (all == ~0u) *sink = all;
}

// ---- products of doubles
// ---------------------------------------------------------------------------

// Each warp multiplies a strip of A with a strip of B, loaded as the product needs them.
__global__ void double_products(long long* times, const double* a, const double* b, unsigned pitch,
                                double* c) {
  using namespace nvcuda::wmma;
  const unsigned warp = threadIdx.x / 32;
  fragment<accumulator, 8, 8, 4, double> sum;
  fill_fragment(sum, 0.0);
  begin_span(times);
#pragma unroll 4
  for (int k = 0; k < kProducts; ++k) {
    fragment<matrix_a, 8, 8, 4, double, row_major> left;
    fragment<matrix_b, 8, 8, 4, double, row_major> right;
    load_matrix_sync(left, a + warp % 4 * 8 * pitch + k * 4, pitch);
    load_matrix_sync(right, b + k * 4 * pitch + warp / 4 * 8, pitch);
    mma_sync(sum, left, right, sum);
  }
  end_span(times);
  store_matrix_sync(c + (blockIdx.x * (blockDim.x / 32) + warp) * 64, sum, 8, mem_row_major);
}

// The same from shared memory, `chains` sums a warp.
template <int chains>
__global__ void shared_products(long long* times, unsigned pitch, double* c) {
  using namespace nvcuda::wmma;
  __shared__ double room[2][32 * 40];
  for (unsigned i = threadIdx.x; i < 2 * 32 * 40; i += blockDim.x) room[0][i] = 0;
  fragment<accumulator, 8, 8, 4, double> sum[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) fill_fragment(sum[i], 0.0);
  begin_span(times);
#pragma unroll 2
  for (int k = 0; k < kProducts; ++k) {
    fragment<matrix_a, 8, 8, 4, double, row_major> left;
    load_matrix_sync(left, room[0] + threadIdx.x / 32 % 4 * 8 * pitch + k % 8 * 4, pitch);
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      fragment<matrix_b, 8, 8, 4, double, row_major> right;
      load_matrix_sync(right, room[1] + k % 8 * 4 * pitch + i * 8, pitch);
      mma_sync(sum[i], left, right, sum[i]);
    }
  }
  end_span(times);
#pragma unroll
  for (int i = 0; i < chains; ++i)
    store_matrix_sync(c + (threadIdx.x / 32 * chains + i) * 64, sum[i], 8, mem_row_major);
}

void ask_products(const Buffer<char>& data, int sms) {
  auto* const a = reinterpret_cast<double*>(data.data());
  const Buffer<double> c(1 << 20);
  for (const int blocks : {1, sms})
    for (const int warps : {1, 4, 8, 16})
      ask_span("products.global.b" + std::to_string(blocks) + ".w" + std::to_string(warps), blocks,
               double(kProducts) * warps, [&](long long* times) {
                 double_products<<<blocks, warps * 32>>>(times, a, a + 8192, 128, c.data());
               });
  for (const int warps : {1, 4, 8, 16})
    for (const unsigned pitch : {32u, 36u}) {
      const std::string end = ".pitch" + std::to_string(pitch) + ".w" + std::to_string(warps);
      ask_span("products.shared1" + end, 1, double(kProducts) * warps, [&](long long* times) {
        shared_products<1><<<1, warps * 32>>>(times, pitch, c.data());
      });
      ask_span("products.shared4" + end, 1, double(kProducts) * warps * 4, [&](long long* times) {
        shared_products<4><<<1, warps * 32>>>(times, pitch, c.data());
      });
    }
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("strides");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<char> data(std::size_t(512) << 20);
  ask_structures<Op::kLoad, 1>("load", data, sms);
  ask_structures<Op::kLoad, 3>("load", data, sms);
  ask_structures<Op::kLoad, 8>("load", data, sms);
  ask_structures<Op::kStore, 1>("store", data, sms);
  ask_structures<Op::kStore, 3>("store", data, sms);
  ask_structures<Op::kStore, 8>("store", data, sms);
  ask_structures<Op::kBoth, 3>("both", data, sms);
  ask_shared<Turn::kLoad>("load");
  ask_shared<Turn::kStore>("store");
  ask_shared<Turn::kBoth>("both");
  const Buffer<unsigned> sink(1);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(data.data());
  for (const int blocks : {1, sms, 4 * sms})
    for (const int threads : {64, 256, 1024})
      if (blocks <= sms || threads <= 256)
        ask_span("votes.b" + std::to_string(blocks) + ".t" + std::to_string(threads), blocks,
                 kBytes, [&](long long* times) {
                   votes<<<blocks, threads>>>(times, bytes, unsigned(kBytes * threads),
                                              sink.data());
                 });
  ask_products(data, sms);
}
