// What tensor units, the copy engine and barriers take, part by part: until an instruction has
// issued, and until what it began is done; and what they take beside one another.
//
//   nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -o async_units async_units.cu
//   ./async_units [QUESTION…]      beginnings of questions; default: all
#include "warp_group_probe.h"

namespace {

using namespace timing;

// Cycles from one reading of the clock to the next, added up part by part.
template <int kParts>
struct Parts {
  long long sums[kParts] = {}, last = 0;
  __device__ void begin() { last = clock_now(); }
  template <int kPart>
  __device__ void end() {
    const long long now = clock_now();
    sums[kPart] += now - last;
    last = now;
  }
  __device__ void store(long long* times, bool stores = true) const {
    if (!stores) return;
#pragma unroll
    for (int part = 0; part < kParts; ++part) times[part * gridDim.x + blockIdx.x] = sums[part];
  }
};

// ---- products: the fence before them, their issue, the wait behind them

template <typename Products>
__device__ void time_products(long long* times, int rounds, Products&& products) {
  Parts<3> parts;
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    parts.begin();
    begin_products();
    parts.end<0>();
    products();
    commit_products();
    parts.end<1>();
    wait_for_products<0>();
    parts.end<2>();
  }
  parts.store(times, threadIdx.x == 0);
}

template <int kCount>
__device__ void use(const float (&sums)[kCount], long long* times) {
  float sum = 0;
  for (const float each : sums) sum += each;
  if (sum == 1.5f) times[1000] = 0;
}

template <int kN, bool kFromRegisters, int kCount>
__global__ void split(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint64_t a = matrix(shared), b = matrix(shared + 65536);
  Product<kN, kFromRegisters> product = {};
  time_products(times, rounds, [&] {
#pragma unroll
    for (int i = 0; i < kCount; ++i) product(a, b);
  });
  use(product.d, times);
}

// By turns with two sums.
template <int kN, bool kFromRegisters, int kCount>
__global__ void by_turns(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint64_t a = matrix(shared), b = matrix(shared + 65536);
  Product<kN, kFromRegisters> some = {}, others = {};
  time_products(times, rounds, [&] {
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      some(a, b);
      others(a, b);
    }
  });
  use(some.d, times);
  use(others.d, times);
}

// Four products of 64 x 128 of a type.
template <typename T>
__global__ void typed(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  float sums[64] = {};
  time_products(times, rounds, [&] { multiply_boxes<T>(sums, shared, shared + 65536, true); });
  use(sums, times);
}

// Four of 64 x 64, A in registers and B lying k by k.
__global__ void across(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  float sums[32] = {};
  const std::uint32_t a[4] = {};
  time_products(times, rounds, [&] {
#pragma unroll
    for (int i = 0; i < 4; ++i) multiply_registers(sums, a, matrix(shared + 65536) + 128 * i);
  });
  use(sums, times);
}

template <bool kFences, bool kWaits>
__global__ void nothing_begun(long long* times, int rounds) {
  Parts<1> parts;
  parts.begin();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (kFences) begin_products();
    if (kWaits) {
      commit_products();
      wait_for_products<0>();
    }
  }
  parts.end<0>();
  parts.store(times, threadIdx.x == 0);
}

template <int kN>
void ask_split() {
  constexpr int kRounds = 32;
  const std::string n = "." + std::to_string(kN) + ".g";
  for (int groups = 1; groups <= 2; ++groups) {
    const auto each = [&](const char* name, auto kernel) {
      ask_parts(name + n + std::to_string(groups), {"fence", "issue", "wait"}, kernel,
                {1, groups * kGroup}, 1.0 / kRounds, kRounds);
    };
    each("split.shared.x1", split<kN, false, 1>);
    each("split.shared.x2", split<kN, false, 2>);
    each("split.shared.x4", split<kN, false, 4>);
    each("split.shared.x8", split<kN, false, 8>);
    each("split.registers.x1", split<kN, true, 1>);
    each("split.registers.x2", split<kN, true, 2>);
    each("split.registers.x4", split<kN, true, 4>);
    each("split.registers.x8", split<kN, true, 8>);
    if constexpr (kN < 256) {
      each("by_turns.shared.x8", by_turns<kN, false, 8>);
      each("by_turns.registers.x8", by_turns<kN, true, 8>);
    }
  }
}

