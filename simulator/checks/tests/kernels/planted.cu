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

// A mask that names lanes which never come.
KERNEL mask_of_absent(const int *data, int *out) {
  int value = data[threadIdx.x];
  if (value % 2 == 0) value += __shfl_sync(0xffffffffu, value, 0);
  out[threadIdx.x] = value;
}
KERNEL mask_of_absent_repaired(const int *data, int *out) {
  int value = data[threadIdx.x];
  const unsigned mask = __ballot_sync(0xffffffffu, value % 2 == 0);
  if (value % 2 == 0) value += __shfl_sync(mask, value, 0);
  out[threadIdx.x] = value;
}
// Lanes that have ended are not waited for.
KERNEL mask_of_ended(const int *data, int *out, int n) {
  if (threadIdx.x >= n) return;
  int value = data[threadIdx.x];
  value += __shfl_sync(0xffffffffu, value, 0);
  if (value >= 0) __syncwarp();
  out[threadIdx.x] = value;
}
// Both sides of a branch come to a __syncwarp().
KERNEL mask_of_both_sides(const int *data, int *out) {
  __shared__ int tile[32];
  int value = data[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    tile[threadIdx.x] = value;
    __syncwarp();
    value = 1;
  } else {
    __syncwarp();
    value = tile[threadIdx.x - 1];
  }
  out[threadIdx.x] = value;
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

// Two warps meet, and another one writes what they read: before they meet, or later.
KERNEL writer_beside_barrier(int *data) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = data[threadIdx.x];
    return;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  data[threadIdx.x] = tile[threadIdx.x & 31];
}
KERNEL reader_beside_barrier(int *data) {
  __shared__ int tile[32];
  if (threadIdx.x >= 64) {
    tile[threadIdx.x & 31] = data[threadIdx.x];
    return;
  }
  const int early = tile[threadIdx.x & 31];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  data[threadIdx.x] = early;
}
KERNEL writer_beside_barrier_repaired(int *data) {
  __shared__ int tile[32];
  if (threadIdx.x < 32) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) return;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  data[threadIdx.x] = tile[threadIdx.x & 31];
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

