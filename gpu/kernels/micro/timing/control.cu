// Branches and divergence, barriers, instruction and constant caches, block dispatch, the order in
// which warps issue.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o control control.cu && ./control [FOLDER]
//
// With FOLDER it also writes what does not fit a line there: dispatch.tsv and scheduler.tsv.
#include <cmath>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kRepeats = 9;
int sms = 0;
std::string folder;

#define STEP(x, y, z) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(y), "f"(z))

// ---- instruction caches: straight code of `Count` instructions, looped
// ---------------------------

// 64 instructions of four chains: no dependence stalls beyond one issue a cycle.
#define FOUR                                                                            \
  "fma.rn.f32 %0,%0,%4,%5; fma.rn.f32 %1,%1,%4,%5; fma.rn.f32 %2,%2,%4,%5; fma.rn.f32 " \
  "%3,%3,%4,%5;\n"
#define SIXTEEN FOUR FOUR FOUR FOUR
template <int Count>
__global__ void straight(long long* times, float y, float z, float* sink) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  const float ry = y + threadIdx.x, rz = z + threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 6; ++round) {
    const long long begin = clock_now();
#pragma unroll
    for (int i = 0; i < Count / 16; ++i)
      asm volatile(SIXTEEN : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(ry), "f"(rz));
    const long long end = clock_now();
    if (threadIdx.x % 32 == 0) times[(threadIdx.x / 32) * 6 + round] = end - begin;
  }
  sink[threadIdx.x] = a + b + c + d;
}

template <int Count>
void instruction_cache() {
  const Buffer<long long> times(32 * 6);
  const Buffer<float> sink(1024);
  for (const int warps : {1, 4, 8, 16}) {
    std::vector<double> cold, warm;
    for (int i = 0; i < 3; ++i) {
      straight<Count><<<1, 32 * warps>>>(times.data(), 1.0f, 2.0f, sink.data());
      finish();
      const auto t = times.read();
      double first = 0, rest = 0;
      for (int w = 0; w < warps; ++w) {
        first += double(t[w * 6]) / warps;
        for (int r = 2; r < 6; ++r) rest += double(t[w * 6 + r]) / (4 * warps);
      }
      // The launch that loaded the module, alone, finds all caches empty.
      if (i == 0 && warps == 1)
        print("icache.cold." + std::to_string(Count), {first / Count}, "cycle/instruction");
      if (i > 0) cold.push_back(first / Count), warm.push_back(rest / Count);
    }
    const std::string name = std::to_string(Count) + ".w" + std::to_string(warps);
    print("icache.first_round." + name, cold, "cycle/instruction");
    print("icache.warm." + name, warm, "cycle/instruction");
  }
}

// ---- constant caches ----------------------------------------------------------------------------

__constant__ float table[16384];  // 64 KiB
// `Count` operands c[3][…], `Stride` words apart, which the compiler loads by ULDC; the rounds
// after the first are warm.
template <int Count, int Stride>
__global__ void constant_operands(long long* times, float* sink) {
  float a = threadIdx.x, b = 1;
#pragma unroll 1
  for (int round = 0; round < 6; ++round) {
    const long long begin = clock_now();
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a) : "f"(table[i * Stride]));
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(b) : "f"(table[(i + 1) * Stride]));
    }
    const long long end = clock_now();
    if (threadIdx.x == 0) times[round] = end - begin;
  }
  sink[threadIdx.x] = a + b;
}
template <int Count, int Stride>
void constant_operand() {
  const Buffer<long long> times(6);
  const Buffer<float> sink(32);
  std::vector<double> first, warm;
  for (int i = 0; i < 3; ++i) {
    constant_operands<Count, Stride><<<1, 32>>>(times.data(), sink.data());
    finish();
    const auto t = times.read();
    first.push_back(double(t[0]) / Count);
    for (int r = 2; r < 6; ++r) warm.push_back(double(t[r]) / Count);
  }
  const std::string name = std::to_string(Count) + "x" + std::to_string(4 * Stride) + "B";
  print("constant.uldc+ffma.first_round." + name, first, "cycle/pair");
  print("constant.uldc+ffma.warm." + name, warm, "cycle/pair");
}

