// What a round of asking takes when nobody answers: loops of a load and a branch, by one lane of
// each warp or by all, by how many warps there are; and atomics in shared memory by how many lanes
// meet.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o poll_loops poll_loops.cu && ./poll_loops [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr unsigned kRounds = 64;

enum class Asks { kNothing, kShared, kGlobal, kVolatile, kAdd, kTest };

template <Asks asks, bool all>
__global__ void loop(long long* times, unsigned* global, unsigned* sink) {
  __shared__ unsigned word;
  __shared__ unsigned long long barrier;
  const auto at = unsigned(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    word = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 4096;" ::"r"(at) : "memory");
  }
  begin_span(times);
  unsigned i = 0;
  if (all || threadIdx.x % 32 == 0) {
    while (true) {
      unsigned v = 0;
      if constexpr (asks == Asks::kNothing) asm volatile("mov.u32 %0, 0;" : "=r"(v));
      if constexpr (asks == Asks::kShared) v = *const_cast<volatile unsigned*>(&word);
      if constexpr (asks == Asks::kGlobal)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(global) : "memory");
      if constexpr (asks == Asks::kVolatile) v = *const_cast<volatile unsigned*>(global);
      if constexpr (asks == Asks::kAdd) v = atomicAdd(&word, 0);
      if constexpr (asks == Asks::kTest)
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
            : "=r"(v)
            : "r"(at)
            : "memory");
      if (v + ++i >= kRounds) break;
    }
  }
  __syncwarp();
  end_span(times);
  if (i == 12345) *sink = i;
}

template <Asks asks>
void ask_loop(const char* name, const Buffer<unsigned>& words) {
  for (const int warps : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}) {
    ask_span(std::string("loop.") + name + ".leaders.w" + std::to_string(warps), 1, kRounds,
             [&](long long* times) {
               loop<asks, false><<<1, warps * 32>>>(times, words.data(), words.data() + 64);
             });
    ask_span(std::string("loop.") + name + ".all.w" + std::to_string(warps), 1, kRounds,
             [&](long long* times) {
               loop<asks, true><<<1, warps * 32>>>(times, words.data(), words.data() + 64);
             });
  }
}

enum class Op { kAdd32, kAdd64, kCas32, kCas64, kExch32, kMax32 };

// Lanes `lane % words` of a warp meet; each waits for its answer. `right`: swaps that succeed for
// one of them.
template <Op op>
__global__ void shared_atomics(long long* times, unsigned lanes, unsigned words, unsigned* sink) {
  using Wide = unsigned long long;
  __shared__ Wide data[32 * 32];
  for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x) data[i] = 0;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Wide* const wide = data + lane % words;
  auto* const narrow = reinterpret_cast<unsigned*>(data) + lane % words;
  unsigned value = 0;
  begin_span(times);
  if (lane < lanes)
#pragma unroll 1
    for (unsigned i = 0; i < kRounds; ++i) {
      const unsigned next = value + lane + warp;
      if constexpr (op == Op::kAdd32) value = atomicAdd(narrow, next);
      if constexpr (op == Op::kAdd64) value = unsigned(atomicAdd(wide, Wide{next}));
      if constexpr (op == Op::kCas32) value = atomicCAS(narrow, value, next);
      if constexpr (op == Op::kCas64) value = unsigned(atomicCAS(wide, Wide{value}, Wide{next}));
      if constexpr (op == Op::kExch32) value = atomicExch(narrow, next);
      if constexpr (op == Op::kMax32) value = atomicMax(narrow, next);
    }
  end_span(times);
  if (value == 12345) *sink = value;
}

template <Op op>
void ask_shared(const char* name, const Buffer<unsigned>& words) {
  for (const int warps : {1, 4, 8, 32})
    for (const auto& [lanes, places] : {std::pair{1u, 1u},
                                        {2u, 1u},
                                        {4u, 1u},
                                        {8u, 1u},
                                        {16u, 1u},
                                        {32u, 1u},
                                        {32u, 2u},
                                        {32u, 8u},
                                        {32u, 16u},
                                        {32u, 32u},
                                        {16u, 16u}})
      ask_span(std::string("shared.") + name + ".lanes" + std::to_string(lanes) + ".words" +
                   std::to_string(places) + ".w" + std::to_string(warps),
               1, kRounds, [&, l = lanes, p = places](long long* times) {
                 shared_atomics<op><<<1, warps * 32>>>(times, l, p, words.data());
               });
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("poll_loops");
  const Buffer<unsigned> words(128);
  ask_loop<Asks::kNothing>("nothing", words);
  ask_loop<Asks::kShared>("shared", words);
  ask_loop<Asks::kGlobal>("l1", words);
  ask_loop<Asks::kVolatile>("l2", words);
  ask_loop<Asks::kAdd>("add", words);
  ask_loop<Asks::kTest>("test", words);
  ask_shared<Op::kAdd32>("add32", words);
  ask_shared<Op::kAdd64>("add64", words);
  ask_shared<Op::kCas32>("cas32", words);
  ask_shared<Op::kCas64>("cas64", words);
  ask_shared<Op::kExch32>("exch32", words);
  ask_shared<Op::kMax32>("max32", words);
}