void ask_products() {
  constexpr int kRounds = 32;
  ask_split<8>();
  ask_split<32>();
  ask_split<64>();
  ask_split<128>();
  ask_split<256>();
  const auto each = [&](const char* name, auto kernel) {
    ask_parts(name, {"fence", "issue", "wait"}, kernel, {1, kGroup}, 1.0 / kRounds, kRounds);
  };
  each("typed.bf16", typed<__nv_bfloat16>);
  each("typed.e4m3", typed<__nv_fp8_e4m3>);
  each("across", across);
  ask("nothing.fences", nothing_begun<true, false>, 1, kGroup, 1, 1.0 / 64, 64);
  ask("nothing.waits", nothing_begun<false, true>, 1, kGroup, 1, 1.0 / 64, 64);
}

// ---- boxes into shared memory: what is expected, their issue, the wait

// One warp or several, each with its barrier, its place and its rows.
template <int kCopies>
__global__ void boxes(long long* times, const __grid_constant__ CUtensorMap map, int bytes,
                      int rows, int rounds, int advance) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barriers[8];
  if (threadIdx.x % 32 != 0) return;
  const int warp = int(threadIdx.x) / 32, warps = int(blockDim.x) / 32;
  std::uint64_t* const barrier = &barriers[warp];
  unsigned char* const to = shared + warp * kCopies * bytes;
  make_barrier(barrier, 1);
  publish_barriers();
  Parts<3> parts;
  int row = (int(blockIdx.x) * warps + warp) * (advance ? rounds : 1) * kCopies * rows;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    parts.begin();
    expect_bytes(barrier, unsigned(kCopies * bytes));
    parts.end<0>();
#pragma unroll
    for (int i = 0; i < kCopies; ++i) copy_box(to + i * bytes, &map, barrier, 0, row + i * rows);
    parts.end<1>();
    wait(barrier, unsigned(round % 2));
    parts.end<2>();
    row += advance;
  }
  parts.store(times, warp == 0);
}

constexpr int kMaps = 16;
struct Maps {
  CUtensorMap of[kMaps];
};

// Boxes by maps that no copy of the launch has read yet, and by the same ones again.
template <bool kPrefetches>
__global__ void maps(long long* times, const __grid_constant__ Maps all) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  if (kPrefetches) {
#pragma unroll 1
    for (int i = 0; i < kMaps; ++i)
      asm volatile("prefetch.tensormap [%0];" ::"l"(&all.of[i]) : "memory");
    for (const long long begin = clock_now(); clock_now() - begin < 8000;) continue;
  }
  Parts<4> parts;
  unsigned phase = 0;
  const auto copy = [&](int i) {
    expect_bytes(&barrier, 1024);
    copy_box(shared, &all.of[i], &barrier, 0, 0);
    wait(&barrier, phase);
    phase ^= 1;
  };
  parts.begin();
  copy(0);
  parts.end<0>();
#pragma unroll 1
  for (int i = 1; i < kMaps; ++i) {
    parts.begin();
    copy(i);
    parts.end<1>();
  }
#pragma unroll 1
  for (int i = 0; i < kMaps; ++i) {
    parts.begin();
    copy(i);
    parts.end<2>();
  }
#pragma unroll 1
  for (int i = 0; i < 2 * kMaps; ++i) {
    parts.begin();
    copy(i % 2);
    parts.end<3>();
  }
  parts.sums[1] = parts.sums[1] / (kMaps - 1) * kMaps;
  parts.sums[0] *= kMaps;
  parts.sums[3] /= 2;
  parts.store(times);
}

