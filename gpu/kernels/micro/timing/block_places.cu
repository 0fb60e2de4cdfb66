// Which SMs get the first blocks of a grid, when these begin, and when the code behind them comes
// to SMs that ask for it at the same time.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o block_places block_places.cu && ./block_places [QUESTION…]
//
// `places.t256.r2.b132`: a grid of 132 blocks of 256 threads, of which an SM has room for two.
// `.gpcs8`, `.gpcs16`: GPCs that have the first 8 and 16 blocks; `.same_pair`, `.same_gpc`: the
// share of blocks that are on the pair of SMs, in the GPC, of the block before; `.most`: most
// blocks on an SM. `.begin.*`: from the first clock of a GPC to that of its other blocks, warm and
// with code that comes from memory. `code.FROM.WHO.lineN`: straight code of one warp, from a moment
// that all SMs of WHO have in common to its N-th line of 128 bytes; `.spread`: last SM of a GPC
// less first.
#include "flush.h"
#include "gpcs.h"
#include "spans.h"

namespace {

using namespace timing;

bool raw = false;  // every block, too

struct Life {
  long long begin;
  unsigned sm, unused;
};

// All blocks live together. Kernels that differ in `place` alone have code of their own.
template <int place>
__global__ void live(Life* lives, unsigned cycles) {
  extern __shared__ int room[];
  const long long begin = clock_now();
  if (threadIdx.x == 0) lives[blockIdx.x] = {begin, sm_id(), place};
  while (clock_now() - begin < cycles) {
  }
}

struct Grid {
  int threads, resident, blocks;
  std::string name() const {
    return ".t" + std::to_string(threads) + ".r" + std::to_string(resident) + ".b" +
           std::to_string(blocks);
  }
};

void print_one(const std::string& name, double value, const char* unit) {
  print(name, {value}, unit);
}

struct Moment {
  unsigned sm;
  long long clock;
};

// Moments of SMs that have one clock, which those of a GPC have. Clusters do not tell the GPC of
// some; their clocks do.
std::vector<std::vector<Moment>> by_clock(std::vector<Moment> all, const std::vector<int>& gpc) {
  constexpr long long kApart = 2000;  // what is farther apart is of other clocks
  std::sort(all.begin(), all.end(),
            [](const Moment& a, const Moment& b) { return a.clock < b.clock; });
  std::map<std::pair<int, int>, std::vector<Moment>> groups;
  int clock = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].clock - all[i - 1].clock > kApart) ++clock;
    groups[{gpc[all[i].sm], clock}].push_back(all[i]);
  }
  std::vector<std::vector<Moment>> found;
  for (auto& [key, group] : groups) found.push_back(std::move(group));
  return found;
}

// Of each GPC, how much later than its first block the others began.
void print_begins(const std::string& name, const std::vector<Life>& lives,
                  const std::vector<int>& gpc) {
  std::vector<Moment> begins;
  for (const Life& life : lives) begins.push_back({life.sm, life.begin});
  std::vector<double> later, last;
  for (const auto& group : by_clock(begins, gpc)) {
    for (const Moment& each : group) later.push_back(double(each.clock - group.front().clock));
    last.push_back(later.back());
  }
  print(name + ".later", later, "cycle");
  print(name + ".last", last, "cycle");
  std::map<unsigned, std::map<unsigned, long long>> of_pair;
  for (const Life& life : lives) {
    const auto [found, is_first] = of_pair[life.sm / 2].emplace(life.sm, life.begin);
    if (!is_first) found->second = std::min(found->second, life.begin);
  }
  std::vector<double> second;
  for (const auto& [pair, begun] : of_pair)
    if (begun.size() == 2) second.push_back(double(begun.rbegin()->second - begun.begin()->second));
  if (!second.empty()) print(name + ".second_of_pair", second, "cycle");
}

