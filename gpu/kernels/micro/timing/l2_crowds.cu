// Lines of their own that all SMs read at once, when they lie in L2: by who has brought them there,
// how many, and how wide the loads are; and when they lie in memory.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o l2_crowds l2_crowds.cu && ./l2_crowds [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRepeats = 3;
// As much memory as L2 holds many times is used in turn.
constexpr std::size_t kRoom = std::size_t{512} << 20, kMost = std::size_t{32} << 20;

// What came before: nothing; loads of the same block, once or twice; of another block; stores.
enum class Before { kNothing, kLoads, kLoadsTwice, kOthersLoads, kStores, kOthersStores };

// The warps of a block read one stretch of memory, `loads` rows of all its threads' loads.
template <int bytes, int loads>
__global__ void read(long long* times, const char* data, int shift) {
  const std::size_t row = std::size_t{blockDim.x} * bytes;
  const unsigned block = (blockIdx.x + shift) % gridDim.x;
  const char* const at = data + block * row * loads + threadIdx.x * bytes;
  begin_span(times);
  unsigned words[loads], all = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) words[i] = load<bytes>(at + i * row);
#pragma unroll
  for (int i = 0; i < loads; ++i) all |= words[i];
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  end_span(times);
}

__global__ void write(char* data, std::size_t each, int shift) {
  const unsigned block = (blockIdx.x + shift) % gridDim.x;
  for (std::size_t at = threadIdx.x * 16; at < each; at += blockDim.x * 16)
    *reinterpret_cast<int4*>(data + block * each + at) = int4{};
}

template <int bytes, int loads>
void ask(const char* name, Before before, int sms, const Buffer<char>& data) {
  static std::size_t next = 0;
  for (const int blocks : {1, sms / 4, sms / 2, sms})
    for (const int warps : {8, 32}) {
      const std::string question = std::string("crowd.") + name + ".b" + std::to_string(blocks) +
                                   ".w" + std::to_string(warps) + ".bytes" + std::to_string(bytes) +
                                   ".n" + std::to_string(loads);
      if (!is_wanted(question)) continue;
      const std::size_t each = std::size_t{32} * warps * bytes * loads;
      const Spans spans(blocks);
      std::vector<double> mean, most;
      for (int i = 0; i < kRepeats; ++i) {
        char* const place = data.data() + next;
        next += each * blocks;
        if (next + kMost > kRoom) next = 0;
        const int others = blocks > 1 ? blocks / 2 + 1 : 0;
        const auto run = [&](int shift) {
          read<bytes, loads><<<blocks, 32 * warps>>>(spans.data(), place, shift);
        };
        if (before == Before::kLoads || before == Before::kLoadsTwice) run(0);
        if (before == Before::kLoadsTwice) run(0);
        if (before == Before::kOthersLoads) run(others);
        if (before == Before::kStores) write<<<blocks, 256>>>(place, each, 0);
        if (before == Before::kOthersStores) write<<<blocks, 256>>>(place, each, others);
        run(0);
        mean.push_back(spans.mean());
        most.push_back(spans.most());
      }
      print(question + ".mean", mean, "cycle");
      print(question + ".most", most, "cycle");
    }
}

template <int bytes, int loads>
void ask_all(int sms, const Buffer<char>& data) {
  ask<bytes, loads>("memory", Before::kNothing, sms, data);
  ask<bytes, loads>("loaded", Before::kLoads, sms, data);
  ask<bytes, loads>("loaded_twice", Before::kLoadsTwice, sms, data);
  ask<bytes, loads>("others_loaded", Before::kOthersLoads, sms, data);
  ask<bytes, loads>("stored", Before::kStores, sms, data);
  ask<bytes, loads>("others_stored", Before::kOthersStores, sms, data);
}

// ---- rows side by side
// ----------------------------------------------------------------------------

constexpr int kSteps = 16;

// Each lane reads along a row of its own, 32 bytes at a time, after what came before; rows lie
// `pitch` bytes apart. Mean cycles of each step over the warps.
__global__ void rows(long long* times, const char* data, std::size_t pitch) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const char* at = data + row * pitch;
  unsigned word = 0;
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const long long begin = clock_now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at + word) : "memory");
    if (word == 12345) break;  // the clock is read when the word is there
    const long long end = clock_now();
    if (threadIdx.x % 32 == 0)
      times[std::size_t(step) * gridDim.x * (blockDim.x / 32) + row / 32] = end - begin;
    at += 32;
  }
}

