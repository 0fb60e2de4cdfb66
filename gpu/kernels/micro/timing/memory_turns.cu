// Whose access the memory unit serves first where several warps' lanes meet at banks, and where the
// others wait: until loads from L1 and shared memory have issued, and until each warp has its own.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o memory_turns memory_turns.cu
//   ./memory_turns [QUESTION…]
#include <utility>

#include "spans.h"

namespace {

using namespace timing;

constexpr unsigned kBytes = 32 * 1024;  // what a block reads, more than any pattern's lanes reach
constexpr unsigned kLine = 128;         // from a load to the next

// Where a lane reads: `first` lanes lie `stride` bytes apart, the others where these do.
struct Pattern {
  const char* name;
  unsigned first, stride;
  __host__ __device__ unsigned place(unsigned lane) const { return lane % first * stride; }
};
constexpr Pattern kPatterns[] = {
    {"one", 1, 0},         {"row", 32, 4},        {"apart16", 32, 16},  {"apart64", 32, 64},
    {"apart128", 32, 128}, {"apart132", 32, 132}, {"lines16", 16, 768},
};

enum class Op { kGlobal, kShared, kSharedStore };
template <Op op>
__device__ __forceinline__ unsigned load(const char* global, unsigned shared) {
  unsigned v;
  if constexpr (op == Op::kGlobal)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(global) : "memory");
  if constexpr (op == Op::kShared)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared) : "memory");
  if constexpr (op == Op::kSharedStore) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared), "r"(0) : "memory");
    v = 0;
  }
  return v;
}

__device__ __forceinline__ unsigned clear_shared(char* room) {
  for (unsigned i = threadIdx.x * 4; i < kBytes; i += blockDim.x * 4)
    *reinterpret_cast<unsigned*>(room + i) = 0;
  return static_cast<unsigned>(__cvta_generic_to_shared(room));
}

// Each warp makes `n` loads, none of which waits for another, or stores and a load behind them. Of
// its last round: the clock before, when all have issued, when all are there.
template <Op op, int n>
__global__ void loads(long long* times, const char* global, Pattern pattern, unsigned* sink) {
  extern __shared__ char room[];
  const unsigned place = pattern.place(threadIdx.x % 32), shared = clear_shared(room) + place;
  unsigned v[n] = {}, all = 0;
  long long begin = 0, issued = 0, there = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    meet(all + 2);
    begin = clock_now();
#pragma unroll
    for (int i = 0; i < n; ++i) v[i] = load<op>(global + place + i * kLine, shared + i * kLine);
    issued = clock_now();
    if constexpr (op == Op::kSharedStore) all |= load<Op::kShared>(global, shared);
#pragma unroll
    for (int i = 0; i < n; ++i) all |= v[i];
    use(all + 2);
    there = clock_now();
  }
  if (threadIdx.x % 32 == 0) {
    long long* const of_warp = times + 3 * (threadIdx.x / 32);
    of_warp[0] = begin, of_warp[1] = issued, of_warp[2] = there;
  }
  sink[threadIdx.x] = all;
}

// Each of a warp's loads waits for the one before.
constexpr int kChain = 16;
template <Op op>
__global__ void chains(long long* times, const char* global, Pattern pattern, unsigned* sink) {
  extern __shared__ char room[];
  const unsigned place = pattern.place(threadIdx.x % 32), shared = clear_shared(room) + place;
  unsigned all = 0;
  long long begin = 0, there = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    meet(all + 2);
    begin = clock_now();
#pragma unroll
    for (int i = 0; i < kChain; ++i) all = load<op>(global + place + all, shared + all);
    use(all + 2);
    there = clock_now();
  }
  if (threadIdx.x % 32 == 0) {
    long long* const of_warp = times + 3 * (threadIdx.x / 32);
    of_warp[0] = begin, of_warp[1] = begin, of_warp[2] = there;
  }
  sink[threadIdx.x] = all;
}

// When each of a warp's loads has issued.
constexpr int kSteps = 24;
__device__ __forceinline__ unsigned short_clock() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
template <Op op>
__global__ void __launch_bounds__(1024)
    steps(unsigned* times, const char* global, Pattern pattern, unsigned* sink) {
  extern __shared__ char room[];
  const unsigned place = pattern.place(threadIdx.x % 32), shared = clear_shared(room) + place;
  unsigned at[kSteps] = {}, all = 0, begin = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    meet(all + 2);
    begin = short_clock();
    unsigned v[kSteps];
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      v[i] = load<op>(global + place + i * kLine, shared + i * kLine);
      at[i] = short_clock();
    }
