// Which of a sub-core's warps issues, where many could: each warp reads the clock before its
// instructions and behind them. Warps that take turns end at about the same time; where one is
// favoured, it ends early. First warps of one block, then several blocks on each SM.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o turns turns.cu && ./turns [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kCount = 16;  // groups of instructions a warp
constexpr int kMostWarps = 32;
constexpr std::size_t kRowBytes = kMostWarps * 128;

enum class What {
  kChain,        // three of which each reads the one before
  kIndependent,  // four that read nothing of each other
  kBoth,         // both
  kDoubles,      // four independent ones
  kSpecial,      // one
  kSpecials,     // four independent ones
  kLoads,        // one that hits L1
  kSparseLoads,  // one, behind a chain of six
  kSharedLoads,  // one
  kStores,       // one
};

struct Operands {
  unsigned x, a, b, c, d;
  double e, f, g, h;
  float special, another, third, fourth;
};

template <What what>
__device__ __forceinline__ void group(Operands& o, const char* at, unsigned shared, unsigned* sink,
                                      int i, unsigned& word) {
  if constexpr (what == What::kChain || what == What::kBoth)
    asm volatile("add.u32 %0,%0,%1; xor.b32 %0,%0,%1; add.u32 %0,%0,%1;"
                 : "+r"(o.x)
                 : "r"(o.a)
                 : "memory");
  if constexpr (what == What::kIndependent || what == What::kBoth)
    asm volatile("add.u32 %0,%0,%4; add.u32 %1,%1,%4; add.u32 %2,%2,%4; add.u32 %3,%3,%4;"
                 : "+r"(o.x), "+r"(o.b), "+r"(o.c), "+r"(o.d)
                 : "r"(o.a)
                 : "memory");
  if constexpr (what == What::kDoubles)
    asm volatile(
        "fma.rn.f64 %0,%0,%0,%0; fma.rn.f64 %1,%1,%1,%1;"
        "fma.rn.f64 %2,%2,%2,%2; fma.rn.f64 %3,%3,%3,%3;"
        : "+d"(o.e), "+d"(o.f), "+d"(o.g), "+d"(o.h)::"memory");
  if constexpr (what == What::kSpecial)
    asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(o.special)::"memory");
  if constexpr (what == What::kSpecials)
    asm volatile(
        "ex2.approx.ftz.f32 %0,%0; ex2.approx.ftz.f32 %1,%1;"
        "ex2.approx.ftz.f32 %2,%2; ex2.approx.ftz.f32 %3,%3;"
        : "+f"(o.special), "+f"(o.another), "+f"(o.third), "+f"(o.fourth)::"memory");
  if constexpr (what == What::kSparseLoads)
    asm volatile(
        "add.u32 %0,%0,3; xor.b32 %0,%0,5; add.u32 %0,%0,7;"
        "xor.b32 %0,%0,11; add.u32 %0,%0,13; xor.b32 %0,%0,17;"
        : "+r"(o.x)::"memory");
  if constexpr (what == What::kLoads || what == What::kSparseLoads)
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(word) : "l"(at + i * kRowBytes) : "memory");
  if constexpr (what == What::kSharedLoads)
    asm volatile("ld.shared.u32 %0,[%1];" : "=r"(word) : "r"(shared + i * 4) : "memory");
  if constexpr (what == What::kStores)
    asm volatile("st.global.u32 [%0],%1;" ::"l"(sink + i * kRowBytes / 4), "r"(o.x) : "memory");
}

// When a warp began and when it had issued all; on which SM it was.
struct Times {
  long long begin, end;
  unsigned sm;
};

// `in` holds zeros. Blocks of several begin at the same time.
template <What what>
__global__ void turns(const unsigned* in, const char* data, unsigned* sink, Times* times) {
  __shared__ unsigned words[kMostWarps * 32 + kCount];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const char* const at = data + threadIdx.x * 4;
  words[threadIdx.x] = lane;
  Operands o{in[lane], in[lane + 1], in[lane + 2], in[lane + 3], in[lane + 4]};
  o.e = o.x, o.f = o.a, o.g = o.b, o.h = o.c, o.special = float(o.d);
  o.another = float(o.a), o.third = float(o.b), o.fourth = float(o.c);
  unsigned rest = 0, loaded[kCount] = {};
#pragma unroll 1
  for (int i = 0; i < kCount; ++i) {  // now they are in L1
    unsigned word;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(word) : "l"(at + i * kRowBytes) : "memory");
    rest |= word;
  }
  if (rest == 1) sink[0] = 1;
  const auto shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  if (gridDim.x > 1 && threadIdx.x == 0) {
    constexpr unsigned long long kTogether = 16384;  // nanoseconds; a launch is dealt out in less
    const unsigned long long target = (nanoseconds_now() / kTogether + 2) * kTogether;
    while (nanoseconds_now() < target) continue;
  }
  meet(o.x);
  const long long begin = clock_now();
