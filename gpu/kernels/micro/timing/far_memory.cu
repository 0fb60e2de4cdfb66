// Each access of one thread by itself: how long lines of DRAM take, one by one, and when; lines of
// L2 after another SM has read them, written them or been atomic at them; and a load behind a store
// to the same word.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o far_memory far_memory.cu && ./far_memory
#include <cmath>
#include <numeric>
#include <random>

#include "flush.h"
#include "probe.h"

namespace {

using namespace timing;

constexpr std::size_t kMega = std::size_t{1} << 20;
constexpr std::size_t kLine = 128, kSector = 32;
int sms = 0;

enum class Act { kLoad, kStore, kRed };

template <Act act>
__device__ __forceinline__ unsigned access(unsigned* at) {
  unsigned v = 0;
  if constexpr (act == Act::kLoad)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (act == Act::kStore)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
  if constexpr (act == Act::kRed)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
  return v;
}

// On SM `sm`, the blocks on others do nothing: one access after another, in order of `places`
// (bytes). `took`: the time of each, `when`: its beginning.
template <Act act>
__global__ void one_by_one(char* data, const unsigned* places, int count, unsigned sm, int* took,
                           long long* when, unsigned* done) {
  if (sm_id() != sm || atomicExch(done, 1) != 0) return;
  unsigned next = places[0];
  for (int i = 0; i < count; ++i) {
    unsigned* const at = reinterpret_cast<unsigned*>(data + next);
    const long long begin = clock_now();
    const unsigned value = access<act>(at);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
    const long long end = clock_now();
    if (took != nullptr) took[i] = int(end - begin), when[i] = begin;
    if (i + 1 < count) next = places[i + 1];
  }
}

struct Answers {
  std::vector<int> took;
  std::vector<long long> when;
};

template <Act act>
Answers go(const Buffer<char>& data, const std::vector<unsigned>& places, unsigned sm,
           bool timed = true) {
  const int count = int(places.size());
  Buffer<unsigned> order(places.size()), done(1);
  order.write(places);
  const Buffer<int> took(places.size());
  const Buffer<long long> when(places.size());
  one_by_one<act><<<sms, 32 * 1, 200 * 1024>>>(data.data(), order.data(), count, sm,
                                               timed ? took.data() : nullptr, when.data(),
                                               done.data());
  finish();
  return {took.read(), when.read()};
}

void print_shares(const std::string& name, std::vector<int> took) {
  std::sort(took.begin(), took.end());
  for (const double share : {0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.98, 0.99})
    print(name + ".p" + std::to_string(int(share * 100 + 0.5)),
          {double(took[std::size_t(share * double(took.size() - 1))])}, "cycle");
  print(name + ".mean", {std::accumulate(took.begin(), took.end(), 0.0) / double(took.size())},
        "cycle");
}

// ---- DRAM
// ------------------------------------------------------------------------------------------

std::vector<unsigned> shuffled(int count, std::size_t step, std::size_t offset = 0) {
  std::vector<unsigned> places(count);
  for (int i = 0; i < count; ++i) places[i] = unsigned(offset + i * step);
  std::shuffle(places.begin(), places.end(), std::mt19937(7));
  return places;
}

// Accesses that take longest wait for something that comes again and again: the period at which
// their ends agree most (the length of the mean of their phases as unit vectors, by Rayleigh), that
// length, and how many there are.
void print_period(const std::string& prefix, const Answers& all) {
  std::vector<int> sorted = all.took;
  std::sort(sorted.begin(), sorted.end());
  const int slow = sorted[std::size_t(0.75 * double(sorted.size()))] + 75;
  std::vector<double> ends;
  for (std::size_t i = 0; i < all.took.size(); ++i)
    if (all.took[i] > slow) ends.push_back(double(all.when[i] - all.when[0] + all.took[i]));
  if (ends.size() < 16) return;
  double best = 0, period = 0;
  for (double candidate = 1000; candidate < 12000; candidate += 2) {
    double x = 0, y = 0;
    for (const double end : ends) {
      const double phase = 2 * M_PI * end / candidate;
      x += std::cos(phase), y += std::sin(phase);
    }
    if (const double length = std::hypot(x, y) / double(ends.size()); length > best)
      best = length, period = candidate;
  }
  print(prefix + ".slow.period", {period}, "cycle");
  print(prefix + ".slow.agree", {best}, "share");
  print(prefix + ".slow.count", {double(ends.size())}, "access");
}

void dram(const char* name, const Buffer<char>& data, const std::vector<unsigned>& places,
          const Flush& flush) {
  flush();
  const Answers all = go<Act::kLoad>(data, places, 0);
  const std::string prefix = std::string("dram.") + name;
  print_shares(prefix, all.took);
  std::vector<double> of_sector(4), count(4);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t sector = places[i] / kSector % 4;
    of_sector[sector] += all.took[i], ++count[sector];
  }
  for (int sector = 0; sector < 4; ++sector)
    if (count[sector] != 0)
      print(prefix + ".sector" + std::to_string(sector), {of_sector[sector] / count[sector]},
            "cycle");
  print_period(prefix, all);
}

