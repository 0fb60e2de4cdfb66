// Blocks that use the same global memory at about the same time, in one way each.

// Each block waits for the flag of the one before, and passes on what it finds beside it.
extern "C" __global__ void pass_on(volatile unsigned* flags, volatile unsigned* values) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0)
    while (flags[blockIdx.x - 1] == 0) {
    }
  values[blockIdx.x] = blockIdx.x == 0 ? 7 : values[blockIdx.x - 1] * 3 + blockIdx.x;
  __threadfence();
  flags[blockIdx.x] = 1;
}

// Work is taken from a counter; what is added up depends on the order.
extern "C" __global__ void take_work(unsigned* next, unsigned* out) {
  float* const sum = reinterpret_cast<float*>(next + 16);
  __shared__ unsigned mine;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    if (mine >= 512) return;
    out[mine % 256 * 2] = blockIdx.x;
    atomicAdd(sum, 1.0f / (1 + mine + threadIdx.x));
  }
}

extern "C" __global__ void take_locks(int* lock, unsigned* cell) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 4; ++i) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *cell = *cell * 5 + blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
  }
}

// Reductions commute; words of one sector are each one block's.
extern "C" __global__ void count_together(unsigned* bins, unsigned* own, int trips) {
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    atomicAdd(&bins[(threadIdx.x * 7 + i * blockIdx.x) % 32], 1u);
    if (threadIdx.x == 0) own[blockIdx.x] += i;
  }
}

// Plain reads and writes of one word by all blocks, with no order between them.
extern "C" __global__ void race(unsigned* cell, unsigned* out, int trips) {
  unsigned value = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    value = value * 5 + cell[i % 8];
    if (threadIdx.x == 0) cell[(i + blockIdx.x) % 8] = value;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Block `bad` leaves its memory after some rounds.
extern "C" __global__ void leave_memory(unsigned* out, unsigned* unused, int trips, unsigned bad) {
  unsigned* at = out + blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) {
    *at += i;
    if (blockIdx.x == bad && i == trips / 2) at += 1u << 28;
  }
}

// The two blocks of a cluster add to each other's shared memory.
extern "C" __global__ __cluster_dims__(2) void cross_cluster(unsigned* out, unsigned*) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = blockIdx.x;
  unsigned rank, there, here = static_cast<unsigned>(__cvta_generic_to_shared(&sum));
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank ^ 1));
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(there), "r"(threadIdx.x) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