// A chain of LDC over `words` words, `stride` words apart: table[i] holds the next byte offset.
__global__ void constant_ring(int steps, long long* times, unsigned* sink) {
  unsigned x = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    const long long begin = clock_now();
#pragma unroll 4
    for (int i = 0; i < steps; ++i)
      x = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(table) + x);
    times[round] = clock_now() - begin;
  }
  *sink = x;
}
void constant_rings() {
  const Buffer<long long> times(3);
  const Buffer<unsigned> sink(1);
  for (const int stride : {16, 64})
    for (const int bytes :
         {256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768, 49152, 65536}) {
      const int count = bytes / (4 * stride);
      if (count < 1) continue;
      std::vector<unsigned> links(16384, 0);
      for (int i = 0; i < count; ++i) links[i * stride] = ((i + 1) % count) * stride * 4;
      CUDA(cudaMemcpyToSymbol(table, links.data(), 65536));
      const int steps = std::max(64, count / 4 * 4);
      std::vector<double> first, warm;
      for (int i = 0; i < 3; ++i) {
        constant_ring<<<1, 1>>>(steps, times.data(), sink.data());
        finish();
        const auto t = times.read();
        first.push_back(double(t[0]) / steps), warm.push_back(double(t[2]) / steps);
      }
      const std::string name = std::to_string(bytes) + "B.stride" + std::to_string(4 * stride);
      print("constant.ldc.first_round." + name, first, "cycle");
      print("constant.ldc.warm." + name, warm, "cycle");
    }
}

// ---- branches -----------------------------------------------------------------------------------

// Sixteen times if (lane < split) { 12 instructions } else { 12 instructions }, straight code.
__global__ void if_else(int split, long long* times, float y, float* sink) {
  float x = threadIdx.x, z = y + threadIdx.x;
  long long begin = 0, end = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    begin = clock_now();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (static_cast<int>(threadIdx.x) < split) {
#pragma unroll
        for (int k = 0; k < 12; ++k) STEP(x, y, z);
      } else {
#pragma unroll
        for (int k = 0; k < 12; ++k) STEP(x, z, y);
      }
      asm volatile("" : "+r"(split));
    }
    end = clock_now();
  }
  if (threadIdx.x == 0) *times = end - begin;
  sink[threadIdx.x] = x;
}

// A loop of one dependent instruction whose trip count is lane % paths + 1, and a switch of paths.
__global__ void paths(int count, int rounds, long long* times, float y, float* sink) {
  float x = threadIdx.x;
  const int mine = threadIdx.x % count;
  const float z = y + threadIdx.x;
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (int p = 0; p < count; ++p)
      if (mine == p) {
#pragma unroll
        for (int k = 0; k < 16; ++k) STEP(x, y, z);
      }
  }
  const long long end = clock_now();
  if (threadIdx.x == 0) *times = end - begin;
  sink[threadIdx.x] = x;
}

void branches() {
  const Buffer<long long> times(1);
  const Buffer<float> sink(32);
  for (const int split : {0, 1, 16, 31, 32}) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      if_else<<<1, 32>>>(split, times.data(), 1.5f, sink.data());
      finish();
      samples.push_back(double(times.read()[0]) / 16);
    }
    print("branch.if_else.lanes" + std::to_string(split), samples, "cycle");
  }
  for (const int count : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> samples;
    for (int i = 0; i < kRepeats; ++i) {
      double t[2];
      for (const int k : {0, 1}) {
        paths<<<1, 32>>>(count, k == 0 ? 4 : 20, times.data(), 1.5f, sink.data());
        finish();
        t[k] = double(times.read()[0]);
      }
      samples.push_back((t[1] - t[0]) / (16 * count));
    }
    print("branch.paths" + std::to_string(count), samples, "cycle/path");
  }
}

// ---- barriers, fences, sleeping -----------------------------------------------------------------

