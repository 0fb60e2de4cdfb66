// In which order do the groups of a diverged warp run?
//
//   divergence_order [CASE [brief]]   all cases, or this one; brief: with one choice of masks
//   divergence_order list             the names of the cases
//
// Every lane keeps a log: at each step it stores the clock and the step's number. Lanes that
// executed a step together have the same clock, so that the log shows groups and their order;
// storing does not wait for anything. (A step is made long enough not to be predicated.) Each line
// of output is one launch of one block: the case, its two lane masks and its mode, then step:mask
// for every group in the order of time. `+` before a step: more than 200 cycles after the one
// before it.
//
// Which side of a branch is the taken one is to be read from the listing (nvdisasm -c): a step's
// number appears there as an immediate.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../../common/common.h"

constexpr int kSteps = 160;  // per lane, at most
constexpr unsigned kNothing = 0xffffffffu;

struct Case {
  uint4* log;      // [warp][step][lane]
  unsigned m, m2;  // lane masks
  int mode;
  volatile int* memory;  // zeros
};

#define BEGIN                                                 \
  const unsigned lane = threadIdx.x % 32;                     \
  uint4* log = a.log + threadIdx.x / 32 * kSteps * 32 + lane; \
  const bool p = a.m >> lane & 1, q = a.m2 >> lane & 1;       \
  (void)p, (void)q;
#define STEP(id)                                                      \
  do {                                                                \
    unsigned now;                                                     \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");       \
    unsigned work_ = now;                                             \
    for (int i_ = 0; i_ < 8; ++i_) work_ = work_ * work_ + now; \
    *log = make_uint4(now, id, work_, 0);                             \
    log += 32;                                                        \
  } while (0)

__global__ void if_only(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(2);
  }
  STEP(9);
}

__global__ void if_else(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(2);
  } else {
    STEP(3);
    STEP(4);
  }
  STEP(9);
}

__global__ void if_else_unlikely(Case a) {
  BEGIN STEP(0);
  if (__builtin_expect(p, 0)) {
    STEP(1);
    STEP(2);
  } else {
    STEP(3);
    STEP(4);
  }
  STEP(9);
}

// Branches as they stand: lanes of m are taken to the block behind, then to the block in front.
#define PTX_STEP(id)                    \
  "mov.u32 t, %%clock;\n"               \
  "st.global.v2.u32 [%0], {t, " #id     \
  "};\n"                                \
  "mov.u32 t, %%clock;\n"               \
  "st.global.v2.u32 [%0+512], {t, " #id \
  "};\n"                                \
  "st.global.u32 [%0+8], t;\n"          \
  "st.global.u32 [%0+520], t;\n"        \
  "st.global.u32 [%0+12], 1;\n"         \
  "st.global.u32 [%0+524], 1;\n"
__global__ void ptx_forward(Case a) {
  BEGIN STEP(0);
  asm volatile(
      "{ .reg .u32 t; .reg .pred c; setp.ne.u32 c, %1, 0;\n"
      "@c bra TAKEN;\n" PTX_STEP(3) "bra JOIN;\nTAKEN:\n" PTX_STEP(1) "JOIN:\n}" ::"l"(log),
      "r"(unsigned(p))
      : "memory");
  log += 64;
  STEP(9);
}
__global__ void ptx_backward(Case a) {
  BEGIN STEP(0);
  asm volatile(
      "{ .reg .u32 t; .reg .pred c; setp.ne.u32 c, %1, 0;\n"
      "bra START;\nTAKEN:\n" PTX_STEP(1) "bra JOIN;\n"
      "START: @c bra TAKEN;\n" PTX_STEP(3) "JOIN:\n}" ::"l"(log), "r"(unsigned(p))
      : "memory");
  log += 64;
  STEP(9);
}