#pragma unroll
    for (int i = 0; i < kSteps; ++i) all |= v[i];
  }
  if (threadIdx.x % 32 == 0) {
    unsigned* const of_warp = times + (kSteps + 1) * (threadIdx.x / 32);
    of_warp[0] = begin;
    for (int i = 0; i < kSteps; ++i) of_warp[1 + i] = at[i];
  }
  sink[threadIdx.x] = all;
}

// Warps 0 to `crowd` - 1 each make `n` loads whose lanes meet in banks; the last warp makes one
// load of a row, or one that no lane makes, some cycles later. Its wait.
template <Op op, int n>
__global__ void beside(long long* times, const char* global, Pattern pattern, unsigned crowd,
                       bool made, int delay, unsigned* sink) {
  extern __shared__ char room[];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned place = warp < crowd ? pattern.place(lane) : lane * 4;
  const unsigned shared = clear_shared(room) + place;
  unsigned v[n] = {}, all = 0;
  long long begin = 0, there = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    meet(all + 2);
    if (warp < crowd) {
#pragma unroll
      for (int i = 0; i < n; ++i) v[i] = load<op>(global + place + i * kLine, shared + i * kLine);
#pragma unroll
      for (int i = 0; i < n; ++i) all |= v[i];
      use(all + 2);
    } else if (warp == blockDim.x / 32 - 1) {
      const long long start = clock_now();
      while (clock_now() - start < delay) {
      }
      begin = clock_now();
      unsigned one = 0;
      if constexpr (op == Op::kGlobal)
        one = load<op>(global + place, shared);
      else
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.shared.u32 %0, [%1]; }"
                     : "+r"(one)
                     : "r"(shared), "r"(unsigned(made))
                     : "memory");
      use(one + 2);
      there = clock_now();
    }
  }
  if (lane == 0 && warp == blockDim.x / 32 - 1) times[0] = there - begin;
  sink[threadIdx.x] = all;
}

struct Probe {
  Buffer<char> global{kBytes};
  Buffer<unsigned> steps{(kSteps + 1) * 32};
  Buffer<long long> times{3 * 32};
  Buffer<unsigned> sink{1024};

  // From when the first of the warps began: until each has issued all, and has all. The mean and
  // the last warp.
  template <typename Launch>
  void ask(const std::string& name, int warps, bool with_issue, Launch&& launch) const {
    if (!is_wanted(name)) return;
    constexpr int kRepeats = 5;
    std::vector<double> samples[4];
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      launch();
      finish();
      const std::vector<long long> t = times.read();
      long long begin = t[0];
      for (int w = 0; w < warps; ++w) begin = std::min(begin, t[3 * w]);
      for (int what = 0; what < 2; ++what) {
        std::vector<double> took;
        double sum = 0;
        for (int w = 0; w < warps; ++w) took.push_back(double(t[3 * w + 1 + what] - begin));
        for (const double each : took) sum += each / warps;
        samples[2 * what].push_back(sum);
        samples[2 * what + 1].push_back(*std::max_element(took.begin(), took.end()));
      }
    }
    const char* const ends[] = {".issued.mean", ".issued.last", ".mean", ".last"};
    for (int i = with_issue ? 0 : 2; i < 4; ++i) print(name + ends[i], samples[i], "cycle");
  }
};

template <Op op, int n>
void ask_loads(const char* kind, const Probe& probe) {
  for (const Pattern& pattern : kPatterns)
    for (const int warps : {1, 2, 4, 8, 16, 32})
      probe.ask(std::string("loads.") + kind + "." + pattern.name + ".n" + std::to_string(n) +
                    ".w" + std::to_string(warps),
                warps, true, [&] {
                  loads<op, n><<<1, warps * 32, kBytes>>>(probe.times.data(), probe.global.data(),
                                                          pattern, probe.sink.data());
                });
}

template <Op op>
void ask_all(const char* kind, const Probe& probe) {
  ask_loads<op, 1>(kind, probe), ask_loads<op, 2>(kind, probe), ask_loads<op, 4>(kind, probe);
  ask_loads<op, 8>(kind, probe), ask_loads<op, 12>(kind, probe), ask_loads<op, 16>(kind, probe);
  ask_loads<op, 24>(kind, probe), ask_loads<op, 32>(kind, probe);
}

