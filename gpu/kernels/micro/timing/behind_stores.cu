// What loads find right behind stores of partial sectors: by how many lines a store has touched,
// how long ago, and whether they name what was stored, its sector, its line or others. Column after
// column of a matrix so, by one warp or by warps that follow one another, for the counters of
// gpu/cupti/measure.sh -m timing: how many sectors a store finds in L1.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o behind_stores behind_stores.cu
//   ./behind_stores [QUESTION…]
//   gpu/cupti/measure.sh -m timing -o behind_stores.json -- ./behind_stores columns
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRounds = 16, kLines = 64, kLine = 128, kSector = 32, kWord = 4, kWords = 8;

__device__ __forceinline__ void pause_for(int cycles) {
  if (cycles == 0) return;
  const long long begin = clock_now();
  while (clock_now() - begin < cycles) {
  }
}
__device__ __forceinline__ unsigned load(const char* at) {
  unsigned v;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  return v;
}
__device__ __forceinline__ void store(char* at, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

enum class Read { kSame, kSector, kLine, kOther };

// Each warp has 64 lines of its own, loaded before unless `cold`. It stores a word of each of
// `lines`, waits, and loads as many words; then it rests until all is done, unless `steady`. Mean
// cycles of the load.
template <Read read>
__global__ void behind(long long* times, char* data, unsigned lines, int gap, bool cold,
                       bool steady, unsigned* sink) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char* const mine = data + warp * kLines * kLine;
  unsigned sum = 0;
  if (!cold)
#pragma unroll 1
    for (int i = 0; i < kLines; ++i) sum += load(mine + i * kLine + lane * kWord);
  pause_for(2000 + int(sum));
  __syncthreads();
  long long took = 0;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    char* const word = mine + lane * kLine + round % kWords * kWord;
    const char* from = word;
    if constexpr (read == Read::kSector) from = mine + lane * kLine + (round + 3) % kWords * kWord;
    if constexpr (read == Read::kLine) from = word + 2 * kSector;
    if constexpr (read == Read::kOther) from = mine + (lane + 32) * kLine;
    if (lane < lines) store(word, unsigned(round));
    pause_for(gap);
    const long long begin = clock_now();
    if (lane < lines) sum += load(from);
    const long long end = clock_now() + (sum == 12345);
    took += end - begin;
    if (!steady) pause_for(1500);
  }
  if (lane == 0) times[warp] = took;
  sink[threadIdx.x] = sum;
}

template <Read read>
void ask_behind(const char* name, const Buffer<char>& data) {
  const Buffer<long long> times(32);
  const Buffer<unsigned> sink(1024);
  for (const char* state : {"warm", "cold", "steady"})
    for (const int warps : {1, 4})
      for (const unsigned lines : {1u, 4u, 8u, 12u, 16u, 20u, 24u, 28u, 32u})
        for (const int gap : {0, 20, 40, 80, 160, 320}) {
          const std::string question = std::string("behind.") + state + "." + name + ".lines" +
                                       std::to_string(lines) + ".gap" + std::to_string(gap) + ".w" +
                                       std::to_string(warps);
          const bool cold = state[0] == 'c', steady = state[0] == 's';
          if (!is_wanted(question) || (cold && read != Read::kSame && read != Read::kSector))
            continue;
          std::vector<double> samples;
          for (int i = 0; i < 3; ++i) {
            behind<read><<<1, warps * 32>>>(times.data(), data.data(), lines, gap, cold, steady,
                                            sink.data());
            finish();
            const std::vector<long long> read_back = times.read();
            double sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += double(read_back[warp]);
            samples.push_back(sum / (kRounds * warps));
          }
          print(question, samples, "cycle");
        }
}

// As arrays in local memory lie: lane i's words are word i of lines. Each lane stores to one of
// `lines` lines, waits, and loads from the same, from another at random, or from one of as many
// other lines; in global memory, and in local memory itself. Mean cycles of the load.
enum class Index { kSame, kRandom, kOther };
template <bool local, int lines>
__global__ void columns_apart(long long* times, char* data, Index index, int gap, int rest,
                              unsigned* sink) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char* const mine = data + std::size_t{warp} * 2 * lines * kLine + lane * kWord;
  volatile unsigned array[2 * lines];
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < 2 * lines; ++i)
    if constexpr (local)
      array[i] = 0;
    else
      sum += load(mine + i * kLine);
  pause_for(3000 + int(sum));
  __syncthreads();
  unsigned random = threadIdx.x * 2654435761u + 12345;
  long long took = 0;
