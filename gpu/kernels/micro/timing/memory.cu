// The memory system: latencies by pointer chase, how fast a warp's memory instructions issue,
// bandwidth of each level per SM and for the chip, bank conflicts, sectors and partial writes,
// atomics by contention.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o memory memory.cu && ./memory
#include <numeric>
#include <random>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kRepeats = 9;
int sms = 0;

// ---- latency: chains that each step reads the next address --------------------------------------

enum class Space { kL1, kL2, kShared32, kShared64, kShared128, kConstant };
__constant__ unsigned constant_zero[16];

template <Space space>
__device__ __forceinline__ unsigned long long follow(unsigned long long x) {
  if constexpr (space == Space::kL1) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(x)::"memory");
  } else if constexpr (space == Space::kL2) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");
  } else {
    unsigned a = static_cast<unsigned>(x);
    if constexpr (space == Space::kShared32)
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a)::"memory");
    if constexpr (space == Space::kShared64)
      asm volatile("{ .reg .u32 b; ld.volatile.shared.v2.u32 {%0, b}, [%0]; }" : "+r"(a)::"memory");
    if constexpr (space == Space::kShared128)
      asm volatile("{ .reg .u32 b, c, d; ld.volatile.shared.v4.u32 {%0, b, c, d}, [%0]; }"
                   : "+r"(a)::"memory");
    if constexpr (space == Space::kConstant)
      a = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(constant_zero) + a);
    x = a;
  }
  return x;
}

template <Space space>
__global__ void chase(long long* times, unsigned long long first, unsigned long long* sink) {
  __shared__ unsigned self[128];
  if constexpr (space >= Space::kShared32 && space <= Space::kShared128) {
    const auto base = static_cast<unsigned>(__cvta_generic_to_shared(self));
    for (int i = 0; i < 4; ++i) self[4 * threadIdx.x + i] = base + 16 * threadIdx.x;
    first = base + 16 * threadIdx.x;
  }
  __syncthreads();
  unsigned long long x = first;
  long long t0 = 0, t1 = 0, t2 = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    t0 = clock_now();
#pragma unroll
    for (int i = 0; i < 8; ++i) x = follow<space>(x);
    t1 = clock_now();
#pragma unroll
    for (int i = 0; i < 40; ++i) x = follow<space>(x);
    t2 = clock_now();
  }
  if (threadIdx.x == 0) times[0] = t1 - t0, times[1] = t2 - t1;
  sink[threadIdx.x] = x;
}

template <Space space>
void chase_latency(const char* name) {
  const Buffer<long long> times(2);
  Buffer<unsigned long long> sink(32), self(1);
  self.write({reinterpret_cast<unsigned long long>(self.data())});
  const auto first =
      space == Space::kConstant ? 0 : reinterpret_cast<unsigned long long>(self.data());
  std::vector<double> samples;
  for (int i = 0; i < kRepeats; ++i) {
    chase<space><<<1, 32>>>(times.data(), first, sink.data());
    finish();
    const auto t = times.read();
    samples.push_back((double(t[1]) - double(t[0])) / 32);
  }
  print(std::string("latency.") + name, samples, "cycle");
}

// One thread follows a random ring of lines over `bytes`; the second time round is what counts when
// `warm`, else the first, after `flush` was read.
__global__ void ring(const unsigned long long* first, int steps, int rounds, unsigned* cycles,
                     unsigned long long* sink) {
  auto x = reinterpret_cast<unsigned long long>(first);
  unsigned long long total = 0;
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");
    total = clock64() - begin;
  }
  *cycles = static_cast<unsigned>(total);
  *sink = x;
}
__global__ void ring_l1(const unsigned long long* first, int steps, int rounds, unsigned* cycles,
                        unsigned long long* sink) {
  auto x = reinterpret_cast<unsigned long long>(first);
  unsigned long long total = 0;
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(x)::"memory");
    total = clock64() - begin;
  }
  *cycles = static_cast<unsigned>(total);
  *sink = x;
}
__global__ void read_all(const uint4* data, std::size_t count, unsigned* sink) {
  unsigned all = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const uint4 v = __ldcg(data + i);
    all |= v.x | v.y | v.z | v.w;
  }
  if (all == 0x12345678) *sink = all;
}

