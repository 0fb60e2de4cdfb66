// What an SM sends while the way to L2 is full, by additions that all SMs make to few words or by
// stores of columns: when it has issued, when a load behind it comes, and when a block's place is
// free again. Loads of SMs that send nothing, beside them.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o full_ways full_ways.cu && ./full_ways [QUESTION…]
#include "gpcs.h"
#include "spans.h"

namespace {

using namespace timing;

constexpr unsigned kAlone = 120 * 1024;  // shared memory of a block that has an SM for itself
constexpr int kLine = 128, kWord = 4, kMostSms = 256;
constexpr int kOwnLines = 32 * 8 * 2;  // of an SM: what it stores to, and what it loads

__device__ __forceinline__ void pause_for(int cycles) {
  const long long begin = clock_now();
  while (clock_now() - begin < cycles) {
  }
}
// Until all blocks are here.
__device__ void gather(unsigned* here, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    unsigned seen = 0;
    do asm volatile("ld.global.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(here) : "memory");
    while (seen < blocks);
  }
  __syncthreads();
}

__device__ __forceinline__ unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x85eb'ca6bu;
  x = (x ^ x >> 13) * 0xc2b2'ae35u;
  return x ^ x >> 16;
}

// What is sent. Word, line: all SMs to one; bins: each lane to one of 16 words; own: to a line of
// the warp's; columns: a word of each of 32 lines of its own.
enum class Send { kWord, kFloat, kLine, kBins, kOwn, kColumns, kStoreLine, kStoreColumns };
template <Send send>
__device__ __forceinline__ void make(char* common, char* own, unsigned i) {
  const unsigned lane = threadIdx.x % 32;
  char* at = common;
  if constexpr (send == Send::kLine || send == Send::kStoreLine) at += lane * kWord;
  if constexpr (send == Send::kBins) at += mixed(threadIdx.x * 64 + i) % 16 * kWord;
  if constexpr (send == Send::kOwn) at = own + lane * kWord;
  if constexpr (send == Send::kColumns || send == Send::kStoreColumns)
    at = own + lane * kLine + i % 32 * kWord;
  if constexpr (send == Send::kFloat)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
  else if constexpr (send == Send::kStoreLine || send == Send::kStoreColumns)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
  else
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
}

struct Memory {
  char* common;  // that all send to
  char* own;     // kOwnLines of each SM
  unsigned* here;
  long long* times;  // four of each warp
  unsigned* sms;     // of each block
};

// Each warp of the SMs that `sends` names sends `count` times; then all load a line of their own.
// Times: before, when all has issued, when the load is there.
template <Send send>
__global__ void behind(Memory memory, unsigned count, const unsigned char* sends, int wait) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, sm = sm_id();
  char* const own = memory.own + (std::size_t{sm} * kOwnLines + warp * 32) * kLine;
  const char* const word = own + std::size_t{kOwnLines / 2} * kLine + threadIdx.x % 32 * kWord;
  unsigned seen = load<4>(word);
  seen += load<4>(own + threadIdx.x % 32 * kLine);
  if (threadIdx.x == 0) memory.sms[blockIdx.x] = sm;
  pause_for(2000 + int(seen));
  gather(memory.here, gridDim.x);
  pause_for(2000);
  meet(seen + 2);
  const long long begin = clock_now();
  if (sends[sm] != 0)
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) make<send>(memory.common, own, i);
  else
    pause_for(wait);
  const long long issued = clock_now();
  seen = load<4>(word);
  use(seen + 2);
  const long long there = clock_now();
  if (threadIdx.x % 32 == 0) {
    long long* const t = memory.times + (blockIdx.x * warps + warp) * 4;
    t[0] = begin, t[1] = issued, t[2] = there;
  }
}