__global__ void nested_if(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    if (q) {
      STEP(2);
      STEP(3);
    } else {
      STEP(4);
      STEP(5);
    }
    STEP(6);
  } else {
    STEP(11);
    if (q) {
      STEP(12);
      STEP(13);
    } else {
      STEP(14);
      STEP(15);
    }
    STEP(16);
  }
  STEP(99);
}

__global__ void nested_three(Case a) {
  BEGIN STEP(0);
  if (lane & 1) {
    STEP(1);
    if (lane & 2) {
      STEP(2);
      if (lane & 4) {
        STEP(3);
        STEP(3);
      } else {
        STEP(4);
        STEP(4);
      }
      STEP(5);
    }
    STEP(6);
  } else {
    STEP(11);
    if (lane & 2) {
      STEP(12);
    } else {
      STEP(13);
      if (lane & 4) {
        STEP(14);
        STEP(14);
      } else {
        STEP(15);
        STEP(15);
      }
      STEP(16);
    }
    STEP(17);
  }
  STEP(99);
}

// Two conditions that leave to the same place.
__global__ void short_circuit(Case a) {
  BEGIN STEP(0);
  if (p && a.memory[lane] == 0 && q) {
    STEP(1);
    STEP(2);
  } else {
    STEP(3);
    STEP(4);
  }
  STEP(9);
}

__device__ __forceinline__ int trips_of(int mode, unsigned lane) {
  switch (mode) {
    case 0:
      return lane % 4;
    case 1:
      return 3 - lane % 4;
    case 2:
      return lane == 0 ? 4 : 1;
    case 3:
      return lane == 31 ? 4 : 1;
    case 4:
      return lane == 0 ? 1 : 4;
    default:
      return lane * 7 % 5;
  }
}

__global__ void loop_trips(Case a) {
  BEGIN const int trips = trips_of(a.mode, lane);
  STEP(0);
#pragma unroll 1
  for (int i = 0; i < trips; ++i) STEP(10 + i);
  STEP(99);
}

__global__ void do_while_trips(Case a) {
  BEGIN const int trips = trips_of(a.mode, lane);
  int i = 0;
  STEP(0);
#pragma unroll 1
  do STEP(10 + i);
  while (++i < trips);
  STEP(99);
}

__global__ void loop_with_if(Case a) {
  BEGIN STEP(0);
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    if ((a.m >> lane ^ i) & 1) {
      STEP(10 + i);
      STEP(10 + i);
    } else {
      STEP(20 + i);
      STEP(20 + i);
    }
  }
  STEP(99);
}

__global__ void loop_with_if_no_else(Case a) {
  BEGIN STEP(0);
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    if ((lane & ((2 << i) - 1)) == 0) {
      STEP(10 + i);
      STEP(10 + i);
    }
    STEP(30 + i);
  }
  STEP(99);
}

__global__ void loop_break_continue(Case a) {
  BEGIN STEP(0);
  int i = 0;
#pragma unroll 1
  while (true) {
    ++i;
    STEP(10 + i);
    if (i == int(lane % 4) + 1) {
      STEP(20 + i);
      STEP(20 + i);
      break;
    }
    if ((lane >> 2 & 1) == (i & 1)) {
      STEP(30 + i);
      continue;
    }
    STEP(40 + i);
    STEP(40 + i);
  }
  STEP(99);
}

__global__ void nested_loops(Case a) {
  BEGIN STEP(0);
#pragma unroll 1
  for (int i = 0; i < int(lane % 3) + 1; ++i) {
#pragma unroll 1
    for (int j = 0; j < int(lane / 3 % 2) + 1; ++j) STEP(10 * (i + 1) + j);
    STEP(10 * (i + 1) + 9);
  }
  STEP(99);
}

