// Mistakes, each beside its repair. What `checks_test.cpp` expects is said there.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

#define KERNEL extern "C" __global__ void

// ---- memory

KERNEL past_the_end(int *data, int) { data[threadIdx.x] = 1; }
KERNEL past_the_end_repaired(int *data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = 1;
}

KERNEL misaligned(char *data, int n) { *(int *)(data + threadIdx.x * n) = 1; }

KERNEL shared_past_the_end(int *data, int n) {
  extern __shared__ int tile[];
  tile[threadIdx.x * n] = threadIdx.x;
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x];
}

KERNEL reads(const int *data, int *out) { out[threadIdx.x] = data[threadIdx.x]; }

// ---- sync

KERNEL barrier_in_branch(int *data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x < 32) __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x] + 1;
}
KERNEL barrier_in_branch_repaired(int *data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x] + 1;
}

// Threads that end early are not waited for.
KERNEL early_return(int *data, int n) {
  __shared__ int tile[64];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x ^ 1];
}

KERNEL two_barriers(int *data) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  data[threadIdx.x] = 1;
}
KERNEL two_barriers_repaired(int *data) {
  asm volatile("bar.sync 1, 64;");
  asm volatile("bar.sync 2, 64;");
  data[threadIdx.x] = 1;
}

KERNEL counts_differ(int *data) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 96;");
  else
    asm volatile("bar.sync 1, 64;");
  data[threadIdx.x] = 1;
}

KERNEL mask_without_caller(int *data) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 2 == 0) value = __shfl_sync(0x0000ffffu, value, 0);
  data[threadIdx.x] = value;
}
KERNEL mask_without_caller_repaired(int *data) {
  int value = data[threadIdx.x];
  if (threadIdx.x % 2 == 0) value = __shfl_sync(0x55555555u, value, 0);
  data[threadIdx.x] = value;
}

// ---- races

KERNEL neighbour(int *data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[63 - threadIdx.x];
}
KERNEL neighbour_repaired(int *data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

// The second barrier of a loop is missing: one warp writes what another still reads.
KERNEL next_round(int *data, int rounds) {
  __shared__ int tile[64];
  int value = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x] = value + i;
    __syncthreads();
    value = tile[63 - threadIdx.x];
  }
  data[threadIdx.x] = value;
}
KERNEL next_round_repaired(int *data, int rounds) {
  __shared__ int tile[64];
  int value = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x] = value + i;
    __syncthreads();
    value = tile[63 - threadIdx.x];
    __syncthreads();
  }
  data[threadIdx.x] = value;
}

KERNEL count_up(int *counter) { *counter += threadIdx.x == 0; }
KERNEL count_up_repaired(int *counter) { atomicAdd(counter, threadIdx.x == 0); }

// Blocks hand on a value behind a flag.
KERNEL hand_on(int *box, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *box = 42;
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *box;
  }
}
KERNEL hand_on_repaired(int *box, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *box = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *out = *box;
  }
}

// All of a block writes, one thread tells, behind the block's barrier.
KERNEL last_block(int *partial, unsigned *tickets, int *out) {
  __shared__ bool last;
  partial[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i * blockDim.x + threadIdx.x];
  out[threadIdx.x] = sum;
}

// Halves of a warp that part, for a loop of as many rounds as the data says.
__device__ int rounds(int n, int value) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) value = value * 3 + i;
  return value;
}
KERNEL halves(int *data, int n) {
  __shared__ int tile[32];
  int value = data[threadIdx.x];
  if (threadIdx.x < 16) {
    value = rounds(n, value);
    tile[threadIdx.x] = value;
  } else {
    value = rounds(n + 1, value);
    value += tile[threadIdx.x - 16];
  }
  data[threadIdx.x] = value;
}
KERNEL halves_repaired(int *data, int n) {
  __shared__ int tile[32];
  int value = data[threadIdx.x];
  if (threadIdx.x < 16) {
    value = rounds(n, value);
    tile[threadIdx.x] = value;
    __syncwarp();
  } else {
    value = rounds(n + 1, value);
    __syncwarp();
    value += tile[threadIdx.x - 16];
  }
  data[threadIdx.x] = value;
}

// One lane of a warp after the other adds to what a lock guards.
KERNEL lock_without_fence(int *lock, int *data) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      data[0] += threadIdx.x;
      atomicExch(lock, 0);
      done = true;
    }
}
KERNEL lock_without_fence_repaired(int *lock, int *data) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      data[0] += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}

// What shared memory has no operation for is made of a loop.
KERNEL emulated(float *data) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, data[threadIdx.x]);
  __syncthreads();
  data[threadIdx.x] = sum;
}

// Lanes of one instruction write different values to one place.
KERNEL same_place(int *data) { data[threadIdx.x / 2] = threadIdx.x; }
KERNEL same_place_repaired(int *data) { data[threadIdx.x] = threadIdx.x; }
// What is written is the same whoever is last.
KERNEL same_value(int *data) { data[0] = 7; }

// Neighbouring bytes of one word are different places.
KERNEL bytes(unsigned char *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

KERNEL grid_wide(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = i;
  data[n + i] = data[n - 1 - i];
}
KERNEL grid_wide_repaired(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = i;
  groups::this_grid().sync();
  data[n + i] = data[n - 1 - i];
}

// Warps of a block take turns at two numbered barriers.
KERNEL take_turns(int *data) {
  __shared__ int slot;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i)
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0) slot = data[i];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += slot;
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  data[threadIdx.x] = sum;
}

KERNEL __cluster_dims__(2, 1, 1) other_block(int *data) {
  __shared__ int tile[32];
  groups::cluster_group cluster = groups::this_cluster();
  tile[threadIdx.x] = data[threadIdx.x] + cluster.block_rank();
  const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  data[64 + blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];
  cluster.sync();
}
KERNEL __cluster_dims__(2, 1, 1) other_block_repaired(int *data) {
  __shared__ int tile[32];
  groups::cluster_group cluster = groups::this_cluster();
  tile[threadIdx.x] = data[threadIdx.x] + cluster.block_rank();
  cluster.sync();
  const int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  data[64 + blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];
  cluster.sync();
}

// ---- init

KERNEL shared_unwritten(int *data, int n) {
  __shared__ int tile[64];
  if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL local_unwritten(int *data, int n) {
  int table[8];
#pragma unroll 1
  for (int i = 0; i < n; ++i) table[data[i] & 7] = i;
  data[threadIdx.x] = table[threadIdx.x & 7];
}

// ---- hazards: the test changes the control codes of these

KERNEL pieces(int *data, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) data[threadIdx.x + 32 * i] = data[threadIdx.x] * 3 + i;
}
