// Which groups merge where code yields, where it synchronises lanes, and under a profiler's patches.
//
//   group_walks CASE [WARPS [BIAS [times]]]   one launch of this case
//   group_walks list                  the names of the cases
//
// As in group_merging every lane walks by random decisions of its own and stores the clock and the
// step's number at each step; a line of output is one warp: step:lanes for every group in the order
// of time. Built with -DSHARED_LOG the steps are kept in shared memory until the lane ends, so that
// the logging itself accesses no memory that patches count.
//
// pmevent stands for YIELD, which PTX does not have: put_yields.py writes it into the executable
// (built with -no-compress). h200.O3.txt.zst and h200.G.txt.zst hold four warps of each case, bias
// 100, as an H200 printed them (driver 580.159.04, CUDA 13.0.88, 2026-11-22):
//
//   nvcc -std=c++17 -arch=sm_90 -cudart shared -O3 -no-compress -o group_walks group_walks.cu
//   ./put_yields.py group_walks
//   heddle run --reconvergence barriers -- ./group_walks graph_yield1 24 100
#include <cstring>
#include <map>
#include <vector>

#include "../../common/common.h"

constexpr int kSteps = 192;  // per lane, at most
constexpr unsigned kNothing = 0xffffffffu;

struct Walk {
  uint2* log;  // [warp][step][lane]
  unsigned* spare;
  unsigned seed;
  int bias;  // of 256: how often a decision is yes
#ifdef STATES
  uint4* states;  // [warp][step][lane][2]
#endif
};

// With -DSTATES each step also keeps eight registers, for which put_states.py writes reads of the
// warp's scheduling state (in turn, in the order of the code).
#ifdef STATES
__device__ __forceinline__ void keep_states(uint4* to) {
  uint4 one, two;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(one.x)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(one.y)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(one.z)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(one.w)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(two.x)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(two.y)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(two.z)::"memory");
  asm volatile("mov.u32 %0, %%smid;" : "=r"(two.w)::"memory");
  to[0] = one;
  to[1] = two;
}
#define KEEP_STATES keep_states(states), states += 64
#define STATES_START uint4* states = a.states + (size_t(blockIdx.x) * kSteps * 32 + threadIdx.x) * 2
#else
#define KEEP_STATES (void)0
#define STATES_START (void)0
#endif

#ifdef SHARED_LOG
extern __shared__ uint2 kept[];
#define LOG_START kept + lane
#define KEEP                                                               \
  do {                                                                     \
    uint2* to = a.log + size_t(blockIdx.x) * kSteps * 32 + lane;           \
    for (uint2* at = kept + lane; at < log; at += 32, to += 32) *to = *at; \
  } while (0)
#else
#define LOG_START a.log + size_t(blockIdx.x) * kSteps * 32 + lane
#define KEEP
#endif

#define BEGIN                                                                \
  const unsigned lane = threadIdx.x;                                         \
  uint2* log = LOG_START;                                                    \
  uint2* const log_end = log + (kSteps - 24) * 32;                           \
  unsigned x = (a.seed + blockIdx.x) * 2654435761u + lane * 40503u * 65537u; \
  x ^= x >> 15, x *= 0x85ebca6bu, x ^= x >> 13;                              \
  const unsigned bias = a.bias;                                              \
  STATES_START;                                                              \
  (void)bias, (void)log_end
#define STEP(id)                                                 \
  do {                                                           \
    unsigned now_;                                               \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now_)::"memory"); \
    *log = make_uint2(now_, id);                                 \
    log += 32;                                                   \
    KEEP_STATES;                                                 \
  } while (0)
#define DECIDE (x = x * 1664525u + 1013904223u, (x >> 20 & 255) < bias)
#define FULL (log >= log_end)
#define YIELD asm volatile("pmevent 7;" ::: "memory")
#define ACCESS asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a.spare + lane) : "memory")