void ring_latency(bool l1, std::size_t bytes, std::size_t stride, bool warm, const uint4* flush,
                  std::size_t flush_count) {
  const std::size_t slots = bytes / stride, words = stride / 8;
  std::vector<std::size_t> order(slots);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  std::shuffle(order.begin(), order.end(), random);
  Buffer<unsigned long long> data(bytes / 8);
  const auto base = reinterpret_cast<unsigned long long>(data.data());
  std::vector<unsigned long long> links(bytes / 8, 0);
  for (std::size_t i = 0; i < slots; ++i)
    links[order[i] * words] = base + order[(i + 1) % slots] * stride;
  data.write(links);
  const Buffer<unsigned> cycles(1);
  const Buffer<unsigned long long> sink(1);
  const Buffer<unsigned> other(1);
  const int steps = static_cast<int>(std::min<std::size_t>((slots + 7) / 8 * 8, 16384));
  std::vector<double> samples;
  for (int i = 0; i < (warm ? 5 : 3); ++i) {
    if (!warm) read_all<<<1024, 256>>>(flush, flush_count, other.data());
    if (warm && !l1)  // all lines, not only those the ring reaches
      read_all<<<1024, 256>>>(reinterpret_cast<const uint4*>(data.data()), bytes / 16,
                              other.data());
    (l1 ? ring_l1 : ring)<<<1, 1>>>(data.data() + order[0] * words, steps, warm ? 2 : 1,
                                    cycles.data(), sink.data());
    finish();
    samples.push_back(double(cycles.read()[0]) / steps);
  }
  print(std::string(l1     ? "ring.l1."
                    : warm ? "ring.l2."
                           : "ring.dram.") +
            std::to_string(bytes / 1024) + "KiB.stride" + std::to_string(stride),
        samples, "cycle");
}

// Latency of single L2 hits, line by line, from one SM: each line's first word points to itself.
__global__ void point_to_self(char* data, int lines, std::size_t stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    *reinterpret_cast<char**>(data + i * stride) = data + i * stride;
}
__global__ void line_latencies(const char* data, int lines, std::size_t stride, int smid,
                               long long* out, unsigned long long* sink) {
  if (sm_id() != static_cast<unsigned>(smid)) return;
  unsigned long long all = 0;
  for (int i = 0; i < lines; ++i) {
    auto x = reinterpret_cast<unsigned long long>(data + i * stride);
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");
    const long long begin = clock_now();
#pragma unroll
    for (int k = 0; k < 5; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)::"memory");
    out[i] = clock_now() - begin;
    all ^= x;
  }
  *sink = all;
}

// The clock is read when the fifth load has issued: five latencies after the load before the first.
void near_and_far(std::size_t kStride) {
  constexpr int kLines = 4096;
  const Buffer<char> data(kLines * kStride);
  const Buffer<unsigned long long> sink(1);
  point_to_self<<<16, 256>>>(data.data(), kLines, kStride);
  for (const int sm : {0, 1, 2, 16, sms / 2, sms - 1}) {
    const Buffer<long long> out(kLines);
    for (int i = 0; i < 2; ++i) {
      line_latencies<<<sms, 1>>>(data.data(), kLines, kStride, sm, out.data(), sink.data());
      finish();
    }
    auto t = out.read();
    std::sort(t.begin(), t.end());
    for (const int percent : {1, 5, 10, 25, 40, 45, 50, 55, 60, 75, 90, 95, 99})
      print("l2_line." + std::to_string(kLines * kStride >> 20) + "MiB.sm" + std::to_string(sm) +
                ".p" + std::to_string(percent),
            {double(t[t.size() * percent / 100]) / 5}, "cycle");
  }
}

// ---- issue: when the n-th memory instruction issues ---------------------------------------------

enum class Op {
  kLdg32,
  kLdg64,
  kLdg128,
  kLdgMiss,
  kStg32,
  kStg128,
  kLds32,
  kLds128,
  kSts32,
  kSts128,
  kRed,
  kShfl
};