// A fence of block scope tells a value to the block, not to other blocks. `to`: who waits for the
// flag, a warp of the first block or another block.
KERNEL hand_on_in_block(int *box, int *flag, int *out, int to) {
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (warp == 0) {
    *box = 42;
    __threadfence_block();
    atomicExch(flag, 1);
  } else if (warp == to) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *out = *box;
  }
}
// An atomic operation of block scope is not atomic to other blocks.
KERNEL count_in_block(int *counter) { atomicAdd_block(counter, 1); }
// Blocks tell one another in two steps: a warp to its block, that block's other warp to all.
KERNEL hand_on_twice(int *box, int *flag, int *other_flag, int *out) {
  const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (warp == 0) {
    *box = 42;
    __threadfence_block();
    atomicExch_block(flag, 1);
  } else if (warp == 1) {
    while (atomicAdd_block(flag, 0) == 0) {
    }
    __threadfence();
    atomicExch(other_flag, 1);
  } else if (warp == 2) {
    while (atomicAdd(other_flag, 0) == 0) {
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

// Lanes that execute together all the same, by predicates.
KERNEL predicated(const int *data, int *out) {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x >= 16) out[threadIdx.x] = tile[threadIdx.x - 16];
}
KERNEL predicated_repaired(const int *data, int *out) {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = data[threadIdx.x];
  __syncwarp();
  if (threadIdx.x >= 16) out[threadIdx.x] = tile[threadIdx.x - 16];
}

// One thread in many changes by hand what the others change by an atomic operation.
KERNEL beside_atomic(int *sum, int one) {
  if (threadIdx.x + blockIdx.x * blockDim.x == one)
    *sum += 5;
  else
    atomicAdd(sum, threadIdx.x);
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

// A loop around a compare-and-swap of 64 bits, whose first value is a plain load.
KERNEL emulated_in_global(unsigned long long *sums, unsigned long long mask) {
  unsigned long long *const sum = &sums[threadIdx.x & mask];
  unsigned long long old = *sum, assumed;
  do {
    assumed = old;
    old = atomicCAS(sum, assumed, assumed ^ threadIdx.x);
  } while (assumed != old);
}

// Lanes of one instruction write different values to one place.
KERNEL same_place(int *data) { data[threadIdx.x / 2] = threadIdx.x; }
KERNEL same_place_repaired(int *data) { data[threadIdx.x] = threadIdx.x; }
// Of values stored atomically one stays.
KERNEL same_place_strong(int *out) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(out), "r"(threadIdx.x) : "memory");
}
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

// ---- asynchronous copies

__device__ unsigned in_shared(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void copy_async(int *to, const int *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(in_shared(to)), "l"(from)
               : "memory");
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_ALL_BUT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

// Four elements for each thread, of which the last ones may have fewer: zeros for those that lack.
KERNEL copy_of_fours(const int *data, int *out, int n) {
  __shared__ __align__(16) int tile[4 * 64];
  const int first = 4 * int(threadIdx.x), given = min(4, n - first);
  if (given > 0)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(in_shared(&tile[first])),
                 "l"(data + first), "r"(4 * given)
                 : "memory");
  COMMIT();
  WAIT_FOR_ALL_BUT(0);
  if (given > 0) out[threadIdx.x] = tile[first + 3];
}
// Even who has begun a copy must wait for it.
KERNEL own_copy(const int *data, int *out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  COMMIT();
  out[threadIdx.x] = tile[threadIdx.x];
}
KERNEL own_copy_repaired(const int *data, int *out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  COMMIT();
  WAIT_FOR_ALL_BUT(0);
  out[threadIdx.x] = tile[threadIdx.x];
}
// A barrier alone says nothing of copies.
KERNEL copy_of_another(const int *data, int *out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  COMMIT();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
KERNEL copy_of_another_repaired(const int *data, int *out) {
  __shared__ int tile[64];
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  COMMIT();
  WAIT_FOR_ALL_BUT(0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
// Two stages; the wait lets one more be on its way than may be.
template <int kPending>
__device__ void stages(const int *data, int *out, int rounds) {
  __shared__ int tile[2][64];
  int sum = 0;
  copy_async(&tile[0][threadIdx.x], &data[threadIdx.x]);
  COMMIT();
#pragma unroll 1
  for (int i = 1; i < rounds; ++i) {
    copy_async(&tile[i & 1][threadIdx.x], &data[i * 64 + threadIdx.x]);
    COMMIT();
    WAIT_FOR_ALL_BUT(kPending);
    __syncthreads();
    sum += tile[(i - 1) & 1][63 - threadIdx.x];
    __syncthreads();
  }
  WAIT_FOR_ALL_BUT(0);
  out[threadIdx.x] = sum + tile[(rounds - 1) & 1][threadIdx.x];
}
KERNEL copy_stages(const int *data, int *out, int rounds) { stages<2>(data, out, rounds); }
KERNEL copy_stages_repaired(const int *data, int *out, int rounds) { stages<1>(data, out, rounds); }

__device__ void make_mbarrier(unsigned long long *barrier, unsigned count) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(barrier)), "r"(count)
                 : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
}
__device__ void wait_at(unsigned long long *barrier, unsigned phase) {
  unsigned over;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(in_shared(barrier)), "r"(phase)
        : "memory");
  } while (over == 0);
}
__device__ void copy_bulk(int *to, const int *from, unsigned bytes, unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(barrier)),
               "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(in_shared(to)),
      "l"(from), "r"(bytes), "r"(in_shared(barrier))
      : "memory");
}

// An mbarrier counts the bytes; who reads them waits for its phase, and not for one before it.
KERNEL bulk_copy(const int *data, int *out, int waits, unsigned phase) {
  __shared__ alignas(16) int tile[64];
  __shared__ unsigned long long barrier;
  make_mbarrier(&barrier, 1);
  if (threadIdx.x == 0) copy_bulk(tile, data, sizeof tile, &barrier);
  if (waits != 0) wait_at(&barrier, phase);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Copies by two barriers: to have waited at one tells nothing of the other.
KERNEL two_bulk_copies(const int *data, int *out, int second) {
  __shared__ alignas(16) int tile[2][64];
  __shared__ unsigned long long barriers[2];
  make_mbarrier(&barriers[0], 1);
  make_mbarrier(&barriers[1], 1);
  if (threadIdx.x == 0) {
    copy_bulk(tile[0], data, sizeof tile[0], &barriers[0]);
    copy_bulk(tile[1], data + 64, sizeof tile[1], &barriers[1]);
  }
  wait_at(&barriers[second], 0);
  out[threadIdx.x] = tile[1][threadIdx.x];
}

// A ring of one stage: the next copy must not begin before all have read the last one.
KERNEL bulk_ring(const int *data, int *out, int rounds, int waits) {
  __shared__ alignas(16) int tile[64];
  __shared__ unsigned long long full, empty;
  make_mbarrier(&full, 1);
  make_mbarrier(&empty, 64);
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0) {
      if (waits != 0 && i > 0) wait_at(&empty, (i - 1) & 1);
      copy_bulk(tile, data + 64 * i, sizeof tile, &full);
    }
    __syncwarp();
    wait_at(&full, i & 1);
    sum += tile[63 - threadIdx.x];
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(in_shared(&empty)) : "memory");
  }
  out[threadIdx.x] = sum;
}