template <int place>
void ask_places(const Grid& grid, const std::vector<int>& gpc, const Flush& flush) {
  const std::string name = "places" + grid.name();
  if (!is_wanted(name)) return;
  int most_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  const int bytes =
      grid.resident == 0
          ? 0
          : std::min(most_bytes / grid.resident - 1024, most_bytes - 2048) / 128 * 128;
  CUDA(cudaFuncSetAttribute(live<place>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const Buffer<Life> buffer(grid.blocks);
  for (const char* from : {"cold", "warm"}) {
    if (from[0] == 'c') flush();
    live<place><<<grid.blocks, grid.threads, bytes>>>(buffer.data(), 20'000);
    finish();
    const std::vector<Life> lives = buffer.read();
    if (raw)
      for (int i = 0; i < grid.blocks; ++i)
        std::printf("raw\t%s.%s\t%d\t%u\t%d\t%lld\n", name.c_str(), from, i, lives[i].sm,
                    gpc[lives[i].sm], lives[i].begin);
    print_begins(name + ".begin." + from, lives, gpc);
    if (from[0] == 'c') continue;
    for (const int first : {8, 16}) {
      std::map<int, int> seen;
      for (int i = 0; i < std::min(first, grid.blocks); ++i) ++seen[gpc[lives[i].sm]];
      print_one(name + ".gpcs" + std::to_string(first), double(seen.size()), "GPC");
    }
    double same_pair = 0, same_gpc = 0;
    std::map<unsigned, int> on_sm;
    for (int i = 0; i < grid.blocks; ++i) {
      ++on_sm[lives[i].sm];
      if (i == 0) continue;
      same_pair += lives[i].sm / 2 == lives[i - 1].sm / 2 ? 1 : 0;
      same_gpc += gpc[lives[i].sm] == gpc[lives[i - 1].sm] ? 1 : 0;
    }
    const double others = std::max(1, grid.blocks - 1);
    print_one(name + ".same_pair", same_pair / others, "of 1");
    print_one(name + ".same_gpc", same_gpc / others, "of 1");
    int most = 0;
    for (const auto& [sm, count] : on_sm) most = std::max(most, count);
    print_one(name + ".most", most, "block");
  }
}

// ---- straight code
// ----------------------------------------------------------------------------

constexpr int kClocks = 8;
constexpr int kClockLines[kClocks] = {0, 1, 2, 3, 5, 9, 17, 33};

struct Clocks {
  long long at[kClocks];
};

template <int instructions>
__device__ __forceinline__ void straight(float (&r)[4]) {
#pragma unroll
  for (int i = 0; i < instructions; ++i)
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(r[i % 4]));
}

// A block on each SM; those whose SM is not chosen end.
template <int place>
__global__ void code(const unsigned char* chosen, Clocks* clocks, float* sink) {
  extern __shared__ int room[];
  if (chosen[sm_id()] == 0) return;
  float r[4] = {1, 2, 3, float(place)};
  constexpr unsigned long long kTogether = 16384;  // nanoseconds; a launch is dealt out in less
  const unsigned long long target = (nanoseconds_now() / kTogether + 2) * kTogether;
  if (threadIdx.x == 0)
    while (nanoseconds_now() < target) continue;
  __syncwarp();
  long long t[kClocks];
  t[0] = clock_now();
  straight<7>(r), t[1] = clock_now();
  straight<7>(r), t[2] = clock_now();
  straight<7>(r), t[3] = clock_now();
  straight<15>(r), t[4] = clock_now();
  straight<31>(r), t[5] = clock_now();
  straight<63>(r), t[6] = clock_now();
  straight<127>(r), t[7] = clock_now();
  if (threadIdx.x == 0)
    for (int i = 0; i < kClocks; ++i) clocks[sm_id()].at[i] = t[i];
  if (r[0] + r[1] + r[2] + r[3] == 0) *sink = r[0];
}

template <int place>
void ask_code(const char* who, int sms, const std::vector<int>& gpc, const Flush& flush) {
  if (!is_wanted(std::string("code.cold.") + who) && !is_wanted(std::string("code.warm.") + who))
    return;
  constexpr unsigned kAlone = 120 * 1024;
  CUDA(cudaFuncSetAttribute(code<place>, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  Buffer<unsigned char> chosen(256);
  const Buffer<Clocks> clocks(256);
  const Buffer<float> sink(1);
  std::vector<unsigned char> on(256);
  std::map<int, int> taken;
  for (int sm = 0; sm < sms; ++sm) {
    const int before = taken[gpc[sm]]++;
    on[sm] = who[0] == 'a' || (who[0] == 'o' && sm == 0) || (who[0] == 'e' && before == 0) ||
             (who[0] == 'g' && gpc[sm] == gpc[0]);
  }
  chosen.write(on);
  for (const char* from : {"cold", "warm", "warmer"}) {
    if (from[0] == 'c') flush();
    code<place><<<sms, 32, kAlone>>>(chosen.data(), clocks.data(), sink.data());
    finish();
    const auto all = clocks.read();
    for (int line = 1; line < kClocks; ++line) {
      std::vector<double> took, spread;
      std::vector<Moment> there;
      for (int sm = 0; sm < sms; ++sm) {
        if (on[sm] == 0) continue;
        took.push_back(double(all[sm].at[line] - all[sm].at[0]));
        there.push_back({unsigned(sm), all[sm].at[line]});
      }
      for (const auto& group : by_clock(there, gpc))
        spread.push_back(double(group.back().clock - group.front().clock));
      const std::string name =
          std::string("code.") + from + "." + who + ".line" + std::to_string(kClockLines[line]);
      print(name, took, "cycle");
      print(name + ".spread", spread, "cycle");
    }
    if (!raw) continue;
    for (int sm = 0; sm < sms; ++sm) {
      if (on[sm] == 0) continue;
      std::printf("raw\tcode.%s.%s\t%d\t%d", from, who, sm, gpc[sm]);
      for (const long long at : all[sm].at) std::printf("\t%lld", at);
      std::printf("\n");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  read_wanted(count, arguments);
  auto& words = wanted();
  const auto end = std::remove(words.begin(), words.end(), "raw");
  raw = end != words.end();
  words.erase(end, words.end());
  print_header("block_places");
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const int sms = properties.multiProcessorCount;
  const std::vector<int> gpc = find_gpcs(sms);
  const Flush flush(std::size_t(properties.l2CacheSize));
  ask_places<0>({32, 0, 1}, gpc, flush);
  ask_places<1>({32, 0, 8}, gpc, flush);
  ask_places<2>({32, 0, 16}, gpc, flush);
  ask_places<3>({256, 0, 16}, gpc, flush);
  ask_places<4>({32, 0, 32}, gpc, flush);
  ask_places<5>({256, 0, 64}, gpc, flush);
  ask_places<6>({32, 0, 100}, gpc, flush);
  ask_places<7>({32, 0, 132}, gpc, flush);
  ask_places<8>({256, 0, 132}, gpc, flush);
  ask_places<9>({1024, 0, 132}, gpc, flush);
  ask_places<10>({32, 1, 132}, gpc, flush);
  ask_places<11>({256, 1, 132}, gpc, flush);
  ask_places<12>({1024, 1, 132}, gpc, flush);
  ask_places<13>({256, 2, 140}, gpc, flush);
  ask_places<14>({256, 2, 264}, gpc, flush);
  ask_places<15>({1024, 2, 264}, gpc, flush);
  ask_places<16>({256, 0, 264}, gpc, flush);
  ask_places<17>({256, 0, 512}, gpc, flush);
  ask_places<18>({256, 0, 1056}, gpc, flush);
  ask_places<19>({32, 0, 1056}, gpc, flush);
  ask_places<20>({128, 0, 200}, gpc, flush);
  ask_places<21>({512, 0, 528}, gpc, flush);
  ask_code<0>("one", sms, gpc, flush);
  ask_code<1>("each_gpc", sms, gpc, flush);
  ask_code<2>("gpc", sms, gpc, flush);
  ask_code<3>("all", sms, gpc, flush);
}