// Bytes a lane accesses; a warp's lanes lie side by side.
__host__ __device__ constexpr unsigned width(Op op) {
  switch (op) {
    case Op::kLdg128:
    case Op::kStg128:
    case Op::kLds128:
    case Op::kSts128:
      return 16;
    case Op::kLdg64:
      return 8;
    default:
      return 4;
  }
}

template <Op op>
__device__ __forceinline__ void access(int i, const char* global, unsigned shared,
                                       unsigned (&v)[32][4]) {
  const char* g = global + (op == Op::kLdgMiss ? i * 131072 : i * 512);
  const unsigned s = shared + i * 16;
  if constexpr (op == Op::kLdg32)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(g) : "memory");
  if constexpr (op == Op::kLdgMiss)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(g) : "memory");
  if constexpr (op == Op::kLdg64)
    asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];"
                 : "=r"(v[i][0]), "=r"(v[i][1])
                 : "l"(g)
                 : "memory");
  if constexpr (op == Op::kLdg128)
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3])
                 : "l"(g)
                 : "memory");
  if constexpr (op == Op::kStg32)
    asm volatile("st.global.u32 [%1], %0;" ::"r"(v[i][0]), "l"(g) : "memory");
  if constexpr (op == Op::kStg128)
    asm volatile("st.global.v4.u32 [%1], {%0,%0,%0,%0};" ::"r"(v[i][0]), "l"(g) : "memory");
  if constexpr (op == Op::kLds32)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[i][0]) : "r"(s) : "memory");
  if constexpr (op == Op::kLds128)
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3])
                 : "r"(s)
                 : "memory");
  if constexpr (op == Op::kSts32)
    asm volatile("st.shared.u32 [%1], %0;" ::"r"(v[i][0]), "r"(s) : "memory");
  if constexpr (op == Op::kSts128)
    asm volatile("st.shared.v4.u32 [%1], {%0,%0,%0,%0};" ::"r"(v[i][0]), "r"(s) : "memory");
  if constexpr (op == Op::kRed)
    asm volatile("red.global.add.u32 [%1], %0;" ::"r"(v[i][0]), "l"(g) : "memory");
  if constexpr (op == Op::kShfl)
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, -1;" : "=r"(v[i][0]) : "r"(s) : "memory");
}

// Cycles from before the first to after the issue of the n-th, of every warp.
template <Op op, int n>
__global__ void issue(char* global, long long* times, unsigned* sink) {
  extern __shared__ unsigned room[];
  constexpr unsigned kWidth = width(op);
  const unsigned lane = threadIdx.x % 32;
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(room)) + lane * kWidth;
  global += (threadIdx.x / 32) * 16384 + lane * kWidth;
  unsigned v[32][4] = {};
  long long t0 = 0, t1 = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    t0 = clock_now();
#pragma unroll
    for (int i = 0; i < n; ++i) access<op>(i, global, shared, v);
    t1 = clock_now();
    unsigned all = 0;
    for (int i = 0; i < n; ++i) all ^= v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
    sink[threadIdx.x] = all;
  }
  if (lane == 0) times[threadIdx.x / 32] = t1 - t0;
}

// A kernel that needs many registers takes fewer threads.
int most_threads(void (*kernel)(char*, long long*, unsigned*)) {
  cudaFuncAttributes attributes{};
  CUDA(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.maxThreadsPerBlock;
}

template <Op op, int n>
void issue_time(const std::string& name, const Buffer<char>& global) {
  const Buffer<long long> times(32);
  const Buffer<unsigned> sink(1024);
  for (const int warps : {1, 2, 3, 4, 8, 16, 32}) {
    if (32 * warps > most_threads(issue<op, n>)) continue;
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) {
      issue<op, n><<<1, 32 * warps, 2048>>>(global.data(), times.data(), sink.data());
      finish();
      const auto t = times.read();
      double mean = 0;
      for (int w = 0; w < warps; ++w) mean += double(t[w]) / warps;
      samples.push_back(mean);
    }
    print("issue." + name + ".n" + std::to_string(n) + ".w" + std::to_string(warps), samples,
          "cycle");
  }
}
template <Op op>
void issue_times(const std::string& name) {
  const Buffer<char> global(1 << 23);
  issue_time<op, 0>(name, global), issue_time<op, 1>(name, global), issue_time<op, 2>(name, global);
  issue_time<op, 3>(name, global), issue_time<op, 4>(name, global), issue_time<op, 5>(name, global);
  issue_time<op, 6>(name, global), issue_time<op, 7>(name, global), issue_time<op, 8>(name, global);
  issue_time<op, 9>(name, global), issue_time<op, 10>(name, global),
      issue_time<op, 12>(name, global);
  issue_time<op, 16>(name, global), issue_time<op, 24>(name, global),
      issue_time<op, 32>(name, global);
}