// ---- L2, and who was there before
// ------------------------------------------------------------------------

void l2(const Buffer<char>& data, const Flush& flush) {
  const std::vector<unsigned> places = shuffled(2048, 4096 + kLine);
  const auto show = [&](const std::string& name, const Answers& answers) {
    print_shares("l2." + name, answers.took);
  };
  for (const unsigned reader : {0u, 2u, 16u, 66u, 131u}) {
    const std::string at = ".by" + std::to_string(reader);
    for (const unsigned other : {0u, 1u, 66u, 131u}) {
      const std::string of = ".of" + std::to_string(other);
      flush();
      go<Act::kLoad>(data, places, other);
      show("read" + of + at + ".first", go<Act::kLoad>(data, places, reader));
      show("read" + of + at + ".second", go<Act::kLoad>(data, places, reader));
      go<Act::kStore>(data, places, other);
      show("written" + of + at + ".first", go<Act::kLoad>(data, places, reader));
      show("written" + of + at + ".second", go<Act::kLoad>(data, places, reader));
      go<Act::kRed>(data, places, other);
      show("added" + of + at + ".first", go<Act::kLoad>(data, places, reader));
      show("added" + of + at + ".second", go<Act::kLoad>(data, places, reader));
    }
    // What the SM itself writes, of lines it has read.
    go<Act::kStore>(data, places, reader);
    show("written_itself" + at, go<Act::kLoad>(data, places, reader));
  }
}

// ---- a load behind a store to the same word
// --------------------------------------------------------------

enum class Kind { kPlain, kPastL1, kVolatile };

template <Kind kind, bool stores>
__global__ void behind(unsigned* data, int lines, bool reads_before, long long* took) {
  unsigned* const at = data + threadIdx.x;
  long long all = 0;
  unsigned zero = 0;
  for (int i = 0; i < lines; ++i) {
    unsigned* const place = at + i * (4096 + kLine) / 4;
    if (reads_before)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(zero) : "l"(place + zero) : "memory");
    unsigned v = zero;
    const long long begin = clock_now();
#pragma unroll 1
    for (int k = 0; k < 8; ++k) {
      if constexpr (stores && kind != Kind::kVolatile)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(place + v), "r"(v) : "memory");
      if constexpr (stores && kind == Kind::kVolatile)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(place + v), "r"(v) : "memory");
      if constexpr (kind == Kind::kPlain)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(place + v) : "memory");
      if constexpr (kind == Kind::kPastL1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(place + v) : "memory");
      if constexpr (kind == Kind::kVolatile)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(place + v) : "memory");
    }
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(v) : "memory");
    all += clock_now() - begin;
    zero = v;
  }
  if (threadIdx.x == 0) *took = all;
}

template <Kind kind, bool stores>
void behind(const char* name, const Buffer<char>& data) {
  constexpr int kLines = 256;
  const Buffer<long long> took(1);
  for (const bool reads_before : {false, true}) {
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) {
      behind<kind, stores>
          <<<1, 32>>>(reinterpret_cast<unsigned*>(data.data()), kLines, reads_before, took.data());
      finish();
      samples.push_back(double(took.read()[0]) / (kLines * 8));
    }
    print(std::string("behind.") + name + (stores ? ".store_load" : ".load") +
              (reads_before ? ".read_before" : ""),
          samples, "cycle");
  }
}

}  // namespace

int main() {
  print_header("far_memory");
  int l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  for (const auto kernel : {one_by_one<Act::kLoad>, one_by_one<Act::kStore>, one_by_one<Act::kRed>})
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  const Buffer<char> data(768 * kMega);
  const Flush flush{std::size_t(l2_bytes)};
  dram("shuffled", data, shuffled(8192, 65536 / 2 + kLine), flush);
  std::vector<unsigned> in_order(4096);
  for (int i = 0; i < 4096; ++i) in_order[i] = unsigned(i * kLine);
  dram("lines", data, in_order, flush);
  for (int i = 0; i < 4096; ++i) in_order[i] = unsigned(i * kSector);
  dram("sectors", data, in_order, flush);
  for (int i = 0; i < 4096; ++i) in_order[i] = unsigned(i / 4 * kLine + (3 - i % 4) * kSector);
  dram("sectors_down", data, in_order, flush);
  dram("one_page", data, shuffled(4096, 512), flush);
  l2(data, flush);
  behind<Kind::kPlain, false>("plain", data);
  behind<Kind::kPlain, true>("plain", data);
  behind<Kind::kPastL1, false>("past_l1", data);
  behind<Kind::kPastL1, true>("past_l1", data);
  behind<Kind::kVolatile, false>("volatile", data);
  behind<Kind::kVolatile, true>("volatile", data);
}