// A box that L2 has been asked for before.
__global__ void prefetched(long long* times, const __grid_constant__ CUtensorMap map, int rows,
                           int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  Parts<3> parts;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    parts.begin();
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map),
                 "r"(0), "r"(round * rows)
                 : "memory");
    parts.end<0>();
    for (const long long begin = clock_now(); clock_now() - begin < 8000;) continue;
    parts.end<1>();
    expect_bytes(&barrier, unsigned(rows * 128));
    copy_box(shared, &map, &barrier, 0, round * rows);
    wait(&barrier, unsigned(round % 2));
    parts.end<2>();
  }
  parts.store(times);
}

// To all blocks of a cluster: from one, or a share from each; what block `seen` sees.
template <bool kFromAll>
__global__ void shared_out(long long* times, const __grid_constant__ CUtensorMap map, int copies,
                           int bytes, int rows, int rounds, int blocks, unsigned seen) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  Parts<3> parts;
  const unsigned all = (1u << blocks) - 1, rank = rank_in_cluster();
  meet_cluster();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) expect_bytes(&barrier, unsigned(copies * bytes));
    parts.begin();
    meet_cluster();
    parts.end<0>();
    if (threadIdx.x == 0) {
      if (kFromAll || rank == 0)
#pragma unroll 1
        for (int i = kFromAll ? int(rank) : 0; i < copies; i += kFromAll ? blocks : 1)
          copy_box_to_all(shared + i * bytes, &map, &barrier, 0, i * rows,
                          static_cast<unsigned short>(all));
      parts.end<1>();
      wait(&barrier, unsigned(round % 2));
      parts.end<2>();
    }
  }
  if (rank != seen) parts = {};
  if (threadIdx.x == 0) parts.store(times);
}

void ask_boxes(unsigned char* data, const Flush& flush) {
  constexpr int kRounds = 16, kRows = 1 << 21;
  constexpr double kShare = 1.0 / kRounds;
  const std::vector<std::string> parts = {"expect", "issue", "wait"};
  for (const int rows : {8, 64, 128}) {
    const CUtensorMap map = map_of(data, 3, 128, rows, kRows);
    const auto each = [&](const char* copies, auto kernel) {
      const std::string end = ".r" + std::to_string(rows) + copies;
      for (const int warps : {1, 2, 4})
        if (rows * warps <= 256)
          ask_parts("boxes" + end + ".w" + std::to_string(warps), parts, kernel, {1, 32 * warps},
                    kShare, map, rows * 128, rows, kRounds, 0);
      for (const unsigned blocks : {1u, 16u, 132u})
        ask_parts("far" + end + ".b" + std::to_string(blocks), parts, kernel,
                  {blocks, 32, 1, &flush}, kShare, map, rows * 128, rows, kRounds,
                  std::atoi(copies + 2) * rows);
      ask_parts("near" + end + ".b132", parts, kernel, {132, 32}, kShare, map, rows * 128, rows,
                kRounds, 0);
    };
    each(".x1", boxes<1>);
    each(".x2", boxes<2>);
    each(".x4", boxes<4>);
  }
  Maps all;
  for (CUtensorMap& each : all.of) each = map_of(data, 3, 128, 8, kRows);
  const std::vector<std::string> times = {"first", "others", "again", "known"};
  ask_parts("maps.plain", times, maps<false>, {1, 32}, 1.0 / kMaps, all);
  ask_parts("maps.plain.b132", times, maps<false>, {132, 32}, 1.0 / kMaps, all);
  ask_parts("maps.prefetched", times, maps<true>, {1, 32}, 1.0 / kMaps, all);
  for (const int rows : {8, 128})
    ask_parts("prefetched.r" + std::to_string(rows), {"issue", "", "copy"}, prefetched,
              {1, 32, 1, &flush}, kShare, map_of(data, 3, 128, rows, kRows), rows, kRounds);
  for (const int blocks : {2, 4})
    for (const int rows : {8, 64, 128}) {
      const std::string end = ".c" + std::to_string(blocks) + ".r" + std::to_string(rows);
      const CUtensorMap map = map_of(data, 3, 128, rows, kRows);
      const Shape shape{unsigned(blocks), 32, blocks};
      for (const unsigned seen : {0u, 1u}) {
        const auto each = [&](const std::string& name, auto kernel) {
          ask_parts(name + end + ".rank" + std::to_string(seen), {"meet", "issue", "wait"}, kernel,
                    shape, kShare * blocks, map, blocks, rows * 128, rows, kRounds, blocks, seen);
        };
        each("shared_out.one", shared_out<false>);
        each("shared_out.all", shared_out<true>);
      }
    }
}