// ---- shared memory by bank conflict -------------------------------------------------------------

enum class Shared { kLoad, kStore, kLoad64, kLoad128, kAdd, kAddReturn, kCas };
template <Shared op>
__global__ void conflict(unsigned stride, int rounds, long long* times, unsigned* sink) {
  extern __shared__ unsigned room[];
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) room[i] = 0;
  const auto address =
      static_cast<unsigned>(__cvta_generic_to_shared(room)) + (threadIdx.x % 32) * stride;
  __syncthreads();
  unsigned v = 0, all = 0;
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if constexpr (op == Shared::kLoad)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
      if constexpr (op == Shared::kLoad64) {
        unsigned w;
        asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];"
                     : "=r"(v), "=r"(w)
                     : "r"(address)
                     : "memory");
        v ^= w;
      }
      if constexpr (op == Shared::kLoad128) {
        unsigned w[3];
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v), "=r"(w[0]), "=r"(w[1]), "=r"(w[2])
                     : "r"(address)
                     : "memory");
        v ^= w[0] ^ w[1] ^ w[2];
      }
      if constexpr (op == Shared::kStore)
        asm volatile("st.volatile.shared.u32 [%1], %0;" ::"r"(k), "r"(address) : "memory");
      if constexpr (op == Shared::kAdd)
        asm volatile("red.shared.add.u32 [%1], %0;" ::"r"(k), "r"(address) : "memory");
      if constexpr (op == Shared::kAddReturn)
        asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                     : "=r"(v)
                     : "r"(address), "r"(k)
                     : "memory");
      if constexpr (op == Shared::kCas)
        asm volatile("atom.shared.cas.b32 %0, [%1], %2, %2;"
                     : "=r"(v)
                     : "r"(address), "r"(k)
                     : "memory");
      all ^= v;
    }
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  sink[threadIdx.x] = all;
}

double span_of(const std::vector<long long>& t, int warps) {
  long long first = t[0], last = t[1];
  for (int w = 1; w < warps; ++w)
    first = std::min(first, t[2 * w]), last = std::max(last, t[2 * w + 1]);
  return double(last - first);
}

template <Shared op>
void conflicts(const char* name, std::initializer_list<unsigned> strides) {
  const Buffer<long long> times(64);
  const Buffer<unsigned> sink(1024);
  for (const unsigned stride : strides)
    for (const int warps : {1, 4, 16}) {
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        double spans[2];
        for (const int k : {0, 1}) {
          conflict<op>
              <<<1, 32 * warps, 32768>>>(stride, k == 0 ? 4 : 20, times.data(), sink.data());
          finish();
          spans[k] = span_of(times.read(), warps);
        }
        samples.push_back((spans[1] - spans[0]) / (16 * 16 * warps));
      }
      print("shared." + std::string(name) + ".stride" + std::to_string(stride) + ".w" +
                std::to_string(warps),
            samples, "cycle");
    }
}

// ---- global loads that hit L1, lanes `stride` bytes apart
// ----------------------------------------

