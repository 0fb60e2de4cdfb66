// The ways from SMs to L2 and to memory, and who shares them. One SM at work, some of a GPC, some
// of each GPC, all: cycles of an access of 32 warps on each. Bursts of loads by all SMs at once,
// from memory and from L2, by how much of it and where it lies. Tiles of a matrix that are stored
// column by column.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o ways ways.cu && ./ways [QUESTION…]
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "flush.h"
#include "gpcs.h"
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRepeats = 3, kWarps = 32, kMostSms = 256;
constexpr unsigned kAlone = 120 * 1024;    // shared memory of a block that has an SM for itself
constexpr std::size_t kEach = 128 * 1024;  // memory of an SM
constexpr std::size_t kRoom = std::size_t{256} << 20;

// ---- some SMs at work
// ---------------------------------------------------------------------------------

enum class Op {
  kLoad16,     // lanes side by side, 16 bytes each
  kLoad4,      // 4 bytes each
  kLoadApart,  // each lane another line
  kStore16,
  kStore4,
  kStoreColumn,  // lanes 4 KiB apart, neighbouring warps neighbouring words
  kStoreApart,   // lanes 4 KiB apart, neighbouring warps neighbouring sectors
  kAddColumn     // reductions, as kStoreColumn
};

// Access `number` of an SM, to the kEach bytes from `mine` on. What wraps around is not the same
// again: a loop with the same addresses every few rounds is not left as it is written.
template <Op op>
__device__ __forceinline__ unsigned access(char* mine, unsigned number, unsigned lane) {
  const unsigned again = number / 256 * 128;
  const unsigned wide = (number * 512 + again + lane * 16) % kEach;
  const unsigned narrow = (number * 128 + lane * 4) % kEach;
  const unsigned apart = (number * 4096 + number / 32 * 32 + lane * 128) % kEach;
  const unsigned row = lane * 4096, column = number * 4 % 4096;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if constexpr (op == Op::kLoad16)
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(mine + wide)
                 : "memory");
  if constexpr (op == Op::kLoad4)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(mine + narrow) : "memory");
  if constexpr (op == Op::kLoadApart)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(mine + apart) : "memory");
  if constexpr (op == Op::kStore16)
    asm volatile("st.global.v4.u32 [%0], {0,0,0,0};" ::"l"(mine + wide) : "memory");
  if constexpr (op == Op::kStore4)
    asm volatile("st.global.u32 [%0], 0;" ::"l"(mine + narrow) : "memory");
  if constexpr (op == Op::kStoreColumn)
    asm volatile("st.global.u32 [%0], 0;" ::"l"(mine + row + column) : "memory");
  if constexpr (op == Op::kStoreApart)
    asm volatile("st.global.u32 [%0], 0;" ::"l"(mine + row + (number * 32 + again / 32) % 4096)
                 : "memory");
  if constexpr (op == Op::kAddColumn)
    asm volatile("red.global.add.u32 [%0], 0;" ::"l"(mine + row + column) : "memory");
  return a | b | c | d;
}

// What an SM does: nothing, or it works on the kEach bytes with this number, beginning with an
// access that others come to later.
struct Task {
  unsigned active = 0, place = 0, first = 0;
};

// Cycles of each SM that has something to do.
template <Op op>
__global__ void work(const Task* tasks, char* data, unsigned rounds, long long* times) {
  const unsigned sm = sm_id(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Task task = tasks[sm];
  if (task.active == 0) return;
  unsigned all = 0;
  __syncthreads();
  const long long begin = clock_now();
  __syncthreads();
#pragma unroll 8
  for (unsigned i = 0; i < rounds; ++i)
    all |= access<op>(data + task.place * kEach, task.first + i * kWarps + warp, lane);
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) times[sm] = clock_now() - begin;
}

struct Ways {
  int sms;
  std::vector<int> gpc;
  const Buffer<char>& data;
  const Flush& flush;
};
using Tasks = std::vector<Task>;