// Lanes diverge that many ways and take turns; none waits for another.
#define ARM(i)                                   \
  if (place == i) {                              \
    for (int turn = x >> 12 & 7; turn; --turn) { \
      STEP(10 + i);                              \
      YIELD;                                     \
    }                                            \
    STEP(20 + i);                                \
    KEEP;                                        \
    return;                                      \
  }
template <unsigned kWays>
__global__ void turns(Walk a) {
  BEGIN;
  const unsigned place = (x >> 7) % kWays;
  STEP(0);
  ARM(0) ARM(1) ARM(2) ARM(3) ARM(4)
}

// A graph of blocks; bit i of kYields: block i yields. kEnds: lanes end where they leave it.
#define MAYBE(i) \
  if (kYields >> i & 1) YIELD
#define LEAVE(id) \
  if (kEnds) {    \
    STEP(id);     \
    KEEP;         \
    return;       \
  }               \
  goto done
template <unsigned kYields, bool kEnds>
__global__ void graph(Walk a) {
  BEGIN;
  STEP(0);
b1:
  MAYBE(1);
  STEP(1);
  if (FULL) {
    LEAVE(91);
  }
  if (DECIDE) goto b3;
b2:
  MAYBE(2);
  STEP(2);
  if (DECIDE) goto b4;
  STEP(20);
  if (DECIDE) goto b1;
b3:
  STEP(3);
  MAYBE(3);
  if (DECIDE) goto b5;
b4:
  MAYBE(4);
  STEP(4);
  if (FULL) {
    LEAVE(92);
  }
  if (DECIDE) goto b2;
  STEP(40);
  if (DECIDE) goto b3;
b5:
  STEP(5);
  MAYBE(5);
  if (FULL) {
    LEAVE(93);
  }
  if (DECIDE) goto b1;
  if (x & 0x8000000) goto b4;
  if (kEnds && (x & 0x4000000)) {
    LEAVE(94);
  }
done:
  STEP(9);
  KEEP;
}

// Branches with barriers of their own, in a loop.
template <unsigned kYields>
__global__ void ifs(Walk a) {
  BEGIN;
  STEP(0);
again:
  MAYBE(0);
  STEP(1);
  if (DECIDE) {
    STEP(2);
    MAYBE(1);
    if (x & 0x40000) {
      STEP(3);
      MAYBE(2);
      STEP(4);
    } else {
      STEP(5);
      MAYBE(3);
    }
    STEP(6);
    MAYBE(4);
  } else {
    STEP(7);
    MAYBE(5);
    for (unsigned turn = x >> 9 & 3; turn; --turn) {
      STEP(8);
      MAYBE(6);
    }
    STEP(10);
  }
  STEP(11);
  MAYBE(7);
  if (!FULL && (DECIDE || (x & 0x80000))) goto again;
  STEP(9);
  KEEP;
}

// Loops with ways out of them (BREAK).
template <unsigned kYields>
__global__ void nest(Walk a) {
  BEGIN;
  STEP(0);
  for (int turn = 0; turn < 5 && !FULL; ++turn) {
    STEP(1);
    MAYBE(0);
#pragma unroll 1
    for (int i = 0; i < 3; ++i) {
      STEP(2);
      MAYBE(1);
#pragma unroll 1
      for (int j = 0; j < 3; ++j) {
        STEP(3);
        MAYBE(2);
        if (DECIDE) goto out;
        if (x & 0x40000) {
          STEP(4);
          MAYBE(3);
          if (DECIDE) goto out;
          STEP(5);
        }
      }
      if (DECIDE) goto other;
    }
    STEP(6);
    continue;
  other:
    STEP(7);
    MAYBE(4);
    if (DECIDE) continue;
  out:
    STEP(8);
    MAYBE(5);
  }
  STEP(9);
  KEEP;
}