#pragma unroll
  for (int i = 0; i < kCount; ++i) group<what>(o, at, shared, sink + threadIdx.x, i, loaded[i]);
  if (what == What::kSpecials && o.special + o.another + o.third + o.fourth == 1.5f) __trap();
  const long long end = clock_now();
#pragma unroll
  for (int i = 0; i < kCount; ++i) rest |= loaded[i];
  if ((o.x | o.b | o.c | o.d | rest | __float_as_uint(o.special)) == 1 ||
      o.e + o.f + o.g + o.h == 1 || o.another + o.third + o.fourth == 1)
    sink[0] = o.x;
  if (lane == 0) times[blockIdx.x * blockDim.x / 32 + warp] = {begin, end, sm_id()};
}

// When the first and the last of the block's warps have issued all, since the first began, and the
// mean of all.
template <What what>
void ask(const char* name) {
  constexpr int kRepeats = 5;
  const Buffer<unsigned> in(64), sink(kCount * kRowBytes / 4 + 1024);
  const Buffer<char> data(kCount * kRowBytes);
  for (const int warps : {4, 8, 12, 16, 32}) {
    const std::string question = std::string("turns.") + name + ".w" + std::to_string(warps);
    if (!is_wanted(question)) continue;
    const Buffer<Times> times(kMostWarps);
    std::vector<double> first, mean, last;
    for (int i = 0; i <= kRepeats; ++i) {
      turns<what><<<1, 32 * warps>>>(in.data(), data.data(), sink.data(), times.data());
      finish();
      if (i == 0) continue;  // now the code is there
      const auto t = times.read();
      long long begin = t[0].begin, least = t[0].end, most = t[0].end;
      double sum = 0;
      for (int warp = 0; warp < warps; ++warp) {
        begin = std::min(begin, t[warp].begin);
        least = std::min(least, t[warp].end);
        most = std::max(most, t[warp].end);
        sum += double(t[warp].end);
      }
      first.push_back(double(least - begin));
      mean.push_back(sum / warps - double(begin));
      last.push_back(double(most - begin));
    }
    print(question + ".first", first, "cycle");
    print(question + ".mean", mean, "cycle");
    print(question + ".last", last, "cycle");
  }
}

// Blocks of eight warps on each SM: when the warps of its first block have issued all, those of its
// second …, in the mean, since the first warp there began.
template <What what>
void ask_blocks(const char* name, int sms) {
  constexpr int kRepeats = 5, kWarps = 8;
  const Buffer<unsigned> in(64), sink(kCount * kRowBytes / 4 + 1024);
  const Buffer<char> data(kCount * kRowBytes);
  for (const int blocks : {2, 4}) {
    const std::string question = std::string("blocks.") + name + ".b" + std::to_string(blocks);
    if (!is_wanted(question)) continue;
    const Buffer<Times> times(std::size_t(sms) * blocks * kWarps);
    std::vector<std::vector<double>> ends(blocks);
    for (int i = 0; i <= kRepeats; ++i) {
      turns<what><<<sms * blocks, 32 * kWarps>>>(in.data(), data.data(), sink.data(), times.data());
      finish();
      if (i == 0) continue;
      const auto t = times.read();
      std::vector<std::vector<int>> on(sms);  // each SM's blocks, in the order of the grid
      for (int block = 0; block < sms * blocks; ++block)
        on[t[std::size_t(block) * kWarps].sm].push_back(block);
      std::vector<double> sums(blocks);
      int counted = 0;
      for (const auto& mine : on) {
        if (int(mine.size()) != blocks) continue;
        ++counted;
        long long begin = t[std::size_t(mine[0]) * kWarps].begin;
        for (const int block : mine)
          for (int warp = 0; warp < kWarps; ++warp)
            begin = std::min(begin, t[std::size_t(block) * kWarps + warp].begin);
        for (int k = 0; k < blocks; ++k)
          for (int warp = 0; warp < kWarps; ++warp)
            sums[k] += double(t[std::size_t(mine[k]) * kWarps + warp].end - begin) / kWarps;
      }
      for (int k = 0; k < blocks; ++k) ends[k].push_back(sums[k] / counted);
    }
    for (int k = 0; k < blocks; ++k)
      print(question + ".block" + std::to_string(k), ends[k], "cycle");
  }
}

}  // namespace

int main(int count, char** arguments) {
  read_wanted(count, arguments);
  print_header("turns");
  ask<What::kChain>("chain");
  ask<What::kIndependent>("independent");
  ask<What::kBoth>("both");
  ask<What::kDoubles>("doubles");
  ask<What::kSpecial>("special");
  ask<What::kSpecials>("specials");
  ask<What::kLoads>("loads");
  ask<What::kSparseLoads>("sparse_loads");
  ask<What::kSharedLoads>("shared_loads");
  ask<What::kStores>("stores");
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const int sms = properties.multiProcessorCount;
  ask_blocks<What::kChain>("chain", sms);
  ask_blocks<What::kIndependent>("independent", sms);
  ask_blocks<What::kSparseLoads>("sparse_loads", sms);
  ask_blocks<What::kLoads>("loads", sms);
}