template <Op op>
void ask_work(const std::string& name, const Ways& on, const Tasks& tasks, bool cold,
              bool by_gpc = false) {
  if (!is_wanted(name)) return;
  constexpr unsigned kRounds = 64;
  CUDA(cudaFuncSetAttribute(work<op>, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  Buffer<Task> given(tasks.size());
  given.write(tasks);
  const Buffer<long long> times(kMostSms);
  std::vector<double> mean, most, least;
  std::map<int, std::vector<double>> of_gpc;
  const auto run = [&] {
    work<op><<<on.sms, kWarps * 32, kAlone>>>(given.data(), on.data.data(), kRounds, times.data());
    finish();
  };
  if (!cold) run();
  for (int i = 0; i < kRepeats; ++i) {
    if (cold) on.flush();
    run();
    const auto took = times.read();
    std::vector<double> each;
    std::map<int, std::pair<double, int>> sums;
    for (int sm = 0; sm < on.sms; ++sm) {
      if (tasks[sm].active == 0) continue;
      each.push_back(double(took[sm]) / (kRounds * kWarps));
      auto& [sum, count] = sums[on.gpc[sm]];
      sum += each.back(), ++count;
    }
    mean.push_back(std::accumulate(each.begin(), each.end(), 0.) / double(each.size()));
    most.push_back(*std::max_element(each.begin(), each.end()));
    least.push_back(*std::min_element(each.begin(), each.end()));
    for (const auto& [gpc, sum] : sums) of_gpc[gpc].push_back(sum.first / sum.second);
  }
  print(name + ".mean", mean, "cycle");
  print(name + ".most", most, "cycle");
  print(name + ".least", least, "cycle");
  if (by_gpc)
    for (const auto& [gpc, samples] : of_gpc)
      print(name + ".gpc" + std::to_string(gpc), samples, "cycle");
}

// Each SM its own memory: `each` SMs of every GPC, or of one only.
Tasks choose(const Ways& on, int each, int only = -1) {
  Tasks tasks(kMostSms);
  std::map<int, int> chosen;
  for (int sm = 0; sm < on.sms; ++sm)
    if ((only < 0 || on.gpc[sm] == only) && chosen[on.gpc[sm]]++ < each)
      tasks[sm] = {1, unsigned(sm), 0};
  return tasks;
}
int largest_gpc(const Ways& on) {
  std::map<int, int> sizes;
  for (const int gpc : on.gpc) ++sizes[gpc];
  return std::max_element(sizes.begin(), sizes.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

template <Op op>
void ask_ways(const char* name, const Ways& on) {
  const auto question = [&](const std::string& who) { return std::string("ways.") + name + who; };
  for (const int each : {1, 2, 4, 6, 8, 12, 16, 18})
    ask_work<op>(question(".one_gpc.sms" + std::to_string(each)), on,
                 choose(on, each, largest_gpc(on)), false);
  for (const int each : {1, 2, 4, 8, 12, 14, 16})
    ask_work<op>(question(".each_gpc.sms" + std::to_string(each)), on, choose(on, each), false);
  ask_work<op>(question(".all"), on, choose(on, kMostSms), false, true);
  ask_work<op>(question(".all_cold"), on, choose(on, kMostSms), true, true);
  ask_work<op>(question(".one_cold"), on, choose(on, 1, 0), true);
}

// The same memory for two neighbouring SMs, those of a GPC, or all; and for those of a GPC or all,
// each of a GPC `shift` accesses before the next.
template <Op op>
void ask_shared(const char* name, const Ways& on) {
  for (const char* who : {"pair", "gpc", "all"})
    for (const unsigned shift : {0u, 1u, 4u, 8u, 16u, 32u, 64u, 128u}) {
      if (shift != 0 && who[0] == 'p') continue;
      Tasks tasks = choose(on, kMostSms);
      std::map<int, unsigned> before;
      for (int sm = 0; sm < on.sms; ++sm) {
        tasks[sm].place = who[0] == 'p'   ? unsigned(sm) / 2
                          : who[0] == 'g' ? unsigned(on.gpc[sm])
                                          : 0;
        tasks[sm].first = before[on.gpc[sm]]++ * shift;
      }
      ask_work<op>(std::string("shared.") + name + "." + who + ".shift" + std::to_string(shift), on,
                   tasks, false);
    }
}

// ---- bursts
// ----------------------------------------------------------------------------

// Each thread makes `loads` loads at once: a row of all threads of the grid after the other, or of
// the block's. When each warp begins and has all.
template <int bytes, int loads>
__global__ void burst(const char* data, bool of_block, long long* begins, long long* ends) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t row = (of_block ? blockDim.x : std::size_t{gridDim.x} * blockDim.x) * bytes;
  const char* const at =
      data + (of_block ? blockIdx.x * row * loads + threadIdx.x * bytes : thread * bytes);
  unsigned words[loads], all = 0;
  __syncthreads();
  const long long begin = clock_now();
#pragma unroll
  for (int i = 0; i < loads; ++i) words[i] = load<bytes>(at + i * row);
#pragma unroll
  for (int i = 0; i < loads; ++i) all |= words[i];
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(all) : "memory");
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) {
    begins[thread / 32] = begin;
    ends[thread / 32] = end;
  }
}

template <int bytes, int loads>
void ask_burst(const Ways& on) {
  constexpr int kThreads = 256;
  for (const int per_sm : {1, 2, 4, 8})
    for (const bool of_block : {false, true}) {
      const int blocks = on.sms * per_sm;
      const std::string name = std::string(of_block ? ".blocks" : ".rows") + ".w" +
                               std::to_string(per_sm * kThreads / 32) + ".bytes" +
                               std::to_string(bytes) + ".n" + std::to_string(loads);
      if (!is_wanted("burst.memory" + name) && !is_wanted("burst.l2" + name)) continue;
      const std::size_t warps = std::size_t(blocks) * kThreads / 32;
      const Buffer<long long> begins(warps), ends(warps);
      std::array<std::vector<double>, 2> mean, most, all;
      for (int i = 0; i < kRepeats; ++i) {
        burst<bytes, loads>
            <<<blocks, kThreads>>>(on.data.data(), of_block, begins.data(), ends.data());
        on.flush();
        for (int from = 0; from < 2; ++from) {
          burst<bytes, loads>
              <<<blocks, kThreads>>>(on.data.data(), of_block, begins.data(), ends.data());
          finish();
          const auto first = begins.read(), last = ends.read();
          double sum = 0, longest = 0;
          for (std::size_t w = 0; w < warps; ++w) {
            sum += double(last[w] - first[w]);
            longest = std::max(longest, double(last[w] - first[w]));
          }
          mean[from].push_back(sum / double(warps));
          most[from].push_back(longest);
        }
      }
      for (int from = 0; from < 2; ++from) {
        const std::string question = (from == 0 ? "burst.memory" : "burst.l2") + name;
        print(question + ".mean", mean[from], "cycle");
        print(question + ".most", most[from], "cycle");
      }
    }
}

// ---- tiles
// -----------------------------------------------------------------------------

constexpr int kSide = 1024, kTile = 32, kRows = 8;

// Tiles of 32 by 32 words of a square matrix are stored column by column by 8 warps; first loaded
// from another by rows, or not. Blocks go along the columns, or along the rows.
__global__ void tiles(const unsigned* from, unsigned* to, bool along_rows, long long* times) {
  const unsigned bx = along_rows ? blockIdx.y : blockIdx.x,
                 by = along_rows ? blockIdx.x : blockIdx.y;
  const unsigned x = bx * kTile + threadIdx.x, y = by * kTile + threadIdx.y;
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  const long long begin = clock_now();
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) {
    unsigned word = 0;
    if (from != nullptr) word = from[(y + i) * kSide + x];
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to + x * kSide + y + i), "r"(word) : "memory");
  }
  const long long end = clock_now();
  if (threadIdx.x == 0 && threadIdx.y == kRows - 1) {
    times[3 * block] = begin;
    times[3 * block + 1] = end;
    times[3 * block + 2] = sm_id();
  }
}

