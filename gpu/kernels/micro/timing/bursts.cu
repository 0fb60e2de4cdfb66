// Loads that many warps make at the same moment, in code that the caches hold: when a warp has
// issued its loads, when the first is there and when all are, from memory and from L2. (The bursts
// of ways.cu begin when their blocks do, one after the other.) Then loads of one SM that hit L1:
// what they wait for behind a barrier with nothing before it, stores of one lane, or loads that no
// lane makes, and what such loads cost between them.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o bursts bursts.cu && ./bursts [QUESTION…]
#include <numeric>

#include "flush.h"
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRepeats = 5;
constexpr unsigned kAlone = 120 * 1024;  // shared memory of a block that has an SM for itself
constexpr std::size_t kRoom = std::size_t{64} << 20;

// When a warp begins, has issued its loads, has the first of them, has all.
struct Times {
  long long begin, issued, first, all;
};

// `word`, but not before `time` is known: the compiler would ask for the first load's result before
// it issues the others.
__device__ __forceinline__ unsigned after(long long time, unsigned word) {
  return word ^ unsigned(time >> 63);
}

void print_times(const std::string& name, std::vector<double> took) {
  std::sort(took.begin(), took.end());
  print(name + ".mean", {std::accumulate(took.begin(), took.end(), 0.) / double(took.size())},
        "cycle");
  for (const int tenths : {1, 5, 9})
    print(name + ".tenths" + std::to_string(tenths), {took[took.size() * tenths / 10]}, "cycle");
  print(name + ".most", {took.back()}, "cycle");
}

// ---- all SMs at once
// ----------------------------------------------------------------------------

// A block on each SM. Nothing here is a loop but the wait: the compiler would not leave the loads
// before the use of the first.
template <int loads>
__global__ void together(const char* data, Times* times) {
  const unsigned warps = gridDim.x * blockDim.x / 32;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const char* const at = data + std::size_t{warp} * 128 + lane * 4;
  const std::size_t row = std::size_t{warps} * 128;
  constexpr unsigned long long kTogether = 16384;  // nanoseconds; a launch is dealt out in less
  const unsigned long long target = (nanoseconds_now() / kTogether + 2) * kTogether;
  if (threadIdx.x == 0)
    while (nanoseconds_now() < target) continue;
  meet(warp + 2);
  unsigned words[loads], rest = 0;
  const long long begin = clock_now();
#pragma unroll
  for (int i = 0; i < loads; ++i) words[i] = load<4>(at + i * row);
  const long long issued = clock_now();
  use(after(issued, words[0]));
  const long long first = clock_now();
#pragma unroll
  for (int i = 1; i < loads; ++i) rest |= words[i];
  use(rest);
  const long long all = clock_now();
  if (lane == 0) times[warp] = {begin, issued, first, all};
}

template <int loads>
void ask_together(int sms, const Buffer<char>& data, const Flush& flush) {
  for (const int warps : {4, 8, 16, 32}) {
    const std::string what = ".w" + std::to_string(warps) + ".n" + std::to_string(loads);
    if (!is_wanted("together.memory" + what) && !is_wanted("together.l2" + what)) continue;
    CUDA(
        cudaFuncSetAttribute(together<loads>, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
    const std::size_t count = std::size_t(sms) * warps;
    const Buffer<Times> times(count);
    std::vector<double> issued[2], first[2], all[2], span[2];
    for (int i = 0; i <= kRepeats; ++i) {
      flush();
      for (int from = 0; from < 2; ++from) {
        together<loads><<<sms, 32 * warps, kAlone>>>(data.data(), times.data());
        finish();
        if (i == 0) continue;  // now the code is there
        const auto t = times.read();
        for (int sm = 0; sm < sms; ++sm) {
          const Times* const mine = t.data() + std::size_t(sm) * warps;
          long long begin = mine[0].begin, end = 0;
          for (int warp = 0; warp < warps; ++warp) {
            issued[from].push_back(double(mine[warp].issued - mine[warp].begin));
            first[from].push_back(double(mine[warp].first - mine[warp].begin));
            all[from].push_back(double(mine[warp].all - mine[warp].begin));
            begin = std::min(begin, mine[warp].begin);
            end = std::max(end, mine[warp].all);
          }
          span[from].push_back(double(end - begin));
        }
      }
    }
    for (int from = 0; from < 2; ++from) {
      const std::string question = (from == 0 ? "together.memory" : "together.l2") + what;
      print_times(question + ".issued", issued[from]);
      print_times(question + ".first", first[from]);
      print_times(question + ".all", all[from]);
      print_times(question + ".span", span[from]);
    }
  }
}

// ---- one SM, lines in L1
// ------------------------------------------------------------------------

enum class Before {
  kNothing,
  kStores,   // two of a lane
  kOff,      // two loads that no lane makes
  kOffAlso,  // nothing before; for each load one that no lane makes
};

__device__ __forceinline__ unsigned load_if(const char* at, unsigned condition) {
  unsigned word = 0;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.ca.u32 %0, [%1]; }"
               : "+r"(word)
               : "l"(at), "r"(condition)
               : "memory");
  return word;
}

