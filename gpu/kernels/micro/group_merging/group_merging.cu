// When do groups of a diverged warp that stand at the same instruction become one?
//
//   group_merging [CASE [WARPS [times]]]   every case, or this one, with WARPS warps (24)
//   group_merging list                     the names of the cases
//
// Every lane walks through a graph of blocks by random decisions of its own, so that groups of all
// sizes wait at a few places. At each step it stores the clock and the step's number; lanes that
// executed a step together have the same clock. A line of output is one warp: step:lanes for every
// group in the order of time. A model that has the rule right prints the same lines.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../../common/common.h"

constexpr int kSteps = 256;  // per lane, at most
constexpr unsigned kNothing = 0xffffffffu;

struct Walk {
  uint2* log;  // [warp][step][lane]
  unsigned seed;
  int bias;  // of 256: how often a decision is yes
};

#define BEGIN                                                                \
  const unsigned lane = threadIdx.x;                                         \
  uint2* log = a.log + size_t(blockIdx.x) * kSteps * 32 + lane;              \
  uint2* const log_end = log + (kSteps - 24) * 32;                           \
  unsigned x = (a.seed + blockIdx.x) * 2654435761u + lane * 40503u * 65537u; \
  x ^= x >> 15, x *= 0x85ebca6bu, x ^= x >> 13;                              \
  const unsigned bias = a.bias;                                              \
  (void)bias, (void)log_end
#define STEP(id)                                                 \
  do {                                                           \
    unsigned now_;                                               \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now_)::"memory"); \
    *log = make_uint2(now_, id);                                 \
    log += 32;                                                   \
  } while (0)
// A decision that hardware and model take alike.
#define DECIDE (x = x * 1664525u + 1013904223u, (x >> 20 & 255) < bias)
#define FULL (log >= log_end)

// A graph without inner barriers: every group executes each block by itself, or merged.
__global__ void graph(Walk a) {
  BEGIN;
  STEP(0);
b1:
  STEP(1);
  if (FULL) goto done;
  if (DECIDE) goto b3;
b2:
  STEP(2);
  if (DECIDE) goto b4;
  STEP(20);
  if (DECIDE) goto b1;
b3:
  STEP(3);
  if (DECIDE) goto b5;
b4:
  STEP(4);
  if (FULL) goto done;
  if (DECIDE) goto b2;
  STEP(40);
  if (DECIDE) goto b3;
b5:
  STEP(5);
  if (FULL) goto done;
  if (DECIDE) goto b1;
  if (x & 0x8000000) goto b4;
done:
  STEP(9);
}

// The same with little and with much work between the decisions.
__global__ void graph_busy(Walk a) {
  BEGIN;
  STEP(0);
b1:
  STEP(1);
  for (int i = 0; i < 40; ++i) x = x * x * 2 + x;
  if (FULL) goto done;
  if (DECIDE) goto b3;
b2:
  if (DECIDE) goto b4;
  STEP(20);
  if (DECIDE) goto b1;
b3:
  STEP(3);
  if (DECIDE) goto b5;
b4:
  STEP(4);
  for (int i = 0; i < 10; ++i) x = x * x * 2 + x;
  if (FULL) goto done;
  if (DECIDE) goto b2;
  if (DECIDE) goto b3;
b5:
  STEP(5);
  if (FULL) goto done;
  if (DECIDE) goto b1;
done:
  STEP(9);
}

