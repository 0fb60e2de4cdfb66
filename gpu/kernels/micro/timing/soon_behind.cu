// What loads find that come within a few cycles of their warp's own store: a store of words in some
// lines, a few dependent steps, a load; cycles of such a round, by the number of lines, of
// steps and of warps, in local memory and where the same pattern lies in global memory.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o soon_behind soon_behind.cu
//   ./soon_behind [QUESTION…]
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRounds = 64, kLines = 64, kLine = 128, kWord = 4;

// Where, and by what: stores, or additions that return nothing.
enum class Space { kLocal, kGlobal, kAdded };
// The words loaded: those stored, as many words in other lines, or words that lie at random.
enum class From { kSame, kOther, kRandom };

template <Space space>
__device__ __forceinline__ unsigned load(const char* global, unsigned local) {
  unsigned v;
  if constexpr (space == Space::kLocal)
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "r"(local) : "memory");
  else
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(global) : "memory");
  return v;
}
template <Space space>
__device__ __forceinline__ void store(char* global, unsigned local, unsigned value) {
  if constexpr (space == Space::kLocal)
    asm volatile("st.local.u32 [%0], %1;" ::"r"(local), "r"(value) : "memory");
  else if constexpr (space == Space::kAdded)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
  else
    asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
}
// `value`, some cycles later. `nothing` is 0, which the compiler must not know.
template <int steps>
__device__ __forceinline__ unsigned later(unsigned value, unsigned nothing) {
#pragma unroll
  for (int i = 0; i < steps; ++i)
    if (i % 2 == 0)
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(value) : "r"(nothing) : "memory");
    else
      asm volatile("add.u32 %0, %0, %1;" : "+r"(value) : "r"(nothing) : "memory");
  return value;
}
__device__ __forceinline__ void rest_for(int cycles) {
  if (cycles == 0) return;
  const long long begin = clock_now();
  while (clock_now() - begin < cycles) {
  }
}

// Lane i's words are word i of lines, as arrays in local memory lie. Lane i stores to line
// i % lines, or to one of that many at random.
template <Space space, int steps>
__global__ void soon(long long* times, char* data, unsigned lines, bool random, From from, int rest,
                     unsigned nothing, unsigned* sink) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned array[kLines];
  char* const mine = data + std::size_t{warp} * kLines * kLine + lane * kWord;
  const unsigned own = unsigned(__cvta_generic_to_local(array));
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < kLines; ++i) store<space>(mine + i * kLine, own + i * kWord, 0);
  rest_for(3000);
#pragma unroll 1
  for (int i = 0; i < kLines; ++i) sum += load<space>(mine + i * kLine, own + i * kWord);
  rest_for(3000 + int(sum));
  __syncthreads();
  unsigned state = threadIdx.x * 2654435761u + 12345;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return ((state >> 16) * lines) >> 16;
  };
  unsigned column = lane % lines;
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    column = column + 1 == lines ? 0 : column + 1;
    const unsigned to = random ? next() : column;
    const unsigned of = from == From::kSame ? to : from == From::kRandom ? next() : kLines / 2 + to;
    // The index of the load is ready before the store, so that only the steps lie between.
    const unsigned ready = of + (sum & 1u << 31);
    store<space>(mine + to * kLine, own + to * kWord, 0);
    const unsigned index = later<steps>(ready, nothing);
    sum += load<space>(mine + index * kLine, own + index * kWord);
    rest_for(rest + int(sum));
  }
  const long long end = clock_now() + (sum == 12345);
  if (lane == 0) times[warp] = end - begin;
  sink[threadIdx.x] = sum;
}

// Rows of 32 lanes with 4 or 16 bytes each: `rows` of them stored one after the other, steps, and a
// load of a word that L1 has.
template <int bytes>
__global__ void behind_rows(long long* times, char* data, unsigned rows, int wait, unsigned* sink) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr unsigned kRow = 32 * bytes, kMost = 64;
  char* const mine = data + std::size_t{warp} * (kMost * kRow + kLine) + lane * bytes;
  const char* const read =
      data + std::size_t{warp} * (kMost * kRow + kLine) + kMost * kRow + lane * kWord;
  unsigned sum = load<Space::kGlobal>(read, 0);
  rest_for(3000 + int(sum));
  __syncthreads();
  long long took = 0;