template <int bytes>
__global__ void scattered(const char* data, unsigned stride, int rounds, long long* times,
                          unsigned* sink) {
  const char* at = data + (threadIdx.x % 32) * stride;
  unsigned all = 0;
  for (int warm = 0; warm < 2; ++warm) {
    __syncthreads();
    const long long begin = clock_now();
#pragma unroll 1
    for (int i = 0; i < (warm == 0 ? 4 : rounds); ++i) {
      // Another address each time, so that the compiler cannot load once for all.
      const char* here = at + i % 4 * 256;
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        unsigned v[4] = {};
        if constexpr (bytes == 4)
          asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[0]) : "l"(here + k * 16) : "memory");
        if constexpr (bytes == 8)
          asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];"
                       : "=r"(v[0]), "=r"(v[1])
                       : "l"(here + k * 16)
                       : "memory");
        if constexpr (bytes == 16)
          asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                       : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                       : "l"(here + k * 16)
                       : "memory");
        all += v[0] + v[1] + v[2] + v[3];
      }
    }
    const long long end = clock_now();
    if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  }
  sink[threadIdx.x] = all;
}

template <int bytes>
void scattered_loads(const char* name) {
  const Buffer<char> data(1 << 16);
  const Buffer<long long> times(64);
  const Buffer<unsigned> sink(1024);
  for (const unsigned stride : {0u, 4u, 8u, 16u, 32u, 64u, 128u, 132u, 256u, 512u, 1280u})
    for (const int warps : {1, 4, 16}) {
      if (stride != 0 && stride < unsigned(bytes)) continue;
      if (bytes > 4 && stride % bytes != 0) continue;
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        double spans[2];
        for (const int k : {0, 1}) {
          scattered<bytes>
              <<<1, 32 * warps>>>(data.data(), stride, k == 0 ? 4 : 20, times.data(), sink.data());
          finish();
          spans[k] = span_of(times.read(), warps);
        }
        samples.push_back((spans[1] - spans[0]) / (16 * 16 * warps));
      }
      print("scattered." + std::string(name) + ".stride" + std::to_string(stride) + ".w" +
                std::to_string(warps),
            samples, "cycle");
    }
}

// ---- atomics in global memory by contention -----------------------------------------------------

template <bool returns>
__global__ void global_atomics(unsigned* data, unsigned lane_stride, unsigned warp_stride,
                               unsigned block_stride, int rounds, long long* cycles,
                               unsigned* sink) {
  unsigned* at = data + blockIdx.x * block_stride + (threadIdx.x / 32) * warp_stride +
                 (threadIdx.x % 32) * lane_stride;
  unsigned v = 0;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
    if constexpr (returns)
      asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(at) : "memory");
    else
      asm volatile("red.global.add.u32 [%1], %0;" ::"r"(i), "l"(at) : "memory");
  }
  if (!returns) __threadfence();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

template <bool returns>
void atomics(const char* name) {
  struct Case {
    const char* name;
    unsigned lane, warp, block;
  } cases[] = {{"one_word", 0, 0, 0},      {"word_per_lane", 1, 0, 0},
               {"word_per_warp", 0, 8, 0}, {"word_per_block", 0, 0, 64},
               {"own_words", 1, 32, 1024}, {"line_per_lane", 32, 1024, 32768}};
  for (const auto& c : cases)
    for (const int blocks : {1, sms})
      for (const int warps : {1, 8}) {
        const Buffer<unsigned> data(132 * 32768 + 32768), sink(132 * 1024);
        const Buffer<long long> cycles(1024);
        std::vector<double> samples;
        for (int i = 0; i < 3; ++i) {
          double t[2];
          for (const int k : {0, 1}) {
            global_atomics<returns><<<blocks, 32 * warps>>>(
                data.data(), c.lane, c.warp, c.block, k == 0 ? 16 : 80, cycles.data(), sink.data());
            finish();
            const auto all = cycles.read();
            t[k] = *std::max_element(all.begin(), all.begin() + blocks);
          }
          samples.push_back((t[1] - t[0]) / 64);
        }
        print(std::string(name) + "." + c.name + ".blocks" + std::to_string(blocks) + ".w" +
                  std::to_string(warps),
              samples, "cycle");
      }
}

// ---- bandwidth ----------------------------------------------------------------------------------

