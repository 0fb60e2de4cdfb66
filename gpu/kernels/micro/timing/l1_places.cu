// Where lines lie in L1, and which make room: chains over lines a distance apart, arrays in local
// memory by warps and words, such arrays changed by lanes at indices of their own, alone and
// beside loads that stream through, and loads behind stores.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o l1_places l1_places.cu && ./l1_places [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kWarmRounds = 2, kRounds = 4, kRepeats = 3;

double span(const Buffer<long long>& times) {
  const std::vector<long long> clocks = times.read();
  return double(clocks[1] - clocks[0]);
}

// ---- lines of global memory a distance apart
// ------------------------------------------------------

// One warp reads `count` lines in turn, each address from the word read before; all words are zero.
__global__ void distances(long long* times, const char* data, unsigned count, std::size_t stride,
                          unsigned* sink) {
  unsigned long long word = 0;
  long long begin = 0;
#pragma unroll 1
  for (int round = 0; round < kWarmRounds + kRounds; ++round) {
    if (round == kWarmRounds) begin = clock_now();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i)
      asm volatile("ld.global.ca.u64 %0, [%1];"
                   : "=l"(word)
                   : "l"(data + i * stride + word)
                   : "memory");
  }
  const long long end = clock_now();
  if (threadIdx.x == 0) times[0] = begin, times[1] = end;
  sink[threadIdx.x] = static_cast<unsigned>(word);
}

void ask_distances() {
  constexpr std::size_t kRoom = std::size_t{512} << 20;
  const Buffer<char> data(kRoom);
  const Buffer<long long> times(2);
  const Buffer<unsigned> sink(32);
  CUDA(cudaFuncSetAttribute(distances, cudaFuncAttributePreferredSharedMemoryCarveout,
                            cudaSharedmemCarveoutMaxL1));
  std::vector<std::size_t> strides;
  for (std::size_t stride = 128; stride <= std::size_t{1} << 20; stride *= 2)
    strides.push_back(stride);
  strides.insert(strides.end(), {384, 4224, 33 * 1024, 40 * 1024, 96 * 1024});
  for (const std::size_t stride : strides)
    for (const unsigned count :
         {1u,  2u,  3u,  4u,   5u,   6u,   8u,   10u,   12u,   16u,   20u,   24u,   32u,
          48u, 64u, 96u, 128u, 192u, 256u, 512u, 1024u, 1536u, 1792u, 1920u, 2048u, 2560u}) {
      const std::string name = "distance" + std::to_string(stride) + ".n" + std::to_string(count);
      if (count * stride > kRoom || !is_wanted(name)) continue;
      std::vector<double> samples;
      for (int i = 0; i < kRepeats; ++i) {
        distances<<<1, 32>>>(times.data(), data.data(), count, stride, sink.data());
        finish();
        samples.push_back(span(times) / (double(kRounds) * count));
      }
      print(name, samples, "cycle");
    }
}

// ---- how many lines find place beside shared memory
// ------------------------------------------------

// Places of lines: one after the other, or anywhere in 128 MiB.
__device__ __forceinline__ std::size_t line_at(unsigned i, bool scattered) {
  if (!scattered) return std::size_t{i} * 128;
  unsigned x = i * 0x9e3779b1u + 0x7f4a7c15u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return std::size_t{(x ^ x >> 16) % (1u << 20)} * 128;
}

// One warp reads `count` lines in turn, and counts those that take longer than L1 does.
__global__ void places(long long* missed, const char* data, unsigned count, bool scattered,
                       unsigned* sink) {
  constexpr long long kFromL2 = 150;
  unsigned long long word = 0;
  long long late = 0, before = 0;
#pragma unroll 1
  for (int round = 0; round < kWarmRounds + kRounds; ++round)
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
      const char* const at = data + line_at(i, scattered) + word;  // waits for the word before
      const long long now = clock_now();
      if (round >= kWarmRounds) late += now - before > kFromL2;
      before = now;
      asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    }
  if (threadIdx.x == 0) missed[0] = late;
  sink[threadIdx.x] = static_cast<unsigned>(word);
}

void ask_places() {
  const Buffer<char> data(std::size_t{128} << 20);
  const Buffer<long long> missed(1);
  const Buffer<unsigned> sink(32);
  CUDA(cudaFuncSetAttribute(places, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (const int kib : {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}) {
    // The driver keeps a KiB of a block's.
    const int bytes = std::max(0, kib - 1) * 1024;
    CUDA(
        cudaFuncSetAttribute(places, cudaFuncAttributePreferredSharedMemoryCarveout,
                             kib == 0 ? int(cudaSharedmemCarveoutMaxL1) : (kib * 100 + 227) / 228));
    for (const bool scattered : {false, true})
      for (unsigned count = 64; count <= 3072; count += count < 512 ? 64 : 128) {
        const std::string name = std::string(scattered ? "scattered" : "places") + ".shared" +
                                 std::to_string(kib) + ".n" + std::to_string(count);
        if (!is_wanted(name)) continue;
        std::vector<double> samples;
        for (int i = 0; i < kRepeats; ++i) {
          places<<<1, 32, bytes>>>(missed.data(), data.data(), count, scattered, sink.data());
          finish();
          samples.push_back(100. * double(missed.read()[0]) / (double(kRounds) * count));
        }
        print(name, samples, "%");
      }
  }
}

// ---- stores, and loads behind them
// ----------------------------------------------------------------

enum class Stored { kLine, kWord, kNeighbour };
// One warp stores to `count` lines, whole or a word of each, and reads each once: what was stored,
// or the word beside it in the same sector.
template <Stored stored>
__global__ void reread(long long* times, char* data, unsigned count, std::size_t stride,
                       unsigned* sink) {
  const std::size_t lane_word = stored == Stored::kLine ? threadIdx.x * 4 : 0;
  if (stored == Stored::kLine || threadIdx.x == 0)
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i)
      asm volatile("st.global.u32 [%0], 0;" ::"l"(data + i * stride + lane_word) : "memory");
  __syncwarp();
  unsigned word = 0;
  const std::size_t place = stored == Stored::kNeighbour ? 4 : lane_word;
  const long long begin = clock_now();
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i)
    asm volatile("ld.global.ca.u32 %0, [%1];"
                 : "=r"(word)
                 : "l"(data + i * stride + place + word)
                 : "memory");
  const long long end = clock_now();
  if (threadIdx.x == 0) times[0] = begin, times[1] = end;
  sink[threadIdx.x] = word;
}

