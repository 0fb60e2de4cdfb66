// When the warps of a grid's first blocks begin, and when loads come that all of them make then.
// Alone a kernel finds its code in the caches; measured by gpu/cupti/measure.sh (mode timing) all
// caches are empty, and the record has the cycles of `nothing` as well.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o block_starts block_starts.cu
//   ./block_starts
//   gpu/cupti/measure.sh -m timing -o block_starts.json -- ./block_starts
//
// `begin.t256.r8.k3.first`, `.last`: the first and the last warp of the fourth block of an SM, in
// cycles after that SM's first warp, the mean of all SMs; 256 threads, eight blocks on each SM.
// `load.apart128.b132.w8.mean`, `.p50`, `.p95`: how long one load of a line by each warp takes, the
// lines of neighbouring warps 128 bytes apart; `.sm`: the longest of an SM, the mean of all SMs.
#include <map>
#include <numeric>

#include "flush.h"
#include "probe.h"

__global__ void nothing() {}

namespace {

using namespace timing;

struct Warp {
  long long begin, took;
  unsigned sm, unused[3];
};

__global__ void begins(Warp* warps) {
  const long long begin = clock_now();
  if (threadIdx.x % 32 != 0) return;
  Warp& mine = warps[(blockIdx.x * blockDim.x + threadIdx.x) / 32];
  mine.begin = begin;
  mine.sm = sm_id();
}

__global__ void loads(const char* data, unsigned apart, Warp* warps) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const char* const at = data + std::size_t(warp) * apart + lane * 4;
  Warp& mine = warps[warp];
  const unsigned sm = sm_id();
  unsigned zero = 0;
  const long long begin = clock_now();
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(zero) : "l"(at) : "memory");
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(zero) : "memory");
  const long long end = clock_now();
  if (lane != 0) return;
  mine.begin = begin, mine.took = end - begin;
  mine.sm = sm;
}

constexpr int kTimes = 5;

std::map<unsigned, std::vector<Warp>> by_sm(const std::vector<Warp>& warps) {
  std::map<unsigned, std::vector<Warp>> sms;
  for (const Warp& warp : warps) sms[warp.sm].push_back(warp);
  return sms;
}

void ask_begins(int sms, int threads, int resident) {
  const int warps = threads / 32, blocks = resident * sms;
  const Buffer<Warp> buffer(std::size_t(blocks) * warps);
  std::vector<std::vector<double>> first(resident), last(resident);
  for (int time = 0; time < kTimes; ++time) {
    begins<<<blocks, threads>>>(buffer.data());
    finish();
    if (time == 0) continue;
    const std::vector<Warp> all = buffer.read();
    struct Block {
      long long first, last;
    };
    std::map<unsigned, std::vector<Block>> of_sm;
    for (int block = 0; block < blocks; ++block) {
      const Warp* const own = all.data() + std::size_t(block) * warps;
      const auto [least, most] = std::minmax_element(
          own, own + warps, [](const Warp& a, const Warp& b) { return a.begin < b.begin; });
      of_sm[own->sm].push_back({least->begin, most->begin});
    }
    std::vector<double> firsts(resident), lasts(resident), counts(resident);
    for (auto& [sm, own] : of_sm) {
      std::sort(own.begin(), own.end(),
                [](const Block& a, const Block& b) { return a.first < b.first; });
      for (int k = 0; k < int(own.size()) && k < resident; ++k) {
        firsts[k] += double(own[k].first - own[0].first);
        lasts[k] += double(own[k].last - own[0].first);
        ++counts[k];
      }
    }
    for (int k = 0; k < resident; ++k) {
      first[k].push_back(firsts[k] / counts[k]);
      last[k].push_back(lasts[k] / counts[k]);
    }
  }
  for (int k = 0; k < resident; ++k) {
    const std::string name = "begin.t" + std::to_string(threads) + ".r" + std::to_string(resident) +
                             ".k" + std::to_string(k);
    print(name + ".first", first[k], "cycle");
    print(name + ".last", last[k], "cycle");
  }
}

void ask_loads(const Buffer<char>& data, unsigned apart, int blocks, int warps,
               const Flush& flush) {
  const Buffer<Warp> buffer(std::size_t(blocks) * warps);
  std::vector<double> mean, half, most, of_sm;
  for (int time = 0; time < kTimes; ++time) {
    flush();
    loads<<<blocks, 32 * warps>>>(data.data(), apart, buffer.data());
    finish();
    const std::vector<Warp> all = buffer.read();
    std::vector<double> took;
    for (const Warp& warp : all) took.push_back(double(warp.took));
    std::sort(took.begin(), took.end());
    mean.push_back(std::accumulate(took.begin(), took.end(), 0.0) / double(took.size()));
    half.push_back(took[took.size() / 2]);
    most.push_back(took[took.size() * 95 / 100]);
    double sum = 0;
    const auto sms = by_sm(all);
    for (const auto& [sm, own] : sms)
      sum += double(std::max_element(own.begin(), own.end(), [](const Warp& a, const Warp& b) {
                      return a.took < b.took;
                    })->took);
    of_sm.push_back(sum / double(sms.size()));
  }
  const std::string name = "load.apart" + std::to_string(apart) + ".b" + std::to_string(blocks) +
                           ".w" + std::to_string(warps);
  print(name + ".mean", mean, "cycle");
  print(name + ".p50", half, "cycle");
  print(name + ".p95", most, "cycle");
  print(name + ".sm", of_sm, "cycle");
}

}  // namespace

int main() {
  print_header("block_starts");
  int sms = 0, l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int resident : {1, 2, 4, 8, 16, 32})
      if (resident * threads <= 2048) ask_begins(sms, threads, resident);
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int blocks : {1, 2, 4, 8, 16, 32, 64}) nothing<<<blocks * sms, threads>>>();
  finish();
  const Buffer<char> data(std::size_t{600} << 20);
  const Flush flush{std::size_t(l2_bytes)};
  for (const unsigned apart : {128, 256, 4096, 65536, 524288})
    for (const int blocks : {1, 16, sms})
      for (const int warps : {1, 2, 4, 8})
        if (std::size_t(apart) * blocks * warps <= std::size_t{600} << 20)
          ask_loads(data, apart, blocks, warps, flush);
}