enum class Stream { kL1, kShared, kRead, kWrite, kWriteWord, kCopy };
// Each block walks `per_block` bytes, `rounds` times. data is shared by the blocks when `common`.
template <Stream kind>
__global__ void stream(char* data, std::size_t per_block, bool common, int rounds,
                       long long* cycles, unsigned long long* ns, unsigned* sink) {
  extern __shared__ unsigned room[];
  char* base = data + (common ? 0 : blockIdx.x * per_block);
  unsigned all = 0;
  __syncthreads();
  const unsigned long long ns_begin = nanoseconds_now();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const std::size_t step = kind == Stream::kWriteWord ? blockDim.x * 32 : blockDim.x * 16;
#pragma unroll 8
    for (std::size_t at = 0; at < per_block; at += step) {
      char* p = base + at + threadIdx.x * (kind == Stream::kWriteWord ? 32 : 16);
      unsigned a = 0, b = 0, c = 0, d = 0;
      if constexpr (kind == Stream::kL1)
        asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(p));
      if constexpr (kind == Stream::kRead || kind == Stream::kCopy)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(p));
      if constexpr (kind == Stream::kShared)
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(room)) +
                           static_cast<unsigned>(at) % 16384 + threadIdx.x * 16));
      if constexpr (kind == Stream::kWrite)
        asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(round) : "memory");
      if constexpr (kind == Stream::kWriteWord)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(round) : "memory");
      if constexpr (kind == Stream::kCopy)
        asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(p + gridDim.x * per_block),
                     "r"(a), "r"(b), "r"(c), "r"(d)
                     : "memory");
      all ^= a ^ b ^ c ^ d;
    }
    if (kind == Stream::kL1 || kind == Stream::kShared) __syncthreads();
  }
  const long long end = clock64();
  const unsigned long long ns_end = nanoseconds_now();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = end - begin, ns[2 * blockIdx.x] = ns_begin,
    ns[2 * blockIdx.x + 1] = ns_end;
  if (all == 0x12345678) *sink = all;
}

template <Stream kind>
void bandwidth(const std::string& name, Buffer<char>& data, int blocks, int threads,
               std::size_t per_block, bool common, int rounds) {
  const Buffer<long long> cycles(blocks);
  const Buffer<unsigned long long> ns(2 * blocks);
  const Buffer<unsigned> sink(1);
  std::vector<double> per_cycle, per_ns;
  for (int i = 0; i < 4; ++i) {
    stream<kind><<<blocks, threads, 49152>>>(data.data(), per_block, common, rounds, cycles.data(),
                                             ns.data(), sink.data());
    finish();
    if (i == 0) continue;
    const auto c = cycles.read();
    const auto n = ns.read();
    unsigned long long first = ~0ull, last = 0;
    for (int b = 0; b < blocks; ++b)
      first = std::min(first, n[2 * b]), last = std::max(last, n[2 * b + 1]);
    const double bytes = double(per_block) * rounds * blocks;
    per_cycle.push_back(bytes / double(*std::max_element(c.begin(), c.end())));
    per_ns.push_back(bytes / double(last - first));
  }
  print("bandwidth." + name, per_cycle, "byte/cycle");
  print("bandwidth." + name + ".time", per_ns, "GB/s");
}