template <Op op>
void ask_chains(const char* kind, const Probe& probe) {
  for (const Pattern& pattern : kPatterns)
    for (const int warps : {1, 2, 4, 8, 16, 32})
      probe.ask(std::string("chains.") + kind + "." + pattern.name + ".w" + std::to_string(warps),
                warps, false, [&] {
                  chains<op><<<1, warps * 32, kBytes>>>(probe.times.data(), probe.global.data(),
                                                        pattern, probe.sink.data());
                });
}

// Of the warps of one sub-core.
template <Op op>
void ask_steps(const char* kind, const Probe& probe) {
  for (const Pattern& pattern : kPatterns)
    for (const int warps : {4, 8, 16}) {
      const std::string name =
          std::string("steps.") + kind + "." + pattern.name + ".w" + std::to_string(warps);
      const bool asked = std::string(pattern.name) == "row" || pattern.first == 16;
      if (!asked || !is_wanted(name)) continue;
      std::vector<std::vector<double>> samples(32 * kSteps);
      for (int repeat = 0; repeat < 3; ++repeat) {
        steps<op><<<1, warps * 32, kBytes>>>(probe.steps.data(), probe.global.data(), pattern,
                                             probe.sink.data());
        finish();
        const std::vector<unsigned> t = probe.steps.read();
        unsigned begin = t[0];
        for (int w = 0; w < warps; ++w)
          if (int(begin - t[(kSteps + 1) * w]) > 0) begin = t[(kSteps + 1) * w];
        for (int w = 0; w < warps; w += 4)
          for (int i = 0; i < kSteps; ++i)
            samples[w * kSteps + i].push_back(double(t[(kSteps + 1) * w + 1 + i] - begin));
      }
      for (int w = 0; w < warps; w += 4)
        for (int i = 0; i < kSteps; ++i)
          print(name + ".warp" + std::to_string(w / 4) + ".load" + std::to_string(i),
                samples[w * kSteps + i], "cycle");
    }
}

// One warp's load behind those of one, two or three warps of other sub-cores, or of its own (four).
template <Op op, int n>
void ask_beside(const char* kind, const Probe& probe) {
  for (const Pattern& pattern : kPatterns)
    for (const unsigned crowd : {1u, 2u, 3u, 4u})
      for (const bool made : {true, false}) {
        const std::string name = std::string("beside.") + kind + "." + pattern.name + ".n" +
                                 std::to_string(n) + ".crowd" + std::to_string(crowd) +
                                 (made ? ".made" : ".unmade");
        const bool asked = pattern.first == 16 || std::string(pattern.name) == "apart128";
        if (!asked || (op == Op::kGlobal && !made) || !is_wanted(name)) continue;
        std::vector<double> samples;
        for (int repeat = 0; repeat < 5; ++repeat) {
          const unsigned warps = crowd == 4 ? 5 : 4;
          beside<op, n><<<1, warps * 32, kBytes>>>(probe.times.data(), probe.global.data(), pattern,
                                                   crowd == 4 ? 1 : crowd, made, 4 * n + 20,
                                                   probe.sink.data());
          finish();
          samples.push_back(double(probe.times.read()[0]));
        }
        print(name, samples, "cycle");
      }
}
template <Op op>
void ask_all_beside(const char* kind, const Probe& probe) {
  ask_beside<op, 1>(kind, probe), ask_beside<op, 2>(kind, probe), ask_beside<op, 4>(kind, probe);
  ask_beside<op, 8>(kind, probe), ask_beside<op, 12>(kind, probe), ask_beside<op, 16>(kind, probe);
}

}  // namespace

int main(int count, char** arguments) {
  read_wanted(count, arguments);
  print_header("memory_turns");
  const Probe probe;
  ask_all<Op::kGlobal>("global", probe);
  ask_all<Op::kShared>("shared", probe);
  ask_all<Op::kSharedStore>("stores", probe);
  ask_chains<Op::kGlobal>("global", probe);
  ask_chains<Op::kShared>("shared", probe);
  ask_all_beside<Op::kGlobal>("global", probe);
  ask_all_beside<Op::kShared>("shared", probe);
  ask_steps<Op::kGlobal>("global", probe);
  ask_steps<Op::kShared>("shared", probe);
  ask_steps<Op::kSharedStore>("stores", probe);
}