__global__ void jump_table(Case a) {
  BEGIN unsigned selector = 0;
  switch (a.mode) {
    case 0:
      selector = lane % 8;
      break;
    case 1:
      selector = 7 - lane % 8;
      break;
    case 2:
      selector = lane * 5 % 8;
      break;
    case 3:
      selector = lane < 24 ? 6 : lane % 8;
      break;
    case 4:
      selector = lane == 13 ? 2 : 5;
      break;
    default:
      selector = lane % 11;
      break;
  }
  STEP(0);
  switch (selector) {
    case 0:
      STEP(10);
      a.memory[lane] = 3;
      break;
    case 1:
      STEP(11);
      a.memory[lane + 32] = 1;
      STEP(11);
      break;
    case 2:
      STEP(12);
      a.memory[lane + 5] = 4;
      STEP(12);
      break;
    case 3:
      STEP(13);
      a.memory[lane + 64] = 1;
      break;
    case 4:
      STEP(14);
      a.memory[lane] = 5;
      STEP(14);
      break;
    case 5:
      STEP(15);
      a.memory[lane + 1] = 9;
      STEP(15);
      break;
    case 6:
      STEP(16);
      a.memory[lane + 9] = 2;
      break;
    case 7:
      STEP(17);
      a.memory[lane] = 6;
      STEP(17);
      break;
    default:
      STEP(18);
      break;
  }
  STEP(99);
}

__global__ void early_return(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(1);
    return;
  }
  STEP(2);
  if (q) {
    STEP(3);
    STEP(3);
    return;
  }
  STEP(4);
  STEP(99);
}

__global__ void return_in_nest(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    if (q) {
      STEP(2);
      STEP(2);
      return;
    }
    STEP(3);
  } else {
    STEP(4);
    if (q) {
      STEP(5);
      STEP(5);
      return;
    }
    STEP(6);
  }
  STEP(99);
}

__global__ void return_in_loop(Case a) {
  BEGIN STEP(0);
#pragma unroll 1
  for (int i = 0; i < 5; ++i) {
    STEP(10 + i);
    if (int(lane % 6) == i) {
      STEP(20 + i);
      STEP(20 + i);
      return;
    }
  }
  STEP(99);
}

__global__ void syncwarp_full_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    __syncwarp();
    STEP(2);
    STEP(2);
  } else {
    STEP(3);
    __syncwarp();
    STEP(4);
    STEP(4);
  }
  STEP(9);
}

__global__ void syncwarp_own_mask(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    __syncwarp(a.m);
    STEP(2);
    STEP(2);
  } else {
    STEP(3);
    __syncwarp(~a.m);
    STEP(4);
    STEP(4);
  }
  STEP(9);
}

// A barrier between arms split once more.
__global__ void syncwarp_sub(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    if (q) {
      STEP(2);
      STEP(2);
    } else {
      STEP(3);
      STEP(3);
    }
    __syncwarp(a.m);
    STEP(4);
  } else {
    STEP(5);
    if (q) {
      STEP(6);
      STEP(6);
    } else {
      STEP(7);
      STEP(7);
    }
    __syncwarp(~a.m);
    STEP(8);
  }
  STEP(9);
}

__global__ void syncwarp_after_if(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(1);
  }
  __syncwarp();
  STEP(2);
  if (q) {
    STEP(3);
    STEP(3);
  } else {
    STEP(4);
    STEP(4);
  }
  __syncwarp();
  STEP(9);
}

__global__ void shuffle_in_arms(Case a) {
  BEGIN STEP(0);
  int x = lane;
  if (p) {
    STEP(1);
    x = __shfl_xor_sync(a.m, x, 1);
    STEP(2);
  } else {
    STEP(3);
    x = __shfl_xor_sync(~a.m, x, 2);
    STEP(4);
  }
  a.memory[lane] = x;
  STEP(9);
}

__global__ void ballot_after_if(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(1);
  }
  const unsigned votes = __ballot_sync(0xffffffffu, q);
  STEP(2);
  a.memory[lane] = votes;
  STEP(9);
}

