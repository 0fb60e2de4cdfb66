// Many threads that change one word or few: reductions and atomics of L2 by type and by how many
// warps and SMs there are, loops of compare-and-swap, tickets; in shared memory histograms and
// compare-and-swap.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o one_address one_address.cu && ./one_address [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kPages = 128, kPage = 4096;
constexpr int kRounds = 16, kSwaps = 4, kBins = 64, kSharedSwaps = 2;

__device__ __forceinline__ unsigned next_random(unsigned x) { return x * 1664525u + 1013904223u; }

enum class Op {
  kRedInt,
  kRedFloat,
  kRedDouble,
  kAtomInt,
  kAtomFloat,
  kAtomMax,
  kAtomCas,
  kAtomLong
};
constexpr unsigned bytes_of(Op op) { return op == Op::kRedDouble || op == Op::kAtomLong ? 8 : 4; }
template <Op op>
__device__ __forceinline__ unsigned change(char* at, unsigned value) {
  unsigned v = 0;
  if constexpr (op == Op::kRedInt)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  if constexpr (op == Op::kRedFloat)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(float(value)) : "memory");
  if constexpr (op == Op::kRedDouble)
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(double(value)) : "memory");
  if constexpr (op == Op::kAtomInt)
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(at), "r"(value) : "memory");
  if constexpr (op == Op::kAtomFloat) {
    float f;
    asm volatile("atom.global.add.f32 %0, [%1], %2;"
                 : "=f"(f)
                 : "l"(at), "f"(float(value))
                 : "memory");
    v = __float_as_uint(f);
  }
  if constexpr (op == Op::kAtomMax)
    asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(v) : "l"(at), "r"(value) : "memory");
  if constexpr (op == Op::kAtomCas)
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(v)
                 : "l"(at), "r"(value), "r"(value + 1)
                 : "memory");
  if constexpr (op == Op::kAtomLong) {
    unsigned long long l;
    asm volatile("atom.global.add.u64 %0, [%1], %2;"
                 : "=l"(l)
                 : "l"(at), "l"((unsigned long long)value)
                 : "memory");
    v = unsigned(l);
  }
  return v;
}

// The first `lanes` of each warp; their words lie `stride` bytes apart (0: one word). Each waits
// for its answer, if there is one, before the next.
template <Op op>
__global__ void changes(long long* times, char* data, unsigned lanes, unsigned stride,
                        unsigned* sink) {
  const unsigned lane = threadIdx.x % 32;
  char* const at = data + lane * stride;
  unsigned value = 1;
  begin_span(times);
  if (lane < lanes)
#pragma unroll 1
    for (int i = 0; i < kRounds; ++i) value += change<op>(at, value + threadIdx.x) & 1;
  if (value == 0) *sink = value;
  __threadfence();
  end_span(times);
}

// One lane alone, each time at a word of another page.
template <Op op>
__global__ void pages(long long* times, char* data, unsigned* sink) {
  unsigned value = 1;
  begin_span(times);
  if (threadIdx.x == 0)
#pragma unroll 1
    for (int i = 0; i < kPages; ++i) value += change<op>(data + i % kPages * kPage, value) & 1;
  if (value == 0) *sink = value;
  end_span(times);
}

template <Op op>
void ask_changes(const char* name, const Buffer<char>& data, int sms) {
  const Buffer<unsigned> sink(1);
  ask_span(std::string("pages.") + name, 1, kPages,
           [&](long long* times) { pages<op><<<1, 32>>>(times, data.data(), sink.data()); });
  for (const unsigned stride : {4u, 8u, 16u, 32u})
    for (const unsigned lanes : {2u, 3u, 4u, 5u, 8u, 16u, 32u}) {
      if (stride < bytes_of(op)) continue;
      ask_span(std::string("words.") + name + ".lanes" + std::to_string(lanes) + ".stride" +
                   std::to_string(stride),
               sms, double(kRounds) * 8 * sms, [&](long long* times) {
                 changes<op><<<sms, 256>>>(times, data.data(), lanes, stride, sink.data());
               });
    }
  for (const int blocks : {1, sms, 4 * sms})
    for (const int warps : {1, 8})
      for (const auto& [lanes, stride] :
           {std::pair{1u, 0u}, {32u, 0u}, {8u, 8u}, {32u, 8u}, {32u, 128u}}) {
        if (blocks > sms && (warps == 1 || stride != 0)) continue;
        ask_span(std::string("change.") + name + ".b" + std::to_string(blocks) + ".w" +
                     std::to_string(warps) + ".lanes" + std::to_string(lanes) + ".stride" +
                     std::to_string(stride),
                 blocks, double(kRounds) * warps * blocks,
                 [&, l = lanes, s = stride](long long* t) {
                   changes<op><<<blocks, warps * 32>>>(t, data.data(), l, s, sink.data());
                 });
      }
}

// As programs add floats where there is no instruction for it: read, and swap until nobody was
// faster. Lanes of a warp at one word, or each at its own of a line.
__global__ void swap_loops(long long* times, float* data, unsigned words, unsigned lanes) {
  const unsigned lane = threadIdx.x % 32;
  auto* const at = reinterpret_cast<int*>(data + lane % words);
  begin_span(times);
  if (lane < lanes)
#pragma unroll 1
    for (int i = 0; i < kSwaps; ++i) {
      int old = *const_cast<volatile int*>(at), assumed;
      do {
        assumed = old;
        old = atomicCAS(at, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
      } while (assumed != old);
    }
  __threadfence();
  end_span(times);
}

__global__ void shared_swap_loops(long long* times, unsigned words) {
  __shared__ double sums[32];
  if (threadIdx.x < 32) sums[threadIdx.x] = 0;
  auto* const at = reinterpret_cast<unsigned long long*>(sums + threadIdx.x % words);
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kSharedSwaps; ++i) {
    unsigned long long old = *const_cast<volatile unsigned long long*>(at), assumed;
    do {
      assumed = old;
      old = atomicCAS(at, assumed, __double_as_longlong(__longlong_as_double(assumed) + 1.0));
    } while (assumed != old);
  }
  end_span(times);
}

