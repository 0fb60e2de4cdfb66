// Where blocks begin, and when: those that take the places of others, and those of grids that are
// no multiple of the number of SMs.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o replacements replacements.cu && ./replacements
//
// `gap.*`: from the last instruction but one of a block to the first of the block that takes its
// place on that SM, in the SM's cycles; blocks that all live equally long, or 4,000 to 7,000
// cycles. `others.*`: how many SMs got a block more, and the most that one of them got. `small.*`:
// of a grid of few blocks, the most on an SM and on a pair of SMs.
// `.t256.r2.more66`: 256 threads, two blocks on an SM at a time, 66 blocks more than find room.
// `./replacements WORD…`: those questions only whose names begin with one of the words.
#include <map>

#include "probe.h"

namespace {

using namespace timing;

struct Life {
  long long begin, end;
  unsigned sm;
};

// A block lives for `least` cycles, and up to `spread` more, by its number.
__global__ void live(Life* lives, unsigned least, unsigned spread) {
  extern __shared__ int room[];
  const long long begin = clock_now();
  const unsigned more = spread == 0 ? 0 : blockIdx.x * 2654435761u % spread;
  if (threadIdx.x == 0) {
    lives[blockIdx.x].begin = begin;
    lives[blockIdx.x].sm = sm_id();
  }
  while (clock_now() - begin < least + more) {
  }
  __syncthreads();
  if (threadIdx.x == 0) lives[blockIdx.x].end = clock_now();
}

struct Case {
  const char* name;
  int threads, resident;  // blocks on an SM at a time
  int more;               // blocks than there is place for
  unsigned least, spread;
};

std::vector<Life> run(const Case& each, int sms) {
  const int blocks = each.resident * sms + each.more;
  const Buffer<Life> lives(blocks);
  int most = 0;
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  const int bytes = std::min(most / each.resident - 1024, most - 2048) / 128 * 128;
  CUDA(cudaFuncSetAttribute(live, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  live<<<blocks, each.threads, bytes>>>(lives.data(), each.least, each.spread);
  finish();
  return lives.read();
}

void ask(const Case& each, int sms) {
  constexpr int kTimes = 5;
  std::vector<double> gaps, with_more, most_more;
  for (int time = 0; time < kTimes; ++time) {
    const std::vector<Life> lives = run(each, sms);
    std::map<unsigned, std::vector<Life>> of_sm;
    for (const Life& life : lives) of_sm[life.sm].push_back(life);
    double count = 0, most = 0;
    for (auto& [sm, own] : of_sm) {
      std::sort(own.begin(), own.end(),
                [](const Life& a, const Life& b) { return a.begin < b.begin; });
      const int more = int(own.size()) - each.resident;
      if (more > 0) ++count;
      most = std::max(most, double(more));
      std::vector<long long> ended;
      for (const Life& life : own) ended.push_back(life.end);
      std::sort(ended.begin(), ended.end());
      for (int i = 0; i < more; ++i)
        gaps.push_back(double(own[each.resident + i].begin - ended[i]));
    }
    with_more.push_back(count);
    most_more.push_back(most);
  }
  const std::string tail = std::string(each.name) + ".t" + std::to_string(each.threads) + ".r" +
                           std::to_string(each.resident) + ".more" + std::to_string(each.more);
  if (!gaps.empty()) print("gap." + tail, gaps, "cycle");
  print("others.sms." + tail, with_more, "SM");
  print("others.most." + tail, most_more, "block");
}

// Which SMs get the blocks of a small grid: how many there are on the SM, and on the pair of SMs,
// that have most.
void ask_small(int blocks) {
  const Buffer<Life> lives(blocks);
  live<<<blocks, 32>>>(lives.data(), 20'000, 0);
  finish();
  std::map<unsigned, int> of_sm, of_pair;
  for (const Life& life : lives.read()) ++of_sm[life.sm], ++of_pair[life.sm / 2];
  const auto most = [](const std::map<unsigned, int>& counts) {
    int most = 0;
    for (const auto& [key, count] : counts) most = std::max(most, count);
    return double(most);
  };
  const std::string name = "small.b" + std::to_string(blocks);
  print(name + ".sm", {most(of_sm)}, "block");
  print(name + ".pair", {most(of_pair)}, "block");
}

}  // namespace

int main(int argc, char** argv) {
  print_header("replacements");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const auto asked = [&](const std::string& name) {
    if (argc == 1) return true;
    return std::any_of(argv + 1, argv + argc,
                       [&](const char* word) { return name.rfind(word, 0) == 0; });
  };
  for (const char* name : {"equal", "spread"}) {
    if (!asked(name)) continue;
    for (const int threads : {32, 256, 1024})
      for (const int resident : {1, 2, 7})
        for (const int more : {1, 8, 66, 132, 264}) {
          if (threads * resident > 2048) continue;
          ask({name, threads, resident, more, 4000, name[0] == 'e' ? 0u : 3000u}, sms);
        }
  }
  if (asked("small"))
    for (const int blocks : {2, 4, 8, 16, 32, 64, 66, 100, 132, 133, 140, 198, 264, 300})
      ask_small(blocks);
}