// Not allowed, and seen to hang: the barrier is never met.
__global__ void syncthreads_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    __syncthreads();
    STEP(2);
    STEP(2);
  } else {
    STEP(3);
    __syncthreads();
    STEP(4);
    STEP(4);
  }
  STEP(9);
}

__global__ void syncthreads_after_if(Case a) {
  BEGIN STEP(0);
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    if ((lane & ((2 << i) - 1)) == 0) {
      STEP(10 + i);
      STEP(10 + i);
    }
    __syncthreads();
    STEP(30 + i);
  }
  STEP(99);
}

// bar.sync as PTX has it, where ptxas may see divergence.
__global__ void bar_sync_after_if(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    STEP(1);
  }
  asm volatile("barrier.sync 0;" ::: "memory");
  STEP(2);
  asm volatile("bar.warp.sync -1;" ::: "memory");
  STEP(9);
}

// A lock taken lane by lane; the critical section inside the branch.
__global__ void lock_inside(Case a) {
  BEGIN STEP(0);
  bool done = !p;
  int tries = 0;
#pragma unroll 1
  while (!done) {
    ++tries;
    if (atomicCAS((int*)a.memory, 0, 1) == 0) {
      STEP(1000 + tries);
      a.memory[1] = a.memory[1] + 1;
      __threadfence();
      atomicExch((int*)a.memory, 0);
      done = true;
    }
  }
  STEP(99);
}

// The form that never ended before lanes had their own program counters.
__global__ void lock_outside(Case a) {
  BEGIN STEP(0);
  if (p) {
    int tries = 1;
#pragma unroll 1
    while (atomicCAS((int*)a.memory, 0, 1) != 0) ++tries;
    STEP(1000 + tries);
    a.memory[1] = a.memory[1] + 1;
    __threadfence();
    atomicExch((int*)a.memory, 0);
    STEP(50);
  }
  STEP(99);
}

__global__ void lock_nanosleep(Case a) {
  BEGIN STEP(0);
  if (p) {
    int tries = 1;
#pragma unroll 1
    while (atomicCAS((int*)a.memory, 0, 1) != 0) {
      ++tries;
      __nanosleep(100);
    }
    STEP(1000 + tries);
    __threadfence();
    atomicExch((int*)a.memory, 0);
    STEP(50);
  }
  STEP(99);
}

// One group waits for what the other one writes; in the second form with the arms exchanged.
__global__ void wait_for_other(Case a) {
  BEGIN STEP(0);
  if (p) {
    int tries = 0;
#pragma unroll 1
    while (a.memory[0] == 0) ++tries;
    STEP(1000 + tries);
  } else {
    STEP(1);
    a.memory[0] = 1;
    STEP(2);
  }
  STEP(99);
}
__global__ void wait_for_other_swapped(Case a) {
  BEGIN STEP(0);
  if (!p) {
    STEP(1);
    a.memory[0] = 1;
    STEP(2);
  } else {
    int tries = 0;
#pragma unroll 1
    while (a.memory[0] == 0) ++tries;
    STEP(1000 + tries);
  }
  STEP(99);
}

// Both groups are busy for 3000 cycles without touching memory: is time shared out?
__global__ void busy_arms(Case a) {
  BEGIN unsigned start, now, turns = 0;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
  STEP(0);
  if (p) {
    STEP(1);
#pragma unroll 1
    do {
      asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
      ++turns;
    } while (now - start < 3000u + (lane & a.mode));
    STEP(1000 + turns / 16);
  } else {
    STEP(2);
#pragma unroll 1
    do {
      asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
      ++turns;
    } while (now - start < 3000u + (lane & a.mode));
    STEP(2000 + turns / 16);
  }
  STEP(99);
}

// Each arm waits for a load before its next step: does the other one run meanwhile?
__global__ void load_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    const int x = a.memory[lane];
    STEP(2 + x);
    const int y = a.memory[lane + 64 + x];
    STEP(3 + y);
  } else {
    STEP(11);
    const int x = a.memory[lane + 128];
    STEP(12 + x);
    const int y = a.memory[lane + 192 + x];
    STEP(13 + y);
  }
  STEP(99);
}