enum class Shared { kCount, kAdd, kFetch, kFloat, kMax };
// A random one of `bins` words, or the same for all lanes (1).
template <Shared op>
__global__ void shared_bins(long long* times, unsigned bins, unsigned* sink) {
  __shared__ unsigned counts[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) counts[i] = 0;
  unsigned random = threadIdx.x * 7919 + 1, sum = 0;
  begin_span(times);
#pragma unroll 4
  for (int i = 0; i < kBins; ++i) {
    random = next_random(random);
    unsigned* const at = counts + (random >> 16) % bins;
    if constexpr (op == Shared::kCount) atomicAdd(at, 1);
    if constexpr (op == Shared::kAdd) atomicAdd(at, random);
    if constexpr (op == Shared::kFetch) sum += atomicAdd(at, random);
    if constexpr (op == Shared::kFloat) atomicAdd(reinterpret_cast<float*>(at), 1.0f);
    if constexpr (op == Shared::kMax) atomicMax(at, random);
  }
  if (sum == 1) *sink = sum;
  end_span(times);
}

template <Shared op>
void ask_bins(const char* name) {
  const Buffer<unsigned> sink(1);
  for (const unsigned bins : {1u, 16u, 64u, 256u, 1024u})
    for (const int warps : {1, 8, 32}) {
      if (op == Shared::kFloat && bins < 64) continue;
      ask_span(
          std::string("bins.") + name + ".of" + std::to_string(bins) + ".w" + std::to_string(warps),
          1, double(kBins) * warps,
          [&](long long* times) { shared_bins<op><<<1, warps * 32>>>(times, bins, sink.data()); });
    }
}

// Blocks count themselves in when they are done; the last one sums up what they left.
__global__ void tickets(long long* times, float* partial, unsigned* ticket, float* total) {
  __shared__ bool last;
  begin_span(times);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = float(blockIdx.x);
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
      sum += *const_cast<volatile float*>(partial + i);
    atomicAdd(total, sum);
  }
  end_span(times);
}

// One of `labels` for each lane; one lane adds for all that have its label.
__global__ void labels_met(long long* times, unsigned* counts, unsigned labels) {
  unsigned random = (blockIdx.x * blockDim.x + threadIdx.x) * 7919 + 1;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    random = next_random(random);
    const unsigned label = (random >> 16) % labels;
    const unsigned same = __match_any_sync(~0u, label);
    if (__ffs(same) - 1 == int(threadIdx.x % 32)) atomicAdd(counts + label, __popc(same));
  }
  __threadfence();
  end_span(times);
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("one_address");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<char> data(1 << 20);
  ask_changes<Op::kRedInt>("red.u32", data, sms);
  ask_changes<Op::kRedFloat>("red.f32", data, sms);
  ask_changes<Op::kRedDouble>("red.f64", data, sms);
  ask_changes<Op::kAtomInt>("atom.u32", data, sms);
  ask_changes<Op::kAtomFloat>("atom.f32", data, sms);
  ask_changes<Op::kAtomMax>("atom.max", data, sms);
  ask_changes<Op::kAtomCas>("atom.cas", data, sms);
  ask_changes<Op::kAtomLong>("atom.u64", data, sms);
  auto* const floats = reinterpret_cast<float*>(data.data());
  for (const int blocks : {1, 16, sms})
    for (const int warps : {1, 4})
      for (const auto& [words, lanes] : {std::pair{1u, 1u}, {1u, 32u}, {32u, 32u}}) {
        if (blocks == sms && words == 1 && lanes == 32) continue;  // takes too long
        ask_span("swaps.b" + std::to_string(blocks) + ".w" + std::to_string(warps) + ".words" +
                     std::to_string(words) + ".lanes" + std::to_string(lanes),
                 blocks, double(kSwaps) * warps * blocks,
                 [&, w = words, l = lanes](long long* times) {
                   swap_loops<<<blocks, warps * 32>>>(times, floats, w, l);
                 });
      }
  for (const unsigned words : {1u, 4u, 32u})
    for (const int warps : {1, 4, 8})
      ask_span("shared_swaps.w" + std::to_string(warps) + ".words" + std::to_string(words), 1,
               double(kSharedSwaps) * warps,
               [&](long long* times) { shared_swap_loops<<<1, warps * 32>>>(times, words); });
  ask_bins<Shared::kCount>("count");
  ask_bins<Shared::kAdd>("add");
  ask_bins<Shared::kFetch>("fetch");
  ask_bins<Shared::kFloat>("float");
  ask_bins<Shared::kMax>("max");
  for (const int blocks : {1, sms, 8 * sms})
    ask_span("tickets.b" + std::to_string(blocks), blocks, 1, [&](long long* times) {
      CUDA(cudaMemset(data.data(), 0, 4));
      tickets<<<blocks, 256>>>(times, floats + 1024, reinterpret_cast<unsigned*>(data.data()),
                               floats + 512);
    });
  for (const int blocks : {1, sms})
    for (const unsigned labels : {1u, 4u, 32u, 1024u})
      ask_span("labels.b" + std::to_string(blocks) + ".of" + std::to_string(labels), blocks,
               double(kRounds) * 8 * blocks, [&](long long* times) {
                 labels_met<<<blocks, 256>>>(times, reinterpret_cast<unsigned*>(data.data()),
                                             labels);
               });
}
