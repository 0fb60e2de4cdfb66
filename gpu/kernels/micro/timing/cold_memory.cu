// Memory as a launch meets it, with caches that hold other data: the first touches of lines and
// pages, latencies when many warps ask at once, and where a warp waits when the memory unit is
// busy.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o cold_memory cold_memory.cu && ./cold_memory
#include <numeric>

#include "flush.h"
#include "probe.h"

namespace {

using namespace timing;

constexpr std::size_t kMega = std::size_t{1} << 20;
int sms = 0;

// ---- first touches: one warp a block, one load after the other
// -------------------------------------

constexpr int kTouches = 8;

__global__ void touch(const char* data, std::size_t of_block, std::size_t step, int* latencies) {
  const char* at = data + blockIdx.x * of_block + threadIdx.x * 4;
  int took[kTouches];
  unsigned zero = 0;  // what the data holds
#pragma unroll
  for (int i = 0; i < kTouches; ++i) {
    const long long begin = clock_now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(zero) : "l"(at + i * step + zero) : "memory");
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(zero) : "memory");
    took[i] = int(clock_now() - begin);
  }
  if (threadIdx.x == 0)
    for (int i = 0; i < kTouches; ++i) latencies[blockIdx.x * kTouches + i] = took[i];
}

void touches(const char* name, const Buffer<char>& data, std::size_t of_block, std::size_t step,
             const Flush& flush) {
  for (const int blocks : {1, 2, 16, 66, sms}) {
    const Buffer<int> latencies(std::size_t(blocks) * kTouches);
    std::vector<double> mean[kTouches], most[kTouches];
    for (int repeat = 0; repeat < 5; ++repeat) {
      flush();
      touch<<<blocks, 32>>>(data.data(), of_block, step, latencies.data());
      finish();
      const auto took = latencies.read();
      for (int i = 0; i < kTouches; ++i) {
        double sum = 0, worst = 0;
        for (int block = 0; block < blocks; ++block) {
          sum += took[block * kTouches + i];
          worst = std::max(worst, double(took[block * kTouches + i]));
        }
        mean[i].push_back(sum / blocks), most[i].push_back(worst);
      }
    }
    const std::string prefix =
        std::string("touch.") + name + ".blocks" + std::to_string(blocks) + ".n";
    for (int i = 0; i < kTouches; ++i) {
      print(prefix + std::to_string(i), mean[i], "cycle");
      if (blocks > 1) print(prefix + std::to_string(i) + ".most", most[i], "cycle");
    }
  }
}

// ---- one warp, many lines at once: which share a way
// -----------------------------------------------

__global__ void burst(const char* data, int lines, std::size_t stride, int* latency) {
  const int lane = int(threadIdx.x);
  unsigned v[2];
#pragma unroll
  for (int round = 0; round < 2; ++round) {  // from DRAM, then from L2
    const long long begin = clock_now();
    if (lane < lines)
      asm volatile("ld.global.cg.u32 %0, [%1];"
                   : "=r"(v[round])
                   : "l"(data + lane * stride)
                   : "memory");
    else
      v[round] = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(v[round]) : "memory");
    __syncwarp();
    const long long end = clock_now();
    if (lane == 0) latency[round] = int(end - begin);
  }
}

void bursts(const Buffer<char>& data, const Flush& flush) {
  const Buffer<int> latency(2);
  for (const std::size_t offset : {0, 4096})
    for (const std::size_t stride : {32, 128, 256, 512, 1024, 4096, 8192, 65536})
      for (const int lines : {1, 4, 16, 32}) {
        std::vector<double> samples[2];
        for (int i = 0; i < 5; ++i) {
          flush();
          burst<<<1, 32>>>(data.data() + offset + i * kMega, lines, stride, latency.data());
          finish();
          for (int round = 0; round < 2; ++round) samples[round].push_back(latency.read()[round]);
        }
        const std::string name = ".from" + std::to_string(offset) + ".stride" +
                                 std::to_string(stride) + ".n" + std::to_string(lines);
        print("burst.dram" + name, samples[0], "cycle");
        print("burst.l2" + name, samples[1], "cycle");
      }
}

// ---- many warps at once
// ----------------------------------------------------------------------------

// Rounds over the same words: from DRAM, from L2, through L1 from L2, from L1.
constexpr int kRounds = 4;

