// Boxes whose data lies in DRAM: which of the lines asked for at once are late together, how long a
// box takes by its rows and by how far these lie apart, what else of a row comes into L2 with it,
// how long boxes that walk along rows take.
//
//   nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -o far_boxes far_boxes.cu
//   ./far_boxes [QUESTION…]      beginnings of questions; default: all
#include <cmath>

#include "warp_group_probe.h"

namespace {

using namespace timing;

// ---- lines asked for at once

constexpr int kWarps = 32, kRounds = 4096;

// Each warp asks for one line, all of them at once; round by round for others.
__global__ void together(const char* data, std::size_t step, unsigned short* took) {
  const int warp = int(threadIdx.x) / 32;
  const char* at = data + warp * step;
  for (int round = 0; round < kRounds; ++round, at += kWarps * step) {
    __syncthreads();
    if (threadIdx.x % 32 != 0) continue;
    unsigned value;
    const long long begin = clock_now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
    const long long end = clock_now();
    took[round * kWarps + warp] = static_cast<unsigned short>(end - begin);
  }
}

// What a share of them take at most.
double share_of(std::vector<unsigned short> took, double part) {
  std::sort(took.begin(), took.end());
  return double(took[std::size_t(part * double(took.size() - 1))]);
}

// Lines that take longer than that are late: they wait for DRAM.
double late_limit(const std::vector<unsigned short>& took) { return share_of(took, 0.75) + 75; }

// The share of lines that are late, and of the lines a number of steps behind one that is late.
void ask_together(const char* data, const Flush& flush) {
  const Buffer<unsigned short> answers(std::size_t{kRounds} * kWarps);
  for (const std::size_t step : {128, 256, 512, 1024, 2048}) {
    const std::string name = "late.step" + std::to_string(step);
    if (!is_asked(name)) continue;
    flush();
    together<<<1, 32 * kWarps>>>(data, step, answers.data());
    finish();
    const std::vector<unsigned short> took = answers.read();
    for (const double part : {0.1, 0.5, 0.75, 0.9, 0.95, 0.99})
      print(name + ".p" + std::to_string(int(std::lround(part * 100))), {share_of(took, part)},
            "cycles");
    const double limit = late_limit(took);
    double late = 0;
    for (const unsigned short each : took) late += each > limit;
    print(name + ".late", {late / double(took.size())}, "share");
    double rounds = 0;
    std::vector<double> beside(kWarps), asked_beside(kWarps);
    for (int round = 0; round < kRounds; ++round) {
      const unsigned short* const lines = &took[std::size_t(round) * kWarps];
      bool any = false;
      for (int i = 0; i < kWarps; ++i) {
        if (lines[i] <= limit) continue;
        any = true;
        for (int away = 1; i + away < kWarps; ++away)
          asked_beside[away] += 1, beside[away] += lines[i + away] > limit;
      }
      rounds += any;
    }
    print(name + ".rounds", {rounds / kRounds}, "share");
    for (const int away : {1, 2, 3, 4, 6, 8, 12, 16, 24})
      print(name + ".beside" + std::to_string(away), {beside[away] / asked_beside[away]}, "share");
  }
}

// ---- regions asked for at once

constexpr int kRegions = 128, kLaunches = 500;

// A region for each SM, of which each warp asks for a line; all SMs at about the same time.
__global__ void regions(const char* data, std::size_t bytes, unsigned short* took) {
  const int warp = int(threadIdx.x) / 32;
  const char* const at = data + blockIdx.x * bytes + warp * (bytes / kWarps);
  constexpr unsigned long long kTogether = 16384;  // nanoseconds; a launch is dealt out in less
  const unsigned long long target = (nanoseconds_now() / kTogether + 2) * kTogether;
  while (nanoseconds_now() < target) continue;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  unsigned value;
  const long long begin = clock_now();
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
  took[blockIdx.x * kWarps + warp] = static_cast<unsigned short>(clock_now() - begin);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto mean = [](const std::vector<double>& of) {
    double sum = 0;
    for (const double each : of) sum += each;
    return sum / double(of.size());
  };
  const double mean_a = mean(a), mean_b = mean(b);
  double both = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return both / std::sqrt(square_a * square_b);
}

// The shares of lines that are late, by region and launch. Launches that meet all of them late have
// waited for something else.
std::vector<std::vector<double>> late_shares(const char* data, std::size_t bytes,
                                             const Flush& flush) {
  constexpr double kMost = 0.3;
  const Buffer<unsigned short> answers(std::size_t{kRegions} * kWarps);
  std::vector<unsigned short> all;
  for (int i = 0; i < kLaunches; ++i) {
    flush();
    regions<<<kRegions, 32 * kWarps>>>(data, bytes, answers.data());
    finish();
    const auto took = answers.read();
    all.insert(all.end(), took.begin(), took.end());
  }
  const double limit = late_limit(all);
  std::vector<std::vector<double>> shares(kRegions);
  for (int i = 0; i < kLaunches; ++i) {
    std::vector<double> of_region(kRegions);
    double sum = 0;
    for (int line = 0; line < kRegions * kWarps; ++line)
      if (all[std::size_t(i) * kRegions * kWarps + line] > limit)
        of_region[line / kWarps] += 1.0 / kWarps, sum += 1.0 / (kRegions * kWarps);
    if (sum > kMost) continue;
    for (int region = 0; region < kRegions; ++region) shares[region].push_back(of_region[region]);
  }
  return shares;
}

// How much regions are late together, by how far they lie apart and whether their 64 KiB are the
// same.
void ask_regions(const char* data, const Flush& flush) {
  for (const std::size_t bytes : {4096, 65536, 1048576}) {
    const std::string name = "regions.bytes" + std::to_string(bytes);
    if (!is_asked(name)) continue;
    const auto shares = late_shares(data, bytes, flush);
    double sum = 0;
    for (const auto& of_region : shares)
      for (const double each : of_region) sum += each / double(of_region.size());
    print(name + ".late", {sum / kRegions}, "share");
    for (int apart = 1; apart <= 25; ++apart) {
      double all = 0;
      for (int i = 0; i + apart < kRegions; ++i) all += correlation(shares[i], shares[i + apart]);
      print(name + ".apart" + std::to_string(apart), {all / (kRegions - apart)}, "correlation");
    }
    if (bytes >= 65536) continue;
    double with[2] = {}, pairs[2] = {};
    for (int i = 0; i < kRegions; ++i)
      for (int k = i + 1; k < kRegions; ++k) {
        const bool same = i * bytes / 65536 == k * bytes / 65536;
        with[same] += correlation(shares[i], shares[k]), pairs[same] += 1;
      }
    print(name + ".same_64k", {with[1] / pairs[1]}, "correlation");
    print(name + ".other_64k", {with[0] / pairs[0]}, "correlation");
  }
}

// ---- boxes

// A box after the other, each of other rows.
__global__ void boxes(long long* times, const __grid_constant__ CUtensorMap map, int bytes,
                      int rows, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock_now();
    expect_bytes(&barrier, unsigned(bytes));
    copy_box(shared, &map, &barrier, 0, (int(blockIdx.x) * rounds + round) * rows);
    wait(&barrier, unsigned(round % 2));
    times[blockIdx.x * rounds + round] = clock_now() - begin;
  }
}