__global__ void nanosleep_in_arm(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    __nanosleep(2000);
    STEP(2);
  } else {
    STEP(3);
    STEP(4);
    __nanosleep(500);
    STEP(5);
  }
  STEP(99);
}

__global__ void fence_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    a.memory[lane] = 1;
    __threadfence();
    STEP(2);
  } else {
    STEP(3);
    a.memory[lane] = 2;
    __threadfence();
    STEP(4);
  }
  STEP(99);
}

__device__ __noinline__ uint4* callee(uint4* log, unsigned id) {
  const unsigned lane = threadIdx.x % 32;
  (void)lane;
  STEP(id);
  STEP(500);
  if (threadIdx.x & 1)
    STEP(501);
  else {
    STEP(502);
    STEP(502);
  }
  STEP(503);
  return log;
}

// Both arms call the same function: do their lanes meet in it?
__global__ void call_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    log = callee(log, 2);
    STEP(3);
  } else {
    STEP(4);
    log = callee(log, 5);
    STEP(6);
  }
  STEP(99);
}

typedef uint4* (*Callee)(uint4*, unsigned);
__device__ __noinline__ uint4* first(uint4* log, unsigned id) {
  STEP(100 + id);
  STEP(101);
  return log;
}
__device__ __noinline__ uint4* second(uint4* log, unsigned id) {
  STEP(200 + id);
  STEP(201);
  return log;
}
__device__ __noinline__ uint4* third(uint4* log, unsigned id) {
  STEP(300 + id);
  STEP(301);
  return log;
}
__device__ __noinline__ uint4* fourth(uint4* log, unsigned id) {
  STEP(400 + id);
  STEP(401);
  return log;
}
__device__ Callee callees[4] = {first, second, third, fourth};

__global__ void call_pointer(Case a) {
  BEGIN STEP(0);
  log = callees[(a.mode ? 3 - lane % 4 : lane % 4)](log, lane % 4);
  STEP(99);
}

__device__ __noinline__ uint4* recursive(uint4* log, int depth) {
  STEP(10 + depth);
  if (depth > 0) log = recursive(log, depth - 1);
  STEP(20 + depth);
  return log;
}
__global__ void recursion(Case a) {
  BEGIN STEP(0);
  log = recursive(log, lane % 4);
  STEP(99);
}

// A loop with two entries.
__global__ void irreducible(Case a) {
  BEGIN int i = 0;
  STEP(0);
  if (p) goto middle;
top:
  STEP(10 + i);
  STEP(10 + i);
middle:
  STEP(20 + i);
  STEP(20 + i);
  if (++i < int(lane % 3) + 1) goto top;
  STEP(99);
}

// Indirect branches to several places at once. Mode: which lane goes where.
__device__ __forceinline__ unsigned place_of(int mode, unsigned lane) {
  switch (mode) {
    case 0:
      return lane % 5;
    case 1:
      return 4 - lane % 5;
    case 2:
      return lane < 1 ? 3 : lane < 3 ? 1 : lane < 7 ? 4 : lane < 15 ? 0 : 2;  // 1 2 4 8 17
    case 3:
      return lane < 17 ? 2 : lane < 25 ? 0 : lane < 29 ? 4 : lane < 31 ? 1 : 3;  // 17 8 4 2 1
    case 4:
      return lane % 8 == 0 ? 1 : lane % 4 == 0 ? 3 : lane % 2 == 0 ? 0 : lane == 31 ? 4 : 2;
    case 5:
      return lane < 6 ? 4 : lane < 12 ? 3 : lane < 18 ? 2 : lane < 24 ? 1 : 0;
    case 6:
      return lane == 5 ? 0 : 3;
    default:
      return lane < 20 ? 1 : lane % 2 == 0 ? 4 : 2;
  }
}