// Each warp of the first `blocks` loads a line of its own and sends, `count` times; on the other
// SMs nothing happens. The blocks behind the first wave begin where one of these has ended. Times:
// before, when all has issued; when the other block begins.
template <Send send>
__global__ void rounds(Memory memory, unsigned blocks, unsigned sms, unsigned count, bool loads) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, sm = sm_id();
  long long* const t = memory.times + (std::size_t{sm} * warps + warp) * 4;
  if (blockIdx.x >= blocks) {
    if (threadIdx.x % 32 == 0 && blockIdx.x >= sms) t[2] = clock_now();
    for (int i = 0; i < 8; ++i) __nanosleep(100'000);
    return;
  }
  char* const own = memory.own + (std::size_t{sm} * kOwnLines + warp * 32) * kLine;
  unsigned seen = 0;
  for (unsigned i = 0; i < 32; ++i) seen += load<4>(own + i * kLine);
  pause_for(2000 + int(seen));
  gather(memory.here, blocks);
  pause_for(2000);
  meet(seen + 2);
  const long long begin = clock_now();
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    if (loads) use(load<4>(own + i % 32 * kLine) + 2);
    make<send>(memory.common, own, i);
  }
  const long long issued = clock_now();
  if (threadIdx.x % 32 == 0) t[0] = begin, t[1] = issued;
}

class Probe {
 public:
  Probe() {
    cudaDeviceProp properties{};
    CUDA(cudaGetDeviceProperties(&properties, 0));
    sms_ = properties.multiProcessorCount;
  }
  int sms() const { return sms_; }
  const std::vector<int>& gpcs() {
    if (gpcs_.empty()) gpcs_ = find_gpcs(sms_);
    return gpcs_;
  }

  template <Send send>
  void ask_behind(const std::string& name, int warps, unsigned count, const std::string& who) {
    if (!is_wanted(name)) return;
    std::vector<unsigned char> sends(kMostSms, 1);
    for (int sm = 0; sm < sms_; ++sm) {
      if (who == "half") sends[sm] = sm % 2 == 0;                      // one of each TPC
      if (who == "gpc") sends[sm] = gpcs()[sm] == gpcs()[0];           // those of a GPC
      if (who == "gpcs") sends[sm] = gpcs()[sm] % 2 == gpcs()[0] % 2;  // half of the GPCs
    }
    Buffer<unsigned char> device_sends(kMostSms);
    device_sends.write(sends);
    std::vector<double> issued, there, beside, elsewhere;
    for (int repeat = 0; repeat < 3; ++repeat) {
      here_.write({0});
      launch(behind<send>, sms_, warps, memory(), count, device_sends.data(), 600);
      const auto t = times_.read();
      const auto sms = seen_sms_.read();
      double sums[4] = {}, number[4] = {};
      const auto add = [&](int which, double value) { sums[which] += value, number[which] += 1; };
      for (int block = 0; block < sms_; ++block)
        for (int warp = 0; warp < warps; ++warp) {
          const long long* const at = &t[std::size_t(block * warps + warp) * 4];
          const int sm = int(sms[block]);
          const double load = double(at[2] - at[1]);
          if (sends[sm] != 0)
            add(0, double(at[1] - at[0])), add(1, load);
          else
            add(who == "gpc" || (who == "half" || gpcs()[sm] == gpcs()[0]) ? 2 : 3, load);
        }
      if (number[0] > 0)
        issued.push_back(sums[0] / number[0]), there.push_back(sums[1] / number[1]);
      if (number[2] > 0) beside.push_back(sums[2] / number[2]);
      if (number[3] > 0) elsewhere.push_back(sums[3] / number[3]);
    }
    print(name + ".issued", issued, "cycle");
    print(name + ".load", there, "cycle");
    if (!beside.empty()) print(name + ".others", beside, "cycle");
    if (!elsewhere.empty()) print(name + ".elsewhere", elsewhere, "cycle");
  }