template <Stored stored>
void ask_reread(const char* name) {
  constexpr std::size_t kRoom = std::size_t{64} << 20;
  const Buffer<long long> times(2);
  const Buffer<unsigned> sink(32);
  const Buffer<char> data(kRoom);
  for (const std::size_t stride : {128u, 1024u, 4096u, 4224u, 32768u})
    for (const unsigned count : {1u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 1024u}) {
      const std::string question = std::string("reread.") + name + ".distance" +
                                   std::to_string(stride) + ".n" + std::to_string(count);
      if (count * stride > kRoom || !is_wanted(question)) continue;
      std::vector<double> samples;
      for (int i = 0; i < kRepeats; ++i) {
        reread<stored><<<1, 32>>>(times.data(), data.data(), count, stride, sink.data());
        finish();
        samples.push_back(span(times) / count);
      }
      print(question, samples, "cycle");
    }
}

// ---- arrays in local memory
// -----------------------------------------------------------------------

// Each thread's array holds a cycle through its words, which it follows.
template <int words>
__global__ void chains(long long* times, unsigned* sink) {
  unsigned next[words];
#pragma unroll 1
  for (unsigned i = 0; i < words; ++i) next[i] = (i + 1) % words;
  unsigned at = threadIdx.x / ~0u;
  long long begin = 0;
#pragma unroll 1
  for (int round = 0; round < kWarmRounds + kRounds; ++round) {
    if (round == kWarmRounds) {
      __syncthreads();
      begin = clock_now();
    }
#pragma unroll 1
    for (int i = 0; i < words; ++i) at = next[at];
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) times[threadIdx.x / 32] = end - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Lanes change words of their arrays at indices of their own; `stream`: each first reads a word of
// global memory that no one has read before.
template <int words, bool stream>
__global__ void changes(long long* times, const unsigned* in, unsigned* sink) {
  constexpr int kChanges = 64;
  unsigned counts[words];
#pragma unroll
  for (int i = 0; i < words; ++i) counts[i] = 0;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned random = thread * 2654435761u, zero = 0;
  __syncthreads();
  const long long begin = clock_now();
#pragma unroll 1
  for (int i = 0; i < kChanges; ++i) {
    if constexpr (stream)
      asm volatile("ld.global.u32 %0, [%1];"
                   : "=r"(zero)
                   : "l"(in + (std::size_t{gridDim.x} * i * blockDim.x + thread + zero))
                   : "memory");
    random = random * 1664525u + 1013904223u + zero;
    ++counts[(random >> 16) % words];
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) times[threadIdx.x / 32] = end - begin;
  unsigned mixed = 0;
#pragma unroll
  for (int i = 0; i < words; ++i) mixed = mixed * 31 + counts[i];
  sink[thread] = mixed;
}

template <class Launch>
void ask_warps(const std::string& name, int warps, double accesses, Launch launch) {
  if (!is_wanted(name)) return;
  const Buffer<long long> times(32);
  std::vector<double> samples;
  for (int i = 0; i < kRepeats; ++i) {
    launch(times.data());
    finish();
    const std::vector<long long> read = times.read();
    double sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += double(read[warp]) / warps;
    samples.push_back(sum / accesses);
  }
  print(name, samples, "cycle");
}

template <int words>
void ask_local(int sms) {
  const Buffer<unsigned> sink(std::size_t{2} * sms * 1024), in(std::size_t{2} * sms * 1024 * 64);
  for (const int blocks : {1, 2 * sms})
    for (const int warps : {1, 2, 4, 8, 12, 16, 24, 32}) {
      const std::string rest = ".f" + std::to_string(words) + ".b" + std::to_string(blocks) + ".w" +
                               std::to_string(warps);
      ask_warps("local" + rest, warps, double(kRounds) * words, [&](long long* times) {
        chains<words><<<blocks, warps * 32>>>(times, sink.data());
      });
      ask_warps("changed" + rest, warps, 64, [&](long long* times) {
        changes<words, false><<<blocks, warps * 32>>>(times, in.data(), sink.data());
      });
      ask_warps("streamed" + rest, warps, 64, [&](long long* times) {
        changes<words, true><<<blocks, warps * 32>>>(times, in.data(), sink.data());
      });
    }
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("l1_places");
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const int sms = properties.multiProcessorCount;
  ask_distances();
  ask_places();
  ask_reread<Stored::kLine>("line");
  ask_reread<Stored::kWord>("word");
  ask_reread<Stored::kNeighbour>("neighbour");
  ask_local<2>(sms);
  ask_local<4>(sms);
  ask_local<8>(sms);
  ask_local<16>(sms);
  ask_local<32>(sms);
  ask_local<64>(sms);
  ask_local<256>(sms);
}
