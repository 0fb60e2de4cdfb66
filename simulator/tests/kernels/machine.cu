// What the tests of the machine run. Compiled by make_cubins.sh; the cubins are committed.

// --- divergence and forward progress

// A lock taken by every lane of a warp in turn.
extern "C" __global__ void spin_lock(int* lock, int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *reinterpret_cast<volatile int*>(counter) += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// Block 0 waits for block 1's flag: both must make progress.
extern "C" __global__ void wait_for_next_block(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {
    }
    out[threadIdx.x] = *flag;
  } else if (threadIdx.x == 0) {
    *flag = 42;
  }
}

// Threads leave before a barrier; the rest of the block still meets there.
extern "C" __global__ void exit_before_barrier(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) return;
  atomicAdd(&sum, 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}

// Both sides of a branch reach a barrier of their own.
extern "C" __global__ void barrier_on_both_sides(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) {
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x + 32];
  } else {
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x ^ 1];
  }
}

extern "C" __global__ void warp_functions(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned value = lane * 3 + 1;
  if (lane % 2 == 0) value = __reduce_add_sync(0x55555555u, value);
  else value = __shfl_xor_sync(0xaaaaaaaau, value, 2);
  out[lane] = value;
  out[32 + lane] = __ballot_sync(~0u, value > 40);
  out[64 + lane] = __match_any_sync(~0u, lane / 5);
}

extern "C" __global__ void jump_table(const int* in, int* out) {
  const int x = in[threadIdx.x];
  int y = 0;
  switch (x) {
    case 0: y = 11; break;
    case 1: y = x * 7 + 2; break;
    case 2: y = in[threadIdx.x + 32] + 1; break;
    case 3: y = in[threadIdx.x + 32] * in[threadIdx.x + 33]; break;
    case 4: y = 5 - in[31 - threadIdx.x]; break;
    case 5: y = x ^ 0x55; break;
    case 6: y = in[(threadIdx.x * 7) & 31] << 2; break;
    case 7: y = 99; break;
    default: y = -1;
  }
  out[threadIdx.x] = y;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 9); }
__device__ __noinline__ int endless(int n, int* p) { return p[n & 1] + endless(n + 1, p) + endless(n ^ 3, p); }
extern "C" __global__ void endless_recursion(int* out) { out[1] = endless(out[0], out); }

// --- memory

extern "C" __global__ void widths(const unsigned char* in, unsigned char* out, int n) {
  const int i = threadIdx.x;
  out[i] = in[i] + 1;
  reinterpret_cast<short*>(out + n)[i] = reinterpret_cast<const short*>(in + n)[i] - 1;
  reinterpret_cast<double2*>(out + 4 * n)[i] = reinterpret_cast<const double2*>(in + 4 * n)[i];
}

extern "C" __global__ void integer_atomics(int* cells) {
  atomicAdd(&cells[0], static_cast<int>(threadIdx.x));
  atomicMax(&cells[1], static_cast<int>(threadIdx.x * 37 % 64));
  atomicXor(&cells[2], 1 << (threadIdx.x & 31));
  atomicInc(reinterpret_cast<unsigned*>(&cells[3]), 9);
  atomicAdd(reinterpret_cast<unsigned long long*>(&cells[4]), 1ull << 33);
  cells[64 + blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(&cells[6], 2);
}

extern "C" __global__ void float_atomics(float* sum, float* shared_sum) {
  __shared__ float local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicAdd(sum, 1.0f / (1 + threadIdx.x + blockIdx.x));
  atomicAdd(&local, 0.25f);
  __syncthreads();
  if (threadIdx.x == 0) shared_sum[blockIdx.x] = local;
}

// Blocks share a histogram; the counts commute.
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 16], 1u);
}

// Every block adds to the same word without an atomic: what comes out depends on their order.
extern "C" __global__ void racing_blocks(int* cell) {
  if (threadIdx.x == 0) cell[0] = cell[0] * 3 + blockIdx.x;
}

extern "C" __global__ void array_by_index(const int* in, int* out) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = in[i] * static_cast<int>(threadIdx.x);
  out[threadIdx.x] = values[in[threadIdx.x % 8] & 7];
}

// --- faults

extern "C" __global__ void store_at(int* p, int index) {
  if (threadIdx.x == 5) p[index] = 1;
}
extern "C" __global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + threadIdx.x) = 1; }
extern "C" __global__ void shared_overrun(int index) {
  extern __shared__ int dynamic[];
  dynamic[index + threadIdx.x] = 1;
}
extern "C" __global__ void trap_in_lane_3() {
  if (threadIdx.x == 3) __trap();
}
extern "C" __global__ void endless_loop(volatile int* p) {
  while (*p == 0) {
  }
}
// Half the warps wait at barrier 1 for threads that never come.
extern "C" __global__ void deadlock() {
  if (threadIdx.x < 32) asm volatile("barrier.sync 1, 64;");
  else asm volatile("barrier.sync 2, 64;");
}

// Who is active behind a __syncwarp for which each lane names its own tile, when all come together
// (out) and when half of them come later (out + 32).
extern "C" __global__ void syncwarp_of_tiles(unsigned* out, unsigned size) {
  const unsigned mask = ((1u << size) - 1) << threadIdx.x / size * size;
  __syncwarp(mask);
  out[threadIdx.x] = __activemask();
  if (threadIdx.x < 16) out[64] = size;
  __syncwarp(mask);
  out[threadIdx.x + 32] = __activemask();
}
