// The halves of L2 and the way between them. Which half each SM is near to and each line is at home
// in, by how long an atomic takes; then all SMs load, store and copy lines that are at home near
// them, far from them or in either: which are nowhere in L2 (cold), in their own half alone (home)
// or have been loaded by these SMs before (warm).
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o halves halves.cu && ./halves [QUESTION…]
#include <array>
#include <numeric>

#include "flush.h"
#include "spans.h"

namespace {

using namespace timing;

constexpr int kRepeats = 3, kMostSms = 256, kLine = 128, kSamples = 64, kMostWarps = 32;
constexpr unsigned kAlone = 120 * 1024;               // shared memory of a block alone on its SM
constexpr std::size_t kRoom = std::size_t{24} << 20;  // loaded; as much is stored to
constexpr unsigned kLines = 4;                        // that a warp loads or stores at once
constexpr unsigned kBytes = 17'301'504;  // in all, of 132 SMs: eight rounds of 32 warps

// ---- which half
// -----------------------------------------------------------------------------------

// Cycles of an atomic on a word of each of some lines, the least of three; by one SM.
__global__ void time_atomics(char* data, unsigned sm, unsigned first, unsigned step, unsigned lines,
                             unsigned* cycles) {
  if (threadIdx.x != 0 || (sm != ~0u && sm_id() != sm)) return;
  const unsigned mine = sm == ~0u ? sm_id() : 0;
  for (unsigned i = first + mine * step; i < lines; i += step * (sm == ~0u ? gridDim.x : 1)) {
    unsigned least = ~0u;
    for (int again = 0; again < 3; ++again) {
      unsigned old;
      const long long begin = clock_now();
      asm volatile("atom.global.add.u32 %0, [%1], 0;"
                   : "=r"(old)
                   : "l"(data + std::size_t{i} * kLine)
                   : "memory");
      use(old + 2);
      least = min(least, unsigned(clock_now() - begin));
    }
    cycles[i] = least;
  }
}

struct Halves {
  int sms;
  std::vector<int> of_sm;    // 0 or 1
  std::vector<int> of_line;  // of what is loaded, then of what is stored to
};

std::vector<unsigned> ask_atomics(char* data, int sms, int sm, unsigned step, unsigned lines) {
  CUDA(cudaFuncSetAttribute(time_atomics, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  const Buffer<unsigned> cycles(lines);
  time_atomics<<<sms, 32, kAlone>>>(data, unsigned(sm), 0, step, lines, cycles.data());
  finish();
  return cycles.read();
}

Halves find_halves(char* data, int sms) {
  constexpr unsigned kApart = 331;  // of the samples, in lines
  Halves halves{sms, std::vector<int>(sms), std::vector<int>(2 * kRoom / kLine)};
  std::vector<std::vector<double>> took(sms);
  for (int sm = 0; sm < sms; ++sm) {
    const auto all = ask_atomics(data, sms, sm, kApart, kSamples * kApart);
    for (int i = 0; i < kSamples; ++i) took[sm].push_back(all[std::size_t(i) * kApart]);
  }
  // The widest gap between what the first SM's samples took, not counting the outermost.
  std::vector<double> sorted = took[0];
  std::sort(sorted.begin(), sorted.end());
  double gap = 0, limit = 0;
  for (int i = kSamples / 8; i < kSamples - kSamples / 8; ++i)
    if (sorted[i] - sorted[i - 1] > gap)
      gap = sorted[i] - sorted[i - 1], limit = (sorted[i] + sorted[i - 1]) / 2;
  std::vector<double> limits(sms), near_mean, far_mean;
  for (int sm = 0; sm < sms; ++sm) {
    std::array<double, 2> sum{}, count{};
    for (int i = 0; i < kSamples; ++i) {
      const int half = took[0][i] > limit;
      sum[half] += took[sm][i], ++count[half];
    }
    const double first = sum[0] / count[0], second = sum[1] / count[1];
    halves.of_sm[sm] = first > second;
    limits[sm] = (first + second) / 2;
    near_mean.push_back(std::min(first, second));
    far_mean.push_back(std::max(first, second));
  }
  print("halves.gap", {gap}, "cycle");
  print("halves.atomic.near", near_mean, "cycle");
  print("halves.atomic.far", far_mean, "cycle");
  print("halves.sms", {double(std::count(halves.of_sm.begin(), halves.of_sm.end(), 0))}, "SM");
  const unsigned lines = unsigned(halves.of_line.size());
  const auto all = ask_atomics(data, sms, -1, 1, lines);
  for (unsigned i = 0; i < lines; ++i) {
    const int sm = int(i % unsigned(sms));
    halves.of_line[i] = halves.of_sm[sm] ^ int(all[i] > limits[sm]);
  }
  print("halves.lines",
        {100. * double(std::accumulate(halves.of_line.begin(), halves.of_line.end(), 0)) / lines},
        "% in the second");
  // How often the next line, the one behind that, … is in the same half.
  for (unsigned apart = 1; apart <= 1 << 15; apart *= 2) {
    unsigned same = 0;
    for (unsigned i = 0; i + apart < lines; ++i)
      same += halves.of_line[i] == halves.of_line[i + apart];
    print("halves.same.lines" + std::to_string(apart), {100. * same / (lines - apart)}, "%");
  }
  std::printf("# halves of lines:");
  for (unsigned i = 0; i < 512; ++i) std::printf("%s%d", i % 64 == 0 ? " " : "", halves.of_line[i]);
  std::printf("\n# halves of SMs: ");
  for (const int half : halves.of_sm) std::printf("%d", half);
  std::printf("\n");
  return halves;
}

// ---- all SMs
// ---------------------------------------------------------------------------------------

// Beside: half of the warps load, half store. Part: four bytes of each 16 only.
enum class Does : unsigned { kNothing, kLoad, kStore, kCopy, kBeside, kStorePart, kAddPart };

// Each warp accesses lines of its own, one after the other, as its SM does. When it begins, has
// issued all, and all is done.
__global__ void work(const unsigned* loaded, const unsigned* stored, char* data, const Does* of_sm,
                     unsigned rounds, long long* times) {
  extern __shared__ unsigned places[];
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned sm = sm_id(), each = warps * rounds * kLines, of_lane = lane % 8 * 16;
  for (unsigned i = threadIdx.x; i < each; i += blockDim.x) {
    places[2 * i] = loaded[sm * each + i];
    places[2 * i + 1] = stored[sm * each + i];
  }
  const Does does = of_sm[sm];
  if (does == Does::kNothing) return;
  const bool both = does == Does::kBeside;
  const bool loads = both ? warp % 8 < 4 : does == Does::kLoad || does == Does::kCopy;
  const bool stores = both ? warp % 8 >= 4 : does == Does::kStore || does == Does::kCopy;
  __syncthreads();
  const long long begin = clock_now();
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned place = 2 * ((warp * rounds + i) * kLines + lane / 8);
    unsigned word = 0;
    if (loads) word = load<16>(data + std::size_t{places[place]} * kLine + of_lane);
    if (loads) use(word);
    char* const to = data + kRoom + std::size_t{places[place + 1]} * kLine + of_lane;
    if (stores)
      asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(word) : "memory");
    if (does == Does::kStorePart)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
    if (does == Does::kAddPart) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
  }
  const long long issued = clock_now();
  __threadfence();
  const long long done = clock_now();
  if (lane != 0) return;
  long long* const mine = times + std::size_t{sm * warps + warp} * 3;
  mine[0] = begin, mine[1] = issued, mine[2] = done;
}

// Lines for each warp of each SM: in its half (0), in the other (1), or any (2).
std::vector<unsigned> choose(const Halves& halves, bool stored, int where, unsigned each) {
  const unsigned lines = unsigned(kRoom / kLine);
  std::array<std::vector<unsigned>, 3> of;
  for (unsigned line = 0; line < lines; ++line) {
    of[std::size_t(halves.of_line[line + (stored ? lines : 0)])].push_back(line);
    of[2].push_back(line);
  }
  std::array<std::size_t, 3> next{};
  std::vector<unsigned> chosen(std::size_t(kMostSms) * each);
  for (unsigned i = 0; i < each; i += kLines)
    for (int sm = 0; sm < halves.sms; ++sm) {
      const std::size_t half = where == 2 ? 2 : std::size_t(halves.of_sm[sm] ^ where);
      for (unsigned line = 0; line < kLines && !of[half].empty(); ++line)
        chosen[std::size_t(sm) * each + i + line] = of[half][next[half]++ % of[half].size()];
    }
  return chosen;
}

struct Task {
  const Halves& halves;
  char* data;
  const Flush& flush;
};

// SMs of each half do something. `kinds`: of SMs of the first half and the second, or of warps that
// load and store.
void ask_work(const Task& task, const std::string& question, std::array<Does, 2> does, int where,
              char state, int warps) {
  if (!is_wanted(question)) return;
  const int sms = task.halves.sms;
  const unsigned rounds = kBytes / (unsigned(sms * warps) * kLines * kLine);
  const unsigned each = unsigned(warps) * rounds * kLines;
  const auto loads = choose(task.halves, false, where, each);
  const auto stores = choose(task.halves, true, where, each);
  Buffer<unsigned> loaded(loads.size()), stored(stores.size()), partner(loads.size());
  loaded.write(loads), stored.write(stores);
  // What an SM is to find in the other half alone, an SM of that half loads before.
  auto swapped = loads;
  std::array<std::vector<int>, 2> sms_of;
  std::vector<Does> of_sm(kMostSms), load_all(kMostSms, Does::kLoad);
  for (int sm = 0; sm < sms; ++sm) {
    const auto half = std::size_t(task.halves.of_sm[sm]);
    sms_of[half].push_back(sm);
    of_sm[sm] = does[half];
  }
  for (std::size_t i = 0; i < std::min(sms_of[0].size(), sms_of[1].size()); ++i)
    for (unsigned k = 0; k < each; ++k)
      std::swap(swapped[std::size_t(sms_of[0][i]) * each + k],
                swapped[std::size_t(sms_of[1][i]) * each + k]);
  partner.write(swapped);
  Buffer<Does> doing(kMostSms), loading(kMostSms);
  doing.write(of_sm), loading.write(load_all);
  const std::size_t all_warps = std::size_t(kMostSms) * warps;
  const Buffer<long long> times(3 * all_warps);
  CUDA(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  const auto run = [&](const Buffer<unsigned>& from, const Buffer<Does>& how) {
    work<<<sms, warps * 32, kAlone>>>(from.data(), stored.data(), task.data, how.data(), rounds,
                                      times.data());
    finish();
  };
  std::array<std::vector<double>, 2> issued, done, last;
  for (int i = 0; i <= kRepeats; ++i) {
    if (state != 'w') task.flush();
    if (state == 'h') run(partner, loading);
    run(loaded, doing);
    if (i == 0) continue;  // code, and data that are to be there
    const auto t = times.read();
    std::array<double, 2> sums{}, dones{}, most{};
    std::array<unsigned, 2> count{};
    for (int sm = 0; sm < sms; ++sm)
      for (int warp = 0; warp < warps; ++warp) {
        if (of_sm[sm] == Does::kNothing) continue;
        const std::size_t w = 3 * (std::size_t(sm) * warps + warp);
        const std::size_t kind = does[0] == Does::kBeside ? warp % 8 / 4
                                 : does[0] == does[1]     ? 0
                                                          : task.halves.of_sm[sm];
        sums[kind] += double(t[w + 1] - t[w]);
        dones[kind] += double(t[w + 2] - t[w]);
        most[kind] = std::max(most[kind], double(t[w + 2] - t[w]));
        ++count[kind];
      }
    for (std::size_t kind = 0; kind < 2; ++kind) {
      if (count[kind] == 0) continue;
      issued[kind].push_back(sums[kind] / count[kind]);
      done[kind].push_back(dones[kind] / count[kind]);
      last[kind].push_back(most[kind]);
    }
  }
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (issued[kind].empty()) continue;
    const std::string name =
        question + (issued[1].empty()          ? ""
                    : does[0] != Does::kBeside ? (kind == 0 ? ".half0" : ".half1")
                    : kind == 0                ? ".loads"
                                               : ".stores");
    print(name + ".issued", issued[kind], "cycle");
    print(name + ".done", done[kind], "cycle");
    print(name + ".most", last[kind], "cycle");
  }
}

constexpr std::array<const char*, 7> kDoes{"nothing", "load",       "store",   "copy",
                                           "beside",  "store_part", "add_part"};

void ask_all(const Task& task) {
  for (const int warps : {8, 16, 32})
    for (const int where : {0, 1, 2})
      for (const char* state : {"cold", "home", "warm"})
        for (std::size_t does = 1; does < kDoes.size(); ++does) {
          if (state[0] == 'h' && where != 1) continue;
          constexpr std::array<const char*, 3> kWhere{"near", "far", "any"};
          ask_work(task,
                   std::string("work.") + kDoes[does] + "." + kWhere[std::size_t(where)] + "." +
                       state + ".w" + std::to_string(warps),
                   {Does(does), Does(does)}, where, state[0], warps);
        }
}

// Those of one half do this, of the other that; all lines are far.
void ask_sides(const Task& task) {
  for (const std::array<Does, 2> does : {std::array{Does::kLoad, Does::kNothing},
                                         {Does::kNothing, Does::kLoad},
                                         {Does::kStore, Does::kNothing},
                                         {Does::kCopy, Does::kNothing},
                                         {Does::kLoad, Does::kStore},
                                         {Does::kCopy, Does::kLoad},
                                         {Does::kCopy, Does::kStore}})
    ask_work(task,
             std::string("sides.") + kDoes[std::size_t(does[0])] + "." +
                 kDoes[std::size_t(does[1])] + ".w32",
             does, 1, 'h', 32);
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("halves");
  int sms = 0, l2_bytes = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const Buffer<char> data(2 * kRoom);
  const Flush flush{std::size_t(l2_bytes)};
  const Halves halves = find_halves(data.data(), sms);
  const Task task{halves, data.data(), flush};
  ask_all(task);
  ask_sides(task);
}