// Lanes of a warp meet at one of several places once a round. kWhat: how.
enum class Meet { warp, halves, quarters, shuffle, vote, reduce };
template <Meet kWhat>
__device__ __forceinline__ void meet(unsigned& x) {
  const unsigned lane = threadIdx.x;
  if (kWhat == Meet::warp) __syncwarp();
  if (kWhat == Meet::halves) __syncwarp(0xffffu << (lane & 16));
  if (kWhat == Meet::quarters) __syncwarp(0xffu << (lane & 24));
  if (kWhat == Meet::shuffle) x ^= __shfl_xor_sync(~0u, x, 1) & 0x300;
  if (kWhat == Meet::vote) x ^= __ballot_sync(~0u, x & 0x2000) & 0x300;
  if (kWhat == Meet::reduce) x ^= __reduce_add_sync(~0u, x) & 0x300;
}

template <Meet kWhat, unsigned kYields>
__global__ void places(Walk a) {
  BEGIN;
  STEP(0);
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    STEP(1);
    MAYBE(0);
    if (DECIDE) {
      STEP(2);
      if (DECIDE) {
        STEP(3);
        MAYBE(1);
        meet<kWhat>(x);
        STEP(4);
        if (x & 0x80000) ACCESS;
        STEP(5);
      } else {
        STEP(6);
        meet<kWhat>(x);
        STEP(7);
        MAYBE(2);
      }
      STEP(8);
    } else {
      STEP(10);
      if (x & 0x40000) {
        ACCESS;
        STEP(11);
      }
      meet<kWhat>(x);
      STEP(12);
    }
    STEP(13);
    for (unsigned turn = x >> 9 & 3; turn; --turn) STEP(14);
  }
  STEP(9);
  KEEP;
}

#ifndef STATES
// The same behind calls.
template <Meet kWhat>
__device__ __noinline__ uint2* inner(uint2* log, unsigned& x, unsigned id) {
  STEP(30 + id);
  if (x & 0x100000) STEP(40 + id);
  meet<kWhat>(x);
  STEP(50 + id);
  return log;
}
template <Meet kWhat>
__device__ __noinline__ uint2* outer(uint2* log, unsigned& x, unsigned bias, unsigned id) {
  STEP(60 + id);
  if (DECIDE) {
    log = inner<kWhat>(log, x, 3);
    STEP(70 + id);
  } else {
    STEP(80 + id);
    log = inner<kWhat>(log, x, 4);
  }
  STEP(90 + id);
  return log;
}
template <Meet kWhat>
__global__ void calls(Walk a) {
  BEGIN;
  STEP(0);
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
    STEP(1);
    if (DECIDE) {
      STEP(2);
      if (DECIDE)
        log = inner<kWhat>(log, x, 1);
      else
        log = outer<kWhat>(log, x, bias, 1);
      STEP(3);
    } else if (x & 0x80000) {
      log = outer<kWhat>(log, x, bias, 2);
      STEP(4);
    } else {
      meet<kWhat>(x);
      STEP(5);
    }
    STEP(6);
    for (unsigned turn = x >> 9 & 3; turn; --turn) STEP(7);
  }
  STEP(9);
  KEEP;
}

#endif

// Lanes leave a loop of meetings for good, with a fence on the way.
__global__ void leaving(Walk a) {
  BEGIN;
  STEP(0);
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
    STEP(1);
    if (DECIDE) {
      STEP(2);
      __threadfence();
      if (x & 0x40000) STEP(3);
    }
    STEP(4);
    if ((x >> 13 & 7) == 0) {
      STEP(5);
      __threadfence();
      KEEP;
      return;
    }
    STEP(6);
  }
  STEP(9);
  KEEP;
}