// `zeros` holds 0 for each thread.
template <Before before, int loads>
__global__ void behind(const char* data, const unsigned* zeros, unsigned* sink, Times* times) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const char* const at = data + warp * 128 + lane * 4;
  const std::size_t row = blockDim.x * 4;
  const unsigned zero = zeros[threadIdx.x];
  unsigned words[loads], rest = 0;
#pragma unroll 1
  for (int i = 0; i < loads; ++i) rest |= load_if(at + i * row, 1 - zero);  // now they are in L1
  use(rest);
  rest = 0;
  __syncthreads();
  if constexpr (before == Before::kStores)
    if (lane == 0)
      asm volatile("st.global.u32 [%0], 0; st.global.u32 [%0+4], 0;" ::"l"(sink + 2 * warp)
                   : "memory");
  if constexpr (before == Before::kOff) rest = load_if(at, zero) | load_if(at + row, zero);
  meet(zero);
  const long long begin = clock_now();
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(words[i]) : "l"(at + i * row) : "memory");
    if constexpr (before == Before::kOffAlso) rest |= load_if(at + (loads + i) * row, zero);
  }
  const long long issued = clock_now();
  use(after(issued, words[0]));
  const long long first = clock_now();
#pragma unroll
  for (int i = 1; i < loads; ++i) rest |= words[i];
  use(rest);
  const long long all = clock_now();
  if (lane == 0) times[warp] = {begin, issued, first, all};
}

template <Before before, int loads>
void ask_behind(const char* name, const Buffer<char>& data) {
  for (const int warps : {1, 4, 8, 16, 32}) {
    const std::string question =
        std::string("behind.") + name + ".w" + std::to_string(warps) + ".n" + std::to_string(loads);
    if (!is_wanted(question)) continue;
    const Buffer<Times> times(warps);
    const Buffer<unsigned> sink(2 * 32), zeros(1024);
    std::vector<double> issued, first, all, span;
    for (int i = 0; i <= kRepeats; ++i) {
      behind<before, loads>
          <<<1, 32 * warps>>>(data.data(), zeros.data(), sink.data(), times.data());
      finish();
      if (i == 0) continue;  // now the code is there
      long long begin = times.read()[0].begin, end = 0;
      for (const Times& warp : times.read()) {
        issued.push_back(double(warp.issued - warp.begin));
        first.push_back(double(warp.first - warp.begin));
        all.push_back(double(warp.all - warp.begin));
        begin = std::min(begin, warp.begin);
        end = std::max(end, warp.all);
      }
      span.push_back(double(end - begin));
    }
    print_times(question + ".issued", issued);
    print_times(question + ".first", first);
    print_times(question + ".all", all);
    print(question + ".span", span, "cycle");
  }
}

template <Before before>
void ask_behind_all(const char* name, const Buffer<char>& data) {
  ask_behind<before, 1>(name, data);
  ask_behind<before, 2>(name, data);
  ask_behind<before, 4>(name, data);
  ask_behind<before, 8>(name, data);
}

}  // namespace

int main(int count, char** arguments) {
  read_wanted(count, arguments);
  print_header("bursts");
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const int sms = properties.multiProcessorCount;
  const Buffer<char> data(kRoom);
  ask_behind_all<Before::kNothing>("nothing", data);
  ask_behind_all<Before::kStores>("stores", data);
  ask_behind_all<Before::kOff>("off", data);
  ask_behind_all<Before::kOffAlso>("off_also", data);
  const Flush flush(std::size_t(properties.l2CacheSize));
  ask_together<1>(sms, data, flush);
  ask_together<2>(sms, data, flush);
  ask_together<4>(sms, data, flush);
  ask_together<8>(sms, data, flush);
  ask_together<16>(sms, data, flush);
}
