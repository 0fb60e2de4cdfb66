// What L1 and shared memory get of the memory that they are made of, by the carveout that a kernel
// prefers and the shared memory that its blocks take: how many lines a warp finds again, and how
// many blocks are on an SM at a time.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o carveouts carveouts.cu && ./carveouts [QUESTION…]
#include <map>

#include "spans.h"

namespace {

using namespace timing;

constexpr int kWarmRounds = 2, kRounds = 2, kTwice = 2;
constexpr long long kStays = 60'000, kFirst = 30'000;  // cycles

// One warp reads `count` lines in turn, and counts those that take longer than L1 does.
__global__ void find_again(long long* missed, const char* data, unsigned count, unsigned* sink) {
  constexpr long long kFromL2 = 150;
  unsigned long long word = 0;
  long long late = 0, before = 0;
#pragma unroll 1
  for (int round = 0; round < kWarmRounds + kRounds; ++round)
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
      const char* const at = data + std::size_t{i} * 128 + word;  // waits for the word before
      const long long now = clock_now();
      if (round >= kWarmRounds) late += now - before > kFromL2;
      before = now;
      asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    }
  if (threadIdx.x == 0) missed[0] = late;
  sink[threadIdx.x] = static_cast<unsigned>(word);
}

// Each block stays for a while.
__global__ void stay(long long* begins, unsigned* sms) {
  const long long begin = clock_now();
  if (threadIdx.x == 0) begins[blockIdx.x] = begin, sms[blockIdx.x] = sm_id();
  while (clock_now() - begin < kStays) {
  }
}

void ask(const std::string& rest, int bytes, int sms) {
  if (is_wanted("lines" + rest)) {
    const Buffer<char> data(4096 * 128);
    const Buffer<long long> missed(1);
    const Buffer<unsigned> sink(32);
    for (unsigned count = 128; count <= 2048; count += 128) {
      std::vector<double> samples;
      for (int i = 0; i < kTwice; ++i) {
        find_again<<<1, 32, bytes>>>(missed.data(), data.data(), count, sink.data());
        finish();
        samples.push_back(100. * double(missed.read()[0]) / (double(kRounds) * count));
      }
      print("lines" + rest + ".n" + std::to_string(count), samples, "%");
    }
  }
  if (!is_wanted("blocks" + rest)) return;
  const int blocks = 40 * sms;
  const Buffer<long long> begins(blocks);
  const Buffer<unsigned> places(blocks);
  std::vector<double> samples;
  for (int i = 0; i < kTwice; ++i) {
    stay<<<blocks, 32, bytes>>>(begins.data(), places.data());
    finish();
    const auto begin = begins.read();
    const auto place = places.read();
    std::map<unsigned, long long> first;
    for (int b = 0; b < blocks; ++b) {
      const auto [at, is_new] = first.try_emplace(place[b], begin[b]);
      at->second = std::min(at->second, begin[b]);
    }
    double together = 0;
    for (int b = 0; b < blocks; ++b) together += begin[b] - first[place[b]] < kFirst;
    samples.push_back(together / double(first.size()));
  }
  print("blocks" + rest, samples, "block");
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("carveouts");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const auto prefer = [](auto kernel, int percent) {
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
  };
  for (const int kib : {0, 1, 3, 7, 20, 48})
    for (const int percent : {-1, 0, 1, 5, 12, 25, 40, 50, 75, 100}) {
      prefer(find_again, percent);
      prefer(stay, percent);
      ask(".shared" + std::to_string(kib) + ".prefers" +
              (percent < 0 ? std::string("none") : std::to_string(percent)),
          kib * 1024, sms);
    }
  prefer(find_again, -1);
  prefer(stay, -1);
  for (const int kib : {0, 7})
    for (const auto& [name, config] : {std::pair{"none", cudaFuncCachePreferNone},
                                       {"shared", cudaFuncCachePreferShared},
                                       {"l1", cudaFuncCachePreferL1},
                                       {"equal", cudaFuncCachePreferEqual}}) {
      CUDA(cudaFuncSetCacheConfig(find_again, config));
      CUDA(cudaFuncSetCacheConfig(stay, config));
      ask(".shared" + std::to_string(kib) + ".config_" + name, kib * 1024, sms);
    }
}
