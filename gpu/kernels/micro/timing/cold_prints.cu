// What device printf takes in a user's kernel, which prints once or a few times with caches that
// lack the driver's code: by the format's length and kinds, calls, lanes, warps and blocks. To be
// measured by gpu/cupti/measure.sh (mode timing); printing.cu asks about calls one after another.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o cold_prints cold_prints.cu
//   gpu/cupti/measure.sh -m timing -o cold_prints.json -- ./cold_prints
//
// One line on stdout for each launch: its name. `./cold_prints clocks FILE` leaves in the file when
// each call of each warp began and ended, of a process without a profiler: each kernel is launched
// three times. What kernels print goes nowhere.
#include <fcntl.h>
#include <unistd.h>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kCalls = 16, kReadings = kCalls + 1;

enum class Says {
  kChars1,
  kChars8,
  kChars16,
  kChars32,
  kChars64,
  kChars128,
  kInt1,
  kInt2,
  kInt4,
  kInt8,
  kInt1Chars32,
  kInt2Chars32,
  kInt4Chars64,
  kHex,
  kLong,
  kUnsigned,
  kChar,
  kPointer,
  kWide,
  kFloat1,
  kFloat4,
  kFixed1,
  kFixed4,
  kString4,
  kString32,
  kString4Chars32,
  kPercent,
  kHello,
};

#define C8 "abcdefg "
#define C32 C8 C8 C8 C8

template <Says says>
__device__ __forceinline__ void say(int i, const char* text) {
  const float f = 1.5f * float(i);
  if constexpr (says == Says::kChars1) printf("\n");
  if constexpr (says == Says::kChars8) printf(C8);
  if constexpr (says == Says::kChars16) printf(C8 C8);
  if constexpr (says == Says::kChars32) printf(C32);
  if constexpr (says == Says::kChars64) printf(C32 C32);
  if constexpr (says == Says::kChars128) printf(C32 C32 C32 C32);
  if constexpr (says == Says::kInt1) printf("%d\n", i);
  if constexpr (says == Says::kInt2) printf("%d %d\n", i, i);
  if constexpr (says == Says::kInt4) printf("%d %d %d %d\n", i, i, i, i);
  if constexpr (says == Says::kInt8) printf("%d %d %d %d %d %d %d %d\n", i, i, i, i, i, i, i, i);
  if constexpr (says == Says::kInt1Chars32) printf("%d" C8 C8 C8 "abcdef", i);
  if constexpr (says == Says::kInt2Chars32) printf("%d" C8 C8 C8 "abcd%d", i, i);
  if constexpr (says == Says::kInt4Chars64)
    printf("%d" C32 C8 C8
           "%d%d"
           "abcdefgh"
           "%d",
           i, i, i, i);
  if constexpr (says == Says::kHex) printf("%x\n", i);
  if constexpr (says == Says::kLong) printf("%lld\n", 1ll * i);
  if constexpr (says == Says::kUnsigned) printf("%u\n", unsigned(i));
  if constexpr (says == Says::kChar) printf("%c\n", i);
  if constexpr (says == Says::kPointer) printf("%p\n", text);
  if constexpr (says == Says::kWide) printf("%08d\n", i);
  if constexpr (says == Says::kFloat1) printf("%f\n", f);
  if constexpr (says == Says::kFloat4) printf("%f %f %f %f\n", f, f, f, f);
  if constexpr (says == Says::kFixed1) printf("%.2f\n", f);
  if constexpr (says == Says::kFixed4) printf("%.2f %.2f %.2f %.2f\n", f, f, f, f);
  if constexpr (says == Says::kString4) printf("%s\n", text);
  if constexpr (says == Says::kString32) printf("%s\n", text + 32);
  if constexpr (says == Says::kString4Chars32) printf("%s" C8 C8 C8 "abcdef", text);
  if constexpr (says == Says::kPercent) printf("%%%%\n");
  if constexpr (says == Says::kHello)
    printf("Hello from block %d, thread %d\n", blockIdx.x, threadIdx.x);
}

// Who prints how often, and how the calls lie in the code.
enum class How {
  kLoop,       // one call in a loop
  kRow,        // calls one behind the other
  kByLane,     // every second lane another format
  kFourWays,   // every fourth lane
  kLateWarps,  // in a loop, each warp some 100,000 cycles behind the one before
  kGuarded,    // lanes in turn: lane i in round i
};