// Blocks that hold a branch with a barrier of its own.
__global__ void graph_with_ifs(Walk a) {
  BEGIN;
  STEP(0);
b1:
  STEP(1);
  if (DECIDE) {
    STEP(11);
    STEP(12);
  }
  STEP(13);
  if (FULL) goto done;
  if (DECIDE) goto b3;
b2:
  STEP(2);
  if (DECIDE) goto b4;
  if (DECIDE) {
    STEP(21);
    if (DECIDE) {
      STEP(22);
      STEP(22);
    } else {
      STEP(23);
    }
    STEP(24);
  }
  STEP(25);
  if (DECIDE) goto b1;
b3:
  STEP(3);
  if (DECIDE) goto b5;
b4:
  STEP(4);
  if (FULL) goto done;
  if (DECIDE) goto b2;
  for (int i = 0; i < int(x >> 8 & 3); ++i) STEP(41);
  STEP(42);
  if (DECIDE) goto b3;
b5:
  STEP(5);
  if (FULL) goto done;
  if (DECIDE) goto b1;
done:
  STEP(9);
}

__global__ void loops(Walk a) {
  BEGIN;
  STEP(0);
  const unsigned rounds = x % 7;
  for (unsigned i = 0; i <= rounds; ++i) {
    STEP(1);
    if (DECIDE) continue;
#pragma unroll 1
    for (unsigned j = 0; j < 6; ++j) {
      STEP(2);
      if (DECIDE) continue;
      STEP(3);
      if (DECIDE) break;
      unsigned k = x >> 9 & 3;
      do {
        STEP(4);
        if (DECIDE) break;
        STEP(5);
      } while (k-- > 1);
      STEP(6);
    }
    STEP(7);
    if (FULL) break;
  }
  STEP(9);
}

// As loops, unrolled: code behind each way out of the inner loop stands at many places.
__global__ void loops_unrolled(Walk a) {
  BEGIN;
  STEP(0);
  const unsigned rounds = x % 7;
  for (unsigned i = 0; i <= rounds; ++i) {
    STEP(1);
#pragma unroll
    for (unsigned j = 0; j < 5; ++j) {
      if (DECIDE) continue;
      STEP(3);
      if (DECIDE) break;
      unsigned k = x >> 9 & 3;
#pragma unroll 1
      do {
        STEP(4);
        if (DECIDE) break;
      } while (k-- > 1);
      STEP(6);
    }
    STEP(7);
    if (FULL) break;
  }
  STEP(9);
}