__global__ void indirect_branch(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane);
  STEP(0);
  asm volatile(
      "{ .reg .u32 t;\n"
      "PLACES: .branchtargets P0, P1, P2, P3, P4;\n"
      "brx.idx %1, PLACES;\n"
      "P0:\n" PTX_STEP(10) "bra JOIN;\n"
      "P1:\n" PTX_STEP(11) "bra JOIN;\n"
      "P2:\n" PTX_STEP(12) "bra JOIN;\n"
      "P3:\n" PTX_STEP(13) "bra JOIN;\n"
      "P4:\n" PTX_STEP(14) "JOIN:\n}" ::"l"(log), "r"(place)
      : "memory");
  log += 64;
  STEP(99);
}

// The same through calls.
__device__ __noinline__ uint4* fifth(uint4* log, unsigned id) {
  STEP(500 + id);
  STEP(501);
  return log;
}
__device__ Callee five_callees[5] = {first, second, third, fourth, fifth};
__global__ void indirect_call(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane);
  STEP(0);
  log = five_callees[place](log, place);
  STEP(99);
}

// Calls of one function from five places: the returns part again.
__device__ __noinline__ uint4* shared_callee(uint4* log, unsigned id) {
  STEP(600 + id);
  __syncwarp();
  STEP(700);
  return log;
}
__global__ void return_to_five(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane);
  STEP(0);
  if (place == 0) {
    log = shared_callee(log, 0);
    STEP(10);
  } else if (place == 1) {
    log = shared_callee(log, 1);
    STEP(11);
  } else if (place == 2) {
    log = shared_callee(log, 2);
    STEP(12);
  } else if (place == 3) {
    log = shared_callee(log, 3);
    STEP(13);
  } else {
    log = shared_callee(log, 4);
    STEP(14);
  }
  STEP(99);
}

// Three arms wait for one another at different places; who goes on first?
__global__ void syncwarp_in_three(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane) % 3;
  STEP(0);
  if (place == 0) {
    STEP(1);
    __syncwarp();
    STEP(2);
    STEP(2);
  } else if (place == 1) {
    STEP(3);
    __syncwarp();
    STEP(4);
    STEP(4);
  } else {
    STEP(5);
    __syncwarp();
    STEP(6);
    STEP(6);
  }
  STEP(99);
}

// Groups that wait while others are still behind: which of those goes next?
__global__ void pending_order(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane);
  STEP(0);
  if (place >= 1) {
    STEP(1);
    if (place >= 2) {
      STEP(2);
      if (place >= 3) {
        STEP(3);
        if (place >= 4) {
          STEP(4);
        } else {
          STEP(5);
        }
        STEP(6);
      } else {
        STEP(7);
      }
    } else {
      STEP(8);
      return;
    }
    STEP(9);
  } else {
    STEP(10);
  }
  STEP(99);
}

// Arms that spin: who goes on when a group yields?
__global__ void yield_in_arms(Case a) {
  BEGIN const unsigned place = place_of(a.mode, lane);
  int turn = 0;
  STEP(0);
#define SPIN(arm)                                   \
  _Pragma("unroll 1") do { STEP(10 * arm + turn); } \
  while (a.memory[arm] == 0 && ++turn < 4)
  if (place == 0) {
    SPIN(1);
    STEP(90);
  } else if (place == 1) {
    SPIN(2);
    STEP(91);
  } else if (place == 2) {
    SPIN(3);
    STEP(92);
  } else if (place == 3) {
    SPIN(4);
    STEP(93);
  } else {
    SPIN(5);
    STEP(94);
  }
  STEP(99);
}