// What a bulk copy reads must stay until it has.
KERNEL bulk_source(const int *data, int *out, int *more) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = data[threadIdx.x] + 1;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(in_shared(tile)), "r"(256)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  __syncthreads();
  tile[threadIdx.x] = data[threadIdx.x] + 2;
  __syncthreads();
  more[threadIdx.x] = tile[63 - threadIdx.x];
}
KERNEL bulk_source_repaired(const int *data, int *out, int *more) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = data[threadIdx.x] + 1;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(in_shared(tile)), "r"(256)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
  __syncthreads();
  tile[threadIdx.x] = data[threadIdx.x] + 2;
  __syncthreads();
  more[threadIdx.x] = tile[63 - threadIdx.x];
}

// Element copies that an mbarrier counts.
KERNEL counted_copies(const int *data, int *out, int waits) {
  __shared__ int tile[64];
  __shared__ unsigned long long barrier;
  make_mbarrier(&barrier, 64);
  copy_async(&tile[threadIdx.x], &data[threadIdx.x]);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(&barrier))
               : "memory");
  if (waits != 0) wait_at(&barrier, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// ---- the heap of device code

KERNEL heap_overflow(const int *data, int *out, int n) {
  int *block = static_cast<int *>(malloc(n * sizeof(int)));
  for (int i = 0; i <= n; ++i) block[i] = data[i];
  out[threadIdx.x] = block[n / 2];
  free(block);
}
KERNEL heap_overflow_repaired(const int *data, int *out, int n) {
  int *block = static_cast<int *>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) block[i] = data[i];
  out[threadIdx.x] = block[n / 2];
  free(block);
}
KERNEL heap_late_use(const int *data, int *out, int n) {
  volatile int *block = static_cast<int *>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) block[i] = data[i];
  free(const_cast<int *>(block));
  out[threadIdx.x] = block[n / 2];
}
KERNEL heap_late_use_repaired(const int *data, int *out, int n) {
  volatile int *block = static_cast<int *>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) block[i] = data[i];
  out[threadIdx.x] = block[n / 2];
  free(const_cast<int *>(block));
}
KERNEL heap_free_twice(int n) {
  void *block = malloc(n);
  free(block);
  free(block);
}
KERNEL heap_free_twice_repaired(int n) {
  void *block = malloc(n);
  free(block);
  block = malloc(n);
  free(block);
}
// Lanes and warps get memory that others had before.
KERNEL heap_handed_on(int *out, int n) {
  for (int i = 0; i < 3; ++i) {
    int *block = static_cast<int *>(malloc(n));
    *block = threadIdx.x + i;
    out[threadIdx.x] = *block;
    free(block);
  }
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

// An atomic operation at an address of global or of shared memory.
KERNEL either_space(unsigned long long *data, int rounds) {
  __shared__ unsigned long long sum;
  sum = 0;
  __syncthreads();
  unsigned long long *to = threadIdx.x % 2 == 0 ? &data[threadIdx.x] : &sum;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) atomicAdd(to, 3ull + i);
  __syncthreads();
  data[threadIdx.x + 64] = sum;
}

// A load over its own address, of a part of the lanes; then all write there.
KERNEL over_own_address(const int *begins, const int *list, int *out, int n) {
  const int lane = threadIdx.x % 32;
  for (int row = (threadIdx.x + blockIdx.x * blockDim.x) / 32; row < n;
       row += gridDim.x * blockDim.x / 32) {
    const int begin = begins[row], end = begins[row + 1];
    int sum = 0;
    for (int i = begin + lane; __any_sync(0xffffffffu, i < end); i += 32) {
      const int value = i < end ? list[i] : row;
      sum += __popc(__ballot_sync(0xffffffffu, row < value));
    }
    if (lane == 0) atomicAdd(out, sum);
  }
}

// Sums of warps, read at once, of which one is read once more.
KERNEL loaded_again(const int *data, int *out, int) {
  __shared__ __align__(16) int sums[4];
  if (threadIdx.x < 4) sums[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  int a, b, c, d, again;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(in_shared(sums)));
  asm volatile("ld.volatile.shared.u32 %0, [%1 + 8];" : "=r"(again) : "r"(in_shared(sums)));
  out[threadIdx.x] = a + b + again;
}

// Adds to the same words of `out` what a bulk copy would write there.
KERNEL bulk_reduction(const int *data, int *out, int) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(out),
                 "r"(in_shared(tile)), "r"(256)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