#pragma unroll 1
  for (int round = 0; round < 4 * kRounds; ++round) {
    random = random * 1664525u + 1013904223u;
    const unsigned to = (random >> 16) % lines;
    random = random * 1664525u + 1013904223u;
    const unsigned from = index == Index::kSame     ? to
                          : index == Index::kRandom ? (random >> 16) % lines
                                                    : lines + (random >> 16) % lines;
    if constexpr (local)
      array[to] = 0;
    else
      store(mine + to * kLine, 0);
    pause_for(gap);
    const long long begin = clock_now();
    if constexpr (local)
      sum += array[from];
    else
      sum += load(mine + from * kLine);
    const long long end = clock_now() + (sum == 12345);
    took += end - begin;
    pause_for(rest);
  }
  if (lane == 0) times[warp] = took;
  sink[threadIdx.x] = sum;
}

template <bool local, int lines>
void ask_columns_apart(const Buffer<char>& data) {
  const Buffer<long long> times(32);
  const Buffer<unsigned> sink(1024);
  for (const auto& [name, index] :
       {std::pair{"same", Index::kSame}, {"random", Index::kRandom}, {"other", Index::kOther}})
    for (const int warps : {1, 2, 4, 8})
      for (const int gap : {0, 60, 120, 240})
        for (const int rest : {0, 1000}) {
          const std::string question = std::string(local ? "local." : "global.") + name + ".lines" +
                                       std::to_string(lines) + ".gap" + std::to_string(gap) +
                                       ".rest" + std::to_string(rest) + ".w" +
                                       std::to_string(warps);
          if (!is_wanted(question)) continue;
          std::vector<double> samples;
          for (int i = 0; i < 3; ++i) {
            columns_apart<local, lines>
                <<<1, warps * 32>>>(times.data(), data.data(), index, gap, rest, sink.data());
            finish();
            const std::vector<long long> read_back = times.read();
            double sum = 0;
            for (int warp = 0; warp < warps; ++warp) sum += double(read_back[warp]);
            samples.push_back(sum / (4. * kRounds * warps));
          }
          print(question, samples, "cycle");
        }
}

template <int lines>
void ask_columns_apart(const Buffer<char>& data) {
  ask_columns_apart<false, lines>(data);
  ask_columns_apart<true, lines>(data);
}

// Word after word of a sector in each of `lines` lines, `stride` bytes apart: all by one warp, or
// each by another, `gap` cycles after the one before.
__global__ void columns(char* data, unsigned lines, unsigned words, unsigned stride, int gap,
                        bool by_one) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  char* const mine = data + std::size_t{blockIdx.x} * 33 * stride;
  __syncthreads();
  const long long begin = clock_now();
#pragma unroll 1
  for (unsigned word = 0; word < words; ++word) {
    if (!by_one && word != warp) continue;
    while (clock_now() - begin < (long long)(gap)*word) {
    }
    if (lane < lines) store(mine + lane * stride + word * kWord, word);
  }
}

void ask_columns(int sms) {
  const Buffer<char> data(std::size_t(sms) * 2 * 34 * 4224);
  const auto ask = [&](bool by_one, unsigned lines, unsigned words, unsigned stride, int gap,
                       int blocks) {
    const std::string question = std::string("columns.") + (by_one ? "one" : "each") + ".words" +
                                 std::to_string(words) + ".lines" + std::to_string(lines) +
                                 ".stride" + std::to_string(stride) + ".gap" + std::to_string(gap) +
                                 ".b" + std::to_string(blocks);
    columns<<<blocks, by_one ? 32 : words * 32>>>(data.data(), lines, words, stride, gap, by_one);
    std::printf("%s\n", question.c_str());
  };
  for (const bool by_one : {true, false})
    for (const int gap : {0, 20, 40, 80, 160, 320, 1000})
      for (const unsigned lines : {4u, 8u, 16u, 24u, 32u}) {
        ask(by_one, lines, 8, 4224, gap, 1);
        if (gap == 0 || gap == 80 || gap == 320) ask(by_one, lines, 8, 4224, gap, sms);
      }
  for (const unsigned stride : {128u, 4096u}) {
    ask(false, 32, 8, stride, 0, 1);
    ask(false, 32, 8, stride, 160, 1);
  }
  for (const int blocks : {1, sms, 2 * sms}) {
    ask(false, 32, 32, 4096, 0, blocks);
    ask(false, 32, 32, 4224, 0, blocks);
    ask(false, 32, 32, 4224, 80, blocks);
    ask(true, 32, 32, 4224, 0, blocks);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  if (argc == 2 && std::string(argv[1]) == "columns") {
    ask_columns(sms);
    finish();
    return 0;
  }
  read_wanted(argc, argv);
  print_header("behind_stores");
  const Buffer<char> data(32 * kLines * kLine);
  ask_behind<Read::kSame>("same", data);
  ask_behind<Read::kSector>("sector", data);
  ask_behind<Read::kLine>("line", data);
  ask_behind<Read::kOther>("other", data);
  ask_columns_apart<4>(data);
  ask_columns_apart<8>(data);
  ask_columns_apart<16>(data);
  ask_columns_apart<32>(data);
  ask_columns_apart<64>(data);
}