// One arm spins until the other one, past the end of the branch, has written.
__global__ void yield_and_barrier(Case a) {
  BEGIN STEP(0);
  if (p) {
    int tries = 0;
#pragma unroll 1
    while (a.memory[0] == 0) ++tries;
    STEP(1000 + tries);
  } else {
    STEP(1);
  }
  STEP(50);
  if (!p) {
    STEP(2);
    a.memory[0] = 1;
    STEP(3);
  }
  STEP(51);
  __syncwarp();
  STEP(99);
}

__global__ void barrier_sync_in_arms(Case a) {
  BEGIN STEP(0);
  if (p) {
    STEP(1);
    asm volatile("barrier.sync 0;" ::: "memory");
    STEP(2);
    STEP(2);
  } else {
    STEP(3);
    asm volatile("barrier.sync 0;" ::: "memory");
    STEP(4);
    STEP(4);
  }
  STEP(99);
}

// A loop whose body parts once without a barrier of its own before the next turn's barrier.
__global__ void part_then_loop(Case a) {
  BEGIN STEP(0);
  const int trips = int(place_of(a.mode, lane)) + 1;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    STEP(10 + i);
    if ((lane + i) % 3 == 0) {
      STEP(20 + i);
      if ((lane + i) % 2 == 0) continue;
      STEP(30 + i);
    }
    STEP(40 + i);
  }
  STEP(99);
}