struct Named {
  const char* name;
  void (*kernel)(Walk);
};
static const Named cases[] = {
    {"turns2", turns<2>},
    {"turns3", turns<3>},
    {"turns5", turns<5>},
    {"graph", graph<0, false>},
    {"graph_ends", graph<0, true>},
    {"graph_yield1", graph<2, false>},
    {"graph_yield2", graph<4, true>},
    {"graph_yield135", graph<0x2a, false>},
    {"graph_yields", graph<0x3e, false>},
    {"graph_yields_ends", graph<0x3e, true>},
    {"ifs", ifs<0>},
    {"ifs_yield0", ifs<1>},
    {"ifs_yield2", ifs<4>},
    {"ifs_yield6", ifs<0x40>},
    {"ifs_yield135", ifs<0x2a>},
    {"ifs_yields", ifs<0xff>},
    {"nest", nest<0>},
    {"nest_yield1", nest<2>},
    {"nest_yield3", nest<8>},
    {"nest_yields", nest<0x3f>},
    {"places_warp", places<Meet::warp, 0>},
    {"places_halves", places<Meet::halves, 0>},
    {"places_quarters", places<Meet::quarters, 0>},
    {"places_shuffle", places<Meet::shuffle, 0>},
    {"places_vote", places<Meet::vote, 0>},
    {"places_reduce", places<Meet::reduce, 0>},
    {"places_yields", places<Meet::warp, 7>},
#ifndef STATES
    {"calls_warp", calls<Meet::warp>},
    {"calls_halves", calls<Meet::halves>},
    {"calls_shuffle", calls<Meet::shuffle>},
#endif
    {"leaving", leaving},
};

static void show(const Named& named, unsigned warps, int bias, bool times) {
  const size_t entries = size_t(warps) * kSteps * 32;
  std::vector<uint2> seen(entries, make_uint2(0, kNothing));
  uint2* log;
  unsigned* spare;
  CHECK(cudaMalloc(&log, entries * sizeof(uint2)));
  CHECK(cudaMalloc(&spare, 1024));
  CHECK(cudaMemset(spare, 0, 1024));
  CHECK(cudaMemcpy(log, seen.data(), entries * sizeof(uint2), cudaMemcpyHostToDevice));
  size_t shared = 0;
#ifdef SHARED_LOG
  shared = kSteps * 32 * sizeof(uint2);
  CHECK(cudaFuncSetAttribute(named.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
#endif
  Walk walk{log, spare, 7u * unsigned(bias), bias};
#ifdef STATES
  std::vector<unsigned> states(entries * 8);
  CHECK(cudaMalloc(&walk.states, states.size() * sizeof(unsigned)));
#endif
  named.kernel<<<warps, 32, shared>>>(walk);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(seen.data(), log, entries * sizeof(uint2), cudaMemcpyDeviceToHost));
#ifdef STATES
  CHECK(cudaMemcpy(states.data(), walk.states, states.size() * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
#endif
  for (unsigned warp = 0; warp < warps; ++warp) {
    const uint2* mine = &seen[size_t(warp) * kSteps * 32];
    const unsigned start = mine[0].x;
    std::map<std::pair<unsigned, unsigned>, unsigned> groups;  // (time, step) -> lanes
    std::map<std::pair<unsigned, unsigned>, size_t> places;    // -> where its states are
    for (int lane = 0; lane < 32; ++lane)
      for (int step = 0; step < kSteps && mine[step * 32 + lane].y != kNothing; ++step) {
        const std::pair key(mine[step * 32 + lane].x - start, mine[step * 32 + lane].y);
        groups[key] |= 1u << lane;
        places[key] = ((size_t(warp) * kSteps + step) * 32 + lane) * 8;
      }
    printf("%s %d %u |", named.name, bias, warp);
    for (const auto& [key, lanes] : groups) {
      printf(" %u:%x", key.second, lanes);
      if (times) printf("@%u", key.first);
#ifdef STATES
      for (int i = 0; i < 8; ++i) printf("%c%x", i == 0 ? '{' : ',', states[places[key] + i]);
      printf("}");
#endif
    }
    printf("\n");
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "list";
  for (const Named& named : cases)
    if (strcmp(wanted, "list") == 0)
      printf("%s\n", named.name);
    else if (strcmp(wanted, named.name) == 0)
      show(named, argc > 2 ? unsigned(atoi(argv[2])) : 24, argc > 3 ? atoi(argv[3]) : 100,
           argc > 4);
  return EXIT_SUCCESS;
}