void ask_boxes(char* data, std::size_t bytes, const Flush& flush) {
  for (const std::size_t pitch : {128, 1024, 8192})
    for (const int rows : {8, 64, 128})
      for (const unsigned blocks : {1u, 8u, 132u}) {
        const std::string name = "pitch" + std::to_string(pitch) + ".r" + std::to_string(rows) +
                                 ".b" + std::to_string(blocks);
        if (!is_asked(name)) continue;
        const int rounds =
            int(std::min<std::size_t>(blocks == 1 ? 256 : 64, bytes / (pitch * rows * blocks)));
        if (rounds < 8) continue;
        const Buffer<long long> times(std::size_t(rounds) * blocks);
        CUDA(cudaFuncSetAttribute(boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
        const CUtensorMap map =
            map_of(data, CU_TENSOR_MAP_SWIZZLE_128B, 128, rows, bytes / pitch, pitch);
        std::vector<double> all;
        for (int i = 0; i < 3; ++i) {
          flush();
          boxes<<<blocks, 32, kShared>>>(times.data(), map, rows * 128, rows, rounds);
          finish();
          for (const long long each : times.read()) all.push_back(double(each));
        }
        std::sort(all.begin(), all.end());
        double sum = 0;
        for (const double each : all) sum += each;
        print(name + ".mean", {sum / double(all.size())}, "cycles");
        for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9})
          print(name + ".p" + std::to_string(int(std::lround(part * 100))),
                {all[std::size_t(part * double(all.size() - 1))]}, "cycles");
      }
}