void ask_rows(int sms, const Buffer<char>& data) {
  std::size_t next = 0;
  for (const int blocks : {1, 32, sms})
    for (const int warps : {1, 2, 8})
      for (const std::size_t pitch : {512u, 1024u, 1536u, 2048u, 4096u, 4608u, 8192u, 65536u}) {
        const std::string question = "rows.b" + std::to_string(blocks) + ".w" +
                                     std::to_string(warps) + ".pitch" + std::to_string(pitch);
        const std::size_t all = std::size_t{32} * blocks * warps * pitch;
        if (!is_wanted(question) || all > kRoom) continue;
        const std::size_t count = std::size_t(blocks) * warps;
        const Buffer<long long> times(count * kSteps);
        std::vector<double> steps[kSteps];
        for (int i = 0; i < kRepeats; ++i) {
          if (next + all > kRoom) next = 0;
          rows<<<blocks, warps * 32>>>(times.data(), data.data() + next, pitch);
          next += all;
          finish();
          const auto took = times.read();
          for (int step = 0; step < kSteps; ++step) {
            double sum = 0;
            for (std::size_t w = 0; w < count; ++w) sum += double(took[step * count + w]);
            steps[step].push_back(sum / double(count));
          }
        }
        for (int step = 0; step < kSteps; ++step)
          print(question + ".step" + std::to_string(step), steps[step], "cycle");
      }
}

// ---- many words of lines that L1 lacks
// ---------------------------------------------------------------

// Each lane loads `loads` words that lie side by side, at once; lanes lie `pitch` bytes apart, and
// warps behind one another. First from L2, then from L1.
template <int loads>
__global__ void batch(long long* times, const char* data, int pitch, int round) {
  const char* const at = data + std::size_t(threadIdx.x) * pitch;
  begin_span(times);
  unsigned words[loads], all = 0;
#pragma unroll 1
  for (int i = 0; i <= round; ++i) {
    if (i != 0) begin_span(times);
#pragma unroll
    for (int k = 0; k < loads; ++k)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(words[k]) : "l"(at + k * 4) : "memory");
#pragma unroll
    for (int k = 0; k < loads; ++k) all |= words[k];
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  }
  end_span(times);
}

template <int loads>
void ask_batch(const Buffer<char>& data) {
  for (const int warps : {1, 2, 4, 8})
    for (const int pitch : {4, 32, 64, 128, 132, 160, 1024})
      for (const int round : {0, 1}) {
        const std::string question = std::string("batch.") + (round == 0 ? "from_l2" : "from_l1") +
                                     ".w" + std::to_string(warps) + ".pitch" +
                                     std::to_string(pitch) + ".n" + std::to_string(loads);
        if (!is_wanted(question)) continue;
        const Spans spans(1);
        std::vector<double> samples;
        for (int i = 0; i < kRepeats + 1; ++i) {
          batch<loads><<<1, warps * 32>>>(spans.data(), data.data(), pitch, round);
          if (const double took = spans.mean(); i != 0) samples.push_back(took);
        }
        print(question, samples, "cycle");
      }
}

// ---- words stored anywhere
// ------------------------------------------------------------------------

// Each lane stores a word in turn at places at random in `bytes`; cycles of a store.
__global__ void scatter(long long* times, char* data, unsigned words, int count) {
  unsigned random = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 777;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    random = random * 1664525u + 1013904223u;
    asm volatile("st.global.u32 [%0], 0;" ::"l"(data + std::size_t{(random >> 8) % words} * 4)
                 : "memory");
  }
  end_span(times);
}

void ask_scatter(int sms, const Buffer<char>& data) {
  constexpr int kCount = 16;
  std::size_t next = 0;
  for (const bool cold : {true, false})
    for (const int blocks : {1, sms})
      for (const int warps : {1, 8, 32})
        for (const unsigned bytes : {32u, 128u, 256u, 1u << 10, 4u << 10, 16u << 10, 64u << 10,
                                     256u << 10, 1u << 20, 4u << 20}) {
          const std::string question = std::string("scatter.") + (cold ? "cold" : "warm") + ".b" +
                                       std::to_string(blocks) + ".w" + std::to_string(warps) +
                                       ".bytes" + std::to_string(bytes);
          if (!is_wanted(question)) continue;
          const Spans spans(blocks);
          std::vector<double> samples;
          for (int i = 0; i < kRepeats; ++i) {
            char* const place = data.data() + next;
            next += std::max<std::size_t>(bytes, 4096);
            if (next + kMost > kRoom) next = 0;
            if (!cold) write<<<1, 256>>>(place, std::max(bytes, 4096u), 0);
            scatter<<<blocks, warps * 32>>>(spans.data(), place, bytes / 4, kCount);
            samples.push_back(spans.mean() / (double(kCount) * warps));
          }
          print(question, samples, "cycle");
        }
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("l2_crowds");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<char> data(kRoom);
  ask_rows(sms, data);
  ask_batch<1>(data);
  ask_batch<2>(data);
  ask_batch<4>(data);
  ask_batch<8>(data);
  ask_batch<16>(data);
  ask_scatter(sms, data);
  ask_all<4, 1>(sms, data);
  ask_all<4, 4>(sms, data);
  ask_all<4, 8>(sms, data);
  ask_all<4, 16>(sms, data);
  ask_all<16, 1>(sms, data);
  ask_all<16, 2>(sms, data);
  ask_all<16, 4>(sms, data);
  ask_all<16, 8>(sms, data);
}