template <int loads, bool through_l1>
__device__ __forceinline__ unsigned load_all(const char* at, std::size_t step) {
  unsigned v[loads], all = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    if constexpr (through_l1)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(at + i * step) : "memory");
    else
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i]) : "l"(at + i * step) : "memory");
  }
#pragma unroll
  for (int i = 0; i < loads; ++i) all |= v[i];
  return all;
}

template <int loads>
__global__ void crowd(const char* data, std::size_t step, long long* begins, long long* ends) {
  const unsigned warps = gridDim.x * blockDim.x / 32;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const char* at = data + std::size_t(warp) * 128 + lane * 4;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    __syncthreads();
    const long long begin = clock_now();
    const unsigned all =
        round < 2 ? load_all<loads, false>(at, step) : load_all<loads, true>(at, step);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
    const long long end = clock_now();
    if (lane == 0) begins[round * warps + warp] = begin, ends[round * warps + warp] = end;
  }
}

template <int loads>
void crowds(const Buffer<char>& data, const Flush& flush) {
  for (const int blocks : {1, sms})
    for (const int warps : {4, 8, 16, 32}) {
      const std::size_t count = std::size_t(blocks) * warps;
      const Buffer<long long> begins(count * kRounds), ends(count * kRounds);
      std::vector<double> mean[kRounds], most[kRounds], span[kRounds];
      for (int repeat = 0; repeat < 5; ++repeat) {
        flush();
        crowd<loads><<<blocks, 32 * warps>>>(data.data(), count * 128, begins.data(), ends.data());
        finish();
        const auto from = begins.read(), to = ends.read();
        for (int round = 0; round < kRounds; ++round) {
          double sum = 0, worst = 0, spans = 0;
          for (int block = 0; block < blocks; ++block) {
            long long first = from[round * count + block * warps], last = 0;
            for (int warp = 0; warp < warps; ++warp) {
              const std::size_t at = round * count + block * warps + warp;
              const double took = double(to[at] - from[at]);
              sum += took, worst = std::max(worst, took);
              first = std::min(first, from[at]), last = std::max(last, to[at]);
            }
            spans += double(last - first);
          }
          mean[round].push_back(sum / double(count)), most[round].push_back(worst);
          span[round].push_back(spans / blocks);
        }
      }
      const char* const names[kRounds] = {"dram", "l2", "l1_fill", "l1"};
      for (int round = 0; round < kRounds; ++round) {
        const std::string prefix = std::string("crowd.") + names[round] + ".blocks" +
                                   std::to_string(blocks) + ".w" + std::to_string(warps) + ".n" +
                                   std::to_string(loads);
        print(prefix + ".mean", mean[round], "cycle");
        print(prefix + ".most", most[round], "cycle");
        print(prefix + ".span", span[round], "cycle");
      }
    }
}

// ---- where a warp waits
// ----------------------------------------------------------------------------

constexpr unsigned kRoom = 41 * 1024;
enum class Unit { kGlobal32, kGlobal64, kShared32, kShared64, kStoreShared, kStoreGlobal };

// Two accesses, then their use, again and again: cycles from before to after the first access's
// issue, the second's, and until both results are there.
template <Unit unit>
__global__ void waits(char* global, unsigned stride, unsigned second_stride, long long* took) {
  extern __shared__ unsigned room[];
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i < kRoom / 4; i += blockDim.x) room[i] = 0;
  __syncthreads();
  const char* const g = global + lane * stride;
  const char* const h = global + lane * second_stride;
  const unsigned s = unsigned(__cvta_generic_to_shared(room)) + lane * stride;
  const unsigned t = unsigned(__cvta_generic_to_shared(room)) + lane * second_stride;
  long long first = 0, second = 0, use = 0;
  unsigned zero = 0;