// A box of narrow rows, then loads of words a number of bytes behind each row's beginning.
__global__ void beside_box(long long* times, const __grid_constant__ CUtensorMap map,
                           const char* data, std::size_t pitch, int bytes, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  constexpr int kPlaces = 8;
  long long sums[kPlaces] = {};
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    expect_bytes(&barrier, unsigned(bytes));
    copy_box(shared, &map, &barrier, 0, round * 8);
    wait(&barrier, unsigned(round % 2));
    for (const long long begin = clock_now(); clock_now() - begin < 4000;) continue;
#pragma unroll
    for (int place = 0; place < kPlaces; ++place) {  // each in a row that the others leave alone
      const char* const at = data + std::size_t(round * 8 + place) * pitch + place * 32;
      unsigned value;
      const long long begin = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p trap; }" ::"r"(value) : "memory");
      sums[place] += clock_now() - begin;
    }
  }
  for (int place = 0; place < kPlaces; ++place) times[place] = sums[place];
}

void ask_beside(char* data, const Flush& flush) {
  constexpr int kTimes = 64;
  constexpr std::size_t kPitch = 8192;
  const std::vector<std::pair<std::string, CUtensorMapL2promotion>> promotions = {
      {"none", CU_TENSOR_MAP_L2_PROMOTION_NONE},
      {"64", CU_TENSOR_MAP_L2_PROMOTION_L2_64B},
      {"128", CU_TENSOR_MAP_L2_PROMOTION_L2_128B},
      {"256", CU_TENSOR_MAP_L2_PROMOTION_L2_256B}};
  std::vector<std::string> places;
  for (int place = 0; place < 8; ++place) places.push_back("at" + std::to_string(place * 32));
  for (const auto& [name, promotion] : promotions)
    ask_parts("promoted." + name, places, beside_box, {1, 32, 1, &flush}, 1.0 / kTimes,
              map_of(data, CU_TENSOR_MAP_SWIZZLE_NONE, 32, 8, 8 * kTimes, kPitch, promotion),
              static_cast<const char*>(data), kPitch, 8 * 32, kTimes);
}

// ---- boxes along rows

// A block walks along its rows, 128 bytes a step, and has `ahead` steps on their way. A step is a
// box of each map; groups of `sharing` blocks have the rows of the first map in common, and blocks
// as far apart as groups those of the second, as the tiles of a product have. Between steps it does
// nothing for `pause` cycles.
__global__ void walk(long long* times, const __grid_constant__ CUtensorMap first,
                     const __grid_constant__ CUtensorMap second, int first_rows, int second_rows,
                     int sharing, int ahead, int pause, int steps) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barriers[4];
  if (threadIdx.x != 0) return;
  for (std::uint64_t& each : barriers) make_barrier(&each, 1);
  publish_barriers();
  const int first_row = int(blockIdx.x) / sharing * first_rows;
  const int second_row = int(blockIdx.x) % sharing * second_rows;
  const auto fetch = [&](int step) {
    const int stage = step % (ahead + 1);
    unsigned char* const to = shared + stage * (first_rows + second_rows) * 128;
    expect_bytes(&barriers[stage], unsigned(first_rows + second_rows) * 128);
    copy_box(to, &first, &barriers[stage], step * 32, first_row);
    if (second_rows > 0)
      copy_box(to + first_rows * 128, &second, &barriers[stage], step * 32, second_row);
  };
  for (int step = 0; step < ahead; ++step) fetch(step);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const long long begin = clock_now();
    if (step + ahead < steps) fetch(step + ahead);
    wait(&barriers[step % (ahead + 1)], unsigned(step / (ahead + 1) % 2));
    for (const long long from = clock_now(); clock_now() - from < pause;) continue;
    times[blockIdx.x * steps + step] = clock_now() - begin;
  }
}

