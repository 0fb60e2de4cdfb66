// Programs that ask how long blocks take for a stretch of work: each block reads the clock before
// and behind it, once its warps are there.
#pragma once

#include "probe.h"

namespace timing {

__device__ __forceinline__ void begin_span(long long* times) {
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x] = clock_now();
  __syncthreads();
}
__device__ __forceinline__ void end_span(long long* times) {
  __syncthreads();
  if (threadIdx.x == 0) times[2 * blockIdx.x + 1] = clock_now();
}

// What is not 1.
__device__ __forceinline__ void use(unsigned word) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 1; @p trap; }" ::"r"(word) : "memory");
}

// All warps of the block are there. The instruction behind a BAR still issues before its warp
// waits, so that the clock must not be read there. `word` is not 1.
__device__ __forceinline__ void meet(unsigned word) {
  __syncthreads();
  use(word);
}

// Loads 4 or 16 bytes past L1.
template <int bytes>
__device__ __forceinline__ unsigned load(const char* at) {
  unsigned a, b = 0, c = 0, d = 0;
  if constexpr (bytes == 4)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(at) : "memory");
  else
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(at)
                 : "memory");
  return a | b | c | d;
}

// First and last clock of each block; a launch's first argument.
class Spans {
 public:
  explicit Spans(int blocks) : times_(std::size_t(blocks) * 2) {}
  long long* data() const { return times_.data(); }
  // Mean over the blocks, once the launch is over.
  double mean() const {
    finish();
    const auto t = times_.read();
    double sum = 0;
    for (std::size_t i = 0; i < t.size(); i += 2) sum += double(t[i + 1] - t[i]);
    return sum / (double(t.size()) / 2);
  }
  // Of the block that took longest.
  double most() const {
    const auto t = times_.read();
    long long longest = 0;
    for (std::size_t i = 0; i < t.size(); i += 2) longest = std::max(longest, t[i + 1] - t[i]);
    return double(longest);
  }

 private:
  Buffer<long long> times_;
};

// What the command line names: beginnings of the questions to ask; none: all.
inline std::vector<std::string>& wanted() {
  static std::vector<std::string> names;
  return names;
}
inline void read_wanted(int count, char** arguments) {
  wanted().assign(arguments + 1, arguments + count);
}
inline bool is_wanted(const std::string& question) {
  return wanted().empty() || std::any_of(wanted().begin(), wanted().end(), [&](const auto& name) {
           return question.compare(0, name.size(), name) == 0;
         });
}

// Launches several times; prints the mean span over `divisor`. `launch(times)`.
template <typename Launch>
void ask_span(const std::string& name, int blocks, double divisor, Launch&& launch) {
  constexpr int kRepeats = 3;
  if (!is_wanted(name)) return;
  const Spans spans(blocks);
  std::vector<double> samples;
  for (int i = 0; i < kRepeats; ++i) {
    launch(spans.data());
    samples.push_back(spans.mean() / divisor);
  }
  print(name, samples, "cycle");
}

}  // namespace timing