// ---- boxes out of it: their issue, the wait

template <bool kAdds, bool kReads>
__global__ void leaving(long long* times, const __grid_constant__ CUtensorMap map, int copies,
                        int bytes, int rows, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  if (threadIdx.x != 0) return;
  Parts<4> parts;
  const int row = int(blockIdx.x) * copies * rows;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    parts.begin();
#pragma unroll 1
    for (int i = 0; i < copies; ++i)
      if (kAdds)
        add_box(&map, shared + i * bytes, 0, row + i * rows);
      else
        store_box(&map, shared + i * bytes, 0, row + i * rows);
    parts.end<0>();
    commit_stores();
    parts.end<1>();
    if (kReads)
      wait_for_reads();
    else
      wait_for_stores();
    parts.end<2>();
    wait_for_stores();
    parts.end<3>();
  }
  parts.store(times);
}

// A box is brought right behind one that is stored.
__global__ void both_ways(long long* times, const __grid_constant__ CUtensorMap map, int bytes,
                          int rows, int rounds, bool stores) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x != 0) return;
  make_barrier(&barrier, 1);
  publish_barriers();
  Parts<3> parts;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    expect_bytes(&barrier, unsigned(bytes));
    parts.begin();
    if (stores) store_box(&map, shared, 0, 0);
    commit_stores();
    parts.end<0>();
    copy_box(shared + bytes, &map, &barrier, 0, rows);
    wait(&barrier, unsigned(round % 2));
    parts.end<1>();
    wait_for_stores();
    parts.end<2>();
  }
  parts.store(times);
}

void ask_leaving(unsigned char* data) {
  constexpr int kRounds = 16, kRows = 1 << 21;
  for (const int rows : {8, 64, 128})
    for (const int copies : {1, 4})
      for (const unsigned blocks : {1u, 132u}) {
        const CUtensorMap map = map_of(data, 3, 128, rows, kRows);
        const std::string end = ".r" + std::to_string(rows) + ".x" + std::to_string(copies) + ".b" +
                                std::to_string(blocks);
        const auto each = [&](const char* name, auto kernel) {
          ask_parts(name + end, {"issue", "commit", "wait", "all"}, kernel, {blocks, 32},
                    1.0 / kRounds, map, copies, rows * 128, rows, kRounds);
        };
        each("leaving.stores.read", leaving<false, true>);
        each("leaving.stores.done", leaving<false, false>);
        each("leaving.adds.read", leaving<true, true>);
      }
  for (const bool stores : {false, true})
    ask_parts(stores ? "both_ways.store" : "both_ways.none", {"issue", "copy", "all"}, both_ways,
              {1, 32}, 1.0 / kRounds, map_of(data, 3, 128, 128, kRows), 128 * 128, 128, kRounds,
              stores);
}

// ---- barriers

// One warp arrives while others wait, all of their lanes or one each: from before the arrival to
// behind the wait of the first and of the last one.
template <bool kAllLanes>
__global__ void waiters(long long* times, int rounds) {
  __shared__ std::uint64_t barrier;
  __shared__ long long arrived, woken[16];
  const int warp = int(threadIdx.x) / 32, warps = int(blockDim.x) / 32;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  long long first = 0, last = 0, own = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    if (warp == 0) {
      for (const long long begin = clock_now(); clock_now() - begin < 1000;) continue;
      if (threadIdx.x == 0) {
        const long long begin = clock_now();
        arrive(&barrier);
        const long long end = clock_now();
        arrived = begin;
        own += end - begin;
      }
    } else if (kAllLanes || threadIdx.x % 32 == 0) {
      wait(&barrier, unsigned(round % 2));
      woken[warp] = clock_now();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      long long early = woken[1], late = woken[1];
      for (int i = 2; i < warps; ++i) {
        early = woken[i] < early ? woken[i] : early;
        late = woken[i] > late ? woken[i] : late;
      }
      first += early - arrived;
      last += late - arrived;
    }
  }
  if (threadIdx.x != 0) return;
  times[0] = own;
  times[1] = first;
  times[2] = last;
}