void bandwidths() {
  Buffer<char> data(std::size_t{1} << 31);
  for (const int threads : {128, 256, 512, 1024}) {
    const std::string t = ".threads" + std::to_string(threads);
    bandwidth<Stream::kL1>("l1.sm" + t, data, 1, threads, 32768, true, 64);
    bandwidth<Stream::kShared>("shared.sm" + t, data, 1, threads, 32768, true, 64);
    bandwidth<Stream::kRead>("l2_read.sm" + t, data, 1, threads, 1 << 20, true, 4);
    bandwidth<Stream::kWrite>("l2_write.sm" + t, data, 1, threads, 1 << 20, true, 4);
    bandwidth<Stream::kWriteWord>("l2_write_word.sm" + t, data, 1, threads, 1 << 20, true, 4);
    bandwidth<Stream::kRead>("l2_read.chip" + t, data, sms, threads, 1 << 17, false, 16);
    bandwidth<Stream::kRead>("l2_read_common.chip" + t, data, sms, threads, 1 << 17, true, 16);
    bandwidth<Stream::kWrite>("l2_write.chip" + t, data, sms, threads, 1 << 17, false, 16);
    bandwidth<Stream::kWriteWord>("l2_write_word.chip" + t, data, sms, threads, 1 << 17, false, 16);
    bandwidth<Stream::kRead>("dram_read.chip" + t, data, sms, threads, 7 << 20, false, 1);
    bandwidth<Stream::kWrite>("dram_write.chip" + t, data, sms, threads, 7 << 20, false, 1);
    bandwidth<Stream::kWriteWord>("dram_write_word.chip" + t, data, sms, threads, 7 << 20, false,
                                  1);
    bandwidth<Stream::kCopy>("dram_copy.chip" + t, data, sms, threads, 7 << 20, false, 1);
    bandwidth<Stream::kRead>("dram_read.sm" + t, data, 1, threads, 512 << 20, false, 1);
  }
  for (const int blocks : {2, 4, 8, 16, 33, 66})
    bandwidth<Stream::kRead>("l2_read.sms" + std::to_string(blocks), data, blocks, 1024, 1 << 17,
                             false, 32);
  for (const int blocks : {2, 4, 8, 16, 33, 66})
    bandwidth<Stream::kRead>("dram_read.sms" + std::to_string(blocks), data, blocks, 1024, 15 << 20,
                             false, 1);
}

}  // namespace

int main() {
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  print_header("memory");
  chase_latency<Space::kL1>("ldg64_l1");
  chase_latency<Space::kL2>("ldg64_l2_one_line");
  chase_latency<Space::kShared32>("lds32");
  chase_latency<Space::kShared64>("lds64");
  chase_latency<Space::kShared128>("lds128");
  chase_latency<Space::kConstant>("ldc");
  near_and_far(1024 + 128);
  near_and_far(8192 + 128);
  conflicts<Shared::kLoad>("load", {0, 4, 8, 16, 32, 64, 128});
  conflicts<Shared::kLoad64>("load64", {0, 8, 16, 32, 128});
  conflicts<Shared::kLoad128>("load128", {0, 16, 32, 128});
  conflicts<Shared::kStore>("store", {0, 4, 8, 16, 32, 64, 128});
  conflicts<Shared::kAdd>("add", {0, 4, 8, 128});
  conflicts<Shared::kAddReturn>("add_return", {0, 4, 8, 128});
  conflicts<Shared::kCas>("cas", {0, 4, 8, 128});
  issue_times<Op::kLdg32>("ldg32");
  issue_times<Op::kLdg64>("ldg64");
  issue_times<Op::kLdg128>("ldg128");
  issue_times<Op::kLdgMiss>("ldg32_l2");
  issue_times<Op::kStg32>("stg32");
  issue_times<Op::kStg128>("stg128");
  issue_times<Op::kLds32>("lds32");
  issue_times<Op::kLds128>("lds128");
  issue_times<Op::kSts32>("sts32");
  issue_times<Op::kSts128>("sts128");
  issue_times<Op::kRed>("red");
  issue_times<Op::kShfl>("shfl");
  scattered_loads<4>("load32");
  scattered_loads<8>("load64");
  scattered_loads<16>("load128");
  atomics<true>("atom");
  atomics<false>("red");
  bandwidths();
  const Buffer<uint4> flush(std::size_t{1} << 24);
  for (const std::size_t kib : {16, 64, 128, 192, 208, 224, 240, 256})
    ring_latency(true, kib << 10, 128, true, nullptr, 0);
  for (const std::size_t mib : {1, 4, 16, 24, 28, 32, 40, 48, 56, 64, 96, 128, 256})
    ring_latency(false, mib << 20, 4096 + 256, true, nullptr, 0);
  for (const std::size_t mib : {1, 16, 64, 256})
    ring_latency(false, mib << 20, 4096 + 256, false, flush.data(), std::size_t{1} << 24);
  ring_latency(false, std::size_t{1} << 30, 65536 + 256, true, nullptr, 0);
  ring_latency(false, std::size_t{1} << 20, 32, false, flush.data(), std::size_t{1} << 24);
  ring_latency(false, std::size_t{1} << 20, 128, false, flush.data(), std::size_t{1} << 24);
}