enum class Sync { kBarrier, kWarp, kFenceBlock, kFence, kFenceSystem, kBarrierOr };
template <Sync kind>
__global__ void synchronize(int rounds, long long* times, unsigned* data) {
  unsigned v = 0;
  __syncthreads();
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if constexpr (kind == Sync::kBarrier) __syncthreads();
      if constexpr (kind == Sync::kWarp) __syncwarp();
      if constexpr (kind == Sync::kFenceBlock) __threadfence_block();
      if constexpr (kind == Sync::kFence) __threadfence();
      if constexpr (kind == Sync::kFenceSystem) __threadfence_system();
      if constexpr (kind == Sync::kBarrierOr) v += __syncthreads_or(static_cast<int>(v + k));
    }
  }
  const long long end = clock_now();
  if (threadIdx.x == 0) *times = end - begin;
  if (v == 12345) *data = v;
}
template <Sync kind>
void synchronization(const char* name) {
  const Buffer<long long> times(1);
  const Buffer<unsigned> data(1);
  for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) {
      double t[2];
      for (const int k : {0, 1}) {
        synchronize<kind><<<1, 32 * warps>>>(k == 0 ? 4 : 20, times.data(), data.data());
        finish();
        t[k] = double(times.read()[0]);
      }
      samples.push_back((t[1] - t[0]) / 128);
    }
    print(std::string("sync.") + name + ".w" + std::to_string(warps), samples, "cycle");
  }
}

// ---- launches and block dispatch ----------------------------------------------------------------

struct Visit {
  unsigned long long begin_ns, end_ns;
  long long begin, end;
  unsigned sm, padding;
};
__global__ void visit(Visit* visits, int spin) {
  const unsigned long long ns = nanoseconds_now();
  const long long begin = clock_now();
  while (clock_now() - begin < spin) {
  }
  if (threadIdx.x == 0)
    visits[blockIdx.x] = {ns, nanoseconds_now(), begin, clock_now(), sm_id(), 0};
}
__global__ void nothing() {}

void dispatch() {
  std::FILE* file = folder.empty() ? nullptr : std::fopen((folder + "/dispatch.tsv").c_str(), "w");
  if (file != nullptr)
    std::fprintf(file, "threads\tspin\tblock\tsm\tbegin_ns\tend_ns\tbegin\tend\n");
  for (const int threads : {32, 128, 256, 1024})
    for (const int spin : {0, 2000, 20000}) {
      const int blocks = 132 * (spin == 20000 ? 2 : 4) * (threads == 32 && spin != 20000 ? 8 : 1);
      const Buffer<Visit> visits(blocks);
      for (int i = 0; i < 3; ++i) {
        visit<<<blocks, threads>>>(visits.data(), spin);
        finish();
      }
      const auto v = visits.read();
      unsigned long long first = ~0ull, last = 0;
      for (const Visit& b : v)
        first = std::min(first, b.begin_ns), last = std::max(last, b.begin_ns);
      const std::string name = std::to_string(threads) + ".spin" + std::to_string(spin);
      print("dispatch.span." + name, {double(last - first)}, "ns");
      // Within one SM the clock is exact: gaps between begins of the first blocks.
      std::vector<double> gaps;
      std::vector<long long> begins;
      for (const Visit& b : v)
        if (b.sm == v[0].sm) begins.push_back(b.begin);
      std::sort(begins.begin(), begins.end());
      for (std::size_t i = 1; i < begins.size(); ++i)
        gaps.push_back(double(begins[i] - begins[i - 1]));
      if (!gaps.empty()) print("dispatch.gap_on_sm." + name, gaps, "cycle");
      if (file != nullptr && threads != 128)
        for (int b = 0; b < blocks; ++b)
          std::fprintf(file, "%d\t%d\t%d\t%u\t%llu\t%llu\t%lld\t%lld\n", threads, spin, b, v[b].sm,
                       v[b].begin_ns - first, v[b].end_ns - first, v[b].begin, v[b].end);
    }
  if (file != nullptr) std::fclose(file);
  // Launches back to back and one by one.
  cudaEvent_t a, b;
  CUDA(cudaEventCreate(&a));
  CUDA(cudaEventCreate(&b));
  std::vector<double> queue, alone;
  for (int i = 0; i < kRepeats; ++i) {
    float ms = 0;
    CUDA(cudaEventRecord(a));
    for (int k = 0; k < 200; ++k) nothing<<<1, 32>>>();
    CUDA(cudaEventRecord(b));
    CUDA(cudaEventSynchronize(b));
    CUDA(cudaEventElapsedTime(&ms, a, b));
    queue.push_back(double(ms) * 1e6 / 200);
    CUDA(cudaEventRecord(a));
    nothing<<<1, 32>>>();
    CUDA(cudaEventRecord(b));
    CUDA(cudaEventSynchronize(b));
    CUDA(cudaEventElapsedTime(&ms, a, b));
    alone.push_back(double(ms) * 1e6);
  }
  print("launch.back_to_back", queue, "ns");
  print("launch.event_to_event", alone, "ns");
  for (const int blocks : {132, 1056, 10560, 105600})
    for (const int threads : {32, 256, 1024}) {
      std::vector<double> samples;
      for (int i = 0; i < 5; ++i) {
        float ms = 0;
        CUDA(cudaEventRecord(a));
        nothing<<<blocks, threads>>>();
        CUDA(cudaEventRecord(b));
        CUDA(cudaEventSynchronize(b));
        CUDA(cudaEventElapsedTime(&ms, a, b));
        samples.push_back(double(ms) * 1e6);
      }
      print("launch.empty_blocks" + std::to_string(blocks) + ".threads" + std::to_string(threads),
            samples, "ns");
    }
}