// Lanes leave a search at several depths to a place behind all of it.
__global__ void leave_nest(Walk a) {
  BEGIN;
  STEP(0);
  for (int turn = 0; turn < 8 && !FULL; ++turn) {
    STEP(1);
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      STEP(2);
#pragma unroll 1
      for (int j = 0; j < 3; ++j) {
        STEP(3);
        if (DECIDE) goto out;
        if (x & 0x40000) {
          STEP(4);
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
    if (DECIDE) continue;
  out:
    STEP(8);
  }
  STEP(9);
}

__device__ __noinline__ uint2* descend(uint2* log, uint2* log_end, unsigned& x, unsigned bias,
                                       int depth) {
  STEP(10 + depth);
  if (depth > 0 && !FULL) {
    if (DECIDE) log = descend(log, log_end, x, bias, depth - 1);
    STEP(30 + depth);
    if (DECIDE) log = descend(log, log_end, x, bias, depth - 2 < 0 ? 0 : depth - 2);
  }
  STEP(50 + depth);
  return log;
}

__global__ void recursion(Walk a) {
  BEGIN;
  STEP(0);
  log = descend(log, log_end, x, bias, x >> 7 & 7);
  STEP(9);
}

__device__ __noinline__ uint2* count_down(uint2* log, int depth) {
  STEP(10 + depth);
  if (depth > 0) log = count_down(log, depth - 1);
  STEP(30 + depth);
  return log;
}

__global__ void recursion_simple(Walk a) {
  BEGIN;
  STEP(0);
  log = count_down(log, x >> 7 & 15);
  STEP(8);
  log = count_down(log, x >> 12 & 7);
  STEP(9);
}

// The same with long stretches of arithmetic on the way down and up.
__device__ __noinline__ uint2* count_down_slowly(uint2* log, int depth, unsigned& x) {
  STEP(10 + depth);
#pragma unroll 1
  for (int i = 0; i < 30; ++i) x = x * x * 2 + x;
  if (depth > 0) log = count_down_slowly(log, depth - 1, x);
  STEP(30 + depth);
#pragma unroll 1
  for (int i = 0; i < 30; ++i) x = x * x * 2 + x;
  return log;
}

__global__ void recursion_slow(Walk a) {
  BEGIN;
  STEP(0);
  const int depth = x >> 7 & 15;
  log = count_down_slowly(log, depth, x);
  STEP(9);
}

// Depths in regular patterns.
__global__ void recursion_regular(Walk a) {
  BEGIN;
  STEP(0);
  const unsigned pattern = blockIdx.x % 8, shift = blockIdx.x / 8 + 1;
  unsigned depth = lane >> shift;
  if (pattern & 1) depth = (31 - lane) >> shift;
  if (pattern & 2) depth = (lane * 5 % 32) >> shift;
  if (pattern & 4) depth = lane < bias / 8 ? depth : 0;
  log = count_down(log, int(depth));
  STEP(9);
}

// A branch to many places again and again.
__global__ void places(Walk a) {
  BEGIN;
  STEP(0);
  unsigned place = x >> 5 & 7, next;
  (void)DECIDE;
again:
  STEP(1);
  next = x >> 11 & 7;
  switch (place) {
    case 0:
      STEP(10);
      next ^= 1;
      break;
    case 1:
      STEP(11);
      STEP(11);
      next ^= 3;
      break;
    case 2:
      STEP(12);
      x ^= 77 << 8;
      if (!FULL && (x & 0x100000)) goto again;
      break;
    case 3:
      STEP(13);
      STEP(13);
      x *= 5;
      break;
    case 4:
      STEP(14);
      next = next / 2;
      if (x & 0x100000) goto done;
      break;
    case 5:
      STEP(15);
      x += 99;
      STEP(15);
      break;
    case 6:
      STEP(16);
      next = 7 - next;
      break;
    default:
      STEP(17);
      x ^= x >> 3;
      break;
  }
  STEP(2);
  place = next;
  x = x * 1664525u + 1013904223u;
  if (!FULL && (x >> 20 & 255) < bias) goto again;
done:
  STEP(9);
}

// Calls through pointers within a graph.
typedef uint2* (*Callee)(uint2*, unsigned);
__device__ __noinline__ uint2* left(uint2* log, unsigned id) {
  STEP(100 + id);
  return log;
}
__device__ __noinline__ uint2* right(uint2* log, unsigned id) {
  STEP(200 + id);
  if (id & 1) STEP(201);
  STEP(202);
  return log;
}
__device__ __noinline__ uint2* both(uint2* log, unsigned id) {
  STEP(300 + id);
  log = left(log, id);
  return right(log, id + 1);
}
__device__ Callee callees[4] = {left, right, both, left};

__global__ void calls(Walk a) {
  BEGIN;
  STEP(0);
again:
  STEP(1);
  if (DECIDE) {
    log = callees[x >> 9 & 3](log, 1);
    STEP(2);
  } else if (DECIDE) {
    log = both(log, 2);
    STEP(3);
    goto again;
  }
  if (!FULL && DECIDE) {
    log = right(log, 4);
    goto again;
  }
  STEP(9);
}

// Groups that meet at __syncwarp and at __syncthreads, in a loop that some leave.
__global__ void meetings(Walk a) {
  BEGIN;
  STEP(0);
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    STEP(1);
    if (DECIDE) {
      STEP(2);
      if (DECIDE) STEP(3);
    } else if (DECIDE) {
      STEP(4);
    }
    __syncwarp();
    STEP(5);
    for (unsigned j = x >> 9 & 3; j > 0; --j) STEP(6);
    __syncthreads();
    STEP(7);
    if ((x >> 13 & 15) == 0) return;
  }
  STEP(9);
}

// Code that yields: a loop that could spin; and in -G builds every atomic operation.
__global__ void yields(Walk a) {
  BEGIN;
  STEP(0);
  volatile unsigned* const zero =
      reinterpret_cast<unsigned*>(a.log + size_t(gridDim.x) * kSteps * 32);
again:
  STEP(1);
  if (DECIDE) {
    STEP(2);
    unsigned turns = x >> 10 & 3;
#pragma unroll 1
    while (*zero == 0 && turns-- != 0) STEP(3);
    STEP(4);
  } else if (x & 0x80000) {
    STEP(5);
    if (DECIDE) STEP(6);
  }
  STEP(7);
  if (!FULL && DECIDE) goto again;
  STEP(9);
}

__global__ void atomics(Walk a) {
  BEGIN;
  STEP(0);
  int* const counter = reinterpret_cast<int*>(a.log + size_t(gridDim.x) * kSteps * 32 + 8);
again:
  STEP(1);
  if (DECIDE) {
    STEP(2);
    atomicAdd(counter + lane, 1);
    STEP(3);
    if (DECIDE) STEP(4);
  }
  STEP(5);
  for (int i = x >> 9 & 3; i > 0; --i) {
    if (DECIDE) atomicMax(counter + 32 + lane, i);
    STEP(6);
  }
  if (!FULL && DECIDE) goto again;
  STEP(9);
}

struct Named {
  const char* name;
  void (*kernel)(Walk);
};
static const Named cases[] = {
    {"graph", graph},
    {"graph_busy", graph_busy},
    {"graph_with_ifs", graph_with_ifs},
    {"loops", loops},
    {"loops_unrolled", loops_unrolled},
    {"leave_nest", leave_nest},
    {"recursion", recursion},
    {"recursion_simple", recursion_simple},
    {"places", places},
    {"calls", calls},
    {"meetings", meetings},
    {"recursion_slow", recursion_slow},
    {"recursion_regular", recursion_regular},
    {"yields", yields},
    {"atomics", atomics},
};

static void show(const Named& named, unsigned warps, int bias, bool times) {
  const size_t entries = size_t(warps) * kSteps * 32;
  std::vector<uint2> seen(entries, make_uint2(0, kNothing));
  uint2* log;
  CHECK(cudaMalloc(&log, entries * sizeof(uint2) + 1024));
  CHECK(cudaMemset(log + entries, 0, 1024));
  CHECK(cudaMemcpy(log, seen.data(), entries * sizeof(uint2), cudaMemcpyHostToDevice));
  named.kernel<<<warps, 32>>>({log, 7u * unsigned(bias), bias});
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(seen.data(), log, entries * sizeof(uint2), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(log));
  for (unsigned warp = 0; warp < warps; ++warp) {
    const uint2* mine = &seen[size_t(warp) * kSteps * 32];
    const unsigned start = mine[0].x;
    std::map<std::pair<unsigned, unsigned>, unsigned> groups;  // (time, step) -> lanes
    for (int lane = 0; lane < 32; ++lane)
      for (int step = 0; step < kSteps && mine[step * 32 + lane].y != kNothing; ++step)
        groups[{mine[step * 32 + lane].x - start, mine[step * 32 + lane].y}] |= 1u << lane;
    printf("%s %d %u |", named.name, bias, warp);
    for (const auto& [key, lanes] : groups) {
      printf(" %u:%x", key.second, lanes);
      if (times) printf("@%u", key.first);
    }
    printf("\n");
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "list") == 0) {
    for (const Named& named : cases) printf("%s\n", named.name);
    return EXIT_SUCCESS;
  }
  const char* wanted = argc > 1 ? argv[1] : "";
  const unsigned warps = argc > 2 ? unsigned(atoi(argv[2])) : 24;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  for (const Named& named : cases) {
    if (*wanted != 0 && strcmp(named.name, wanted) != 0) continue;
    for (const int bias : {40, 100, 150, 200}) show(named, warps, bias, argc > 3);
  }
  return EXIT_SUCCESS;
}
