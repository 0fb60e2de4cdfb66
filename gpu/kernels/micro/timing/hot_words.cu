// One warp's loads and atomics at a word that others use all the time: by what these do, where, and
// how many they are; and how often they are answered meanwhile.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o hot_words hot_words.cu && ./hot_words [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kAsked = 16;
constexpr unsigned kMixed = 16;
constexpr long long kAfter = 4000, kUntil = 24000;  // cycles
constexpr std::size_t kBytes = 1 << 16;

enum class Op { kLoad, kAdd, kSwap, kReduce, kStore, kLoadAdd };

template <Op op>
__device__ __forceinline__ unsigned use_word(unsigned* at, unsigned i) {
  unsigned v = 0;
  if constexpr (op == Op::kLoad || op == Op::kLoadAdd)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (op == Op::kAdd || op == Op::kLoadAdd)
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(at), "r"(v & 1) : "memory");
  // That fails.
  if constexpr (op == Op::kSwap)
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(v)
                 : "l"(at), "r"(i | 1u << 31), "r"(i)
                 : "memory");
  if constexpr (op == Op::kReduce) asm volatile("red.global.add.u32 [%0], 2;" ::"l"(at) : "memory");
  if constexpr (op == Op::kStore)
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(i * 2) : "memory");
  return v;
}

// Block 0 asks, one answer after the other; of the others a lane of each warp goes on for a time.
template <Op asked, Op others>
__global__ void together(long long* times, char* data, unsigned apart, unsigned long long* uses) {
  const long long begin = clock_now();
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    auto* const word = reinterpret_cast<unsigned*>(data);
    unsigned* at = word;
    while (clock_now() < begin + kAfter) {
    }
    times[0] = clock_now();
    for (int i = 0; i < kAsked; ++i) {
      const unsigned answer = use_word<asked>(at, unsigned(i));
      at += answer >> 31;  // not so, but the next waits for it
    }
    use(unsigned(at - word));
    times[1] = clock_now();
    return;
  }
  if (threadIdx.x % 32 != 0) return;
  auto* const at = reinterpret_cast<unsigned*>(data + apart);
  unsigned i = 0, seen = 0;
  while (clock_now() < begin + kUntil) seen |= use_word<others>(at, i++);
  atomicAdd(uses, i + (seen >> 31));
}

// All lanes load words of the first `words`, each one of its own choice after the other; every
// `period`-th time they swap instead, and fail; 0: never.
__global__ void mixed(long long* times, char* data, unsigned words, unsigned period) {
  auto* const first = reinterpret_cast<unsigned*>(data);
  unsigned choice = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, seen = 0;
  begin_span(times);
#pragma unroll 1
  for (unsigned i = 0; i < kMixed; ++i) {
    choice = choice * 1664525u + 1013904223u;
    unsigned* const at = first + (choice >> 12) % words + (seen >> 31);
    if (period != 0 && i % period == 0)
      seen |= use_word<Op::kSwap>(at, i);
    else
      seen |= use_word<Op::kLoad>(at, i);
  }
  use(seen);
  end_span(times);
}

class Questions {
 public:
  Questions(int sms) : sms_(sms), data_(kBytes), uses_(1) {}

  template <Op asked, Op others>
  void ask(const std::string& name) {
    for (const unsigned apart : {0u, 32u, 4096u})
      for (const auto& [blocks, warps] :
           {std::pair{1, 1}, {8, 1}, {32, 1}, {sms_ - 1, 1}, {sms_ - 1, 8}}) {
        const std::string full = name + ".apart" + std::to_string(apart) + ".b" +
                                 std::to_string(blocks) + ".w" + std::to_string(warps);
        if (is_wanted(full)) answer<asked, others>(full, apart, blocks, warps);
      }
  }
  void ask_mixed() {
    for (const unsigned words : {1u, 8u, 32u, 256u, 2048u, 16384u})
      for (const unsigned period : {0u, 16u, 4u, 2u, 1u})
        for (const int blocks : {8, sms_})
          ask_span("mixed.words" + std::to_string(words) + ".swaps" + std::to_string(period) +
                       ".b" + std::to_string(blocks),
                   blocks, kMixed, [&](long long* times) {
                     mixed<<<blocks, 256>>>(times, data_.data(), words, period);
                   });
  }

 private:
  template <Op asked, Op others>
  void answer(const std::string& name, unsigned apart, int blocks, int warps) {
    constexpr int kRepeats = 3;
    std::vector<double> answers, intervals;
    const Buffer<long long> times(2);
    for (int i = 0; i < kRepeats; ++i) {
      CUDA(cudaMemset(uses_.data(), 0, 8));
      CUDA(cudaMemset(data_.data(), 0, kBytes));
      together<asked, others>
          <<<blocks + 1, warps * 32>>>(times.data(), data_.data(), apart, uses_.data());
      finish();
      const auto t = times.read();
      answers.push_back(double(t[1] - t[0]) / kAsked);
      intervals.push_back(double(kUntil) / double(uses_.read()[0]));
    }
    print(name, answers, "cycle");
    print(name + ".others", intervals, "cycle");
  }

  int sms_;
  Buffer<char> data_;
  Buffer<unsigned long long> uses_;
};

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("hot_words");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  Questions questions(sms);
  questions.ask<Op::kLoad, Op::kLoad>("load.load");
  questions.ask<Op::kLoad, Op::kAdd>("load.add");
  questions.ask<Op::kLoad, Op::kSwap>("load.swap");
  questions.ask<Op::kLoad, Op::kReduce>("load.reduce");
  questions.ask<Op::kLoad, Op::kStore>("load.store");
  questions.ask<Op::kLoad, Op::kLoadAdd>("load.load_add");
  questions.ask<Op::kAdd, Op::kLoad>("add.load");
  questions.ask<Op::kAdd, Op::kAdd>("add.add");
  questions.ask<Op::kAdd, Op::kStore>("add.store");
  questions.ask<Op::kAdd, Op::kLoadAdd>("add.load_add");
  questions.ask_mixed();
}