// Two blocks of a cluster by turns: the arrival over there and the wait here.
template <bool kAcquires>
__global__ void turns(long long* times, int rounds) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  meet_cluster();
  const unsigned own = rank_in_cluster();
  Parts<2> parts;
  const auto wait_here = [&](int round) {
    if (kAcquires)
      wait_for_cluster(&barrier, unsigned(round % 2));
    else
      wait(&barrier, unsigned(round % 2));
  };
  if (threadIdx.x == 0)
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      if (own == 1) wait_here(round);
      parts.begin();
      arrive_at_block(&barrier, 1 - own);
      parts.end<0>();
      if (own == 0) wait_here(round);
      parts.end<1>();
    }
  if (threadIdx.x == 0) parts.store(times);
  meet_cluster();
}

enum class Step {
  kArrive,
  kExpect,
  kArriveFar,
  kArriveOwnAsFar,
  kTest,
  kTestCluster,
  kFence,
  kStoreFence
};
template <Step step>
__global__ void steps(long long* times, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    make_barrier(&barrier, 1);
    publish_barriers();
  }
  meet_cluster();
  const unsigned own = rank_in_cluster();
  Parts<1> parts;
  if (threadIdx.x == 0 && own == 0)
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      parts.begin();
      if (step == Step::kArrive) arrive(&barrier);
      if (step == Step::kExpect) expect_bytes(&barrier, 0);
      if (step == Step::kArriveFar) arrive_at_block(&barrier, 1);
      if (step == Step::kArriveOwnAsFar) arrive_at_block(&barrier, 0);
      if (step == Step::kTest) wait(&barrier, 1);
      if (step == Step::kTestCluster) wait_for_cluster(&barrier, 1);
      if (step == Step::kStoreFence) *reinterpret_cast<volatile int*>(shared) = round;
      if (step == Step::kFence || step == Step::kStoreFence) show_to_copies();
      parts.end<0>();
    }
  if (threadIdx.x == 0) parts.store(times);
  meet_cluster();
}

template <bool kTakes>
__global__ void __launch_bounds__(128, 1) registers(long long* times, int rounds) {
  Parts<2> parts;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    parts.begin();
    give_registers_up<40>();
    parts.end<0>();
    take_registers<248>();
    parts.end<1>();
  }
  parts.store(times, threadIdx.x == 0);
}

void ask_barriers() {
  constexpr int kRounds = 64;
  for (const int warps : {2, 3, 5, 9}) {
    const std::string end = ".w" + std::to_string(warps - 1);
    const std::vector<std::string> parts = {"arrive", "first", "last"};
    ask_parts("waiters.lane" + end, parts, waiters<false>, {1, 32 * warps}, 1.0 / kRounds, kRounds);
    ask_parts("waiters.all" + end, parts, waiters<true>, {1, 32 * warps}, 1.0 / kRounds, kRounds);
  }
  ask_parts("turns.cluster", {"arrive", "wait"}, turns<true>, {2, 32, 2}, 1.0 / kRounds, kRounds);
  ask_parts("turns.block", {"arrive", "wait"}, turns<false>, {2, 32, 2}, 1.0 / kRounds, kRounds);
  const auto each = [&](const char* name, auto kernel) {
    ask(name, kernel, 2, 32, 2, 2.0 / kRounds, kRounds);
  };
  each("steps.arrive", steps<Step::kArrive>);
  each("steps.expect", steps<Step::kExpect>);
  each("steps.arrive_far", steps<Step::kArriveFar>);
  each("steps.arrive_own_as_far", steps<Step::kArriveOwnAsFar>);
  each("steps.test", steps<Step::kTest>);
  each("steps.test_cluster", steps<Step::kTestCluster>);
  each("steps.fence", steps<Step::kFence>);
  each("steps.store_fence", steps<Step::kStoreFence>);
  ask_parts("registers", {"give", "take"}, registers<true>, {1, 128}, 1.0 / kRounds, kRounds);
}