struct Walk {
  const char* name;
  int first_rows, second_rows, sharing, ahead, pause;
  unsigned blocks;
};

void ask_along(char* data, const Flush& flush) {
  constexpr int kSteps = 64;
  constexpr std::size_t kPitch = 128 * kSteps, kRows = 2048;
  const auto promotion_128 = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  const std::vector<Walk> walks = {{"r8.b1", 8, 0, 1, 0, 0, 1},
                                   {"r64.b1", 64, 0, 1, 0, 0, 1},
                                   {"r128.b1", 128, 0, 1, 0, 0, 1},
                                   {"r64.b16", 64, 0, 1, 0, 0, 16},
                                   {"r64.b16.one", 64, 0, 16, 0, 0, 16},
                                   {"r64.b1.ahead1", 64, 0, 1, 1, 0, 1},
                                   {"r64.b1.ahead3", 64, 0, 1, 3, 0, 1},
                                   {"tile.b1.ahead0", 64, 128, 1, 0, 0, 1},
                                   {"tile.b1.ahead1", 64, 128, 1, 1, 0, 1},
                                   {"tile.b1.ahead1.pause", 64, 128, 1, 1, 400, 1},
                                   {"tile.b16.ahead0", 64, 128, 4, 0, 0, 16},
                                   {"tile.b16.ahead1", 64, 128, 4, 1, 0, 16},
                                   {"tile.b16.ahead1.pause", 64, 128, 4, 1, 400, 16},
                                   {"tile.b16.ahead3", 64, 128, 4, 3, 0, 16}};
  CUDA(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  for (const Walk& each : walks) {
    const std::string name = std::string("along.") + each.name;
    if (!is_asked(name)) continue;
    const auto map = [&](std::size_t from, int rows) {
      return map_of(data + from * kPitch, CU_TENSOR_MAP_SWIZZLE_128B, 128, std::max(rows, 1), kRows,
                    kPitch, promotion_128);
    };
    const Buffer<long long> times(std::size_t{kSteps} * each.blocks);
    std::vector<double> all, by_step(8), counts(8), totals;
    for (int i = 0; i < 5; ++i) {
      flush();
      walk<<<each.blocks, 32, kShared>>>(
          times.data(), map(0, each.first_rows), map(kRows, each.second_rows), each.first_rows,
          each.second_rows, each.sharing, each.ahead, each.pause, kSteps);
      finish();
      const std::vector<long long> took = times.read();
      double total = 0;
      for (std::size_t at = 0; at < took.size(); ++at) {
        total += double(took[at]) / (kSteps * each.blocks);
        if (at % kSteps < 8) continue;  // the first ones begin together
        all.push_back(double(took[at]));
        by_step[at % 8] += double(took[at]), counts[at % 8] += 1;
      }
      totals.push_back(total);
    }
    std::sort(all.begin(), all.end());
    print(name + ".mean", totals, "cycles");
    for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9})
      print(name + ".p" + std::to_string(int(std::lround(part * 100))),
            {all[std::size_t(part * double(all.size() - 1))]}, "cycles");
    for (int step = 0; step < 8; ++step)
      print(name + ".step" + std::to_string(step), {by_step[step] / counts[step]}, "cycles");
  }
}

}  // namespace

int main(int argc, char** argv) {
  asked.assign(argv + 1, argv + argc);
  print_header("far_boxes");
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const Flush flush(std::size_t(properties.l2CacheSize));
  const Buffer<char> data(std::size_t{1} << 28);
  ask_together(data.data(), flush);
  ask_regions(data.data(), flush);
  ask_boxes(data.data(), std::size_t{1} << 28, flush);
  ask_beside(data.data(), flush);
  ask_along(data.data(), flush);
}