struct Named {
  const char* name;
  void (*kernel)(Case);
  int threads;
  int kind;  // which masks and modes to try
};
#define CASE(name, threads, kind) \
  { #name, name, threads, kind }
enum { kMasks, kTwoMasks, kModes, kOnce, kFewMasks };
static const Named cases[] = {
    CASE(if_only, 32, kMasks),
    CASE(if_else, 32, kMasks),
    CASE(if_else_unlikely, 32, kMasks),
    CASE(ptx_forward, 32, kMasks),
    CASE(ptx_backward, 32, kMasks),
    CASE(nested_if, 32, kTwoMasks),
    CASE(nested_three, 32, kOnce),
    CASE(short_circuit, 32, kTwoMasks),
    CASE(loop_trips, 32, kModes),
    CASE(do_while_trips, 32, kModes),
    CASE(loop_with_if, 32, kFewMasks),
    CASE(loop_with_if_no_else, 32, kOnce),
    CASE(loop_break_continue, 32, kOnce),
    CASE(nested_loops, 32, kOnce),
    CASE(jump_table, 32, kModes),
    CASE(early_return, 32, kTwoMasks),
    CASE(return_in_nest, 32, kTwoMasks),
    CASE(return_in_loop, 32, kOnce),
    CASE(syncwarp_full_in_arms, 32, kFewMasks),
    CASE(syncwarp_own_mask, 32, kFewMasks),
    CASE(syncwarp_sub, 32, kTwoMasks),
    CASE(syncwarp_after_if, 32, kTwoMasks),
    CASE(shuffle_in_arms, 32, kFewMasks),
    CASE(ballot_after_if, 32, kTwoMasks),
    CASE(syncthreads_after_if, 32, kOnce),
    CASE(syncthreads_after_if, 64, kOnce),
    CASE(syncthreads_in_arms, 32, kFewMasks),
    CASE(syncthreads_in_arms, 64, kFewMasks),
    CASE(bar_sync_after_if, 32, kFewMasks),
    CASE(lock_inside, 32, kFewMasks),
    CASE(lock_outside, 32, kFewMasks),
    CASE(lock_nanosleep, 32, kFewMasks),
    CASE(wait_for_other, 32, kFewMasks),
    CASE(wait_for_other_swapped, 32, kFewMasks),
    CASE(busy_arms, 32, kFewMasks),
    CASE(load_in_arms, 32, kFewMasks),
    CASE(nanosleep_in_arm, 32, kFewMasks),
    CASE(fence_in_arms, 32, kFewMasks),
    CASE(call_in_arms, 32, kFewMasks),
    CASE(call_pointer, 32, kModes),
    CASE(recursion, 32, kOnce),
    CASE(irreducible, 32, kFewMasks),
    CASE(indirect_branch, 32, kModes),
    CASE(indirect_call, 32, kModes),
    CASE(return_to_five, 32, kModes),
    CASE(syncwarp_in_three, 32, kModes),
    CASE(pending_order, 32, kModes),
    CASE(part_then_loop, 32, kModes),
    CASE(yield_in_arms, 32, kModes),
    CASE(yield_and_barrier, 32, kFewMasks),
    CASE(barrier_sync_in_arms, 32, kFewMasks),
    CASE(barrier_sync_in_arms, 64, kFewMasks),
};

struct Machine {
  uint4* log;
  int* memory;
  std::vector<uint4> seen;
};

static void show(const Named& named, const Case& arguments, Machine& machine) {
  const size_t entries = size_t(named.threads / 32) * kSteps * 32;
  machine.seen.assign(entries, make_uint4(0, kNothing, 0, 0));
  CHECK(cudaMemcpy(machine.log, machine.seen.data(), entries * sizeof(uint4),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemset(machine.memory, 0, 4096));
  named.kernel<<<1, named.threads>>>(arguments);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(machine.seen.data(), machine.log, entries * sizeof(uint4),
                   cudaMemcpyDeviceToHost));
  for (int warp = 0; warp < named.threads / 32; ++warp) {
    const uint4* log = &machine.seen[size_t(warp) * kSteps * 32];
    const unsigned start = log[0].x;
    std::map<std::pair<unsigned, unsigned>, unsigned> groups;  // (time, step) -> lanes
    for (int lane = 0; lane < 32; ++lane)
      for (int step = 0; step < kSteps && log[step * 32 + lane].y != kNothing; ++step)
        groups[{log[step * 32 + lane].x - start, log[step * 32 + lane].y}] |= 1u << lane;
    printf("%s %08x %08x %d w%d/%d |", named.name, arguments.m, arguments.m2, arguments.mode, warp,
           named.threads / 32);
    unsigned before = 0;
    for (const auto& [key, lanes] : groups) {
      printf(" %s%u:%x", key.first - before > 200 ? "+" : "", key.second, lanes);
      before = key.first;
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
  const bool brief = argc > 2;
  Machine machine;
  CHECK(cudaMalloc(&machine.log, 2 * kSteps * 32 * sizeof(uint4)));
  CHECK(cudaMalloc(&machine.memory, 4096));
  const std::vector<unsigned> many = {0x00000001, 0x80000000, 0x55555555, 0xaaaaaaaa, 0x0000ffff,
                                      0xffff0000, 0xfffffffe, 0x7fffffff, 0x000001ff, 0xfffffc00,
                                      0x00010000, 0xfffeffff, 0x12345678};
  const std::vector<unsigned> few = {0x00000001, 0x55555555, 0xaaaaaaaa,
                                     0x0000ffff, 0xffff0000, 0x7fffffff};
  const std::vector<unsigned> second = {0x00ff00ff, 0x33333333, 0xf0000001};
  for (const Named& named : cases) {
    if (*wanted != 0 && strcmp(named.name, wanted) != 0) continue;
    const bool by_mask =
        !brief && (named.kind == kMasks || named.kind == kTwoMasks || named.kind == kFewMasks);
    const std::vector<unsigned> masks = named.kind == kMasks ? many
                                        : by_mask            ? few
                                                             : std::vector<unsigned>{0x55555555};
    const std::vector<unsigned> masks2 =
        by_mask && named.kind == kTwoMasks ? second : std::vector<unsigned>{0x33333333};
    const int modes = named.kind == kModes && !brief ? 8 : 1;
    for (unsigned m : masks)
      for (unsigned m2 : masks2)
        for (int mode = 0; mode < modes; ++mode)
          show(named, {machine.log, m, m2, mode, machine.memory}, machine);
  }
  return EXIT_SUCCESS;
}