  template <Send send>
  void ask_rounds(const std::string& name, int blocks, int warps, unsigned count, bool loads) {
    if (!is_wanted(name)) return;
    std::vector<double> samples[4];
    for (int repeat = 0; repeat < 3; ++repeat) {
      here_.write({0});
      times_.write(std::vector<long long>(std::size_t(kMostSms) * 32 * 4));
      launch(rounds<send>, sms_ + blocks, warps, memory(), unsigned(blocks), unsigned(sms_), count,
             loads);
      const auto t = times_.read();
      std::vector<double> took[2];
      for (int sm = 0; sm < kMostSms; ++sm) {
        double last = 0, free = 0;
        for (int warp = 0; warp < warps; ++warp) {
          const long long* const at = &t[std::size_t(sm * warps + warp) * 4];
          if (at[1] == 0) continue;
          last = std::max(last, double(at[1] - at[0]));
          free = double(at[2] - at[0]);
        }
        if (last != 0) took[0].push_back(last);
        if (last != 0 && free > 0) took[1].push_back(free);
      }
      for (int what = 0; what < 2; ++what) {
        std::vector<double>& all = took[what];
        if (all.empty()) all.push_back(0);
        double sum = 0;
        for (const double each : all) sum += each / double(all.size());
        samples[2 * what].push_back(sum);
        samples[2 * what + 1].push_back(*std::max_element(all.begin(), all.end()));
      }
    }
    const char* const ends[] = {".issued.mean", ".issued.last", ".free.mean", ".free.last"};
    for (int i = 0; i < 4; ++i) print(name + ends[i], samples[i], "cycle");
  }

 private:
  Memory memory() const {
    return {common_.data(), own_.data(), here_.data(), times_.data(), seen_sms_.data()};
  }
  template <typename Kernel, typename... Arguments>
  static void launch(Kernel kernel, int blocks, int warps, Arguments... arguments) {
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
    kernel<<<blocks, warps * 32, kAlone>>>(arguments...);
    finish();
  }

  int sms_ = 0;
  std::vector<int> gpcs_;
  Buffer<char> common_{4096}, own_{std::size_t(kMostSms) * kOwnLines * kLine};
  Buffer<unsigned> here_{1}, seen_sms_{kMostSms};
  Buffer<long long> times_{std::size_t(kMostSms) * 32 * 4};
};

template <Send send>
void ask(const char* kind, Probe& probe) {
  for (const int warps : {1, 8})
    for (const unsigned count : {1u, 2u, 4u, 8u, 16u, 24u, 32u, 48u, 64u, 96u, 128u}) {
      if (warps == 8 && count > 32) continue;
      for (const char* who : {"all", "half", "gpcs", "gpc"}) {
        if (who[0] != 'a' && count != 4 && count != 16) continue;
        probe.ask_behind<send>(std::string("behind.") + kind + "." + who + ".n" +
                                   std::to_string(count) + ".w" + std::to_string(warps),
                               warps, count, who);
      }
    }
  for (const int blocks : {8, 33, 66, probe.sms()})
    for (const int warps : {1, 2, 4, 8})
      for (const unsigned count : {4u, 8u, 16u})
        for (const bool loads : {false, true}) {
          if (blocks < 66 && (count != 8 || !loads)) continue;
          probe.ask_rounds<send>(std::string(loads ? "rounds." : "sends.") + kind + ".b" +
                                     std::to_string(blocks) + ".n" + std::to_string(count) + ".w" +
                                     std::to_string(warps),
                                 blocks, warps, count, loads);
        }
}

}  // namespace

int main(int count, char** arguments) {
  read_wanted(count, arguments);
  print_header("full_ways");
  Probe probe;
  ask<Send::kWord>("word", probe);
  ask<Send::kFloat>("float", probe);
  ask<Send::kLine>("line", probe);
  ask<Send::kBins>("bins", probe);
  ask<Send::kOwn>("own", probe);
  ask<Send::kColumns>("columns", probe);
  ask<Send::kStoreLine>("store_line", probe);
  ask<Send::kStoreColumns>("store_columns", probe);
}