struct Who {
  int calls, lanes, warps;  // lanes of a warp, warps of a block (0: all)
  int delay;                // cycles between blocks
};

template <Says says, How how>
__global__ void prints(Who who, const char* text, long long* times) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warps = (blockDim.x + 31) / 32;
  long long* const mine = times + (blockIdx.x * warps + warp) * kReadings;
  if (lane >= who.lanes || (who.warps != 0 && warp >= who.warps)) return;
  const long long begin = clock_now();
  const long long wait =
      1ll * who.delay * (how == How::kLateWarps ? int(blockIdx.x) * warps + warp : int(blockIdx.x));
  while (clock_now() - begin < wait) {
  }
  if (lane == 0) mine[0] = clock_now();
  if constexpr (how == How::kRow) {
    const auto call = [&](int i) {
      if (lane == 0) mine[i + 1] = clock_now();
    };
    if (who.calls > 0) say<says>(1, text), call(0);
    if (who.calls > 1) say<Says::kInt2>(2, text), call(1);
    if (who.calls > 2) say<says>(3, text), call(2);
    if (who.calls > 3) say<Says::kFixed1>(4, text), call(3);
    if (who.calls > 4) say<says>(5, text), call(4);
    if (who.calls > 5) say<Says::kInt4>(6, text), call(5);
    if (who.calls > 6) say<says>(7, text), call(6);
    if (who.calls > 7) say<Says::kHello>(8, text), call(7);
    return;
  }
#pragma unroll 1
  for (int i = 0; i < who.calls; ++i) {
    if constexpr (how == How::kByLane) {
      if (lane % 2 == 0)
        say<says>(i, text);
      else
        say<Says::kInt2>(i, text);
    } else if constexpr (how == How::kFourWays) {
      switch (lane % 4) {
        case 0:
          say<says>(i, text);
          break;
        case 1:
          say<Says::kInt2>(i, text);
          break;
        case 2:
          say<Says::kHello>(i, text);
          break;
        default:
          say<Says::kFixed1>(i, text);
      }
    } else if constexpr (how == How::kGuarded) {
      if (lane == i) say<says>(i, text);
    } else {
      say<says>(i, text);
    }
    if (lane == 0) mine[i + 1] = clock_now();
  }
}

struct Asker {
  FILE* names;   // of the launches
  FILE* clocks;  // null: launches are made once
  const char* text;
  long long* times;

  template <Says says, How how = How::kLoop>
  void launch(const char* name, int blocks, int threads, Who who) const {
    const std::string whole = std::string(name) + ".calls" + std::to_string(who.calls) + ".b" +
                              std::to_string(blocks) + ".t" + std::to_string(threads) + ".lanes" +
                              std::to_string(who.lanes) + ".warps" + std::to_string(who.warps) +
                              (who.delay != 0 ? ".late" : "");
    const int warps = blocks * ((threads + 31) / 32);
    for (int repeat = 0; repeat < (clocks != nullptr ? 3 : 1); ++repeat) {
      CUDA(cudaMemset(times, 0, sizeof(long long) * warps * kReadings));
      prints<says, how><<<blocks, threads>>>(who, text, times);
      finish();
      if (clocks != nullptr) write(whole, repeat, blocks, warps / blocks);
    }
    std::fprintf(names, "%s\n", whole.c_str());
    std::fflush(names);
  }

 private:
  void write(const std::string& name, int launch, int blocks, int warps) const {
    std::vector<long long> t(std::size_t(blocks) * warps * kReadings);
    CUDA(cudaMemcpy(t.data(), times, t.size() * sizeof t[0], cudaMemcpyDeviceToHost));
    constexpr int kMostBlocks = 4, kMostWarps = 8;  // the first ones'
    for (int block = 0; block < std::min(blocks, kMostBlocks); ++block)
      for (int warp = 0; warp < std::min(warps, kMostWarps); ++warp) {
        const long long* const mine = t.data() + (block * warps + warp) * kReadings;
        if (mine[0] == 0) continue;
        std::fprintf(clocks, "%s.launch%d.block%d.warp%d", name.c_str(), launch, block, warp);
        std::fprintf(clocks, "\t%lld", mine[0] - t[std::size_t(block) * warps * kReadings]);
        for (int i = 1; i < kReadings && mine[i] != 0; ++i)
          std::fprintf(clocks, "\t%lld", mine[i] - mine[i - 1]);
        std::fprintf(clocks, "\n");
      }
  }
};