#pragma unroll 1
  for (int round = 0; round < kRounds / 4; ++round) {
    const long long begin = clock_now();
#pragma unroll 1
    for (unsigned i = 0; i < rows; ++i)
      if constexpr (bytes == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + i * kRow), "r"(0u) : "memory");
      else
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(mine + i * kRow), "r"(0u)
                     : "memory");
    rest_for(wait);
    sum += load<Space::kGlobal>(read, 0);
    took += clock_now() + (sum == 12345) - begin;
    rest_for(4000 + int(sum));
    __syncthreads();
  }
  if (lane == 0) times[warp] = took;
  sink[threadIdx.x] = sum;
}

template <int bytes>
void ask_rows(const Buffer<char>& data) {
  const Buffer<long long> times(32);
  const Buffer<unsigned> sink(1024);
  for (const int warps : {1, 2, 4, 8})
    for (const unsigned rows : {1u, 2u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 64u})
      for (const int wait : {0, 40}) {
        const std::string question = "rows.bytes" + std::to_string(bytes) + ".rows" +
                                     std::to_string(rows) + ".wait" + std::to_string(wait) + ".w" +
                                     std::to_string(warps);
        if (!is_wanted(question)) continue;
        std::vector<double> samples;
        for (int i = 0; i < 3; ++i) {
          behind_rows<bytes><<<1, warps * 32>>>(times.data(), data.data(), rows, wait, sink.data());
          finish();
          const std::vector<long long> read_back = times.read();
          double sum = 0;
          for (int warp = 0; warp < warps; ++warp) sum += double(read_back[warp]);
          samples.push_back(sum / (double(kRounds / 4) * warps));
        }
        print(question, samples, "cycle");
      }
}

template <Space space, int steps>
void ask(const Buffer<char>& data) {
  const Buffer<long long> times(32);
  const Buffer<unsigned> sink(1024);
  for (const auto& [name, from] :
       {std::pair{"same", From::kSame}, {"other", From::kOther}, {"random", From::kRandom}})
    for (const bool random : {false, true})
      for (const int warps : {1, 2, 4})
        for (const unsigned lines : {4u, 8u, 12u, 16u, 20u, 24u, 32u})
          for (const int rest : {0, 600}) {
            const std::string question = std::string(space == Space::kLocal    ? "local."
                                                     : space == Space::kGlobal ? "global."
                                                                               : "added.") +
                                         name + (random ? ".random" : ".spread") + ".lines" +
                                         std::to_string(lines) + ".steps" + std::to_string(steps) +
                                         ".rest" + std::to_string(rest) + ".w" +
                                         std::to_string(warps);
            if (!is_wanted(question)) continue;
            std::vector<double> samples;
            for (int i = 0; i < 3; ++i) {
              soon<space, steps><<<1, warps * 32>>>(times.data(), data.data(), lines, random, from,
                                                    rest, 0, sink.data());
              finish();
              const std::vector<long long> read_back = times.read();
              double sum = 0;
              for (int warp = 0; warp < warps; ++warp) sum += double(read_back[warp]);
              samples.push_back(sum / (double(kRounds) * warps));
            }
            print(question, samples, "cycle");
          }
}

template <int steps>
void ask(const Buffer<char>& data) {
  ask<Space::kLocal, steps>(data);
  ask<Space::kGlobal, steps>(data);
  ask<Space::kAdded, steps>(data);
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("soon_behind");
  const Buffer<char> data(8 * (64 * 512 + kLine));
  ask_rows<4>(data);
  ask_rows<16>(data);
  ask<0>(data);
  ask<2>(data);
  ask<4>(data);
  ask<8>(data);
  ask<16>(data);
  ask<32>(data);
}
