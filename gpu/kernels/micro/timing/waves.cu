// Streams by blocks that come in waves, as most kernels are: each warp loads one word a lane of one
// or two arrays and stores one, or not. How long loads take in the first blocks of an SM and in
// those that take their places, how long blocks live, and when the next one begins.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o waves waves.cu && ./waves [QUESTION…]
//
// `waves.add.t256.m4.cold.first.load`: two loads and a store, blocks of 256 threads, four million
// words, caches empty (`warm`: all of it has been loaded before);
// loads of an SM's first blocks, the mean (`.p95`: one in twenty takes longer). `.later.load`:
// those of other blocks. `.life`: from a block's first clock to its last; `.gap`: from there to the
// first clock of the next. `.active`: from the first clock of an SM to the last, the mean of SMs,
// `.most` that of the last SM.
#include <map>
#include <numeric>

#include "flush.h"
#include "probe.h"

namespace {

using namespace timing;

struct Warp {
  long long begin, loaded, end;
  unsigned sm, unused;
};

enum class Does { load, copy, add };

template <Does does>
__global__ void stream(const float* a, const float* b, float* c, Warp* warps) {
  const long long begin = clock_now();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0, y = 0;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(a + i) : "memory");
  if (does == Does::add) asm volatile("ld.global.f32 %0, [%1];" : "=f"(y) : "l"(b + i) : "memory");
  const float z = x + y;
  asm volatile("{ .reg .pred p; setp.eq.f32 p, %0, 0f3F8CCCCD; @p trap; }" ::"f"(z) : "memory");
  const long long loaded = clock_now();
  if (does != Does::load) asm volatile("st.global.f32 [%0], %1;" ::"l"(c + i), "f"(z) : "memory");
  if (threadIdx.x % 32 != 0) return;
  Warp& mine = warps[i / 32];
  mine.sm = sm_id();
  mine.begin = begin, mine.loaded = loaded, mine.end = clock_now();
}

using Kernel = void (*)(const float*, const float*, float*, Warp*);

double mean(const std::vector<double>& v) {
  return v.empty() ? 0 : std::accumulate(v.begin(), v.end(), 0.0) / double(v.size());
}
double part(std::vector<double> v, int percent) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() * std::size_t(percent) / 100];
}

constexpr int kTimes = 3;

struct Arrays {
  const Buffer<float>&a, &b, &c;
  const Flush& flush;
};

void ask(const std::string& name, Kernel kernel, int threads, std::size_t words,
         const Arrays& arrays, const std::string& state) {
  const int warps = threads / 32, blocks = int(words / std::size_t(threads)),
            resident = 2048 / threads;
  const Buffer<Warp> buffer(words / 32);
  std::map<std::string, std::vector<double>> answers;
  for (int time = 0; time < kTimes; ++time) {
    if (state != "warm" || time == 0) arrays.flush();
    for (int again = state == "warm" && time == 0 ? 2 : 1; again != 0; --again)
      kernel<<<blocks, threads>>>(arrays.a.data(), arrays.b.data(), arrays.c.data(), buffer.data());
    finish();
    const std::vector<Warp> all = buffer.read();
    struct Block {
      long long begin, end;
      int number;
    };
    std::map<unsigned, std::vector<Block>> of_sm;
    for (int block = 0; block < blocks; ++block) {
      Block each{all[std::size_t(block) * warps].begin, 0, block};
      for (int warp = 0; warp < warps; ++warp) {
        each.begin = std::min(each.begin, all[std::size_t(block) * warps + warp].begin);
        each.end = std::max(each.end, all[std::size_t(block) * warps + warp].end);
      }
      of_sm[all[std::size_t(block) * warps].sm].push_back(each);
    }
    std::vector<double> first, later, lives, gaps, active;
    for (auto& [sm, own] : of_sm) {
      std::sort(own.begin(), own.end(),
                [](const Block& a, const Block& b) { return a.begin < b.begin; });
      std::vector<long long> ends;
      for (const Block& each : own) ends.push_back(each.end);
      std::sort(ends.begin(), ends.end());
      active.push_back(double(ends.back() - own.front().begin));
      for (std::size_t i = 0; i < own.size(); ++i) {
        lives.push_back(double(own[i].end - own[i].begin));
        if (i >= std::size_t(resident)) gaps.push_back(double(own[i].begin - ends[i - resident]));
        for (int warp = 0; warp < warps; ++warp) {
          const Warp& mine = all[std::size_t(own[i].number) * warps + warp];
          (i < std::size_t(resident) ? first : later).push_back(double(mine.loaded - mine.begin));
        }
      }
    }
    answers["first.load"].push_back(mean(first));
    answers["first.load.p95"].push_back(part(first, 95));
    answers["later.load"].push_back(mean(later));
    answers["later.load.p95"].push_back(part(later, 95));
    answers["life"].push_back(mean(lives));
    answers["gap"].push_back(mean(gaps));
    answers["active"].push_back(mean(active));
    answers["most"].push_back(part(active, 99));
  }
  for (const auto& [what, samples] : answers) print(name + "." + what, samples, "cycle");
}

}  // namespace

int main(int argc, char** argv) {
  print_header("waves");
  int l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  constexpr std::size_t kMega = std::size_t{1} << 20, kMost = 8 * kMega;
  Buffer<float> a(kMost), b(kMost);
  const Buffer<float> c(kMost);
  std::vector<float> values(kMost);
  for (std::size_t i = 0; i < kMost; ++i) values[i] = float(i * 2654435761u % 1024);
  a.write(values), b.write(values);
  const Flush flush{std::size_t(l2_bytes)};
  const Arrays arrays{a, b, c, flush};
  struct Kind {
    const char* name;
    Kernel kernel;
  };
  for (const Kind& kind : {Kind{"load", stream<Does::load>}, Kind{"copy", stream<Does::copy>},
                           Kind{"add", stream<Does::add>}})
    for (const int threads : {128, 256, 512, 1024})
      for (const int megas : {1, 4})
        for (const char* state : {"cold", "warm"}) {
          const std::string name = std::string("waves.") + kind.name + ".t" +
                                   std::to_string(threads) + ".m" + std::to_string(megas) + "." +
                                   state;
          bool wanted = argc == 1;
          for (int i = 1; i < argc; ++i) wanted |= name.find(argv[i]) != std::string::npos;
          if (wanted) ask(name, kind.kernel, threads, std::size_t(megas) * kMega, arrays, state);
        }
}