constexpr Who kOne{1, 32, 0, 0};

void formats(const Asker& ask) {
  ask.launch<Says::kChars1>("chars1", 1, 1, kOne);
  ask.launch<Says::kChars8>("chars8", 1, 1, kOne);
  ask.launch<Says::kChars16>("chars16", 1, 1, kOne);
  ask.launch<Says::kChars32>("chars32", 1, 1, kOne);
  ask.launch<Says::kChars64>("chars64", 1, 1, kOne);
  ask.launch<Says::kChars128>("chars128", 1, 1, kOne);
  ask.launch<Says::kInt1>("int1", 1, 1, kOne);
  ask.launch<Says::kInt2>("int2", 1, 1, kOne);
  ask.launch<Says::kInt4>("int4", 1, 1, kOne);
  ask.launch<Says::kInt8>("int8", 1, 1, kOne);
  ask.launch<Says::kInt1Chars32>("int1.chars32", 1, 1, kOne);
  ask.launch<Says::kInt2Chars32>("int2.chars32", 1, 1, kOne);
  ask.launch<Says::kInt4Chars64>("int4.chars64", 1, 1, kOne);
  ask.launch<Says::kHex>("hex", 1, 1, kOne);
  ask.launch<Says::kLong>("long", 1, 1, kOne);
  ask.launch<Says::kUnsigned>("unsigned", 1, 1, kOne);
  ask.launch<Says::kChar>("char", 1, 1, kOne);
  ask.launch<Says::kPointer>("pointer", 1, 1, kOne);
  ask.launch<Says::kWide>("wide", 1, 1, kOne);
  ask.launch<Says::kFloat1>("float1", 1, 1, kOne);
  ask.launch<Says::kFloat4>("float4", 1, 1, kOne);
  ask.launch<Says::kFixed1>("fixed1", 1, 1, kOne);
  ask.launch<Says::kFixed4>("fixed4", 1, 1, kOne);
  ask.launch<Says::kString4>("string4", 1, 1, kOne);
  ask.launch<Says::kString32>("string32", 1, 1, kOne);
  ask.launch<Says::kString4Chars32>("string4.chars32", 1, 1, kOne);
  ask.launch<Says::kPercent>("percent", 1, 1, kOne);
  ask.launch<Says::kHello>("hello", 1, 1, kOne);
}

void calls(const Asker& ask) {
  ask.launch<Says::kInt1>("int1", 1, 32, {0, 32, 0, 0});  // the kernel without a call
  for (const int n : {1, 2, 3, 4, 6, 8, 16}) ask.launch<Says::kInt1>("int1", 1, 32, {n, 1, 0, 0});
  for (const int n : {2, 4, 8}) ask.launch<Says::kHello>("hello", 1, 32, {n, 32, 0, 0});
  for (const int n : {2, 4, 16}) ask.launch<Says::kChars64>("chars64", 1, 1, {n, 32, 0, 0});
  for (const int n : {2, 4, 16}) ask.launch<Says::kChars1>("chars1", 1, 1, {n, 32, 0, 0});
  for (const int n : {2, 16}) ask.launch<Says::kInt8>("int8", 1, 1, {n, 32, 0, 0});
  for (const int n : {2, 16}) ask.launch<Says::kFixed4>("fixed4", 1, 1, {n, 32, 0, 0});
  for (const int n : {2, 16}) ask.launch<Says::kString32>("string32", 1, 1, {n, 32, 0, 0});
  for (const int n : {1, 2, 3, 4, 8}) {
    ask.launch<Says::kInt1, How::kRow>("row.int1", 1, 1, {n, 32, 0, 0});
    ask.launch<Says::kChars32, How::kRow>("row.chars32", 1, 32, {n, 32, 0, 0});
  }
}

