// Memory instructions that no lane makes, as their guard is false in all of them: how often they
// issue by kind and by how many warps there are, beside those that one lane or all make, and when
// what waits for them goes on.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o no_lanes no_lanes.cu && ./no_lanes [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRounds = 16, kEach = 6;  // rounds, instructions in one
constexpr int kWarps = 32;

enum class Op { kLoad, kStore, kSharedLoad, kSharedStore };

template <Op op>
__device__ __forceinline__ void access(bool on, char* global, unsigned shared, unsigned& value) {
  const auto is_on = unsigned(on);
  if constexpr (op == Op::kLoad)
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.global.u32 %0, [%1]; }"
                 : "+r"(value)
                 : "l"(global), "r"(is_on)
                 : "memory");
  if constexpr (op == Op::kStore)
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u32 [%1], %0; }" ::"r"(value),
                 "l"(global), "r"(is_on)
                 : "memory");
  if constexpr (op == Op::kSharedLoad)
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1]; }"
                 : "+r"(value)
                 : "r"(shared), "r"(is_on)
                 : "memory");
  if constexpr (op == Op::kSharedStore)
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.shared.u32 [%1], %0; }" ::"r"(value),
                 "r"(shared), "r"(is_on)
                 : "memory");
}

// Whether a lane makes them is in words that the compiler does not know: one for each instruction,
// or it would jump over several at once.
struct Guards {
  unsigned on[kEach];
  __device__ __forceinline__ explicit Guards(const unsigned* words) {
    for (int j = 0; j < kEach; ++j)
      on[j] = *const_cast<const volatile unsigned*>(words + j * 32 + threadIdx.x % 32);
  }
  __device__ __forceinline__ bool operator[](int j) const { return on[j] != 0; }
};

// Each has a value of its own, so that none waits for another.
template <Op op>
__global__ void stream(long long* times, const unsigned* on, char* data, unsigned* sink) {
  __shared__ unsigned words[kWarps * 32];
  const auto shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = 0;
  unsigned values[kEach] = {};
  const Guards makes(on);
  char* const mine = data + threadIdx.x * 4;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) access<op>(makes[j], mine, shared, values[j]);
  end_span(times);
  unsigned sum = 0;
  for (const unsigned value : values) sum += value;
  if (sum == 12345) *sink = sum;
}

// What each brings is used before the next.
template <Op op>
__global__ void chain(long long* times, const unsigned* on, char* data, unsigned* sink) {
  __shared__ unsigned words[kWarps * 32];
  const auto shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = 0;
  unsigned value = 0;
  const Guards makes(on);
  char* const mine = data + threadIdx.x * 4;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      access<op>(makes[j], mine, shared, value);
      asm volatile("add.u32 %0, %0, 1;" : "+r"(value)::"memory");
    }
  end_span(times);
  if (value == 12345) *sink = value;
}

// What all warps make, and behind each as many that none makes.
template <Op made, Op other>
__global__ void beside(long long* times, const unsigned* on, char* data, unsigned* sink) {
  __shared__ unsigned words[kWarps * 32];
  const auto shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = 0;
  unsigned values[kEach] = {}, unmade[kEach] = {};
  const Guards makes(on);
  char* const mine = data + threadIdx.x * 4;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      access<made>(true, mine, shared, values[j]);
      access<other>(makes[j], mine, shared, unmade[j]);
    }
  end_span(times);
  unsigned sum = 0;
  for (int j = 0; j < kEach; ++j) sum += values[j] + unmade[j];
  if (sum == 12345) *sink = sum;
}

// Warps that read a row, store parts of the next that few or none of them have, and meet.
__global__ void steps(long long* times, const unsigned* on, char* data, unsigned* sink) {
  __shared__ unsigned words[kWarps * 32];
  const auto shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = 0;
  unsigned value = 0;
  const Guards makes(on);
  char* const mine = data + threadIdx.x * 4;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    access<Op::kSharedLoad>(true, mine, shared, value);
    for (int j = 0; j < 4; ++j) access<Op::kSharedStore>(makes[j], mine, shared, value);
    for (int j = 4; j < kEach; ++j) access<Op::kStore>(makes[j], mine, shared, value);
    __syncthreads();
  }
  end_span(times);
  if (value == 12345) *sink = value;
}

class Questions {
 public:
  Questions() : on_(kEach * 32), data_(kWarps * 128 + 128), sink_(1) {}

  template <Op op>
  void ask(const std::string& name) {
    for (const int lanes : {0, 1, 32}) {
      set(lanes);
      const std::string made = ".lanes" + std::to_string(lanes);
      for (const int warps : {1, 2, 4, 8, 16, 32})
        ask_span("stream." + name + made + ".w" + std::to_string(warps), 1, kRounds * kEach,
                 [&](long long* times) {
                   stream<op><<<1, warps * 32>>>(times, on_.data(), data_.data(), sink_.data());
                 });
      if constexpr (op == Op::kLoad || op == Op::kSharedLoad)
        ask_span("chain." + name + made, 1, kRounds * kEach, [&](long long* times) {
          chain<op><<<1, 32>>>(times, on_.data(), data_.data(), sink_.data());
        });
    }
  }
  template <Op made, Op other>
  void ask_beside(const std::string& name) {
    set(0);
    for (const int warps : {4, 32})
      ask_span("beside." + name + ".w" + std::to_string(warps), 1, kRounds * kEach,
               [&](long long* times) {
                 beside<made, other>
                     <<<1, warps * 32>>>(times, on_.data(), data_.data(), sink_.data());
               });
  }
  void ask_steps() {
    for (const int lanes : {0, 1, 32}) {
      set(lanes);
      for (const int warps : {8, 32})
        ask_span("steps.lanes" + std::to_string(lanes) + ".w" + std::to_string(warps), 1, kRounds,
                 [&](long long* times) {
                   steps<<<1, warps * 32>>>(times, on_.data(), data_.data(), sink_.data());
                 });
    }
  }

 private:
  void set(int lanes) {
    std::vector<unsigned> on(kEach * 32);
    for (int i = 0; i < kEach * 32; ++i) on[std::size_t(i)] = i % 32 < lanes ? 1 : 0;
    on_.write(on);
  }

  Buffer<unsigned> on_;
  Buffer<char> data_;
  Buffer<unsigned> sink_;
};

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("no_lanes");
  Questions questions;
  questions.ask<Op::kLoad>("load");
  questions.ask<Op::kStore>("store");
  questions.ask<Op::kSharedLoad>("shared_load");
  questions.ask<Op::kSharedStore>("shared_store");
  questions.ask_beside<Op::kSharedLoad, Op::kSharedLoad>("shared_load.shared_load");
  questions.ask_beside<Op::kSharedLoad, Op::kSharedStore>("shared_load.shared_store");
  questions.ask_beside<Op::kSharedStore, Op::kSharedStore>("shared_store.shared_store");
  questions.ask_beside<Op::kSharedLoad, Op::kStore>("shared_load.store");
  questions.ask_beside<Op::kStore, Op::kStore>("store.store");
  questions.ask_beside<Op::kLoad, Op::kLoad>("load.load");
  questions.ask_steps();
}