// ---- an arrival over there, which is a fence first, while something is on its way or has come

enum class Meanwhile {
  kNothing,
  kExpected,  // bytes of which none has come
  kOwn,       // boxes that the same thread has asked for
  kOther,     // that a thread of another warp has
  kOwnDone,   // after the wait for them
  kToAll,     // boxes to both blocks
  kToAllDone,
  kFromThere,  // that the other block has asked for
  kProducts,   // of the warp's group
  kProductsDone,
};
template <Meanwhile meanwhile>
__global__ void fenced(long long* times, const __grid_constant__ CUtensorMap map, int rounds) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t boxes_there, far;
  constexpr int kBoxes = 4, kBytes = 16384, kBoxRows = 128;
  constexpr bool kMulticasts = meanwhile == Meanwhile::kToAll ||
                               meanwhile == Meanwhile::kToAllDone ||
                               meanwhile == Meanwhile::kFromThere;
  constexpr bool kCopies = kMulticasts || meanwhile == Meanwhile::kOwn ||
                           meanwhile == Meanwhile::kOther || meanwhile == Meanwhile::kOwnDone;
  constexpr bool kMultiplies =
      meanwhile == Meanwhile::kProducts || meanwhile == Meanwhile::kProductsDone;
  const unsigned rank = rank_in_cluster(), asks = meanwhile == Meanwhile::kFromThere ? 1 : 0;
  const unsigned fences = meanwhile == Meanwhile::kOther ? 32 : 0;
  Product<128, false> product = {};
  const std::uint64_t a = matrix(shared), b = matrix(shared + 65536);
  if (threadIdx.x == 0) {
    make_barrier(&boxes_there, 1);
    make_barrier(&far, 1);
    publish_barriers();
  }
  Parts<3> parts;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0 && (kMulticasts || (kCopies && rank == 0)))
      expect_bytes(&boxes_there, kBoxes * kBytes);
    meet_cluster();
    for (const long long begin = clock_now(); clock_now() - begin < 4000;) continue;
    __syncthreads();
    if (kMultiplies) {
      begin_products();
#pragma unroll
      for (int i = 0; i < 4; ++i) product(a, b);
      commit_products();
      if (meanwhile == Meanwhile::kProductsDone) wait_for_products<0>();
    }
    if (kCopies && threadIdx.x == 0 && rank == asks)
#pragma unroll 1
      for (int i = 0; i < kBoxes; ++i)
        if (kMulticasts)
          copy_box_to_all(shared + i * kBytes, &map, &boxes_there, 0, i * kBoxRows, 3);
        else
          copy_box(shared + i * kBytes, &map, &boxes_there, 0, i * kBoxRows);
    if (threadIdx.x == fences && rank == 0) {
      if (meanwhile == Meanwhile::kOther || meanwhile == Meanwhile::kFromThere)
        for (const long long begin = clock_now(); clock_now() - begin < 600;) continue;
      if (meanwhile == Meanwhile::kOwnDone || meanwhile == Meanwhile::kToAllDone)
        wait(&boxes_there, unsigned(round % 2));
      if (meanwhile == Meanwhile::kExpected) expect_bytes(&boxes_there, 0);
      parts.begin();
      arrive_at_block(&far, 1);
      parts.end<0>();
    }
    if (kMultiplies) wait_for_products<0>();
    if (threadIdx.x == 0 && (kMulticasts || (kCopies && rank == 0)))
      wait(&boxes_there, unsigned(round % 2));
    if (threadIdx.x == fences && rank == 0) {
      parts.end<1>();
      meet_cluster();
      parts.end<2>();
    } else {
      meet_cluster();
    }
  }
  use(product.d, times);
  if (rank != 0) parts = {};
  parts.store(times, threadIdx.x == fences);
  meet_cluster();
}