void ask_tiles(const Ways& on) {
  constexpr int kBlocks = kSide / kTile;
  const Buffer<long long> times(3 * kBlocks * kBlocks);
  auto* const words = reinterpret_cast<unsigned*>(on.data.data());
  for (const bool loads : {false, true})
    for (const bool along_rows : {false, true})
      for (const bool cold : {true, false}) {
        const std::string question = std::string("tiles.") + (loads ? "copied" : "stored") +
                                     (along_rows ? ".along_rows" : ".along_columns") +
                                     (cold ? ".cold" : ".warm");
        if (!is_wanted(question)) continue;
        std::vector<double> mean, most;
        for (int i = 0; i < kRepeats; ++i) {
          if (cold) on.flush();
          tiles<<<dim3(kBlocks, kBlocks), dim3(kTile, kRows)>>>(
              loads ? words + kSide * kSide : nullptr, words, along_rows, times.data());
          finish();
          const auto t = times.read();
          std::map<long long, std::pair<long long, long long>> spans;  // by SM
          for (int block = 0; block < kBlocks * kBlocks; ++block) {
            const auto [at, is_new] =
                spans.emplace(t[3 * block + 2], std::pair{t[3 * block], t[3 * block + 1]});
            at->second.first = std::min(at->second.first, t[3 * block]);
            at->second.second = std::max(at->second.second, t[3 * block + 1]);
          }
          double sum = 0, longest = 0;
          for (const auto& [sm, span] : spans) {
            const double took = double(span.second - span.first);
            sum += took, longest = std::max(longest, took);
          }
          mean.push_back(sum / double(spans.size()));
          most.push_back(longest);
        }
        print(question + ".mean", mean, "cycle");
        print(question + ".most", most, "cycle");
      }
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("ways");
  int sms = 0, l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const Buffer<char> data(kRoom);
  const Flush flush{std::size_t(l2_bytes)};
  const Ways on{sms, find_gpcs(sms), data, flush};
  std::map<int, int> sizes;
  for (const int gpc : on.gpc) ++sizes[gpc];
  std::printf("# SMs of the GPCs:");
  for (const auto& [gpc, size] : sizes) std::printf(" %d", size);
  std::printf("\n");
  ask_ways<Op::kLoad16>("load16", on);
  ask_ways<Op::kLoad4>("load4", on);
  ask_ways<Op::kLoadApart>("load_apart", on);
  ask_ways<Op::kStore16>("store16", on);
  ask_ways<Op::kStore4>("store4", on);
  ask_ways<Op::kStoreColumn>("store_column", on);
  ask_ways<Op::kStoreApart>("store_apart", on);
  ask_ways<Op::kAddColumn>("add_column", on);
  ask_shared<Op::kLoad16>("load16", on);
  ask_shared<Op::kLoad4>("load4", on);
  ask_shared<Op::kLoadApart>("load_apart", on);
  ask_burst<4, 1>(on);
  ask_burst<4, 2>(on);
  ask_burst<4, 4>(on);
  ask_burst<4, 8>(on);
  ask_burst<4, 16>(on);
  ask_burst<16, 1>(on);
  ask_burst<16, 2>(on);
  ask_burst<16, 4>(on);
  ask_tiles(on);
}