// ---- which warp issues --------------------------------------------------------------------------

// Every warp reads the clock before, between and after groups of four independent instructions.
__global__ void order(long long* out, float y, float* sink) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  const float z = y + threadIdx.x;
  long long t[33];
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    t[0] = clock_now();
#pragma unroll
    for (int i = 1; i < 33; ++i) {
      STEP(a, y, z);
      STEP(b, y, z);
      STEP(c, y, z);
      STEP(d, y, z);
      t[i] = clock_now();
    }
  }
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < 33; ++i) out[(threadIdx.x / 32) * 33 + i] = t[i];
  sink[threadIdx.x] = a + b + c + d;
}
void scheduler() {
  if (folder.empty()) return;
  std::FILE* file = std::fopen((folder + "/scheduler.tsv").c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "warps\twarp\ttimes\n");
  for (const int warps : {1, 4, 8, 12, 16, 24}) {
    const Buffer<long long> out(32 * 33);
    const Buffer<float> sink(1024);
    order<<<1, 32 * warps>>>(out.data(), 1.5f, sink.data());
    order<<<1, 32 * warps>>>(out.data(), 1.5f, sink.data());
    finish();
    const auto t = out.read();
    const long long first = *std::min_element(t.begin(), t.begin() + 33 * warps);
    for (int w = 0; w < warps; ++w) {
      std::fprintf(file, "%d\t%d", warps, w);
      for (int i = 0; i < 33; ++i) std::fprintf(file, "\t%lld", t[w * 33 + i] - first);
      std::fprintf(file, "\n");
    }
  }
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) folder = argv[1];
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  print_header("control");
  instruction_cache<16>(), instruction_cache<32>(), instruction_cache<64>(),
      instruction_cache<96>();
  instruction_cache<128>(), instruction_cache<192>(), instruction_cache<256>(),
      instruction_cache<384>();
  instruction_cache<512>(), instruction_cache<1024>(), instruction_cache<2048>(),
      instruction_cache<4096>();
  instruction_cache<6144>(), instruction_cache<8192>(), instruction_cache<10240>(),
      instruction_cache<16384>();
  instruction_cache<32768>();
  constant_operand<16, 1>(), constant_operand<16, 16>(), constant_operand<32, 16>(),
      constant_operand<64, 16>();
  constant_operand<128, 16>(), constant_operand<256, 16>(), constant_operand<512, 16>(),
      constant_operand<1024, 16>();
  constant_rings();
  branches();
  synchronization<Sync::kBarrier>("barrier");
  synchronization<Sync::kBarrierOr>("barrier_or");
  synchronization<Sync::kWarp>("syncwarp");
  synchronization<Sync::kFenceBlock>("fence_block");
  synchronization<Sync::kFence>("fence");
  synchronization<Sync::kFenceSystem>("fence_system");
  dispatch();
  scheduler();
}