#pragma unroll 1
  for (int i = 0; i < 72; ++i) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const long long t0 = clock_now();
    if constexpr (unit == Unit::kGlobal32)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(g + zero) : "memory");
    if constexpr (unit == Unit::kGlobal64)
      asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];"
                   : "=r"(a), "=r"(c)
                   : "l"(g + zero)
                   : "memory");
    if constexpr (unit == Unit::kShared32)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(s + zero) : "memory");
    if constexpr (unit == Unit::kShared64)
      asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];"
                   : "=r"(a), "=r"(c)
                   : "r"(s + zero)
                   : "memory");
    if constexpr (unit == Unit::kStoreShared)
      asm volatile("st.volatile.shared.u32 [%1], %0;" ::"r"(zero), "r"(s) : "memory");
    if constexpr (unit == Unit::kStoreGlobal)
      asm volatile("st.global.u32 [%1], %0;" ::"r"(zero), "l"(g) : "memory");
    const long long t1 = clock_now();
    if constexpr (unit == Unit::kGlobal32)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(b) : "l"(h + zero) : "memory");
    if constexpr (unit == Unit::kGlobal64)
      asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];"
                   : "=r"(b), "=r"(d)
                   : "l"(h + zero)
                   : "memory");
    if constexpr (unit == Unit::kShared32)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(b) : "r"(t + zero) : "memory");
    if constexpr (unit == Unit::kShared64)
      asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];"
                   : "=r"(b), "=r"(d)
                   : "r"(t + zero)
                   : "memory");
    if constexpr (unit == Unit::kStoreShared)
      asm volatile("st.volatile.shared.u32 [%1], %0;" ::"r"(zero), "r"(t) : "memory");
    if constexpr (unit == Unit::kStoreGlobal)
      asm volatile("st.global.u32 [%1], %0;" ::"r"(zero), "l"(h) : "memory");
    const long long t2 = clock_now();
    zero = a | b | c | d;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(zero) : "memory");
    const long long t3 = clock_now();
    if (i < 8) continue;
    first += t1 - t0, second += t2 - t1, use += t3 - t2;
  }
  if (lane == 0) {
    long long* const mine = took + threadIdx.x / 32 * 3;
    mine[0] = first, mine[1] = second, mine[2] = use;
  }
}

template <Unit unit>
void all_waits(const char* name, const Buffer<char>& data) {
  CUDA(cudaFuncSetAttribute(waits<unit>, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom));
  const Buffer<long long> took(32 * 3);
  for (const unsigned stride : {8u, 128u, 1280u})
    for (const unsigned second : {0u, 8u})
      for (const int warps : {1, 2, 4, 8, 16, 32}) {
        std::vector<double> samples[3];
        for (int repeat = 0; repeat < 5; ++repeat) {
          waits<unit><<<1, 32 * warps, kRoom>>>(data.data(), stride, second, took.data());
          finish();
          const auto t = took.read();
          for (int part = 0; part < 3; ++part) {
            double sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += double(t[warp * 3 + part]) / 64;
            samples[part].push_back(sum / warps);
          }
        }
        const std::string prefix = std::string("waits.") + name + ".stride" +
                                   std::to_string(stride) + "|" + std::to_string(second) + ".w" +
                                   std::to_string(warps);
        print(prefix + ".first", samples[0], "cycle");
        print(prefix + ".second", samples[1], "cycle");
        print(prefix + ".use", samples[2], "cycle");
      }
}

}  // namespace

int main() {
  print_header("cold_memory");
  int l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const Buffer<char> data(768 * kMega);
  const Flush flush{std::size_t(l2_bytes)};
  touches("same_line", data, 0, 128, flush);          // all blocks the same lines, side by side
  touches("same_page", data, 4096, 128, flush);       // each block its own lines
  touches("pages", data, 0, 2 * kMega, flush);        // all blocks the same pages, one by one
  touches("pages32", data, 0, 32 * kMega, flush);     // farther apart
  touches("own_64k", data, 65536, 128, flush);        // each block its own 64 KiB
  touches("own_page", data, 2 * kMega, 4096, flush);  // each block its own page
  touches("own_pages", data, 2 * kMega, 64 * kMega, flush);  // and another each time
  bursts(data, flush);
  crowds<1>(data, flush);
  crowds<2>(data, flush);
  crowds<4>(data, flush);
  crowds<8>(data, flush);
  all_waits<Unit::kGlobal32>("global32", data);
  all_waits<Unit::kGlobal64>("global64", data);
  all_waits<Unit::kShared32>("shared32", data);
  all_waits<Unit::kShared64>("shared64", data);
  all_waits<Unit::kStoreShared>("store_shared", data);
  all_waits<Unit::kStoreGlobal>("store_global", data);
}