void lanes(const Asker& ask) {
  for (const int n : {1, 2, 4, 8, 16, 32}) {
    ask.launch<Says::kInt1>("int1", 1, 32, {1, n, 0, 0});
    ask.launch<Says::kHello>("hello", 1, 32, {1, n, 0, 0});
    ask.launch<Says::kHello>("hello", 1, 32, {4, n, 0, 0});
  }
  ask.launch<Says::kFixed4>("fixed4", 1, 32, {2, 32, 0, 0});
  ask.launch<Says::kChars64>("chars64", 1, 32, {2, 32, 0, 0});
  ask.launch<Says::kString32>("string32", 1, 32, {2, 32, 0, 0});
  for (const int n : {1, 4}) {
    ask.launch<Says::kInt1, How::kByLane>("by_lane.int1", 1, 32, {n, 32, 0, 0});
    ask.launch<Says::kInt1, How::kFourWays>("four_ways.int1", 1, 32, {n, 32, 0, 0});
  }
  ask.launch<Says::kHello, How::kGuarded>("guarded.hello", 1, 32, {8, 32, 0, 0});
  ask.launch<Says::kHello, How::kGuarded>("guarded.hello", 2, 64, {4, 32, 0, 0});
}

void warps_and_blocks(const Asker& ask) {
  for (const int lanes : {1, 4, 32})
    for (const int warps : {2, 4, 8, 16, 32}) {
      ask.launch<Says::kInt1>("int1", 1, 32 * warps, {1, lanes, 0, 0});
      ask.launch<Says::kInt1>("int1", 1, 32 * warps, {4, lanes, 0, 0});
    }
  ask.launch<Says::kInt1>("int1", 1, 256, {2, 1, 1, 0});  // one warp of eight
  for (const int lanes : {1, 4, 32})
    for (const int blocks : {2, 4, 8, 16, 32, 66, 132}) {
      ask.launch<Says::kInt1>("int1", blocks, 32, {1, lanes, 0, 0});
      ask.launch<Says::kInt1>("int1", blocks, 32, {4, lanes, 0, 0});
    }
  ask.launch<Says::kInt1>("int1", 528, 32, {1, 1, 0, 0});
  ask.launch<Says::kInt1>("int1", 528, 128, {1, 1, 1, 0});
  for (const auto& [blocks, threads] : {std::pair{2, 4},
                                        {4, 4},
                                        {4, 8},
                                        {8, 8},
                                        {8, 16},
                                        {2, 32},
                                        {4, 64},
                                        {16, 16},
                                        {8, 128},
                                        {32, 32},
                                        {64, 64}}) {
    ask.launch<Says::kHello>("hello", blocks, threads, {1, 32, 0, 0});
    ask.launch<Says::kHello>("hello", blocks, threads, {2, 32, 0, 0});
    ask.launch<Says::kFixed4>("fixed4", blocks, threads, {2, 32, 0, 0});
  }
  ask.launch<Says::kHello>("hello", 132, 128, {1, 32, 0, 0});
}

// Who prints later finds the code: in the SM's caches, or in L2 alone.
void late(const Asker& ask) {
  constexpr int kDelay = 100000;
  for (const int lanes : {1, 32}) {
    ask.launch<Says::kInt1>("int1", 2, 32, {2, lanes, 0, kDelay});
    ask.launch<Says::kInt1>("int1", 8, 32, {1, lanes, 0, kDelay});
    ask.launch<Says::kInt1, How::kLateWarps>("warps.int1", 1, 64, {2, lanes, 0, kDelay});
    ask.launch<Says::kInt1, How::kLateWarps>("warps.int1", 1, 256, {1, lanes, 0, kDelay});
  }
}

}  // namespace

int main(int argc, char** argv) {
  FILE* const names = fdopen(dup(STDOUT_FILENO), "w");
  FILE* const clocks =
      argc > 2 && std::string(argv[1]) == "clocks" ? std::fopen(argv[2], "w") : nullptr;
  const int null = open("/dev/null", O_WRONLY);
  if (names == nullptr || null < 0 || dup2(null, STDOUT_FILENO) < 0) return 2;
  const Buffer<long long> times(std::size_t(2112) * kReadings);
  Buffer<char> text(128);
  std::vector<char> words(128, 'x');
  words[4] = words[64] = 0;
  text.write(words);
  const Asker ask{names, clocks, text.data(), times.data()};
  formats(ask);
  calls(ask);
  lanes(ask);
  warps_and_blocks(ask);
  late(ask);
}