void ask_fenced(unsigned char* data) {
  constexpr int kRounds = 16;
  const CUtensorMap map = map_of(data, 3, 128, 128, 1 << 21);
  const auto each = [&](const char* name, auto kernel) {
    ask_parts(name, {"arrive", "behind", "meet"}, kernel, {2, kGroup, 2}, 2.0 / kRounds, map,
              kRounds);
  };
  each("fenced.nothing", fenced<Meanwhile::kNothing>);
  each("fenced.expected", fenced<Meanwhile::kExpected>);
  each("fenced.own", fenced<Meanwhile::kOwn>);
  each("fenced.other", fenced<Meanwhile::kOther>);
  each("fenced.own_done", fenced<Meanwhile::kOwnDone>);
  each("fenced.to_all", fenced<Meanwhile::kToAll>);
  each("fenced.to_all_done", fenced<Meanwhile::kToAllDone>);
  each("fenced.from_there", fenced<Meanwhile::kFromThere>);
  each("fenced.products", fenced<Meanwhile::kProducts>);
  each("fenced.products_done", fenced<Meanwhile::kProductsDone>);
}

// ---- side by side: a warp group's products, and a warp that brings boxes

template <int kN>
__global__ void beside(long long* times, const __grid_constant__ CUtensorMap map, int products,
                       int copies) {
  extern __shared__ __align__(1024) unsigned char shared[];
  constexpr int kBytes = 16384, kRows = 128, kBoxes = 4;
  __shared__ std::uint64_t barrier;
  Product<kN, false> product = {};
  const std::uint64_t a = matrix(shared), b = matrix(shared + 65536);
  __syncthreads();
  const long long begin = clock_now();
  if (threadIdx.x < kGroup) {
#pragma unroll 1
    for (int round = 0; round < products; ++round) {
      begin_products();
#pragma unroll
      for (int i = 0; i < 8; ++i) product(a, b);
      commit_products();
      wait_for_products<0>();
    }
    use(product.d, times);
    if (threadIdx.x == 0) times[blockIdx.x] = clock_now() - begin;
  } else if (threadIdx.x == kGroup) {
    make_barrier(&barrier, 1);
    publish_barriers();
#pragma unroll 1
    for (int round = 0; round < copies; ++round) {
      expect_bytes(&barrier, kBoxes * kBytes);
#pragma unroll
      for (int i = 0; i < kBoxes; ++i)
        copy_box(shared + 98304 + i * kBytes, &map, &barrier, 0,
                 (int(blockIdx.x) * kBoxes + i) * kRows);
      wait(&barrier, unsigned(round % 2));
    }
    times[gridDim.x + blockIdx.x] = clock_now() - begin;
  }
}

void ask_beside(unsigned char* data) {
  const CUtensorMap map = map_of(data, 3, 128, 128, 1 << 21);
  const auto each = [&](const std::string& name, auto kernel) {
    for (const int copies : {0, 64})
      for (const unsigned blocks : {1u, 132u})
        ask_parts(name + ".copies" + std::to_string(copies) + ".b" + std::to_string(blocks),
                  {"products", "copies"}, kernel, {blocks, 160}, 1.0 / 64, map, 64, copies);
  };
  each("beside.32", beside<32>);
  each("beside.128", beside<128>);
}

}  // namespace

int main(int argc, char** argv) {
  asked.assign(argv + 1, argv + argc);
  print_header("async_units");
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  const Flush flush(std::size_t(properties.l2CacheSize));
  Buffer<unsigned char> data(std::size_t{1} << 28);
  ask_products();
  ask_boxes(data.data(), flush);
  ask_leaving(data.data());
  ask_barriers();
  ask_fenced(data.data());
  ask_beside(data.data());
}
